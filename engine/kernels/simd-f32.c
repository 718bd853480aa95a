/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernels.h"
#include "engine/kernels/simd.h"

/* Float products for AVX2 and AVX-512; PT_F32_KERNELS is the name of the table. */

#if LANES == 16
#define MR 14
#define ROWS_FOR_MANY 4
#else
#define MR 6
#define ROWS_FOR_MANY 2
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)
#define ROWS_FOR_ONE 8

/* m rows of a times n rows of b, both constants when inlined; whole vectors of k only. */
INLINE void
dot_block (const gsize m, const gsize n, gsize k, const float *a, gsize lda, const float *b,
           gsize ldb, float *c, gsize ldc)
{
  vf acc[PT_DOT_ROWS][ROWS_FOR_ONE], as[PT_DOT_ROWS];

  UNROLLED (i, m)
    UNROLLED (j, n)
      acc[i][j] = vf_zero ();
  for (gsize p = 0; p + LANES <= k; p += LANES) {
    UNROLLED (i, m)
      as[i] = vf_load (a + i * lda + p);
    UNROLLED (j, n) {
      vf bs = vf_load (b + j * ldb + p);

      UNROLLED (i, m)
        acc[i][j] = vf_fma (as[i], bs, acc[i][j]);
    }
  }
  UNROLLED (i, m)
    UNROLLED (j, n / 4)
      _mm_storeu_ps (c + i * ldc + 4 * j, vf_sum_4 (acc[i][4 * j], acc[i][4 * j + 1],
                                                    acc[i][4 * j + 2], acc[i][4 * j + 3]));
  if (n < 4)
    UNROLLED (i, m)
      UNROLLED (j, n)
        c[i * ldc + j] = vf_sum (acc[i][j]);
}

/* The columns after the last whole vector. */
static void
dot_rest (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b, gsize ldb, float *c,
          gsize ldc)
{
  gsize p = k - k % LANES, rest = k % LANES;

  for (gsize i = 0; i < m; i++) {
    vf as = vf_load_n (a + i * lda + p, rest);

    for (gsize j = 0; j < n; j++)
      c[i * ldc + j] += vf_sum (vf_mul (as, vf_load_n (b + j * ldb + p, rest)));
  }
}

INLINE void
dot_all_rows (const gsize m, const gsize block, gsize n, gsize k, const float *a, gsize lda,
              const float *b, gsize ldb, float *c, gsize ldc)
{
  gsize j = 0;

  for (; j + block <= n; j += block)
    dot_block (m, block, k, a, lda, b + j * ldb, ldb, c + j, ldc);
  for (; j < n; j++)
    dot_block (m, 1, k, a, lda, b + j * ldb, ldb, c + j, ldc);
}

static void
dot_rows (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b, gsize ldb, float *c,
          gsize ldc)
{
  switch (m) {
  case 1: dot_all_rows (1, ROWS_FOR_ONE, n, k, a, lda, b, ldb, c, ldc); break;
  case 2: dot_all_rows (2, 4, n, k, a, lda, b, ldb, c, ldc); break;
  case 3: dot_all_rows (3, ROWS_FOR_MANY, n, k, a, lda, b, ldb, c, ldc); break;
  default: dot_all_rows (4, ROWS_FOR_MANY, n, k, a, lda, b, ldb, c, ldc); break;
  }
  if (k % LANES != 0)
    dot_rest (m, n, k, a, lda, b, ldb, c, ldc);
}

/* How many of n columns are in vector v. */
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

/* m and full are constants when inlined; full: n is NR. */
INLINE void
tile_rows (const gsize m, const gboolean full, gsize n, gsize k, const float *a, gsize lda,
           const float *panel, gsize ldp, const PtTileEnds *ends, float *c, gsize ldc)
{
  vf acc[MR][VECTORS], b[VECTORS];

  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      acc[i][v] = ends->accumulate ? load_columns (full, c + i * ldc, n, v)
                  : ends->bias     ? load_columns (full, ends->bias, n, v)
                                   : vf_zero ();
  for (gsize p = 0; p < k; p++) {
    UNROLLED (v, VECTORS)
      b[v] = load_columns (full, panel + p * ldp, n, v);
    UNROLLED (i, m) {
      vf as = vf_set1 (a[i * lda + p]);

      UNROLLED (v, VECTORS)
        acc[i][v] = vf_fma (as, b[v], acc[i][v]);
    }
  }
  UNROLLED (i, m)
    UNROLLED (v, VECTORS) {
      vf y = vf_clamp (acc[i][v], vf_set1 (ends->min), vf_set1 (ends->max));

      if (full)
        vf_store (c + i * ldc + v * LANES, y);
      else
        vf_store_n (c + i * ldc + v * LANES, y, columns_in (n, v));
    }
}

#define TILE_CASE(M)                                                \
  case M:                                                           \
    if (n == NR)                                                    \
      tile_rows (M, TRUE, n, k, a, lda, panel, ldp, ends, c, ldc);  \
    else                                                            \
      tile_rows (M, FALSE, n, k, a, lda, panel, ldp, ends, c, ldc); \
    break

static void
tile (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
      const PtTileEnds *ends, float *c, gsize ldc)
{
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
    TILE_CASE (9);
    TILE_CASE (10);
    TILE_CASE (11);
    TILE_CASE (12);
    TILE_CASE (13);
    TILE_CASE (14);
#endif
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
  .mr = MR,
  .nr = NR,
  .tile = tile,
  .pack_transposed = pack_transposed,
};
