/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/method-private.h"

/*
 * Decides whether only the last rows of an output need to be computed, for example of the logits of
 * a prefill. This is safe when only the caller reads the output: one delegate writes it, no
 * instruction reads it, and no value that is used later shares its memory.
 */

static gboolean
is_planned (const PtTensorSpec *spec)
{
  return spec->storage == PT_STORAGE_PLANNED || spec->storage == PT_STORAGE_EXTERNAL_PLANNED;
}

static gboolean
overlaps (const PtValueSpec *value, const PtTensorSpec *spec)
{
  const PtTensorSpec *other;

  if (value->kind != PT_VALUE_TENSOR || !is_planned (value->as_tensor) || !is_planned (spec))
    return FALSE;
  other = value->as_tensor;
  return other->memory_id == spec->memory_id &&
         other->memory_offset < spec->memory_offset + spec->nbytes &&
         spec->memory_offset < other->memory_offset + other->nbytes;
}

static gboolean
list_contains (const PtValueSpec *value, gint32 index)
{
  guint i;

  if (value->kind == PT_VALUE_TENSOR_LIST || value->kind == PT_VALUE_OPTIONAL_TENSOR_LIST)
    for (i = 0; i < value->as_indices.count; i++)
      if (value->as_indices.items[i] == index)
        return TRUE;
  return FALSE;
}

/* Whether an input, another output or a list uses the same memory. */
static gboolean
is_seen_elsewhere (const PtPlan *plan, guint output)
{
  gint32 index = plan->outputs[output];
  const PtTensorSpec *spec = plan->values[index].as_tensor;
  guint i;

  for (i = 0; i < plan->n_inputs; i++)
    if (plan->inputs[i] == index)
      return TRUE;
  for (i = 0; i < plan->n_outputs; i++)
    if (i != output &&
        (plan->outputs[i] == index || overlaps (&plan->values[plan->outputs[i]], spec)))
      return TRUE;
  for (i = 0; i < plan->n_values; i++)
    if (list_contains (&plan->values[i], index))
      return TRUE;
  return FALSE;
}

/*
 * The instruction that uses value @index, if it is the only one and a delegate call; else NULL.
 * @arg: the position of the value in the arguments of the call.
 */
static const PtInstruction *
find_only_user (const PtChain *chain, gint32 index, guint *arg)
{
  const PtInstruction *found = NULL;
  guint i, k, uses = 0;

  for (i = 0; i < chain->n_instructions; i++) {
    const PtInstruction *instruction = &chain->instructions[i];

    if (instruction->kind != PT_INSTRUCTION_KERNEL && instruction->kind != PT_INSTRUCTION_DELEGATE)
      return NULL; /* jumps and moves change the order of instructions */
    for (k = 0; k < instruction->n_args; k++) {
      if (instruction->args[k] != index)
        continue;
      uses++;
      *arg = k;
      found = instruction;
    }
  }
  return uses == 1 && found->kind == PT_INSTRUCTION_DELEGATE ? found : NULL;
}

static gboolean
is_read_later (const PtPlan *plan, const PtInstruction *writer, const PtTensorSpec *spec)
{
  const PtChain *chain = &plan->chains[0];
  const PtInstruction *i;
  guint k;

  for (i = writer + 1; i < chain->instructions + chain->n_instructions; i++)
    for (k = 0; k < i->n_args; k++)
      if (overlaps (&plan->values[i->args[k]], spec))
        return TRUE;
  return FALSE;
}

gboolean
pt_method_set_last_rows (PtMethod *method, guint i, guint n_rows)
{
  const PtPlan *plan = method->plan;
  const PtInstruction *writer;
  const PtValueSpec *value;
  const PtDelegate *delegate;
  guint arg = 0;

  if (i >= plan->n_outputs || plan->n_chains != 1)
    return FALSE;
  value = &plan->values[plan->outputs[i]];
  if (value->kind != PT_VALUE_TENSOR || value->as_tensor->rank < 2 ||
      value->as_tensor->data != NULL || value->as_tensor->name != NULL)
    return FALSE;
  writer = find_only_user (&plan->chains[0], plan->outputs[i], &arg);
  if (writer == NULL || is_seen_elsewhere (plan, i) ||
      is_read_later (plan, writer, value->as_tensor))
    return FALSE;
  delegate = &method->delegates[writer->op];
  return delegate->backend->set_last_rows != NULL &&
         delegate->backend->set_last_rows (delegate->handle, arg, n_rows);
}

void
pt_method_set_one_by_one (PtMethod *method, gboolean one_by_one)
{
  method->execution->one_by_one = one_by_one;
}
