/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * A row of bf16 times a matrix of bf16, of which each output has one row of weights.
 *
 * The weights are read once, and nothing else takes time. So that all multiprocessors read all the
 * time, a warp takes ROWS rows of weights, of which each lane reads ROW_UNROLL times 16 bytes
 * before it multiplies. Where there are few rows, several warps share them. The first weights are
 * on their way before the kernel that computes the input has ended.
 *
 * A pair is two products with the same input, of which the second is multiplied by SiLU of the
 * first. How many warps share a row decides in which order its products are added; it is the same
 * in a pair as alone, and so are the results.
 */

enum { ROW_WARPS = PT_ROW_THREADS / LANES, ROW_UNROLL = 4, ROW_UNIT = 8 };

/** Adds the products of 8 numbers each, in order. */
DEVICE float
add_products (float sum, uint4 x, uint4 w)
{
  const uint32_t xs[4] = { x.x, x.y, x.z, x.w }, ws[4] = { w.x, w.y, w.z, w.w };

#pragma unroll
  for (int i = 0; i < 4; i++) {
    sum = fmaf (__uint_as_float (xs[i] << 16), __uint_as_float (ws[i] << 16), sum);
    sum = fmaf (__uint_as_float (xs[i] & 0xffff0000u), __uint_as_float (ws[i] & 0xffff0000u), sum);
  }
  return sum;
}

/** @IS_PAIR: the warp takes ROWS / 2 rows of each of two matrices, those of the gate first. */
template <int ROWS, bool IS_PAIR> struct RowProduct {
  enum { EACH = IS_PAIR ? ROWS / 2 : ROWS }; /* rows of one matrix */

  const PtRowArguments &p;
  int part;
  int first; /* row */

  __device__ __forceinline__
  RowProduct (const PtRowArguments &arguments)
      : p (arguments)
  {
    part = warp_id () % p.parts;
    first = ((int) blockIdx.x * (ROW_WARPS / p.parts) + warp_id () / p.parts) * EACH;
  }

  /** Where unit @unit of row @r of the warp is, or of the last ones. */
  __device__ __forceinline__ const uint16_t *
  unit_at (int r, int unit)
  {
    const uint16_t *weights = IS_PAIR && r < EACH ? p.gate_weights : p.weights;

    return weights + (int64_t) min (first + r % EACH, p.n - 1) * p.k +
           (int64_t) min (unit, p.k / ROW_UNIT - 1) * ROW_UNIT;
  }

  /** What load() reads. */
  __device__ __forceinline__ void
  fetch_weights (int from)
  {
#pragma unroll
    for (int u = 0; u < ROW_UNROLL; u++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        fetch (unit_at (r, from + u * p.parts * LANES));
  }

  __device__ __forceinline__ void
  load (uint4 (&w)[ROW_UNROLL][ROWS], int from)
  {
#pragma unroll
    for (int u = 0; u < ROW_UNROLL; u++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        w[u][r] = load_once (unit_at (r, from + u * p.parts * LANES));
  }

  /** This lane's part of the rows, in units of 8 from @at on; @w: what load() gives for @at. */
  __device__ __forceinline__ void
  sum_rows (float (&sums)[ROWS], uint4 (&w)[ROW_UNROLL][ROWS], int at)
  {
    int n_units = p.k / ROW_UNIT, step = p.parts * LANES;

#pragma unroll 1
    while (at < n_units) {
#pragma unroll
      for (int u = 0; u < ROW_UNROLL; u++)
        if (at + u * step < n_units) {
          uint4 x = *(const uint4 *) (p.input + (int64_t) (at + u * step) * ROW_UNIT);

#pragma unroll
          for (int r = 0; r < ROWS; r++)
            sums[r] = add_products (sums[r], x, w[u][r]);
        }
      at += step * ROW_UNROLL;
      if (at < n_units)
        load (w, at);
    }
  }

  /** Row @i of the warp. */
  __device__ __forceinline__ void
  write (int i, float sum)
  {
    if (p.end == PT_ROW_ADD)
      sum += bf16_to_f32 (p.other[first + i]);
    if (p.end == PT_ROW_SILU)
      sum *= silu (bf16_to_f32 (p.other[first + i]));
    p.output[first + i] = f32_to_bf16 (sum);
  }

  __device__ __forceinline__ void
  write_pair (int i, float gate, float sum)
  {
    uint16_t rounded = f32_to_bf16 (gate);

    p.gate_output[first + i] = rounded;
    p.output[first + i] = f32_to_bf16 (sum * silu (bf16_to_f32 (rounded)));
  }

  /** Leaves the sums of the warps that share rows for each other: @shared: [warp][ROWS]. */
  __device__ __forceinline__ void
  run (float (*shared)[ROWS])
  {
    int at = part * LANES + lane_id ();
    float sums[ROWS] = {};
    uint4 w[ROW_UNROLL][ROWS];

    if (p.is_constant)
      load (w, at);
    else
      fetch_weights (at);
    wait_for_earlier ();
    if (!p.is_constant)
      load (w, at);
    if (first < p.n)
      sum_rows (sums, w, at);
    let_later_start ();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      sums[r] = sum_of_warp (sums[r]);
    if (lane_id () == 0)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        shared[warp_id ()][r] = sums[r];
    __syncthreads ();
    if (part > 0 || lane_id () >= EACH || first + lane_id () >= p.n)
      return;
    if (IS_PAIR)
      write_pair (lane_id (), sum_parts (shared, lane_id ()),
                  sum_parts (shared, lane_id () + EACH));
    else
      write (lane_id (), sum_parts (shared, lane_id ()));
  }

  __device__ __forceinline__ float
  sum_parts (float (*shared)[ROWS], int r)
  {
    float sum = 0;

    for (int i = 0; i < p.parts; i++)
      sum += shared[warp_id () + i][r];
    return sum;
  }
};

#define ROW_BODY(rows, is_pair)           \
  __shared__ float shared[ROW_WARPS][rows]; \
  RowProduct<rows, is_pair> product (p);  \
                                          \
  product.run (shared);

#define ROW_KERNEL(rows)                                       \
  KERNEL __launch_bounds__ (PT_ROW_THREADS)                    \
      pt_row_##rows (const __grid_constant__ PtRowArguments p) \
  {                                                            \
    ROW_BODY (rows, false)                                     \
  }

#define ROW_PAIR_KERNEL(rows)                                       \
  KERNEL __launch_bounds__ (PT_ROW_THREADS)                         \
      pt_row_pair_##rows (const __grid_constant__ PtRowArguments p) \
  {                                                                 \
    ROW_BODY (rows, true)                                           \
  }

PT_ROW_KERNELS (ROW_KERNEL)
PT_ROW_PAIR_KERNELS (ROW_PAIR_KERNEL)
