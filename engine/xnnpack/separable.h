/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Separable convolutions, as mobile networks have them in each block: a convolution, a depthwise
 * convolution and a pointwise one. The three are computed together, row by row, so that only a few
 * rows of the tensors between them exist at a time, in the cache of the worker that uses them.
 */

/**
 * Replace each such group by one node, if no other node reads the tensors in between. Call it after
 * pt_xnn_graph_plan() has prepared the nodes and counted the uses of values, which have to be
 * counted again when @merged is set.
 */
gboolean pt_xnn_merge_separable (PtXnnGraph *graph, gboolean *merged, GError **error);

G_END_DECLS
