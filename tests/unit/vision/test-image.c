/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/vision.h>

#include <glib/gstdio.h>

static char *
data_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "vision", name, NULL);
}

static void
assert_pixel (const PtImage *image, guint x, guint y, int red, int green, int blue, int within)
{
  const guint8 *pixel = image->pixels + 3 * ((gsize) y * image->width + x);

  g_assert_cmpint (ABS (pixel[0] - red), <=, within);
  g_assert_cmpint (ABS (pixel[1] - green), <=, within);
  g_assert_cmpint (ABS (pixel[2] - blue), <=, within);
}

/* Red, half of red and nothing, from left to right. */
static void
test_transparent (void)
{
  g_autofree char *path = data_file ("transparent.png");
  g_autoptr (PtImage) image = pt_image_read (path, NULL, NULL, NULL);

  g_assert_cmpuint (image->width, ==, 3);
  assert_pixel (image, 0, 0, 255, 0, 0, 0);
  assert_pixel (image, 1, 0, 255, 127, 127, 0);
  assert_pixel (image, 2, 0, 255, 255, 255, 0);
}

static void
test_grey (void)
{
  g_autofree char *path = data_file ("grey.png");
  g_autoptr (PtImage) image = pt_image_read (path, NULL, NULL, NULL);

  assert_pixel (image, 0, 0, 0, 0, 0, 0);
  assert_pixel (image, 1, 1, 200, 200, 200, 0);
}

/* Stored lying on its side, 16 x 32 with red at the left; upright red is on top. */
static void
test_orientation (void)
{
  g_autofree char *path = data_file ("rotated.jpg");
  g_autoptr (PtImage) image = pt_image_read (path, NULL, NULL, NULL);

  g_assert_cmpuint (image->width, ==, 16);
  g_assert_cmpuint (image->height, ==, 32);
  assert_pixel (image, 8, 4, 255, 0, 0, 12);
  assert_pixel (image, 8, 28, 0, 0, 255, 12);
}

/* Frames that lie within the picture, row by row and interlaced. */
static void
test_gif (void)
{
  static const char *const PAIRS[][2] = { { "transparent.gif", "over-white.png" },
                                          { "interlaced.gif", "interlaced.png" } };

  for (guint i = 0; i < G_N_ELEMENTS (PAIRS); i++) {
    g_autofree char *gif = data_file (PAIRS[i][0]);
    g_autofree char *png = data_file (PAIRS[i][1]);
    g_autoptr (PtImage) image = pt_image_read (gif, NULL, NULL, NULL);
    g_autoptr (PtImage) wanted = pt_image_read (png, NULL, NULL, NULL);

    g_assert_cmpmem (image->pixels, 3 * (gsize) image->width * image->height, wanted->pixels,
                     3 * (gsize) wanted->width * wanted->height);
    g_assert_cmpuint (image->width, ==, wanted->width);
  }
}

/* Every decoder checks for cancellation. */
static void
test_stopped (void)
{
  static const char *const NAMES[] = { "picture.png", "rotated.jpg", "interlaced.gif" };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = data_file (NAMES[i]);
    g_autoptr (GError) error = NULL;
    PtImageFault fault;

    g_assert_null (pt_image_read (path, cancellable, &fault, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
    g_assert_cmpint (fault, ==, PT_IMAGE_FAULT_STOPPED);
  }
}

static void
refuse (const char *path, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_image_read (path, NULL, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_refused (void)
{
  static const char SVG[] = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.png", NULL);
  g_autofree char *whole = data_file ("picture.png");
  g_autofree char *content = NULL;
  gsize length;

  refuse (folder, "not a file");
  refuse (path, "cannot be read");
  g_assert_true (g_file_set_contents (path, SVG, -1, NULL));
  refuse (path, "PNG or JPEG");
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  refuse (path, "PNG or JPEG");
  g_assert_true (g_file_get_contents (whole, &content, &length, NULL));
  g_assert_true (g_file_set_contents (path, content, 60, NULL));
  refuse (path, "damaged");
  /* A width and a height of 2^20. */
  memcpy (content + 16, "\0\x10\0\0\0\x10\0\0", 8);
  g_assert_true (g_file_set_contents (path, content, (gssize) length, NULL));
  g_assert_null (pt_image_read (path, NULL, NULL, NULL));
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vision/transparent", test_transparent);
  g_test_add_func ("/vision/grey", test_grey);
  g_test_add_func ("/vision/orientation", test_orientation);
  g_test_add_func ("/vision/gif", test_gif);
  g_test_add_func ("/vision/stopped", test_stopped);
  g_test_add_func ("/vision/refused", test_refused);
  return g_test_run ();
}
