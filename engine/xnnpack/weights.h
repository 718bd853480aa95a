/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/half.h"
#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/*
 * Constant filters and biases as the kernels want them, for fully connected nodes and
 * convolutions: [n] output channels, [n, k] weights where they lie.
 */

/** Scales, sums and the rest for int8 filters. Fill with the functions below. */
typedef struct {
  PtWeightsQc8 qc8; /* activations quantised while running */
  PtWeightsQs8 qs8; /* static activations */
} PtXnnWeights;

/**
 * The [n] scales of a qcint8 filter along its dim @channel_dim, or of a qint8 or quint8 filter
 * (one for all). NULL with an error when they do not fit.
 */
const float *pt_xnn_filter_scales (PtXnnGraph *graph, const PtXnnNode *node, guint channel_dim,
                                   gsize n, GError **error);

/** The bytes of an 8-bit filter as signed numbers, for the functions below. NULL with an error. */
const gint8 *pt_xnn_signed_filter (PtXnnGraph *graph, const PtXnnNode *node, GError **error);

/** @weights: [n, k]. Computes their row sums. */
gboolean pt_xnn_weights_qc8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                             guint channel_dim, gsize n, gsize k, PtWeightsQc8 *out,
                             GError **error);

/** The same for static activations: scales of the result, zero points, bounds and bias. */
gboolean pt_xnn_weights_qs8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                             guint channel_dim, gsize n, PtWeightsQs8 *out, GError **error);

/**
 * Whether a filter of type @filter goes with activations of the float type @type. Those of half
 * precision may keep their filter in fp32, as batch norms folded into a convolution leave it.
 */
static inline gboolean
pt_xnn_filter_fits (PtXnnType type, PtXnnType filter)
{
  return filter == type || (filter == PT_XNN_F32 && pt_xnn_is_half (type));
}

/** The constant bias as floats: [n], or NULL when there is none. FALSE with an error. */
gboolean pt_xnn_bias_f32 (PtXnnGraph *graph, const PtXnnNode *node, gsize n, const float **out,
                          GError **error);

/**
 * c[m, n] = epilogue (a[m, k] . b^T) with weights of a half type [n, k], which are widened in
 * blocks that stay in the cache, and c of the same type. @scratch: pt_xnn_gemm_half_scratch().
 */
void pt_xnn_gemm_half (PtPool *pool, PtXnnType type, gsize m, gsize n, gsize k, const float *a,
                       const guint16 *b, gsize ldb, gboolean b_transposed,
                       const PtEpilogue *epilogue, guint16 *c, gsize ldc, gpointer scratch);
gsize pt_xnn_gemm_half_scratch (PtPool *pool, gsize k);

G_END_DECLS
