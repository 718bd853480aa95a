/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * A graph that was captured from one stream is a chain, although many of its kernels have nothing
 * to do with each other. Most are too small to fill a GPU alone. Here the chain becomes what it
 * must be: a kernel waits for those that wrote what it reads, and for those that read or wrote
 * what it writes.
 */

/** What is known about kernels and memory. */
typedef struct {
  /** What memory @function uses; NULL: not known. */
  const PtPtxEffects *(*effects) (PtCuFunction function, gpointer user_data);
  /** What is around @pointer, so that nobody who has a pointer into it reaches out of it. FALSE:
   * no memory that is known. */
  gboolean (*find) (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data);
  /** Optional. Whether the memory that begins at @start holds nothing before the graph runs, and
   * nobody looks at it afterwards. */
  gboolean (*is_passing) (PtCuPointer start, gpointer user_data);
  gpointer user_data;
  PtCuPointer spare; /* memory for nothing else; 0: none */
  gsize spare_size;
} PtCudaMemoryView;

/** What became of a graph. */
typedef struct {
  guint n_nodes;
  guint n_barriers; /* nodes that everything waits for, because of what is not known */
  guint n_edges;
  guint depth; /* nodes on the longest way */
  gboolean is_broken;
  guint n_moved; /* writers that got memory of their own */
} PtCudaGraphEdges;

/**
 * Replace the edges of @graph by those that its data dependences need. The results are the same
 * whenever this stops: FALSE means that the graph is as it was, or waits for more than it needs to;
 * with
 * @is_broken, that it cannot be used.
 *
 * Where a block is written again and again and always by the same kernel, as by the projections of
 * keys and values that share one, the writers take turns with pieces of the spare memory, and
 * need not wait for who reads what was there before (buffer-renaming.c).
 */
gboolean pt_cuda_replace_edges (const PtCuda *cu, PtCuGraph graph, const PtCudaMemoryView *view,
                                PtCudaGraphEdges *result);

G_END_DECLS
