/* SPDX-License-Identifier: BSD-3-Clause */

/* Looking at a picture with a real program, and saving it. */

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <pteris/vision.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

#define FINDINGS "Findings > "

static char *
data_path (const char *name)
{
  return g_build_filename (g_getenv ("HANDS_DATA"), "data", "vision", "look", name, NULL);
}

static guint32
pixel_at (GdkPixbuf *pixbuf, int x, int y)
{
  const guint8 *pixel = gdk_pixbuf_read_pixels (pixbuf) + y * gdk_pixbuf_get_rowstride (pixbuf) +
                        x * gdk_pixbuf_get_n_channels (pixbuf);

  return (guint32) pixel[0] << 16 | (guint32) pixel[1] << 8 | pixel[2];
}

static void
open_picture (void)
{
  g_autofree char *models = data_path (""), *picture = data_path ("picture.png");

  hands_start_with (models);
  hands_skip_welcome ();
  hands_key ("ctrl+7");
  hands_click (MODEL_MENU);
  hands_click (MENU_MODELS "label:detector");
  hands_expect ("button:Model: detector, Object detection");
  hands_click ("button:Open Pictures…");
  hands_expect ("window:Open Pictures");
  hands_type (picture);
  hands_key ("Return");
  hands_expect_gone ("window:Open Pictures");
  hands_expect (FINDINGS "label:bicycle");
}

/* The picture on the screen, in the list and in the file have the same boxes. */
static void
test_boxes (void)
{
  g_autofree char *path = NULL;
  g_autoptr (GdkPixbuf) saved = NULL;
  GError *error = NULL;

  open_picture ();
  hands_expect ("label:6 found in *");
  hands_picture ("found");
  hands_click (FINDINGS "label:bicycle");
  hands_picture ("selected");
  hands_click ("button:Save");
  hands_click ("menu:Save Picture…");
  hands_expect ("window:Save Picture");
  path = g_build_filename (hands_home (), "found.png", NULL);
  hands_key ("ctrl+a");
  hands_type (path);
  hands_key ("Return");
  hands_expect ("“found.png” saved");
  hands_picture ("saved");
  saved = gdk_pixbuf_new_from_file (path, &error);
  g_assert_no_error (error);
  /* The upper side of the first box, and a place without any. */
  hands_assert (pixel_at (saved, 158, 33) == pt_look_colour (0));
  hands_assert (pixel_at (saved, 20, 140) != pt_look_colour (0));
}

/* With the keyboard alone: a higher minimum score leaves fewer findings. */
static void
test_keys (void)
{
  open_picture ();
  hands_click ("slider:Minimum score");
  hands_key ("End");
  hands_expect_gone (FINDINGS "label:bicycle");
  hands_expect ("label:4 found in *");
  hands_picture ("fewer");
  hands_key ("Home");
  hands_expect (FINDINGS "label:bicycle");
  hands_picture ("more");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/pictures/boxes", test_boxes);
  hands_add ("/pictures/keys", test_keys);
  return g_test_run ();
}
