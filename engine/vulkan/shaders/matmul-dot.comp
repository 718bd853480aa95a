#version 450
// SPDX-License-Identifier: BSD-3-Clause
// The same for many rows, in tiles of 64 x 64 through shared memory; each of the 256 invocations has
// 4 x 4 sums. Two chunks of 32 elements at a time.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "dot.glsl"

#define TILE 64
#define DEPTH 2

layout (local_size_x = 16, local_size_y = 16) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (set = 0, binding = 0) readonly buffer A { uint words[]; };
layout (set = 0, binding = 1) readonly buffer B { uint b[]; };
layout (set = 0, binding = 2) readonly buffer C { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer S { float scales[]; };
layout (set = 0, binding = 5) readonly buffer T { int sums[]; };
layout (set = 0, binding = 6) readonly buffer R { float row_scale[]; };
layout (push_constant) uniform P
{
  uint M, N, chunks;
  uint stride;
  uint group_chunks, n_groups;
  uint first, y_columns; // of a piece: as in matvec.comp
};

shared int tile_a[DEPTH][8][TILE + 1];
shared int tile_b[DEPTH][8][TILE + 1];
shared int row_sum[DEPTH][TILE];
shared int column_part[DEPTH][4][TILE + 1];
shared float column_scale[DEPTH][TILE];

void load_rows (uint row0, uint chunk0)
{
  uint thread = gl_LocalInvocationIndex;

  [[unroll]] for (uint i = 0; i < 2 * DEPTH; i++) {
    uint at = i * 256 + thread, w = at % 8, d = at / 8 % DEPTH, r = at / (8 * DEPTH);
    bool is_inside = row0 + r < M && chunk0 + d < chunks;

    tile_a[d][w][r] = is_inside ? int (words[((row0 + r) * chunks + chunk0 + d) * 8 + w]) : 0;
  }
  if (thread < TILE * DEPTH) {
    uint d = thread % DEPTH, r = thread / DEPTH;
    bool is_inside = row0 + r < M && chunk0 + d < chunks;

    row_sum[d][r] = is_inside ? sums[(row0 + r) * chunks + chunk0 + d] : 0;
  }
}

void load_columns (uint column0, uint chunk0)
{
  uint thread = gl_LocalInvocationIndex;

  [[unroll]] for (uint i = 0; i < DEPTH; i++) {
    uint at = i * 256 + thread, w = at % 4, d = at / 4 % DEPTH, c = at / (4 * DEPTH);
    bool is_inside = column0 + c < N && chunk0 + d < chunks;
    uint word = is_inside ? b[((column0 + c) * stride + chunk0 + d) * 4 + w] : 0;
    int low = int (word & 0x0f0f0f0fu), high = int ((word >> 4) & 0x0f0f0f0fu);

    tile_b[d][w][c] = low;
    tile_b[d][4 + w][c] = high;
    column_part[d][w][c] = dot4 (low + high, 0x01010101);
    if (w == 0)
      column_scale[d][c] =
          is_inside ? scales[(column0 + c) * n_groups + (chunk0 + d) / group_chunks] : 0.0;
  }
}

void add_chunk (uint d, int zero[4], inout float sum[4][4])
{
  uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
  int product[4][4];

  [[unroll]] for (uint j = 0; j < 4; j++) {
    uint c = tx + 16 * j;
    int total = column_part[d][0][c] + column_part[d][1][c] + column_part[d][2][c]
                + column_part[d][3][c];

    [[unroll]] for (uint i = 0; i < 4; i++)
      product[i][j] = -zero[i] * total - row_sum[d][ty + 16 * i];
  }
  [[unroll]] for (uint w = 0; w < 8; w++) {
    int u[4], v[4];

    [[unroll]] for (uint i = 0; i < 4; i++) {
      u[i] = tile_a[d][w][ty + 16 * i];
      v[i] = tile_b[d][w][tx + 16 * i];
    }
    [[unroll]] for (uint i = 0; i < 4; i++)
      [[unroll]] for (uint j = 0; j < 4; j++)
        product[i][j] += dot4 (u[i], v[j]);
  }
  [[unroll]] for (uint j = 0; j < 4; j++) {
    float scale = column_scale[d][tx + 16 * j];

    [[unroll]] for (uint i = 0; i < 4; i++)
      sum[i][j] = fma (float (product[i][j]), scale, sum[i][j]);
  }
}

void main ()
{
  uint column0 = gl_WorkGroupID.x * TILE, row0 = gl_WorkGroupID.y * TILE;
  uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
  float sum[4][4];
  int zero[4];

  [[unroll]] for (uint i = 0; i < 4; i++) {
    zero[i] = sums[M * chunks + min (row0 + ty + 16 * i, M - 1)];
    [[unroll]] for (uint j = 0; j < 4; j++)
      sum[i][j] = 0.0;
  }
  for (uint chunk = 0; chunk < chunks; chunk += DEPTH) {
    load_rows (row0, chunk);
    load_columns (column0, chunk);
    barrier ();
    [[unroll]] for (uint d = 0; d < DEPTH; d++)
      add_chunk (d, zero, sum);
    barrier ();
  }
  [[unroll]] for (uint i = 0; i < 4; i++)
    [[unroll]] for (uint j = 0; j < 4; j++) {
      uint row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;

      if (row < M && column < N) {
        float v = row_scale[row] * sum[i][j];

        y[row * y_columns + first + column] = HAS_BIAS != 0 ? v + bias[first + column] : v;
      }
    }
}
