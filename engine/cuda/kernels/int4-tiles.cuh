/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4-block.cuh"

#ifdef HAS_BF16

/** Each warp multiplies M_TILES * 16 rows by N_TILES * 8 columns. */
template <int INNER, int GROUPS, int WARPS_M, int WARPS_N, int M_TILES, int N_TILES, int STAGES>
struct Int4Tiles
    : Int4Block<INNER, GROUPS, WARPS_M * M_TILES * 16, WARPS_M * WARPS_N * LANES, STAGES> {
  typedef Int4Block<INNER, GROUPS, WARPS_M * M_TILES * 16, WARPS_M * WARPS_N * LANES, STAGES> Block;
  using Block::Block;
  enum { SIZE = WARPS_M * M_TILES * 16 };
  static_assert (SIZE == WARPS_N * N_TILES * 8, "blocks are square");

  __device__ __forceinline__ void
  multiply (float sums[M_TILES][N_TILES][4], int stage)
  {
    int warp_m = this->warp / WARPS_N, warp_n = this->warp % WARPS_N;
    int lane = this->lane, line = warp_m * M_TILES * 16 + lane % 16;
    const uint8_t *rows = this->rows_of (stage);
    const uint32_t *words =
        this->words_of (stage) + (warp_n * N_TILES * LANES + lane) * CHUNK_WORDS;
    const uint32_t *scales =
        this->words_of (stage) + Block::WORDS + warp_n * N_TILES * 8 + lane / 4;
    uint32_t w[N_TILES][2], scale[N_TILES], zero[N_TILES];

#pragma unroll
    for (int i = 0; i < CHUNK_WORDS; i++) {
      if (i % 2 == 0) {
#pragma unroll
        for (int n = 0; n < N_TILES; n++) {
          uint2 x = *(const uint2 *) (words + n * LANES * CHUNK_WORDS + i);

          w[n][0] = x.x;
          w[n][1] = x.y;
        }
      }
      if (i * GROUPS % CHUNK_WORDS == 0) {
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
          split_scale (scales[i * GROUPS / CHUNK_WORDS * SIZE + n * 8], &scale[n], &zero[n]);
      }
#pragma unroll
      for (int half = 0; half < 2; half++) {
        uint32_t a[M_TILES][4], b[N_TILES][2];

#pragma unroll
        for (int m = 0; m < M_TILES; m++)
          load_matrices (a[m], rows + Block::place (line + m * 16, i * 4 + half * 2 + lane / 16));
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
    int first_m = this->row + this->warp / WARPS_N * M_TILES * 16 + this->lane / 4;
    int first_n = this->column + this->warp % WARPS_N * N_TILES * 8 + this->lane % 4 * 2;

#pragma unroll
    for (int i = 0; i < M_TILES * 2; i++) {
      if (first_m + i * 8 >= this->p.m)
        return;
#pragma unroll
      for (int n = 0; n < N_TILES; n++)
        if (first_n + n * 8 < this->p.n)
          this->write_pair (first_m + i * 8, first_n + n * 8, sums[i / 2][n][i % 2 * 2],
                            sums[i / 2][n][i % 2 * 2 + 1]);
    }
  }

  __device__ __forceinline__ void
  run ()
  {
    float sums[M_TILES][N_TILES][4] = {};

    this->each_chunk ([&] (int stage) { multiply (sums, stage); }, [] () {});
    write (sums);
  }
};

template <int INNER, int GROUPS>
using Int4Tiles64 = Int4Tiles<INNER, GROUPS, 2, 2, 2, 4, PT_INT4_TILES_64_STAGES>;
template <int INNER, int GROUPS>
using Int4Tiles128 = Int4Tiles<INNER, GROUPS, 2, 4, 4, 4, PT_INT4_TILES_128_STAGES>;

#endif
