/* SPDX-License-Identifier: BSD-3-Clause */

/* Single values in and out of tensors (docs/formats/cuda.md, section 8.6). */

#include <string.h>

#include "engine/cuda/shims-private.h"

/* Reads the only element of @tensor. Waits for the GPU if the tensor is there. */
static gint32
read_item (PtShimHandle tensor, gint32 dtype, gpointer value)
{
  gsize size = pt_dtype_size (dtype);
  gboolean on_device;

  if (tensor == NULL || tensor->numel != 1 || tensor->dtype != dtype)
    return pt_shim_refuse (PT_ERROR_ARGUMENT,
                           "The model reads one %s from a tensor that is not of that kind.",
                           pt_dtype_name (dtype));
  on_device = tensor->storage->device_type == 1;
  if (on_device && pt_shim_context ("item") == NULL)
    return 1;
  return !pt_shim_copy_bytes (pt_shim_state.context, value, FALSE, pt_shim_tensor_data (tensor),
                              on_device, size);
}

static gint32
make_scalar (gint32 dtype, gconstpointer value, PtShimHandle *out)
{
  GError *error = NULL;
  PtShimTensor *tensor = pt_shim_tensor_new (NULL, dtype, 0, NULL, NULL, 0, &error);

  if (tensor == NULL)
    return pt_shim_refuse_error (error);
  memcpy (tensor->storage->data, value, pt_dtype_size (dtype));
  *out = tensor;
  return 0;
}

#define DEFINE_ITEM(name, number, type)                                \
  int32_t pt_aoti_torch_item_##name (PtShimHandle tensor, type *value) \
  {                                                                    \
    return read_item (tensor, number, value);                          \
  }
#define DEFINE_SCALAR(name, number, type)                                       \
  int32_t pt_aoti_torch_scalar_to_tensor_##name (type value, PtShimHandle *out) \
  {                                                                             \
    return make_scalar (number, &value, out);                                   \
  }
PT_SHIM_SCALARS (DEFINE_ITEM)
PT_SHIM_SCALARS (DEFINE_SCALAR)
DEFINE_ITEM (float16, PT_DTYPE_F16, uint16_t)
DEFINE_ITEM (bfloat16, PT_DTYPE_BF16, uint16_t)
