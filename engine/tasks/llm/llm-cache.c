/* SPDX-License-Identifier: BSD-3-Clause */

/* The state of a text model: a cache addressed by position, or other state
 * (docs/formats/protocols.md, sections 2.4 and 2.5). */

#include <string.h>

#include "engine/tasks/llm/llm-private.h"

/* Keys and values are wider than this; the kernels of convolutions are not longer. */
#define LEAST_WIDTH 8

static const PtTensorSpec *
tensor_spec (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
has_operator (const PtPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->n_operators; i++)
    if (strcmp (plan->operators[i], name) == 0)
      return TRUE;
  return FALSE;
}

/* Whether @state has a cell of several values for each position: [1, heads, n, width],
 * [1, n, heads, width], [1, n, width] or [n, heads, width]. A convolution keeps [1, width, k]. */
static gboolean
has_cells (const PtTensorSpec *state, guint context)
{
  gint32 n = (gint32) context;

  if (state->rank < 2 || state->sizes[state->rank - 1] < LEAST_WIDTH)
    return FALSE;
  return state->sizes[0] >= n || (state->rank >= 3 && state->sizes[1] >= n) ||
         (state->rank >= 4 && state->sizes[2] >= n);
}

/* Whether a method writes state that is no cache with a cell for each position: convolutions and
 * recurrent layers keep the last values only, and rings have fewer cells. */
static gboolean
writes_other_state (const PtPlan *plan, guint context)
{
  static const char *const writers[] = { "aten::copy_", "aten::index_put_", "aten::index_copy_" };

  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtInstruction *instruction = &plan->chains[c].instructions[i];
      const PtTensorSpec *state;
      gboolean writes = FALSE;

      if (instruction->kind != PT_INSTRUCTION_KERNEL || instruction->n_args == 0)
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (writers); k++)
        writes = writes || strcmp (plan->operators[instruction->op], writers[k]) == 0;
      state = writes ? tensor_spec (&plan->values[instruction->args[0]]) : NULL;
      if (state != NULL && !has_cells (state, context))
        return TRUE;
    }
  return FALSE;
}

/**
 * Whether the state is a KV cache addressed by position (docs/formats/protocols.md, section 2.5).
 * Other state: rings have a window and are written by computed indices; recurrent layers copy their
 * state back, which a cache of the custom operators never needs.
 */
gboolean
pt_llm_finds_cache_by_position (PtModule *module, const PtMethod *method, guint context)
{
  const PtPlan *plan = pt_method_plan (method);
  static const char *const recurrent[] = { "conv", "recurrent", "ssm", "linear_attn" };
  gint64 window;

  for (guint i = 0; i < G_N_ELEMENTS (recurrent); i++)
    if (pt_method_has_state (method, recurrent[i]))
      return FALSE;
  if (pt_module_constant_int (module, "sliding_window", &window) ||
      has_operator (plan, "llama::update_cache_with_indices.out") ||
      has_operator (plan, "aten::convolution.out"))
    return FALSE;
  if (has_operator (plan, "aten::copy_") && has_operator (plan, "llama::update_cache.out"))
    return FALSE;
  return !has_operator (plan, "llama::gated_delta_rule.out") &&
         !has_operator (plan, "llama::channelwise_gated_delta_rule.out") &&
         !writes_other_state (plan, context);
}

/**
 * Whether the cache has a sliding window that is written by position, without the custom operators:
 * it is exported so that it does not slide, and there is nothing behind its end.
 */
gboolean
pt_llm_holds_a_window_only (PtModule *module, const PtMethod *method, gint64 *window)
{
  const PtPlan *plan = pt_method_plan (method);

  return pt_module_constant_int (module, "sliding_window", window) && *window > 0 &&
         has_operator (plan, "aten::index_put.out") &&
         !has_operator (plan, "llama::update_cache.out") &&
         !has_operator (plan, "llama::update_cache_with_indices.out");
}

/* Operators that write or read a cache [1, n, heads, width] by position; positions must be below n.
 */
static const struct {
  const char *name;
  guint cache;  /* which argument is the cache */
  guint causal; /* argument that must be true for that; 0: it is always so */
} BY_POSITION[] = {
  { "llama::update_cache.out", 1, 0 },
  { "llama::custom_sdpa.out", 1, 6 },
  { "llama::custom_quantized_sdpa.out", 1, 6 },
  { "llama::sdpa_with_kv_cache.out", 3, 0 },
};

static const PtTensorSpec *
cache_of (const PtPlan *plan, const PtInstruction *instruction)
{
  if (instruction->kind != PT_INSTRUCTION_KERNEL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (BY_POSITION); i++) {
    guint cache = BY_POSITION[i].cache, causal = BY_POSITION[i].causal;
    const PtValueSpec *flag;

    if (strcmp (plan->operators[instruction->op], BY_POSITION[i].name) != 0 ||
        instruction->n_args <= MAX (cache, causal))
      continue;
    flag = &plan->values[instruction->args[causal]];
    return causal == 0 || (flag->kind == PT_VALUE_BOOL && flag->as_bool)
               ? tensor_spec (&plan->values[instruction->args[cache]])
               : NULL;
  }
  return NULL;
}

/* Counts the positions of the smallest of these caches: some models with a window are exported with
 * no more than that, or so that their ring does not turn, and fail beyond. */
guint
pt_llm_count_cells (const PtMethod *method)
{
  const PtPlan *plan = pt_method_plan (method);
  guint least = PT_LLM_MAX_CONTEXT;

  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtTensorSpec *cache = cache_of (plan, &plan->chains[c].instructions[i]);

      if (cache != NULL && cache->rank == 4)
        least = MIN (least, (guint) cache->sizes[1]);
    }
  return least;
}

/* ---- tokens ---- */

/* The rows of the table that an instruction looks ids up in; 0: it is another instruction. */
static guint
count_rows (const PtPlan *plan, const PtInstruction *instruction)
{
  const PtTensorSpec *table;

  if (instruction->kind != PT_INSTRUCTION_KERNEL || instruction->n_args == 0 ||
      strstr (plan->operators[instruction->op], "embedding") == NULL)
    return 0;
  table = tensor_spec (&plan->values[instruction->args[0]]);
  return table != NULL && table->rank == 2 ? (guint) table->sizes[0] : 0;
}

guint
pt_llm_count_rows (const PtMethod *method)
{
  const PtPlan *plan = pt_method_plan (method);
  guint most = 0;

  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      most = MAX (most, count_rows (plan, &plan->chains[c].instructions[i]));
  return most > 0 ? most : G_MAXUINT;
}
