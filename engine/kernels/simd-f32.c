/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"
#include "engine/kernels/dot-rows.h"
#include "engine/kernels/key-rows.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd.h"

/* Float products for AVX2, AVX-512 and NEON; PT_F32_KERNELS is the name of the table. */

#if LANES == 16
#define MR 14
#define NARROW_MR 28
#elif LANES == 4
#define MR 8
#define NARROW_MR 12
#else
#define MR 6
#define NARROW_MR 12
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)

/* The number of the n columns that are in vector v. */
INLINE gsize
columns_in (gsize n, gsize v)
{
  return n < v * LANES ? 0 : MIN (n - v * LANES, LANES);
}

INLINE vf
load_columns (const gboolean full, const float *p, gsize n, gsize v)
{
  return full ? vf_load (p + v * LANES) : vf_load_n (p + v * LANES, columns_in (n, v));
}

/* Finishes the sums in @acc and stores them. */
INLINE void
finish_rows (const gsize m, const gsize vectors, const gboolean full, gsize n, vf acc[][VECTORS],
             const PtTileEnds *ends, float *c, gsize ldc)
{
  /* Read before the loop, because the compiler must assume that stores change the fields. */
  vf min = vf_set1 (ends->min), max = vf_set1 (ends->max);
  gsize step = not_hoisted (ldc);

  if (ends->add)
    UNROLLED (i, m)
      UNROLLED (v, vectors)
        acc[i][v] = vf_add (load_columns (full, EVERY_THIRD (c, i, step), n, v), acc[i][v]);
  UNROLLED (i, m)
    UNROLLED (v, vectors) {
      float *to = EVERY_THIRD (c, i, step) + v * LANES;
      vf y = vf_clamp (acc[i][v], min, max);

      if (full)
        vf_store (to, y);
      else
        vf_store_n (to, y, columns_in (n, v));
    }
}

#if LANES == 4

/* Column @q of four, q is a literal: one instruction multiplies with a lane of the row of a. */
#define ADD_COLUMN(q)                                              \
  do {                                                             \
    UNROLLED (v, vectors)                                          \
      b[v] = load_columns (full, panel + (p + (q)) * ldp, n, v);   \
    UNROLLED (i, m)                                                \
      UNROLLED (v, vectors)                                        \
        acc[i][v] = vfmaq_laneq_f32 (acc[i][v], b[v], as[i], (q)); \
  } while (0)

/*
 * Adds the products of whole vectors of k to @acc, and prefetches @ahead_step bytes for each
 * column. Returns the number of columns that it added.
 */
INLINE gsize
add_fours (const gsize m, const gsize vectors, const gboolean full, gsize n, gsize k,
           const float *a, gsize lda, const float *panel, gsize ldp, const char *ahead,
           gsize ahead_step, vf acc[][VECTORS])
{
  vf as[NARROW_MR], b[VECTORS];
  gsize p = 0;

  for (; p + LANES <= k; p += LANES, ahead += LANES * ahead_step) {
    UNROLLED (i, m)
      as[i] = vf_load (a + i * lda + p);
    /* At most half a cache line for each column. */
    fetch_next (ahead);
    fetch_next (ahead + LANES / 2 * ahead_step);
    ADD_COLUMN (0);
    ADD_COLUMN (1);
    ADD_COLUMN (2);
    ADD_COLUMN (3);
  }
  return p;
}

#endif

/*
 * m, vectors (of columns), full and apart are constants when inlined. full: the columns fill the
 * vectors; apart: a is read through ends->offsets.
 */
INLINE void
tile_rows (const gsize m, const gsize vectors, const gboolean full, const gboolean apart, gsize n,
           gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
           const PtTileEnds *ends, float *c, gsize ldc)
{
  vf acc[NARROW_MR][VECTORS], b[VECTORS];
  const char *ahead = (const char *) (ends->ahead != NULL ? ends->ahead : panel);
  gsize ahead_step = ends->ahead != NULL ? ends->ahead_step * sizeof *panel : 0, p = 0;

  UNROLLED (i, m)
    UNROLLED (v, vectors)
      acc[i][v] = ends->accumulate ? load_columns (full, c + i * ldc, n, v)
                  : ends->bias     ? load_columns (full, ends->bias, n, v)
                                   : vf_zero ();
#if LANES == 4
  if (!apart) {
    p = add_fours (m, vectors, full, n, k, a, lda, panel, ldp, ahead, ahead_step, acc);
    ahead += p * ahead_step;
  }
#endif
  for (; p < k; p++, ahead += ahead_step) {
    const float *row = a + (apart ? ends->offsets[p] : p);
    gsize step = not_hoisted (lda);

    fetch_next (ahead);
    UNROLLED (v, vectors)
      b[v] = load_columns (full, panel + p * ldp, n, v);
    UNROLLED (i, m) {
      vf as = vf_set1 (*EVERY_THIRD (row, i, step));

      UNROLLED (v, vectors)
        acc[i][v] = vf_fma (as, b[v], acc[i][v]);
    }
  }
  finish_rows (m, vectors, full, n, acc, ends, c, ldc);
}

#if LANES == 16

#define PAIR_ROWS (MR / 2)

/*
 * The same with two sums for each result, of even and of odd p. The start value goes into the first
 * sum.
 */
INLINE void
tile_pairs (const gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel,
            gsize ldp, const PtTileEnds *ends, float *c, gsize ldc)
{
  vf acc[2][PAIR_ROWS][VECTORS], b[VECTORS];

  UNROLLED (i, m)
    UNROLLED (v, VECTORS) {
      acc[0][i][v] = ends->accumulate ? load_columns (FALSE, c + i * ldc, n, v)
                     : ends->bias     ? load_columns (FALSE, ends->bias, n, v)
                                      : vf_zero ();
      acc[1][i][v] = vf_zero ();
    }
  for (gsize p = 0; p < k; p += 2)
    UNROLLED (half, 2) {
      gsize at = p + half;

      if (at == k)
        break;
      UNROLLED (v, VECTORS)
        b[v] = load_columns (FALSE, panel + at * ldp, n, v);
      UNROLLED (i, m) {
        vf as = vf_set1 (a[i * lda + at]);

        UNROLLED (v, VECTORS)
          acc[half][i][v] = vf_fma (as, b[v], acc[half][i][v]);
      }
    }
  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      acc[0][i][v] = vf_add (acc[0][i][v], acc[1][i][v]);
  finish_rows (m, VECTORS, FALSE, n, acc[0], ends, c, ldc);
}

#define PAIRS_CASE(M) \
  case M: tile_pairs (M, n, k, a, lda, panel, ldp, ends, c, ldc); break

static void
tile_in_pairs (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
               const PtTileEnds *ends, float *c, gsize ldc)
{
  for (; m > 0; a += PAIR_ROWS * lda, c += PAIR_ROWS * ldc) {
    gsize here = MIN (m, PAIR_ROWS);

    switch (here) {
      PAIRS_CASE (1);
      PAIRS_CASE (2);
      PAIRS_CASE (3);
      PAIRS_CASE (4);
      PAIRS_CASE (5);
      PAIRS_CASE (6);
      PAIRS_CASE (7);
    }
    m -= here;
  }
}

#define HALF 8

/* Two halves of columns, of one row and of the next: a load from @high fills the upper half. */
INLINE vf
load_halves (const float *low, const float *high, gsize n)
{
  return _mm512_mask_loadu_ps (vf_load_n (low, n), (__mmask16) (first_lanes (n) << HALF),
                               high - HALF);
}

/*
 * Stores both halves with masked stores of whole registers. A store of half a register may touch
 * memory that its mask excludes.
 */
INLINE void
store_halves (float *low, float *high, vf v, gsize n)
{
  vf_store_n (low, v, n);
  _mm512_mask_storeu_ps (high - HALF, (__mmask16) (first_lanes (n) << HALF), v);
}

/*
 * One and a half vectors of columns or less: halves of two rows share a vector, so a pair of rows
 * takes three products instead of four. The second row of the last pair is @last floats behind the
 * first; 0 when m is odd. pairs is a constant when inlined.
 */
INLINE void
tile_halves (const gsize pairs, gsize last, gsize last_c, gsize n, gsize k, const float *a,
             gsize lda, const float *panel, gsize ldp, const PtTileEnds *ends, float *c, gsize ldc)
{
  vf acc[PAIR_ROWS][3], min, max;
  gsize half = n - LANES;

  UNROLLED (i, pairs) {
    const float *low = c + 2 * i * ldc, *high = low + (i + 1 < pairs ? ldc : last_c);

    if (!ends->accumulate)
      low = high = ends->bias;
    acc[i][0] = low != NULL ? vf_load (low) : vf_zero ();
    acc[i][1] = low != NULL ? vf_load (high) : vf_zero ();
    acc[i][2] = low != NULL ? load_halves (low + LANES, high + LANES, half) : vf_zero ();
  }
  for (gsize p = 0; p < k; p++) {
    vf b = vf_load (panel + p * ldp);
    const float *rest = panel + p * ldp + LANES;
    vf b_half = load_halves (rest, rest, half);
    const float *row = a + p;
    gsize step = not_hoisted (lda);

    UNROLLED (i, pairs) {
      const float *first = EVERY_THIRD (row, 2 * i, step);
      vf one = vf_set1 (*first);
      vf two = vf_set1 (i + 1 < pairs ? *EVERY_THIRD (row, 2 * i + 1, step) : first[last]);

      acc[i][0] = vf_fma (one, b, acc[i][0]);
      acc[i][1] = vf_fma (two, b, acc[i][1]);
      acc[i][2] = vf_fma (_mm512_mask_blend_ps (0xff00, one, two), b_half, acc[i][2]);
    }
  }
  min = vf_set1 (ends->min);
  max = vf_set1 (ends->max);
  UNROLLED (i, pairs) {
    float *low = c + 2 * i * ldc, *high = low + (i + 1 < pairs ? ldc : last_c);

    vf_store (low, vf_clamp (acc[i][0], min, max));
    vf_store (high, vf_clamp (acc[i][1], min, max));
    store_halves (low + LANES, high + LANES, vf_clamp (acc[i][2], min, max), half);
  }
}

#define HALVES_CASE(PAIRS) \
  case PAIRS: tile_halves (PAIRS, last, last_c, n, k, a, lda, panel, ldp, ends, c, ldc); break

static void
tile_of_halves (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
                const PtTileEnds *ends, float *c, gsize ldc)
{
  gsize last = m % 2 == 0 ? lda : 0, last_c = m % 2 == 0 ? ldc : 0;

  switch ((m + 1) / 2) {
    HALVES_CASE (1);
    HALVES_CASE (2);
    HALVES_CASE (3);
    HALVES_CASE (4);
    HALVES_CASE (5);
    HALVES_CASE (6);
    HALVES_CASE (7);
  }
}

#endif

#define TILE(M, VECTORS, FULL, APART) \
  tile_rows (M, VECTORS, FULL, APART, n, k, a, lda, panel, ldp, ends, c, ldc)

#define TILE_CASE(M)                        \
  case M:                                   \
    if (ends->offsets != NULL && n > LANES) \
      TILE (M, VECTORS, FALSE, TRUE);       \
    else if (ends->offsets != NULL)         \
      TILE (M, 1, FALSE, TRUE);             \
    else if (n == NR)                       \
      TILE (M, VECTORS, TRUE, FALSE);       \
    else if (n > LANES)                     \
      TILE (M, VECTORS, FALSE, FALSE);      \
    else                                    \
      TILE (M, 1, FALSE, FALSE);            \
    break

static void
tile (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
      const PtTileEnds *ends, float *c, gsize ldc)
{
#if LANES == 16
  if (ends->pairs) {
    tile_in_pairs (m, n, k, a, lda, panel, ldp, ends, c, ldc);
    return;
  }
  if (n > LANES && n <= LANES + HALF && m > 1 && ends->offsets == NULL && !ends->add) {
    tile_of_halves (m, n, k, a, lda, panel, ldp, ends, c, ldc);
    return;
  }
#endif
  switch (m) {
    TILE_CASE (1);
    TILE_CASE (2);
    TILE_CASE (3);
    TILE_CASE (4);
    TILE_CASE (5);
    TILE_CASE (6);
#if MR > 6
    TILE_CASE (7);
    TILE_CASE (8);
#endif
#if MR > 8
    TILE_CASE (9);
    TILE_CASE (10);
    TILE_CASE (11);
    TILE_CASE (12);
    TILE_CASE (13);
    TILE_CASE (14);
#endif
  case NARROW_MR:
    if (ends->offsets != NULL)
      TILE (NARROW_MR, 1, FALSE, TRUE);
    else if (n == LANES) /* stores of whole vectors are much faster */
      TILE (NARROW_MR, 1, TRUE, FALSE);
    else
      TILE (NARROW_MR, 1, FALSE, FALSE);
  }
}

static void
pack_transposed (gsize n, gsize k, const float *b, gsize ldb, float *panel)
{
  for (gsize column = 0; column < NR; column += LANES)
    for (gsize p = 0; p < k; p += LANES) {
      gsize here = MIN (LANES, k - p);
      vi r[LANES];

      for (gsize j = 0; j < LANES; j++) {
        const float *row = b + (column + j) * ldb + p;

        if (column + j >= n)
          r[j] = vi_zero ();
        else
          r[j] = here == LANES ? vi_load (row) : vi_load_n (row, here);
      }
      transpose (r);
      for (gsize i = 0; i < here; i++)
        vi_store (panel + (p + i) * NR + column, r[i]);
    }
}

const PtF32Kernels PT_F32_KERNELS = {
  .dot_rows = dot_rows,
  .lane_dots = lane_dots,
  .add_rows = add_rows,
  .mr = MR,
  .nr = NR,
  .narrow_m = NARROW_MR,
  .narrow_n = LANES,
  .tile = tile,
  .pack_transposed = pack_transposed,
};
