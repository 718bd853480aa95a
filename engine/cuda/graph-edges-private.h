/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/graph-edges.h"

G_BEGIN_DECLS

typedef struct {
  PtCuPointer start, end;
  gboolean is_write;
  guint word; /* position of the address in the arguments */
} PtEdgeRange;

typedef struct {
  PtCuNode node;
  PtCuKernelNode kernel; /* accesses of nodes that are not barriers */
  const PtPtxEffects *effects;
  gboolean is_barrier;
  guint first, n; /* number of ranges */
  guint depth;
} PtEdgeNode;

typedef struct {
  const PtCuda *cu;
  const PtCudaMemoryView *view;
  PtEdgeNode *nodes; /* [n] nodes in the order of the capture */
  gsize n;
  GArray *ranges; /* PtEdgeRange: memory that nodes read and write */
} PtEdgeSearch;

/** Set the accesses of a node, whose parameters may have changed. */
void pt_edges_read_node (PtEdgeSearch *r, PtEdgeNode *node);
/** Whether the two must stay in order. */
gboolean pt_edges_depend (const PtEdgeSearch *r, const PtEdgeNode *later,
                          const PtEdgeNode *earlier);
/** Whether a node may start before those that it depends on have ended. */
gboolean pt_edges_starts_early (const PtEdgeSearch *r, const PtEdgeNode *node);

/** Remove the nodes that are @dropped: [n]. The graph stays a chain. FALSE: it is unusable. */
gboolean pt_edges_take_out (PtEdgeSearch *r, PtCuGraph graph, const gboolean *dropped);

/** Combine launches, and let others read weights early (combine-nodes.c). FALSE: the graph is
 * unusable. */
gboolean pt_edges_combine (PtEdgeSearch *r, PtCuGraph graph, PtCudaGraphEdges *result);
gboolean pt_edges_read_early (PtEdgeSearch *r, PtCudaGraphEdges *result);

/** Remove nodes whose results are not read (unread-nodes.c). FALSE: the graph is unusable. */
gboolean pt_edges_drop_unread (PtEdgeSearch *r, PtCuGraph graph, PtCudaGraphEdges *result);

/** Give writers blocks of their own, where that is safe. FALSE: the graph is unusable. */
gboolean pt_edges_rename_buffers (PtEdgeSearch *r, PtCudaGraphEdges *result);

G_END_DECLS
