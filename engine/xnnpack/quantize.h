/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* Convert: changes of type (XNNPACK payload, sections 5.2, 8.2 and 8.3). */

gboolean pt_xnn_prepare_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/**
 * The first row to compute of a tensor of shape [..., n, width] whose @rows rows are all of it:
 * 0, or the last one when only that is wanted and it is the only last row.
 */
gsize pt_xnn_first_row (const PtXnnNode *node, const PtXnnShape *shape);

G_END_DECLS
