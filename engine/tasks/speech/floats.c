/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/floats.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/runtime/operator.h"

static const PtTensorSpec *
tensor_of (const PtValueSpec *spec)
{
  return spec->kind == PT_VALUE_TENSOR ? spec->as_tensor : NULL;
}

const PtTensorSpec *
pt_input_tensor_spec (const PtMethod *method, guint i)
{
  return i < pt_method_n_inputs (method) ? tensor_of (pt_method_input_spec (method, i)) : NULL;
}

const PtTensorSpec *
pt_output_tensor_spec (const PtMethod *method, guint i)
{
  return i < pt_method_n_outputs (method) ? tensor_of (pt_method_output_spec (method, i)) : NULL;
}

static gboolean
is_float (PtDType dtype)
{
  return dtype == PT_DTYPE_F32 || dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_BF16;
}

gboolean
pt_spec_is_floats (const PtTensorSpec *spec, guint rank)
{
  return spec != NULL && spec->rank == rank && is_float (spec->dtype);
}

gboolean
pt_spec_is_indices (const PtTensorSpec *spec, guint rank)
{
  return spec != NULL && spec->rank == rank &&
         (spec->dtype == PT_DTYPE_I64 || spec->dtype == PT_DTYPE_I32);
}

void
pt_floats_store (PtDType dtype, gsize n, const float *from, gpointer to)
{
  if (dtype == PT_DTYPE_F16)
    pt_vector_f32_to_f16 (n, from, to);
  else if (dtype == PT_DTYPE_BF16)
    pt_vector_f32_to_bf16 (n, from, to);
  else
    memcpy (to, from, n * sizeof (float));
}

void
pt_floats_load (PtDType dtype, gsize n, gconstpointer from, float *to)
{
  if (dtype == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (n, from, to);
  else if (dtype == PT_DTYPE_BF16)
    pt_vector_bf16_to_f32 (n, from, to);
  else
    memcpy (to, from, n * sizeof (float));
}

void
pt_index_store (PtDType dtype, gpointer array, gsize i, gint64 value)
{
  if (dtype == PT_DTYPE_I64)
    ((gint64 *) array)[i] = value;
  else
    ((gint32 *) array)[i] = (gint32) value;
}

gint64
pt_index_load (PtDType dtype, gconstpointer array, gsize i)
{
  return dtype == PT_DTYPE_I64 ? ((const gint64 *) array)[i] : ((const gint32 *) array)[i];
}

gboolean
pt_output_floats (const PtMethod *method, guint i, const char *what, gsize n, float *to,
                  GError **error)
{
  const PtTensor *tensor = pt_in_tensor (pt_method_output (method, i), what, error);

  if (tensor == NULL)
    return FALSE;
  if (!is_float (tensor->dtype) || tensor->numel != n || !pt_tensor_is_contiguous (tensor))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The speech model is inconsistent: %s are %" G_GSIZE_FORMAT
                    " numbers, and %" G_GSIZE_FORMAT " are to be expected.",
                    what, tensor->numel, n);
  pt_floats_load (tensor->dtype, n, tensor->data, to);
  return TRUE;
}

gboolean
pt_output_index (const PtMethod *method, guint i, const char *what, gint64 *out, GError **error)
{
  const PtTensor *tensor;

  if (pt_method_output (method, i)->kind == PT_VALUE_INT)
    return pt_value_int (pt_method_output (method, i), what, out, error);
  tensor = pt_in_tensor (pt_method_output (method, i), what, error);
  if (tensor == NULL)
    return FALSE;
  if (tensor->numel != 1 || (tensor->dtype != PT_DTYPE_I64 && tensor->dtype != PT_DTYPE_I32))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The speech model is inconsistent: %s should be one whole number.", what);
  *out = tensor->dtype == PT_DTYPE_I64 ? *(const gint64 *) tensor->data
                                       : *(const gint32 *) tensor->data;
  return TRUE;
}
