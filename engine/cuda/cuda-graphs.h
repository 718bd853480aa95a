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
 * After a few small calls with the same shapes of the inputs, a graph is recorded, and replayed
 * from then on. Each graph has its own memory. Calls that cannot be recorded, or do not repeat, run
 * without a graph; a graph never makes a call fail. The environment variable PTERIS_CUDA_GRAPHS=0
 * turns graphs off. A kernel in a graph waits only for kernels that use the same memory (graph-
 * edges.h); PTERIS_CUDA_GRAPH_EDGES=0 keeps all kernels in sequence.
 */
typedef struct _PtCudaGraphs PtCudaGraphs;

/** @constants: may be NULL. Both arguments must outlive the graphs. */
PtCudaGraphs *pt_cuda_graphs_new (PtCudaContainer *container, PtCudaConstants *constants);
void pt_cuda_graphs_free (PtCudaGraphs *graphs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaGraphs, pt_cuda_graphs_free)

/**
 * Begin a call, and replay a graph for it if there is one.
 *
 * @inputs: host or device tensors with memory for their elements.
 * @outputs: [n_outputs of the container]; with @done, the results. The graph owns them, and they
 * are valid until the next call.
 * @done: FALSE: no graph was replayed; make the call, then call pt_cuda_graphs_end().
 */
gboolean pt_cuda_graphs_begin (PtCudaGraphs *graphs, PtTensor *const *inputs,
                               PtShimTensor *const **outputs, gboolean *done, GError **error);

/** End a call that was made without a graph; it may record one now. */
void pt_cuda_graphs_end (PtCudaGraphs *graphs);

G_END_DECLS
