/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Rows of the output of a depthwise convolution that share the rows of the filter; the channels of
 * a pixel lie side by side. Output @o reads pixels @o * stride + column * dilation - pad.
 */
typedef struct {
  gsize channels;
  gsize in_w; /* pixels in a row of the input */
  gsize stride, dilation, pad;
  gsize rows, columns;   /* taps; rows outside the input are left out */
  gsize n_rows;          /* of the output */
  const float *const *x; /* [n_rows][rows]: [in_w], pixels @x_step floats apart */
  const float *const *w; /* [rows]: filters [columns], @w_step floats apart */
  const float *bias;     /* [channels] or NULL */
  float min, max;
  float *y; /* the first row's first output, the others @y_step floats apart, rows @y_row */
  gsize x_step, w_step, y_step, y_row;
} PtDepthwise;

/** y[o][c] = clamp (bias[c] + sum over taps of x[c] * w[c]) for @n outputs of each row from @first
 * on, in this thread. Taps beside the input add nothing. */
void pt_depthwise_f32 (const PtDepthwise *d, gsize first, gsize n);

/** y[c] = clamp (the largest of x[0][c], x[1][c], ...) for @n channels of @taps pixels, one or
 * more, of which y may be one; in this thread. A NaN counts until the next number. */
void pt_largest_f32 (gsize n, gsize taps, const float *const *x, float min, float max, float *y);

G_END_DECLS
