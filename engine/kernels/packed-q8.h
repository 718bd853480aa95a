/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Static 8-bit convolutions with a constant filter, which is packed once. Bytes are signed; all
 * results are those of PtWeightsQs8 (gemm.h) to the last bit.
 */

/* Matrix products */

/** A row of weights is cut into @runs of @k numbers, which lie together in a row of the input. */
typedef struct {
  gsize n, runs, k;
  guint8 *panels;                      /* pt_packed_q8_size() bytes, 64-byte aligned */
  gint32 x_zero, y_zero, y_min, y_max; /* set by pt_pack_q8() */
} PtPackedQ8;

/** The most runs. */
#define PT_PACKED_Q8_MAX_RUNS 128

/** Bytes of the panels for weights [@n, @runs * @k]; 0: too large, or no kernels. */
gsize pt_packed_q8_size (gsize n, gsize runs, gsize k);

/** Fill @packed->panels from @weights, whose w_zero is 0. */
void pt_pack_q8 (PtPool *pool, const PtWeightsQs8 *weights, PtPackedQ8 *packed);

/** y[m, n] = the product of PtWeightsQs8 with one run; rows of x are @ldx, of y @ldy bytes apart.
 */
void pt_gemm_q8_packed (PtPool *pool, gsize m, const gint8 *x, gsize ldx, const PtPackedQ8 *packed,
                        gint8 *y, gsize ldy);

/* Convolutions of [batch, in_h, in_w, in_c] to [batch, out_h, out_w, n] (conv-q8.c) */

typedef struct {
  gsize batch, in_h, in_w, in_c, out_h, out_w;
  gsize kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} PtConvQ8;

/** Set how a filter [n, kernel_h, kernel_w, in_c] is cut into runs. */
void pt_conv_q8_runs (const PtConvQ8 *conv, PtPackedQ8 *packed);

/** Bytes that each worker needs; 0: too many. */
gsize pt_conv_q8_scratch (const PtConvQ8 *conv);

/**
 * Padding is zero points. @scratch: pt_conv_q8_scratch() bytes for each worker, if those are more
 * than PT_POOL_SCRATCH.
 */
void pt_conv_q8 (PtPool *pool, const PtConvQ8 *conv, const PtPackedQ8 *packed, const gint8 *x,
                 gint8 *y, gpointer scratch);

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
