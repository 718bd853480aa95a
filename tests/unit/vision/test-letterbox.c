/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/vision/letterbox.h"

/* Pictures are letterboxed as a reference in Python does it (tests/data/vision): means of areas in
 * double precision, which OpenCV computes in single precision or in 11 bits. */

static PtImage *
read_picture (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "vision", name, NULL);
  g_autoptr (GError) error = NULL;
  PtImage *image = pt_image_read (path, NULL, NULL, &error);

  g_assert_no_error (error);
  return image;
}

/* The number of values that differ, none by more than @most. */
static guint
count_others (const PtImage *got, const PtImage *want, int most)
{
  guint n = 0;

  g_assert_cmpuint (got->width, ==, want->width);
  g_assert_cmpuint (got->height, ==, want->height);
  for (gsize i = 0; i < (gsize) 3 * want->width * want->height; i++) {
    g_assert_cmpint (ABS ((int) got->pixels[i] - want->pixels[i]), <=, most);
    n += got->pixels[i] != want->pixels[i];
  }
  return n;
}

static void
test_reference (void)
{
  static const struct {
    const char *name;
    guint width, height, percent; /* of values that may differ by 1 */
  } CASES[] = {
    { "letterbox-64x64.bmp", 64, 64, 1 },
    { "letterbox-40x72.bmp", 40, 72, 1 },
    { "letterbox-75x60.bmp", 75, 60, 1 },
    { "letterbox-200x180.bmp", 200, 180, 10 }, /* weights of 11 bits */
  };
  g_autoptr (PtImage) picture = read_picture ("letterbox.bmp");

  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtImage) want = read_picture (CASES[i].name);
    g_autoptr (PtImage) got = pt_image_letterbox (picture, CASES[i].width, CASES[i].height, &error);
    guint others;

    g_assert_no_error (error);
    others = count_others (got, want, 1);
    g_test_message ("%s: %u values differ by 1", CASES[i].name, others);
    g_assert_cmpuint (others, <=, 3 * want->width * want->height * CASES[i].percent / 100);
  }
}

/* The picture is in the middle, and the rest has the mean of the corners, rounded down. */
static void
test_border (void)
{
  g_autoptr (PtImage) picture = pt_image_new (4, 2, NULL);
  g_autoptr (PtImage) got = NULL;

  memset (picture->pixels, 10, 24);
  picture->pixels[0] = 13; /* red: (13 + 10 + 10 + 10) / 4 = 10.75 */
  got = pt_image_letterbox (picture, 4, 5, NULL);
  g_assert_cmpuint (got->pixels[0], ==, 10);
  g_assert_cmpuint (got->pixels[1 * 12], ==, 13);
  g_assert_cmpuint (got->pixels[3 * 12], ==, 10);
}

/* Whole numbers of pixels; OpenCV rounds the mean of four up. */
static void
test_blocks (void)
{
  g_autoptr (PtImage) picture = pt_image_new (2, 2, NULL);
  g_autoptr (PtImage) got = NULL;

  memset (picture->pixels, 0, 12);
  picture->pixels[0] = 2; /* 2 / 4 = 0.5 */
  got = pt_image_resize_area (picture, 1, 1, NULL);
  g_assert_cmpuint (got->pixels[0], ==, 1);
  g_assert_cmpuint (got->pixels[1], ==, 0);
}

/* Sizes that leave one pixel, and none. */
static void
test_extremes (void)
{
  g_autoptr (PtImage) line = pt_image_new (1000, 1, NULL), dot = pt_image_new (1, 1, NULL);
  g_autoptr (PtImage) small = pt_image_letterbox (line, 16, 16, NULL);
  g_autoptr (PtImage) large = pt_image_letterbox (dot, 33, 17, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (small);
  g_assert_nonnull (large);
  g_assert_null (pt_image_resize_area (dot, 0, 4, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

static void
test_planes (void)
{
  g_autoptr (PtImage) picture = read_picture ("letterbox-64x64.bmp");
  g_autofree float *planes = g_new (float, 3 * 64 * 64);

  pt_image_to_raw_planes (picture, planes);
  for (guint i = 0; i < 64 * 64; i++)
    for (guint c = 0; c < 3; c++)
      g_assert_cmpfloat (planes[c * 64 * 64 + i], ==, picture->pixels[3 * i + c]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/letterbox/reference", test_reference);
  g_test_add_func ("/letterbox/border", test_border);
  g_test_add_func ("/letterbox/blocks", test_blocks);
  g_test_add_func ("/letterbox/extremes", test_extremes);
  g_test_add_func ("/letterbox/planes", test_planes);
  return g_test_run ();
}
