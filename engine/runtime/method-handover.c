/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/allocate.h"
#include "engine/runtime/method-private.h"

/*
 * Decides which tensors delegates may hand over in memory of their backend, so that they never come
 * to the host: those that one delegate writes and only delegates of the same backend read.
 *
 * Exporters also leave views out of the instructions: a value that nothing writes has the memory,
 * and so the elements, of another one. A tensor with such a view is on the host.
 */

typedef struct {
  gboolean is_used;          /* an instruction mentions it */
  gboolean is_written_first; /* before anything reads it */
  gboolean is_elsewhere;     /* used by more than delegates of one backend, or in a list */
  gboolean is_input, is_output;
  const PtBackend *backend;
  guint n_written, n_read; /* by delegates */
} Use;

static void
note (Use *use, gboolean is_written)
{
  if (!use->is_used)
    use->is_written_first = is_written;
  use->is_used = TRUE;
}

/* The last argument of an operator is an output. */
static void
note_kernel (Use *uses, const PtInstruction *instruction)
{
  for (guint k = 0; k < instruction->n_args; k++) {
    Use *use = &uses[instruction->args[k]];

    note (use, instruction->args[k] == instruction->args[instruction->n_args - 1]);
    use->is_elsewhere = TRUE;
  }
}

/* A delegate that is called twice would write over what it handed over: @is_called_again. */
static void
note_delegate (Use *uses, const PtInstruction *instruction, const PtDelegate *delegate,
               gboolean is_called_again)
{
  const PtBackend *backend = delegate->backend;
  guint n = backend->n_inputs != NULL ? backend->n_inputs (delegate->handle) : 0;

  for (guint k = 0; k < instruction->n_args; k++) {
    Use *use = &uses[instruction->args[k]];
    gboolean is_written = backend->n_inputs != NULL && k >= n;

    note (use, is_written);
    use->is_elsewhere |= backend->n_inputs == NULL || (is_written && is_called_again) ||
                         (use->backend != NULL && use->backend != backend);
    use->backend = backend;
    use->n_written += is_written;
    use->n_read += !is_written;
  }
}

/* FALSE: instructions may run in another order than they stand there. */
static gboolean
note_instructions (const PtMethod *method, Use *uses, guint *calls)
{
  const PtChain *chain = &method->plan->chains[0];

  for (guint i = 0; i < chain->n_instructions; i++)
    if (chain->instructions[i].kind == PT_INSTRUCTION_DELEGATE)
      calls[chain->instructions[i].op]++;
  for (guint i = 0; i < chain->n_instructions; i++) {
    const PtInstruction *instruction = &chain->instructions[i];

    if (instruction->kind == PT_INSTRUCTION_KERNEL)
      note_kernel (uses, instruction);
    else if (instruction->kind == PT_INSTRUCTION_DELEGATE)
      note_delegate (uses, instruction, &method->delegates[instruction->op],
                     calls[instruction->op] > 1);
    else
      return FALSE;
  }
  return TRUE;
}

static void
note_lists (const PtPlan *plan, Use *uses)
{
  for (guint i = 0; i < plan->n_values; i++) {
    const PtValueSpec *value = &plan->values[i];

    if (value->kind != PT_VALUE_TENSOR_LIST && value->kind != PT_VALUE_OPTIONAL_TENSOR_LIST)
      continue;
    for (guint k = 0; k < value->as_indices.count; k++)
      if (value->as_indices.items[k] >= 0) {
        Use *use = &uses[value->as_indices.items[k]];

        note (use, FALSE);
        use->is_elsewhere = TRUE;
      }
  }
}

/* Whether another value may be a view of value @index. */
static gboolean
has_view (const PtPlan *plan, const Use *uses, guint index)
{
  const PtTensorSpec *spec = plan->values[index].as_tensor;

  for (guint i = 0; i < plan->n_values; i++) {
    gboolean is_needed = uses[i].is_used || uses[i].is_output;

    if (i != index && is_needed && !uses[i].is_input && !uses[i].is_written_first &&
        pt_method_overlaps (&plan->values[i], spec))
      return TRUE;
  }
  return FALSE;
}

static gboolean
may_be_handed (const PtPlan *plan, const Use *uses, guint index)
{
  const PtValueSpec *value = &plan->values[index];
  const Use *use = &uses[index];

  return value->kind == PT_VALUE_TENSOR && value->as_tensor->storage == PT_STORAGE_PLANNED &&
         value->as_tensor->data == NULL && !use->is_elsewhere && !use->is_input &&
         !use->is_output && use->n_written == 1 && use->is_written_first && use->n_read > 0 &&
         !has_view (plan, uses, index);
}

static gboolean
has_backend (const PtMethod *method)
{
  guint n = 0;

  for (guint i = 0; i < method->n_delegates; i++)
    n += method->delegates[i].backend->n_inputs != NULL;
  return n > 1;
}

gboolean
pt_method_mark_handovers (PtMethod *method, GError **error)
{
  const PtPlan *plan = method->plan;
  g_autofree Use *uses = NULL;
  g_autofree guint *calls = NULL;

  if (plan->n_chains != 1 || !has_backend (method))
    return TRUE;
  uses = pt_allocate (plan->n_values, sizeof (Use), error);
  calls = uses != NULL ? pt_allocate (plan->n_delegates, sizeof (guint), error) : NULL;
  if (calls == NULL)
    return FALSE;
  for (guint i = 0; i < plan->n_inputs; i++)
    uses[plan->inputs[i]].is_input = TRUE;
  for (guint i = 0; i < plan->n_outputs; i++)
    uses[plan->outputs[i]].is_output = TRUE;
  note_lists (plan, uses);
  if (!note_instructions (method, uses, calls))
    return TRUE;
  for (guint i = 0; i < plan->n_values; i++)
    if (may_be_handed (plan, uses, i))
      method->values[i].as_tensor->stays_on_device = TRUE;
  return TRUE;
}
