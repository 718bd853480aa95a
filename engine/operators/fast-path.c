/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/fast-path.h"

#include <math.h>
#include <string.h>

/* With more elements, the time of the checks does not matter, and the pool may help. */
#define MAX_ELEMENTS 4096

/* The tensor in @value if it has few floats in host memory; else NULL. */
static inline const PtTensor *
floats_in (const PtValue *value)
{
  const PtTensor *tensor;

  if (value->kind != PT_VALUE_TENSOR)
    return NULL;
  tensor = value->as_tensor;
  if (tensor->dtype != PT_DTYPE_F32 || tensor->device_type != PT_DEVICE_CPU ||
      tensor->data == NULL || (guintptr) tensor->data % sizeof (float) != 0 || tensor->numel == 0 ||
      tensor->numel > MAX_ELEMENTS || tensor->numel * sizeof (float) > tensor->capacity)
    return NULL;
  return tensor;
}

static inline const PtTensor *
target_in (const PtValue *value)
{
  const PtTensor *tensor = floats_in (value);

  return tensor != NULL && !tensor->is_constant ? tensor : NULL;
}

static inline gboolean
same_layout (const PtTensor *a, const PtTensor *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (a->sizes[i] != b->sizes[i] || a->strides[i] != b->strides[i])
      return FALSE;
  return TRUE;
}

gboolean
pt_fast_unary (PtUnary op, const PtValue *x_value, const PtValue *out_value)
{
  const PtTensor *x = floats_in (x_value), *out = target_in (out_value);

  if (x == NULL || out == NULL || !same_layout (x, out))
    return FALSE;
  pt_vector_unary (op, out->numel, x->data, out->data);
  return TRUE;
}

gboolean
pt_fast_binary (PtBinary op, const PtValue *a_value, const PtValue *b_value,
                const PtValue *out_value)
{
  const PtTensor *a = floats_in (a_value), *b = floats_in (b_value), *out = target_in (out_value);

  if (a == NULL || b == NULL || out == NULL)
    return FALSE;
  if (same_layout (a, out) && same_layout (b, out))
    pt_vector_binary (op, out->numel, a->data, b->data, -INFINITY, INFINITY, out->data);
  else if (b->numel == 1 && b->rank <= a->rank && same_layout (a, out))
    pt_vector_binary_scalar (op, out->numel, a->data, *(const float *) b->data, FALSE, -INFINITY,
                             INFINITY, out->data);
  else if (a->numel == 1 && a->rank <= b->rank && same_layout (b, out))
    pt_vector_binary_scalar (op, out->numel, b->data, *(const float *) a->data, TRUE, -INFINITY,
                             INFINITY, out->data);
  else
    return FALSE;
  return TRUE;
}

gboolean
pt_value_is_one (const PtValue *value)
{
  return (value->kind == PT_VALUE_INT && value->as_int == 1) ||
         (value->kind == PT_VALUE_DOUBLE && value->as_double == 1.0);
}
