/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"
#include "engine/cuda/cuda-memory-pool.h"

G_BEGIN_DECLS

/**
 * PtCudaContext: one GPU as this engine thread uses it: the primary context, one stream, memory,
 * and our kernels. All work goes through the one stream, so it needs no other ordering. Engine
 * thread.
 *
 * There is one context for each device and engine thread; they share the device's primary context.
 * Models, device memory and kernels hold references. When the last reference is released, the
 * primary context is released, with all its memory on the GPU, unless another thread uses it.
 */
typedef struct _PtCudaContext {
  const PtCuda *cu;
  int index; /* "cuda:INDEX" */
  PtCuDevice device;
  PtCuContext context;
  PtCuStream stream;
  PtCudaPool *pool; /* allocator of tensors: @tensors, or the pool of a graph during its capture */
  PtCudaPool *tensors;
  gboolean is_capturing; /* a capture is under way: nothing may synchronise */
  guint capability;      /* compute capability, 90 for 9.0 */
  guint driver_version;  /* CUDA version of the driver, 13000 for 13.0 */
  guint n_multiprocessors;
  gsize shared_per_block; /* maximum of shared memory of a kernel, in bytes */
  char name[96];
  PtCuResult fatal;               /* the error that killed the context, or 0 */
  struct _PtCudaKernels *kernels; /* our kernels; loaded at first use (cuda-kernels.h) */
  void (*free_kernels) (struct _PtCudaKernels *kernels); /* destroy function of @kernels */
  struct _PtCudaSampling *sampling; /* memory for choosing tokens, or NULL (cuda-sampling.h) */
  void (*free_sampling) (struct _PtCudaSampling *sampling); /* destroy function of @sampling */
  guint n_references;
} PtCudaContext;

/**
 * Reference the context of device @index (-1: 0) and make it current on this thread. NULL with an
 * error.
 */
PtCudaContext *pt_cuda_context_ref (int index, GError **error);

/** The context of device @index in this thread if it exists, else NULL. Adds no reference. */
PtCudaContext *pt_cuda_context_find (int index);
void pt_cuda_context_unref (PtCudaContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaContext, pt_cuda_context_unref)

/** Make it current on the calling thread. FALSE when the context is dead. */
gboolean pt_cuda_context_enter (PtCudaContext *context, GError **error);

/** Wait until all started work is done. FALSE with an error when some of it failed. */
gboolean pt_cuda_context_synchronize (PtCudaContext *context, GError **error);

/** pt_cuda_check() that also records errors after which the context is dead. */
gboolean pt_cuda_context_check (PtCudaContext *context, PtCuResult code, const char *what,
                                GError **error);

/**
 * Allocate memory that stays for long (weights, planned buffers): exactly @size bytes from the
 * driver, aligned to 256, not cleared. When memory is short, it trims @tensors and tries again.
 *
 * Returns: 0 with PT_ERROR_MEMORY, whose message says what was needed and what is free; also 0 when
 * @size is 0. Free it with pt_cuda_context_free(), which waits for work that uses it
 */
PtCuPointer pt_cuda_context_allocate (PtCudaContext *context, gsize size, GError **error);
void pt_cuda_context_free (PtCudaContext *context, PtCuPointer pointer);

/** Free and total bytes of memory on the GPU. */
gboolean pt_cuda_context_memory (PtCudaContext *context, gsize *unused, gsize *total,
                                 GError **error);

/** Whether @pointer is memory of a device. FALSE for host memory of any kind, and NULL. */
gboolean pt_cuda_context_is_device (PtCudaContext *context, gconstpointer pointer);

G_END_DECLS
