/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"
#include "engine/cuda/cuda-memory-pool.h"

G_BEGIN_DECLS

/**
 * PtCudaContext: one GPU as this process uses it: the primary context, one stream for everything
 * (so that nothing needs other ordering), memory, and our kernels. Engine thread.
 *
 * There is one for each device; models, device memory and kernels hold references. With the last
 * one the primary context goes, and with it every byte on the GPU.
 */
typedef struct _PtCudaContext {
  const PtCuda *cu;
  int index; /* "cuda:INDEX" */
  PtCuDevice device;
  PtCuContext context;
  PtCuStream stream;
  PtCudaPool *pool; /* where tensors come from: @tensors, or a graph's while it is captured */
  PtCudaPool *tensors;
  gboolean is_capturing; /* between begin and end of a capture: nothing may synchronise */
  guint capability;      /* 90 means 9.0 */
  guint driver_version;  /* 13000 means CUDA 13.0 */
  guint n_multiprocessors;
  gsize shared_per_block; /* bytes of shared memory a kernel may ask for */
  char name[96];
  PtCuResult fatal;               /* the error that killed the context, or 0 */
  struct _PtCudaKernels *kernels; /* ours; made at first use (cuda-kernels.h) */
  void (*free_kernels) (struct _PtCudaKernels *kernels); /* set with @kernels */
  struct _PtCudaSampling
      *sampling; /* what choosing tokens needs; made at first use (cuda-sampling.h) */
  void (*free_sampling) (struct _PtCudaSampling *sampling); /* set with @sampling */
  guint n_references;
} PtCudaContext;

/** The context of device @index (-1: 0), made current on this thread. NULL with a reason. */
PtCudaContext *pt_cuda_context_ref (int index, GError **error);

/** The context of device @index while somebody holds a reference, else NULL. Adds none. */
PtCudaContext *pt_cuda_context_find (int index);
void pt_cuda_context_unref (PtCudaContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaContext, pt_cuda_context_unref)

/** Make it current on the calling thread; fails once the context is dead. */
gboolean pt_cuda_context_enter (PtCudaContext *context, GError **error);

/** Wait until everything that was started is done, and report what went wrong in it. */
gboolean pt_cuda_context_synchronize (PtCudaContext *context, GError **error);

/** Like pt_cuda_check(), and notes errors that kill the context. */
gboolean pt_cuda_context_check (PtCudaContext *context, PtCuResult code, const char *what,
                                GError **error);

/**
 * Memory that stays for long (weights, planned buffers): exactly @size bytes, straight from the
 * driver, aligned to 256, not cleared. When there is no more, after a trim of @tensors and a retry.
 *
 * Returns: 0 with PT_ERROR_MEMORY that says what was needed and what is free. Give it back with
 *   pt_cuda_context_free(), which waits for work that uses it. @size 0 gives 0
 */
PtCuPointer pt_cuda_context_allocate (PtCudaContext *context, gsize size, GError **error);
void pt_cuda_context_free (PtCudaContext *context, PtCuPointer pointer);

/** Bytes on the GPU that nobody uses, and all. */
gboolean pt_cuda_context_memory (PtCudaContext *context, gsize *unused, gsize *total,
                                 GError **error);

/** Whether @pointer is memory of a device. Host memory of any kind, and NULL, are not. */
gboolean pt_cuda_context_is_device (PtCudaContext *context, gconstpointer pointer);

G_END_DECLS
