/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * RMSNorm of a sum of vectors, in one block. Each thread keeps its numbers in registers, so all
 * inputs are read once and at the same time.
 */

enum { NORM_UNIT = 8, NORM_WARPS = PT_NORM_THREADS / LANES };

/** 8 numbers of bf16. */
struct NormUnit {
  uint32_t x[NORM_UNIT / 2];
};

DEVICE uint32_t
pair_of (float low, float high)
{
  return (uint32_t) f32_to_bf16 (high) << 16 | f32_to_bf16 (low);
}

DEVICE NormUnit
load_unit (const uint16_t *from, int unit)
{
  uint4 x = *(const uint4 *) (from + (int64_t) unit * NORM_UNIT);

  return { { x.x, x.y, x.z, x.w } };
}

DEVICE void
store_unit (uint16_t *to, int unit, const NormUnit &x)
{
  *(uint4 *) (to + (int64_t) unit * NORM_UNIT) = make_uint4 (x.x[0], x.x[1], x.x[2], x.x[3]);
}

DEVICE void
add_unit (NormUnit &sum, const NormUnit &x)
{
#pragma unroll
  for (int i = 0; i < NORM_UNIT / 2; i++)
    sum.x[i] = pair_of (low_of (sum.x[i]) + low_of (x.x[i]), high_of (sum.x[i]) + high_of (x.x[i]));
}

/** The row of the token; not numbers if there is none. */
DEVICE NormUnit
load_token (const PtNormArguments &p, int unit)
{
  const uint32_t none = 0x7fc07fc0;
  int64_t row = *p.token;

  row += row < 0 ? p.rows : 0;
  if (row < 0 || row >= p.rows)
    return { { none, none, none, none } };
  return load_unit (p.table + row * p.n, unit);
}

DEVICE NormUnit
sum_unit (const PtNormArguments &p, int unit)
{
  NormUnit inputs[PT_NORM_INPUTS] = {}, sum = {};

#pragma unroll
  for (int i = 0; i < PT_NORM_INPUTS; i++)
    if (i < p.n_inputs)
      inputs[i] = load_unit (p.inputs[i], unit);
  if (p.token != NULL)
    sum = load_token (p, unit);
#pragma unroll
  for (int i = 0; i < PT_NORM_INPUTS; i++)
    if (i < p.n_inputs) {
      if (i == 0 && p.token == NULL)
        sum = inputs[0];
      else
        add_unit (sum, inputs[i]);
    }
  return sum;
}

/** The sum over all threads of the block, in all of them. */
DEVICE float
add_threads (float x)
{
  __shared__ float sums[NORM_WARPS];
  int lane = lane_id ();

  x = sum_of_warp (x);
  if (lane == 0)
    sums[warp_id ()] = x;
  __syncthreads ();
  return sum_of_warp (lane < (int) blockDim.x / LANES ? sums[lane] : 0.0f);
}

KERNEL
__launch_bounds__ (PT_NORM_THREADS) pt_norm (const __grid_constant__ PtNormArguments p)
{
  NormUnit sums[PT_NORM_UNITS] = {}, weights[PT_NORM_UNITS] = {};
  int n_units = p.n / NORM_UNIT;
  float squares = 0, factor;

#pragma unroll
  for (int u = 0; u < PT_NORM_UNITS; u++)
    if ((int) (threadIdx.x + u * blockDim.x) < n_units)
      fetch (p.weights + (threadIdx.x + u * blockDim.x) * NORM_UNIT);
  wait_for_earlier ();
  let_later_start ();
#pragma unroll
  for (int u = 0; u < PT_NORM_UNITS; u++)
    if ((int) (threadIdx.x + u * blockDim.x) < n_units)
      weights[u] = load_unit (p.weights, (int) (threadIdx.x + u * blockDim.x));
#pragma unroll
  for (int u = 0; u < PT_NORM_UNITS; u++)
    if ((int) (threadIdx.x + u * blockDim.x) < n_units) {
      int unit = (int) (threadIdx.x + u * blockDim.x);

      sums[u] = sum_unit (p, unit);
      if (p.sum != NULL)
        store_unit (p.sum, unit, sums[u]);
#pragma unroll
      for (int i = 0; i < NORM_UNIT / 2; i++) {
        squares = fmaf (low_of (sums[u].x[i]), low_of (sums[u].x[i]), squares);
        squares = fmaf (high_of (sums[u].x[i]), high_of (sums[u].x[i]), squares);
      }
    }
  factor = rsqrtf (add_threads (squares) / (float) p.n + p.epsilon);
#pragma unroll
  for (int u = 0; u < PT_NORM_UNITS; u++)
    if ((int) (threadIdx.x + u * blockDim.x) < n_units) {
      NormUnit y;

#pragma unroll
      for (int i = 0; i < NORM_UNIT / 2; i++) {
        uint32_t x = pair_of (low_of (sums[u].x[i]) * factor, high_of (sums[u].x[i]) * factor);

        y.x[i] = pair_of (low_of (x) * low_of (weights[u].x[i]),
                          high_of (x) * high_of (weights[u].x[i]));
      }
      store_unit (p.output, (int) (threadIdx.x + u * blockDim.x), y);
    }
}
