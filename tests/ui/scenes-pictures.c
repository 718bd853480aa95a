/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/scenes-pictures.h"

#include <math.h>

#include "tests/ui/fake-engine.h"

/* Of the picture in which fake-look.c finds things, and how much larger it is drawn. */
#define WIDTH 320
#define HEIGHT 240

static void
draw_disc (cairo_t *cr, double x, double y, double rx, double ry)
{
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, rx, ry);
  cairo_arc (cr, 0, 0, 1, 0, 2 * G_PI);
  cairo_restore (cr);
  cairo_fill (cr);
}

static void
draw_ears (cairo_t *cr, double x, double y, double size)
{
  for (int side = -1; side <= 1; side += 2) {
    cairo_move_to (cr, x + side * size * 0.25, y);
    cairo_line_to (cr, x + side * size, y - size * 0.1);
    cairo_line_to (cr, x + side * size * 0.85, y - size * 1.3);
    cairo_close_path (cr);
    cairo_fill (cr);
  }
}

static void
draw_land (cairo_t *cr)
{
  cairo_set_source_rgb (cr, 0.74, 0.86, 0.95);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.98, 0.93, 0.7);
  draw_disc (cr, 270, 40, 20, 20);
  cairo_set_source_rgb (cr, 0.55, 0.7, 0.45);
  draw_disc (cr, 120, 260, 320, 110);
}

static void
draw_animals (cairo_t *cr)
{
  cairo_set_source_rgb (cr, 0.36, 0.33, 0.32);
  draw_disc (cr, 115, 150, 62, 58);
  draw_disc (cr, 108, 80, 40, 36);
  draw_ears (cr, 108, 62, 38);
  cairo_set_source_rgb (cr, 0.85, 0.9, 0.4);
  draw_disc (cr, 93, 78, 7, 9);
  draw_disc (cr, 123, 78, 7, 9);
  cairo_set_source_rgb (cr, 0.72, 0.52, 0.32);
  draw_disc (cr, 225, 185, 66, 42);
  draw_disc (cr, 258, 130, 34, 34);
  draw_disc (cr, 228, 132, 10, 28);
  draw_disc (cr, 288, 132, 10, 28);
  cairo_set_source_rgb (cr, 0.15, 0.1, 0.08);
  draw_disc (cr, 247, 124, 4, 4);
  draw_disc (cr, 270, 124, 4, 4);
  draw_disc (cr, 259, 143, 8, 6);
}

static void
draw_words (cairo_t *cr)
{
  cairo_set_source_rgb (cr, 0.97, 0.95, 0.9);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 0.2, 0.2, 0.25);
  cairo_set_font_size (cr, 16);
  cairo_move_to (cr, 22, 42);
  cairo_show_text (cr, "Good morning");
  cairo_set_font_size (cr, 26);
  cairo_move_to (cr, 22, 104);
  cairo_show_text (cr, "ferns & rain");
}

static void
open_drawing (PterisWindow *window, void (*const *draw) (cairo_t *cr), const char *name)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList files = { .data = file };
  cairo_t *cr = cairo_create (surface);

  for (; *draw != NULL; draw++)
    (*draw) (cr);
  cairo_destroy (cr);
  cairo_surface_write_to_png (surface, path);
  cairo_surface_destroy (surface);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.use-model", "^ay",
                              "/models/rf-detr/model.pte");
  pteris_window_open_files (window, &files);
}

void
show_pictures (PterisWindow *window)
{
  static void (*const DRAW[]) (cairo_t * cr) = { draw_land, draw_animals, NULL };

  open_drawing (window, DRAW, "garden.png");
}

void
show_writing (PterisWindow *window)
{
  static void (*const DRAW[]) (cairo_t * cr) = { draw_words, NULL };

  fake.look = "writing";
  open_drawing (window, DRAW, "sign.png");
}
