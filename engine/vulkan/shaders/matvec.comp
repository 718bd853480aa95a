#version 450
// SPDX-License-Identifier: BSD-3-Clause
// The same for few rows: 32 invocations share one column n of y and stride over k. Each of the 4
// columns of a group reads its weights once for all M <= 4 rows.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "weights.glsl"

#define LANES 32
#define COLUMNS 4
#define ROWS 4

layout (local_size_x = LANES, local_size_y = COLUMNS) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint M = 1;
layout (set = 0, binding = 0) readonly buffer A { float a[]; };
layout (set = 0, binding = 2) readonly buffer C { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint rows, N, K;
  uint a_batch, b_batch;
  uint stride;
  uint group, n_groups;
  uint bias_row, bias_column;
  float alpha, beta, least, most;
};

shared float partial[ROWS][COLUMNS][LANES];

// Four or eight columns at a time where the layout has them side by side.
void main ()
{
  uint lane = gl_LocalInvocationID.x, c = gl_LocalInvocationID.y;
  uint n = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * COLUMNS + c;
  float sum[ROWS];

  [[unroll]] for (uint m = 0; m < ROWS; m++)
    sum[m] = 0.0;
  if (n < N)
    for (uint k0 = lane * 4; k0 < K; k0 += LANES * 4)
      [[unroll]] for (uint i = 0; i < 4; i++) {
        uint k = k0 + i;

        if (k < K) {
          float w = load_weight (n, k, 0, stride, group, n_groups);

          [[unroll]] for (uint m = 0; m < ROWS; m++)
            if (m < M)
              sum[m] = fma (a[m * K + k], w, sum[m]);
        }
      }
  [[unroll]] for (uint m = 0; m < ROWS; m++)
    partial[m][c][lane] = sum[m];
  for (uint h = LANES / 2; h > 0; h /= 2) {
    barrier ();
    if (lane < h)
      [[unroll]] for (uint m = 0; m < ROWS; m++)
        partial[m][c][lane] += partial[m][c][lane + h];
  }
  barrier ();
  if (n < N && lane < M) {
    float v = alpha * partial[lane][c][0];

    if (HAS_BIAS != 0)
      v += beta * bias[lane * bias_row + n * bias_column];
    y[lane * N + n] = clamp (v, least, most);
  }
}
