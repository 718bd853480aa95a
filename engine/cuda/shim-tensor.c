/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/shim-tensor.h"

#include <string.h>

#include "engine/base/set-error.h"

/* Alignment of host memory (docs/formats/cuda.md, section 8.2). */
#define HOST_ALIGNMENT 64

/* Freed structs of this thread, linked through their first member. */
static _Thread_local PtShimTensor *free_tensors;
static _Thread_local PtShimStorage *free_storages;
static _Thread_local guint n_tensors;

static PtShimTensor *
tensor_alloc (void)
{
  PtShimTensor *tensor = free_tensors;

  n_tensors++;
  if (G_UNLIKELY (tensor == NULL))
    return g_new (PtShimTensor, 1);
  free_tensors = (PtShimTensor *) tensor->storage;
  return tensor;
}

/* Frees @tensor, but not its storage. */
static void
tensor_recycle (PtShimTensor *tensor)
{
  n_tensors--;
  tensor->storage = (PtShimStorage *) free_tensors;
  free_tensors = tensor;
}

static PtShimStorage *
storage_alloc (void)
{
  PtShimStorage *storage = free_storages;

  if (G_UNLIKELY (storage == NULL))
    return g_new (PtShimStorage, 1);
  free_storages = storage->data;
  return storage;
}

/*
 * Allocates aligned host memory; the address to free lies before it. NULL when there is no memory.
 */
static gpointer
host_alloc (gsize size, GError **error)
{
  guint8 *block = g_try_malloc (size + HOST_ALIGNMENT + sizeof (gpointer));
  guint8 *data;

  if (block == NULL) {
    pt_fail (error, PT_ERROR_MEMORY,
             "There is not enough memory for a tensor of %.3f MB (ExecuTorch error 0x21).",
             (double) size / 1e6);
    return NULL;
  }
  data = block + sizeof (gpointer);
  data += -(guintptr) data & (HOST_ALIGNMENT - 1);
  memcpy (data - sizeof (gpointer), &block, sizeof block);
  return data;
}

static void
host_free (gpointer data)
{
  gpointer block;

  memcpy (&block, (guint8 *) data - sizeof (gpointer), sizeof block);
  g_free (block);
}

static void
storage_unref (PtShimStorage *storage)
{
  if (--storage->n_references > 0)
    return;
  if (storage->pool != NULL)
    pt_cuda_pool_release (storage->pool, (PtCuPointer) (guintptr) storage->data);
  if (storage->is_heap)
    host_free (storage->data);
  storage->data = free_storages;
  free_storages = storage;
}

static gboolean
check_dimensions (gint32 dtype, gint64 rank, const gint64 *sizes, const gint64 *strides,
                  gint64 offset, GError **error)
{
  if (pt_dtype_size (dtype) == 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model uses a type of element that is not supported (%d).", dtype);
  if (rank < 0 || rank > PT_SHIM_MAX_RANK || (rank > 0 && sizes == NULL))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model makes a tensor of %" G_GINT64_FORMAT
                    " dimensions; at most %d are supported.",
                    rank, PT_SHIM_MAX_RANK);
  if (offset < 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "The model makes a tensor with a negative offset.");
  for (gint64 i = 0; i < rank; i++)
    if (sizes[i] < 0 || (strides != NULL && strides[i] < 0))
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "The model makes a tensor with a negative size or stride.");
  return TRUE;
}

/* Strides of a dense row-major tensor. FALSE when one is too large. */
static gboolean
fill_strides (PtShimTensor *tensor)
{
  guint64 stride = 1;

  for (gint32 i = tensor->rank; i-- > 0;) {
    if (stride > G_MAXINT64)
      return FALSE;
    tensor->strides[i] = (gint64) stride;
    if (!g_uint64_checked_mul (&stride, stride, (guint64) MAX (tensor->sizes[i], 1)))
      return FALSE;
  }
  return TRUE;
}

/* Bytes from the start of the storage to the end of the view. FALSE on overflow. */
static gboolean
measure (PtShimTensor *tensor, gsize *bytes)
{
  guint64 item = pt_dtype_size (tensor->dtype), numel = 1, last = (guint64) tensor->offset, total;
  gboolean empty = FALSE;

  if (last > G_MAXSSIZE / item)
    return FALSE;
  for (gint32 i = 0; i < tensor->rank; i++)
    empty |= tensor->sizes[i] == 0;
  if (empty) {
    tensor->numel = 0;
    *bytes = 0;
    return TRUE;
  }
  for (gint32 i = 0; i < tensor->rank; i++) {
    guint64 size = (guint64) tensor->sizes[i], step;

    if (!g_uint64_checked_mul (&numel, numel, size) ||
        !g_uint64_checked_mul (&step, size - 1, (guint64) tensor->strides[i]) ||
        !g_uint64_checked_add (&last, last, step))
      return FALSE;
  }
  if (numel > G_MAXINT64 || !g_uint64_checked_add (&total, last, 1) ||
      !g_uint64_checked_mul (&total, total, item) || total > G_MAXSSIZE)
    return FALSE;
  tensor->numel = (gint64) numel;
  *bytes = (gsize) total;
  return TRUE;
}

/* Makes a tensor without storage. @bytes: set to the size of the storage that it needs. */
static PtShimTensor *
tensor_shape (gint32 dtype, gint64 rank, const gint64 *sizes, const gint64 *strides, gint64 offset,
              gsize *bytes, GError **error)
{
  PtShimTensor *tensor;

  if (!check_dimensions (dtype, rank, sizes, strides, offset, error))
    return NULL;
  tensor = tensor_alloc ();
  tensor->storage = NULL;
  tensor->offset = offset;
  tensor->dtype = dtype;
  tensor->rank = (gint32) rank;
  for (gint64 i = 0; i < rank; i++)
    tensor->sizes[i] = sizes[i];
  for (gint64 i = 0; i < rank && strides != NULL; i++)
    tensor->strides[i] = strides[i];
  if (G_LIKELY ((strides != NULL || fill_strides (tensor)) && measure (tensor, bytes)))
    return tensor;
  tensor_recycle (tensor);
  pt_fail (error, PT_ERROR_ARGUMENT, "The model makes a tensor that is too large to address.");
  return NULL;
}

PtShimTensor *
pt_shim_tensor_view (gpointer data, gsize size, gint32 dtype, gint64 rank, const gint64 *sizes,
                     const gint64 *strides, gint64 offset, gint32 device_type, gint32 device_index,
                     GError **error)
{
  PtShimTensor *tensor;
  PtShimStorage *storage;
  gsize needed;

  if ((device_type != 0 && device_type != 1) || device_index < -1 || device_index > G_MAXINT8) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The model makes a tensor on a device that is neither the CPU nor the GPU.");
    return NULL;
  }
  tensor = tensor_shape (dtype, rank, sizes, strides, offset, &needed, error);
  if (tensor == NULL)
    return NULL;
  if (needed > size || (data == NULL && needed > 0)) {
    tensor_recycle (tensor);
    pt_fail (error, PT_ERROR_ARGUMENT,
             "A tensor of the model needs %" G_GSIZE_FORMAT
             " bytes of memory that is smaller or missing.",
             needed);
    return NULL;
  }
  storage = storage_alloc ();
  *storage = (PtShimStorage){ data,
                              size == PT_SHIM_ANY_SIZE ? needed : size,
                              1,
                              (gint8) device_type,
                              (gint8) device_index,
                              NULL,
                              FALSE };
  tensor->storage = storage;
  return tensor;
}

/* Allocates the bytes of @storage, whose size and device are set. */
static gboolean
storage_fill (PtShimStorage *storage, PtCudaContext *context, GError **error)
{
  if (storage->size == 0)
    return TRUE;
  if (storage->device_type == 1) {
    storage->data =
        (gpointer) (guintptr) pt_cuda_pool_allocate (context->pool, storage->size, error);
    storage->pool = storage->data != NULL ? context->pool : NULL;
    return storage->data != NULL;
  }
  storage->data = host_alloc (storage->size, error);
  storage->is_heap = storage->data != NULL;
  return storage->is_heap;
}

PtShimTensor *
pt_shim_tensor_new (PtCudaContext *context, gint32 dtype, gint64 rank, const gint64 *sizes,
                    const gint64 *strides, gint32 device_type, GError **error)
{
  gsize size;
  PtShimTensor *tensor = tensor_shape (dtype, rank, sizes, strides, 0, &size, error);
  PtShimStorage *storage;

  if (tensor == NULL)
    return NULL;
  storage = storage_alloc ();
  *storage = (PtShimStorage){ NULL, size, 1, device_type == 1, 0, NULL, FALSE };
  if (device_type == 1)
    storage->device_index = (gint8) context->index;
  tensor->storage = storage;
  if (G_LIKELY (storage_fill (storage, context, error)))
    return tensor;
  pt_shim_tensor_free (tensor);
  return NULL;
}

PtShimTensor *
pt_shim_tensor_share (const PtShimTensor *tensor)
{
  PtShimTensor *copy = tensor_alloc ();
  gsize bytes = (gsize) tensor->rank * sizeof (gint64);

  memcpy (copy, tensor, G_STRUCT_OFFSET (PtShimTensor, sizes));
  memcpy (copy->sizes, tensor->sizes, bytes);
  memcpy (copy->strides, tensor->strides, bytes);
  copy->storage->n_references++;
  return copy;
}

PtShimTensor *
pt_shim_tensor_reinterpret (const PtShimTensor *tensor, gint32 dtype, gint64 rank,
                            const gint64 *sizes, const gint64 *strides, gint64 offset,
                            GError **error)
{
  gsize needed;
  PtShimTensor *view = tensor_shape (dtype, rank, sizes, strides, offset, &needed, error);

  if (view == NULL)
    return NULL;
  if (G_UNLIKELY (needed > tensor->storage->size)) {
    tensor_recycle (view);
    pt_fail (error, PT_ERROR_ARGUMENT,
             "A view of the model needs %" G_GSIZE_FORMAT " bytes; its tensor has %" G_GSIZE_FORMAT
             ".",
             needed, tensor->storage->size);
    return NULL;
  }
  view->storage = tensor->storage;
  view->storage->n_references++;
  return view;
}

void
pt_shim_tensor_free (PtShimTensor *tensor)
{
  if (tensor == NULL)
    return;
  storage_unref (tensor->storage);
  tensor_recycle (tensor);
}

gboolean
pt_shim_tensor_is_contiguous (const PtShimTensor *tensor)
{
  gint64 stride = 1;

  if (tensor->numel == 0)
    return TRUE;
  for (gint32 i = tensor->rank; i-- > 0;) {
    if (tensor->sizes[i] != 1 && tensor->strides[i] != stride)
      return FALSE;
    stride *= tensor->sizes[i];
  }
  return TRUE;
}

gsize
pt_shim_tensor_extent (const PtShimTensor *tensor)
{
  gint64 last = 0;

  if (tensor->numel == 0)
    return 0;
  for (gint32 i = 0; i < tensor->rank; i++)
    last += (tensor->sizes[i] - 1) * tensor->strides[i];
  return (gsize) (last + 1) * pt_dtype_size (tensor->dtype);
}

guint
pt_shim_tensor_count (void)
{
  return n_tensors;
}

void
pt_shim_tensor_trim (void)
{
  while (free_tensors != NULL) {
    PtShimTensor *tensor = free_tensors;

    free_tensors = (PtShimTensor *) tensor->storage;
    g_free (tensor);
  }
  while (free_storages != NULL) {
    PtShimStorage *storage = free_storages;

    free_storages = storage->data;
    g_free (storage);
  }
}
