#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Norm of rows of n elements; each group does one row. Weight and bias belong to element
// i / inner % channels of the row, after the row's own first channel.
#extension GL_GOOGLE_include_directive : enable
#define GROUP 128
#include "common.glsl"
#include "group-sum.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint HAS_WEIGHT = 0;
layout (constant_id = 1) const uint HAS_BIAS = 0;
layout (constant_id = 2) const uint HAS_MEAN = 0; // 1: the outputs mean and rstd exist
layout (constant_id = 3) const uint IS_RMS = 0;   // 1: the mean is not subtracted
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer W { float weight[]; };
layout (set = 0, binding = 2) readonly buffer B { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) writeonly buffer M { float mean_out[]; };
layout (set = 0, binding = 5) writeonly buffer R { float rstd_out[]; };
layout (push_constant) uniform P
{
  uint rows, n;
  uint inner;    // elements of one channel
  uint channels; // of a row
  uint groups;   // rows of one picture
  float epsilon;
};

void main ()
{
  uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = gl_LocalInvocationIndex;

  if (row >= rows)
    return;
  uint base = row * n;
  float sum = 0.0, mean = 0.0;

  if (IS_RMS == 0) {
    for (uint k = i; k < n; k += GROUP)
      sum += x[base + k];
    mean = group_sum (sum) / float (n);
    sum = 0.0;
  }
  for (uint k = i; k < n; k += GROUP) {
    float v = x[base + k] - mean;

    sum += v * v;
  }
  float rstd = 1.0 / sqrt (group_sum (sum) / float (n) + epsilon);

  for (uint k = i; k < n; k += GROUP) {
    uint c = row % groups * channels + k / inner;
    float v = (x[base + k] - mean) * rstd;

    if (HAS_WEIGHT != 0)
      v *= weight[c];
    if (HAS_BIAS != 0)
      v += bias[c];
    y[base + k] = v;
  }
  if (HAS_MEAN != 0 && i == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
}
