/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

#include <math.h>
#include <string.h>

/* Larger constants are weights, and nobody reads those. */
#define MAX_VALUES 64

gboolean
pt_inspect_is_constant (const PtPlan *plan)
{
  if (plan->n_inputs > 0 || plan->n_outputs == 0)
    return FALSE;
  for (guint c = 0; c < plan->n_chains; c++)
    if (plan->chains[c].n_instructions > 0)
      return FALSE;
  return TRUE;
}

static json_t *
number (double value)
{
  return isfinite (value) ? json_real (value) : json_null ();
}

static json_t *
element (const PtTensor *tensor, gsize i)
{
  switch (tensor->dtype) {
  case PT_DTYPE_BOOL: return json_boolean (((const guint8 *) tensor->data)[i]);
  case PT_DTYPE_I64: return json_integer (((const gint64 *) tensor->data)[i]);
  case PT_DTYPE_U8:
  case PT_DTYPE_I8:
  case PT_DTYPE_I16:
  case PT_DTYPE_I32:
  case PT_DTYPE_U16:
  case PT_DTYPE_U32: return json_integer ((json_int_t) pt_run_number (tensor, i));
  default: return number (pt_run_number (tensor, i));
  }
}

/* The elements of a small constant in C order, or NULL. */
static json_t *
tensor_values (const PtInspection *in, const PtTensorSpec *spec)
{
  g_autoptr (PtTensorFile) raw = NULL;
  g_autoptr (PtTensorFile) ordered = NULL;
  const guint8 *bytes = NULL;
  gint64 sizes[PT_MAX_RANK];
  json_t *array;

  if (spec->numel == 0 || spec->numel > MAX_VALUES)
    return NULL;
  if (spec->storage == PT_STORAGE_CONSTANT)
    bytes = spec->data;
  else if (spec->storage == PT_STORAGE_EXTERNAL_CONSTANT)
    bytes = pt_external_bytes (in->data, spec, NULL);
  if (bytes == NULL)
    return NULL;
  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  raw = pt_tensor_file_new (spec->dtype, spec->rank, sizes, spec->dim_order, NULL);
  if (raw == NULL)
    return NULL;
  memcpy (raw->tensor.data, bytes, spec->nbytes);
  ordered = pt_tensor_file_reorder (&raw->tensor, NULL, NULL);
  if (ordered == NULL)
    return NULL;
  array = json_array ();
  for (gsize i = 0; i < spec->numel; i++)
    json_array_append_new (array, element (&ordered->tensor, i));
  return array;
}

/* The items of a list of numbers, or NULL. */
static json_t *
list_values (const PtPlan *plan, const PtValueSpec *value)
{
  json_t *array = json_array ();

  switch (value->kind) {
  case PT_VALUE_INT_LIST:
    for (guint i = 0; i < value->as_indices.count && i < PT_INSPECT_MAX_LISTED; i++)
      json_array_append_new (array, json_integer (plan->values[value->as_indices.items[i]].as_int));
    return array;
  case PT_VALUE_DOUBLE_LIST:
    for (guint i = 0; i < value->as_doubles.count && i < PT_INSPECT_MAX_LISTED; i++)
      json_array_append_new (array, number (value->as_doubles.items[i]));
    return array;
  case PT_VALUE_BOOL_LIST:
    for (guint i = 0; i < value->as_bools.count && i < PT_INSPECT_MAX_LISTED; i++)
      json_array_append_new (array, json_boolean (value->as_bools.items[i]));
    return array;
  default: json_decref (array); return NULL;
  }
}

/* A number, a text, a list, or a tensor with its elements where they are few. */
static json_t *
describe_output (const PtInspection *in, const PtPlan *plan, gint32 index)
{
  const PtValueSpec *value = &plan->values[index];
  json_t *object = pt_inspect_value (plan, index);
  json_t *plain = json_object_get (object, "value");
  json_t *list = list_values (plan, value);

  if (plain != NULL || list != NULL) {
    json_incref (plain);
    json_decref (object);
    return list != NULL ? list : plain;
  }
  if (value->kind == PT_VALUE_TENSOR) {
    json_t *values = tensor_values (in, value->as_tensor);

    if (values != NULL)
      json_object_set_new (object, "values", values);
  }
  return object;
}

json_t *
pt_inspect_constant (const PtInspection *in, const PtPlan *plan)
{
  json_t *array;

  if (plan->n_outputs == 1)
    return describe_output (in, plan, plan->outputs[0]);
  array = json_array ();
  for (guint i = 0; i < plan->n_outputs; i++)
    json_array_append_new (array, describe_output (in, plan, plan->outputs[i]));
  return array;
}
