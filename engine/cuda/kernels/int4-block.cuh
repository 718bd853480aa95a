/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4.cuh"

/*
 * Many rows of activations times int4 weights, for prefill. A block computes SIZE rows and columns
 * of the result. Activations and packed weights are copied chunk by chunk to a ring of STAGES in
 * shared memory. Weights are converted to bf16 in registers, where they already have the order of
 * the tensor cores' fragments.
 *
 * This file copies the chunks; int4-tiles.cuh and int4-groups.cuh multiply them.
 */

#ifdef HAS_BF16

template <int INNER, int GROUPS, int SIZE, int THREADS, int STAGES> struct Int4Block {
  enum {
    LINE = 128, /* contiguous bytes of a row: half of a chunk */
    PIECES = PT_INT4_CHUNK / 8,
    LINES = THREADS / PIECES, /* rows copied at a time; a multiple of 8, so that place() repeats */
    ROWS_BYTES = SIZE * 2 * PT_INT4_CHUNK,
    WORDS = SIZE / 8 * LANES * CHUNK_WORDS,
    STAGE_WORDS = WORDS + GROUPS * SIZE,
  };

  const PtInt4Arguments &p;
  uint8_t *shared; /* layout: the rows of all stages, then the words and scales of all stages */
  int lane, warp;
  int row, column; /* the position of the block's part of the result */

  __device__ __forceinline__
  Int4Block (const PtInt4Arguments &arguments, uint8_t *memory)
      : p (arguments), shared (memory)
  {
    lane = lane_id ();
    warp = warp_id ();
    row = (int) blockIdx.x * SIZE;
    column = (int) blockIdx.y * SIZE;
  }

  __device__ __forceinline__ uint8_t *
  rows_of (int stage)
  {
    return shared + stage * ROWS_BYTES;
  }

  __device__ __forceinline__ uint32_t *
  words_of (int stage)
  {
    return (uint32_t *) (shared + STAGES * ROWS_BYTES) + stage * STAGE_WORDS;
  }

  /**
   * The position of 8 numbers of a row in a stage. Rows that are read together are in different
   * banks. The order is the "128-byte swizzle" of the tensor cores of compute capability 9.0.
   */
  static __device__ __forceinline__ int
  place (int line, int piece)
  {
    return (piece / 8 * SIZE + line) * LINE + ((piece ^ line) & 7) * 16;
  }

  /** Copy the activations of a chunk. Rows and columns beyond the matrix become zeros. */
  __device__ __forceinline__ void
  copy_rows (uint8_t *to, int k)
  {
    int line = (int) threadIdx.x / PIECES, piece = (int) threadIdx.x % PIECES;
    const uint16_t *from = p.input + (int64_t) (row + line) * p.k + k + piece * 8;

    to += place (line, piece);
    line = k + piece * 8 < p.k ? row + line : p.m;
#pragma unroll
    for (int i = 0; i < SIZE / LINES; i++) {
      copy_async_16_kept (to, line < p.m ? from : p.input, line < p.m);
      to += LINES * LINE;
      from += (int64_t) LINES * p.k;
      line += LINES;
    }
  }

  __device__ __forceinline__ void
  copy_chunk (int stage, int chunk)
  {
    uint32_t *words = words_of (stage);

#pragma unroll
    for (int j = 0; j < SIZE / 8 * LANES / THREADS; j++) {
      int i = (int) threadIdx.x + j * THREADS;
      /* Beyond the last tile, the last one is copied again and ignored. */
      int tile = min (column / 8 + i / LANES, p.n / 8 - 1);

      copy_words<INNER> (words + i * CHUNK_WORDS,
                         p.weights + (int64_t) tile * p.k + chunk * PT_INT4_CHUNK, i % LANES,
                         p.inner, p.k - chunk * PT_INT4_CHUNK);
    }
    for (int i = (int) threadIdx.x; i < GROUPS * SIZE / 4; i += THREADS) {
      int group = (chunk * PT_INT4_CHUNK >> p.group_shift) + i / (SIZE / 4);
      int n = column + i % (SIZE / 4) * 4;
      bool is_valid = n < p.n && group < p.k >> p.group_shift;

      copy_async_16_kept (words + WORDS + i * 4,
                          is_valid ? p.scales + (int64_t) group * p.n + n : p.scales, is_valid);
    }
    copy_rows (rows_of (stage), chunk * PT_INT4_CHUNK);
  }

  /**
   * Call @multiply (stage) for each chunk of the block's slab. @share () is called before other
   * threads read the copies.
   */
  template <typename Multiply, typename Share>
  __device__ __forceinline__ void
  each_chunk (Multiply multiply, Share share)
  {
    int chunk = (int) blockIdx.z * p.slab;
    int end = min (chunk + p.slab, (p.k + PT_INT4_CHUNK - 1) / PT_INT4_CHUNK);
    int stage = 0;

    for (int i = 0; i < STAGES - 1; i++) {
      if (chunk + i < end)
        copy_chunk (i, chunk + i);
      copy_async_commit ();
    }
#pragma unroll 1
    for (; chunk < end; chunk++) {
      copy_async_wait<STAGES - 2> ();
      share ();
      __syncthreads ();
      if (chunk + STAGES - 1 < end)
        copy_chunk (stage == 0 ? STAGES - 1 : stage - 1, chunk + STAGES - 1);
      copy_async_commit ();
      multiply (stage);
      stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
  }

  /** Write two neighbours of a row of the result; @n is even. */
  __device__ __forceinline__ void
  write_pair (int m, int n, float first, float second)
  {
    int64_t at = (int64_t) m * p.n + n;

    if (gridDim.z > 1)
      *(float2 *) &p.partial[(int64_t) blockIdx.z * p.m * p.n + at] = make_float2 (first, second);
    else
      *(uint32_t *) &p.output[at] = f32_to_bf16x2 (first, second);
  }
};

#endif
