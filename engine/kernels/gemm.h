/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/vector.h"
#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/*
 * Matrix products. Matrices are row-major; leading dimensions are in elements. Products run in
 * parallel on the pool and use its scratch; they allocate nothing. Weights [n, k] are read in the
 * mapped file; with many rows they are repacked in pieces that fit the cache.
 */

/** The epilogue of a product: add bias (may be NULL), then clamp to [min, max]. */
typedef struct {
  const float *bias; /* [n] or NULL */
  float min, max;    /* -INFINITY, INFINITY: no clamp */
  gboolean pairs; /* f32 products: with AVX-512, even and odd k have separate sums, as in XNNPACK */
} PtEpilogue;

/**
 * c[m, n] = a[m, k] . b. @b_transposed: b is [n, k], as linear layers store weights; else b is [k,
 * n].
 */
void pt_gemm_f32 (PtPool *pool, gsize m, gsize n, gsize k, const float *a, gsize lda,
                  const float *b, gsize ldb, gboolean b_transposed, const PtEpilogue *epilogue,
                  float *c, gsize ldc);

/**
 * The same with numbers of @type in @b, which become floats as they are read. The result is that of
 * pt_gemm_f32() with those floats, to the bit.
 */
void pt_gemm_typed (PtPool *pool, gsize m, gsize n, gsize k, const float *a, gsize lda,
                    PtFloatType type, gconstpointer b, gsize ldb, gboolean b_transposed,
                    const PtEpilogue *epilogue, float *c, gsize ldc);

/**
 * pt_gemm_f32() on one thread, for use inside a pool task (matrices of a batch). @scratch:
 * PT_POOL_SCRATCH bytes, for example this worker's.
 */
void pt_gemm_f32_serial (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b,
                         gsize ldb, gboolean b_transposed, const PtEpilogue *epilogue, float *c,
                         gsize ldc, gpointer scratch);

/**
 * Dynamically quantised rows with 8 bits, as in XNNPACK (docs/formats/xnnpack.md): real = (q -
 * zero) * scale.
 */
typedef struct {
  gint8 *q;     /* [rows, k], rows @stride bytes apart */
  gsize stride; /* >= k; a multiple of 64; bytes from k to stride are 0 */
  float *scale; /* [rows] */
  gint32 *zero; /* [rows] */
} PtQuantizedRows;

/** A number of bytes, or of floats, rounded up to whole cache lines. */
static inline gsize
pt_round_up_64 (gsize n)
{
  return (n + 63) / 64 * 64;
}

/*
 * A stride for rows that tiles read together. Rows at distances of 4096 bytes would share the few
 * places of the L1 cache for one address.
 */
static inline gsize
pt_quantized_stride (gsize k)
{
  gsize stride = pt_round_up_64 (k);

  return stride > 0 && stride % 4096 == 0 ? stride + 64 : stride;
}

/** Quantise @rows rows of @k floats; the bits are equal to XNNPACK's (docs/formats/xnnpack.md). */
void pt_quantize_rows (PtPool *pool, gsize rows, gsize k, const float *x, gsize ldx,
                       PtQuantizedRows *out);

/** c = x . w^T with 8-bit weights w[n, k], one scale for each row, zero point 0. */
typedef struct {
  const gint8 *weights;   /* [n, k] */
  const float *scales;    /* [n] */
  const gint32 *row_sums; /* [n]: sums of the rows of weights, from pt_row_sums_i8() */
} PtWeightsQc8;

/** c = x . w^T with 4-bit weights in groups of @group along k, in XNNPACK's order of nibbles. */
typedef struct {
  const guint8 *weights; /* [n, (k + 1) / 2], stored value = w + 8, even column in the low nibble */
  const guint16 *scales; /* qb4: bfloat16 [n, k / group] */
  const float *scales_f32; /* qc4: [n] and group = 0; else NULL */
  gsize group;             /* a multiple of 32 that divides k, or 0: one scale for each row */
} PtWeightsQ4;

/** sums[i] = sum of x[i, 0..k), of @n rows that are @ldx bytes apart. */
void pt_row_sums_i8 (PtPool *pool, gsize n, gsize k, const gint8 *x, gsize ldx, gint32 *sums);

/** sums[m, n] = x[m, k] . w[n, k]^T as exact integers; for use inside a pool task. */
void pt_dot_i8 (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
                gint32 *sums, gsize ldsums);

void pt_gemm_qd8_qc8 (PtPool *pool, gsize m, gsize n, gsize k, const PtQuantizedRows *x,
                      const PtWeightsQc8 *w, const PtEpilogue *epilogue, float *c, gsize ldc);

void pt_gemm_qd8_q4 (PtPool *pool, gsize m, gsize n, gsize k, const PtQuantizedRows *x,
                     const PtWeightsQ4 *w, const PtEpilogue *epilogue, float *c, gsize ldc);

/** Static 8-bit product: y = rne(clamp((bias + sum (x - x_zero) * (w - w_zero)) * scale[n])) +
 * y_zero; rne rounds to the nearest integer, ties to even. */
typedef struct {
  const gint8 *weights; /* [n, k] */
  const gint32 *bias;   /* [n] or NULL */
  const float *scale;   /* [n]: s_x * s_w / s_y */
  gint32 x_zero, y_zero;
  gint32 y_min, y_max; /* clamp of the stored value */
  gint32 w_zero;       /* zero point of the weights: not 0 only for weights that were unsigned */
} PtWeightsQs8;

void pt_gemm_qs8 (PtPool *pool, gsize m, gsize n, gsize k, const gint8 *x, gsize ldx,
                  const PtWeightsQs8 *w, gint8 *y, gsize ldy);

G_END_DECLS
