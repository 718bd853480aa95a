#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [M, N] of rows of bytes (quantize-rows.comp) and weights of 4 bits with a scale for each group:
// M <= 4. Each invocation takes every LANES-th chunk of 32 elements of four columns.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "dot.glsl"
#include "column-sums.glsl"

layout (set = 0, binding = 0) readonly buffer A { uvec4 words[]; };
layout (set = 0, binding = 1) readonly buffer B { uvec4 b[]; };
layout (set = 0, binding = 2) readonly buffer C { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer S { float scales[]; };
layout (set = 0, binding = 5) readonly buffer T { int sums[]; };
layout (set = 0, binding = 6) readonly buffer R { float row_scale[]; };
layout (push_constant) uniform P
{
  uint rows, N, chunks;
  uint stride;               // chunks of a row of b
  uint group_chunks, n_groups;
  uint first, y_columns;     // of a piece: as in matvec.comp
};

void main ()
{
  uint n0 = first_column (), lane = gl_LocalInvocationIndex;
  float sum[ROWS][COLUMNS];

  [[unroll]] for (uint m = 0; m < ROWS; m++)
    [[unroll]] for (uint c = 0; c < COLUMNS; c++)
      sum[m][c] = 0.0;
  for (uint chunk = lane; chunk < chunks; chunk += gl_WorkGroupSize.x) {
    ivec4 low[COLUMNS], high[COLUMNS];
    float scale[COLUMNS];
    int total[COLUMNS];

    [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
      uint n = min (n0 + c, N - 1);
      uvec4 w = b[n * stride + chunk];

      low[c] = ivec4 (w & 0x0f0f0f0fu);
      high[c] = ivec4 ((w >> 4) & 0x0f0f0f0fu);
      scale[c] = scales[n * n_groups + chunk / group_chunks];
    }
    [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
      total[c] = 0;
      [[unroll]] for (uint i = 0; i < 4; i++)
        total[c] += dot4 (low[c][i] + high[c][i], 0x01010101);
    }
    [[unroll]] for (uint m = 0; m < ROWS; m++)
      if (m < M) {
        ivec4 even = ivec4 (words[(m * chunks + chunk) * 2]);
        ivec4 odd = ivec4 (words[(m * chunks + chunk) * 2 + 1]);
        int zero = sums[M * chunks + m], t = sums[m * chunks + chunk];

        [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
          int product = -zero * total[c] - t;

          [[unroll]] for (uint i = 0; i < 4; i++)
            product += dot4 (even[i], low[c][i]) + dot4 (odd[i], high[c][i]);
          sum[m][c] = fma (float (product), scale[c], sum[m][c]);
        }
      }
  }
  share_sums (sum);
  if (lane < M * COLUMNS) {
    uint m = lane / COLUMNS, c = lane % COLUMNS, n = n0 + c;
    float v = row_scale[m] * column_sum (m, c);

    if (n < N)
      y[m * y_columns + first + n] = HAS_BIAS != 0 ? v + bias[first + n] : v;
  }
}
