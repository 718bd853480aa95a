#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Resizes planes: nearest, or bilinear (aten.upsample_*2d.vec).
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint IS_BILINEAR = 0;
layout (constant_id = 1) const uint ALIGN_CORNERS = 0;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint n;
  int in_h, in_w, out_h, out_w;
  float scale_h, scale_w; // of a step in the output
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  int ox = int (i) % out_w, oy = int (i) / out_w % out_h;
  int base = int (i) / (out_w * out_h) * in_h * in_w;

  if (IS_BILINEAR == 0) {
    int iy = min (int (float (oy) * scale_h), in_h - 1), ix = min (int (float (ox) * scale_w), in_w - 1);

    y[i] = x[base + iy * in_w + ix];
    return;
  }
  float fy = ALIGN_CORNERS != 0 ? float (oy) * scale_h : max ((float (oy) + 0.5) * scale_h - 0.5, 0.0);
  float fx = ALIGN_CORNERS != 0 ? float (ox) * scale_w : max ((float (ox) + 0.5) * scale_w - 0.5, 0.0);
  int y0 = min (int (fy), in_h - 1), x0 = min (int (fx), in_w - 1);
  int y1 = min (y0 + 1, in_h - 1), x1 = min (x0 + 1, in_w - 1);
  float ay = fy - float (y0), ax = fx - float (x0);
  float top = x[base + y0 * in_w + x0] * (1.0 - ax) + x[base + y0 * in_w + x1] * ax;
  float bottom = x[base + y1 * in_w + x0] * (1.0 - ax) + x[base + y1 * in_w + x1] * ax;

  y[i] = top * (1.0 - ay) + bottom * ay;
}
