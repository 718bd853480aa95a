/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-positions.h"

#include <string.h>

/* Operators whose result is their first argument in another shape or dtype. */
static const char *const SAME_NUMBERS[] = {
  "aten::view_copy",
  "aten::unsqueeze_copy",
  "aten::squeeze_copy",
  "aten::expand_copy",
  "aten::_to_copy",
  "aten::clone",
  "aten::slice_copy",
  "aten::alias_copy",
  "dim_order_ops::_to_dim_order_copy",
  "dim_order_ops::_clone_dim_order",
};

/* Operators that write argument @cache [1, n, heads, width] by position. */
static const struct {
  const char *name;
  guint cache;
} CACHES[] = {
  { "llama::update_cache", 1 },
  { "llama::sdpa_with_kv_cache", 3 },
};

typedef struct {
  const PtPlan *plan;
  gboolean *is_position; /* of each value */
  PtWhisperPositions found;
} Search;

static const PtValueSpec *
argument (const Search *self, const PtInstruction *call, guint i)
{
  return i < call->n_args && call->args[i] >= 0 ? &self->plan->values[call->args[i]] : NULL;
}

static const PtTensorSpec *
tensor_argument (const Search *self, const PtInstruction *call, guint i)
{
  const PtValueSpec *value = argument (self, call, i);

  return value != NULL && value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
takes_position (const Search *self, const PtInstruction *call, guint i)
{
  return i < call->n_args && call->args[i] >= 0 && self->is_position[call->args[i]];
}

static void
lower (guint *least, const PtTensorSpec *tensor, guint dim)
{
  if (tensor == NULL || dim >= tensor->rank || tensor->sizes[dim] < 1)
    return;
  *least = *least == 0 ? (guint) tensor->sizes[dim] : MIN (*least, (guint) tensor->sizes[dim]);
}

/* index (x, [None, position]) and index_put (x, [None, position], values). */
static void
look_at_index (Search *self, const PtInstruction *call, gboolean writes)
{
  const PtValueSpec *list = argument (self, call, 1);

  if (list == NULL ||
      (list->kind != PT_VALUE_OPTIONAL_TENSOR_LIST && list->kind != PT_VALUE_TENSOR_LIST))
    return;
  for (guint dim = 0; dim < list->as_indices.count; dim++) {
    gint32 item = list->as_indices.items[dim];

    if (item >= 0 && self->is_position[item])
      lower (writes ? &self->found.cache : &self->found.table, tensor_argument (self, call, 0),
             dim);
  }
}

/* index_select (x, dim, position) and index_copy (x, dim, position, values). */
static void
look_at_dim (Search *self, const PtInstruction *call, gboolean writes)
{
  const PtTensorSpec *tensor = tensor_argument (self, call, 0);
  const PtValueSpec *dim = argument (self, call, 1);

  if (tensor == NULL || dim == NULL || dim->kind != PT_VALUE_INT || !takes_position (self, call, 2))
    return;
  if (dim->as_int >= -(gint64) tensor->rank && dim->as_int < (gint64) tensor->rank)
    lower (writes ? &self->found.cache : &self->found.table, tensor,
           (guint) (dim->as_int < 0 ? dim->as_int + tensor->rank : dim->as_int));
}

static void
look_at (Search *self, const PtInstruction *call)
{
  const char *name = self->plan->operators[call->op];

  for (gsize i = 0; i < G_N_ELEMENTS (SAME_NUMBERS); i++)
    if (g_str_has_prefix (name, SAME_NUMBERS[i]) && takes_position (self, call, 0) &&
        call->args[call->n_args - 1] >= 0)
      self->is_position[call->args[call->n_args - 1]] = TRUE;
  if (strcmp (name, "aten::embedding.out") == 0 && takes_position (self, call, 1))
    lower (&self->found.table, tensor_argument (self, call, 0), 0);
  for (gsize i = 0; i < G_N_ELEMENTS (CACHES); i++)
    if (g_str_has_prefix (name, CACHES[i].name) &&
        tensor_argument (self, call, CACHES[i].cache) != NULL &&
        tensor_argument (self, call, CACHES[i].cache)->rank == 4)
      lower (&self->found.cache, tensor_argument (self, call, CACHES[i].cache), 1);
  if (g_str_has_prefix (name, "aten::index.Tensor"))
    look_at_index (self, call, FALSE);
  else if (g_str_has_prefix (name, "aten::index_put"))
    look_at_index (self, call, TRUE);
  else if (g_str_has_prefix (name, "aten::index_select"))
    look_at_dim (self, call, FALSE);
  else if (g_str_has_prefix (name, "aten::index_copy"))
    look_at_dim (self, call, TRUE);
}

PtWhisperPositions
pt_whisper_positions_find (const PtPlan *plan, guint input)
{
  g_autofree gboolean *is_position = g_new0 (gboolean, MAX (plan->n_values, 1));
  Search self = { .plan = plan, .is_position = is_position };

  if (input >= plan->n_inputs)
    return self.found;
  is_position[plan->inputs[input]] = TRUE;
  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      if (plan->chains[c].instructions[i].kind == PT_INSTRUCTION_KERNEL)
        look_at (&self, &plan->chains[c].instructions[i]);
  return self.found;
}
