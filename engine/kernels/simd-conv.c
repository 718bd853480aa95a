/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernels.h"
#include "engine/kernels/simd.h"

/* The inner loops of convolutions for AVX2 and AVX-512; PT_CONV_KERNELS is the name of the table.
 */

/* Pixels that share what is loaded of the filter. */
#define PIXELS 4

INLINE vf
load_part (const gboolean full, const float *p, gsize n)
{
  return full ? vf_load (p) : vf_load_n (p, n);
}

INLINE void
store_part (const gboolean full, float *p, vf x, gsize n)
{
  if (full)
    vf_store (p, x);
  else
    vf_store_n (p, x, n);
}

/* @pixels from @first on, channels [c, c + here); pixels and full are constants when inlined. */
INLINE void
depthwise_part (const PtDepthwise *d, const gsize pixels, const gboolean full, gsize first, gsize c,
                gsize here)
{
  gsize taps = d->taps;
  vf acc[PIXELS];

  UNROLLED (i, pixels)
    acc[i] = d->bias != NULL ? load_part (full, d->bias + c, here) : vf_zero ();
  for (gsize t = 0; t < taps; t++) {
    const float *x = d->x[t] + first * d->x_step + c;
    vf w = load_part (full, d->w[t] + c, here);

    UNROLLED (i, pixels)
      acc[i] = vf_fma (load_part (full, x + i * d->x_step, here), w, acc[i]);
  }
  UNROLLED (i, pixels)
    store_part (full, d->y + (first + i) * d->channels + c,
                vf_clamp (acc[i], vf_set1 (d->min), vf_set1 (d->max)), here);
}

INLINE void
depthwise_pixels (const PtDepthwise *d, const gsize pixels, gsize first)
{
  gsize c = 0;

  for (; c + LANES <= d->channels; c += LANES)
    depthwise_part (d, pixels, TRUE, first, c, LANES);
  if (c < d->channels)
    depthwise_part (d, pixels, FALSE, first, c, d->channels - c);
}

static void
depthwise (const PtDepthwise *d, gsize pixels)
{
  gsize i = 0;

  for (; i + PIXELS <= pixels; i += PIXELS)
    depthwise_pixels (d, PIXELS, i);
  for (; i < pixels; i++)
    depthwise_pixels (d, 1, i);
}

INLINE void
largest_part (const gboolean full, gsize c, gsize here, gsize taps, const float *const *x, vf min,
              vf max, float *y)
{
  vf best = load_part (full, x[0] + c, here);

  for (gsize t = 1; t < taps; t++)
    best = vf_max (best, load_part (full, x[t] + c, here));
  store_part (full, y + c, vf_clamp (best, min, max), here);
}

static void
largest (gsize n, gsize taps, const float *const *x, float min, float max, float *y)
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    largest_part (TRUE, c, LANES, taps, x, vf_set1 (min), vf_set1 (max), y);
  if (c < n)
    largest_part (FALSE, c, n - c, taps, x, vf_set1 (min), vf_set1 (max), y);
}

/* B^T of winograd.h: four numbers. */
INLINE void
turn_in (vf x[4])
{
  vf a = vf_sub (x[0], x[2]), b = vf_add (x[1], x[2]);
  vf c = vf_sub (x[2], x[1]), d = vf_sub (x[1], x[3]);

  x[0] = a;
  x[1] = b;
  x[2] = c;
  x[3] = d;
}

INLINE void
winograd_in_part (const gboolean full, gsize c, gsize here,
                  const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step)
{
  vf rows[4][4];

  UNROLLED (i, 4)
    UNROLLED (j, 4)
      rows[j][i] = load_part (full, x[4 * i + j] + c, here);
  UNROLLED (j, 4)
    turn_in (rows[j]);
  UNROLLED (i, 4) {
    vf row[4];

    UNROLLED (j, 4)
      row[j] = rows[j][i];
    turn_in (row);
    UNROLLED (j, 4)
      store_part (full, v + (4 * i + j) * step + c, row[j], here);
  }
}

static void
winograd_in (gsize n, const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step)
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    winograd_in_part (TRUE, c, LANES, x, v, step);
  if (c < n)
    winograd_in_part (FALSE, c, n - c, x, v, step);
}

INLINE void
winograd_out_part (const gboolean full, gsize c, gsize here, const float *m, gsize step,
                   const float *bias, vf min, vf max, float *const y[4])
{
  vf start = bias != NULL ? load_part (full, bias + c, here) : vf_zero (), half[2][4];

  UNROLLED (j, 4) {
    vf x[4], sum, difference;

    UNROLLED (i, 4)
      x[i] = load_part (full, m + (4 * i + j) * step + c, here);
    sum = vf_add (x[1], x[2]);
    difference = vf_sub (x[1], x[2]);
    half[0][j] = vf_add (x[0], sum);
    half[1][j] = vf_sub (difference, x[3]);
  }
  UNROLLED (i, 2) {
    vf sum = vf_add (half[i][1], half[i][2]), difference = vf_sub (half[i][1], half[i][2]);
    vf left = vf_add (start, vf_add (half[i][0], sum));
    vf right = vf_add (start, vf_sub (difference, half[i][3]));

    if (y[2 * i] != NULL)
      store_part (full, y[2 * i] + c, vf_clamp (left, min, max), here);
    if (y[2 * i + 1] != NULL)
      store_part (full, y[2 * i + 1] + c, vf_clamp (right, min, max), here);
  }
}

static void
winograd_out (gsize n, const float *m, gsize step, const float *bias, float min, float max,
              float *const y[4])
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    winograd_out_part (TRUE, c, LANES, m, step, bias, vf_set1 (min), vf_set1 (max), y);
  if (c < n)
    winograd_out_part (FALSE, c, n - c, m, step, bias, vf_set1 (min), vf_set1 (max), y);
}

const PtConvKernels PT_CONV_KERNELS = {
  .depthwise = depthwise,
  .largest = largest,
  .winograd_in = winograd_in,
  .winograd_out = winograd_out,
};
