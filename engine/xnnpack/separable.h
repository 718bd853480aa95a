/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Separable convolutions, which the blocks of mobile networks consist of: a convolution, a
 * depthwise convolution and a pointwise convolution. The three are computed together, row by row.
 * Only a few rows of the intermediate tensors exist at a time, in the cache of the worker that uses
 * them.
 */

/**
 * Replace each such group by one node, if no other node reads the intermediate tensors. Call it
 * after pt_xnn_graph_plan() has prepared the nodes and computed the use of values. When @merged is
 * set, the use of values must be computed again.
 */
gboolean pt_xnn_merge_separable (PtXnnGraph *graph, gboolean *merged, GError **error);

G_END_DECLS
