/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-private.h"

#include "engine/program/checked.h"
#include "engine/program/schema.h"

/* The position of an instruction, for messages and for the range of jumps. */
typedef struct {
  const PtPlan *plan;
  guint n_instructions; /* number of instructions of its chain */
  guint index;
} Spot;

static gboolean
check_value (PtResolver *r, const Spot *spot, gint32 index, GError **error)
{
  return pt_index_fits (index, spot->plan->n_values) ||
         pt_resolver_fail (r, error, "instruction %u uses value %d of %u", spot->index, index,
                           spot->plan->n_values);
}

static gboolean
resolve_call (PtResolver *r, const Spot *spot, PtFbRef call, guint n_callees, const char *callee,
              PtInstruction *instruction, GError **error)
{
  gint32 index = pt_fb_i32 (call, SLOT_CALL_INDEX, 0);
  PtFbVec args = pt_fb_vec (call, SLOT_CALL_ARGS);

  if (!pt_index_fits (index, n_callees))
    return pt_resolver_fail (r, error, "instruction %u calls %s %d of %u", spot->index, callee,
                             index, n_callees);
  if (!args.present)
    return pt_resolver_fail (r, error, "instruction %u has no arguments", spot->index);
  if (!pt_resolver_charge (r, args.count, sizeof (gint32), error))
    return FALSE;
  for (guint i = 0; i < args.count; i++)
    if (!check_value (r, spot, pt_fb_vec_i32 (args, i), error))
      return FALSE;
  instruction->op = (guint32) index;
  instruction->args = (const gint32 *) (gconstpointer) args.items;
  instruction->n_args = args.count;
  return TRUE;
}

static gboolean
resolve_move (PtResolver *r, const Spot *spot, PtFbRef call, PtInstruction *instruction,
              GError **error)
{
  gint32 from = pt_fb_i32 (call, 0, 0), to = pt_fb_i32 (call, 1, 0);

  if (!check_value (r, spot, from, error) || !check_value (r, spot, to, error))
    return FALSE;
  instruction->from = (guint32) from;
  instruction->to = (guint32) to;
  return TRUE;
}

static gboolean
resolve_jump (PtResolver *r, const Spot *spot, PtFbRef call, PtInstruction *instruction,
              GError **error)
{
  gint32 condition = pt_fb_i32 (call, 0, 0), to = pt_fb_i32 (call, 1, 0);

  if (!check_value (r, spot, condition, error))
    return FALSE;
  /* A jump to the position after the last instruction ends the chain. */
  if (to < 0 || (guint32) to > spot->n_instructions)
    return pt_resolver_fail (r, error, "instruction %u jumps to instruction %d of %u", spot->index,
                             to, spot->n_instructions);
  instruction->from = (guint32) condition;
  instruction->to = (guint32) to;
  return TRUE;
}

static gboolean
resolve_free (PtResolver *r, const Spot *spot, PtFbRef call, PtInstruction *instruction,
              GError **error)
{
  gint32 index = pt_fb_i32 (call, 0, 0);

  instruction->from = (guint32) index;
  return check_value (r, spot, index, error);
}

static gboolean
resolve_instruction (PtResolver *r, const Spot *spot, PtFbRef table, PtInstruction *instruction,
                     GError **error)
{
  guint8 tag = pt_fb_u8 (table, SLOT_INSTRUCTION_TAG, 0);
  PtFbRef call = pt_fb_table (table, SLOT_INSTRUCTION_CALL);

  if (!pt_fb_present (call))
    return pt_resolver_fail (r, error, "instruction %u is empty", spot->index);
  switch (tag) {
  case TAG_KERNEL_CALL:
    instruction->kind = PT_INSTRUCTION_KERNEL;
    return resolve_call (r, spot, call, spot->plan->n_operators, "operator", instruction, error);
  case TAG_DELEGATE_CALL:
    instruction->kind = PT_INSTRUCTION_DELEGATE;
    return resolve_call (r, spot, call, spot->plan->n_delegates, "delegate", instruction, error);
  case TAG_MOVE_CALL:
    instruction->kind = PT_INSTRUCTION_MOVE;
    return resolve_move (r, spot, call, instruction, error);
  case TAG_JUMP_FALSE_CALL:
    instruction->kind = PT_INSTRUCTION_JUMP_FALSE;
    return resolve_jump (r, spot, call, instruction, error);
  case TAG_FREE_CALL:
    instruction->kind = PT_INSTRUCTION_FREE;
    return resolve_free (r, spot, call, instruction, error);
  default:
    return pt_resolver_fail (r, error, "instruction %u is of unknown kind %u", spot->index, tag);
  }
}

static gboolean
resolve_chain (PtResolver *r, PtFbVec tables, const PtPlan *plan, PtChain *chain, GError **error)
{
  PtInstruction *instructions;

  if (!tables.present)
    return pt_resolver_fail (r, error, "a chain has no instructions");
  instructions = pt_resolver_new (r, PtInstruction, tables.count, error);
  if (instructions == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    Spot spot = { plan, tables.count, i };

    if (!resolve_instruction (r, &spot, pt_fb_vec_table (tables, i), &instructions[i], error))
      return FALSE;
  }
  chain->instructions = instructions;
  chain->n_instructions = tables.count;
  return TRUE;
}

gboolean
pt_resolve_chains (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error)
{
  PtChain *chains;

  if (tables.count == 0)
    return pt_resolver_fail (r, error, "it has no instructions");
  chains = pt_resolver_new (r, PtChain, tables.count, error);
  if (chains == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    PtFbVec instructions = pt_fb_vec (pt_fb_vec_table (tables, i), SLOT_CHAIN_INSTRUCTIONS);

    if (!resolve_chain (r, instructions, plan, &chains[i], error))
      return FALSE;
  }
  plan->chains = chains;
  plan->n_chains = tables.count;
  return TRUE;
}
