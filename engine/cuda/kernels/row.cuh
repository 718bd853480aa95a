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

/** Where unit @unit of row @row is, or of the last ones. */
DEVICE const uint16_t *
row_unit (const PtRowArguments &p, int row, int unit)
{
  return p.weights + (int64_t) min (row, p.n - 1) * p.k +
         (int64_t) min (unit, p.k / ROW_UNIT - 1) * ROW_UNIT;
}

/** What sum_rows() reads first. */
template <int ROWS>
DEVICE void
fetch_rows (const PtRowArguments &p, int first, int from)
{
#pragma unroll
  for (int u = 0; u < ROW_UNROLL; u++)
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      fetch (row_unit (p, first + r, from + u * p.parts * LANES));
}

/** This lane's part of rows @first to @first + ROWS - 1, in units of 8 from @from on. */
template <int ROWS>
DEVICE void
sum_rows (const PtRowArguments &p, int first, int from, float (&sums)[ROWS])
{
  int n_units = p.k / ROW_UNIT, step = p.parts * LANES;

#pragma unroll 1
  for (int at = from; at < n_units; at += step * ROW_UNROLL) {
    uint4 w[ROW_UNROLL][ROWS];

#pragma unroll
    for (int u = 0; u < ROW_UNROLL; u++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        w[u][r] = load_once (row_unit (p, first + r, at + u * step));
#pragma unroll
    for (int u = 0; u < ROW_UNROLL; u++) {
      if (at + u * step < n_units) {
        uint4 x = *(const uint4 *) (p.input + (int64_t) (at + u * step) * ROW_UNIT);

#pragma unroll
        for (int r = 0; r < ROWS; r++)
          sums[r] = add_products (sums[r], x, w[u][r]);
      }
    }
  }
}

DEVICE void
write_row (const PtRowArguments &p, int row, float sum)
{
  if (row >= p.n)
    return;
  if (p.end == PT_ROW_ADD)
    sum += bf16_to_f32 (p.other[row]);
  if (p.end == PT_ROW_SILU)
    sum *= silu (bf16_to_f32 (p.other[row]));
  p.output[row] = f32_to_bf16 (sum);
}

template <int ROWS>
DEVICE void
row_product (const PtRowArguments &p)
{
  __shared__ float parts[ROW_WARPS][ROWS];
  int group = warp_id () / p.parts, part = warp_id () % p.parts;
  int first = ((int) blockIdx.x * (ROW_WARPS / p.parts) + group) * ROWS;
  float sums[ROWS] = {};

  if (first < p.n)
    fetch_rows<ROWS> (p, first, part * LANES + lane_id ());
  wait_for_earlier ();
  if (first < p.n)
    sum_rows<ROWS> (p, first, part * LANES + lane_id (), sums);
  let_later_start ();
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    sums[r] = sum_of_warp (sums[r]);
  if (lane_id () == 0)
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      parts[warp_id ()][r] = sums[r];
  __syncthreads ();
  if (part == 0 && lane_id () < ROWS) {
    float sum = 0;

    for (int i = 0; i < p.parts; i++)
      sum += parts[warp_id () + i][lane_id ()];
    write_row (p, first + lane_id (), sum);
  }
}

#define ROW_KERNEL(rows)                                       \
  KERNEL __launch_bounds__ (PT_ROW_THREADS)                    \
      pt_row_##rows (const __grid_constant__ PtRowArguments p) \
  {                                                            \
    row_product<rows> (p);                                     \
  }

PT_ROW_KERNELS (ROW_KERNEL)
