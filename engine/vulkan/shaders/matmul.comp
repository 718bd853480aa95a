#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [batch, M, N] = alpha * a [batch, M, K] . b + beta * bias, in tiles of 64 x 64; each of the 256
// invocations has 4 x 4 sums.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#include "weights.glsl"

#define TILE 64
#define DEPTH 16

layout (local_size_x = 16, local_size_y = 16) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (set = 0, binding = 0) readonly buffer A { float a[]; };
layout (set = 0, binding = 2) readonly buffer C { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint M, N, K;
  uint a_batch, b_batch;      // elements from batch to batch
  uint stride;                // of b
  uint group, n_groups;       // of quantised weights
  uint bias_row, bias_column; // strides of the bias
  float alpha, beta, least, most;
  uint first, y_columns;      // of a piece: as in matvec.comp
};

shared float tile_a[DEPTH][TILE + 1];
shared float tile_b[DEPTH][TILE + 1];

void load_tiles (uint k0, uint row0, uint column0, uint batch)
{
  uint thread = gl_LocalInvocationIndex;

  for (uint i = thread; i < TILE * DEPTH; i += 256) {
    uint k = i % DEPTH, r = i / DEPTH;

    tile_a[k][r] = row0 + r < M && k0 + k < K ? a[batch * a_batch + (row0 + r) * K + k0 + k] : 0.0;
#ifdef W_ROWS
    k = i / TILE;
    r = i % TILE;
#endif
    tile_b[k][r] = column0 + r < N && k0 + k < K
                       ? load_weight (column0 + r, k0 + k, batch * b_batch, stride, group, n_groups)
                       : 0.0;
  }
}

void main ()
{
  uint column0 = gl_WorkGroupID.x * TILE, row0 = gl_WorkGroupID.y * TILE, batch = gl_WorkGroupID.z;
  uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
  float sum[4][4];

  [[unroll]] for (uint i = 0; i < 4; i++)
    [[unroll]] for (uint j = 0; j < 4; j++)
      sum[i][j] = 0.0;
  for (uint k0 = 0; k0 < K; k0 += DEPTH) {
    load_tiles (k0, row0, column0, batch);
    barrier ();
    [[unroll]] for (uint k = 0; k < DEPTH; k++) {
      float u[4], v[4];

      [[unroll]] for (uint i = 0; i < 4; i++) {
        u[i] = tile_a[k][ty + 16 * i];
        v[i] = tile_b[k][tx + 16 * i];
      }
      [[unroll]] for (uint i = 0; i < 4; i++)
        [[unroll]] for (uint j = 0; j < 4; j++)
          sum[i][j] = fma (u[i], v[j], sum[i][j]);
    }
    barrier ();
  }
  [[unroll]] for (uint i = 0; i < 4; i++)
    [[unroll]] for (uint j = 0; j < 4; j++) {
      uint row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;

      if (row < M && column < N) {
        float v = alpha * sum[i][j];

        if (HAS_BIAS != 0)
          v += beta * bias[row * bias_row + (first + column) * bias_column];
        y[(batch * M + row) * y_columns + first + column] = clamp (v, least, most);
      }
    }
}
