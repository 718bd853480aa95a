/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/graph-edges.h"

G_BEGIN_DECLS

typedef struct {
  PtCuPointer start, end;
  gboolean is_write;
  guint word; /* of the arguments, in which the address is */
} PtEdgeRange;

typedef struct {
  PtCuNode node;
  PtCuKernelNode kernel; /* of what is no barrier */
  const PtPtxEffects *effects;
  gboolean is_barrier;
  guint first, n; /* of the ranges */
  guint depth;
} PtEdgeNode;

typedef struct {
  const PtCuda *cu;
  const PtCudaMemoryView *view;
  PtEdgeNode *nodes; /* [n], in the order of the capture */
  gsize n;
  GArray *ranges; /* PtEdgeRange: where nodes read and write */
} PtEdgeSearch;

/** Give writers memory of their own, where that is safe. FALSE: the graph is broken. */
gboolean pt_edges_rename_buffers (PtEdgeSearch *r, PtCudaGraphEdges *result);

G_END_DECLS
