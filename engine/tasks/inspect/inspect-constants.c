/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

#include <string.h>

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

static PtArgument
int_of (gint64 value)
{
  return (PtArgument){ .kind = PT_ARGUMENT_INT, .as_int = value };
}

static PtArgument
bool_of (gboolean value)
{
  return (PtArgument){ .kind = PT_ARGUMENT_BOOL, .as_int = value != 0 };
}

static PtArgument
double_of (double value)
{
  return (PtArgument){ .kind = PT_ARGUMENT_DOUBLE, .as_double = value };
}

static PtArgument
element (const PtTensor *tensor, gsize i)
{
  switch (tensor->dtype) {
  case PT_DTYPE_BOOL: return bool_of (((const guint8 *) tensor->data)[i]);
  case PT_DTYPE_I64: return int_of (((const gint64 *) tensor->data)[i]);
  case PT_DTYPE_U8:
  case PT_DTYPE_I8:
  case PT_DTYPE_I16:
  case PT_DTYPE_I32:
  case PT_DTYPE_U16:
  case PT_DTYPE_U32: return int_of ((gint64) pt_run_number (tensor, i));
  default: return double_of (pt_run_number (tensor, i));
  }
}

/* The elements of a small constant in C order. Without them when it is large or not there. */
static void
list_tensor (const PtInspection *in, const PtTensorSpec *spec, PtInspectOutput *output)
{
  g_autoptr (PtTensorFile) raw = NULL;
  g_autoptr (PtTensorFile) ordered = NULL;
  const guint8 *bytes = NULL;
  gint64 sizes[PT_MAX_RANK];
  PtArgument *elements;

  if (spec->numel == 0 || spec->numel > PT_INSPECT_MAX_ELEMENTS)
    return;
  if (spec->storage == PT_STORAGE_CONSTANT)
    bytes = spec->data;
  else if (spec->storage == PT_STORAGE_EXTERNAL_CONSTANT)
    bytes = pt_external_bytes (in->data, spec, NULL);
  if (bytes == NULL)
    return;
  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  raw = pt_tensor_file_new (spec->dtype, spec->rank, sizes, spec->dim_order, NULL);
  if (raw == NULL)
    return;
  memcpy (raw->tensor.data, bytes, spec->nbytes);
  ordered = pt_tensor_file_reorder (&raw->tensor, NULL, NULL);
  if (ordered == NULL)
    return;
  elements = pt_heap_new0 (in->heap, PtArgument, spec->numel);
  for (gsize i = 0; i < spec->numel; i++)
    elements[i] = element (&ordered->tensor, i);
  output->listed = TRUE;
  output->elements = elements;
  output->n_elements = (guint) spec->numel;
}

static guint
count_items (const PtValueSpec *value)
{
  switch (value->kind) {
  case PT_VALUE_INT_LIST: return value->as_indices.count;
  case PT_VALUE_DOUBLE_LIST: return value->as_doubles.count;
  default: return value->as_bools.count;
  }
}

/* The first items of a list of numbers. */
static void
list_items (const PtInspection *in, const PtPlan *plan, const PtValueSpec *value,
            PtInspectOutput *output)
{
  guint n = MIN (count_items (value), PT_INSPECT_MAX_LISTED);
  PtArgument *items = pt_heap_new0 (in->heap, PtArgument, n);

  for (guint i = 0; i < n; i++) {
    if (value->kind == PT_VALUE_INT_LIST)
      items[i] = int_of (plan->values[value->as_indices.items[i]].as_int);
    else if (value->kind == PT_VALUE_DOUBLE_LIST)
      items[i] = double_of (value->as_doubles.items[i]);
    else
      items[i] = bool_of (value->as_bools.items[i]);
  }
  output->listed = TRUE;
  output->elements = items;
  output->n_elements = n;
}

PtInspectConstant
pt_inspect_constant (const PtInspection *in, const PtPlan *plan)
{
  PtInspectOutput *outputs = pt_heap_new0 (in->heap, PtInspectOutput, plan->n_outputs);

  for (guint i = 0; i < plan->n_outputs; i++) {
    const PtValueSpec *value = &plan->values[plan->outputs[i]];

    outputs[i].value = pt_inspect_value (in, plan, plan->outputs[i]);
    switch (value->kind) {
    case PT_VALUE_TENSOR: list_tensor (in, value->as_tensor, &outputs[i]); break;
    case PT_VALUE_INT_LIST:
    case PT_VALUE_DOUBLE_LIST:
    case PT_VALUE_BOOL_LIST: list_items (in, plan, value, &outputs[i]); break;
    default: break;
    }
  }
  return (PtInspectConstant){ pt_heap_text (in->heap, plan->name), outputs, plan->n_outputs };
}
