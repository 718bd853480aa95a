/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/method-private.h"

#include <string.h>

/*
 * Decides which inputs and outputs of a method may lie on a device although the program has them on
 * the host. The condition: only delegates of the device use them, directly or through the copies
 * that exporters put around a delegate (docs/formats/program.md, section 11.3).
 */

static gboolean
is_copy (const PtPlan *plan, const PtInstruction *instruction, const char *name)
{
  return instruction->kind == PT_INSTRUCTION_KERNEL && instruction->n_args == 3 &&
         strcmp (plan->operators[instruction->op], name) == 0;
}

static gboolean
is_device_delegate (const PtPlan *plan, const PtInstruction *instruction)
{
  return instruction->kind == PT_INSTRUCTION_DELEGATE &&
         pt_backend_find (plan->delegates[instruction->op].id)->device_type != PT_DEVICE_CPU;
}

/* Whether the delegate may leave outputs in memory of its own, for who called the method. */
static gboolean
leaves_outputs (const PtPlan *plan, const PtInstruction *instruction)
{
  return is_device_delegate (plan, instruction) ||
         (instruction->kind == PT_INSTRUCTION_DELEGATE &&
          pt_backend_find (plan->delegates[instruction->op].id)->n_inputs != NULL);
}

static gboolean
mentions (const PtInstruction *instruction, gint32 index)
{
  guint k;

  switch (instruction->kind) {
  case PT_INSTRUCTION_KERNEL:
  case PT_INSTRUCTION_DELEGATE:
    for (k = 0; k < instruction->n_args; k++)
      if (instruction->args[k] == index)
        return TRUE;
    return FALSE;
  case PT_INSTRUCTION_MOVE:
    return instruction->from == (guint32) index || instruction->to == (guint32) index;
  case PT_INSTRUCTION_JUMP_FALSE:
  case PT_INSTRUCTION_FREE: return instruction->from == (guint32) index;
  }
  return TRUE;
}

static gboolean
is_in_a_list (const PtPlan *plan, gint32 index)
{
  guint i, k;

  for (i = 0; i < plan->n_values; i++) {
    const PtValueSpec *value = &plan->values[i];

    if (value->kind != PT_VALUE_TENSOR_LIST && value->kind != PT_VALUE_OPTIONAL_TENSOR_LIST)
      continue;
    for (k = 0; k < value->as_indices.count; k++)
      if (value->as_indices.items[k] == index)
        return TRUE;
  }
  return FALSE;
}

static gboolean
contains (const gint32 *items, guint n, gint32 index)
{
  guint i;

  for (i = 0; i < n; i++)
    if (items[i] == index)
      return TRUE;
  return FALSE;
}

gboolean
pt_method_input_may_stay (const PtPlan *plan, guint input)
{
  gint32 index = plan->inputs[input];
  guint c, i;

  if (is_in_a_list (plan, index) || contains (plan->outputs, plan->n_outputs, index))
    return FALSE;
  for (c = 0; c < plan->n_chains; c++) {
    for (i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtInstruction *instruction = &plan->chains[c].instructions[i];

      if (!mentions (instruction, index) || is_device_delegate (plan, instruction))
        continue;
      if (!is_copy (plan, instruction, "et_copy::_h2d_copy.out") || instruction->args[0] != index)
        return FALSE;
    }
  }
  return TRUE;
}

/* The only instruction that uses value @index, or NULL. */
static const PtInstruction *
only_mention (const PtChain *chain, gint32 index)
{
  const PtInstruction *found = NULL;
  guint i;

  for (i = 0; i < chain->n_instructions; i++) {
    const PtInstruction *instruction = &chain->instructions[i];

    if (instruction->kind != PT_INSTRUCTION_KERNEL && instruction->kind != PT_INSTRUCTION_DELEGATE)
      return NULL; /* jumps and moves change the order of instructions */
    if (!mentions (instruction, index))
      continue;
    if (found != NULL)
      return NULL;
    found = instruction;
  }
  return found;
}

gboolean
pt_method_overlaps (const PtValueSpec *value, const PtTensorSpec *spec)
{
  const PtTensorSpec *other = value->as_tensor;

  return value->kind == PT_VALUE_TENSOR && other->storage == PT_STORAGE_PLANNED &&
         other->memory_id == spec->memory_id &&
         other->memory_offset < spec->memory_offset + spec->nbytes &&
         spec->memory_offset < other->memory_offset + other->nbytes;
}

/*
 * Whether the source of @copy is a planned tensor whose memory is not used by later instructions.
 */
static gboolean
source_stays (const PtPlan *plan, const PtInstruction *copy)
{
  const PtChain *chain = &plan->chains[0];
  const PtValueSpec *source = &plan->values[copy->args[0]];
  const PtInstruction *i;
  guint k;

  if (source->kind != PT_VALUE_TENSOR || source->as_tensor->storage != PT_STORAGE_PLANNED)
    return FALSE;
  for (i = copy + 1; i < chain->instructions + chain->n_instructions; i++)
    for (k = 0; k < i->n_args; k++)
      if (i->args[k] != copy->args[0] &&
          pt_method_overlaps (&plan->values[i->args[k]], source->as_tensor))
        return FALSE;
  return TRUE;
}

/* Whether a delegate call uses value @index exactly once, as an output. */
static gboolean
is_named_once (const PtInstruction *instruction, gint32 index)
{
  guint k, n = 0;

  for (k = 0; k < instruction->n_args; k++)
    n += instruction->args[k] == index;
  return n == 1;
}

static gboolean
output_may_stay (const PtPlan *plan, guint output)
{
  gint32 index = plan->outputs[output];
  const PtInstruction *writer;
  guint i, n = 0;

  for (i = 0; i < plan->n_outputs; i++)
    n += plan->outputs[i] == index;
  if (n != 1 || plan->n_chains != 1 || plan->values[index].kind != PT_VALUE_TENSOR ||
      plan->values[index].as_tensor->data != NULL || is_in_a_list (plan, index) ||
      contains (plan->inputs, plan->n_inputs, index))
    return FALSE;
  writer = only_mention (&plan->chains[0], index);
  if (writer == NULL)
    return FALSE;
  if (leaves_outputs (plan, writer))
    return is_named_once (writer, index);
  return is_copy (plan, writer, "et_copy::_d2h_copy.out") && writer->args[1] == index &&
         writer->args[0] != index && source_stays (plan, writer);
}

gboolean
pt_method_takes_device_input (const PtMethod *method, guint i)
{
  return i < method->plan->n_inputs && method->inputs[i].may_stay;
}

gboolean
pt_method_keep_output_on_device (PtMethod *method, guint i, gboolean keep)
{
  const PtPlan *plan = method->plan;
  PtOutput *output;

  if (i >= plan->n_outputs)
    return FALSE;
  output = &method->outputs[i];
  if (output->tensor == NULL)
    return FALSE;
  if (output->place.device_type != PT_DEVICE_CPU)
    return keep;
  if (keep && !output_may_stay (plan, i))
    return FALSE;
  output->tensor->stays_on_device = keep;
  if (!keep)
    pt_place_tensor (output->tensor, &output->place);
  return TRUE;
}
