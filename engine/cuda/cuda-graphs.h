/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/constants.h"
#include "engine/cuda/container.h"
#include "engine/runtime/tensor.h"

G_BEGIN_DECLS

/**
 * PtCudaGraphs: CUDA graphs of one container (docs/formats/cuda.md, section 7). A decode step
 * starts hundreds of small kernels; a graph starts them all at once.
 *
 * A graph is recorded for the shapes of the inputs, once a small call has been made with them a
 * few times, and replayed from then on. It has memory of its own. What cannot be recorded, or
 * does not repeat itself, goes on without: nothing ever fails because of a graph. The environment
 * variable PTERIS_CUDA_GRAPHS=0 turns them off. Kernels in it wait for each other only as far as
 * they use the same memory (graph-edges.h); PTERIS_CUDA_GRAPH_EDGES=0 keeps them in a row.
 */
typedef struct _PtCudaGraphs PtCudaGraphs;

/** @constants: may be NULL. Both must outlive the graphs. */
PtCudaGraphs *pt_cuda_graphs_new (PtCudaContainer *container, PtCudaConstants *constants);
void pt_cuda_graphs_free (PtCudaGraphs *graphs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaGraphs, pt_cuda_graphs_free)

/**
 * Begin a call. @inputs: host or device tensors, with memory for their elements.
 *
 * @outputs: [n_outputs of the container], set when the call has been made, by a graph: the results,
 *   which stay the graph's and as they are until the next call.
 * @done: FALSE: nothing happened; make the call, and then pt_cuda_graphs_end().
 */
gboolean pt_cuda_graphs_begin (PtCudaGraphs *graphs, PtTensor *const *inputs,
                               PtShimTensor *const **outputs, gboolean *done, GError **error);

/** The call that was begun has been made without a graph. */
void pt_cuda_graphs_end (PtCudaGraphs *graphs);

G_END_DECLS
