/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/xnnpack/graph.h"

G_BEGIN_DECLS

/*
 * What need not be computed again: nodes that depend on constants and on inputs alone of which the
 * caller says that they are what they were (PtTensor.version). A speech decoder that projects the
 * encoder's output anew for each token is such a graph. Results that are read elsewhere are kept
 * beside the workspace and put back where the nodes would have written them, so everybody else
 * sees the same bytes as if they had run.
 */
typedef struct _PtXnnSteady PtXnnSteady;

/** What this call does with the nodes that are steady. */
typedef enum {
  PT_XNN_ALL_NEW, /* nothing is known of the inputs */
  PT_XNN_KEEP,    /* run, and keep the results */
  PT_XNN_REUSE,   /* put the results back */
} PtXnnReuse;

PtXnnSteady *pt_xnn_steady_new (const PtXnnGraph *graph, GError **error);
void pt_xnn_steady_free (PtXnnSteady *steady);

/** What was kept is out of date. */
void pt_xnn_steady_forget (PtXnnSteady *steady);

/** Before the nodes run, with everything bound. */
PtXnnReuse pt_xnn_steady_begin (PtXnnSteady *steady, const PtXnnGraph *graph, PtValue *const *args);

/** Run node @i, or put its results back. */
void pt_xnn_steady_run (PtXnnSteady *steady, const PtXnnGraph *graph, guint i, PtXnnReuse reuse);

/** After all nodes have run. */
void pt_xnn_steady_end (PtXnnSteady *steady, PtXnnReuse reuse);

G_END_DECLS
