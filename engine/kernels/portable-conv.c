/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"

/* The inner loops of convolutions in plain C. */

/* y += the products with the taps of output @o in one row of the input, @x. */
static void
add_row (const PtDepthwise *d, const float *x, const float *w, gsize o, float *restrict y)
{
  gsize n = d->channels;

  for (gsize k = 0; k < d->columns; k++, w += d->w_step) {
    /*
     * Unsigned: columns before the first wrap around, so they compare as larger than the last one.
     */
    gsize column = o * d->stride + k * d->dilation - d->pad;
    const float *tap = x + column * d->x_step;

    if (column < d->in_w)
      for (gsize c = 0; c < n; c++)
        y[c] += tap[c] * w[c];
  }
}

static void
make_output (const PtDepthwise *d, const float *const *x, gsize o, float *y)
{
  for (gsize c = 0; c < d->channels; c++)
    y[c] = d->bias != NULL ? d->bias[c] : 0.0f;
  for (gsize row = 0; row < d->rows; row++)
    add_row (d, x[row], d->w[row], o, y);
  for (gsize c = 0; c < d->channels; c++)
    y[c] = pt_clamp_f32 (y[c], d->min, d->max);
}

static void
depthwise (const PtDepthwise *d, gsize first, gsize n)
{
  for (gsize i = 0; i < d->n_rows; i++)
    for (gsize o = first; o < first + n; o++)
      make_output (d, d->x + i * d->rows, o, d->y + i * d->y_row + o * d->y_step);
}

static void
largest (gsize n, gsize taps, const float *const *x, float min, float max, float *y)
{
  for (gsize c = 0; c < n; c++) {
    float best = x[0][c];

    for (gsize t = 1; t < taps; t++)
      best = best > x[t][c] ? best : x[t][c];
    y[c] = pt_clamp_f32 (best, min, max);
  }
}

/* B^T of winograd.h: four numbers, @step apart. */
static void
turn_in (float *x, gsize step)
{
  float a = x[0] - x[2 * step], b = x[step] + x[2 * step];
  float c = x[2 * step] - x[step], d = x[step] - x[3 * step];

  x[0] = a;
  x[step] = b;
  x[2 * step] = c;
  x[3 * step] = d;
}

static void
winograd_in (gsize n, const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step)
{
  float t[PT_WINOGRAD_PLACES];

  for (gsize c = 0; c < n; c++) {
    for (guint i = 0; i < PT_WINOGRAD_PLACES; i++)
      t[i] = x[i][c];
    for (guint j = 0; j < 4; j++)
      turn_in (t + j, 4);
    for (guint i = 0; i < 4; i++)
      turn_in (t + 4 * i, 1);
    for (guint i = 0; i < PT_WINOGRAD_PLACES; i++)
      v[i * step + c] = t[i];
  }
}

static void
winograd_out (gsize n, const float *m, gsize step, const float *bias, float min, float max,
              float *const y[4])
{
  for (gsize c = 0; c < n; c++) {
    float start = bias != NULL ? bias[c] : 0.0f, half[2][4];

    for (guint j = 0; j < 4; j++) {
      float x[4];

      for (guint i = 0; i < 4; i++)
        x[i] = m[(4 * i + j) * step + c];
      half[0][j] = x[0] + (x[1] + x[2]);
      half[1][j] = x[1] - x[2] - x[3];
    }
    for (guint i = 0; i < 2; i++) {
      float left = start + (half[i][0] + (half[i][1] + half[i][2]));
      float right = start + (half[i][1] - half[i][2] - half[i][3]);

      if (y[2 * i] != NULL)
        y[2 * i][c] = pt_clamp_f32 (left, min, max);
      if (y[2 * i + 1] != NULL)
        y[2 * i + 1][c] = pt_clamp_f32 (right, min, max);
    }
  }
}

const PtConvKernels pt_conv_kernels_portable = {
  .depthwise = depthwise,
  .largest = largest,
  .winograd_in = winograd_in,
  .winograd_out = winograd_out,
};
