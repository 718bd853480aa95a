/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/resize.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define CHANNELS 3
/* Weights are fixed-point numbers with this many fractional bits: 8 bits of a pixel and 2 for sums
   that overshoot fit beside them. */
#define PRECISION (32 - 8 - 2)

/* The source pixels and weights of each pixel of the result. */
typedef struct {
  guint n;         /* pixels of the result */
  guint most;      /* weights kept for each */
  guint *first;    /* number of source pixels */
  guint *count;    /* how many */
  gint32 *weights; /* @most for each */
} Weights;

/* ---- filters ---- */

static double
bilinear (double x)
{
  x = fabs (x);
  return x < 1 ? 1 - x : 0;
}

static double
bicubic (double x)
{
  const double a = -0.5;

  x = fabs (x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static gint32
to_fixed (double weight)
{
  return (gint32) (weight * (1 << PRECISION) + (weight < 0 ? -0.5 : 0.5));
}

static void
weights_clear (Weights *self)
{
  g_free (self->first);
  g_free (self->count);
  g_free (self->weights);
}

/* Normalises the weights of a pixel to a sum of 1. */
static void
fill_weights (Weights *self, guint i, guint source, double scale, double support,
              double (*filter) (double), double *scratch)
{
  double center = (i + 0.5) * scale, stretch = MAX (scale, 1), sum = 0;
  guint first = (guint) MAX ((int) (center - support + 0.5), 0);
  guint end = (guint) MIN ((int) (center + support + 0.5), (int) source);

  for (guint k = 0; k < end - first; k++) {
    scratch[k] = filter ((k + first - center + 0.5) / stretch);
    sum += scratch[k];
  }
  for (guint k = 0; k < end - first; k++)
    self->weights[(gsize) i * self->most + k] = to_fixed (sum != 0 ? scratch[k] / sum : scratch[k]);
  self->first[i] = first;
  self->count[i] = end - first;
}

static gboolean
weights_init (Weights *self, guint source, guint n, PtFilter filter, GError **error)
{
  double scale = (double) source / n;
  double support = (filter == PT_FILTER_BILINEAR ? 1 : 2) * MAX (scale, 1);
  g_autofree double *scratch = NULL;

  *self = (Weights){ .n = n, .most = (guint) ceil (support) * 2 + 1 };
  scratch = pt_allocate (self->most, sizeof (double), error);
  if (scratch == NULL)
    return FALSE;
  self->first = pt_allocate (n, sizeof (guint), error);
  if (self->first != NULL)
    self->count = pt_allocate (n, sizeof (guint), error);
  if (self->count != NULL)
    self->weights = pt_allocate ((gsize) n * self->most, sizeof (gint32), error);
  if (self->weights == NULL) {
    weights_clear (self);
    return FALSE;
  }
  for (guint i = 0; i < n; i++)
    fill_weights (self, i, source, scale, support,
                  filter == PT_FILTER_BILINEAR ? bilinear : bicubic, scratch);
  return TRUE;
}

/* ---- the two passes ---- */

static guint8
to_pixel (gint32 sum)
{
  return (guint8) CLAMP (sum >> PRECISION, 0, 255);
}

/* @step: bytes between the source pixels of a sum. */
static void
mix (guint8 *to, const guint8 *from, gsize step, const gint32 *weights, guint n)
{
  gint32 sums[CHANNELS] = { 1 << (PRECISION - 1), 1 << (PRECISION - 1), 1 << (PRECISION - 1) };

  for (guint k = 0; k < n; k++, from += step)
    for (guint c = 0; c < CHANNELS; c++)
      sums[c] += from[c] * weights[k];
  for (guint c = 0; c < CHANNELS; c++)
    to[c] = to_pixel (sums[c]);
}

static PtImage *
resize_rows (const PtImage *image, guint width, PtFilter filter, GError **error)
{
  PtImage *out = pt_image_new (width, image->height, error);
  Weights weights;

  if (out == NULL || !weights_init (&weights, image->width, width, filter, error)) {
    pt_image_free (out);
    return NULL;
  }
  for (guint y = 0; y < image->height; y++) {
    const guint8 *from = image->pixels + (gsize) y * image->width * CHANNELS;
    guint8 *to = out->pixels + (gsize) y * width * CHANNELS;

    for (guint x = 0; x < width; x++)
      mix (to + (gsize) x * CHANNELS, from + (gsize) weights.first[x] * CHANNELS, CHANNELS,
           weights.weights + (gsize) x * weights.most, weights.count[x]);
  }
  weights_clear (&weights);
  return out;
}

static PtImage *
resize_columns (const PtImage *image, guint height, PtFilter filter, GError **error)
{
  PtImage *out = pt_image_new (image->width, height, error);
  gsize row = (gsize) image->width * CHANNELS;
  Weights weights;

  if (out == NULL || !weights_init (&weights, image->height, height, filter, error)) {
    pt_image_free (out);
    return NULL;
  }
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < image->width; x++)
      mix (out->pixels + y * row + (gsize) x * CHANNELS,
           image->pixels + weights.first[y] * row + (gsize) x * CHANNELS, row,
           weights.weights + (gsize) y * weights.most, weights.count[y]);
  weights_clear (&weights);
  return out;
}

static PtImage *
copy (const PtImage *image, GError **error)
{
  PtImage *out = pt_image_new (image->width, image->height, error);

  if (out != NULL)
    memcpy (out->pixels, image->pixels, (gsize) image->width * image->height * CHANNELS);
  return out;
}

/* Pixels are rounded between the passes; a pass that keeps the size is skipped. */
PtImage *
pt_image_resize (const PtImage *image, guint width, guint height, PtFilter filter, GError **error)
{
  g_autoptr (PtImage) rows = NULL;

  if (width == 0 || height == 0) {
    pt_fail (error, PT_ERROR_ARGUMENT, "An image must have pixels.");
    return NULL;
  }
  if (width == image->width)
    return height == image->height ? copy (image, error)
                                   : resize_columns (image, height, filter, error);
  rows = resize_rows (image, width, filter, error);
  if (rows == NULL || height == image->height)
    return g_steal_pointer (&rows);
  return resize_columns (rows, height, filter, error);
}

PtImage *
pt_image_resize_shorter (const PtImage *image, guint side, PtFilter filter, GError **error)
{
  guint shorter = MIN (image->width, image->height), longer = MAX (image->width, image->height);
  guint64 other = (guint64) side * longer / shorter;

  if (other > G_MAXINT) {
    pt_fail (error, PT_ERROR_MEMORY, "The image is too long and narrow.");
    return NULL;
  }
  return image->width <= image->height
             ? pt_image_resize (image, side, (guint) other, filter, error)
             : pt_image_resize (image, (guint) other, side, filter, error);
}

/* ---- the middle, and planes ---- */

/* Half of the difference, rounded half to even like Python's round(). */
static int
margin (guint whole, guint part)
{
  return (int) rint (((double) whole - part) / 2);
}

/* If the picture is too small, the smaller half of the padding comes first. */
static int
offset_of (guint whole, guint part)
{
  return whole < part ? -(int) ((part - whole) / 2) : margin (whole, part);
}

PtImage *
pt_image_crop_center (const PtImage *image, guint width, guint height, GError **error)
{
  PtImage *out = pt_image_new (width, height, error);
  int left = offset_of (image->width, width), top = offset_of (image->height, height);
  guint from_x = (guint) MAX (left, 0), to_x = (guint) MAX (-left, 0);
  guint from_y = (guint) MAX (top, 0), to_y = (guint) MAX (-top, 0);
  guint n = MIN (width, image->width), rows = MIN (height, image->height);

  for (guint y = 0; out != NULL && y < rows; y++)
    memcpy (out->pixels + ((gsize) (y + to_y) * width + to_x) * CHANNELS,
            image->pixels + ((gsize) (y + from_y) * image->width + from_x) * CHANNELS,
            (gsize) n * CHANNELS);
  return out;
}

void
pt_image_to_planes (const PtImage *image, const float mean[3], const float deviation[3], float *out)
{
  gsize n = (gsize) image->width * image->height;

  for (guint c = 0; c < CHANNELS; c++)
    for (gsize i = 0; i < n; i++)
      out[c * n + i] = ((float) image->pixels[i * CHANNELS + c] / 255.0f - mean[c]) / deviation[c];
}
