/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Some rows of the output of a depthwise convolution, which share the rows of the filter. The
 * channels of a pixel are contiguous. Output @o reads the pixels @o * stride + column * dilation -
 * pad.
 */
typedef struct {
  gsize channels;
  gsize in_w; /* width of the input in pixels */
  gsize stride, dilation, pad;
  gsize rows, columns;   /* rows of taps that lie inside the input */
  gsize n_rows;          /* rows of the output */
  const float *const *x; /* [n_rows][rows]: input rows [in_w], pixels @x_step floats apart */
  const float *const *w; /* [rows]: filter rows [columns], @w_step floats apart */
  const float *bias;     /* [channels] or NULL */
  float min, max;
  float *y; /* first output of the first row; pixels are @y_step floats apart, rows @y_row */
  gsize x_step, w_step, y_step, y_row;
} PtDepthwise;

/**
 * y[o][c] = clamp (bias[c] + sum over taps of x[c] * w[c]) for outputs [@first, @first + @n) of
 * each row, on the calling thread. Taps outside of the input add nothing.
 */
void pt_depthwise_f32 (const PtDepthwise *d, gsize first, gsize n);

/**
 * y[c] = clamp (max (x[0][c], x[1][c], ...)) for @n channels of @taps pixels (at least one), on the
 * calling thread. y may be one of the pixels. A NaN counts until the next number.
 */
void pt_largest_f32 (gsize n, gsize taps, const float *const *x, float min, float max, float *y);

G_END_DECLS
