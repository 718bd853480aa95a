/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Attention of one query for each head, as in a decode step: output = softmax (scale q K^T) V over
 * the keys that the mask leaves.
 *
 * A block computes up to HEADS heads that share their keys and values, so that these are read once.
 * The keys are divided into tiles of 16. Tiles go to warps of all blocks in turns, so that a short
 * valid part of a long cache keeps all blocks busy; tiles without a valid key are not read. In a
 * warp, DIM / 8 lanes work on one key, each on 8 numbers of it. Each of these groups of lanes has
 * its own running maximum and sums, which are merged at the end: between the groups of a warp,
 * between warps, and between blocks by the block that finishes last.
 */

enum { ATTENTION_WARPS = PT_ATTENTION_THREADS / LANES, ATTENTION_UNROLL = 4 };

/** Sums over some keys: of weights relative to @max (log2), and of weighted values. */
template <int HEADS> struct AttentionSums {
  float max[HEADS], weight[HEADS], values[HEADS][8];
};

/** Factor for sums relative to @from that become relative to @to; both may be -INFINITY. */
DEVICE float
rescale (float from, float to)
{
  return from == to ? 1.0f : exp2f (from - to);
}

DEVICE float
dot_8 (const float *q, uint4 k)
{
  float a = q[0] * low_of (k.x) + q[1] * high_of (k.x);
  float b = q[2] * low_of (k.y) + q[3] * high_of (k.y);

  a += q[4] * low_of (k.z) + q[5] * high_of (k.z);
  b += q[6] * low_of (k.w) + q[7] * high_of (k.w);
  return a + b;
}

DEVICE void
add_8 (float *sums, float weight, uint4 v)
{
  sums[0] += weight * low_of (v.x);
  sums[1] += weight * high_of (v.x);
  sums[2] += weight * low_of (v.y);
  sums[3] += weight * high_of (v.y);
  sums[4] += weight * low_of (v.z);
  sums[5] += weight * high_of (v.z);
  sums[6] += weight * low_of (v.w);
  sums[7] += weight * high_of (v.w);
}

/** Adds UNROLL keys of this group of lanes; those with a score of -INFINITY count nothing. */
template <int DIM, int HEADS>
DEVICE void
attention_add (AttentionSums<HEADS> &sums, const float (&q)[HEADS][8],
               const uint4 (&k)[ATTENTION_UNROLL], const uint4 (&v)[ATTENTION_UNROLL],
               const bool (&is_valid)[ATTENTION_UNROLL])
{
#pragma unroll
  for (int h = 0; h < HEADS; h++) {
    float scores[ATTENTION_UNROLL], max = sums.max[h], factor;

#pragma unroll
    for (int i = 0; i < ATTENTION_UNROLL; i++) {
      scores[i] = dot_8 (q[h], k[i]);
#pragma unroll
      for (int offset = DIM / 16; offset > 0; offset /= 2)
        scores[i] += __shfl_xor_sync (ALL_LANES, scores[i], offset);
      scores[i] = is_valid[i] ? scores[i] : -INFINITY;
      max = fmaxf (max, scores[i]);
    }
    factor = rescale (sums.max[h], max);
    sums.max[h] = max;
    sums.weight[h] *= factor;
#pragma unroll
    for (int j = 0; j < 8; j++)
      sums.values[h][j] *= factor;
#pragma unroll
    for (int i = 0; i < ATTENTION_UNROLL; i++) {
      float weight = is_valid[i] ? exp2f (scores[i] - max) : 0.0f;

      sums.weight[h] += weight;
      add_8 (sums.values[h], weight, v[i]);
    }
  }
}

/** One tile of 16 keys from @first on. */
template <int DIM, int HEADS>
DEVICE void
attention_tile (const PtAttentionArguments &p, const uint16_t *keys, const uint16_t *values,
                int first, const float (&q)[HEADS][8], AttentionSums<HEADS> &sums)
{
  const int lanes = DIM / 8, at_once = LANES / lanes;
  int key = first + lane_id () / lanes;

#pragma unroll
  for (int step = 0; step < PT_ATTENTION_TILE; step += at_once * ATTENTION_UNROLL) {
    uint4 k[ATTENTION_UNROLL], v[ATTENTION_UNROLL];
    bool is_valid[ATTENTION_UNROLL];

#pragma unroll
    for (int i = 0; i < ATTENTION_UNROLL; i++) {
      int row = min (key + step + i * at_once, p.length - 1);

      k[i] = load_once (keys + row * p.key_row);
      v[i] = load_once (values + row * p.value_row);
      is_valid[i] = key + step + i * at_once < p.length && (p.mask == 0 || p.mask[row] != 0);
    }
    attention_add<DIM, HEADS> (sums, q, k, v, is_valid);
  }
}

/** Whether a tile has a valid key. */
DEVICE bool
attention_has_keys (const PtAttentionArguments &p, int first)
{
  if (first >= p.length)
    return false;
  if (p.mask == 0)
    return true;
  if (p.mask_is_aligned) {
    uint4 bytes = *(const uint4 *) (p.mask + first);

    return (bytes.x | bytes.y | bytes.z | bytes.w) != 0;
  }
  for (int i = first; i < min (first + PT_ATTENTION_TILE, p.length); i++)
    if (p.mask[i] != 0)
      return true;
  return false;
}

/** All tiles of this warp. */
template <int DIM, int HEADS>
DEVICE void
attention_keys (const PtAttentionArguments &p, const float (&q)[HEADS][8],
                AttentionSums<HEADS> &sums)
{
  int column = lane_id () % (DIM / 8) * 8;
  const uint16_t *keys = p.keys + blockIdx.y * p.key_head + column;
  const uint16_t *values = p.values + blockIdx.y * p.value_head + column;
  int stride = (int) gridDim.x * ATTENTION_WARPS * PT_ATTENTION_TILE;
  int first = ((int) blockIdx.x * ATTENTION_WARPS + warp_id ()) * PT_ATTENTION_TILE;

  /* Each lane looks at another tile. */
  for (int base = 0; base < p.tiles; base += LANES) {
    bool mine =
        base + lane_id () < p.tiles && attention_has_keys (p, first + (base + lane_id ()) * stride);
    unsigned tiles = __ballot_sync (ALL_LANES, mine);

    for (int i = 0; i < LANES && tiles >> i != 0; i++)
      if ((tiles >> i & 1) != 0)
        attention_tile<DIM, HEADS> (p, keys, values, first + (base + i) * stride, q, sums);
  }
}

/** Merges the sums of the groups of lanes of a warp; all lanes then have those of their columns. */
template <int DIM, int HEADS>
DEVICE void
attention_merge_lanes (AttentionSums<HEADS> &sums)
{
#pragma unroll
  for (int h = 0; h < HEADS; h++)
#pragma unroll
    for (int offset = DIM / 8; offset < LANES; offset *= 2) {
      float other = __shfl_xor_sync (ALL_LANES, sums.max[h], offset);
      float max = fmaxf (sums.max[h], other), factor = rescale (sums.max[h], max);

      sums.max[h] = max;
      sums.weight[h] *= factor;
      sums.weight[h] += __shfl_xor_sync (ALL_LANES, sums.weight[h], offset);
#pragma unroll
      for (int j = 0; j < 8; j++) {
        sums.values[h][j] *= factor;
        sums.values[h][j] += __shfl_xor_sync (ALL_LANES, sums.values[h][j], offset);
      }
    }
}

/** The largest and the sum of one number of each lane. */
DEVICE float
max_of_warp (float x)
{
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2)
    x = fmaxf (x, __shfl_xor_sync (ALL_LANES, x, offset));
  return x;
}

/**
 * Called by a warp: the factors that merge the sums of @n <= PT_ATTENTION_BLOCKS blocks of a head,
 * and their weight.
 */
template <int DIM>
DEVICE void
attention_factors (const float *sums, int n, float *factors, float *weight)
{
  float maxima[PT_ATTENTION_BLOCKS / LANES], max = -INFINITY, total = 0;

#pragma unroll
  for (int i = 0; i < PT_ATTENTION_BLOCKS / LANES; i++) {
    int block = i * LANES + lane_id ();

    maxima[i] = block < n ? __ldcg (sums + block * (DIM + 2) + DIM) : -INFINITY;
    max = fmaxf (max, maxima[i]);
  }
  max = max_of_warp (max);
#pragma unroll
  for (int i = 0; i < PT_ATTENTION_BLOCKS / LANES; i++) {
    int block = i * LANES + lane_id ();

    factors[block] = rescale (maxima[i], max);
    total += block < n ? factors[block] * __ldcg (sums + block * (DIM + 2) + DIM + 1) : 0.0f;
  }
  total = sum_of_warp (total);
  if (lane_id () == 0)
    *weight = total;
}

DEVICE uint16_t
attention_result (float value, float weight)
{
  return f32_to_bf16 (weight > 0 ? value / weight : 0.0f);
}

/** The last of several blocks merges what all have left in @p.partial. */
template <int DIM, int HEADS>
DEVICE void
attention_merge_blocks (const PtAttentionArguments &p, int head, int n_heads)
{
  __shared__ float factors[HEADS][PT_ATTENTION_BLOCKS], weights[HEADS];
  const float *partial = p.partial + head * (int64_t) gridDim.x * (DIM + 2);

  for (int h = warp_id (); h < n_heads; h += ATTENTION_WARPS)
    attention_factors<DIM> (partial + h * (int64_t) gridDim.x * (DIM + 2), (int) gridDim.x,
                            factors[h], &weights[h]);
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < n_heads * DIM; i += PT_ATTENTION_THREADS) {
    int h = i / DIM, column = i % DIM;
    const float *from = partial + h * (int64_t) gridDim.x * (DIM + 2) + column;
    float value = 0;

#pragma unroll 8
    for (int block = 0; block < (int) gridDim.x; block++)
      value += factors[h][block] * __ldcg (from + block * (DIM + 2));
    p.output[(head + h) * p.output_head + column] = attention_result (value, weights[h]);
  }
}

/** Merges the sums of the warps; @in_block: [HEADS][warps][DIM + 2]. */
template <int DIM, int HEADS>
DEVICE void
attention_merge_warps (const PtAttentionArguments &p, const float *in_block, int head, int n_heads)
{
  for (int i = (int) threadIdx.x; i < n_heads * DIM; i += PT_ATTENTION_THREADS) {
    int h = i / DIM, column = i % DIM;
    const float *from = in_block + h * ATTENTION_WARPS * (DIM + 2);
    float *to = p.partial + ((head + h) * (int64_t) gridDim.x + blockIdx.x) * (DIM + 2);
    float max = -INFINITY, weight = 0, value = 0;

#pragma unroll
    for (int w = 0; w < ATTENTION_WARPS; w++)
      max = fmaxf (max, from[w * (DIM + 2) + DIM]);
#pragma unroll
    for (int w = 0; w < ATTENTION_WARPS; w++) {
      float factor = rescale (from[w * (DIM + 2) + DIM], max);

      weight += factor * from[w * (DIM + 2) + DIM + 1];
      value += factor * from[w * (DIM + 2) + column];
    }
    if (gridDim.x == 1) {
      p.output[(head + h) * p.output_head + column] = attention_result (value, weight);
      continue;
    }
    to[column] = value;
    if (column == 0) {
      to[DIM] = max;
      to[DIM + 1] = weight;
    }
  }
}

template <int DIM, int HEADS>
DEVICE void
attention (const PtAttentionArguments &p)
{
  __shared__ float in_block[HEADS * ATTENTION_WARPS * (DIM + 2)];
  int column = lane_id () % (DIM / 8) * 8;
  int head = (int) blockIdx.y * p.group + (int) blockIdx.z * HEADS;
  int n_heads = min (HEADS, p.group - (int) blockIdx.z * HEADS);
  float q[HEADS][8];
  AttentionSums<HEADS> sums;

  wait_for_earlier ();
  let_later_start ();
#pragma unroll
  for (int h = 0; h < HEADS; h++) {
    const uint16_t *from = p.queries + (head + min (h, n_heads - 1)) * p.query_head + column;

    sums.max[h] = -INFINITY;
    sums.weight[h] = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      q[h][j] = bf16_to_f32 (from[j]) * p.scale;
      sums.values[h][j] = 0;
    }
  }
  attention_keys<DIM, HEADS> (p, q, sums);
  attention_merge_lanes<DIM, HEADS> (sums);
#pragma unroll
  for (int h = 0; h < HEADS; h++) {
    float *to = in_block + (h * ATTENTION_WARPS + warp_id ()) * (DIM + 2);

    if (lane_id () < DIM / 8)
#pragma unroll
      for (int j = 0; j < 8; j++)
        to[column + j] = sums.values[h][j];
    if (lane_id () == 0) {
      to[DIM] = sums.max[h];
      to[DIM + 1] = sums.weight[h];
    }
  }
  __syncthreads ();
  attention_merge_warps<DIM, HEADS> (p, in_block, head, n_heads);
  if (gridDim.x > 1 && is_last_block (p.finished + blockIdx.z * gridDim.y + blockIdx.y, gridDim.x))
    attention_merge_blocks<DIM, HEADS> (p, head, n_heads);
}

#define X(dim, heads)                                                               \
  KERNEL __launch_bounds__ (PT_ATTENTION_THREADS)                                   \
      pt_attention_##dim##_##heads (const __grid_constant__ PtAttentionArguments p) \
  {                                                                                 \
    attention<dim, heads> (p);                                                      \
  }
PT_ATTENTION_KERNELS (X)
#undef X
