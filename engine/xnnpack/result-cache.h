/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Caches the results of nodes that depend only on constants and on unchanged inputs: unchanged
 * nodes. The caller marks an input as unchanged by its version (PtTensor.version). A speech decoder
 * that projects the encoder's output again for each token has such nodes.
 *
 * Results that other nodes or the caller read are copied to memory outside of the workspace. In the
 * next call they are copied back to where the nodes would have written them: all readers see the
 * same bytes as if the nodes had run.
 */
typedef struct _PtXnnResultCache PtXnnResultCache;

/** How a call treats unchanged nodes. */
typedef enum {
  PT_XNN_ALL_NEW, /* run them: no input has a version, or caching does not pay */
  PT_XNN_KEEP,    /* run them, and cache their results */
  PT_XNN_REUSE,   /* copy the cached results back */
} PtXnnReuse;

PtXnnResultCache *pt_xnn_result_cache_new (const PtXnnGraph *graph, GError **error);
void pt_xnn_result_cache_free (PtXnnResultCache *results);

/** Drop the cached results. Call it when shapes or the nodes' work have changed. */
void pt_xnn_result_cache_forget (PtXnnResultCache *results);

/** Decide how this call treats unchanged nodes: before the nodes run, with all values bound. */
PtXnnReuse pt_xnn_result_cache_begin (PtXnnResultCache *results, const PtXnnGraph *graph,
                                      PtValue *const *args);

/** Run node @i, or copy its cached results back. */
void pt_xnn_result_cache_run (PtXnnResultCache *results, const PtXnnGraph *graph, guint i,
                              PtXnnReuse reuse);

/** Mark the cached results as valid. Call it after all nodes have run. */
void pt_xnn_result_cache_end (PtXnnResultCache *results, PtXnnReuse reuse);

G_END_DECLS
