#version 450
// SPDX-License-Identifier: BSD-3-Clause
// The centres of the cells of a grid: (x, y) for each.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint n, width;
  float stride, offset;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  y[2 * i] = (float (i % width) + offset) * stride;
  y[2 * i + 1] = (float (i / width) + offset) * stride;
}
