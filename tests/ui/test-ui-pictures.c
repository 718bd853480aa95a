/* SPDX-License-Identifier: BSD-3-Clause */

/* The Pictures page over the scripted engine. */

#include <glib/gstdio.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/engine/model-notes.h"
#include "ui/pictures/finding.h"
#include "ui/pictures/masks.h"
#include "ui/pictures/picture-canvas.h"
#include "ui/pictures/picture-draw.h"
#include "ui/pictures/pictures-panel.h"

#define DETECTOR "/models/rf-detr/model.pte"
#define CLIP "/models/clip/model.pte"
#define WIDTH 320
#define HEIGHT 240

/* A grey picture of the size that the scripted engine knows. Free with g_free(). */
static char *
write_picture (const char *name)
{
  char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, WIDTH, HEIGHT);

  gdk_pixbuf_fill (pixbuf, 0x808080ff);
  g_assert_true (gdk_pixbuf_save (pixbuf, path, "png", NULL, NULL));
  return path;
}

static void
open_path (PterisWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
}

/* The window with @model in use on the page. */
static PterisWindow *
open_page (const char *model)
{
  PterisWindow *window;

  fake.with_pictures = TRUE;
  window = open_window ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.use-model", "^ay", model);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "pictures");
  return window;
}

/* The same with a picture in which @what is found; @say: what is then in the list. */
static PterisWindow *
open_found (const char *what, const char *text)
{
  g_autofree char *path = write_picture ("grey.png");
  PterisWindow *window;

  fake_reset ();
  fake.look = what;
  window = open_page (DETECTOR);
  open_path (window, path);
  wait_until (says (window->pictures_page, text));
  return window;
}

static PterisPicturesPanel *
get_panel (PterisWindow *window)
{
  return PTERIS_PICTURES_PANEL (nth (window->pictures_page, PTERIS_TYPE_PICTURES_PANEL, 0));
}

static GtkListBox *
get_list (PterisWindow *window)
{
  return GTK_LIST_BOX (nth (get_panel (window), GTK_TYPE_LIST_BOX, 0));
}

static PterisPictureCanvas *
get_canvas (PterisWindow *window)
{
  return PTERIS_PICTURE_CANVAS (nth (window->pictures_page, PTERIS_TYPE_PICTURE_CANVAS, 0));
}

static void
act (PterisWindow *window, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window->pictures_page), action, NULL));
}

static gboolean
shows_button (PterisWindow *window, const char *label)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (window->pictures_page, GTK_TYPE_BUTTON, i);

    if (button == NULL)
      return FALSE;
    if (gtk_widget_get_mapped (button) &&
        g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), label) == 0)
      return TRUE;
  }
}

static void
assert_called (gpointer widget, const char *name)
{
  g_autofree char *other = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget),
                                                               GTK_ACCESSIBLE_PROPERTY_LABEL, name);

  g_assert_cmpstr (other, ==, NULL);
}

/* ---- what is found ---- */

static void
test_objects (void)
{
  PterisWindow *window = open_found ("poses", "cat");
  GtkListBox *list = get_list (window);

  g_assert_true (says (window->pictures_page, "91.4 %"));
  g_assert_true (says (window->pictures_page, "2 of 3 points"));
  g_assert_true (says (window->pictures_page, "dog"));
  g_assert_true (says (window->pictures_page, "2 found in 41 ms"));
  g_assert_null (gtk_list_box_get_row_at_index (list, 2));
  g_assert_cmpuint (fake.n_looks, ==, 1);
  g_assert_cmpstr (fake.look_model, ==, DETECTOR);
  g_assert_true (g_str_has_suffix (fake.look_path, "grey.png"));
  /* For who does not see the picture. */
  assert_called (gtk_list_box_get_row_at_index (list, 0), "cat, 91.4 %, 2 of 3 points");
  assert_called (get_canvas (window), "grey.png: 2 found in 41 ms");
  close_window (window);
}

/* The header names the model of the page, and that of chats on other pages. */
static void
test_header (void)
{
  PterisWindow *window = open_found (NULL, "cat");

  g_assert_true (says (window->model_button, "RF-DETR"));
  g_assert_true (says (window->model_button, "Object detection"));
  pteris_window_show_page (window, "chat");
  g_assert_false (says (window->model_button, "RF-DETR"));
  pteris_window_show_page (window, "pictures");
  g_assert_true (says (window->model_button, "RF-DETR"));
  close_window (window);
}

static PterisModelState
get_state (PterisWindow *window)
{
  return pteris_engine_client_get_state (
      pteris_engines_get (window->engines, PTERIS_ENGINE_PICTURES));
}

/* The model is loaded once for all pictures, beside that of chats, and can be unloaded. */
static void
test_kept (void)
{
  PterisWindow *window = open_found (NULL, "cat");
  g_autofree char *path = write_picture ("other.png");

  g_assert_cmpuint (fake.n_loads, ==, 1);
  g_assert_cmpint (get_state (window), ==, PTERIS_MODEL_READY);
  open_path (window, path);
  wait_until (fake.n_looks == 2 && pteris_engines_count_jobs (window->engines) == 0);
  g_assert_cmpuint (fake.n_loads, ==, 1);
  g_action_group_activate_action (G_ACTION_GROUP (window), "unload", NULL);
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  g_assert_cmpint (get_state (window), ==, PTERIS_MODEL_UNLOADED);
  act (window, "pictures.look");
  wait_until (fake.n_looks == 3 && pteris_engines_count_jobs (window->engines) == 0);
  g_assert_cmpuint (fake.n_loads, ==, 2);
  g_assert_cmpint (get_state (window), ==, PTERIS_MODEL_READY);
  close_window (window);
}

/* Why the model cannot be loaded is on the page, and not in the window. */
static void
test_load_error (void)
{
  g_autofree char *path = write_picture ("grey.png");
  PterisWindow *window;

  fake_reset ();
  fake.load_error = "“model.pte” holds native code.";
  fake.load_code = PT_ERROR_UNTRUSTED;
  fake.digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  window = open_page (DETECTOR);
  open_path (window, path);
  wait_until (says (window->pictures_page, "holds native code."));
  g_assert_false (says (window->load_error_card, "holds native code."));
  act (window, "pictures.trust");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_cmpint (get_state (window), ==, PTERIS_MODEL_READY);
  close_window (window);
}

static void
test_classes (void)
{
  PterisWindow *window = open_found ("classes", "tabby cat");

  g_assert_true (says (window->pictures_page, "87.1 %"));
  g_assert_true (says (window->pictures_page, "Class 999"));
  g_assert_false (says (window->pictures_page, "Minimum score"));
  close_window (window);
}

static void
test_person (void)
{
  PterisWindow *window = open_found ("person", "person");

  g_assert_true (says (window->pictures_page, "25.0 %"));
  g_assert_true (says (window->pictures_page, "background"));
  close_window (window);
}

static void
test_writing (void)
{
  PterisWindow *window = open_found ("writing", "Good morning");
  GtkTextView *view = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; view == NULL || !gtk_widget_get_mapped (GTK_WIDGET (view)); i++)
    view = GTK_TEXT_VIEW (nth (get_panel (window), GTK_TYPE_TEXT_VIEW, i));
  g_object_get (gtk_text_view_get_buffer (view), "text", &text, NULL);
  g_assert_cmpstr (text, ==, "Good morning\nferns & rain");
  g_assert_false (gtk_text_view_get_editable (view));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "panel.copy-text", NULL));
  close_window (window);
}

static void
test_style (void)
{
  PterisWindow *window = open_found ("style", "Drawn in 41 ms");

  g_assert_null (gtk_list_box_get_row_at_index (get_list (window), 0));
  close_window (window);
}

/* CLIP has no classes: it compares the picture with texts. */
static void
test_texts (void)
{
  g_autofree char *path = write_picture ("grey.png");
  PterisWindow *window;
  GtkTextView *view;

  fake_reset ();
  fake.look = "embedding";
  window = open_page (CLIP);
  open_path (window, path);
  wait_until (says (window->pictures_page, "512 numbers describe this picture."));
  g_assert_cmpstr (fake.look_texts, ==, "");
  view = GTK_TEXT_VIEW (nth (get_panel (window), GTK_TYPE_TEXT_VIEW, 0));
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), " a cat \n\na dog, running", -1);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), "panel.compare", NULL));
  wait_until (says (window->pictures_page, "a dog, running"));
  g_assert_cmpstr (fake.look_texts, ==, "a cat|a dog, running");
  g_assert_true (says (window->pictures_page, "99.3 %"));
  g_assert_true (says (window->pictures_page, "Similarity 0.300"));
  close_window (window);
}

/* ---- the minimum score ---- */

static GtkRange *
get_scale (PterisWindow *window)
{
  return GTK_RANGE (nth (get_panel (window), GTK_TYPE_SCALE, 0));
}

static void
test_least (void)
{
  PterisWindow *window = open_found (NULL, "dog");

  g_assert_cmpfloat (fake.look_threshold, ==, 0);
  g_assert_cmpfloat_with_epsilon (gtk_range_get_value (get_scale (window)), 0.5, 1e-6);
  /* Fewer: a part of what is there. */
  gtk_range_set_value (get_scale (window), 0.8);
  wait_until (!says (window->pictures_page, "dog"));
  g_assert_true (says (window->pictures_page, "cat"));
  gtk_range_set_value (get_scale (window), 0.6);
  wait_until (says (window->pictures_page, "dog"));
  g_assert_cmpuint (fake.n_looks, ==, 1);
  /* More: the model has to look again. */
  gtk_range_set_value (get_scale (window), 0.3);
  wait_until (says (window->pictures_page, "Class 3"));
  g_assert_cmpuint (fake.n_looks, ==, 2);
  g_assert_cmpfloat_with_epsilon (fake.look_threshold, 0.3, 1e-6);
  g_assert_false (says (window->pictures_page, "bird"));
  close_window (window);
}

/* ---- the list and the picture ---- */

static void
on_index (gpointer source, int index, int *out)
{
  *out = index;
}

static void
test_select (void)
{
  PterisWindow *window = open_found (NULL, "dog");
  int highlighted = -2;

  g_signal_connect (get_panel (window), "highlighted", G_CALLBACK (on_index), &highlighted);
  gtk_list_box_select_row (get_list (window), gtk_list_box_get_row_at_index (get_list (window), 1));
  g_assert_cmpint (highlighted, ==, 1);
  /* As a click on the picture does. */
  g_signal_emit_by_name (get_canvas (window), "clicked", 0);
  g_assert_cmpint (pteris_pictures_panel_get_selected (get_panel (window)), ==, 0);
  g_assert_cmpint (highlighted, ==, 0);
  g_signal_emit_by_name (get_canvas (window), "clicked", -1);
  g_assert_cmpint (pteris_pictures_panel_get_selected (get_panel (window)), ==, -1);
  g_assert_cmpint (highlighted, ==, -1);
  close_window (window);
}

static void
test_find_at (void)
{
  g_autoptr (PtLookResult) objects = NULL, lines = NULL, person = NULL;

  fake_reset ();
  objects = fake_look_result ("x.png", 0.1, NULL);
  fake.look = "writing";
  lines = fake_look_result ("x.png", 0, NULL);
  fake.look = "person";
  person = fake_look_result ("x.png", 0, NULL);
  /* The smaller one of two. */
  g_assert_cmpint (pteris_find_at (objects->pictures, objects->kind, 4, 160, 100), ==, 1);
  g_assert_cmpint (pteris_find_at (objects->pictures, objects->kind, 1, 160, 100), ==, 0);
  g_assert_cmpint (pteris_find_at (objects->pictures, objects->kind, 4, 310, 239), ==, -1);
  g_assert_cmpint (pteris_find_at (lines->pictures, lines->kind, 2, 30, 90), ==, 1);
  g_assert_cmpint (pteris_find_at (lines->pictures, lines->kind, 2, 30, 60), ==, -1);
  g_assert_cmpint (pteris_find_at (person->pictures, person->kind, 2, 160, 120), ==, 1);
  g_assert_cmpint (pteris_find_at (person->pictures, person->kind, 2, 10, 10), ==, -1);
  g_assert_cmpint (pteris_find_at (person->pictures, person->kind, 2, -1, 1e9), ==, -1);
}

static guint32
pixel_of (GdkTexture *texture, int x, int y)
{
  int width = gdk_texture_get_width (texture);
  g_autofree guint32 *pixels = g_new (guint32, width * gdk_texture_get_height (texture));

  gdk_texture_download (texture, (guchar *) pixels, (gsize) width * 4);
  return pixels[y * width + x];
}

static void
test_masks (void)
{
  g_autoptr (PtLookResult) objects = NULL, person = NULL;
  g_autoptr (PterisMasks) of_objects = NULL, of_person = NULL;
  graphene_rect_t rect;
  GdkTexture *texture;

  fake_reset ();
  fake.look = "instances";
  objects = fake_look_result ("x.png", 0.1, NULL);
  fake.look = "person";
  person = fake_look_result ("x.png", 0, NULL);
  of_objects = pteris_masks_new (objects->pictures);
  of_person = pteris_masks_new (person->pictures);
  texture = pteris_masks_get_object (of_objects, 0, &rect);
  g_assert_cmpint (gdk_texture_get_width (texture), ==, 50);
  g_assert_cmpfloat (rect.origin.x, ==, 40);
  g_assert_cmpfloat (rect.size.height, ==, 80);
  g_assert_cmpuint (pixel_of (texture, 10, 39), !=, 0);
  g_assert_cmpuint (pixel_of (texture, 10, 40), ==, 0);
  g_assert_null (pteris_masks_get_object (of_objects, 1, &rect));
  g_assert_null (pteris_masks_get_object (of_objects, 100, &rect));
  texture = pteris_masks_get_segments (of_person);
  g_assert_cmpuint (pixel_of (texture, 160, 120), !=, 0);
  g_assert_cmpuint (pixel_of (texture, 10, 10), ==, 0);
  g_assert_nonnull (pteris_masks_get_class (of_person, 1));
  g_assert_null (pteris_masks_get_class (of_person, 0));
}

static void
test_zoom (void)
{
  PterisWindow *window = open_found (NULL, "dog");
  PterisPictureCanvas *canvas = get_canvas (window);
  int before, after;

  g_assert_cmpfloat (pteris_picture_canvas_get_zoom (canvas), ==, 0);
  wait_until (gtk_widget_get_width (GTK_WIDGET (canvas)) > 0);
  act (window, "pictures.zoom-in");
  gtk_widget_measure (GTK_WIDGET (canvas), GTK_ORIENTATION_HORIZONTAL, -1, &before, NULL, NULL,
                      NULL);
  act (window, "pictures.zoom-in");
  gtk_widget_measure (GTK_WIDGET (canvas), GTK_ORIENTATION_HORIZONTAL, -1, &after, NULL, NULL,
                      NULL);
  g_assert_cmpint (after, >, before);
  act (window, "pictures.fit");
  g_assert_cmpfloat (pteris_picture_canvas_get_zoom (canvas), ==, 0);
  close_window (window);
}

/* ---- several pictures ---- */

static GtkAdjustment *
get_part (PterisWindow *window)
{
  return gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (
      gtk_widget_get_ancestor (GTK_WIDGET (get_canvas (window)), GTK_TYPE_VIEWPORT)));
}

/* The pixel of the picture at @x of the visible part, when it is as wide as that or wider. */
static double
get_pixel (PterisWindow *window, double x)
{
  return (gtk_adjustment_get_value (get_part (window)) + x) /
         pteris_picture_canvas_get_zoom (get_canvas (window));
}

static void
zoom_at (PterisWindow *window, gboolean in, double x)
{
  pteris_picture_canvas_zoom_at (get_canvas (window), in,
                                 gtk_adjustment_get_value (get_part (window)) + x, 0);
}

/* What the pointer is at stays there, and with the keyboard the middle. */
static void
test_zoom_place (void)
{
  PterisWindow *window = open_found (NULL, "dog");
  PterisPictureCanvas *canvas = get_canvas (window);
  double page, pixel;

  wait_until (gtk_widget_get_width (GTK_WIDGET (canvas)) > 0);
  for (guint i = 0; i < 12; i++)
    act (window, "pictures.zoom-in");
  settle (200);
  page = gtk_adjustment_get_page_size (get_part (window));
  g_assert_cmpfloat (WIDTH * pteris_picture_canvas_get_zoom (canvas), >, 2 * page);
  /* The middle of the picture is in the middle still. */
  g_assert_cmpfloat_with_epsilon (get_pixel (window, page / 2), WIDTH / 2, 1);
  pixel = get_pixel (window, 50);
  zoom_at (window, TRUE, 50);
  zoom_at (window, TRUE, 50);
  g_assert_cmpfloat_with_epsilon (get_pixel (window, 50), pixel, 1);
  settle (200);
  g_assert_cmpfloat_with_epsilon (get_pixel (window, 50), pixel, 1);
  zoom_at (window, FALSE, 50);
  settle (200);
  g_assert_cmpfloat_with_epsilon (get_pixel (window, 50), pixel, 1);
  /* The left edge does not leave the left one of the visible part. */
  gtk_adjustment_set_value (get_part (window), 0);
  zoom_at (window, FALSE, page);
  settle (200);
  g_assert_cmpfloat (gtk_adjustment_get_value (get_part (window)), ==, 0);
  close_window (window);
}

static void
test_several (void)
{
  g_autofree char *first = write_picture ("first.png");
  g_autofree char *second = write_picture ("second.png");
  g_autoptr (GFile) one = g_file_new_for_path (first), two = g_file_new_for_path (second);
  g_autoptr (GFile) text = g_file_new_for_path ("/tmp/notes.txt");
  GSList *files = g_slist_append (g_slist_append (g_slist_append (NULL, one), two), text);
  PterisWindow *window;

  fake_reset ();
  window = open_page (DETECTOR);
  pteris_window_open_files (window, files);
  wait_until (says (window->pictures_page, "cat"));
  g_assert_true (g_str_has_suffix (fake.look_path, "first.png"));
  act (window, "pictures.next");
  wait_until (fake.n_looks == 2 && says (window->pictures_page, "cat"));
  g_assert_true (g_str_has_suffix (fake.look_path, "second.png"));
  /* What was found is kept. */
  act (window, "pictures.previous");
  g_assert_true (says (window->pictures_page, "cat"));
  settle (50);
  g_assert_cmpuint (fake.n_looks, ==, 2);
  /* The same file again is no third picture. */
  open_path (window, second);
  settle (50);
  g_assert_cmpuint (fake.n_looks, ==, 2);
  act (window, "pictures.remove");
  act (window, "pictures.remove");
  wait_until (says (window->pictures_page, "What Is in a Picture?"));
  g_slist_free (files);
  close_window (window);
}

static void
test_paste (void)
{
  g_autofree char *path = write_picture ("grey.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_file (file, NULL);
  PterisWindow *window;

  fake_reset ();
  window = open_page (DETECTOR);
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (window)), texture);
  act (window, "pictures.paste");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_true (g_str_has_suffix (fake.look_path, "Pasted 1.png"));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (window)), "text");
  act (window, "pictures.paste");
  wait_until (says (window, "There is no picture on the clipboard."));
  close_window (window);
}

/* Pictures go to the page that is shown. */
static void
test_drop (void)
{
  g_autofree char *path = write_picture ("grey.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  PterisWindow *window;

  fake_reset ();
  window = open_page (DETECTOR);
  g_assert_true (_pteris_window_page_takes (window, file));
  pteris_window_show_page (window, "models");
  g_assert_false (_pteris_window_page_takes (window, file));
  /* The Pictures page opens what the page does not take. */
  open_path (window, path);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "pictures");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_cmpuint (fake.n_looks, ==, 1);
  close_window (window);
}

static void
test_no_model (void)
{
  g_autofree char *path = write_picture ("grey.png");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  pteris_window_show_page (window, "pictures");
  wait_until (says (window->pictures_page, "No Model for Pictures"));
  g_assert_false (_pteris_window_page_takes (window, file));
  /* A picture leads to the page that says what is missing. */
  pteris_window_show_page (window, "transcribe");
  open_path (window, path);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "pictures");
  g_assert_true (says (window->pictures_page, "No Model for Pictures"));
  close_window (window);
}

/* A model in whose use the program ended is used again when it is chosen. */
static void
test_held (void)
{
  PterisWindow *window;
  PterisModel *model;

  fake_reset ();
  fake.with_pictures = TRUE;
  window = open_window ();
  pteris_notes_set_held (DETECTOR, TRUE);
  pteris_notes_set_held (CLIP, TRUE);
  pteris_window_show_page (window, "pictures");
  pteris_library_rescan (window->library);
  wait_until (says (window->pictures_page, "was in use when Pteris quit unexpectedly"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.load-model", "^ay", DETECTOR);
  wait_until (says (window->pictures_page, "What Is in a Picture?"));
  model = pteris_library_find (window->library, DETECTOR);
  g_assert_false (pteris_model_is_held (model));
  pteris_notes_set_held (CLIP, FALSE);
  close_window (window);
}

/* Another model looks at the same picture. */
static void
test_other_model (void)
{
  PterisWindow *window = open_found (NULL, "dog");

  gtk_range_set_value (get_scale (window), 0.8);
  fake.look = "embedding";
  gtk_widget_activate_action (GTK_WIDGET (window), "win.use-model", "^ay", CLIP);
  wait_until (says (window->pictures_page, "512 numbers"));
  g_assert_cmpstr (fake.look_model, ==, CLIP);
  g_assert_cmpfloat (fake.look_threshold, ==, 0);
  close_window (window);
}

/* ---- errors ---- */

static void
test_stop (void)
{
  g_autofree char *path = write_picture ("grey.png");
  PterisWindow *window;

  fake_reset ();
  fake.hold = TRUE;
  window = open_page (DETECTOR);
  open_path (window, path);
  wait_until (shows_button (window, "_Stop"));
  g_assert_true (says (window->model_button, "Looking…"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.stop", NULL);
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  g_assert_false (shows_button (window, "_Stop"));
  fake.hold = FALSE;
  g_assert_true (shows_button (window, "_Look Again"));
  act (window, "pictures.look");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_false (shows_button (window, "_Look Again"));
  close_window (window);
}

static void
test_errors (void)
{
  g_autofree char *path = write_picture ("grey.png");
  g_autofree char *damaged = g_build_filename (g_get_user_data_dir (), "damaged.png", NULL);
  PterisWindow *window;

  fake_reset ();
  fake.answer_error = "“model.pte” holds native code.";
  fake.answer_code = PT_ERROR_UNTRUSTED;
  fake.digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  window = open_page (DETECTOR);
  open_path (window, path);
  wait_until (says (window->pictures_page, "holds native code."));
  g_assert_true (shows_button (window, "_Run"));
  act (window, "pictures.trust");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_false (says (window->pictures_page, "holds native code."));

  fake.answer_error = NULL;
  fake.look_error = "“grey.png” is damaged.";
  act (window, "pictures.look");
  wait_until (says (window->pictures_page, "is damaged."));
  g_assert_true (shows_button (window, "_Open Another Picture…"));

  /* What cannot be decoded is not shown to the model. */
  fake.look_error = NULL;
  g_assert_true (g_file_set_contents (damaged, "no picture", -1, NULL));
  fake.n_looks = 0;
  open_path (window, damaged);
  wait_until (says (window->pictures_page, "is not an image that Pteris can read."));
  g_assert_cmpuint (fake.n_looks, ==, 0);
  close_window (window);
}

/* A program for the CPU that the library does not have is added to it, and used. */
static void
test_alternative (void)
{
  g_autofree char *path = write_picture ("grey.png");
  PterisWindow *window;

  fake_reset ();
  fake.answer_error = "“model.pte” needs an NVIDIA GPU";
  fake.answer_code = PT_ERROR_MISSING_BACKEND;
  fake.alternative = "/models/rf-detr-cpu/model.pte";
  window = open_page (DETECTOR);
  open_path (window, path);
  wait_until (shows_button (window, "_Use CPU Version"));
  fake.answer_error = NULL;
  act (window, "pictures.use-alternative");
  wait_until (says (window->pictures_page, "cat"));
  g_assert_cmpstr (fake.look_model, ==, "/models/rf-detr-cpu/model.pte");
  g_assert_nonnull (pteris_library_find (window->library, fake.look_model));
  close_window (window);
}

/* ---- saving ---- */

static void
save (PterisWindow *window, const char *path, gboolean json)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  pteris_pictures_page_save (window->pictures_page, file, json);
}

static guint32
pixel_at (GdkPixbuf *pixbuf, int x, int y)
{
  const guint8 *pixel = gdk_pixbuf_read_pixels (pixbuf) + y * gdk_pixbuf_get_rowstride (pixbuf) +
                        x * gdk_pixbuf_get_n_channels (pixbuf);

  return (guint32) pixel[0] << 16 | (guint32) pixel[1] << 8 | pixel[2];
}

/* The file has what is shown: with a higher minimum score, only the first object. */
static void
test_save (void)
{
  g_autofree char *png = g_build_filename (g_get_user_data_dir (), "found.png", NULL);
  g_autofree char *json = g_build_filename (g_get_user_data_dir (), "found.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GdkPixbuf) saved = NULL;
  PterisWindow *window = open_found (NULL, "dog");

  gtk_range_set_value (get_scale (window), 0.8);
  save (window, png, FALSE);
  wait_until (says (window, "“found.png” saved"));
  saved = gdk_pixbuf_new_from_file (png, NULL);
  g_assert_cmpuint (pixel_at (saved, 200, 150), ==, pt_look_colour (0));
  g_assert_cmpuint (pixel_at (saved, 300, 150), ==, 0x808080);
  save (window, json, TRUE);
  wait_until (says (window, "“found.json” saved"));
  g_assert_true (g_file_get_contents (json, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"cat\""));
  g_assert_null (strstr (text, "\"dog\""));
  g_assert_nonnull (strstr (text, "\"threshold\":0.8"));
  close_window (window);
}

/* What cannot be written leaves the old file as it was, and says so in place. */
static void
test_save_fails (void)
{
  static const char OLD[] = "RIFF....WAVE";
  g_autofree char *recording = g_build_filename (g_get_user_data_dir (), "old.png", NULL);
  g_autofree char *other = write_picture ("other.png");
  g_autofree char *picture = g_build_filename (g_get_user_data_dir (), "grey.png", NULL);
  g_autofree char *text = NULL, *before = NULL, *after = NULL;
  gsize n_before, n_after;
  PterisWindow *window = open_found (NULL, "dog");

  /* No picture, whatever its name. */
  g_assert_true (g_file_set_contents (recording, OLD, -1, NULL));
  save (window, recording, FALSE);
  wait_until (says (window->pictures_page, "“old.png” could not be saved"));
  g_assert_true (shows_button (window, "_Save Elsewhere…"));
  g_assert_true (g_file_get_contents (recording, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, OLD);
  /* The picture itself is never replaced. */
  g_assert_true (g_file_get_contents (picture, &before, &n_before, NULL));
  save (window, picture, FALSE);
  wait_until (says (window->pictures_page, "“grey.png” could not be saved"));
  g_assert_true (g_file_get_contents (picture, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  g_clear_pointer (&before, g_free);
  g_clear_pointer (&after, g_free);
  /* The picture has gone. */
  g_assert_true (g_file_get_contents (other, &before, &n_before, NULL));
  g_assert_cmpint (g_unlink (picture), ==, 0);
  save (window, other, FALSE);
  wait_until (says (window->pictures_page, "“other.png” could not be saved"));
  g_assert_true (g_file_get_contents (other, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  close_window (window);
}

#ifndef G_OS_WIN32

/* A full disk. */
static void
test_save_full (void)
{
  g_autofree char *kept = write_picture ("kept.png");
  g_autofree char *before = NULL, *after = NULL;
  gsize n_before, n_after;
  PterisWindow *window = open_found (NULL, "dog");

  g_assert_true (g_file_get_contents (kept, &before, &n_before, NULL));
  limit_files (256);
  save (window, kept, FALSE);
  wait_until (says (window->pictures_page, "“kept.png” could not be saved"));
  limit_files (0);
  g_assert_true (g_file_get_contents (kept, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  close_window (window);
}

#endif

/* ---- size ---- */

static void
test_narrow (void)
{
  PterisWindow *window = open_found ("writing", "Good morning");
  int least;

  gtk_widget_measure (GTK_WIDGET (window->pictures_page), GTK_ORIENTATION_HORIZONTAL, -1, &least,
                      NULL, NULL, NULL);
  g_assert_cmpint (least, <=, 360);
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/pictures/objects", test_objects);
  g_test_add_func ("/pictures/header", test_header);
  g_test_add_func ("/pictures/kept", test_kept);
  g_test_add_func ("/pictures/load-error", test_load_error);
  g_test_add_func ("/pictures/classes", test_classes);
  g_test_add_func ("/pictures/person", test_person);
  g_test_add_func ("/pictures/writing", test_writing);
  g_test_add_func ("/pictures/style", test_style);
  g_test_add_func ("/pictures/texts", test_texts);
  g_test_add_func ("/pictures/least", test_least);
  g_test_add_func ("/pictures/select", test_select);
  g_test_add_func ("/pictures/find-at", test_find_at);
  g_test_add_func ("/pictures/masks", test_masks);
  g_test_add_func ("/pictures/zoom", test_zoom);
  g_test_add_func ("/pictures/zoom-place", test_zoom_place);
  g_test_add_func ("/pictures/several", test_several);
  g_test_add_func ("/pictures/paste", test_paste);
  g_test_add_func ("/pictures/drop", test_drop);
  g_test_add_func ("/pictures/no-model", test_no_model);
  g_test_add_func ("/pictures/held", test_held);
  g_test_add_func ("/pictures/other-model", test_other_model);
  g_test_add_func ("/pictures/stop", test_stop);
  g_test_add_func ("/pictures/errors", test_errors);
  g_test_add_func ("/pictures/alternative", test_alternative);
  g_test_add_func ("/pictures/save", test_save);
  g_test_add_func ("/pictures/save-fails", test_save_fails);
#ifndef G_OS_WIN32
  g_test_add_func ("/pictures/save-full", test_save_full);
#endif
  g_test_add_func ("/pictures/narrow", test_narrow);
  return end_window_tests ();
}
