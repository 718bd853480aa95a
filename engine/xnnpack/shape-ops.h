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

G_END_DECLS
