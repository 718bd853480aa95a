/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/lane-dot.h"
#include "engine/kernels/simd.h"

/* lane_dots() and add_rows() of PtF32Kernels: few queries times rows of keys or of values. */

#define LINE_FLOATS (PT_LINE / sizeof (float))

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

/*
 * Adds the products of KEYS quads of columns. lead: the first of them is added up first. m,
 * n_vectors and lead are constants when inlined.
 */
INLINE void
add_quads (const gsize m, const gsize n_vectors, const gboolean lead, const float *a, gsize lda,
           const float *b, gsize ldb, vf acc[][PT_DOT_ROWS])
{
  vf quads[KEY_VECTORS][KEYS];

  if (LANES == 16)
    UNROLLED (v, n_vectors)
      load_all_quads (b + v * KEYS * ldb, ldb, quads[v]);
  UNROLLED (q, KEYS) {
    if (LANES != 16) /* there are registers for few */
      UNROLLED (v, n_vectors)
        quads[v][q] = load_quads (b + v * KEYS * ldb + 4 * q, ldb);
    UNROLLED (i, m) {
      vf as = repeat_quad (a + i * lda + 4 * q);

      UNROLLED (v, n_vectors) {
        vf product = vf_mul (as, quads[v][q]);

        acc[v][i] = lead && q == 0 ? sum_leading (product) : vf_add (acc[v][i], product);
      }
    }
  }
}

/* Multiplies m rows of a with n_vectors * KEYS rows of b. */
INLINE void
lane_dots_of (const gsize m, const gsize n_vectors, const gboolean lead, gsize k, const float *a,
              gsize lda, const float *b, gsize ldb, PtAhead *ahead, float *c, gsize ldc)
{
  vf acc[KEY_VECTORS][PT_DOT_ROWS], quad;
  gsize p = 0;

  UNROLLED (v, n_vectors)
    UNROLLED (i, PT_DOT_ROWS)
      acc[v][i] = vf_zero ();
  if (lead && k >= LANES) {
    pt_fetch_ahead (ahead, n_vectors * KEYS * LANES / LINE_FLOATS);
    add_quads (m, n_vectors, TRUE, a, lda, b, ldb, acc);
    p = LANES;
  }
  for (; p + LANES <= k; p += LANES) {
    pt_fetch_ahead (ahead, n_vectors * KEYS * LANES / LINE_FLOATS);
    add_quads (m, n_vectors, FALSE, a + p, lda, b + p, ldb, acc);
  }
  for (; p + 4 <= k; p += 4)
    UNROLLED (v, n_vectors) {
      quad = load_quads (b + v * KEYS * ldb + p, ldb);
      UNROLLED (i, m) {
        vf product = vf_mul (repeat_quad (a + i * lda + p), quad);

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

/* Multiplies with the rows of b that fill whole vectors, at least four. Returns their number. */
INLINE gsize
lane_dots_for (const gsize m, const gboolean lead, gsize n, gsize k, const float *a, gsize lda,
               const float *b, gsize ldb, PtAhead *ahead, float *c, gsize ldc)
{
  const gsize step = KEY_VECTORS * KEYS;
  gsize j = 0;

  for (; j + step <= n; j += step)
    lane_dots_of (m, KEY_VECTORS, lead, k, a, lda, b + j * ldb, ldb, ahead, c + j, ldc);
  for (; j + 4 <= n; j += 4)
    lane_dots_of (m, 4 / KEYS, lead, k, a, lda, b + j * ldb, ldb, ahead, c + j, ldc);
  return j;
}

#define LANE_DOTS(m)                                                   \
  (lead ? lane_dots_for (m, TRUE, n, k, a, lda, b, ldb, ahead, c, ldc) \
        : lane_dots_for (m, FALSE, n, k, a, lda, b, ldb, ahead, c, ldc))

static void
lane_dots (gsize m, gsize n, gsize k, gboolean lead, const float *a, gsize lda, const float *b,
           gsize ldb, PtAhead *ahead, float *c, gsize ldc)
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
                const float *w, gsize ldw, const float *b, gsize ldb, PtAhead *ahead, float *c,
                gsize ldc)
{
  vf acc[PT_DOT_ROWS][ROW_VECTORS];

  UNROLLED (i, m)
    UNROLLED (u, v)
      acc[i][u] = whole ? vf_load (c + i * ldc + u * LANES) : vf_load_n (c + i * ldc, n);
  for (gsize p = 0; p < k; p++, b += ldb, w++) {
    vf ws[PT_DOT_ROWS];

    pt_fetch_ahead (ahead, v * LANES / LINE_FLOATS);
    UNROLLED (i, m)
      ws[i] = vf_set1 (w[i * ldw]);
    UNROLLED (u, v) {
      vf bs = whole ? vf_load (b + u * LANES) : vf_load_n (b, n);

      UNROLLED (i, m)
        acc[i][u] = vf_add (acc[i][u], vf_mul (ws[i], bs));
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
             const float *b, gsize ldb, PtAhead *ahead, float *c, gsize ldc)
{
  for (gsize j = 0, here; j < n; j += here) {
    here = n - j >= v * LANES ? v * LANES : MIN (n - j, LANES);
    if (here == v * LANES)
      add_to_columns (m, v, TRUE, here, k, w, ldw, b + j, ldb, ahead, c + j, ldc);
    else if (here == LANES)
      add_to_columns (m, 1, TRUE, here, k, w, ldw, b + j, ldb, ahead, c + j, ldc);
    else
      add_to_columns (m, 1, FALSE, here, k, w, ldw, b + j, ldb, ahead, c + j, ldc);
  }
}

#define ADD_ROWS(m, v) add_rows_of (m, v, n, k, w, ldw, b, ldb, ahead, c, ldc)

static void
add_rows (gsize m, gsize n, gsize k, const float *w, gsize ldw, const float *b, gsize ldb,
          PtAhead *ahead, float *c, gsize ldc)
{
  switch (m) {
  case 1: ADD_ROWS (1, ROW_VECTORS); break;
  case 2: ADD_ROWS (2, 4); break;
  case 3: ADD_ROWS (3, MANY_ROWS_VECTORS); break;
  default: ADD_ROWS (4, MANY_ROWS_VECTORS); break;
  }
}
