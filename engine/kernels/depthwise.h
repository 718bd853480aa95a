/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * A row of the output of a depthwise convolution, and the rows of the input under it; the channels
 * of a pixel lie side by side. Output @o reads pixels @o * stride + column * dilation - pad.
 */
typedef struct {
  gsize channels;
  gsize in_w; /* pixels in a row of the input */
  gsize stride, dilation, pad;
  gsize rows, columns;   /* taps; rows outside the input are left out */
  const float *const *x; /* [rows]: [in_w], pixels @x_step floats apart */
  const float *const *w; /* [rows]: filters [columns], @w_step floats apart */
  const float *bias;     /* [channels] or NULL */
  float min, max;
  float *y; /* the row's first output, the others @y_step floats apart */
  gsize x_step, w_step, y_step;
} PtDepthwise;

/** y[o][c] = clamp (bias[c] + sum over taps of x[c] * w[c]) for @n outputs from @first on, in this
 * thread. Taps beside the input count nothing. */
void pt_depthwise_f32 (const PtDepthwise *d, gsize first, gsize n);

/** y[c] = clamp (the largest of x[0][c], x[1][c], ...) for @n channels of @taps pixels, one or
 * more, of which y may be one; in this thread. A NaN counts until the next number. */
void pt_largest_f32 (gsize n, gsize taps, const float *const *x, float min, float max, float *y);

G_END_DECLS
