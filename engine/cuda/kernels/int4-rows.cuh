/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4.cuh"

/*
 * Few rows of activations times int4 weights: decoding. What counts is to keep many reads of
 * weights under way.
 *
 * The warps of a block share TILES tiles at a time and split k between them chunk by chunk. Each
 * has a ring of STAGES chunks in shared memory, filled ahead over the ends of tiles, and needs no
 * other warp but for the sum at the end of a tile. The activations of a warp's chunks lie in shared
 * memory for the life of the block, which goes through tiles gridDim.x apart.
 */

#ifdef HAS_BF16

/** @GROUPS: of weights in a chunk, each with its scales: 4, 2 or 1. @INNER: as for copy_words(). */
template <int ROWS, int INNER, int GROUPS, int TILES, int WARPS, int STAGES> struct Int4Rows {
  enum {
    COLUMNS = TILES * 8,
    WORDS = TILES * LANES * CHUNK_WORDS,
    STAGE_WORDS = WORDS + GROUPS * COLUMNS,
    SUMS = ROWS * COLUMNS,
    AREA_BYTES = WARPS * SUMS * 4,
  };

  const PtInt4Arguments &p;
  int warp, lane;
  int first_chunk; /* of the warp */
  int n_chunks;    /* of the warp, WARPS apart */
  int n_strips;    /* of TILES tiles */
  float *areas;    /* two, for sums */
  uint32_t *ring;
  uint8_t *rows;
  int ahead_strip, ahead_index; /* what is copied next, and from where */
  const uint32_t *ahead_words, *ahead_scales;

  __device__ __forceinline__
  Int4Rows (const PtInt4Arguments &arguments, uint8_t *shared)
      : p (arguments)
  {
    int slab = (int) blockIdx.y * p.slab;
    int end = min (slab + p.slab, (p.k + PT_INT4_CHUNK - 1) / PT_INT4_CHUNK);
    int most = (p.slab + WARPS - 1) / WARPS;

    warp = warp_id ();
    lane = lane_id ();
    first_chunk = slab + warp;
    n_chunks = end > first_chunk ? (end - first_chunk + WARPS - 1) / WARPS : 0;
    n_strips = (p.n / 8 + TILES - 1) / TILES;
    areas = (float *) shared;
    ring = (uint32_t *) (shared + 2 * AREA_BYTES) + warp * STAGES * STAGE_WORDS;
    rows = shared + 2 * AREA_BYTES + WARPS * STAGES * STAGE_WORDS * 4 +
           warp * most * p.m * PT_INT4_LINE;
    ahead_strip = n_chunks > 0 ? (int) blockIdx.x : n_strips;
    begin_strip ();
  }

  __device__ __forceinline__ void
  begin_strip ()
  {
    int column = lane % (COLUMNS / 4) * 4 + ahead_strip * COLUMNS;
    int group = (first_chunk * PT_INT4_CHUNK >> p.group_shift) + lane / (COLUMNS / 4);

    ahead_index = 0;
    ahead_words = p.weights + (int64_t) ahead_strip * TILES * p.k + first_chunk * PT_INT4_CHUNK;
    /* Beyond the last column: the first, for nothing. */
    ahead_scales = p.scales + (int64_t) group * p.n + (column < p.n ? column : 0);
  }

  /** The warp's part of the activations: a line of 128 for each of its chunks and rows. */
  __device__ __forceinline__ void
  copy_rows ()
  {
    int piece = lane % 16 * 8;

#pragma unroll 1
    for (int index = 0; index < n_chunks; index++) {
      int k = (first_chunk + index * WARPS) * PT_INT4_CHUNK + piece;
      uint8_t *line = rows + index * p.m * PT_INT4_LINE + piece * 2;

#pragma unroll 1
      for (int row = lane / 16; row < p.m; row += 2)
        copy_async_16_kept (line + row * PT_INT4_LINE,
                            p.input + (k < p.k ? (int64_t) row * p.k + k : 0), k < p.k);
    }
  }

  /** Begin to copy the next chunk to @stage, if there is one. */
  __device__ __forceinline__ void
  copy_next (int stage)
  {
    uint32_t *to = ring + stage * STAGE_WORDS;
    int k = (first_chunk + ahead_index * WARPS) * PT_INT4_CHUNK;

    if (ahead_strip >= n_strips)
      return;
#pragma unroll
    for (int t = 0; t < TILES; t++) {
      /* Beyond the last tile: the first of the strip, for nothing. */
      int64_t offset = t > 0 && ahead_strip * TILES + t < p.n / 8 ? (int64_t) t * p.k : 0;

      copy_words<INNER> (to + (t * LANES + lane) * CHUNK_WORDS, ahead_words + offset, lane, p.inner,
                         p.k - k);
    }
    if (lane < GROUPS * COLUMNS / 4) {
      bool is_valid = INNER == 8 || k + lane / (COLUMNS / 4) * (PT_INT4_CHUNK / GROUPS) < p.k;

      copy_async_16_kept (to + WORDS + lane * 4, is_valid ? ahead_scales : p.scales, is_valid);
    }
    ahead_words += WARPS * PT_INT4_CHUNK;
    ahead_scales += (int64_t) (WARPS * PT_INT4_CHUNK >> p.group_shift) * p.n;
    if (++ahead_index == n_chunks) {
      ahead_strip += (int) gridDim.x;
      begin_strip ();
    }
  }

  /**
   * Add the products of the chunk in @stage with the activations at @line.
   *
   * Up to 8 rows fill half a fragment. To load four parts of their k at once, and have them where
   * the product wants them, the second and fourth are given to it as rows 8 to 15. So each of the
   * two products of a word makes sense in one half of its result: the first in rows 0 to 7, the
   * second in the others.
   */
  __device__ __forceinline__ void
  multiply (float sums[TILES][2][4], int stage, const uint8_t *line)
  {
    const uint32_t *words = ring + stage * STAGE_WORDS;
    uint32_t w[TILES][CHUNK_WORDS], scale[TILES], zero[TILES];

#pragma unroll
    for (int t = 0; t < TILES; t++) {
      uint4 x = *(const uint4 *) (words + (t * LANES + lane) * CHUNK_WORDS);

      w[t][0] = x.x;
      w[t][1] = x.y;
      w[t][2] = x.z;
      w[t][3] = x.w;
    }
#pragma unroll
    for (int i = 0; i < CHUNK_WORDS; i++) {
      uint32_t a[2][4];

      load_matrices (a[0], line + i * 64);
      if (ROWS > 8)
        load_matrices (a[1], line + i * 64 + 32);
      if (i * GROUPS % CHUNK_WORDS == 0) {
        const uint32_t *scales = words + WORDS + i * GROUPS / CHUNK_WORDS * COLUMNS + lane / 4;

#pragma unroll
        for (int t = 0; t < TILES; t++)
          split_scale (scales[t * 8], &scale[t], &zero[t]);
      }
#pragma unroll
      for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const uint32_t *rows16 = a[ROWS > 8 ? half : 0];
          int first = ROWS > 8 ? 2 * half : half;
          int second = ROWS > 8 ? first + 1 : first + 2;

          multiply_tile (sums[t][half], rows16[0], rows16[1], rows16[2], rows16[3],
                         dequantise (w[t][i], first, scale[t], zero[t]),
                         dequantise (w[t][i], second, scale[t], zero[t]));
        }
    }
  }

  /** The block's sum of what its warps have, written to the output. */
  __device__ __forceinline__ void
  finish (float sums[TILES][2][4], int strip, float *area)
  {
    float *to = area + warp * SUMS + lane / 4 * COLUMNS + lane % 4 * 2;
    int row = (int) threadIdx.x / COLUMNS;
    int n = strip * COLUMNS + (int) threadIdx.x % COLUMNS;
    float sum = 0;

#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
      for (int half = 0; half < ROWS / 8; half++) {
        const float *x = sums[t][0] + half * 2;
        const float *y = sums[t][1] + (ROWS > 8 ? half * 2 : 2);

        *(float2 *) (to + half * 8 * COLUMNS + t * 8) = make_float2 (x[0] + y[0], x[1] + y[1]);
      }
    __syncthreads ();
    if (row >= p.m || n >= p.n)
      return;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
      sum += area[w * SUMS + threadIdx.x];
    if (gridDim.y > 1)
      p.partial[((int64_t) blockIdx.y * p.m + row) * p.n + n] = sum;
    else
      p.output[(int64_t) row * p.n + n] = f32_to_bf16 (sum);
  }

  __device__ __forceinline__ void
  run ()
  {
    /* What a lane names to load_matrices(). Rows that do not exist repeat the first; nobody looks
     * at what becomes of them. */
    int row = lane % ROWS < p.m ? lane % ROWS : 0;
    const uint8_t *line = rows + row * PT_INT4_LINE + lane / ROWS * 16;
    int stage = 0, turn = 0;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
      copy_next (i);
      if (i == 0)
        copy_rows ();
      copy_async_commit ();
    }
#pragma unroll 1
    for (int strip = (int) blockIdx.x; strip < n_strips; strip += (int) gridDim.x) {
      float sums[TILES][2][4] = {};

#pragma unroll 1
      for (int index = 0; index < n_chunks; index++) {
        copy_async_wait<STAGES - 2> ();
        __syncwarp ();
        copy_next (stage == 0 ? STAGES - 1 : stage - 1);
        copy_async_commit ();
        multiply (sums, stage, line + index * p.m * PT_INT4_LINE);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      /* Two areas in turn: nobody waits for those who still read the last one. */
      finish (sums, strip, areas + turn * WARPS * SUMS);
      turn ^= 1;
    }
  }
};

#define INT4_ROWS_BODY(rows, inner, groups)                                                  \
  DYNAMIC_SHARED (shared);                                                                   \
  Int4Rows<rows, inner, groups, PT_INT4_ROWS_TILES, PT_INT4_ROWS_WARPS, PT_INT4_ROWS_STAGES> \
      kernel (p, shared);                                                                    \
                                                                                             \
  kernel.run ();
#else
#define INT4_ROWS_BODY(rows, inner, groups)
#endif

#define INT4_ROWS_KERNEL(rows, inner, groups)                                              \
  KERNEL __launch_bounds__ (PT_INT4_ROWS_WARPS *LANES)                                     \
      pt_int4_rows_##rows##_##inner##_##groups (const __grid_constant__ PtInt4Arguments p) \
  {                                                                                        \
    INT4_ROWS_BODY (rows, inner, groups)                                                   \
  }

PT_INT4_ROWS_KERNELS (INT4_ROWS_KERNEL)
