/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Constants of torch's interface, and properties of tensors (docs/formats/cuda.md, sections 8.1 and
 * 8.4).
 */

#include "engine/cuda/shims-private.h"

#define DEFINE_DTYPE(name, number)          \
  int32_t pt_aoti_torch_dtype_##name (void) \
  {                                         \
    return number;                          \
  }
PT_SHIM_DTYPES (DEFINE_DTYPE)

#define DEFINE_CONSTANT(name, number) \
  int32_t pt_aoti_torch_##name (void) \
  {                                   \
    return number;                    \
  }
DEFINE_CONSTANT (device_type_cpu, 0)
DEFINE_CONSTANT (device_type_cuda, 1)
DEFINE_CONSTANT (layout_strided, 0)
DEFINE_CONSTANT (memory_format_contiguous_format, 0)
DEFINE_CONSTANT (memory_format_preserve_format, 1)
DEFINE_CONSTANT (memory_format_channels_last, 2)
DEFINE_CONSTANT (memory_format_channels_last_3d, 3)

size_t
pt_aoti_torch_dtype_element_size (int32_t dtype)
{
  return pt_dtype_size (dtype);
}

bool
pt_aoti_torch_grad_mode_is_enabled (void)
{
  return false;
}

/* Generated code turns gradients off and later restores the former state, which is off. */
int32_t
pt_aoti_torch_grad_mode_set_enabled (bool enabled)
{
  return 0;
}

static gint32
no_tensor (void)
{
  return pt_shim_refuse (PT_ERROR_ARGUMENT, "The model's library uses a tensor that is missing.");
}

#define DEFINE_GETTER(name, type, expression)                     \
  int32_t pt_aoti_torch_##name (PtShimHandle tensor, type *value) \
  {                                                               \
    if (G_UNLIKELY (tensor == NULL))                              \
      return no_tensor ();                                        \
    *value = expression;                                          \
    return 0;                                                     \
  }
DEFINE_GETTER (get_data_ptr, void *, pt_shim_tensor_data (tensor))
DEFINE_GETTER (get_sizes, int64_t *, tensor->sizes)
DEFINE_GETTER (get_strides, int64_t *, tensor->strides)
DEFINE_GETTER (get_storage_offset, int64_t, tensor->offset)
DEFINE_GETTER (get_storage_size, int64_t, (int64_t) tensor->storage->size)
DEFINE_GETTER (get_storage_numel, int64_t,
               (int64_t) (tensor->storage->size / pt_dtype_size (tensor->dtype)))
DEFINE_GETTER (get_dtype, int32_t, tensor->dtype)
DEFINE_GETTER (get_layout, int32_t, 0)
DEFINE_GETTER (get_device_type, int32_t, tensor->storage->device_type)
DEFINE_GETTER (get_device_index, int32_t, tensor->storage->device_index)
DEFINE_GETTER (get_dim, int64_t, tensor->rank)
DEFINE_GETTER (get_numel, int64_t, tensor->numel)
DEFINE_GETTER (is_contiguous, bool, pt_shim_tensor_is_contiguous (tensor))

int32_t
pt_aoti_torch_is_defined (PtShimHandle tensor, bool *value)
{
  *value = tensor != NULL;
  return 0;
}

/* Entry @dim of @values, which has one for each dimension. A negative @dim counts from the end. */
static gint32
get_one (PtShimHandle tensor, const gint64 *values, gint64 dim, gint64 *value)
{
  gint64 i = dim < 0 ? dim + tensor->rank : dim;

  if (i < 0 || i >= tensor->rank)
    return pt_shim_refuse (PT_ERROR_ARGUMENT,
                           "The model asks for dimension %" G_GINT64_FORMAT
                           " of a tensor that has %d.",
                           dim, tensor->rank);
  *value = values[i];
  return 0;
}

int32_t
pt_aoti_torch_get_size (PtShimHandle tensor, int64_t dim, int64_t *value)
{
  return tensor != NULL ? get_one (tensor, tensor->sizes, dim, value) : no_tensor ();
}

int32_t
pt_aoti_torch_get_stride (PtShimHandle tensor, int64_t dim, int64_t *value)
{
  return tensor != NULL ? get_one (tensor, tensor->strides, dim, value) : no_tensor ();
}
