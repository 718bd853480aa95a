/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a row of pixels of a depthwise convolution reads and writes; channels lie side by side. */
typedef struct {
  gsize channels, taps;
  const float *const *x; /* [taps]: the inputs of the first pixel */
  gsize x_step;          /* floats from there to those of the next pixel */
  const float *const *w; /* [taps]: filters of [channels] */
  const float *bias;     /* [channels] or NULL */
  float min, max;
  float *y; /* [pixels, channels] */
} PtDepthwise;

/** y[c] = clamp (bias[c] + sum over taps of x[c] * w[c]) for @pixels pixels, in this thread. */
void pt_depthwise_f32 (const PtDepthwise *d, gsize pixels);

/** y[c] = clamp (the largest of x[0][c], x[1][c], ...) for @n channels of @taps pixels, one or
 * more, of which y may be one; in this thread. A NaN counts until the next number. */
void pt_largest_f32 (gsize n, gsize taps, const float *const *x, float min, float max, float *y);

G_END_DECLS
