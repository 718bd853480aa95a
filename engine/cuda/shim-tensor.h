/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * What a model library calls AtenTensorHandle: a view of a storage (docs/formats/cuda.md, section
 * 8.2).
 * The library creates and deletes hundreds of them a token, so both structs come from free lists.
 * Engine thread.
 */

#define PT_SHIM_MAX_RANK 16

typedef struct _PtShimStorage {
  gpointer data; /* host or device address */
  gsize size;    /* bytes */
  guint n_references;
  gint8 device_type; /* 0 CPU, 1 CUDA */
  gint8 device_index;
  PtCudaPool *pool; /* @data goes back there; NULL: not a block of a pool */
  gboolean is_heap; /* @data is ours, on the host */
} PtShimStorage;

typedef struct _PtShimTensor {
  PtShimStorage *storage;
  gint64 offset; /* elements */
  gint64 numel;
  gint32 dtype; /* ExecuTorch's numbers, which are torch's */
  gint32 rank;
  gint64 sizes[PT_SHIM_MAX_RANK];
  gint64 strides[PT_SHIM_MAX_RANK]; /* elements */
} PtShimTensor;

static inline gpointer
pt_shim_tensor_data (const PtShimTensor *tensor)
{
  return (guint8 *) tensor->storage->data +
         tensor->offset * (gint64) pt_dtype_size ((PtDType) tensor->dtype);
}

/** A view may be as large as it needs: nothing is known about the memory. */
#define PT_SHIM_ANY_SIZE G_MAXSIZE

/**
 * A view of @size bytes at @data, which stay the caller's. @strides: NULL means contiguous. Checks
 * everything: rank, dtype, negative sizes and strides, and that the view lies in the memory.
 */
PtShimTensor *pt_shim_tensor_view (gpointer data, gsize size, gint32 dtype, gint64 rank,
                                   const gint64 *sizes, const gint64 *strides, gint64 offset,
                                   gint32 device_type, gint32 device_index, GError **error);

/** New memory, not cleared: from @context's pool, or from the heap when @device_type is CPU. */
PtShimTensor *pt_shim_tensor_new (PtCudaContext *context, gint32 dtype, gint64 rank,
                                  const gint64 *sizes, const gint64 *strides, gint32 device_type,
                                  GError **error);

/** The same tensor again: another handle of the same storage. */
PtShimTensor *pt_shim_tensor_share (const PtShimTensor *tensor);

/**
 * Another view of the same storage. @offset counts elements of @dtype from the start of the
 * storage.
 */
PtShimTensor *pt_shim_tensor_reinterpret (const PtShimTensor *tensor, gint32 dtype, gint64 rank,
                                          const gint64 *sizes, const gint64 *strides, gint64 offset,
                                          GError **error);
void pt_shim_tensor_free (PtShimTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtShimTensor, pt_shim_tensor_free)

/** Strides are those of a dense row-major tensor; dimensions of size 0 and 1 do not matter. */
gboolean pt_shim_tensor_is_contiguous (const PtShimTensor *tensor);

/** Bytes from the first element to the end of the last; 0 when there is none. */
gsize pt_shim_tensor_extent (const PtShimTensor *tensor);

/** Tensors that exist now; for tests and leak checks. */
guint pt_shim_tensor_count (void);

G_END_DECLS
