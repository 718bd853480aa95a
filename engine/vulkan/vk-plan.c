/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-plan.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-fuse.h"

/* Places begin at what any GPU asks of offsets. */
#define ALIGNMENT 256
/* The largest index that shaders compute with. */
#define MAX_NUMEL ((gsize) G_MAXINT32)

PtVkPlan *
pt_vk_plan_new (PtVkGraph *graph, PtVkStore *store)
{
  PtVkPlan *plan = g_new0 (PtVkPlan, 1);

  plan->graph = graph;
  plan->store = store;
  plan->dispatches = g_array_new (FALSE, TRUE, sizeof (PtVkDispatch));
  plan->raw = g_array_new (FALSE, TRUE, sizeof (PtVkStep));
  plan->steps = g_array_new (FALSE, TRUE, sizeof (PtVkStep));
  plan->places = g_array_new (FALSE, TRUE, sizeof (PtVkPlace));
  plan->symbols = g_array_new (FALSE, TRUE, sizeof (guint32));
  plan->users = pt_vk_users_new (graph);
  plan->unpacked = g_hash_table_new (NULL, NULL);
  plan->baked = g_hash_table_new (NULL, NULL);
  plan->given = g_new0 (PtVkRange, MAX (graph->n_values, 1));
  plan->may_stay = g_new0 (gboolean, MAX (graph->n_outputs, 1));
  plan->stays = g_new0 (gboolean, MAX (graph->n_outputs, 1));
  return plan;
}

void
pt_vk_plan_free (PtVkPlan *plan)
{
  if (plan == NULL)
    return;
  g_array_unref (plan->dispatches);
  g_array_unref (plan->raw);
  g_array_unref (plan->steps);
  g_array_unref (plan->places);
  g_array_unref (plan->symbols);
  pt_vk_users_free (plan->users);
  g_hash_table_unref (plan->unpacked);
  g_hash_table_unref (plan->baked);
  g_free (plan->given);
  g_free (plan->may_stay);
  g_free (plan->stays);
  g_free (plan);
}

gboolean
pt_vk_plan_is_stale (const PtVkPlan *plan)
{
  GHashTableIter iter;
  gpointer key, number;

  g_hash_table_iter_init (&iter, plan->baked);
  while (g_hash_table_iter_next (&iter, &key, &number))
    if ((gint) plan->graph->values[GPOINTER_TO_UINT (key) - 1].as_int != GPOINTER_TO_INT (number))
      return TRUE;
  return FALSE;
}

/* ---- Steps ---- */

static void
add_step (GArray *steps, PtVkStepKind kind, guint32 index)
{
  const PtVkStep step = { kind, index };

  g_array_append_val (steps, step);
}

/* Tensors that a shader cannot reach in one binding, or count in 32 bits, are left to the CPU, but
 * for weights in pieces. */
static gboolean
is_within_limits (const PtVkPlan *plan, guint32 index)
{
  const PtVkValue *value = &plan->graph->values[index];

  return value->kind != PT_VK_TENSOR ||
         (value->numel <= MAX_NUMEL &&
          pt_vk_value_bytes (value) <= pt_vk_store_context (plan->store)->max_range);
}

/* Weights that the emit function takes in pieces, if they are constants. */
static gboolean
may_be_large (const PtVkPlan *plan, const PtVkCall *call, guint i, gboolean reads_packed)
{
  return i < 32 && (call->op->pieces >> i & 1) != 0 &&
         (reads_packed ||
          pt_vk_constant_of (plan->graph, pt_vk_arg (plan->graph, call, i)) != NULL);
}

static gboolean
call_is_within_limits (const PtVkPlan *plan, const PtVkCall *call, gboolean reads_packed)
{
  for (guint i = 0; i < call->n_args; i++) {
    const PtVkValue *value = pt_vk_arg (plan->graph, call, i);

    if (!may_be_large (plan, call, i, reads_packed) && !is_within_limits (plan, call->args[i]))
      return FALSE;
    for (guint k = 0; value->kind == PT_VK_VALUES && k < value->count; k++)
      if (!is_within_limits (plan, value->items[k]))
        return FALSE;
  }
  return TRUE;
}

/* Whether a shader reaches the temporaries from number @first on. */
static gboolean
temporaries_are_within_limits (const PtVkPlan *plan, guint first)
{
  for (guint i = first; i < plan->places->len; i++)
    if (g_array_index (plan->places, PtVkPlace, i).bytes >
        pt_vk_store_context (plan->store)->max_range)
      return FALSE;
  return TRUE;
}

static gboolean
has_no_elements (const PtVkGraph *graph, const PtVkCall *call)
{
  for (guint k = 0; k < pt_vk_n_outs (graph, call); k++)
    if (graph->values[pt_vk_out (graph, call, k)].numel > 0)
      return FALSE;
  return TRUE;
}

/* A view whose memory is that of its tensor needs no step. */
static gboolean
is_alias (const PtVkGraph *graph, const PtVkCall *call)
{
  guint32 out = pt_vk_out (graph, call, 0);

  return call->op->is_view && graph->values[out].source != out;
}

static gboolean
touches_state (const PtVkGraph *graph, const PtVkCall *call)
{
  for (guint i = 0; graph->has_state && i < call->n_args; i++)
    if (graph->values[graph->values[call->args[i]].source].is_state)
      return TRUE;
  return FALSE;
}

/* State has one place; if one call on it is left to the CPU, all are, and the steps are made again.
 */
static gboolean
move_state (PtVkPlan *plan, const PtVkCall *call, GError **error)
{
  if (plan->state_is_used && plan->store != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Operator %s cannot run on this GPU with these shapes.", call->op->name);
  plan->state_on_host = TRUE;
  return TRUE;
}

/* The weight of a linear layer that does not read it packed: the CPU unpacks it first. */
static void
unpack_weight (PtVkPlan *plan, const PtVkCall *call)
{
  guint32 weight = call->op->reads_packed ? call->args[1] : PT_VK_NONE;

  if (plan->store == NULL || weight == PT_VK_NONE || plan->graph->values[weight].unpacked_by == 0 ||
      !g_hash_table_add (plan->unpacked, GUINT_TO_POINTER (weight + 1)))
    return;
  add_step (plan->raw, PT_VK_STEP_CPU, plan->graph->values[weight].unpacked_by - 1);
}

/* Unpacks a weight only where a layer needs that. */
static gboolean
is_put_off (const PtVkPlan *plan, const PtVkCall *call)
{
  return plan->store != NULL && call->op->is_unpacking &&
         plan->graph->values[pt_vk_out (plan->graph, call, 0)].unpacked_by > 0;
}

/* The first dispatch without a step; @n: so many were there before. A gate may have taken one. */
static guint
first_new_dispatch (const PtVkPlan *plan, guint n)
{
  const PtVkStep *last =
      plan->raw->len > 0 ? &g_array_index (plan->raw, PtVkStep, plan->raw->len - 1) : NULL;

  return last != NULL && last->kind == PT_VK_STEP_DISPATCH ? MIN (n, last->index + 1) : n;
}

static gboolean
add_call (PtVkPlan *plan, PtVkEmitter *emitter, guint index, GError **error)
{
  const PtVkCall *call = &plan->graph->calls[index];
  guint n = plan->dispatches->len, n_places = plan->places->len;
  gboolean on_state = touches_state (plan->graph, call);
  gboolean reads_packed = call->op->reads_packed && pt_vk_reads_packed (plan->graph, call);
  const PtVkEmitter before = *emitter;
  PtVkEmitted emitted = PT_VK_DECLINED;

  if (call->op->is_host || pt_vk_users_is_done (plan->users, index) || is_put_off (plan, call) ||
      is_alias (plan->graph, call) || (has_no_elements (plan->graph, call) && !on_state))
    return TRUE;
  emitter->call = call;
  if (!reads_packed)
    unpack_weight (plan, call);
  if (plan->store != NULL && call->op->emit != NULL &&
      call_is_within_limits (plan, call, reads_packed) && !(on_state && plan->state_on_host)) {
    emitted = pt_vk_emit_fused (emitter, call, error);
    if (emitted == PT_VK_DECLINED) { /* fused ones have smaller temporaries than their rows */
      emitted = call->op->emit (emitter, call, error);
      if (emitted == PT_VK_EMITTED && !temporaries_are_within_limits (plan, n_places))
        emitted = PT_VK_DECLINED;
    }
  }
  if (emitted == PT_VK_FAILED) {
    pt_prefix_error (error, "Operator %s: ", call->op->name);
    return FALSE;
  }
  if (emitted == PT_VK_DECLINED) {
    g_array_set_size (plan->dispatches, n);
    g_array_set_size (plan->places, n_places);
    *emitter = before;
    unpack_weight (plan, call);
    add_step (plan->raw, PT_VK_STEP_CPU, index);
    return !on_state || plan->state_on_host || move_state (plan, call, error);
  }
  for (n = first_new_dispatch (plan, n); n < plan->dispatches->len; n++)
    add_step (plan->raw, PT_VK_STEP_DISPATCH, n);
  return TRUE;
}

static gboolean
make_steps (PtVkPlan *plan, GError **error)
{
  PtVkEmitter emitter = { .plan = plan, .graph = plan->graph };

  if (plan->store != NULL)
    emitter.context = pt_vk_store_context (plan->store);
  g_array_set_size (plan->dispatches, 0);
  g_array_set_size (plan->raw, 0);
  g_array_set_size (plan->symbols, 0);
  pt_vk_users_restart (plan->users);
  g_hash_table_remove_all (plan->unpacked);
  g_hash_table_remove_all (plan->baked);
  g_array_set_size (plan->places, plan->graph->n_values);
  for (guint i = 0; i < plan->graph->n_values; i++) {
    const PtVkValue *value = &plan->graph->values[i];
    PtVkPlace *place = &g_array_index (plan->places, PtVkPlace, i);

    *place = (PtVkPlace){ 0 };
    if (value->kind == PT_VK_TENSOR)
      place->bytes = pt_vk_value_bytes (value);
  }
  for (guint i = 0; i < plan->graph->n_calls; i++)
    if (!add_call (plan, &emitter, i, error))
      return FALSE;
  return TRUE;
}

gboolean
pt_vk_plan_make_steps (PtVkPlan *plan, GError **error)
{
  gboolean was_on_host = plan->state_on_host;

  if (!make_steps (plan, error))
    return FALSE;
  if (plan->state_on_host != was_on_host && !make_steps (plan, error))
    return FALSE;
  return plan->store == NULL || pt_vk_store_finish (plan->store, error);
}

/* ---- Copies between host and GPU ---- */

static PtVkPlace *
place_of (const PtVkPlan *plan, guint32 index)
{
  return &g_array_index (plan->places, PtVkPlace, index);
}

static void
use (gboolean *is_there, guint *first, guint *last, guint step)
{
  if (!*is_there)
    *first = step;
  *is_there = TRUE;
  *last = step;
}

static void
use_gpu (PtVkPlan *plan, guint32 index)
{
  PtVkPlace *place = place_of (plan, index);

  use (&place->on_gpu, &place->first_gpu, &place->last_gpu, plan->steps->len);
}

static void
use_host (PtVkPlan *plan, guint32 index)
{
  PtVkPlace *place = place_of (plan, index);

  use (&place->on_host, &place->first_host, &place->last_host, plan->steps->len);
}

static void
copy (PtVkPlan *plan, guint32 index, PtVkStepKind kind)
{
  use_gpu (plan, index);
  use_host (plan, index);
  add_step (plan->steps, kind, index);
  place_of (plan, index)->valid_gpu = place_of (plan, index)->valid_host = TRUE;
}

static void
add_dispatch (PtVkPlan *plan, guint32 index)
{
  const PtVkDispatch *dispatch = &g_array_index (plan->dispatches, PtVkDispatch, index);

  for (guint i = 0; i < dispatch->n_bindings; i++) {
    const PtVkBinding *binding = &dispatch->bindings[i];

    if (binding->kind == PT_VK_BIND_PLACE && (binding->access & PT_VK_READ) != 0 &&
        !place_of (plan, binding->index)->valid_gpu && place_of (plan, binding->index)->valid_host)
      copy (plan, binding->index, PT_VK_STEP_UPLOAD);
  }
  for (guint i = 0; i < dispatch->n_bindings; i++) {
    const PtVkBinding *binding = &dispatch->bindings[i];

    if (binding->kind != PT_VK_BIND_PLACE)
      continue;
    use_gpu (plan, binding->index);
    if ((binding->access & PT_VK_WRITE) != 0) {
      place_of (plan, binding->index)->valid_gpu = TRUE;
      place_of (plan, binding->index)->valid_host = FALSE;
    }
  }
  add_step (plan->steps, PT_VK_STEP_DISPATCH, index);
}

/* Constants and states have memory of their own on the host. */
static gboolean
has_place (const PtVkGraph *graph, guint32 index)
{
  const PtVkValue *value = &graph->values[index];

  return value->kind == PT_VK_TENSOR && value->constant == NULL;
}

static void
read_on_cpu (PtVkPlan *plan, guint32 value)
{
  guint32 index = plan->graph->values[value].source;
  PtVkPlace *place = place_of (plan, index);

  if (has_place (plan->graph, index) && !place->valid_host && place->valid_gpu)
    copy (plan, index, PT_VK_STEP_DOWNLOAD);
}

static void
add_cpu (PtVkPlan *plan, guint32 index)
{
  const PtVkGraph *graph = plan->graph;
  const PtVkCall *call = &graph->calls[index];
  guint n_ins = call->n_args - 1;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n_ins; i++) {
      const PtVkValue *value = pt_vk_arg (graph, call, i);
      gboolean is_list = value->kind == PT_VK_VALUES;

      for (guint k = 0; k < (is_list ? value->count : 1); k++) {
        guint32 item = is_list ? value->items[k] : call->args[i];

        if (pass == 0)
          read_on_cpu (plan, item);
        else if (has_place (graph, graph->values[item].source))
          use_host (plan, graph->values[item].source);
      }
    }
  for (guint k = 0; k < pt_vk_n_outs (graph, call); k++) {
    guint32 out = graph->values[pt_vk_out (graph, call, k)].source;

    if (!has_place (graph, out))
      continue;
    use_host (plan, out);
    place_of (plan, out)->valid_host = TRUE;
    place_of (plan, out)->valid_gpu = FALSE;
  }
  add_step (plan->steps, PT_VK_STEP_CPU, index);
}

static gboolean
is_given (const PtVkPlan *plan, guint32 index)
{
  return index < plan->graph->n_values && plan->given[index].buffer != VK_NULL_HANDLE;
}

/* Inputs are copied in before the first step, unless they lie in memory of the GPU. */
static void
add_inputs (PtVkPlan *plan)
{
  const PtVkGraph *graph = plan->graph;

  for (guint i = 0; i < graph->n_inputs; i++) {
    guint32 index = graph->inputs[i];

    if (!has_place (graph, index))
      continue;
    place_of (plan, index)->valid_gpu = is_given (plan, index);
    place_of (plan, index)->valid_host = !is_given (plan, index);
    if (!is_given (plan, index))
      use_host (plan, index);
  }
}

/* Outputs are copied out after the last step, or keep their memory of the GPU. */
static void
add_outputs (PtVkPlan *plan)
{
  const PtVkGraph *graph = plan->graph;

  for (guint i = 0; i < graph->n_outputs; i++) {
    guint32 source = graph->values[graph->outputs[i]].source;

    plan->stays[i] = plan->may_stay[i] && has_place (graph, source) && !is_given (plan, source) &&
                     place_of (plan, source)->valid_gpu;
    if (!plan->stays[i] && has_place (graph, graph->outputs[i]))
      read_on_cpu (plan, graph->outputs[i]);
  }
  for (guint i = 0; i < graph->n_outputs; i++) {
    guint32 source = graph->values[graph->outputs[i]].source;

    if (plan->stays[i])
      use_gpu (plan, source);
    else if (has_place (graph, source))
      use_host (plan, source);
  }
}

static void
add_copies (PtVkPlan *plan)
{
  g_array_set_size (plan->steps, 0);
  for (guint i = 0; i < plan->places->len; i++) {
    PtVkPlace *place = place_of (plan, i);

    place->on_gpu = place->on_host = place->valid_gpu = place->valid_host = FALSE;
  }
  add_inputs (plan);
  for (guint i = 0; i < plan->raw->len; i++) {
    const PtVkStep *step = &g_array_index (plan->raw, PtVkStep, i);

    if (step->kind == PT_VK_STEP_DISPATCH)
      add_dispatch (plan, step->index);
    else
      add_cpu (plan, step->index);
  }
  add_outputs (plan);
}

/* ---- Memory ---- */

/* One place while offsets are chosen. */
typedef struct {
  guint32 index;
  guint first, last;
  gsize offset, bytes;
} Span;

static int
compare_first (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->bytes != y->bytes ? (x->bytes > y->bytes ? -1 : 1) : (x->index < y->index ? -1 : 1);
}

/* Inserts the span in the list of live ones, ordered by offset, in the first gap that fits. */
static void
insert (GArray *live, Span *span)
{
  gsize end = 0;
  guint at = 0;

  for (; at < live->len; at++) {
    const Span *other = &g_array_index (live, Span, at);

    if (other->offset >= end + span->bytes)
      break;
    end = other->offset + other->bytes;
  }
  span->offset = end;
  g_array_insert_val (live, at, *span);
}

/*
 * Memory of the GPU is used again some steps later only: a command that writes it at once would
 * wait for the one before, which read it, although it needs nothing of it. That counts where
 * commands are short; large tensors would need much more memory.
 */
#define REST 6
#define MAX_RESTING ((gsize) 1 << 20)

static void
expire (GArray *live, guint step, gboolean on_gpu)
{
  guint kept = 0;

  for (guint i = 0; i < live->len; i++) {
    const Span *span = &g_array_index (live, Span, i);
    guint rest = on_gpu && span->bytes <= MAX_RESTING ? REST : 0;

    if (span->last + rest >= step)
      g_array_index (live, Span, kept++) = *span;
  }
  g_array_set_size (live, kept);
}

/* Returns: the bytes of all places together */
static gsize
arrange (PtVkPlan *plan, gboolean on_gpu)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GArray) live = g_array_new (FALSE, FALSE, sizeof (Span));
  gsize total = 0;

  for (guint i = 0; i < plan->places->len; i++) {
    const PtVkPlace *place = place_of (plan, i);
    Span span = { .index = i,
                  .first = on_gpu ? place->first_gpu : place->first_host,
                  .last = on_gpu ? place->last_gpu : place->last_host,
                  .bytes = (MAX (place->bytes, 4) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

    if (on_gpu ? place->on_gpu && !is_given (plan, i) : place->on_host)
      g_array_append_val (spans, span);
  }
  if (spans->len > 0)
    qsort (spans->data, spans->len, sizeof (Span), compare_first);
  for (guint i = 0; i < spans->len; i++) {
    Span *span = &g_array_index (spans, Span, i);

    expire (live, span->first, on_gpu);
    insert (live, span);
    total = MAX (total, span->offset + span->bytes);
    if (on_gpu)
      place_of (plan, span->index)->gpu_offset = span->offset;
    else
      place_of (plan, span->index)->host_offset = span->offset;
  }
  return total;
}

gboolean
pt_vk_plan_make_places (PtVkPlan *plan, GError **error)
{
  add_copies (plan);
  plan->gpu_bytes = arrange (plan, TRUE);
  plan->host_bytes = arrange (plan, FALSE);
  return TRUE;
}
