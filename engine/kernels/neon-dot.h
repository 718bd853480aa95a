/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/simd.h"

/*
 * Sums of products of signed bytes for 64-bit ARM: with Advanced SIMD alone, with dot products
 * (SDOT) and with matrix products (SMMLA). All are exact.
 *
 * Tiles multiply up to MR rows of x with a panel of NR columns of weights, in blocks of BLOCK
 * columns of x. In a panel IN_STEP bytes of a column follow each other, then those of the next
 * column.
 */

#define BLOCK 16

#if defined(__ARM_FEATURE_MATMUL_INT8)
#define IN_STEP 8 /* SMMLA multiplies two rows with two columns, eight bytes of each */
#define MR 8
#define NR 8
#define SUM_ROWS (MR / 2)
#define SUM_COLUMNS (NR / 2)
#elif defined(__ARM_FEATURE_DOTPROD)
#define IN_STEP 4 /* a lane */
#define MR 8
#define NR 8
#define SUM_ROWS MR
#define SUM_COLUMNS (NR / LANES)
#else
#define IN_STEP 16 /* a vector */
#define MR 4
#define NR 4
#define SUM_ROWS MR
#define SUM_COLUMNS NR
#endif
#define VECTORS (NR / LANES)

/* The first n bytes, followed by zeros. */
INLINE int8x16_t
load_bytes (const gint8 *p, gsize n)
{
  gint8 room[BLOCK] = { 0 };

  if (n >= BLOCK)
    return vld1q_s8 (p);
  __builtin_memcpy (room, p, n);
  return vld1q_s8 (room);
}

/* acc + the products of a and b: those of four neighbours are added to one lane. */
INLINE vi
dot_lanes (vi acc, int8x16_t a, int8x16_t b)
{
#ifdef __ARM_FEATURE_DOTPROD
  return vdotq_s32 (acc, a, b);
#else
  int32x4_t low = vpaddlq_s16 (vmull_s8 (vget_low_s8 (a), vget_low_s8 (b)));
  int32x4_t high = vpaddlq_s16 (vmull_high_s8 (a, b));

  return vaddq_s32 (acc, vpaddq_s32 (low, high));
#endif
}

/* The same, where only the sum of all lanes counts. */
INLINE vi
dot_any (vi acc, int8x16_t a, int8x16_t b)
{
#ifdef __ARM_FEATURE_DOTPROD
  return vdotq_s32 (acc, a, b);
#else
  acc = vpadalq_s16 (acc, vmull_s8 (vget_low_s8 (a), vget_low_s8 (b)));
  return vpadalq_s16 (acc, vmull_high_s8 (a, b));
#endif
}

/* Bytes of a panel for @k weights of each column. */
INLINE gsize
panel_bytes (gsize k)
{
  return (k + BLOCK - 1) / BLOCK * BLOCK * NR;
}

/* Writes one block of four columns, whose bytes are @r, to @to; the next step is NR columns on. */
INLINE void
store_block (vi r[LANES], gint8 *to)
{
#if IN_STEP == 16
  UNROLLED (j, LANES)
    vi_store (to + j * BLOCK, r[j]);
#elif IN_STEP == 8
  UNROLLED (j, 2) {
    int64x2_t a = vreinterpretq_s64_s32 (r[2 * j]), b = vreinterpretq_s64_s32 (r[2 * j + 1]);

    vst1q_s64 ((gint64 *) (gpointer) (to + 2 * j * IN_STEP), vzip1q_s64 (a, b));
    vst1q_s64 ((gint64 *) (gpointer) (to + (NR + 2 * j) * IN_STEP), vzip2q_s64 (a, b));
  }
#else
  transpose (r);
  UNROLLED (step, LANES)
    vi_store (to + step * NR * IN_STEP, r[step]);
#endif
}

/* Packs @n <= NR rows of weights; missing rows and columns are 0. */
INLINE void
pack_rows (gsize n, gsize k, const gint8 *w, gsize ldw, gint8 *panel)
{
  for (gsize p = 0; p < k; p += BLOCK, panel += BLOCK * NR)
    for (gsize column = 0; column < NR; column += LANES) {
      vi r[LANES];

      UNROLLED (j, LANES)
        r[j] = column + j < n
                   ? vreinterpretq_s32_s8 (load_bytes (w + (column + j) * ldw + p, k - p))
                   : vi_zero ();
      store_block (r, panel + column * IN_STEP);
    }
}

INLINE void
clear_sums (vi sums[SUM_ROWS][SUM_COLUMNS])
{
  UNROLLED (i, SUM_ROWS)
    UNROLLED (j, SUM_COLUMNS)
      sums[i][j] = vi_zero ();
}

#if IN_STEP == 8

/* Half @half of a block: eight bytes of each row and column. */
#define ADD_HALF(zip, half)                                                   \
  do {                                                                        \
    UNROLLED (j, NR / 2)                                                      \
      w[j] = vld1q_s8 (panel + ((half) *NR + 2 * j) * IN_STEP);               \
    UNROLLED (i, (m + 1) / 2) {                                               \
      int8x16_t pair = vreinterpretq_s8_s64 (zip (xs[2 * i], xs[2 * i + 1])); \
                                                                              \
      UNROLLED (j, NR / 2)                                                    \
        sums[i][j] = vmmlaq_s32 (sums[i][j], pair, w[j]);                     \
    }                                                                         \
  } while (0)

/* Adds the products of a block of m rows of x, a constant when inlined, with a block of a panel. */
INLINE void
add_block (const gsize m, const gint8 *x, gsize ldx, const gint8 *panel,
           vi sums[SUM_ROWS][SUM_COLUMNS])
{
  int64x2_t xs[MR];
  int8x16_t w[NR / 2];

  UNROLLED (i, (m + 1) / 2 * 2)
    xs[i] = vreinterpretq_s64_s8 (vld1q_s8 (x + MIN (i, m - 1) * ldx));
  ADD_HALF (vzip1q_s64, 0);
  ADD_HALF (vzip2q_s64, 1);
}

/* Columns [v * LANES, (v + 1) * LANES) of row i. */
INLINE vi
sums_of_row (vi sums[SUM_ROWS][SUM_COLUMNS], const gsize i, const gsize v)
{
  int64x2_t a = vreinterpretq_s64_s32 (sums[i / 2][2 * v]);
  int64x2_t b = vreinterpretq_s64_s32 (sums[i / 2][2 * v + 1]);

  return vreinterpretq_s32_s64 (i % 2 == 0 ? vzip1q_s64 (a, b) : vzip2q_s64 (a, b));
}

#elif IN_STEP == 4

/* Lane @q of a block, a literal: four bytes of each row and column. */
#define ADD_LANE(q)                                                  \
  do {                                                               \
    UNROLLED (v, VECTORS)                                            \
      w[v] = vld1q_s8 (panel + ((q) *NR + v * LANES) * IN_STEP);     \
    UNROLLED (i, m)                                                  \
      UNROLLED (v, VECTORS)                                          \
        sums[i][v] = vdotq_laneq_s32 (sums[i][v], w[v], xs[i], (q)); \
  } while (0)

INLINE void
add_block (const gsize m, const gint8 *x, gsize ldx, const gint8 *panel,
           vi sums[SUM_ROWS][SUM_COLUMNS])
{
  int8x16_t xs[MR], w[VECTORS];

  UNROLLED (i, m)
    xs[i] = vld1q_s8 (x + i * ldx);
  ADD_LANE (0);
  ADD_LANE (1);
  ADD_LANE (2);
  ADD_LANE (3);
}

INLINE vi
sums_of_row (vi sums[SUM_ROWS][SUM_COLUMNS], const gsize i, const gsize v)
{
  return sums[i][v];
}

#else

INLINE void
add_block (const gsize m, const gint8 *x, gsize ldx, const gint8 *panel,
           vi sums[SUM_ROWS][SUM_COLUMNS])
{
  int8x16_t xs[MR];

  UNROLLED (i, m)
    xs[i] = vld1q_s8 (x + i * ldx);
  UNROLLED (j, NR) {
    int8x16_t w = vld1q_s8 (panel + j * BLOCK);

    UNROLLED (i, m)
      sums[i][j] = dot_any (sums[i][j], xs[i], w);
  }
}

INLINE vi
sums_of_row (vi sums[SUM_ROWS][SUM_COLUMNS], const gsize i, const gsize v)
{
  return vi_sum_4 (sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

#endif

/*
 * Copies the columns behind the last whole block of @k, followed by zeros, of m rows to @rest, rows
 * BLOCK bytes apart.
 */
INLINE void
copy_rest (gsize m, gsize k, const gint8 *x, gsize ldx, gint8 *rest)
{
  gsize whole = k - k % BLOCK;

  for (gsize i = 0; i < m; i++)
    vst1q_s8 (rest + i * BLOCK, load_bytes (x + i * ldx + whole, k - whole));
}

/* The cases of a switch for each number of rows of a tile; @call has the number as its first one.
 */
#if MR > 4
#define ROW_CASES(call)    \
  case 1: call (1); break; \
  case 2: call (2); break; \
  case 3: call (3); break; \
  case 4: call (4); break; \
  case 5: call (5); break; \
  case 6: call (6); break; \
  case 7: call (7); break; \
  case 8:                  \
    call (8);              \
    break
#else
#define ROW_CASES(call)    \
  case 1: call (1); break; \
  case 2: call (2); break; \
  case 3: call (3); break; \
  case 4:                  \
    call (4);              \
    break
#endif
