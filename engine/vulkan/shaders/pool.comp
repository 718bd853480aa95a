#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Pooling with maxima (and their places) or averages.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint IS_AVERAGE = 0;
layout (constant_id = 1) const uint HAS_PLACES = 0;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 2) writeonly buffer I { int places[]; };
layout (push_constant) uniform P
{
  uint n;
  int in_h, in_w, out_h, out_w;
  int kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w;
  int count_padding, divisor;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  int ox = int (i) % out_w, oy = int (i) / out_w % out_h, plane = int (i) / (out_w * out_h);
  int first_y = oy * stride_h - padding_h, first_x = ox * stride_w - padding_w;
  float best = -1.0 / 0.0, sum = 0.0;
  int at = -1, count = 0;

  for (int ky = 0; ky < kernel_h; ky++)
    for (int kx = 0; kx < kernel_w; kx++) {
      int iy = first_y + ky * dilation_h, ix = first_x + kx * dilation_w;

      if (iy < 0 || iy >= in_h || ix < 0 || ix >= in_w)
        continue;
      float v = x[(plane * in_h + iy) * in_w + ix];

      count++;
      sum += v;
      if (at < 0 || v > best || isnan (v)) {
        best = v;
        at = iy * in_w + ix;
      }
    }
  if (IS_AVERAGE != 0) {
    // The part of the window that lies in the padded picture.
    int h = min (first_y + kernel_h, in_h + padding_h) - first_y;
    int w = min (first_x + kernel_w, in_w + padding_w) - first_x;

    y[i] = sum / float (divisor != 0 ? divisor : count_padding != 0 ? h * w : max (count, 1));
  } else {
    y[i] = best;
    if (HAS_PLACES != 0)
      places[i] = at;
  }
}
