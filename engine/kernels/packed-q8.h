/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Static 8-bit convolutions with a constant filter, which is packed once. Bytes are signed; all
 * results are those of PtWeightsQs8 (gemm.h) to the last bit.
 */

/* Matrix products */

typedef struct {
  gsize n, k;
  guint8 *panels;              /* pt_packed_q8_size() bytes, 64-byte aligned */
  gint32 y_zero, y_min, y_max; /* set by pt_pack_q8() */
} PtPackedQ8;

/** Bytes of the panels for weights [@n, @k]; 0: too large, or no kernels. */
gsize pt_packed_q8_size (gsize n, gsize k);

/** Fill @packed->panels from @weights, whose w_zero is 0. */
void pt_pack_q8 (PtPool *pool, const PtWeightsQs8 *weights, PtPackedQ8 *packed);

/** Write rows [@row, @row + @count) of the left factor, pt_quantized_stride (k) bytes apart. */
typedef void (*PtByteRowsFunc) (gconstpointer data, gsize row, gsize count, gint8 *out);

/** The left factor: @x [m, k] with rows @ldx bytes apart; or NULL, and a function makes rows. */
typedef struct {
  const gint8 *x;
  gsize ldx;
  PtByteRowsFunc make;
  gconstpointer data;
} PtByteRows;

/** y[m, n] = the product of PtWeightsQs8, rows of y @ldy bytes apart. */
void pt_gemm_q8_packed (PtPool *pool, gsize m, const PtByteRows *left, const PtPackedQ8 *packed,
                        gint8 *y, gsize ldy);

/* Depthwise convolutions with one output for each channel */

typedef struct {
  gsize channels, rows, columns; /* the window */
  guint8 *blocks;                /* pt_packed_depthwise_q8_size() bytes of zeros, 64-byte aligned */
  gint32 x_zero, y_zero, y_min, y_max; /* set by pt_pack_depthwise_q8() */
} PtPackedDepthwiseQ8;

/** Bytes of the blocks; 0: too large, or no kernels. */
gsize pt_packed_depthwise_q8_size (gsize channels, gsize rows, gsize columns);

/** Fill @packed->blocks. @weights: [rows, columns, channels], w_zero is 0. */
void pt_pack_depthwise_q8 (const PtWeightsQs8 *weights, PtPackedDepthwiseQ8 *packed);

/** The most rows of a window, and columns with those that a dilation leaves out. */
#define PT_DEPTHWISE_Q8_MAX_ROWS 16
#define PT_DEPTHWISE_Q8_MAX_SPAN 64

/**
 * One row of the output. Pixels are contiguous, of @filter->channels bytes. Output o reads the
 * columns o * stride + column * dilation - pad; those outside of the input are zero points.
 */
typedef struct {
  const PtPackedDepthwiseQ8 *filter;
  gsize in_w, stride, dilation, pad;
  const gint8 *const *x; /* [rows]: rows of the input, NULL: outside */
  gint8 *y;
} PtDepthwiseQ8;

/** Compute @n outputs of a row, on the calling thread. @scratch: PT_POOL_SCRATCH bytes. */
void pt_depthwise_q8 (const PtDepthwiseQ8 *d, gsize n, gpointer scratch);

G_END_DECLS
