#version 450
// SPDX-License-Identifier: BSD-3-Clause
// matmul-dot.comp by matrix instructions for bytes (VK_KHR_cooperative_matrix): tiles of ROWS x
// COLUMNS, of which each subgroup has PART_ROWS x PART_COLUMNS. While DEPTH chunks of 32 elements
// are multiplied from one half of the shared memory, the next ones come from the buffers and go,
// weights as bytes less 8, to the other half. Sums of a chunk are integers, which are multiplied
// with the scales of the columns; zero points are multiplied with the sum of a column at the end.
#extension GL_EXT_control_flow_attributes : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require

#define DEPTH 4
#define STRIDE (DEPTH * 2 + 1) // of a row of a tile, in 16 bytes; one more against conflicts

layout (local_size_x_id = 1) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint THREADS = 128;
// of an instruction: M_SIZE x K_SIZE by K_SIZE x N_SIZE
layout (constant_id = 2) const uint M_SIZE = 16;
layout (constant_id = 3) const uint N_SIZE = 16;
layout (constant_id = 4) const uint K_SIZE = 32;
layout (constant_id = 5) const uint ROWS = 64;
layout (constant_id = 6) const uint COLUMNS = 64;
layout (constant_id = 7) const uint PART_ROWS = 32;
layout (constant_id = 8) const uint PART_COLUMNS = 32;
layout (set = 0, binding = 0) readonly buffer A { uvec4 words[]; };
layout (set = 0, binding = 1) readonly buffer B { uvec4 b[]; };
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
};

// Of 16 bytes of a row, and of a chunk of a column, for each invocation.
const uint ROW_ITEMS = (ROWS * DEPTH * 2 + THREADS - 1) / THREADS;
const uint COLUMN_ITEMS = (COLUMNS * DEPTH + THREADS - 1) / THREADS;
const uint DOWN = PART_ROWS / M_SIZE, ACROSS = PART_COLUMNS / N_SIZE, STEPS = 32 / K_SIZE;

shared uvec4 tile_a[2 * ROWS * STRIDE];
shared uvec4 tile_b[2 * COLUMNS * STRIDE];
shared float column_scale[2 * DEPTH * COLUMNS];
shared int positions[M_SIZE * N_SIZE];

// What comes next: read, and not yet stored.
uvec4 row_words[ROW_ITEMS];
uvec4 column_words[COLUMN_ITEMS];
float column_factor[COLUMN_ITEMS];
float column_sum[COLUMN_ITEMS]; // of this invocation's weights times their scales

#define SUMS(T) coopmat<T, gl_ScopeSubgroup, M_SIZE, N_SIZE, gl_MatrixUseAccumulator>

SUMS (float) sum[DOWN][ACROSS];

// Less 8, as bytes: no byte borrows from the next.
uvec4 weights (uvec4 nibbles)
{
  return ((nibbles | 0x80808080u) - 0x08080808u) ^ 0x80808080u;
}

int sum_of (uvec4 w)
{
  uvec4 v = (w & 0x0f0f0f0fu) + ((w >> 4) & 0x0f0f0f0fu);
  uint bytes = v.x + v.y + v.z + v.w;
  uint halves = (bytes & 0x00ff00ffu) + ((bytes >> 8) & 0x00ff00ffu);

  return int (halves & 0xffffu) + int (halves >> 16) - 32 * 8;
}

void fetch (uint row0, uint column0, uint chunk0)
{
  [[unroll]] for (uint i = 0; i < ROW_ITEMS; i++) {
    uint at = i * THREADS + gl_LocalInvocationIndex, part = at % (2 * DEPTH), r = at / (2 * DEPTH);
    uint row = min (row0 + r, M - 1), chunk = min (chunk0 + part / 2, chunks - 1);

    row_words[i] = words[(row * chunks + chunk) * 2 + part % 2];
  }
  [[unroll]] for (uint i = 0; i < COLUMN_ITEMS; i++) {
    uint at = i * THREADS + gl_LocalInvocationIndex, d = at % DEPTH, c = at / DEPTH;
    uint column = min (column0 + c, N - 1), chunk = min (chunk0 + d, chunks - 1);

    column_words[i] = b[column * stride + chunk];
    // What lies behind the last chunk counts nothing.
    column_factor[i] =
        chunk0 + d < chunks ? scales[column * n_groups + chunk / group_chunks] : 0.0;
  }
}

void store (uint side)
{
  [[unroll]] for (uint i = 0; i < ROW_ITEMS; i++) {
    uint at = i * THREADS + gl_LocalInvocationIndex, part = at % (2 * DEPTH), r = at / (2 * DEPTH);

    if (r < ROWS)
      tile_a[(side * ROWS + r) * STRIDE + part] = row_words[i];
  }
  [[unroll]] for (uint i = 0; i < COLUMN_ITEMS; i++) {
    uint at = i * THREADS + gl_LocalInvocationIndex, d = at % DEPTH, c = at / DEPTH;
    uint to = (side * COLUMNS + c) * STRIDE + 2 * d;
    uvec4 w = column_words[i];

    if (c < COLUMNS) {
      tile_b[to] = weights (w & 0x0f0f0f0fu);
      tile_b[to + 1] = weights ((w >> 4) & 0x0f0f0f0fu);
      column_scale[(side * DEPTH + d) * COLUMNS + c] = column_factor[i];
      column_sum[i] = fma (float (sum_of (w)), column_factor[i], column_sum[i]);
    }
  }
}

void multiply (uint side, uint d, uint part_row, uint part_column)
{
  coopmat<int8_t, gl_ScopeSubgroup, M_SIZE, K_SIZE, gl_MatrixUseA> u[DOWN][STEPS];

  [[unroll]] for (uint i = 0; i < DOWN; i++)
    [[unroll]] for (uint k = 0; k < STEPS; k++)
      coopMatLoad (u[i][k], tile_a,
                   (side * ROWS + part_row + i * M_SIZE) * STRIDE + 2 * d + k * K_SIZE / 16, STRIDE,
                   gl_CooperativeMatrixLayoutRowMajor);
  [[unroll]] for (uint j = 0; j < ACROSS; j++) {
    coopmat<int8_t, gl_ScopeSubgroup, K_SIZE, N_SIZE, gl_MatrixUseB> v[STEPS];
    uint column = part_column + j * N_SIZE;
    SUMS (float) scale;

    // The same row again and again.
    coopMatLoad (scale, column_scale, (side * DEPTH + d) * COLUMNS + column, 0,
                 gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint k = 0; k < STEPS; k++)
      coopMatLoad (v[k], tile_b,
                   (side * COLUMNS + column) * STRIDE + 2 * d + k * K_SIZE / 16, STRIDE,
                   gl_CooperativeMatrixLayoutColumnMajor);
    [[unroll]] for (uint i = 0; i < DOWN; i++) {
      SUMS (int) product = SUMS (int) (0);

      [[unroll]] for (uint k = 0; k < STEPS; k++)
        product = coopMatMulAdd (u[i][k], v[k], product);
      sum[i][j] = sum[i][j] + SUMS (float) (product) * scale;
    }
  }
}

// The columns' sums, which take the place of the scales; then y.
void finish (uint row0, uint column0, uint part_row, uint part_column)
{
  SUMS (int) position;

  coopMatLoad (position, positions, 0, N_SIZE, gl_CooperativeMatrixLayoutRowMajor);
  [[unroll]] for (uint i = 0; i < COLUMN_ITEMS; i++) {
    uint at = i * THREADS + gl_LocalInvocationIndex;

    if (at < DEPTH * COLUMNS)
      column_scale[at % DEPTH * COLUMNS + at / DEPTH] = column_sum[i];
  }
  barrier ();
  [[unroll]] for (uint i = 0; i < DOWN; i++)
    [[unroll]] for (uint j = 0; j < ACROSS; j++)
      [[unroll]] for (uint e = 0; e < position.length (); e++) {
        uint r = part_row + i * M_SIZE + uint (position[e]) / N_SIZE, row = row0 + r;
        uint c = part_column + j * N_SIZE + uint (position[e]) % N_SIZE, column = column0 + c;

        if (row < M && column < N) {
          float total = column_scale[c], zero = float (sums[M * chunks + row]), v;

          [[unroll]] for (uint d = 1; d < DEPTH; d++)
            total += column_scale[d * COLUMNS + c];
          v = row_scale[row] * fma (-zero, total, sum[i][j][e]);
          y[row * N + column] = HAS_BIAS != 0 ? v + bias[column] : v;
        }
      }
}

void main ()
{
  uint column0 = gl_WorkGroupID.x * COLUMNS, row0 = gl_WorkGroupID.y * ROWS;
  uint part_row = gl_SubgroupID % (ROWS / PART_ROWS) * PART_ROWS;
  uint part_column = gl_SubgroupID / (ROWS / PART_ROWS) * PART_COLUMNS;
  uint side = 0;

  for (uint i = gl_LocalInvocationIndex; i < M_SIZE * N_SIZE; i += THREADS)
    positions[i] = int (i);
  [[unroll]] for (uint i = 0; i < DOWN; i++)
    [[unroll]] for (uint j = 0; j < ACROSS; j++)
      sum[i][j] = SUMS (float) (0.0);
  [[unroll]] for (uint i = 0; i < COLUMN_ITEMS; i++)
    column_sum[i] = 0.0;
  fetch (row0, column0, 0);
  store (0);
  barrier ();
  for (uint chunk = DEPTH; chunk < chunks + DEPTH; chunk += DEPTH) {
    if (chunk < chunks)
      fetch (row0, column0, chunk);
    [[unroll]] for (uint d = 0; d < DEPTH; d++)
      multiply (side, d, part_row, part_column);
    side ^= 1;
    if (chunk < chunks)
      store (side);
    barrier ();
  }
  finish (row0, column0, part_row, part_column);
}
