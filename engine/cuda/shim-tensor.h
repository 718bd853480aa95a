/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * The type behind AtenTensorHandle in a model library: a view of a storage (docs/formats/cuda.md,
 * section 8.2). The library creates and deletes hundreds of them for each token, so both structs
 * come from free lists. Engine thread.
 */

#define PT_SHIM_MAX_RANK 16

typedef struct _PtShimStorage {
  gpointer data; /* host or device address */
  gsize size;    /* size in bytes */
  guint n_references;
  gint8 device_type; /* 0 CPU, 1 CUDA */
  gint8 device_index;
  PtCudaPool *pool; /* pool that @data returns to; NULL: not from a pool */
  gboolean is_heap; /* @data is host memory that this storage frees */
} PtShimStorage;

typedef struct _PtShimTensor {
  PtShimStorage *storage;
  gint64 offset; /* offset in elements */
  gint64 numel;
  gint32 dtype; /* a number of ExecuTorch, equal to that of torch */
  gint32 rank;
  gint64 sizes[PT_SHIM_MAX_RANK];
  gint64 strides[PT_SHIM_MAX_RANK]; /* in elements */
} PtShimTensor;

static inline gpointer
pt_shim_tensor_data (const PtShimTensor *tensor)
{
  return (guint8 *) tensor->storage->data +
         tensor->offset * (gint64) pt_dtype_size ((PtDType) tensor->dtype);
}

/** As size: the memory is as large as the view needs. */
#define PT_SHIM_ANY_SIZE G_MAXSIZE

/**
 * Make a view of @size bytes at @data, which the caller owns. @strides: NULL means contiguous.
 * Checks rank, dtype, sizes and strides (not negative), and that the view lies in the memory. NULL
 * with an error.
 */
PtShimTensor *pt_shim_tensor_view (gpointer data, gsize size, gint32 dtype, gint64 rank,
                                   const gint64 *sizes, const gint64 *strides, gint64 offset,
                                   gint32 device_type, gint32 device_index, GError **error);

/**
 * Make a tensor with new memory, not cleared: from @context's pool, or from the heap when
 * @device_type is CPU.
 */
PtShimTensor *pt_shim_tensor_new (PtCudaContext *context, gint32 dtype, gint64 rank,
                                  const gint64 *sizes, const gint64 *strides, gint32 device_type,
                                  GError **error);

/** Make another handle of the same tensor, which shares the storage. */
PtShimTensor *pt_shim_tensor_share (const PtShimTensor *tensor);

/**
 * Make another view of the same storage. @offset counts elements of @dtype from the start of the
 * storage.
 */
PtShimTensor *pt_shim_tensor_reinterpret (const PtShimTensor *tensor, gint32 dtype, gint64 rank,
                                          const gint64 *sizes, const gint64 *strides, gint64 offset,
                                          GError **error);
void pt_shim_tensor_free (PtShimTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtShimTensor, pt_shim_tensor_free)

/**
 * Whether the strides are those of a dense row-major tensor. Dimensions of size 0 and 1 are
 * ignored.
 */
gboolean pt_shim_tensor_is_contiguous (const PtShimTensor *tensor);

/** Bytes from the first element to the end of the last; 0 when there are no elements. */
gsize pt_shim_tensor_extent (const PtShimTensor *tensor);

/** The number of tensors of this thread that exist now, for tests and leak checks. */
guint pt_shim_tensor_count (void);

/** Free the structs that are kept for the next tensors of this thread. */
void pt_shim_tensor_trim (void);

G_END_DECLS
