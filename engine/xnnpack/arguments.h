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

/**
 * An output that was given bytes of an input instead of a copy of them, and what it had before.
 */
typedef struct {
  const PtXnnNode *node; /* that would have copied; NULL: none can */
  gpointer data;
  gsize capacity;
  gpointer lent; /* NULL: not now */
} PtXnnLoan;

/** Find the nodes that may need no copy: [n_externs], by output. Free with g_free(). */
PtXnnLoan *pt_xnn_loans_new (const PtXnnGraph *graph, GError **error);

/** Before outputs are bound: they get their own memory back. */
void pt_xnn_return_loans (const PtXnnGraph *graph, PtXnnLoan *loans, PtValue *const *args);

/**
 * After inputs and outputs are bound: where a node copies a range of an input that nobody
 * writes to while the program runs (is_constant), the output refers to that range. TRUE when
 * there was one.
 */
gboolean pt_xnn_make_loans (PtXnnGraph *graph, PtXnnLoan *loans, PtValue *const *args);

/** Turn int32 results of int64 outputs into what they should be. */
void pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args);

G_END_DECLS
