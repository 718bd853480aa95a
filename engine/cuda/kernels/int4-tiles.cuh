/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4.cuh"

/*
 * Many rows of activations times int4 weights: prefill. A block computes a tile of the result of
 * WARPS_M * M_TILES * 16 rows and WARPS_N * N_TILES * 8 columns. Activations and packed weights
 * come chunk by chunk into a ring of STAGES in shared memory; weights become bf16 in registers,
 * where they already lie as the tensor cores want them.
 */

#ifdef HAS_BF16

template <int GROUPS, int WARPS_M, int WARPS_N, int M_TILES, int N_TILES, int STAGES>
struct Int4Tiles {
  enum {
    THREADS = WARPS_M * WARPS_N * LANES,
    BLOCK_M = WARPS_M * M_TILES * 16,
    BLOCK_N = WARPS_N * N_TILES * 8,
    LINE = 2 * PT_INT4_CHUNK, /* bytes of a row's chunk */
    PIECES = LINE / 16,
    LINES = THREADS / PIECES, /* copied at a time; a multiple of 8, so that place() repeats */
    ROWS_BYTES = BLOCK_M * LINE,
    WORDS_BYTES = BLOCK_N / 8 * LANES * CHUNK_WORDS * 4,
    STAGE_BYTES = ROWS_BYTES + WORDS_BYTES + GROUPS * BLOCK_N * 4,
  };

  const PtInt4Arguments &p;
  uint8_t *shared;
  int lane, warp_m, warp_n;
  int row, column; /* of the block's tile */

  __device__ __forceinline__
  Int4Tiles (const PtInt4Arguments &arguments, uint8_t *memory)
      : p (arguments), shared (memory)
  {
    lane = lane_id ();
    warp_m = warp_id () / WARPS_N;
    warp_n = warp_id () % WARPS_N;
    row = (int) blockIdx.x * BLOCK_M;
    column = (int) blockIdx.y * BLOCK_N;
  }

  /** Where 16 bytes of a row lie: rows that are read together are in different banks. */
  static __device__ __forceinline__ int
  place (int line, int piece)
  {
    return line * LINE + ((piece ^ (line & 7)) * 16);
  }

  __device__ __forceinline__ void
  copy_chunk (int stage, int chunk)
  {
    uint8_t *rows = shared + stage * STAGE_BYTES;
    uint32_t *words = (uint32_t *) (rows + ROWS_BYTES);
    uint32_t *scales = (uint32_t *) (rows + ROWS_BYTES + WORDS_BYTES);

#pragma unroll
    for (int j = 0; j < BLOCK_N / 8 * LANES / THREADS; j++) {
      int i = (int) threadIdx.x + j * THREADS;
      /* Beyond the last tile: it once more, for nothing. */
      int tile = min (column / 8 + i / LANES, p.n / 8 - 1);

      copy_words<0> (words + i * CHUNK_WORDS,
                     p.weights + (int64_t) tile * p.k + chunk * PT_INT4_CHUNK, i % LANES, p.inner,
                     p.k - chunk * PT_INT4_CHUNK);
    }
    for (int i = (int) threadIdx.x; i < GROUPS * BLOCK_N / 4; i += THREADS) {
      int group = (chunk * PT_INT4_CHUNK >> p.group_shift) + i / (BLOCK_N / 4);
      int n = column + i % (BLOCK_N / 4) * 4;
      bool is_valid = n < p.n && group < p.k >> p.group_shift;

      copy_async_16_kept (scales + i * 4,
                          is_valid ? p.scales + (int64_t) group * p.n + n : p.scales, is_valid);
    }
    copy_rows (rows, chunk * PT_INT4_CHUNK);
  }

  /** The activations' part of a chunk; zeros for rows and k that do not exist. */
  __device__ __forceinline__ void
  copy_rows (uint8_t *to, int k)
  {
    int line = (int) threadIdx.x / PIECES, piece = (int) threadIdx.x % PIECES;
    const uint16_t *from = p.input + (int64_t) (row + line) * p.k + k + piece * 8;

    to += place (line, piece);
    line = k + piece * 8 < p.k ? row + line : p.m;
#pragma unroll
    for (int j = 0; j < BLOCK_M / LINES; j++) {
      copy_async_16_kept (to, line < p.m ? from : p.input, line < p.m);
      to += LINES * LINE;
      from += (int64_t) LINES * p.k;
      line += LINES;
    }
  }

  __device__ __forceinline__ void
  multiply (float sums[M_TILES][N_TILES][4], int stage)
  {
    const uint8_t *rows = shared + stage * STAGE_BYTES;
    const uint32_t *words = (const uint32_t *) (rows + ROWS_BYTES) + lane * CHUNK_WORDS;
    const uint32_t *scales =
        (const uint32_t *) (rows + ROWS_BYTES + WORDS_BYTES) + warp_n * N_TILES * 8 + lane / 4;
    int line = warp_m * M_TILES * 16 + lane % 16;
    uint32_t w[N_TILES][2], scale[N_TILES], zero[N_TILES];

#pragma unroll
    for (int i = 0; i < CHUNK_WORDS; i++) {
      if (i % 2 == 0) {
#pragma unroll
        for (int n = 0; n < N_TILES; n++) {
          uint2 x = *(const uint2 *) (words + (warp_n * N_TILES + n) * LANES * CHUNK_WORDS + i);

          w[n][0] = x.x;
          w[n][1] = x.y;
        }
      }
      if (i * GROUPS % CHUNK_WORDS == 0) {
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
          split_scale (scales[i * GROUPS / CHUNK_WORDS * BLOCK_N + n * 8], &scale[n], &zero[n]);
      }
#pragma unroll
      for (int half = 0; half < 2; half++) {
        uint32_t a[M_TILES][4], b[N_TILES][2];

#pragma unroll
        for (int m = 0; m < M_TILES; m++)
          load_matrices (a[m], rows + place (line + m * 16, i * 4 + half * 2 + lane / 16));
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
#pragma unroll
          for (int j = 0; j < 2; j++)
            b[n][j] = dequantise (w[n][i % 2], half * 2 + j, scale[n], zero[n]);
#pragma unroll
        for (int m = 0; m < M_TILES; m++)
#pragma unroll
          for (int n = 0; n < N_TILES; n++)
            multiply_tile (sums[m][n], a[m][0], a[m][1], a[m][2], a[m][3], b[n][0], b[n][1]);
      }
    }
  }

  __device__ __forceinline__ void
  write (float sums[M_TILES][N_TILES][4])
  {
    int first = column + warp_n * N_TILES * 8 + lane % 4 * 2;

#pragma unroll
    for (int i = 0; i < M_TILES * 2; i++) {
      int m = row + warp_m * M_TILES * 16 + i * 8 + lane / 4;
      int64_t at = (int64_t) m * p.n + first;

      if (m >= p.m)
        return;
#pragma unroll
      for (int n = 0; n < N_TILES; n++) {
        float *pair = sums[i / 2][n] + i % 2 * 2;

        if (first + n * 8 >= p.n)
          break;
        if (gridDim.z > 1)
          *(float2 *) &p.partial[(int64_t) blockIdx.z * p.m * p.n + at + n * 8] =
              make_float2 (pair[0], pair[1]);
        else
          *(uint32_t *) &p.output[at + n * 8] = f32_to_bf16x2 (pair[0], pair[1]);
      }
    }
  }

  __device__ __forceinline__ void
  run ()
  {
    float sums[M_TILES][N_TILES][4] = {};
    int chunk = (int) blockIdx.z * p.slab;
    int end = min (chunk + p.slab, (p.k + PT_INT4_CHUNK - 1) / PT_INT4_CHUNK);
    int stage = 0;

    for (int i = 0; i < STAGES - 1; i++) {
      if (chunk + i < end)
        copy_chunk (i, chunk + i);
      copy_async_commit ();
    }
    for (; chunk < end; chunk++) {
      copy_async_wait<STAGES - 2> ();
      __syncthreads ();
      if (chunk + STAGES - 1 < end)
        copy_chunk (stage == 0 ? STAGES - 1 : stage - 1, chunk + STAGES - 1);
      copy_async_commit ();
      multiply (sums, stage);
      stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    write (sums);
  }
};

template <int GROUPS> using Int4Tiles64 = Int4Tiles<GROUPS, 2, 2, 2, 4, PT_INT4_TILES_64_STAGES>;
template <int GROUPS> using Int4Tiles128 = Int4Tiles<GROUPS, 2, 4, 4, 4, PT_INT4_TILES_128_STAGES>;

#define INT4_TILES_BODY(size, inner, groups)  \
  DYNAMIC_SHARED (shared);                    \
  Int4Tiles##size<groups> kernel (p, shared); \
                                              \
  kernel.run ();
#else
#define INT4_TILES_BODY(size, inner, groups)
#endif

#define INT4_TILES_KERNEL(size, inner, groups)                                              \
  KERNEL __launch_bounds__ (PT_INT4_TILES_##size##_THREADS, PT_INT4_TILES_##size##_BLOCKS)  \
      pt_int4_tiles_##size##_##inner##_##groups (const __grid_constant__ PtInt4Arguments p) \
  {                                                                                         \
    INT4_TILES_BODY (size, inner, groups)                                                   \
  }

PT_INT4_TILES_KERNELS (INT4_TILES_KERNEL)

/** The sum of the slabs' results. */
KERNEL
pt_int4_finish (const __grid_constant__ PtInt4Arguments p)
{
  int64_t n = (int64_t) p.m * p.n;
  int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  if (i >= n)
    return;
  for (int slab = 0; slab < p.slab; slab++)
    sum += p.partial[slab * n + i];
  p.output[i] = f32_to_bf16 (sum);
}
