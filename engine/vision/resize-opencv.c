/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/resize-opencv.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define LANCZOS_TAPS 8
/* The side of a corner, as a part of the shorter side. */
#define CORNER_PART 30

/* The source pixels and weights of each pixel of a row or column. Sources are already limited to
 * those that exist. */
typedef struct {
  guint n, taps;
  guint *sources; /* @taps for each */
  float *weights;
} Taps;

static void
taps_clear (Taps *self)
{
  g_free (self->sources);
  g_free (self->weights);
}

static void
set_tap (Taps *self, guint i, guint k, gint64 source, guint n_sources, double weight)
{
  self->sources[(gsize) i * self->taps + k] = (guint) CLAMP (source, 0, (gint64) n_sources - 1);
  self->weights[(gsize) i * self->taps + k] = (float) weight;
}

static void
fill_linear (Taps *self, guint source)
{
  double scale = (double) source / self->n;

  for (guint i = 0; i < self->n; i++) {
    double at = (i + 0.5) * scale - 0.5;
    double first = floor (at);

    set_tap (self, i, 0, (gint64) first, source, 1 - (at - first));
    set_tap (self, i, 1, (gint64) first + 1, source, at - first);
  }
}

/* For making larger: a pixel is mixed with the next one only where they border on each other. */
static void
fill_area_up (Taps *self, guint source)
{
  double scale = (double) source / self->n;

  for (guint i = 0; i < self->n; i++) {
    double first = floor (i * scale), part = (i + 1) - (first + 1) / scale;

    part = part <= 0 ? 0 : part - floor (part);
    set_tap (self, i, 0, (gint64) first, source, 1 - part);
    set_tap (self, i, 1, (gint64) first + 1, source, part);
  }
}

static void
fill_area_down (Taps *self, guint source)
{
  double scale = (double) source / self->n;

  for (guint i = 0; i < self->n; i++) {
    double begin = i * scale, end = MIN (begin + scale, source);
    gint64 first = (gint64) floor (begin);

    for (guint k = 0; k < self->taps; k++) {
      double low = MAX (begin, (double) (first + k)), high = MIN (end, (double) (first + k) + 1);

      set_tap (self, i, k, first + k, source, MAX (high - low, 0) / (end - begin));
    }
  }
}

static double
lanczos (double x)
{
  const double support = LANCZOS_TAPS / 2;

  if (fabs (x) < 1e-7)
    return 1;
  return fabs (x) < support
             ? sin (G_PI * x) * sin (G_PI * x / support) * support / (G_PI * G_PI * x * x)
             : 0;
}

static void
fill_lanczos (Taps *self, guint source)
{
  double scale = (double) source / self->n;

  for (guint i = 0; i < self->n; i++) {
    double at = (i + 0.5) * scale - 0.5, first = floor (at), weights[LANCZOS_TAPS], sum = 0;

    for (guint k = 0; k < LANCZOS_TAPS; k++)
      sum += weights[k] = lanczos (at - (first + k - (LANCZOS_TAPS / 2 - 1)));
    for (guint k = 0; k < LANCZOS_TAPS; k++)
      set_tap (self, i, k, (gint64) first + k - (LANCZOS_TAPS / 2 - 1), source, weights[k] / sum);
  }
}

/* @shrinks: whether neither side of the picture grows. */
static gboolean
taps_init (Taps *self, guint source, guint n, PtResample how, gboolean shrinks, GError **error)
{
  *self = (Taps){ .n = n, .taps = 2 };
  if (how == PT_RESAMPLE_LANCZOS)
    self->taps = LANCZOS_TAPS;
  else if (how == PT_RESAMPLE_AREA && shrinks)
    self->taps = (guint) ceil ((double) source / n) + 1;
  self->sources = pt_allocate ((gsize) n * self->taps, sizeof (guint), error);
  if (self->sources != NULL)
    self->weights = pt_allocate ((gsize) n * self->taps, sizeof (float), error);
  if (self->weights == NULL) {
    taps_clear (self);
    return FALSE;
  }
  if (how == PT_RESAMPLE_LINEAR)
    fill_linear (self, source);
  else if (how == PT_RESAMPLE_LANCZOS)
    fill_lanczos (self, source);
  else if (shrinks)
    fill_area_down (self, source);
  else
    fill_area_up (self, source);
  return TRUE;
}

/* Computes a row of floats of the result's width from a row of the source. */
static void
resample_row (const guint8 *from, float *to, const Taps *taps, guint channels)
{
  for (guint i = 0; i < taps->n; i++) {
    const guint *sources = taps->sources + (gsize) i * taps->taps;
    const float *weights = taps->weights + (gsize) i * taps->taps;

    for (guint c = 0; c < channels; c++) {
      float sum = 0;

      for (guint k = 0; k < taps->taps; k++)
        sum += weights[k] * (float) from[(gsize) sources[k] * channels + c];
      to[(gsize) i * channels + c] = sum;
    }
  }
}

/* Adds the source rows that a row of the result consists of. Rows come in order, so that the last
 * ones computed are kept: @rows is a ring of @taps rows, @held the number of the row in each. */
static void
resample_columns (const PtPixels *from, const PtPixels *to, const Taps *across, const Taps *down,
                  float *rows, gint64 *held, float *sum)
{
  gsize n = (gsize) to->width * to->channels;

  for (guint k = 0; k < down->taps; k++)
    held[k] = -1;
  for (guint y = 0; y < to->height; y++) {
    memset (sum, 0, n * sizeof (float));
    for (guint k = 0; k < down->taps; k++) {
      guint source = down->sources[(gsize) y * down->taps + k];
      float weight = down->weights[(gsize) y * down->taps + k];
      float *row = rows + (source % down->taps) * n;

      if (weight == 0)
        continue;
      if (held[source % down->taps] != source)
        resample_row (from->pixels + (gsize) source * from->width * from->channels, row, across,
                      from->channels);
      held[source % down->taps] = source;
      for (gsize i = 0; i < n; i++)
        sum[i] += weight * row[i];
    }
    for (gsize i = 0; i < n; i++)
      to->pixels[y * n + i] = (guint8) CLAMP (sum[i] + 0.5f, 0, 255);
  }
}

gboolean
pt_resample (const PtPixels *from, const PtPixels *to, PtResample how, GError **error)
{
  gboolean shrinks = to->width <= from->width && to->height <= from->height;
  gsize n = (gsize) to->width * to->channels;
  g_autofree float *rows = NULL;
  g_autofree gint64 *held = NULL;
  Taps across, down;

  if (from->width == to->width && from->height == to->height) {
    memcpy (to->pixels, from->pixels, n * to->height);
    return TRUE;
  }
  if (!taps_init (&across, from->width, to->width, how, shrinks, error))
    return FALSE;
  if (!taps_init (&down, from->height, to->height, how, shrinks, error)) {
    taps_clear (&across);
    return FALSE;
  }
  /* The last row is the sum. */
  rows = pt_allocate (n * (down.taps + 1), sizeof (float), error);
  held = rows != NULL ? pt_allocate (down.taps, sizeof (gint64), error) : NULL;
  if (held != NULL)
    resample_columns (from, to, &across, &down, rows, held, rows + n * down.taps);
  taps_clear (&across);
  taps_clear (&down);
  return held != NULL;
}

/* ---- margins ---- */

/* The mean of channel @c in the four corners, each of which counts as much. */
static guint8
corner_mean (const PtPixels *from, guint c)
{
  guint side = MAX (MIN (from->width, from->height) / CORNER_PART, 1);
  guint64 sum = 0;

  for (guint corner = 0; corner < 4; corner++)
    for (guint y = 0; y < side; y++)
      for (guint x = 0; x < side; x++) {
        guint at_x = corner % 2 == 0 ? x : from->width - 1 - x;
        guint at_y = corner < 2 ? y : from->height - 1 - y;

        sum += from->pixels[((gsize) at_y * from->width + at_x) * from->channels + c];
      }
  return (guint8) (sum / ((guint64) 4 * side * side));
}

gboolean
pt_resample_padded (const PtPixels *from, const PtPixels *to, PtPlace *place, GError **error)
{
  float ratio =
      MIN ((float) to->height / (float) from->height, (float) to->width / (float) from->width);
  PtPlace at = { .width = (guint) CLAMP ((float) from->width * ratio, 1, (float) to->width),
                 .height = (guint) CLAMP ((float) from->height * ratio, 1, (float) to->height) };
  PtPixels inner = { at.width, at.height, from->channels, NULL };
  g_autofree guint8 *pixels = pt_allocate ((gsize) at.width * at.height, from->channels, error);

  inner.pixels = pixels;
  if (pixels == NULL || !pt_resample (from, &inner, PT_RESAMPLE_AREA, error))
    return FALSE;
  at.left = (to->width - at.width) / 2;
  at.top = (to->height - at.height) / 2;
  for (guint c = 0; c < to->channels; c++) {
    guint8 colour = corner_mean (from, c);

    for (gsize i = 0; i < (gsize) to->width * to->height; i++)
      to->pixels[i * to->channels + c] = colour;
  }
  for (guint y = 0; y < at.height; y++)
    memcpy (to->pixels + ((gsize) (y + at.top) * to->width + at.left) * to->channels,
            pixels + (gsize) y * at.width * to->channels, (gsize) at.width * to->channels);
  if (place != NULL)
    *place = at;
  return TRUE;
}
