#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Rotary embedding of neighbours by a table of pairs (cosine, sine) that repeats.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { vec2 x[]; };
layout (set = 0, binding = 1) readonly buffer T { vec2 table[]; };
layout (set = 0, binding = 2) writeonly buffer Y { vec2 y[]; };
layout (push_constant) uniform P { uint pairs, period; };

void main ()
{
  uint i = item_index ();

  if (i >= pairs)
    return;
  vec2 v = x[i], c = table[i % period];

  y[i] = vec2 (v.x * c.x - v.y * c.y, v.x * c.y + v.y * c.x);
}
