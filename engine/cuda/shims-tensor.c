/* SPDX-License-Identifier: BSD-3-Clause */

/* Making, viewing and deleting tensors (docs/formats/cuda.md, sections 8.2 and 8.3). */

#include "engine/cuda/shims-private.h"

/* Returns the result of a function: @tensor, or 1 with @error noted. */
static inline gint32
answer (PtShimTensor *tensor, GError *error, PtShimHandle *out)
{
  if (G_UNLIKELY (tensor == NULL))
    return pt_shim_refuse_error (error);
  *out = tensor;
  return 0;
}

static gint32
missing_tensor (const char *function)
{
  return pt_shim_refuse (PT_ERROR_ARGUMENT, "The model's library gave %s no tensor.", function);
}

/* The device that a library means; -1 is the current one. FALSE with a note for other devices. */
static gboolean
check_device (gint32 type, gint32 *index)
{
  PtCudaContext *context = pt_shim_state.context;

  if (type == 0)
    return TRUE;
  if (type != 1 || context == NULL || (*index != -1 && *index != context->index)) {
    pt_shim_note (PT_ERROR_UNSUPPORTED,
                  "The model's library asks for device %d of type %d, which is not the one it "
                  "was loaded for.",
                  *index, type);
    return FALSE;
  }
  *index = context->index;
  return TRUE;
}

int32_t
pt_aoti_torch_create_tensor_from_blob (void *data, int64_t rank, const int64_t *sizes,
                                       const int64_t *strides, int64_t offset, int32_t dtype,
                                       int32_t device_type, int32_t device_index, PtShimHandle *out)
{
  GError *error = NULL;
  PtShimTensor *view;

  if (!check_device (device_type, &device_index))
    return 1;
  view = pt_shim_tensor_view (data, PT_SHIM_ANY_SIZE, dtype, rank, sizes, strides, offset,
                              device_type, device_index, &error);
  return answer (view, error, out);
}

/* Libraries call it for each constant of a blob (docs/formats/cuda.md, section 5.3). */
int32_t
pt_aoti_torch_create_tensor_from_blob_v2 (void *data, int64_t rank, const int64_t *sizes,
                                          const int64_t *strides, int64_t offset, int32_t dtype,
                                          int32_t device_type, int32_t device_index,
                                          PtShimHandle *out, int32_t layout,
                                          const uint8_t *opaque_metadata,
                                          int64_t opaque_metadata_size)
{
  gint32 code = pt_aoti_torch_create_tensor_from_blob (data, rank, sizes, strides, offset, dtype,
                                                       device_type, device_index, out);

  if (code == 0 && pt_shim_state.record != NULL)
    g_ptr_array_add (pt_shim_state.record->constants, pt_shim_tensor_share (*out));
  return code;
}

int32_t
pt_aoti_torch_empty_strided (int64_t rank, const int64_t *sizes, const int64_t *strides,
                             int32_t dtype, int32_t device_type, int32_t device_index,
                             PtShimHandle *out)
{
  GError *error = NULL;
  PtShimTensor *tensor;

  if (G_UNLIKELY (!check_device (device_type, &device_index)))
    return 1;
  tensor =
      pt_shim_tensor_new (pt_shim_state.context, dtype, rank, sizes, strides, device_type, &error);
  return answer (tensor, error, out);
}

/* Ignores a request for pinned memory, which would only make a later copy faster. */
int32_t
pt_aoti_torch_empty_strided_pinned (int64_t rank, const int64_t *sizes, const int64_t *strides,
                                    int32_t dtype, int32_t device_type, int32_t device_index,
                                    PtShimHandle *out)
{
  return pt_aoti_torch_empty_strided (rank, sizes, strides, dtype, device_type, device_index, out);
}

/* Destructors call this function during an exception, so it must not fail. */
int32_t
pt_aoti_torch_delete_tensor_object (PtShimHandle tensor)
{
  pt_shim_tensor_free (tensor);
  return 0;
}

int32_t
pt_aoti_torch_assign_tensors_out (PtShimHandle tensor, PtShimHandle *out)
{
  if (G_UNLIKELY (tensor == NULL))
    return missing_tensor ("assign_tensors_out");
  *out = pt_shim_tensor_share (tensor);
  return 0;
}

int32_t
pt_aoti_torch_new_tensor_handle (PtShimHandle tensor, PtShimHandle *out)
{
  if (G_UNLIKELY (tensor == NULL))
    return missing_tensor ("new_tensor_handle");
  *out = pt_shim_tensor_share (tensor);
  if (pt_shim_state.record != NULL)
    g_ptr_array_add (pt_shim_state.record->handles, *out);
  return 0;
}

int32_t
pt_aoti_torch__reinterpret_tensor (PtShimHandle tensor, int64_t rank, const int64_t *sizes,
                                   const int64_t *strides, int64_t offset, PtShimHandle *out)
{
  GError *error = NULL;
  PtShimTensor *view;

  if (G_UNLIKELY (tensor == NULL))
    return missing_tensor ("_reinterpret_tensor");
  view = pt_shim_tensor_reinterpret (tensor, tensor->dtype, rank, sizes, strides, offset, &error);
  return answer (view, error, out);
}

int32_t
pt_aoti_torch_as_strided (PtShimHandle tensor, const int64_t *sizes, const int64_t *strides,
                          PtShimHandle *out)
{
  if (tensor == NULL)
    return missing_tensor ("as_strided");
  return pt_aoti_torch__reinterpret_tensor (tensor, tensor->rank, sizes, strides, tensor->offset,
                                            out);
}

int32_t
pt_aoti_torch__alloc_from_pool (PtShimHandle tensor, int64_t offset_bytes, int32_t dtype,
                                int64_t rank, const int64_t *sizes, const int64_t *strides,
                                PtShimHandle *out)
{
  gint64 item = (gint64) pt_dtype_size (dtype);
  GError *error = NULL;
  PtShimTensor *view;

  if (tensor == NULL)
    return missing_tensor ("_alloc_from_pool");
  if (item == 0 || offset_bytes % item != 0)
    return pt_shim_refuse (PT_ERROR_ARGUMENT,
                           "The model cuts a tensor out of a pool at %" G_GINT64_FORMAT
                           " bytes, which is not a whole number of elements.",
                           offset_bytes);
  view =
      pt_shim_tensor_reinterpret (tensor, dtype, rank, sizes, strides, offset_bytes / item, &error);
  return answer (view, error, out);
}

/* Copies with the strides of @tensor, as one range with its gaps. */
int32_t
pt_aoti_torch_clone_preserve_strides (PtShimHandle tensor, PtShimHandle *out)
{
  PtCudaContext *context = pt_shim_state.context;
  gint8 device;
  PtShimTensor *copy;
  GError *error = NULL;

  if (tensor == NULL)
    return missing_tensor ("clone");
  device = tensor->storage->device_type;
  if (device == 1 && pt_shim_context ("clone") == NULL)
    return 1;
  copy = pt_shim_tensor_new (context, tensor->dtype, tensor->rank, tensor->sizes, tensor->strides,
                             device, &error);
  if (copy == NULL)
    return pt_shim_refuse_error (error);
  if (!pt_shim_copy_bytes (context, copy->storage->data, device == 1, pt_shim_tensor_data (tensor),
                           device == 1, copy->storage->size)) {
    pt_shim_tensor_free (copy);
    return 1;
  }
  *out = copy;
  return 0;
}

int32_t
pt_aoti_torch_clone (PtShimHandle tensor, PtShimHandle *out)
{
  return pt_aoti_torch_clone_preserve_strides (tensor, out);
}

/* Whether the sizes are equal, apart from dimensions of size 1. */
static gboolean
same_sizes (const PtShimTensor *a, const PtShimTensor *b)
{
  gint32 i = 0, j = 0;

  for (;;) {
    while (i < a->rank && a->sizes[i] == 1)
      i++;
    while (j < b->rank && b->sizes[j] == 1)
      j++;
    if (i == a->rank || j == b->rank)
      return i == a->rank && j == b->rank;
    if (a->sizes[i++] != b->sizes[j++])
      return FALSE;
  }
}

/*
 * Exporters since 1.3 copy only between equal sizes. Earlier ones copy between equal numbers of
 * elements, which is defined when both tensors are dense.
 */
int32_t
pt_aoti_torch_copy_ (PtShimHandle to, PtShimHandle from, int32_t non_blocking)
{
  if (to == NULL || from == NULL)
    return missing_tensor ("copy_");
  if (to->dtype != from->dtype || to->numel != from->numel ||
      (!same_sizes (to, from) &&
       !(pt_shim_tensor_is_contiguous (to) && pt_shim_tensor_is_contiguous (from))))
    return pt_shim_refuse (PT_ERROR_ARGUMENT,
                           "The model copies between tensors of different types or sizes.");
  return pt_shim_copy_tensor (to, from);
}

int32_t
pt_aoti_torch_zero_ (PtShimHandle tensor)
{
  return tensor != NULL ? pt_shim_clear_tensor (tensor) : missing_tensor ("zero_");
}
