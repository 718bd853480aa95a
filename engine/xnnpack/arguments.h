/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/xnnpack/graph.h"

G_BEGIN_DECLS

/*
 * Arguments of a delegate call and the external values of its graph. A value's dims are in
 * memory order: dims[j] = size (dim_order[j]) (XNNPACK payload, sections 6 and 7).
 */

/**
 * Look at the inputs. Sets @reshaped when a shape is not that of the last call (the values then
 * have the new ones), @moved when bytes lie elsewhere.
 */
gboolean pt_xnn_bind_inputs (PtXnnGraph *graph, PtValue *const *args, gboolean *reshaped,
                             gboolean *moved, GError **error);

/** Resize the outputs to the shapes of their values. */
gboolean pt_xnn_bind_outputs (PtXnnGraph *graph, PtValue *const *args, gboolean *moved,
                              GError **error);

/** Turn int32 results of int64 outputs into what they should be. */
void pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args);

G_END_DECLS
