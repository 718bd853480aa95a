/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/vision/resize.h"

/* Pictures as Pillow and torchvision make them of the same one (tests/data/vision). */

static PtImage *
read_picture (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "vision", name, NULL);
  g_autoptr (GError) error = NULL;
  PtImage *image = pt_image_read (path, NULL, NULL, &error);

  g_assert_no_error (error);
  return image;
}

static void
assert_same (const PtImage *got, const char *name)
{
  g_autoptr (PtImage) want = read_picture (name);

  g_assert_cmpuint (got->width, ==, want->width);
  g_assert_cmpuint (got->height, ==, want->height);
  g_assert_cmpmem (got->pixels, 3 * got->width * got->height, want->pixels,
                   3 * want->width * want->height);
}

static void
test_resize (void)
{
  static const struct {
    const char *name;
    PtFilter filter;
    guint width, height;
  } CASES[] = {
    { "bilinear-24x24.png", PT_FILTER_BILINEAR, 24, 24 },
    { "bilinear-100x90.png", PT_FILTER_BILINEAR, 100, 90 },
    { "bilinear-61x20.png", PT_FILTER_BILINEAR, 61, 20 },
    { "bicubic-20x33.png", PT_FILTER_BICUBIC, 20, 33 },
    { "bicubic-96x48.png", PT_FILTER_BICUBIC, 96, 48 },
    { "bicubic-3x43.png", PT_FILTER_BICUBIC, 3, 43 },
  };
  g_autoptr (PtImage) picture = read_picture ("picture.png");

  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtImage) got =
        pt_image_resize (picture, CASES[i].width, CASES[i].height, CASES[i].filter, &error);

    g_assert_no_error (error);
    assert_same (got, CASES[i].name);
  }
}

static void
test_same_size (void)
{
  g_autoptr (PtImage) picture = read_picture ("picture.png");
  g_autoptr (PtImage) got = pt_image_resize (picture, 61, 43, PT_FILTER_BICUBIC, NULL);

  assert_same (got, "picture.png");
}

/* torchvision.transforms.v2: Resize(29), CenterCrop(24); and a crop that is larger. */
static void
test_crop (void)
{
  g_autoptr (PtImage) picture = read_picture ("picture.png");
  g_autoptr (PtImage) smaller = pt_image_resize_shorter (picture, 29, PT_FILTER_BILINEAR, NULL);
  g_autoptr (PtImage) crop = pt_image_crop_center (smaller, 24, 24, NULL);
  g_autoptr (PtImage) wide = pt_image_crop_center (picture, 70, 30, NULL);

  assert_same (crop, "resize-29-crop-24.png");
  assert_same (wide, "crop-70x30.png");
}

static void
test_planes (void)
{
  static const float MEAN[3] = { 0.485f, 0.456f, 0.406f },
                     DEVIATION[3] = { 0.229f, 0.224f, 0.225f };
  guint8 pixels[6] = { 0, 128, 255, 10, 20, 30 };
  PtImage image = { 2, 1, pixels };
  float planes[6];

  pt_image_to_planes (&image, MEAN, DEVIATION, planes);
  for (guint c = 0; c < 3; c++)
    for (guint i = 0; i < 2; i++)
      g_assert_cmpfloat_with_epsilon (planes[2 * c + i],
                                      (pixels[3 * i + c] / 255.0f - MEAN[c]) / DEVIATION[c], 1e-6f);
}

static void
test_limits (void)
{
  guint8 pixels[3] = { 1, 2, 3 };
  PtImage dot = { 1, 1, pixels };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtImage) large = pt_image_resize (&dot, 200, 100, PT_FILTER_BICUBIC, NULL);

  g_assert_nonnull (large);
  g_assert_cmpmem (large->pixels + 3 * 19999, 3, pixels, 3);
  g_assert_null (pt_image_resize (&dot, 0, 5, PT_FILTER_BILINEAR, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (pt_image_resize (&dot, 100000, 100000, PT_FILTER_BILINEAR, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vision/resize", test_resize);
  g_test_add_func ("/vision/same-size", test_same_size);
  g_test_add_func ("/vision/crop", test_crop);
  g_test_add_func ("/vision/planes", test_planes);
  g_test_add_func ("/vision/limits", test_limits);
  return g_test_run ();
}
