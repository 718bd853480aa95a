/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Float products with a right factor that stays: it is brought once into the order in which the
 * tiles read it. The sums are those of pt_gemm_f32(), bit for bit, but for products of so few rows
 * that the latter reads the factor where it lies.
 */

typedef struct {
  gsize n, k;
  float *panels; /* pt_packed_f32_size() bytes, 64-byte aligned */
} PtPackedF32;

/** Bytes of the panels of an [@n, @k] factor; 0: too many. */
gsize pt_packed_f32_size (gsize n, gsize k);

/** Fill @packed->panels with @b [n, k], whose rows begin every @ldb floats. */
void pt_pack_f32 (PtPool *pool, const float *b, gsize ldb, const PtPackedF32 *packed);

/** @n or more columns that are whole panels. */
gsize pt_packed_f32_width (gsize n);

/** Columns [@column, @column + @n), or to the last one, alone. @column is a multiple of a width. */
PtPackedF32 pt_packed_f32_part (const PtPackedF32 *packed, gsize column, gsize n);

/** Write rows [@row, @row + @count) of the left factor, k floats each, one behind the other. */
typedef void (*PtRowsFunc) (gconstpointer data, gsize row, gsize count, float *out);

/** Most floats of a row that a PtRowsFunc may make. */
#define PT_PACKED_MAX_MADE_K (PT_POOL_SCRATCH / 2 / sizeof (float) / 16)

/** Left factor: @a [m, k] with rows every @lda floats, or NULL and rows made piece by piece. */
typedef struct {
  const float *a;
  gsize lda;
  PtRowsFunc make; /* k <= PT_PACKED_MAX_MADE_K */
  gconstpointer data;
} PtLeftRows;

/** How a product is cut into blocks for the workers of a pool. */
typedef struct {
  gsize rows, columns;
} PtCut;

/** For @m rows; @is_made: of a left factor that is made. */
PtCut pt_packed_f32_cut (const PtPool *pool, gsize m, const PtPackedF32 *b, gboolean is_made);

/** c[m, n] = left . b^T. */
void pt_gemm_f32_packed (PtPool *pool, gsize m, const PtLeftRows *left, const PtPackedF32 *b,
                         const PtCut *cut, const PtEpilogue *epilogue, float *c, gsize ldc);

/** The same for one thread, inside a pool task. */
void pt_gemm_f32_packed_serial (gsize m, const float *a, gsize lda, const PtPackedF32 *b,
                                const PtEpilogue *epilogue, float *c, gsize ldc);

/** The same with a left factor whose number p of row i is @a[i * @lda + @offsets[p]]. */
void pt_gemm_f32_packed_taps (gsize m, const float *a, gsize lda, const gsize *offsets,
                              const PtPackedF32 *b, const PtEpilogue *epilogue, float *c,
                              gsize ldc);

G_END_DECLS
