#version 450
// SPDX-License-Identifier: BSD-3-Clause
// The splits of a row of attention.comp become one: parts [rows, splits, 4 + width] with the
// maximum, the sum, two unused numbers, and the values.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer A { float parts[]; };
layout (set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P { uint items, width, splits; };

void main ()
{
  uint i = item_index ();

  if (i >= items)
    return;
  uint row = i / width * splits, d = i % width;
  float most = -3.4e38, sum = 0.0, v = 0.0;

  for (uint s = 0; s < splits; s++)
    most = max (most, parts[(row + s) * (width + 4)]);
  for (uint s = 0; s < splits; s++) {
    uint at = (row + s) * (width + 4);
    float weight = exp (parts[at] - most);

    sum = fma (parts[at + 1], weight, sum);
    v = fma (parts[at + 4 + d], weight, v);
  }
  y[i] = sum > 0.0 ? v / sum : 0.0;
}
