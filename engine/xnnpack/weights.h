/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/half.h"
#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/*
 * Constant filters and biases in the form of the kernels, for fully connected nodes and
 * convolutions: [n] output channels, weights [n, k] in the mapped file.
 */

/** The parameters of int8 filters, such as scales and sums. Fill with the functions below. */
typedef struct {
  PtWeightsQc8 qc8; /* for dynamically quantised activations */
  PtWeightsQs8 qs8; /* for static activations */
} PtXnnWeights;

/**
 * The [n] scales of a qcint8 filter along its dim @channel_dim, or of a qint8 or quint8 filter (one
 * scale for all). NULL with an error when they do not fit.
 */
const float *pt_xnn_filter_scales (PtXnnGraph *graph, const PtXnnNode *node, guint channel_dim,
                                   gsize n, GError **error);

/** The bytes of an 8-bit filter as signed numbers, for the functions below. NULL with an error. */
const gint8 *pt_xnn_signed_filter (PtXnnGraph *graph, const PtXnnNode *node, GError **error);

/** Compute the row sums of @weights [n, k]. */
gboolean pt_xnn_weights_qc8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                             guint channel_dim, gsize n, gsize k, PtWeightsQc8 *out,
                             GError **error);

/** Prepare for static activations: scales of the result, zero points, bounds and bias. */
gboolean pt_xnn_weights_qs8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                             guint channel_dim, gsize n, PtWeightsQs8 *out, GError **error);

/**
 * Whether a filter of type @filter can be used with activations of the float type @type. Half-
 * precision activations also allow a filter in fp32, because batch norms that are folded into a
 * convolution leave one.
 */
static inline gboolean
pt_xnn_filter_fits (PtXnnType type, PtXnnType filter)
{
  return filter == type || (filter == PT_XNN_F32 && pt_xnn_is_half (type));
}

/** The constant bias as floats: [n], or NULL when there is none. FALSE with an error. */
gboolean pt_xnn_bias_f32 (PtXnnGraph *graph, const PtXnnNode *node, gsize n, const float **out,
                          GError **error);

G_END_DECLS
