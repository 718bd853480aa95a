#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y[i] = start + i * step
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) writeonly buffer Y { TYPE y[]; };
layout (push_constant) uniform P
{
  uint n;
  TYPE start, step;
};

void main ()
{
  uint i = item_index ();

  if (i < n)
    y[i] = start + TYPE (i) * step;
}
