/* SPDX-License-Identifier: BSD-3-Clause */

/* A call: tensors to OpenVINO and back (docs/formats/openvino.md, sections 2.2 and 4). */

#include "engine/openvino/openvino-model.h"

#include <string.h>

#include "engine/base/set-error.h"

/* Numbers of OpenVINO's element types. */
static int
element_type (PtDType dtype)
{
  switch (dtype) {
  case PT_DTYPE_BOOL: return 1;
  case PT_DTYPE_BF16: return 2;
  case PT_DTYPE_F16: return 3;
  case PT_DTYPE_F32: return 4;
  case PT_DTYPE_F64: return 5;
  case PT_DTYPE_I8: return 7;
  case PT_DTYPE_I16: return 8;
  case PT_DTYPE_I32: return 9;
  case PT_DTYPE_I64: return 10;
  case PT_DTYPE_U8: return 16;
  default: return -1;
  }
}

static gboolean
fail_call (const PtOpenvinoModel *self, const char *what, guint i, GError **error)
{
  g_autofree char *words = pt_openvino_last_words (self->ov);

  return pt_fail (error, PT_ERROR_DELEGATE, "OpenVINO %s does not take %s %u of its part: %s",
                  self->ov->version, what, i, words);
}

/* A handle over the elements of @tensor at @data, to be freed with ov_tensor_free(). */
static PtOvTensor *
wrap (const PtOpenvinoModel *self, const PtTensor *tensor, gpointer data, GError **error)
{
  const PtOpenvino *ov = self->ov;
  PtOvShape shape = { 0 };
  PtOvTensor *handle = NULL;
  int type = element_type (tensor->dtype), status;
  char text[160];

  if (type < 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "OpenVINO has no tensors like %s (ExecuTorch error 0x10).",
             pt_tensor_describe (tensor, text, sizeof text));
    return NULL;
  }
  if (ov->ov_shape_create (tensor->rank, tensor->sizes, &shape) != 0) {
    fail_call (self, "the shape of argument", 0, error);
    return NULL;
  }
  status = ov->ov_tensor_create_from_host_ptr (type, shape, data, &handle);
  ov->ov_shape_free (&shape);
  if (status == 0 && handle != NULL)
    return handle;
  fail_call (self, "the memory of argument", 0, error);
  return NULL;
}

/* ---- inputs ---- */

static gboolean
check_memory (const PtTensor *tensor, const char *what, guint i, GError **error)
{
  char text[160];

  if (tensor->device_type == PT_DEVICE_CPU && pt_tensor_nbytes (tensor) <= tensor->capacity &&
      (tensor->data != NULL || tensor->numel == 0))
    return TRUE;
  return pt_fail (error, PT_ERROR_STATE, "%s %u of a part for OpenVINO, %s, has no memory.", what,
                  i, pt_tensor_describe (tensor, text, sizeof text));
}

/* The elements of @tensor in the order of its dimensions: OpenVINO knows no other. */
static gpointer
in_order (const PtTensor *tensor, PtExecution *execution, GError **error)
{
  gpointer data = tensor->data;
  PtTensor copy;

  if (pt_tensor_is_contiguous (tensor))
    return data;
  data = pt_execution_scratch (execution, pt_tensor_nbytes (tensor), error);
  if (data == NULL ||
      !pt_tensor_init (&copy, tensor->dtype, tensor->rank, tensor->sizes, NULL, data, error))
    return NULL;
  pt_tensor_copy_elements (&copy, tensor);
  return data;
}

/* An integer is a tensor of one element. */
static gboolean
describe_input (PtValue *value, guint i, PtTensor *out, GError **error)
{
  static const gint64 ONE = 1;

  if (value->kind == PT_VALUE_TENSOR) {
    *out = *value->as_tensor;
    return check_memory (out, "Input", i, error);
  }
  if (value->kind != PT_VALUE_INT)
    return pt_fail (error, PT_ERROR_TYPE,
                    "Input %u of a part for OpenVINO is neither a tensor nor an integer "
                    "(ExecuTorch error 0x12).",
                    i);
  return pt_tensor_init (out, PT_DTYPE_I64, 1, &ONE, NULL, &value->as_int, error);
}

/* Memory without elements still needs an address. */
static gpointer
address_of (gpointer data)
{
  static gint64 nothing;

  return data != NULL ? data : &nothing;
}

static gboolean
set_input (PtOpenvinoModel *self, PtExecution *execution, PtValue *value, guint i, GError **error)
{
  PtTensor tensor;
  PtOvTensor *handle;
  gpointer data;
  int status;

  if (!describe_input (value, i, &tensor, error))
    return FALSE;
  data = in_order (&tensor, execution, error);
  if (data == NULL && tensor.numel > 0)
    return FALSE;
  handle = wrap (self, &tensor, address_of (data), error);
  if (handle == NULL)
    return FALSE;
  status = self->ov->ov_infer_request_set_input_tensor_by_index (self->request, i, handle);
  self->ov->ov_tensor_free (handle);
  return status == 0 || fail_call (self, "input", i, error);
}

/* ---- outputs ---- */

/*
 * The tensor at its upper bound: an output that changes its size was made smaller by the call
 * before. Any shape of as many elements would do; the first one seen has the program's.
 */
static void
enlarge (PtOpenvinoModel *self, guint i, PtTensor *tensor)
{
  PtTensor *largest = &self->largest[i];

  if (tensor->numel >= tensor->max_numel)
    *largest = *tensor;
  else if (largest->rank == tensor->rank && largest->numel > tensor->numel)
    pt_tensor_resize (tensor, largest->rank, largest->sizes, NULL);
}

static gboolean
set_output (PtOpenvinoModel *self, PtExecution *execution, PtTensor *tensor, guint i,
            gpointer *data, GError **error)
{
  PtOvTensor *handle;
  int status;

  if (tensor->is_constant)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: a part for OpenVINO writes to a constant.");
  enlarge (self, i, tensor);
  if (!check_memory (tensor, "Output", i, error))
    return FALSE;
  *data = pt_tensor_is_contiguous (tensor)
              ? tensor->data
              : pt_execution_scratch (execution, pt_tensor_nbytes (tensor), error);
  if (*data == NULL && tensor->numel > 0)
    return FALSE;
  handle = wrap (self, tensor, address_of (*data), error);
  if (handle == NULL)
    return FALSE;
  status = self->ov->ov_infer_request_set_output_tensor_by_index (self->request, i, handle);
  self->ov->ov_tensor_free (handle);
  return status == 0 || fail_call (self, "output", i, error);
}

/* The sizes that the output has now. */
static gboolean
read_shape (PtOpenvinoModel *self, guint i, gint64 *sizes, guint *rank, GError **error)
{
  const PtOpenvino *ov = self->ov;
  PtOvTensor *handle = NULL;
  PtOvShape shape = { 0 };
  gboolean known;

  if (ov->ov_infer_request_get_output_tensor_by_index (self->request, i, &handle) != 0 ||
      handle == NULL)
    return fail_call (self, "output", i, error);
  if (ov->ov_tensor_get_shape (handle, &shape) != 0) {
    ov->ov_tensor_free (handle);
    return fail_call (self, "the shape of output", i, error);
  }
  known = shape.rank >= 0 && shape.rank <= PT_MAX_RANK;
  *rank = known ? (guint) shape.rank : 0;
  for (guint k = 0; k < *rank; k++)
    sizes[k] = shape.dims[k];
  ov->ov_shape_free (&shape);
  ov->ov_tensor_free (handle);
  return known || pt_fail (error, PT_ERROR_DELEGATE,
                           "Output %u of a part for OpenVINO has too many dimensions.", i);
}

/* Gives @tensor the size that OpenVINO wrote, and the elements in their own order. @data: where it
 * wrote. */
static gboolean
take_output (PtOpenvinoModel *self, PtTensor *tensor, guint i, gpointer data, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank = 0;
  PtTensor written;

  if (!read_shape (self, i, sizes, &rank, error) || !pt_tensor_resize (tensor, rank, sizes, error))
    return FALSE;
  if (pt_tensor_nbytes (tensor) > tensor->capacity)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "Output %u of a part for OpenVINO is larger than the program's memory for it.",
                    i);
  if (data == tensor->data)
    return TRUE;
  if (!pt_tensor_init (&written, tensor->dtype, rank, sizes, NULL, data, error))
    return FALSE;
  pt_tensor_copy_elements (tensor, &written);
  return TRUE;
}

/* ---- the call ---- */

static gboolean
infer (PtOpenvinoModel *self, GError **error)
{
  g_autofree char *words = NULL;

  if (self->ov->ov_infer_request_infer (self->request) == 0)
    return TRUE;
  words = pt_openvino_last_words (self->ov);
  return pt_fail (error, PT_ERROR_DELEGATE, "OpenVINO %s cannot run the program: %s",
                  self->ov->version, words);
}

gboolean
pt_openvino_model_run (PtOpenvinoModel *self, PtExecution *execution, PtValue *const *args,
                       guint n_args, GError **error)
{
  gpointer *data;

  if (n_args != self->n_inputs + self->n_outputs)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: it calls a part for OpenVINO with %u values, and the "
                    "part has %u inputs and %u outputs (ExecuTorch error 0x12).",
                    n_args, self->n_inputs, self->n_outputs);
  data = pt_execution_scratch (execution, MAX (self->n_outputs, 1) * sizeof *data, error);
  if (data == NULL)
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    if (!set_input (self, execution, args[i], i, error))
      return FALSE;
  for (guint i = 0; i < self->n_outputs; i++) {
    PtTensor *tensor = pt_value_tensor (args[self->n_inputs + i], "An output", error);

    if (tensor == NULL || !set_output (self, execution, tensor, i, &data[i], error))
      return FALSE;
  }
  if (!infer (self, error))
    return FALSE;
  for (guint i = 0; i < self->n_outputs; i++)
    if (!take_output (self, args[self->n_inputs + i]->as_tensor, i, data[i], error))
      return FALSE;
  return TRUE;
}
