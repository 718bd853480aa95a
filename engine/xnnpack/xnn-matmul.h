/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* BatchMatrixMultiply and Softmax (docs/formats/xnnpack.md, sections 5.2 and 5.6). */

gboolean pt_xnn_prepare_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_prepare_softmax (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_softmax (PtXnnGraph *graph, PtXnnNode *node, GError **error);

G_END_DECLS
