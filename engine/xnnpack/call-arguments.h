/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/xnnpack/xnn-graph.h"

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
 * An alias: an output argument refers to bytes of an input instead of holding a copy of them. Here
 * is the memory that the argument had before.
 */
typedef struct {
  const PtXnnNode *node; /* the node whose copy an alias replaces; NULL: no alias here */
  gpointer data;         /* the argument's own memory, while an alias is made */
  gsize capacity;
  gpointer source; /* the bytes of the input; NULL: no alias is made now */
} PtXnnAlias;

/** Find the nodes that an alias may replace: [n_externs], by output. Free with g_free(). */
PtXnnAlias *pt_xnn_aliases_new (const PtXnnGraph *graph, GError **error);

/** End all aliases, before outputs are bound: each argument gets its own memory back. */
void pt_xnn_end_aliases (const PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args);

/**
 * Make aliases, after inputs and outputs are bound: where a node copies a range of an input that
 * nothing writes to while the program runs (is_constant), the output refers to that range. TRUE
 * when an alias was made.
 */
gboolean pt_xnn_make_aliases (PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args);

/** Widen int32 results in place where the program's output is int64. */
void pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args);

G_END_DECLS
