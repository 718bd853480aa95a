#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [M, N] = alpha * a [M, K] . b + beta * bias for M <= 4. Each invocation takes every LANES-th
// chunk of 16 bytes of four columns, so that weights are read once and side by side. A piece of a
// product has N columns of b and scales, which are columns first .. first + N of y.
//   W_F32, W_F16, W_I8, W_I8_GROUPS, W_Q4, W_Q4_HIGH: as in weights.glsl
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "column-sums.glsl"

// Elements of a chunk.
#if defined W_F32
#define CHUNK 4
#elif defined W_F16
#define CHUNK 8
#elif defined W_I8 || defined W_I8_GROUPS
#define CHUNK 16
#else
#define CHUNK 32
#endif

layout (set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout (set = 0, binding = 1) readonly buffer B { uvec4 b[]; };
layout (set = 0, binding = 2) readonly buffer C { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
#if defined W_I8 || defined W_I8_GROUPS || defined W_Q4 || defined W_Q4_HIGH
layout (set = 0, binding = 4) readonly buffer S { float scales[]; };
#endif
layout (push_constant) uniform P
{
  uint rows, N, K;
  uint a_batch, b_batch;
  uint stride; // chunks of a row of b
  uint group, n_groups;
  uint bias_row, bias_column;
  float alpha, beta, least, most;
  uint first, y_columns;
};

vec4 nibbles (uint v)
{
  return vec4 (v & 15, (v >> 4) & 15, (v >> 8) & 15, (v >> 12) & 15) - 8.0;
}

// Four elements of a chunk.
vec4 weights (uvec4 chunk, uint part)
{
#if defined W_F32
  return uintBitsToFloat (chunk);
#elif defined W_F16
  return vec4 (unpackHalf2x16 (chunk[part * 2]), unpackHalf2x16 (chunk[part * 2 + 1]));
#elif defined W_I8 || defined W_I8_GROUPS
  int v = int (chunk[part]);

  return vec4 (bitfieldExtract (v, 0, 8), bitfieldExtract (v, 8, 8), bitfieldExtract (v, 16, 8),
               bitfieldExtract (v, 24, 8));
#elif defined W_Q4
  return nibbles (chunk[part / 2] >> (part % 2 * 16));
#else
  return nibbles (chunk[part / 2] >> (part % 2 * 16)).yxwz;
#endif
}

float scale_of_chunk (uint n, uint k)
{
#if defined W_Q4 || defined W_I8_GROUPS
  return scales[n * n_groups + k / group];
#elif defined W_I8 || defined W_Q4_HIGH
  return scales[n];
#else
  return 1.0;
#endif
}

void main ()
{
  uint n0 = first_column (), lane = gl_LocalInvocationIndex, chunks = K / CHUNK;
  float sum[ROWS][COLUMNS];

  [[unroll]] for (uint m = 0; m < ROWS; m++)
    [[unroll]] for (uint c = 0; c < COLUMNS; c++)
      sum[m][c] = 0.0;
  for (uint chunk = lane; chunk < chunks; chunk += gl_WorkGroupSize.x) {
    float part_sum[ROWS][COLUMNS];
    uvec4 w[COLUMNS];

    [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
      w[c] = b[min (n0 + c, N - 1) * stride + chunk];
      [[unroll]] for (uint m = 0; m < ROWS; m++)
        part_sum[m][c] = 0.0;
    }
    [[unroll]] for (uint part = 0; part < CHUNK / 4; part++) {
      vec4 v[COLUMNS];

      [[unroll]] for (uint c = 0; c < COLUMNS; c++)
        v[c] = weights (w[c], part);
      [[unroll]] for (uint m = 0; m < ROWS; m++)
        if (m < M) {
          vec4 u = a[(m * K + chunk * CHUNK) / 4 + part];

          [[unroll]] for (uint c = 0; c < COLUMNS; c++)
            part_sum[m][c] += dot (u, v[c]);
        }
    }
    [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
      float scale = scale_of_chunk (min (n0 + c, N - 1), chunk * CHUNK);

      [[unroll]] for (uint m = 0; m < ROWS; m++)
        sum[m][c] = fma (part_sum[m][c], scale, sum[m][c]);
    }
  }
  share_sums (sum);
  if (lane < M * COLUMNS) {
    uint m = lane / COLUMNS, c = lane % COLUMNS, n = n0 + c;

    if (n < N) {
      float v = alpha * column_sum (m, c);

      if (HAS_BIAS != 0)
        v += beta * bias[m * bias_row + (first + n) * bias_column];
      y[m * y_columns + first + n] = clamp (v, least, most);
    }
  }
}
