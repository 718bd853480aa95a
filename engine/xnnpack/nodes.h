/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/* The kinds of nodes, and helpers of the files that implement them. */

/* Tags of nodes that other files look for (docs/formats/xnnpack.md, section 5). */
enum {
  PT_XNN_TAG_ADD = 1,
  PT_XNN_TAG_FULLY_CONNECTED = 2,
  PT_XNN_TAG_TRANSPOSE = 5,
  PT_XNN_TAG_CLAMP = 6,
  PT_XNN_TAG_MULTIPLY = 15,
  PT_XNN_TAG_SUBTRACT = 16,
  PT_XNN_TAG_CONVERT = 18,
  PT_XNN_TAG_RESHAPE = 20,
  PT_XNN_TAG_COPY = 46
};

/** The kind of @tag, or NULL. A kind that is defined but not implemented has no functions. */
const PtXnnClass *pt_xnn_class_by_tag (guint tag);

gboolean pt_xnn_is_kind (const PtXnnNode *node, guint tag);

/** Fail with a sentence that names the node and says @why. */
gboolean pt_xnn_node_fail (const PtXnnNode *node, GError **error, PtError code, const char *why);

/** Fail because no kernel supports the types of its values. */
gboolean pt_xnn_node_types_fail (const PtXnnGraph *graph, const PtXnnNode *node, GError **error);

/* Shapes of outputs (xnn-output-shapes.c; docs/formats/xnnpack.md, section 7). */
gboolean pt_xnn_shape_broadcast (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_same (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_conv_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_argmax (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_global_average (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_reshape (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_slice (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_pad (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_concat (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_resize (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_shape_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error);

G_END_DECLS
