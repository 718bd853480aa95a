/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Up to 8 rows of activations times plain quantised weights (docs/formats/cuda.md, sections 9.3 and
 * 9.4).
 *
 * Each block first quantises all rows to int8, in blocks of 32, into shared memory. This takes
 * little time compared with reading the weights, and saves a kernel. Then each warp multiplies the
 * rows by COLUMNS columns at a time; lane l takes units l, l + 32, ... of a column.
 *
 * A unit is 32 weights, or 16 of int8, so that a lane always reads 16 bytes.
 */

enum PlainKind {
  PLAIN_INT4_FLOAT, /* int4, scales and zeros bf16 [k / g][n] */
  PLAIN_INT4,       /* codes uint8 [n][k / g] and steps f16 [n][k / 256] */
  PLAIN_INT5,
  PLAIN_INT6,
  PLAIN_INT8,
};

/* The quantised activations in shared memory: */
struct Rounded {
  uint8_t *words;  /* [row][half][unit]: 16 bytes of a unit */
  float2 *factors; /* [row][unit]: scale, and sum of the quantised values */
  int n_units;     /* units of a row */
  int row_bytes;   /* k */
};

DEVICE int
plain_unit (PlainKind kind)
{
  return kind == PLAIN_INT8 ? 16 : 32;
}

/* ---- Quantising the activations ---- */

/** The maximum, or the sum, over four neighbouring threads, each with 8 of a block of 32. */
DEVICE float
largest_of_four (float x)
{
  x = fmaxf (x, __shfl_xor_sync (ALL_LANES, x, 1));
  return fmaxf (x, __shfl_xor_sync (ALL_LANES, x, 2));
}

/** Pack every second of the 8 quantised values from @first on into four bytes. */
DEVICE uint32_t
pack_bytes (const int q[8], int first, int step)
{
  return (uint32_t) (q[first] & 0xff) | (uint32_t) (q[first + step] & 0xff) << 8 |
         (uint32_t) (q[first + 2 * step] & 0xff) << 16 |
         (uint32_t) (q[first + 3 * step] & 0xff) << 24;
}

/**
 * Quantise the 8 values at @piece * 8 of a row. Nibbles are unpacked from a word as even and odd
 * weights, so the values are stored in the same order.
 */
DEVICE void
round_piece (const Rounded &to, PlainKind kind, uint4 values, int row, int piece, bool is_valid)
{
  const uint32_t pairs[4] = { values.x, values.y, values.z, values.w };
  float x[8], largest = 0, scale, inverse;
  int q[8], sum = 0;

#pragma unroll
  for (int i = 0; i < 8; i++) {
    x[i] = bf16_to_f32 ((uint16_t) (pairs[i / 2] >> (16 * (i % 2))));
    largest = fmaxf (largest, fabsf (x[i]));
  }
  scale = largest_of_four (largest) / 127.0f;
  inverse = scale > 0 ? 1.0f / scale : 0.0f;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    q[i] = round_to_i8 (x[i] * inverse);
    sum += q[i];
  }
  sum += __shfl_xor_sync (ALL_LANES, sum, 1);
  if (kind != PLAIN_INT8)
    sum += __shfl_xor_sync (ALL_LANES, sum, 2);
  if (!is_valid)
    return;
  if (kind == PLAIN_INT8) {
    *(uint2 *) (to.words + row * to.row_bytes + piece * 8) =
        make_uint2 (pack_bytes (q, 0, 1), pack_bytes (q, 4, 1));
    if (piece % 2 == 0)
      to.factors[row * to.n_units + piece / 2] = make_float2 (scale, (float) sum);
  } else {
    int place = piece / 2 % 2 * to.n_units + piece / 4;

    *(uint2 *) (to.words + row * to.row_bytes + place * 16 + piece % 2 * 8) =
        make_uint2 (pack_bytes (q, 0, 2), pack_bytes (q, 1, 2));
    if (piece % 4 == 0)
      to.factors[row * to.n_units + piece / 4] = make_float2 (scale, (float) sum);
  }
}

/* ---- Weights ---- */

/** The bytes of a unit of one column. */
struct PlainWeights {
  uint4 low;
  uint2 high;
};

DEVICE PlainWeights
load_weights (const PtPlainArguments &p, PlainKind kind, int column, int unit)
{
  int64_t at = (int64_t) column * (p.k / plain_unit (kind)) + unit;
  PlainWeights w;

  w.low = load_once (p.low + at * 16);
  w.high = make_uint2 (0, 0);
  if (kind == PLAIN_INT5)
    w.high.x = *(const uint32_t *) (p.high + at * 4);
  if (kind == PLAIN_INT6)
    w.high = *(const uint2 *) (p.high + at * 8);
  return w;
}

/** Prefetch a unit. */
DEVICE void
fetch_weights (const PtPlainArguments &p, PlainKind kind, int column, int unit)
{
  fetch (p.low + ((int64_t) column * (p.k / plain_unit (kind)) + unit) * 16);
}

/** Spread bits 0 to 3 of @x to bit 4 of four bytes. */
DEVICE uint32_t
spread_bits (uint32_t x)
{
  return (x & 0xf) * 0x02040810u & 0x10101010u;
}

/** Spread the four pairs of bits of the byte @x to bits 4 and 5 of four bytes. */
DEVICE uint32_t
spread_pairs (uint32_t x)
{
  return ((x & 0x33) * 0x00010010u & 0x00300030u) | ((x & 0xcc) * 0x00400400u & 0x30003000u);
}

/**
 * The weights of word @i of a unit, one byte each: even ones, odd ones; of int8, words 2 i and 2 i
 * + 1.
 */
DEVICE uint2
unpack_weights (const PlainWeights &w, PlainKind kind, int i)
{
  const uint32_t words[4] = { w.low.x, w.low.y, w.low.z, w.low.w };
  uint32_t even, odd;

  if (kind == PLAIN_INT8)
    return make_uint2 (words[2 * i], words[2 * i + 1]);
  even = words[i] & 0x0f0f0f0fu;
  odd = words[i] >> 4 & 0x0f0f0f0fu;
  if (kind == PLAIN_INT5) {
    even |= spread_bits (w.high.x >> (8 * i));
    odd |= spread_bits (w.high.x >> (8 * i + 4));
  }
  if (kind == PLAIN_INT6) {
    even |= spread_pairs (w.high.x >> (8 * i) & 0xff);
    odd |= spread_pairs (w.high.y >> (8 * i) & 0xff);
  }
  return make_uint2 (even, odd);
}

/** The scale and the zero of the group that contains weight @k of a column. */
DEVICE float2
load_scale (const PtPlainArguments &p, PlainKind kind, int column, int k)
{
  int group = k >> p.group_shift;
  int64_t at = (int64_t) column * (p.k >> p.group_shift) + group;
  int64_t step = (int64_t) column * (p.k / 256) + k / 256;
  float scale;

  switch (kind) {
  case PLAIN_INT4_FLOAT:
    at = (int64_t) group * p.n + column;
    return make_float2 (bf16_to_f32 (((const uint16_t *) p.scale)[at]),
                        bf16_to_f32 (((const uint16_t *) p.zero)[at]));
  case PLAIN_INT6:
    scale = (float) ((const int8_t *) p.scale)[at] * f16_to_f32 (p.scale_step[step]);
    return make_float2 (scale, 32.0f);
  case PLAIN_INT8:
    return make_float2 (bf16_to_f32 (((const uint16_t *) p.scale)[at]),
                        (float) ((const int8_t *) p.zero)[at]);
  default:
    scale = (float) ((const uint8_t *) p.scale)[at] * f16_to_f32 (p.scale_step[step]);
    return make_float2 (scale,
                        (float) ((const uint8_t *) p.zero)[at] * f16_to_f32 (p.zero_step[step]));
  }
}

/* ---- The product ---- */

/**
 * @PARTS: number of parts of a unit with scales of their own, when groups are smaller than units.
 */
template <PlainKind KIND, int ROWS, int COLUMNS, int UNROLL, int PARTS> struct PlainProduct {
  enum {
    WORDS = KIND == PLAIN_INT8 ? 2 : 4, /* pairs of words in a unit */
    PART_WORDS = WORDS / PARTS,
    UNIT = KIND == PLAIN_INT8 ? 16 : 32,
  };

  const PtPlainArguments &p;
  const Rounded &rounded;

  /** Add the products of @unit's weights with one row. */
  __device__ __forceinline__ void
  multiply (float sums[COLUMNS], const uint2 weights[COLUMNS][WORDS],
            const float2 scales[COLUMNS][PARTS], int row, int unit)
  {
    const uint8_t *words = rounded.words + row * rounded.row_bytes + unit * 16;
    float2 factors = rounded.factors[row * rounded.n_units + unit];
    int dot[COLUMNS] = {}, sum = 0;
    uint32_t q[2 * WORDS];

#pragma unroll
    for (int i = 0; i < WORDS / 2; i++) {
      uint4 x = *(const uint4 *) (words + i * rounded.n_units * 16);

      q[4 * i] = x.x;
      q[4 * i + 1] = x.y;
      q[4 * i + 2] = x.z;
      q[4 * i + 3] = x.w;
    }
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        dot[c] = __dp4a ((int) weights[c][i].x, (int) q[2 * i], dot[c]);
        dot[c] = __dp4a ((int) weights[c][i].y, (int) q[2 * i + 1], dot[c]);
      }
      if (PARTS > 1) {
        sum = __dp4a ((int) q[2 * i], 0x01010101, sum);
        sum = __dp4a ((int) q[2 * i + 1], 0x01010101, sum);
      }
      if ((i + 1) % PART_WORDS == 0) {
        float total = PARTS > 1 ? (float) sum : factors.y;

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
          float2 scale = scales[c][i / PART_WORDS];

          sums[c] += scale.x * factors.x * ((float) dot[c] - scale.y * total);
          dot[c] = 0;
        }
        sum = 0;
      }
    }
  }

  /** Compute columns @column to @column + COLUMNS - 1 of all rows. */
  __device__ __forceinline__ void
  run (int column)
  {
    float sums[ROWS][COLUMNS] = {};
    int last = rounded.n_units - 1;

#pragma unroll 1
    for (int first = lane_id (); first <= last; first += LANES * UNROLL) {
      PlainWeights w[UNROLL][COLUMNS];
      float2 scales[UNROLL][COLUMNS][PARTS];

#pragma unroll
      for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
          w[u][c] =
              load_weights (p, KIND, min (column + c, p.n - 1), min (first + u * LANES, last));
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
          for (int i = 0; i < PARTS; i++)
            scales[u][c][i] =
                load_scale (p, KIND, min (column + c, p.n - 1),
                            min (first + u * LANES, last) * UNIT + i * (UNIT / PARTS));
#pragma unroll
      for (int u = 0; u < UNROLL; u++) {
        int unit = first + u * LANES;
        uint2 weights[COLUMNS][WORDS];

        if (unit > last)
          break;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
#pragma unroll
          for (int i = 0; i < WORDS; i++)
            weights[c][i] = unpack_weights (w[u][c], KIND, i);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          if (r < p.rows)
            multiply (sums[r], weights, scales[u], r, unit);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        float sum = sum_of_warp (sums[r][c]);

        if (lane_id () == 0 && r < p.rows && column + c < p.n)
          p.output[(int64_t) r * p.n + column + c] = f32_to_bf16 (sum);
      }
  }
};

template <PlainKind KIND, int ROWS, int COLUMNS, int UNROLL>
DEVICE void
plain_product (const PtPlainArguments &p, uint8_t *shared)
{
  /* In usual files a group has at least a unit; with int6 it has half a unit. */
  const int parts = KIND == PLAIN_INT6 ? 2 : 1, most_parts = KIND < PLAIN_INT5 || parts > 1 ? 4 : 1;
  int n_pieces = p.k / 8, n_warps = (int) blockDim.x / LANES;
  int first = ((int) blockIdx.x * n_warps + warp_id ()) * COLUMNS;
  int step = (int) gridDim.x * n_warps * COLUMNS;
  int n_units = p.k / plain_unit (KIND);
  Rounded rounded = { shared, (float2 *) (shared + p.rows * p.k), n_units, p.k };

  if (first < p.n && lane_id () < n_units)
    fetch_weights (p, KIND, first, lane_id ());
  for (int row = 0; row < p.rows; row++)
    for (int i = 0; i < n_pieces; i += (int) blockDim.x) {
      int piece = i + (int) threadIdx.x;
      bool is_valid = piece < n_pieces;
      uint4 x = make_uint4 (0, 0, 0, 0);

      if (is_valid)
        x = *(const uint4 *) (p.input + (int64_t) row * p.k + piece * 8);
      round_piece (rounded, KIND, x, row, piece, is_valid);
    }
  __syncthreads ();
  for (int column = first; column < p.n; column += step)
    if (1 << p.group_shift >= 32 / parts) {
      PlainProduct<KIND, ROWS, COLUMNS, UNROLL, parts> product = { p, rounded };

      product.run (column);
    } else {
      PlainProduct<KIND, ROWS, COLUMNS, 1, most_parts> product = { p, rounded };

      product.run (column);
    }
}

#define PLAIN_KERNEL(name, kind, rows, columns, unroll)                     \
  KERNEL __launch_bounds__ (PT_PLAIN_THREADS)                               \
      pt_plain_##name##_##rows (const __grid_constant__ PtPlainArguments p) \
  {                                                                         \
    DYNAMIC_SHARED (shared);                                                \
    plain_product<kind, rows, columns, unroll> (p, shared);                 \
  }

PT_PLAIN_KERNELS (PLAIN_KERNEL)
