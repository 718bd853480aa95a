/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"
#include "engine/kernels/dot-rows.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/lane-dot.h"
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

/* Sums in a fixed order: a vector holds four lanes (a quad) for each of KEYS rows of b. */

#define KEYS (LANES / 4)
#define KEY_VECTORS (LANES == 4 ? 4 : 2) /* vectors of b that share the quads of a */

#if LANES == 16

INLINE vf
repeat_quad (const float *a)
{
  return _mm512_broadcast_f32x4 (_mm_loadu_ps (a));
}

INLINE vf
load_quads (const float *b, gsize ldb)
{
  vf v = _mm512_castps128_ps512 (_mm_loadu_ps (b));

  v = _mm512_insertf32x4 (v, _mm_loadu_ps (b + ldb), 1);
  v = _mm512_insertf32x4 (v, _mm_loadu_ps (b + 2 * ldb), 2);
  return _mm512_insertf32x4 (v, _mm_loadu_ps (b + 3 * ldb), 3);
}

/* load_quads() of KEYS contiguous quads. */
INLINE void
load_all_quads (const float *b, gsize ldb, vf quads[KEYS])
{
  vf r0 = vf_load (b), r1 = vf_load (b + ldb), r2 = vf_load (b + 2 * ldb);
  vf r3 = vf_load (b + 3 * ldb), low01 = _mm512_shuffle_f32x4 (r0, r1, 0x44);
  vf low23 = _mm512_shuffle_f32x4 (r2, r3, 0x44), high01 = _mm512_shuffle_f32x4 (r0, r1, 0xee);
  vf high23 = _mm512_shuffle_f32x4 (r2, r3, 0xee);

  quads[0] = _mm512_shuffle_f32x4 (low01, low23, 0x88);
  quads[1] = _mm512_shuffle_f32x4 (low01, low23, 0xdd);
  quads[2] = _mm512_shuffle_f32x4 (high01, high23, 0x88);
  quads[3] = _mm512_shuffle_f32x4 (high01, high23, 0xdd);
}

/* Stores lane i of all quads in row i of c, for m rows. */
INLINE void
store_lanes (const gsize m, vf v, float *c, gsize ldc)
{
  const vi order = _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

  v = _mm512_permutexvar_ps (order, v);
  _mm_storeu_ps (c, _mm512_castps512_ps128 (v));
  if (m > 1)
    _mm_storeu_ps (c + ldc, _mm512_extractf32x4_ps (v, 1));
  if (m > 2)
    _mm_storeu_ps (c + 2 * ldc, _mm512_extractf32x4_ps (v, 2));
  if (m > 3)
    _mm_storeu_ps (c + 3 * ldc, _mm512_extractf32x4_ps (v, 3));
}

#define PERMUTED(v, order) _mm512_permute_ps (v, order)
#define SHUFFLED(a, b, order) _mm512_shuffle_ps (a, b, order)
#define FIRSTS_ONLY(v) _mm512_maskz_mov_ps (0x1111, v)

#elif LANES == 4

INLINE vf
repeat_quad (const float *a)
{
  return vf_load (a);
}

INLINE vf
load_quads (const float *b, gsize ldb)
{
  return vf_load (b);
}

INLINE void
load_all_quads (const float *b, gsize ldb, vf quads[KEYS])
{
  quads[0] = vf_load (b);
}

/* Stores lane i in row i of c, for m rows. */
INLINE void
store_lanes (const gsize m, vf v, float *c, gsize ldc)
{
  vst1q_lane_f32 (c, v, 0);
  if (m > 1)
    vst1q_lane_f32 (c + ldc, v, 1);
  if (m > 2)
    vst1q_lane_f32 (c + 2 * ldc, v, 2);
  if (m > 3)
    vst1q_lane_f32 (c + 3 * ldc, v, 3);
}

/* The orders are those of x86, as far as they are needed here. */
#define PERMUTED(v, order) vdupq_laneq_f32 (v, (order) % 4)
#define DOUBLES(v) vreinterpretq_f64_f32 (v)
#define SHUFFLED(a, b, order)                                                        \
  ((order) == 0x44   ? vreinterpretq_f32_f64 (vzip1q_f64 (DOUBLES (a), DOUBLES (b))) \
   : (order) == 0xee ? vreinterpretq_f32_f64 (vzip2q_f64 (DOUBLES (a), DOUBLES (b))) \
   : (order) == 0x88 ? vuzp1q_f32 (a, b)                                             \
                     : vuzp2q_f32 (a, b))
#define FIRSTS_ONLY(v) vcopyq_laneq_f32 (vf_zero (), 0, v, 0)

#else

INLINE vf
repeat_quad (const float *a)
{
  return _mm256_broadcast_ps ((const __m128 *) a);
}

INLINE vf
load_quads (const float *b, gsize ldb)
{
  return _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_loadu_ps (b)), _mm_loadu_ps (b + ldb),
                               1);
}

/* load_quads() of KEYS contiguous quads. */
INLINE void
load_all_quads (const float *b, gsize ldb, vf quads[KEYS])
{
  UNROLLED (q, KEYS)
    quads[q] = load_quads (b + 4 * q, ldb);
}

/* Stores lane i of all quads in row i of c, for m rows. */
INLINE void
store_lanes (const gsize m, vf v, float *c, gsize ldc)
{
  __m128 low = _mm256_castps256_ps128 (v), high = _mm256_extractf128_ps (v, 1);
  __m128 rows01 = _mm_unpacklo_ps (low, high), rows23 = _mm_unpackhi_ps (low, high);

  _mm_storel_pi ((__m64 *) c, rows01);
  if (m > 1)
    _mm_storeh_pi ((__m64 *) (c + ldc), rows01);
  if (m > 2)
    _mm_storel_pi ((__m64 *) (c + 2 * ldc), rows23);
  if (m > 3)
    _mm_storeh_pi ((__m64 *) (c + 3 * ldc), rows23);
}

#define PERMUTED(v, order) _mm256_permute_ps (v, order)
#define SHUFFLED(a, b, order) _mm256_shuffle_ps (a, b, order)
#define FIRSTS_ONLY(v) _mm256_blend_ps (_mm256_setzero_ps (), v, 0x11)

#endif

/* Returns the sum of each quad, from left to right, in its first lane; the other lanes are zero. */
INLINE vf
sum_leading (vf v)
{
  vf sum = vf_add (v, PERMUTED (v, 0x55));

  sum = vf_add (sum, PERMUTED (v, 0xaa));
  return FIRSTS_ONLY (vf_add (sum, PERMUTED (v, 0xff)));
}

/* Returns in lane i of each quad the sum, in halves, of the lanes of that quad of r[i]. */
INLINE vf
sum_halves (const vf r[PT_DOT_ROWS])
{
  vf a = vf_add (SHUFFLED (r[0], r[1], 0x44), SHUFFLED (r[0], r[1], 0xee));
  vf b = vf_add (SHUFFLED (r[2], r[3], 0x44), SHUFFLED (r[2], r[3], 0xee));

  return vf_add (SHUFFLED (a, b, 0x88), SHUFFLED (a, b, 0xdd));
}

/* Multiplies m rows of a with n_vectors * KEYS rows of b. */
INLINE void
lane_dots_of (const gsize m, const gsize n_vectors, const gboolean lead, gsize k, const float *a,
              gsize lda, const float *b, gsize ldb, float *c, gsize ldc)
{
  vf acc[KEY_VECTORS][PT_DOT_ROWS], quads[KEY_VECTORS][KEYS];
  gsize p = 0;

  UNROLLED (v, n_vectors)
    UNROLLED (i, PT_DOT_ROWS)
      acc[v][i] = vf_zero ();
  for (; p + LANES <= k; p += LANES) {
    UNROLLED (v, n_vectors)
      load_all_quads (b + v * KEYS * ldb + p, ldb, quads[v]);
    UNROLLED (q, KEYS)
      UNROLLED (i, m) {
        vf as = repeat_quad (a + i * lda + p + 4 * q);

        UNROLLED (v, n_vectors) {
          vf product = vf_mul (as, quads[v][q]);

          acc[v][i] =
              lead && q == 0 && p == 0 ? sum_leading (product) : vf_add (acc[v][i], product);
        }
      }
  }
  for (; p + 4 <= k; p += 4)
    UNROLLED (v, n_vectors) {
      quads[v][0] = load_quads (b + v * KEYS * ldb + p, ldb);
      UNROLLED (i, m) {
        vf product = vf_mul (repeat_quad (a + i * lda + p), quads[v][0]);

        acc[v][i] = lead && p == 0 ? sum_leading (product) : vf_add (acc[v][i], product);
      }
    }
  UNROLLED (v, n_vectors)
    store_lanes (m, sum_halves (acc[v]), c + v * KEYS, ldc);
  for (; p < k; p++)
    for (gsize i = 0; i < m; i++)
      for (gsize j = 0; j < n_vectors * KEYS; j++)
        c[i * ldc + j] += a[i * lda + p] * b[j * ldb + p];
}

INLINE void
fetch_rows (gsize n, gsize k, const float *b, gsize ldb)
{
  for (gsize j = 0; j < n; j++)
    pt_fetch (b + j * ldb, k * sizeof *b);
}

/* Multiplies with the rows of b that fill whole vectors, at least four. Returns their number. */
INLINE gsize
lane_dots_for (const gsize m, const gboolean lead, gsize n, gsize k, const float *a, gsize lda,
               const float *b, gsize ldb, const float *ahead, float *c, gsize ldc)
{
  const gsize step = KEY_VECTORS * KEYS;
  gsize j = 0;

  for (; j + step <= n; j += step) {
    if (ahead != NULL)
      fetch_rows (step, k, ahead + j * ldb, ldb);
    lane_dots_of (m, KEY_VECTORS, lead, k, a, lda, b + j * ldb, ldb, c + j, ldc);
  }
  for (; j + 4 <= n; j += 4)
    lane_dots_of (m, 4 / KEYS, lead, k, a, lda, b + j * ldb, ldb, c + j, ldc);
  return j;
}

#define LANE_DOTS(m)                                                   \
  (lead ? lane_dots_for (m, TRUE, n, k, a, lda, b, ldb, ahead, c, ldc) \
        : lane_dots_for (m, FALSE, n, k, a, lda, b, ldb, ahead, c, ldc))

static void
lane_dots (gsize m, gsize n, gsize k, gboolean lead, const float *a, gsize lda, const float *b,
           gsize ldb, const float *ahead, float *c, gsize ldc)
{
  gsize done;

  switch (m) {
  case 1: done = LANE_DOTS (1); break;
  case 2: done = LANE_DOTS (2); break;
  case 3: done = LANE_DOTS (3); break;
  default: done = LANE_DOTS (4); break;
  }
  for (gsize i = 0; i < m; i++)
    pt_lane_dots_rest (n - done, k, lead, a + i * lda, b + done * ldb, ldb, c + i * ldc + done);
}

/*
 * Vectors of columns that are summed together: enough to hide the latency of an addition, few
 * enough for the registers.
 */
#define ROW_VECTORS (64 / LANES)
#define MANY_ROWS_VECTORS (LANES == 8 ? 2 : 4)

/*
 * Columns [j, j + n) of m rows of c, in v vectors; the last vector may be partial. m, v and whole
 * are constants when inlined.
 */
INLINE void
add_to_columns (const gsize m, const gsize v, const gboolean whole, gsize n, gsize k,
                const float *w, gsize ldw, const float *b, gsize ldb, const float *ahead, float *c,
                gsize ldc)
{
  vf acc[PT_DOT_ROWS][ROW_VECTORS];

  UNROLLED (i, m)
    UNROLLED (u, v)
      acc[i][u] = whole ? vf_load (c + i * ldc + u * LANES) : vf_load_n (c + i * ldc, n);
  for (gsize p = 0; p < k; p++) {
    if (ahead != NULL)
      pt_fetch (ahead + p * ldb, v * LANES * sizeof *ahead);
    UNROLLED (u, v) {
      vf bs = whole ? vf_load (b + p * ldb + u * LANES) : vf_load_n (b + p * ldb, n);

      UNROLLED (i, m)
        acc[i][u] = vf_add (acc[i][u], vf_mul (vf_set1 (w[i * ldw + p]), bs));
    }
  }
  UNROLLED (i, m)
    UNROLLED (u, v) {
      if (whole)
        vf_store (c + i * ldc + u * LANES, acc[i][u]);
      else
        vf_store_n (c + i * ldc, acc[i][u], n);
    }
}

INLINE void
add_rows_of (const gsize m, const gsize v, gsize n, gsize k, const float *w, gsize ldw,
             const float *b, gsize ldb, const float *ahead, float *c, gsize ldc)
{
  for (gsize j = 0, here; j < n; j += here) {
    const float *next = ahead != NULL ? ahead + j : NULL;

    here = n - j >= v * LANES ? v * LANES : MIN (n - j, LANES);
    if (here == v * LANES)
      add_to_columns (m, v, TRUE, here, k, w, ldw, b + j, ldb, next, c + j, ldc);
    else if (here == LANES)
      add_to_columns (m, 1, TRUE, here, k, w, ldw, b + j, ldb, next, c + j, ldc);
    else
      add_to_columns (m, 1, FALSE, here, k, w, ldw, b + j, ldb, next, c + j, ldc);
  }
}

#define ADD_ROWS(m, v) add_rows_of (m, v, n, k, w, ldw, b, ldb, ahead, c, ldc)

static void
add_rows (gsize m, gsize n, gsize k, const float *w, gsize ldw, const float *b, gsize ldb,
          const float *ahead, float *c, gsize ldc)
{
  switch (m) {
  case 1: ADD_ROWS (1, ROW_VECTORS); break;
  case 2: ADD_ROWS (2, 4); break;
  case 3: ADD_ROWS (3, MANY_ROWS_VECTORS); break;
  default: ADD_ROWS (4, MANY_ROWS_VECTORS); break;
  }
}

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
