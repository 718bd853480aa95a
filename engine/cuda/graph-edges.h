/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"

G_BEGIN_DECLS

/*
 * Edges of a captured graph by data dependences. A graph that was captured from one stream is a
 * chain, although many of its kernels are independent and most are too small to fill a GPU. These
 * functions replace the chain by the necessary edges: a kernel waits for the kernels that wrote its
 * inputs, and for those that read or wrote the memory it writes.
 */

/** Knowledge about kernels and memory, which the caller provides. */
typedef struct {
  /** The memory effects of @function; NULL: unknown. */
  const PtPtxEffects *(*effects) (PtCuFunction function, gpointer user_data);
  /**
   * The bounds of the allocation that contains @pointer; no kernel accesses memory beyond these
   * bounds through it. FALSE: the memory is unknown.
   */
  gboolean (*find) (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data);
  /**
   * Optional. Whether the block at @start has no content before the graph runs, and is not read
   * after it.
   */
  gboolean (*is_passing) (PtCuPointer start, gpointer user_data);
  /**
   * Optional. Whether the kernel @function waits, before it touches memory that one of them writes,
   * for the kernels that it depends on, so that it may start before they have ended.
   */
  gboolean (*starts_early) (PtCuFunction function, gpointer user_data);
  /** Optional: pt_cuda_kernels_combine(). */
  gboolean (*combine) (const PtCuKernelNode *first, const PtCuKernelNode *second,
                       PtCudaKernelChange *both, gpointer user_data);
  /** Optional, both or none: pt_cuda_kernels_weights(), pt_cuda_kernels_read_early(). */
  guint (*weights) (const PtCuKernelNode *node, PtCuPointer *addresses, gpointer user_data);
  void (*read_early) (const PtCuKernelNode *node, PtCudaKernelChange *changed, gpointer user_data);
  gpointer user_data;
  gboolean may_drop; /* remove kernels whose results nobody reads; needs @is_passing */
  PtCuPointer spare; /* memory that only the renaming uses; 0: none */
  gsize spare_size;
} PtCudaMemoryView;

/** Figures about the new graph. */
typedef struct {
  guint n_nodes;
  guint n_barriers; /* nodes with unknown accesses */
  guint n_edges;
  guint n_early; /* edges behind whose first kernel the second starts early */
  guint depth;   /* number of nodes on the longest path */
  gboolean is_broken;
  guint n_dropped;    /* nodes that were removed */
  guint n_moved;      /* writers that got another block */
  guint n_combined;   /* nodes whose work another one does, too */
  guint n_read_early; /* nodes that read weights before they wait */
} PtCudaGraphEdges;

/**
 * Replace the edges of @graph by its data dependences. The results are correct even if this fails
 * half way: FALSE means that the graph is unchanged or has more edges than necessary. With
 * @is_broken the graph is unusable.
 *
 * Where the same kernel writes a block repeatedly, as the projections of keys and values that share
 * one block do, the writers alternate between pieces of the spare memory. They then need not wait
 * for the readers of the previous value (buffer-renaming.c).
 */
gboolean pt_cuda_replace_edges (const PtCuda *cu, PtCuGraph graph, const PtCudaMemoryView *view,
                                PtCudaGraphEdges *result);

G_END_DECLS
