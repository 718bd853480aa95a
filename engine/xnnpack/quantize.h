/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* Convert: changes of type (docs/formats/xnnpack.md, sections 5.2, 8.2 and 8.3). */

gboolean pt_xnn_prepare_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/**
 * The first row that @node computes of a tensor of shape [..., n, width]. It is 0, unless only the
 * last rows are wanted and all other dimensions are 1.
 */
gsize pt_xnn_first_row (const PtXnnNode *node, const PtXnnShape *shape);

G_END_DECLS
