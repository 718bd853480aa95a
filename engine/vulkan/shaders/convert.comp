#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Converts elements to another type. Floats outside of the range of integers become its ends.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint TO_BOOL = 0;
layout (set = 0, binding = 0) readonly buffer X { IN x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { OUT y[]; };
layout (push_constant) uniform P { uint n; };

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
#ifdef FROM_FLOAT
  float v = x[i];
  int whole = v >= 2147483648.0 ? 2147483647 : v <= -2147483648.0 ? -2147483648 : int (v);

  y[i] = OUT (TO_BOOL != 0 ? int (v != 0.0) : whole);
#else
  int v = int (x[i]);

  y[i] = OUT (TO_BOOL != 0 ? int (v != 0) : v);
#endif
}
