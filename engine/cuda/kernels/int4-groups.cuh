/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4-block.cuh"

/*
 * Many rows for GPUs of compute capability 9.0, whose tensor cores are fast only when four warps
 * multiply together from shared memory. Here the weights, in registers, are the left factor, with
 * 64 columns of the result for four warps, and the activations are the right factor: the result is
 * transposed.
 */

#ifdef HAS_GROUP_PRODUCTS

template <int INNER, int GROUPS, int SIZE, int STAGES>
struct Int4Groups : Int4Block<INNER, GROUPS, SIZE, SIZE * 2, STAGES> {
  typedef Int4Block<INNER, GROUPS, SIZE, SIZE * 2, STAGES> Block;
  using Block::Block;
  enum { PITCH = 2 * SIZE + 16 }; /* bytes of a row of the result in shared memory */

  /** A warp has two tiles of columns. */
  __device__ __forceinline__ void
  multiply (float sums[SIZE / 2], int stage)
  {
    const uint8_t *rows = this->rows_of (stage);
    const uint32_t *words =
        this->words_of (stage) + (this->warp * 2 * LANES + this->lane) * CHUNK_WORDS;
    const uint32_t *scales =
        this->words_of (stage) + Block::WORDS + this->warp * 16 + this->lane / 4;
    uint4 low = *(const uint4 *) words, high = *(const uint4 *) (words + LANES * CHUNK_WORDS);
    const uint32_t w[2][CHUNK_WORDS] = { { low.x, low.y, low.z, low.w },
                                         { high.x, high.y, high.z, high.w } };
    uint32_t scale[2], zero[2];

#pragma unroll
    for (int i = 0; i < CHUNK_WORDS; i++) {
      if (i * GROUPS % CHUNK_WORDS == 0) {
#pragma unroll
        for (int t = 0; t < 2; t++)
          split_scale (scales[i * GROUPS / CHUNK_WORDS * SIZE + t * 8], &scale[t], &zero[t]);
      }
#pragma unroll
      for (int half = 0; half < 2; half++) {
        int piece = i * 4 + half * 2;
        uint32_t a[4];

#pragma unroll
        for (int j = 0; j < 4; j++)
          a[j] = dequantise (w[j % 2][i], half * 2 + j / 2, scale[j % 2], zero[j % 2]);
        group_begin ();
        multiply_group<SIZE> (sums, a, rows + piece / 8 * SIZE * Block::LINE + piece % 8 * 16);
        group_commit ();
      }
    }
    group_wait ();
  }

  /** Write the result through shared memory, so that rows are written in long pieces. */
  __device__ __forceinline__ void
  write (float sums[SIZE / 2])
  {
    int matrix = this->lane / 8;

    __syncthreads ();
#pragma unroll
    for (int i = 0; i < SIZE / 16; i++) {
      const float *x = sums + i * 8;
      uint32_t pairs[4];
      int line = i * 16 + matrix / 2 * 8 + this->lane % 8;

#pragma unroll
      for (int j = 0; j < 4; j++)
        pairs[j] = f32_to_bf16x2 (x[2 * j], x[2 * j + 1]);
      store_matrices_transposed (
          this->shared + line * PITCH + (this->warp * 16 + matrix % 2 * 8) * 2, pairs);
    }
    __syncthreads ();
#pragma unroll
    for (int j = 0; j < SIZE / 16; j++) {
      int i = (int) threadIdx.x + j * SIZE * 2;
      int line = i / (SIZE / 8), piece = i % (SIZE / 8);
      int m = this->row + line, n = this->column + piece * 8;

      if (m < this->p.m && n < this->p.n)
        *(uint4 *) &this->p.output[(int64_t) m * this->p.n + n] =
            *(const uint4 *) (this->shared + line * PITCH + piece * 16);
    }
  }

  /** The products of one slab. */
  __device__ __forceinline__ void
  write_partial (float sums[SIZE / 2])
  {
#pragma unroll
    for (int i = 0; i < SIZE / 2; i++) {
      int m = this->row + i / 4 * 8 + this->lane % 4 * 2 + i % 2;
      int n = this->column + this->warp * 16 + this->lane / 4 + i / 2 % 2 * 8;

      if (m < this->p.m && n < this->p.n)
        this->p.partial[((int64_t) blockIdx.z * this->p.m + m) * this->p.n + n] = sums[i];
    }
  }

  __device__ __forceinline__ void
  run ()
  {
    float sums[SIZE / 2] = {};

    this->each_chunk ([&] (int stage) { multiply (sums, stage); }, [] () { share_with_groups (); });
    if (gridDim.z > 1)
      write_partial (sums);
    else
      write (sums);
  }
};

#endif
