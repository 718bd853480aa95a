/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* FullyConnected (docs/formats/xnnpack.md, section 5.3). */

gboolean pt_xnn_prepare_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error);

G_END_DECLS
