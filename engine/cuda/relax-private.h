/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/relax.h"

G_BEGIN_DECLS

typedef struct {
  PtCuPointer start, end;
  gboolean is_write;
  guint word; /* of the arguments, in which the address is */
} PtRelaxRange;

typedef struct {
  PtCuNode node;
  PtCuKernelNode kernel; /* of what is no barrier */
  const PtPtxEffects *effects;
  gboolean is_barrier;
  guint first, n; /* of the ranges */
  guint depth;
} PtRelaxNode;

typedef struct {
  const PtCuda *cu;
  const PtCudaMemoryView *view;
  PtRelaxNode *nodes; /* [n], in the order of the capture */
  gsize n;
  GArray *ranges; /* PtRelaxRange: where nodes read and write */
} PtRelaxing;

/** Give writers memory of their own, where that is safe. FALSE: the graph is broken. */
gboolean pt_relax_rename (PtRelaxing *r, PtCudaRelaxation *result);

G_END_DECLS
