/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/letterbox.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define CHANNELS 3
/* Fractional bits of the weights of the linear filter. */
#define BITS 11
/* Parts of a source pixel up to this are left out. */
#define LEAST_PART 1e-3
/* Corners are squares of this part of the shorter side. */
#define CORNERS 30

/* ---- means of areas ---- */

/* A source pixel and its weight in pixel @to of the result. */
typedef struct {
  guint from, to;
  float weight;
} Part;

/* The source pixels of each of @n pixels of the result, in order. */
static Part *
find_parts (guint source, guint n, guint *count, GError **error)
{
  double scale = 1.0 / ((double) n / source);
  Part *parts = pt_allocate ((gsize) source * 2 + n, sizeof (Part), error);
  guint k = 0;

  for (guint i = 0; parts != NULL && i < n; i++) {
    double begin = i * scale, end = begin + scale, width = MIN (scale, source - begin);
    guint last = MIN ((guint) floor (end), source - 1);
    guint first = MIN ((guint) ceil (begin), last);

    if (first - begin > LEAST_PART)
      parts[k++] = (Part){ first - 1, i, (float) ((first - begin) / width) };
    for (guint s = first; s < last; s++)
      parts[k++] = (Part){ s, i, (float) (1.0 / width) };
    if (end - last > LEAST_PART)
      parts[k++] = (Part){ last, i, (float) (MIN (MIN (end - last, 1.0), width) / width) };
  }
  *count = k;
  return parts;
}

static guint8
round_pixel (float value)
{
  return (guint8) CLAMP (rintf (value), 0, 255);
}

/* Sums a row of source pixels, weighted, into the pixels of the result. */
static void
sum_row (const guint8 *row, const Part *parts, guint n, gsize length, float *sums)
{
  memset (sums, 0, length * sizeof (float));
  for (guint k = 0; k < n; k++)
    for (guint c = 0; c < CHANNELS; c++)
      sums[(gsize) parts[k].to * CHANNELS + c] +=
          row[(gsize) parts[k].from * CHANNELS + c] * parts[k].weight;
}

static gboolean
average (const PtImage *image, PtImage *out, GError **error)
{
  guint n_columns = 0, n_rows = 0;
  gsize length = (gsize) out->width * CHANNELS;
  g_autofree Part *columns = find_parts (image->width, out->width, &n_columns, error);
  g_autofree Part *rows =
      columns != NULL ? find_parts (image->height, out->height, &n_rows, error) : NULL;
  g_autofree float *sums = rows != NULL ? pt_allocate (2 * length, sizeof (float), error) : NULL;
  float *total = sums + length;

  if (sums == NULL)
    return FALSE;
  for (guint k = 0; k < n_rows; k++) {
    gboolean begins = k == 0 || rows[k].to != rows[k - 1].to;

    sum_row (image->pixels + (gsize) rows[k].from * image->width * CHANNELS, columns, n_columns,
             length, sums);
    for (gsize i = 0; i < length; i++)
      total[i] = begins ? rows[k].weight * sums[i] : total[i] + rows[k].weight * sums[i];
    if (k + 1 == n_rows || rows[k + 1].to != rows[k].to)
      for (gsize i = 0; i < length; i++)
        out->pixels[rows[k].to * length + i] = round_pixel (total[i]);
  }
  return TRUE;
}

/* Whole numbers of source pixels in each direction. */
static void
average_blocks (const PtImage *image, PtImage *out, guint across, guint down)
{
  float scale = 1.0f / (float) (across * down);

  for (guint y = 0; y < out->height; y++)
    for (guint x = 0; x < out->width * CHANNELS; x++) {
      guint first = x / CHANNELS * across * CHANNELS + x % CHANNELS, sum = 0;

      for (guint i = 0; i < down; i++)
        for (guint k = 0; k < across; k++)
          sum += image->pixels[((gsize) y * down + i) * image->width * CHANNELS + first +
                               (gsize) k * CHANNELS];
      out->pixels[(gsize) y * out->width * CHANNELS + x] =
          across == 2 && down == 2 ? (guint8) ((sum + 2) >> 2) : round_pixel ((float) sum * scale);
    }
}

/* ---- the linear filter ---- */

/* Two neighbouring source pixels and their weights. */
typedef struct {
  guint first, second;
  gint32 weights[2];
} Pair;

static Pair *
find_pairs (guint source, guint n, GError **error)
{
  double inverse = (double) n / source, scale = 1.0 / inverse;
  Pair *pairs = pt_allocate (n, sizeof (Pair), error);

  for (guint i = 0; pairs != NULL && i < n; i++) {
    guint first = MIN ((guint) floor (i * scale), source - 1);
    float part = (float) ((i + 1) - (first + 1) * inverse);

    part = part <= 0 || first + 1 >= source ? 0 : part - floorf (part);
    pairs[i] = (Pair){ first,
                       MIN (first + 1, source - 1),
                       { (gint32) rintf ((1 - part) * (1 << BITS)),
                         (gint32) rintf (part * (1 << BITS)) } };
  }
  return pairs;
}

static gint32
mix (const guint8 *row, const Pair *pair, guint c)
{
  return row[(gsize) pair->first * CHANNELS + c] * pair->weights[0] +
         row[(gsize) pair->second * CHANNELS + c] * pair->weights[1];
}

static gboolean
interpolate (const PtImage *image, PtImage *out, GError **error)
{
  g_autofree Pair *columns = find_pairs (image->width, out->width, error);
  g_autofree Pair *rows = columns != NULL ? find_pairs (image->height, out->height, error) : NULL;

  if (rows == NULL)
    return FALSE;
  for (guint y = 0; y < out->height; y++) {
    const guint8 *first = image->pixels + (gsize) rows[y].first * image->width * CHANNELS;
    const guint8 *second = image->pixels + (gsize) rows[y].second * image->width * CHANNELS;
    guint8 *to = out->pixels + (gsize) y * out->width * CHANNELS;

    for (guint x = 0; x < out->width; x++)
      for (guint c = 0; c < CHANNELS; c++) {
        gint32 above = (rows[y].weights[0] * (mix (first, &columns[x], c) >> 4)) >> 16;
        gint32 below = (rows[y].weights[1] * (mix (second, &columns[x], c) >> 4)) >> 16;

        to[(gsize) x * CHANNELS + c] = (guint8) CLAMP ((above + below + 2) >> 2, 0, 255);
      }
  }
  return TRUE;
}

PtImage *
pt_image_resize_area (const PtImage *image, guint width, guint height, GError **error)
{
  g_autoptr (PtImage) out = NULL;
  gboolean ok = TRUE;

  if (width == 0 || height == 0) {
    pt_fail (error, PT_ERROR_ARGUMENT, "An image must have pixels.");
    return NULL;
  }
  out = pt_image_new (width, height, error);
  if (out == NULL)
    return NULL;
  if (width == image->width && height == image->height)
    memcpy (out->pixels, image->pixels, (gsize) width * height * CHANNELS);
  else if (width > image->width || height > image->height)
    ok = interpolate (image, out, error);
  else if (image->width % width == 0 && image->height % height == 0)
    average_blocks (image, out, image->width / width, image->height / height);
  else
    ok = average (image, out, error);
  return ok ? g_steal_pointer (&out) : NULL;
}

/* ---- letterboxing ---- */

/* Sums colour @c of a square of @side pixels. */
static guint64
sum_square (const PtImage *image, guint left, guint top, guint side, guint c)
{
  guint64 sum = 0;

  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++)
      sum += image->pixels[((gsize) (top + y) * image->width + left + x) * CHANNELS + c];
  return sum;
}

static void
find_background (const PtImage *image, guint8 colour[CHANNELS])
{
  guint side = MAX (MIN (image->width, image->height) / CORNERS, 1);
  guint right = image->width - side, bottom = image->height - side;

  for (guint c = 0; c < CHANNELS; c++) {
    guint64 sum = sum_square (image, 0, 0, side, c) + sum_square (image, right, 0, side, c) +
                  sum_square (image, 0, bottom, side, c) +
                  sum_square (image, right, bottom, side, c);

    colour[c] = (guint8) (sum / (4 * (guint64) side * side));
  }
}

PtImage *
pt_image_letterbox (const PtImage *image, guint width, guint height, GError **error)
{
  float down = (float) height / (float) image->height,
        across = (float) width / (float) image->width;
  float ratio = MIN (down, across);
  guint inner_width = CLAMP ((guint) ((float) image->width * ratio), 1, width);
  guint inner_height = CLAMP ((guint) ((float) image->height * ratio), 1, height);
  guint left = (width - inner_width) / 2, top = (height - inner_height) / 2;
  g_autoptr (PtImage) inner = pt_image_resize_area (image, inner_width, inner_height, error);
  PtImage *out = inner != NULL ? pt_image_new (width, height, error) : NULL;
  guint8 colour[CHANNELS];

  if (out == NULL)
    return NULL;
  find_background (image, colour);
  for (gsize i = 0; i < (gsize) width * height * CHANNELS; i++)
    out->pixels[i] = colour[i % CHANNELS];
  for (guint y = 0; y < inner_height; y++)
    memcpy (out->pixels + ((gsize) (top + y) * width + left) * CHANNELS,
            inner->pixels + (gsize) y * inner_width * CHANNELS, (gsize) inner_width * CHANNELS);
  return out;
}

void
pt_image_to_raw_planes (const PtImage *image, float *out)
{
  gsize n = (gsize) image->width * image->height;

  for (guint c = 0; c < CHANNELS; c++)
    for (gsize i = 0; i < n; i++)
      out[c * n + i] = image->pixels[i * CHANNELS + c];
}
