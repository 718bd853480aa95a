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

/** Remove nodes whose results are not read (unread-nodes.c). FALSE: the graph is unusable. */
gboolean pt_edges_drop_unread (PtEdgeSearch *r, PtCuGraph graph, PtCudaGraphEdges *result);

/** Give writers blocks of their own, where that is safe. FALSE: the graph is unusable. */
gboolean pt_edges_rename_buffers (PtEdgeSearch *r, PtCudaGraphEdges *result);

G_END_DECLS
