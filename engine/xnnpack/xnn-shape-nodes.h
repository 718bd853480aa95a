/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* Nodes that only move elements. See PtXnnClass. */

gboolean pt_xnn_prepare_moves (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_copy (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_slice (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_pad (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_concat (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/** Whether @node is one of these nodes, and no pad. */
gboolean pt_xnn_is_move (const PtXnnNode *node);

/**
 * TRUE when @node, one of those, with its current shapes, copies one range of its input and nothing
 * else: the bytes from @offset on.
 */
gboolean pt_xnn_copies_range (const PtXnnNode *node, gsize *offset);

G_END_DECLS
