#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y = (x - mean) / sqrt (variance + epsilon) * weight + bias, by channel.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer W { float weight[]; };
layout (set = 0, binding = 2) readonly buffer B { float bias[]; };
layout (set = 0, binding = 3) readonly buffer M { float mean[]; };
layout (set = 0, binding = 4) readonly buffer V { float variance[]; };
layout (set = 0, binding = 5) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint n, inner, channels;
  float epsilon;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  uint c = i / inner % channels;

  y[i] = (x[i] - mean[c]) / sqrt (variance[c] + epsilon) * weight[c] + bias[c];
}
