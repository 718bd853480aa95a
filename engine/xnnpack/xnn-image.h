/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* Pooling and resizing of NHWC images (docs/formats/xnnpack.md, sections 5.5 and 5.6). */

/* PtXnnClass.detail */
enum { PT_XNN_POOL_MAX, PT_XNN_POOL_AVERAGE };

gboolean pt_xnn_prepare_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_prepare_argmax (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_prepare_global_average (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_prepare_resize (PtXnnGraph *graph, PtXnnNode *node, GError **error);

G_END_DECLS
