/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-comparison.h"
#include "engine/cuda/cuda-derivations.h"
#include "engine/cuda/kernel-pattern.h"

G_BEGIN_DECLS

/*
 * What a launch of a library computes if its pattern is right, in the terms of our kernels. There
 * may be several ways to read a launch: attention from copies of keys and values or from their
 * sources, and all that a pattern leaves open. Engine thread.
 */

#define PT_CUDA_WAYS 8

typedef struct {
  PtPatternKind kind;
  union {
    PtCudaAttention attention;
    PtCudaRow row;
    PtCudaNorm norm;
    PtCudaRotary rotary;
    PtCudaGate gate;
  };
  gboolean reads_sources; /* in place of a tensor that another kernel computed from them */
} PtCudaOperation;

/** What is known about memory and other launches. */
typedef struct {
  PtCudaContext *context;
  PtCudaDerivations *derivations;
  PtCudaFindMemory find;
  gpointer user_data;
} PtCudaSurroundings;

/**
 * The operation of a launch with @arguments and @grid.
 *
 * @way: below PT_CUDA_WAYS
 * @n_outputs: of a product; 0: not known yet, and the sizes are not set
 *
 * Returns: FALSE when ours cannot compute it, when a tensor is smaller than that, or when the
 * launch cannot be read in this way
 */
gboolean pt_cuda_operation_read (PtCudaOperation *operation, const PtKernelPattern *pattern,
                                 void *const *arguments, const guint grid[3], guint way,
                                 gint64 n_outputs, const PtCudaSurroundings *around);

/**
 * The memory that a launch of the library and ours write: @results, of PtCudaResult. FALSE: it is
 * not known, or inputs lie there, too.
 */
gboolean pt_cuda_operation_results (const PtCudaOperation *operation,
                                    const PtCudaSurroundings *around, GArray *results);

/** Bytes of @scratch of pt_cuda_operation_launch(), which must be zero before the first use. */
gsize pt_cuda_operation_scratch (const PtCudaOperation *operation);

/** Launch ours. Sizes must be known. */
gboolean pt_cuda_operation_launch (const PtCudaOperation *operation, PtCudaContext *context,
                                   PtCuPointer scratch);

G_END_DECLS
