/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/profile-private.h"

#include <string.h>

#define MAX_EVENTS 500000
/* Lists of tensors have no end; a person reads the first few. */
#define MAX_TENSORS 64

/* ---- recording ---- */

static gboolean
may_be_tensor (PtValueKind kind)
{
  return kind == PT_VALUE_TENSOR || kind == PT_VALUE_NONE;
}

static void
add_slot (const PtPlan *plan, gint32 slot, GArray *slots)
{
  if (slot >= 0 && slots->len < MAX_TENSORS && may_be_tensor (plan->values[slot].kind))
    g_array_append_val (slots, slot);
}

static void
add_argument (const PtPlan *plan, gint32 slot, GArray *slots)
{
  const PtValueSpec *value = &plan->values[slot];

  if (value->kind != PT_VALUE_TENSOR_LIST && value->kind != PT_VALUE_OPTIONAL_TENSOR_LIST) {
    add_slot (plan, slot, slots);
    return;
  }
  for (guint i = 0; i < value->as_indices.count && slots->len < MAX_TENSORS; i++)
    add_slot (plan, value->as_indices.items[i], slots);
}

static void
find_slots (const PtPlan *plan, PtProfileEntry *entry)
{
  const PtInstruction *instruction = entry->instruction;
  g_autoptr (GArray) slots = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint n = instruction->n_args;

  if (instruction->kind != PT_INSTRUCTION_KERNEL && instruction->kind != PT_INSTRUCTION_DELEGATE)
    return;
  /* The last one repeats what an operator returns (docs/formats/program.md, section 13.2). */
  if (instruction->kind == PT_INSTRUCTION_KERNEL && n > 0)
    n--;
  for (guint i = 0; i < n; i++)
    add_argument (plan, instruction->args[i], slots);
  entry->n_slots = slots->len;
  entry->tensors = g_new0 (PtProfileTensor, slots->len);
  entry->slots = (gint32 *) (gpointer) g_array_free (g_steal_pointer (&slots), FALSE);
}

static void
fill_entries (PtProfile *profile)
{
  const PtPlan *plan = profile->plan;
  guint n = 0;

  for (guint c = 0; c < plan->n_chains; c++) {
    profile->first[c] = n;
    for (guint i = 0; i < plan->chains[c].n_instructions; i++, n++) {
      PtProfileEntry *entry = &profile->entries[n];

      entry->chain = c;
      entry->index = i;
      entry->instruction = &plan->chains[c].instructions[i];
      entry->least = G_MAXINT64;
      find_slots (plan, entry);
    }
  }
}

/* ---- measuring ---- */

static void
look_at (const PtValue *value, PtProfileTensor *tensor)
{
  /* Cleared as a whole: tensors are compared by their bytes. */
  memset (tensor, 0, sizeof *tensor);
  if (value->kind != PT_VALUE_TENSOR)
    return;
  tensor->is_tensor = TRUE;
  tensor->dtype = value->as_tensor->dtype;
  tensor->rank = value->as_tensor->rank;
  memcpy (tensor->sizes, value->as_tensor->sizes, tensor->rank * sizeof (gint64));
}

static void
take_shapes (PtProfile *profile, PtProfileEntry *entry)
{
  for (guint i = 0; i < entry->n_slots; i++) {
    PtProfileTensor now;

    look_at (pt_method_value (profile->method, (guint) entry->slots[i]), &now);
    if (memcmp (&now, &entry->tensors[i], sizeof now) == 0)
      continue;
    entry->varies |= entry->calls > 0;
    memcpy (&entry->tensors[i], &now, sizeof now);
  }
}

static void
on_instruction (gpointer user_data, guint chain, guint instruction, gint64 begin, gint64 end)
{
  PtProfile *profile = user_data;
  PtProfileEvent event = { profile->first[chain] + instruction, begin, end };
  PtProfileEntry *entry = &profile->entries[event.entry];

  take_shapes (profile, entry);
  entry->calls++;
  entry->total += end - begin;
  entry->least = MIN (entry->least, end - begin);
  entry->most = MAX (entry->most, end - begin);
  if (profile->events->len < MAX_EVENTS)
    g_array_append_val (profile->events, event);
  else
    profile->lost++;
}

PtProfile *
pt_profile_new (PtMethod *method)
{
  PtProfile *profile = g_new0 (PtProfile, 1);
  const PtPlan *plan = pt_method_plan (method);

  profile->method = method;
  profile->plan = plan;
  for (guint c = 0; c < plan->n_chains; c++)
    profile->n_entries += plan->chains[c].n_instructions;
  profile->entries = g_new0 (PtProfileEntry, profile->n_entries);
  profile->first = g_new0 (guint, plan->n_chains);
  profile->events = g_array_new (FALSE, FALSE, sizeof (PtProfileEvent));
  profile->calls = g_array_new (FALSE, FALSE, sizeof (PtProfileCall));
  fill_entries (profile);
  pt_method_set_profile (method, on_instruction, profile);
  return profile;
}

void
pt_profile_free (PtProfile *profile)
{
  pt_method_set_profile (profile->method, NULL, NULL);
  for (guint i = 0; i < profile->n_entries; i++) {
    g_free (profile->entries[i].slots);
    g_free (profile->entries[i].tensors);
  }
  g_free (profile->entries);
  g_free (profile->first);
  g_array_unref (profile->events);
  g_array_unref (profile->calls);
  g_free (profile);
}

void
pt_profile_add_call (PtProfile *profile, gint64 begin, gint64 end)
{
  PtProfileCall call = { (end - begin) * 1000, profile->n_shared,
                         profile->events->len - profile->n_shared };

  profile->n_shared = profile->events->len;
  g_array_append_val (profile->calls, call);
}

/* ---- names ---- */

const char *
pt_profile_name (const PtProfile *profile, const PtProfileEntry *entry)
{
  switch (entry->instruction->kind) {
  case PT_INSTRUCTION_KERNEL: return profile->plan->operators[entry->instruction->op];
  case PT_INSTRUCTION_DELEGATE: return profile->plan->delegates[entry->instruction->op].id;
  case PT_INSTRUCTION_MOVE: return "move";
  case PT_INSTRUCTION_JUMP_FALSE: return "jump";
  case PT_INSTRUCTION_FREE: return "free";
  }
  return "";
}

PtRunInstructionKind
pt_profile_kind (const PtProfileEntry *entry)
{
  switch (entry->instruction->kind) {
  case PT_INSTRUCTION_KERNEL: return PT_RUN_OPERATOR;
  case PT_INSTRUCTION_DELEGATE: return PT_RUN_DELEGATE;
  default: return PT_RUN_CONTROL;
  }
}
