/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/prims-tensor.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/runtime/device.h"
#include "engine/runtime/operator.h"

/* Shapes and single elements as scalars; views; copies from and to devices
 * (docs/formats/operators.md, sections 22.2 and 22.3). */

static gboolean
set_int (PtValue *out, gint64 number)
{
  out->kind = PT_VALUE_INT;
  out->as_int = number;
  return TRUE;
}

/* aten::sym_size.int (self, dim, result) */
static gboolean
prim_sym_size (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_value_tensor (args[0], "self", error);
  gint64 dim;

  if (self == NULL || !pt_value_int (args[1], "dim", &dim, error))
    return FALSE;
  if (!pt_index_fits (dim, self->rank))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A tensor of %u dimensions has no dimension %" G_GINT64_FORMAT
                    " (ExecuTorch error 0x12).",
                    self->rank, dim);
  return set_int (args[2], self->sizes[dim]);
}

/* aten::sym_numel (self, result) */
static gboolean
prim_sym_numel (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_value_tensor (args[0], "self", error);

  if (self == NULL)
    return FALSE;
  return set_int (args[1], (gint64) self->numel);
}

/* aten::_local_scalar_dense (self, result): the first element */
static gboolean
prim_local_scalar_dense (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_in_tensor (args[0], "self", error);
  PtValue *out = args[1];

  if (self == NULL)
    return FALSE;
  if (self->numel == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "An empty tensor has no first element (ExecuTorch error 0x12).");
  switch (self->dtype) {
  case PT_DTYPE_U8: return set_int (out, *(const guint8 *) self->data);
  case PT_DTYPE_I8: return set_int (out, *(const gint8 *) self->data);
  case PT_DTYPE_I16: return set_int (out, *(const gint16 *) self->data);
  case PT_DTYPE_I32: return set_int (out, *(const gint32 *) self->data);
  case PT_DTYPE_I64: return set_int (out, *(const gint64 *) self->data);
  case PT_DTYPE_F32:
    out->kind = PT_VALUE_DOUBLE;
    out->as_double = (double) *(const float *) self->data;
    return TRUE;
  case PT_DTYPE_F64:
    out->kind = PT_VALUE_DOUBLE;
    out->as_double = *(const double *) self->data;
    return TRUE;
  case PT_DTYPE_BOOL:
    out->kind = PT_VALUE_BOOL;
    out->as_bool = *(const guint8 *) self->data != 0;
    return TRUE;
  default:
    return pt_fail (error, PT_ERROR_TYPE,
                    "A %s element cannot become a number (ExecuTorch error 0x13).",
                    pt_dtype_name (self->dtype));
  }
}

/* Replaces one -1 in @sizes by the size that makes the product @numel. */
static gboolean
infer_size (gsize numel, guint rank, gint64 *sizes, GError **error)
{
  gsize known = 1;
  gint unknown = -1;
  guint i;

  for (i = 0; i < rank; i++) {
    if (sizes[i] == -1 && unknown < 0)
      unknown = (gint) i;
    else if (sizes[i] < 0 || !pt_mul_size (known, (gsize) sizes[i], &known))
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "The sizes of a view are impossible (ExecuTorch error 0x12).");
  }
  if (unknown >= 0) {
    if (known == 0 || numel % known != 0)
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "The open size of a view cannot be told (ExecuTorch error 0x12).");
    sizes[unknown] = (gint64) (numel / known);
  } else if (known != numel) {
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A view has %" G_GSIZE_FORMAT " elements instead of %" G_GSIZE_FORMAT
                    " (ExecuTorch error 0x12).",
                    known, numel);
  }
  return TRUE;
}

/*
 * executorch_prim::et_view.default (self, sizes, out): out refers to the bytes of self with another
 * shape
 */
static gboolean
prim_et_view (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_value_tensor (args[0], "self", error);
  PtTensor *out = self != NULL ? pt_value_tensor (args[2], "out", error) : NULL;
  gint64 sizes[PT_MAX_RANK];
  guint rank;

  if (out == NULL || !pt_value_int_list (args[1], "size", sizes, PT_MAX_RANK, &rank, error) ||
      !infer_size (self->numel, rank, sizes, error))
    return FALSE;
  if (self->dtype != out->dtype)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A view of a %s tensor cannot be %s (ExecuTorch error 0x12).",
                    pt_dtype_name (self->dtype), pt_dtype_name (out->dtype));
  if (!pt_tensor_resize (out, rank, sizes, error))
    return FALSE;
  if (!pt_tensor_is_contiguous (self) || !pt_tensor_is_contiguous (out))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A view needs elements in the order of their dimensions "
                    "(ExecuTorch error 0x12).");
  if (self->numel > 0 && self->data == NULL)
    return pt_fail (error, PT_ERROR_STATE, "A view has no memory to look at.");
  out->data = self->data;
  out->capacity = self->capacity;
  out->device_type = self->device_type;
  out->device_index = self->device_index;
  out->is_constant = self->is_constant;
  return TRUE;
}

/*
 * executorch_prim::et_copy_index.tensor (to, from, index): to[index] = from; to grows when needed
 */
static gboolean
prim_et_copy_index (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *to = pt_value_tensor (args[0], "copy_to", error);
  PtTensor *from = to != NULL ? pt_in_tensor (args[1], "copy_from", error) : NULL;
  gint64 index, sizes[PT_MAX_RANK];
  gsize size;

  if (from == NULL || !pt_value_int (args[2], "index", &index, error))
    return FALSE;
  if (index < 0 || index == G_MAXINT64 || to->rank != from->rank + 1 || to->dtype != from->dtype ||
      memcmp (&to->sizes[1], from->sizes, from->rank * sizeof (gint64)) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The piece does not fit the tensor it is copied to (ExecuTorch error 0x12).");
  memcpy (sizes, to->sizes, sizeof sizes);
  sizes[0] = index + 1;
  to = pt_out_tensor (args[0], to->rank, sizes, error);
  if (to == NULL)
    return FALSE;
  if (!pt_tensor_is_contiguous (to) || !pt_tensor_is_contiguous (from))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Pieces are copied between contiguous tensors only (ExecuTorch error 0x12).");
  size = pt_tensor_nbytes (from);
  if (size > 0)
    memmove ((guint8 *) to->data + (gsize) index * size, from->data, size);
  return TRUE;
}

/* Copies between tensors on one device. */
static gboolean
copy_on_device (const PtTensor *self, PtTensor *out, GError **error)
{
  const PtDevice *device = pt_device_find (out->device_type);

  if (device == NULL || device->copy == NULL || self->device_index != out->device_index)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Tensors on different devices cannot be copied.");
  if (self->dtype != out->dtype || out->is_constant || self->data == NULL || out->data == NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT, "A copy on a device lacks memory.");
  if (!pt_tensor_resize (out, self->rank, self->sizes, error))
    return FALSE;
  if (pt_tensor_nbytes (self) > self->capacity || pt_tensor_nbytes (out) > out->capacity)
    return pt_fail (error, PT_ERROR_STATE, "A copy on a device lacks memory.");
  return device->copy (out->device_index, out->data, self->data, pt_tensor_nbytes (self), error);
}

/* Lets @out refer to the bytes of @self, for an output that stays on the device. */
static gboolean
share_with_output (const PtTensor *self, PtTensor *out, GError **error)
{
  if (self->dtype != out->dtype || memcmp (self->dim_order, out->dim_order, self->rank) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A copy between host and device has sides of different types "
                    "(ExecuTorch error 0x12).");
  if (!pt_tensor_resize (out, self->rank, self->sizes, error))
    return FALSE;
  out->data = self->data;
  out->capacity = self->capacity;
  out->device_type = self->device_type;
  out->device_index = self->device_index;
  return TRUE;
}

/*
 * Checks devices, dtypes, shapes and memory for a copy in either direction. Returns the device of
 * @on_device.
 */
static const PtDevice *
check_device_copy (const PtTensor *self, PtTensor *out, const PtTensor *on_device, GError **error)
{
  const PtDevice *device = pt_device_find (on_device->device_type);

  if (on_device->device_type == PT_DEVICE_CPU || self->device_type == out->device_type) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "A copy between host and device has both sides in one place "
             "(ExecuTorch error 0x12).");
    return NULL;
  }
  if (device == NULL) {
    pt_fail (error, PT_ERROR_MISSING_BACKEND, "There is no %s device here (ExecuTorch error 0x20).",
             pt_device_name (on_device->device_type));
    return NULL;
  }
  if (self->dtype != out->dtype || out->is_constant) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "A copy between host and device has sides of different types "
             "(ExecuTorch error 0x12).");
    return NULL;
  }
  if (!pt_tensor_resize (out, self->rank, self->sizes, error))
    return NULL;
  if (memcmp (self->dim_order, out->dim_order, self->rank) != 0 ||
      pt_tensor_nbytes (self) > self->capacity || pt_tensor_nbytes (out) > out->capacity ||
      (self->numel > 0 && (self->data == NULL || out->data == NULL))) {
    pt_fail (error, PT_ERROR_STATE, "A copy between host and device lacks memory.");
    return NULL;
  }
  return device;
}

/* et_copy::_h2d_copy.out (self, out, out) */
static gboolean
prim_h2d_copy (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_value_tensor (args[0], "self", error);
  PtTensor *out = self != NULL ? pt_value_tensor (args[1], "out", error) : NULL;
  const PtDevice *device;

  if (out == NULL)
    return FALSE;
  if (self->device_type != PT_DEVICE_CPU && self->device_type == out->device_type)
    return copy_on_device (self, out, error); /* the caller's input is on the device already */
  device = check_device_copy (self, out, out, error);
  return device != NULL && device->copy_to_device (out->device_index, out->data, self->data,
                                                   pt_tensor_nbytes (self), error);
}

/* et_copy::_d2h_copy.out (self, out, out) */
static gboolean
prim_d2h_copy (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *self = pt_value_tensor (args[0], "self", error);
  PtTensor *out = self != NULL ? pt_value_tensor (args[1], "out", error) : NULL;
  const PtDevice *device;

  if (out == NULL)
    return FALSE;
  if (out->stays_on_device && self->device_type != PT_DEVICE_CPU)
    return share_with_output (self, out, error);
  device = check_device_copy (self, out, self, error);
  return device != NULL && device->copy_to_host (self->device_index, out->data, self->data,
                                                 pt_tensor_nbytes (self), error);
}

static const PtOperator operators[] = {
  { "aten::sym_size.int", prim_sym_size, 3, 2, 0 },
  { "aten::sym_numel", prim_sym_numel, 2, 1, 0 },
  { "aten::_local_scalar_dense", prim_local_scalar_dense, 2, 1, 0 },
  { "executorch_prim::et_view.default", prim_et_view, 3, 2, 1 },
  { "executorch_prim::et_copy_index.tensor", prim_et_copy_index, 3, 0, 1 },
  { "et_copy::_h2d_copy.out", prim_h2d_copy, 3, 1, 1 },
  { "et_copy::_d2h_copy.out", prim_d2h_copy, 3, 1, 1 },
};

void
pt_prims_tensor_register (void)
{
  pt_operators_register (operators, G_N_ELEMENTS (operators));
}
