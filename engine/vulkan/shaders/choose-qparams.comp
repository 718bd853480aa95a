#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Scale and zero point of each row of x [rows, n], for bytes.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#define GROUP 128
#include "group-sum.glsl"
#include "row-bytes.glsl"

layout (local_size_x = GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) writeonly buffer S { float scale[]; };
layout (set = 0, binding = 2) writeonly buffer Z { OUT zero[]; };
layout (push_constant) uniform P
{
  uint rows, n;
  float least, most, epsilon;
};

void main ()
{
  uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = gl_LocalInvocationIndex;

  if (row >= rows)
    return;
  float lo = 0.0, hi = 0.0;

  for (uint k = i; k < n; k += GROUP) {
    lo = min (lo, x[row * n + k]);
    hi = max (hi, x[row * n + k]);
  }
  lo = -group_max (-lo);
  hi = group_max (hi);
  if (i == 0) {
    float s = scale_of_range (lo, hi, least, most, epsilon);

    scale[row] = s;
    zero[row] = OUT (zero_of_range (lo, s, least, most));
  }
}
