/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Stable sorting of all slices at once (docs/formats/cuda.md, section 9.5).
 *
 * Each value is mapped to an unsigned key of the same order: NaN is the largest, all NaN are equal,
 * and both zeros are equal. For descending order the key is inverted, so that equal values keep
 * their order there, too. The values of the result are copied from the input by position.
 *
 * Slices of up to PT_SORT_BLOCK elements: one block sorts several of them by bitonic merging of
 * (key, position) pairs, which are all different. Longer slices: radix sort by digits of 8 bits,
 * from the lowest. Each pass has three kernels: count the digits of every tile, sum the counts,
 * move the elements.
 */

/* ---- Keys ---- */

/** The key of a float of @WIDTH bits with the bits @bits. */
template <int WIDTH>
DEVICE uint32_t
float_key (uint32_t bits, uint32_t infinity)
{
  const uint32_t sign = 1u << (WIDTH - 1);

  if ((bits & ~sign) > infinity)
    return sign | (sign - 1);
  if (bits == sign)
    bits = 0;
  return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

/** The key of element @at. Keys of 16 bits have 0 in the upper half of the word. */
DEVICE uint64_t
sort_key (const PtSortArguments &p, int64_t at)
{
  uint64_t key, all = 0xffffffffu;

  switch (p.dtype) {
  case DTYPE_I64:
    key = ((const uint64_t *) p.input)[at] ^ 0x8000000000000000u;
    all = ~(uint64_t) 0;
    break;
  case DTYPE_I32: key = ((const uint32_t *) p.input)[at] ^ 0x80000000u; break;
  case DTYPE_F32: key = float_key<32> (((const uint32_t *) p.input)[at], 0x7f800000u); break;
  case DTYPE_F16:
    key = float_key<16> (((const uint16_t *) p.input)[at], 0x7c00u);
    all = 0xffff;
    break;
  default:
    key = float_key<16> (((const uint16_t *) p.input)[at], 0x7f80u);
    all = 0xffff;
    break;
  }
  return p.descending ? key ^ all : key;
}

DEVICE int64_t
sort_place (const PtSortArguments &p, int64_t slice, int64_t position)
{
  if (p.inner == 1)
    return slice * p.length + position;
  return (slice / p.inner * p.length + position) * p.inner + slice % p.inner;
}

/** Move element @from of the slice to element @to of the result. */
DEVICE void
sort_write (const PtSortArguments &p, int64_t slice, int64_t to, int64_t from)
{
  int64_t a = sort_place (p, slice, to), b = sort_place (p, slice, from);

  switch (p.dtype) {
  case DTYPE_I64: ((uint64_t *) p.values)[a] = ((const uint64_t *) p.input)[b]; break;
  case DTYPE_I32:
  case DTYPE_F32: ((uint32_t *) p.values)[a] = ((const uint32_t *) p.input)[b]; break;
  default: ((uint16_t *) p.values)[a] = ((const uint16_t *) p.input)[b]; break;
  }
  p.indices[a] = from;
}

/* ---- Short slices ---- */

/**
 * A block sorts as many slices as fit; each is padded to a power of two with the largest keys. With
 * WIDE, keys have 64 bits and positions are in a separate array; otherwise the position is the
 * lower half of the key.
 */
template <bool WIDE>
DEVICE void
sort_block (const PtSortArguments &p, uint8_t *shared, int capacity)
{
  uint64_t *keys = (uint64_t *) shared;
  uint32_t *positions = (uint32_t *) (keys + capacity); /* used only with WIDE */
  int64_t first = (int64_t) blockIdx.x * (capacity / p.padded);

  for (int i = (int) threadIdx.x; i < capacity; i += (int) blockDim.x) {
    int64_t slice = first + i / p.padded;
    uint32_t position = (uint32_t) (i % p.padded);
    uint64_t key = ~(uint64_t) 0;

    if (slice < p.slices && position < (uint32_t) p.length) {
      key = sort_key (p, sort_place (p, slice, position));
      if (!WIDE)
        key = key << 32 | position;
    } else {
      position = 0xffffffffu;
    }
    keys[i] = key;
    if (WIDE)
      positions[i] = position;
  }
  for (int size = 2; size <= p.padded; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads ();
      for (int i = (int) threadIdx.x; i < capacity / 2; i += (int) blockDim.x) {
        int a = 2 * i - (i & (stride - 1)), b = a + stride;
        bool is_up = (a & (p.padded - 1) & size) == 0;
        uint64_t x = keys[a], y = keys[b];
        bool is_above = x > y;

        if (WIDE && x == y)
          is_above = positions[a] > positions[b];
        if (is_above != is_up)
          continue;
        keys[a] = y;
        keys[b] = x;
        if (WIDE) {
          uint32_t position = positions[a];

          positions[a] = positions[b];
          positions[b] = position;
        }
      }
    }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < capacity; i += (int) blockDim.x) {
    int64_t slice = first + i / p.padded;
    int position = i % p.padded;

    if (slice < p.slices && position < p.length)
      sort_write (p, slice, position, WIDE ? positions[i] : (uint32_t) keys[i]);
  }
}

KERNEL
__launch_bounds__ (PT_SORT_THREADS) pt_sort_block (const __grid_constant__ PtSortArguments p)
{
  DYNAMIC_SHARED (shared);

  sort_block<false> (p, shared, max (p.padded, PT_SORT_SHARED));
}

KERNEL
__launch_bounds__ (PT_SORT_THREADS) pt_sort_block_wide (const __grid_constant__ PtSortArguments p)
{
  DYNAMIC_SHARED (shared);

  sort_block<true> (p, shared, max (p.padded, PT_SORT_SHARED));
}

/* ---- Long slices ---- */

/** Key and position of element @at of the slice in this pass. */
template <typename Key>
DEVICE Key
sort_load (const PtSortArguments &p, int64_t slice, int64_t at, uint32_t *position)
{
  if (p.keys_in == 0) {
    *position = (uint32_t) at;
    return (Key) sort_key (p, sort_place (p, slice, at));
  }
  *position = p.order_in[slice * p.length + at];
  return ((const Key *) p.keys_in)[slice * p.length + at];
}

/** Grid: (tiles, slices). */
template <typename Key>
DEVICE void
sort_count (const PtSortArguments &p)
{
  __shared__ uint32_t counts[PT_SORT_DIGITS];
  int64_t first = (int64_t) blockIdx.x * PT_SORT_TILE;

  for (int64_t slice = blockIdx.y; slice < p.slices; slice += gridDim.y) {
    counts[threadIdx.x] = 0;
    __syncthreads ();
    for (int i = (int) threadIdx.x; i < PT_SORT_TILE; i += PT_SORT_DIGITS) {
      uint32_t position;

      if (first + i < p.length)
        atomicAdd (&counts[sort_load<Key> (p, slice, first + i, &position) >> p.shift & 0xff], 1u);
    }
    __syncthreads ();
    p.counts[(slice * PT_SORT_DIGITS + threadIdx.x) * p.tiles + blockIdx.x] = counts[threadIdx.x];
    __syncthreads ();
  }
}

/** One warp for each slice and digit: replace the counts by the sums over the tiles before. */
KERNEL
__launch_bounds__ (PT_SORT_DIGITS) pt_sort_sum (const __grid_constant__ PtSortArguments p)
{
  int64_t row = ((int64_t) blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  uint32_t total = 0;

  if (row >= p.slices * PT_SORT_DIGITS)
    return;
  for (int first = 0; first < p.tiles; first += LANES) {
    int tile = first + lane_id ();
    uint32_t count = tile < p.tiles ? p.counts[row * p.tiles + tile] : 0;
    uint32_t sum = count;

    for (int offset = 1; offset < LANES; offset *= 2) {
      uint32_t other = __shfl_up_sync (ALL_LANES, sum, offset);

      if (lane_id () >= offset)
        sum += other;
    }
    if (tile < p.tiles)
      p.counts[row * p.tiles + tile] = total + sum - count;
    total += __shfl_sync (ALL_LANES, sum, LANES - 1);
  }
  if (lane_id () == 0)
    p.totals[row] = total;
}

/** The sum of @count over the threads before this one; one thread for each digit. */
DEVICE uint32_t
sum_before (uint32_t count, uint32_t sums[PT_SORT_DIGITS])
{
  uint32_t sum = count;

  for (int offset = 1; offset < PT_SORT_DIGITS; offset *= 2) {
    sums[threadIdx.x] = sum;
    __syncthreads ();
    if ((int) threadIdx.x >= offset)
      sum += sums[threadIdx.x - offset];
    __syncthreads ();
  }
  return sum - count;
}

/**
 * Each warp moves a part of the tile, in order. At first, @counts are positions within the warp.
 */
template <typename Key>
DEVICE void
sort_move_slice (const PtSortArguments &p, int64_t slice,
                 uint32_t counts[PT_SORT_DIGITS / LANES][PT_SORT_DIGITS])
{
  enum { WARPS = PT_SORT_DIGITS / LANES, PART = PT_SORT_TILE / WARPS, ROUNDS = PART / LANES };
  uint32_t *mine = counts[warp_id ()];
  int64_t first = (int64_t) blockIdx.x * PT_SORT_TILE + warp_id () * PART + lane_id ();
  uint32_t digit_row = (uint32_t) threadIdx.x, before;
  uint32_t positions[ROUNDS], ranks[ROUNDS];
  Key keys[ROUNDS];

  for (int i = lane_id (); i < PT_SORT_DIGITS; i += LANES)
    mine[i] = 0;
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < ROUNDS; i++) {
    bool is_valid = first + i * LANES < p.length;
    uint32_t digit = PT_SORT_DIGITS, peers;

    if (is_valid) {
      keys[i] = sort_load<Key> (p, slice, first + i * LANES, &positions[i]);
      digit = (uint32_t) (keys[i] >> p.shift & 0xff);
    }
    peers = __match_any_sync (ALL_LANES, digit);
    if (is_valid)
      ranks[i] = mine[digit] + __popc (peers & ((1u << lane_id ()) - 1));
    __syncwarp ();
    if (is_valid && (peers >> lane_id ()) == 1) /* the last one of the equal digits */
      mine[digit] = ranks[i] + 1;
    __syncwarp ();
  }
  __syncthreads ();
  before = sum_before (p.totals[slice * PT_SORT_DIGITS + digit_row], counts[WARPS]) +
           p.counts[(slice * PT_SORT_DIGITS + digit_row) * p.tiles + blockIdx.x];
  for (int i = 0; i < WARPS; i++) {
    uint32_t count = counts[i][digit_row];

    counts[i][digit_row] = before;
    before += count;
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < ROUNDS; i++) {
    int64_t to;

    if (first + i * LANES >= p.length)
      break;
    to = mine[keys[i] >> p.shift & 0xff] + ranks[i];
    if (p.keys_out == 0) {
      sort_write (p, slice, to, positions[i]);
    } else {
      ((Key *) p.keys_out)[slice * p.length + to] = keys[i];
      p.order_out[slice * p.length + to] = positions[i];
    }
  }
  __syncthreads ();
}

/** Grid: (tiles, slices). */
template <typename Key>
DEVICE void
sort_move (const PtSortArguments &p)
{
  __shared__ uint32_t counts[PT_SORT_DIGITS / LANES + 1][PT_SORT_DIGITS];

  for (int64_t slice = blockIdx.y; slice < p.slices; slice += gridDim.y)
    sort_move_slice<Key> (p, slice, counts);
}

#define SORT_KERNELS(suffix, key)                                        \
  KERNEL __launch_bounds__ (PT_SORT_DIGITS)                              \
      pt_sort_count_##suffix (const __grid_constant__ PtSortArguments p) \
  {                                                                      \
    sort_count<key> (p);                                                 \
  }                                                                      \
  KERNEL __launch_bounds__ (PT_SORT_DIGITS)                              \
      pt_sort_move_##suffix (const __grid_constant__ PtSortArguments p)  \
  {                                                                      \
    sort_move<key> (p);                                                  \
  }

SORT_KERNELS (32, uint32_t)
SORT_KERNELS (64, uint64_t)
