/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/plan-shapes.h"

#include <string.h>

static const PtTensorSpec *
tensor_of (const PtPlan *plan, const gint32 *indices, guint n, guint i)
{
  const PtValueSpec *value;

  if (i >= n)
    return NULL;
  value = &plan->values[indices[i]];
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

const PtTensorSpec *
pt_plan_input (const PtPlan *plan, guint i)
{
  return tensor_of (plan, plan->inputs, plan->n_inputs, i);
}

const PtTensorSpec *
pt_plan_output (const PtPlan *plan, guint i)
{
  return tensor_of (plan, plan->outputs, plan->n_outputs, i);
}

gboolean
pt_spec_is_index (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank &&
         (tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32);
}

gboolean
pt_spec_is_real (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank &&
         (tensor->dtype == PT_DTYPE_F32 || tensor->dtype == PT_DTYPE_F16 ||
          tensor->dtype == PT_DTYPE_BF16);
}

gboolean
pt_spec_is_alike (const PtTensorSpec *a, const PtTensorSpec *b)
{
  return a->rank == b->rank && memcmp (a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) == 0;
}

gboolean
pt_plan_calls (const PtPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->n_operators; i++)
    if (strcmp (plan->operators[i], name) == 0)
      return TRUE;
  return FALSE;
}
