/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/graph.h"

G_BEGIN_DECLS

/*
 * A convolution, a depthwise one and a product of its pixels, as mobile networks have them in each
 * block, done row by row: what lies between them is never whole, but a few rows in the cache of
 * the worker that makes and reads them.
 */

/**
 * Put one node in the place of each such group whose tensors in between nobody else reads. After
 * pt_xnn_graph_plan() has prepared the nodes and counted the uses of values, which have to be
 * counted again when @merged is set.
 */
gboolean pt_xnn_merge_separable (PtXnnGraph *graph, gboolean *merged, GError **error);

G_END_DECLS
