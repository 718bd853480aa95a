#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Softmax, or its logarithm, over the middle dimension of x [outer, n, inner].
#extension GL_GOOGLE_include_directive : enable
#define GROUP 128
#include "common.glsl"
#include "group-sum.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint IS_LOG = 0;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P { uint items, n, inner; };

void main ()
{
  uint item = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = gl_LocalInvocationIndex;

  if (item >= items)
    return;
  uint base = item / inner * n * inner + item % inner;
  float most = -3.4e38, sum = 0.0;

  for (uint k = i; k < n; k += GROUP)
    most = max (most, x[base + k * inner]);
  most = group_max (most);
  for (uint k = i; k < n; k += GROUP)
    sum += exp (x[base + k * inner] - most);
  sum = group_sum (sum);
  for (uint k = i; k < n; k += GROUP) {
    float v = x[base + k * inner] - most;

    y[base + k * inner] = IS_LOG != 0 ? v - log (sum) : exp (v) / sum;
  }
}
