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

/** Whether @node is one of these nodes, except a pad. */
gboolean pt_xnn_is_move (const PtXnnNode *node);

/**
 * TRUE when @node, which is one of these, with its current shapes copies a single range of its
 * input: the bytes from @offset on.
 */
gboolean pt_xnn_copies_range (const PtXnnNode *node, gsize *offset);

G_END_DECLS
