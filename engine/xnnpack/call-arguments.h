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
 * Give input values the shapes and addresses of their arguments. Sets @reshaped when a shape has
 * changed since the last call, @moved when an address has changed.
 */
gboolean pt_xnn_bind_inputs (PtXnnGraph *graph, PtValue *const *args, gboolean *reshaped,
                             gboolean *moved, GError **error);

/** Resize the outputs to the shapes of their values. */
gboolean pt_xnn_bind_outputs (PtXnnGraph *graph, PtValue *const *args, gboolean *moved,
                              GError **error);

/**
 * An alias: an output argument that refers to bytes of an input instead of holding a copy. The
 * struct stores the memory that the argument had before.
 */
typedef struct {
  const PtXnnNode *node; /* the copy that the alias replaces; NULL: never an alias */
  gpointer data;         /* the argument's own memory, while the alias exists */
  gsize capacity;
  gpointer source; /* the bytes of the input; NULL: the alias does not exist now */
} PtXnnAlias;

/**
 * Find the nodes that aliases may replace. Returns an array [n_externs], indexed by output. Free
 * with g_free().
 */
PtXnnAlias *pt_xnn_aliases_new (const PtXnnGraph *graph, GError **error);

/** End all aliases: each argument gets its own memory back. Call it before outputs are bound. */
void pt_xnn_end_aliases (const PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args);

/**
 * Make aliases. Call it after inputs and outputs are bound. If a node copies a range of an
 * is_constant input, which nothing writes to during the run, the output refers to that range. TRUE
 * when an alias was made.
 */
gboolean pt_xnn_make_aliases (PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args);

/** Widen int32 results in place, for outputs that the program has as int64. */
void pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args);

G_END_DECLS
