/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Float products with a constant right factor, which is packed once in the order in which the tiles
 * read it. The sums are equal to those of pt_gemm_f32() to the last bit, except for products of so
 * few rows that pt_gemm_f32() reads the factor in place.
 */

typedef struct {
  gsize n, k;
  float *panels; /* pt_packed_f32_size() bytes, 64-byte aligned */
} PtPackedF32;

/** Bytes of the panels of an [@n, @k] factor; 0: too large. */
gsize pt_packed_f32_size (gsize n, gsize k);

/** Fill @packed->panels with @b [n, k], whose rows are @ldb floats apart. */
void pt_pack_f32 (PtPool *pool, const float *b, gsize ldb, const PtPackedF32 *packed);

/** Round @n columns up to whole panels. */
gsize pt_packed_f32_width (gsize n);

/**
 * The columns [@column, @column + @n), or up to the last one, as a factor of its own. @column must
 * be a multiple of the width of a panel.
 */
PtPackedF32 pt_packed_f32_part (const PtPackedF32 *packed, gsize column, gsize n);

/** Write rows [@row, @row + @count) of the left factor, contiguous, k floats each. */
typedef void (*PtRowsFunc) (gconstpointer data, gsize row, gsize count, float *out);

/** Most floats of a row that a PtRowsFunc may make. */
#define PT_PACKED_MAX_MADE_K (PT_POOL_SCRATCH / 2 / sizeof (float) / 16)

/**
 * The left factor: @a [m, k] with rows @lda floats apart; or NULL, and a function that makes rows.
 */
typedef struct {
  const float *a;
  gsize lda;
  PtRowsFunc make; /* k <= PT_PACKED_MAX_MADE_K */
  gconstpointer data;
} PtLeftRows;

/** The division of a product into blocks for the workers of a pool. */
typedef struct {
  gsize rows, columns;
} PtCut;

/** Plan for @m rows; @is_made: a function makes the left factor. */
PtCut pt_packed_f32_cut (const PtPool *pool, gsize m, const PtPackedF32 *b, gboolean is_made);

/** c[m, n] = left . b^T. */
void pt_gemm_f32_packed (PtPool *pool, gsize m, const PtLeftRows *left, const PtPackedF32 *b,
                         const PtCut *cut, const PtEpilogue *epilogue, float *c, gsize ldc);

/** The same on one thread, inside a pool task. */
void pt_gemm_f32_packed_serial (gsize m, const float *a, gsize lda, const PtPackedF32 *b,
                                const PtEpilogue *epilogue, float *c, gsize ldc);

/** The same with number p of row i of the left factor at @a[i * @lda + @offsets[p]]. */
void pt_gemm_f32_packed_taps (gsize m, const float *a, gsize lda, const gsize *offsets,
                              const PtPackedF32 *b, const PtEpilogue *epilogue, float *c,
                              gsize ldc);

G_END_DECLS
