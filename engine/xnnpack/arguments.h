/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/xnnpack/graph.h"

G_BEGIN_DECLS

/*
 * Arguments of a delegate call and the external values of its graph. A value's dims are in
 * memory order: dims[j] = size (dim_order[j]) (docs/formats/xnnpack.md, sections 6 and 7).
 */

/**
 * Give the input values the shapes and addresses of their arguments. Sets @reshaped when a shape
 * differs from the last call's, @moved when an address does.
 */
gboolean pt_xnn_bind_inputs (PtXnnGraph *graph, PtValue *const *args, gboolean *reshaped,
                             gboolean *moved, GError **error);

/** Resize the outputs to the shapes of their values. */
gboolean pt_xnn_bind_outputs (PtXnnGraph *graph, PtValue *const *args, gboolean *moved,
                              GError **error);

/**
 * A loan: an output argument refers to bytes of an input instead of holding a copy of them. Here is
 * the memory that the argument had before.
 */
typedef struct {
  const PtXnnNode *node; /* the node whose copy a loan replaces; NULL: this output takes no loan */
  gpointer data;         /* the argument's own memory, while a loan is made */
  gsize capacity;
  gpointer lent; /* the bytes of the input; NULL: no loan is made now */
} PtXnnLoan;

/** Find the nodes that a loan may replace: [n_externs], by output. Free with g_free(). */
PtXnnLoan *pt_xnn_loans_new (const PtXnnGraph *graph, GError **error);

/** End all loans, before outputs are bound: each argument gets its own memory back. */
void pt_xnn_return_loans (const PtXnnGraph *graph, PtXnnLoan *loans, PtValue *const *args);

/**
 * Make loans, after inputs and outputs are bound: where a node copies a range of an input that
 * nothing writes to while the program runs (is_constant), the output refers to that range. TRUE
 * when a loan was made.
 */
gboolean pt_xnn_make_loans (PtXnnGraph *graph, PtXnnLoan *loans, PtValue *const *args);

/** Widen int32 results in place where the program's output is int64. */
void pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args);

G_END_DECLS
