/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of layers of one row that make its bytes themselves. */
#include "engine/vulkan/vk-emit-matrices.h"

#include <string.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"

/* Of shaders/row-product.comp. */
#define GROUP 256
#define WIDE_GROUP 512 /* of rows of more than WIDE_ROW elements */
#define WIDE_ROW 8192
#define CHUNK 32
#define CHUNK_BYTES 16
#define MAX_VECTORS 16
#define MAX_TIMES 2
/* So many invocations keep a GPU busy: where there would be twice as many, each makes more. */
#define WANTED ((gsize) 1 << 16)
/* Steps among which the layer before a call is looked for: a file may have any number. */
#define STEPS_BACK 64

/* What it is made of: bindings, specialisation constants and numbers. */
enum { BIND_FACTOR = 3, BIND_WEIGHT, BIND_BIAS, BIND_SCALES, BIND_Y, BIND_SECOND, N_BINDINGS = 11 };
enum {
  CONSTANT_BIAS,
  CONSTANT_TIMES,
  CONSTANT_MODE = 3,
  CONSTANT_NORM,
  CONSTANT_THEN = 7,
  CONSTANT_CACHE
};
enum { PUSH_TURN = 9, PUSH_CACHE = 14, N_PUSH = 17 };
enum { THEN_NOTHING, THEN_NEIGHBOURS, THEN_HALVES, THEN_GATE };

static gsize
group_of (const PtVkEmitter *emitter, gsize k)
{
  gboolean is_wide = k > WIDE_ROW &&
                     emitter->context->limits.maxComputeWorkGroupInvocations >= WIDE_GROUP &&
                     emitter->context->limits.maxComputeWorkGroupSize[0] >= WIDE_GROUP;

  return is_wide ? WIDE_GROUP : GROUP;
}

/* Of four elements, for each invocation: pairs. */
static guint32
count_vectors (gsize group, gsize k)
{
  return (guint32) ((k / 8 + group - 1) / group * 2);
}

static gsize
shared_bytes (gsize group, gsize k)
{
  gsize times = group == GROUP ? MAX_TIMES : 1;

  return count_vectors (group, k) * group / 2 * 12 +
         times * (group + group / 8) * 4 * sizeof (float) + 3 * 64 * sizeof (float);
}

/* Columns of a group: those of some blocks. */
static gsize
count_columns (gsize group, gsize n, gsize k)
{
  gsize block = group / PT_VK_LANES (k / CHUNK) * PT_VK_VECTOR_COLUMNS;

  return block * MAX (n / block / (WANTED / group), 1);
}

/* Neither of the tensors needs pieces. */
static gboolean
are_within_reach (const PtVkEmitter *emitter)
{
  for (guint i = 0; i < emitter->call->n_args; i++) {
    const PtVkValue *value = pt_vk_arg (emitter->graph, emitter->call, i);

    if (value->kind == PT_VK_TENSOR &&
        (pt_vk_value_bytes (value) > emitter->context->max_range || value->numel > G_MAXINT32))
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_vk_is_row_product (PtVkEmitter *emitter, const PtVkProduct *p)
{
  gsize group = group_of (emitter, p->k);

  return p->m == 1 && p->n > 0 && pt_vk_has_chunks (emitter, p) &&
         count_vectors (group, p->k) <= MAX_VECTORS &&
         shared_bytes (group, p->k) <= emitter->context->limits.maxComputeSharedMemorySize &&
         are_within_reach (emitter) && pt_vk_columns_at_once (emitter, p) == p->n;
}

static gboolean
bind_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p, GError **error)
{
  if (!pt_vk_bind_weight (emitter, d, p, error))
    return FALSE;
  /* In the place of a bias that is not there: the weight. */
  if (p->bias == PT_VK_NONE)
    d->bindings[d->n_bindings++] = d->bindings[BIND_WEIGHT];
  else if (!pt_vk_bind_in (emitter, d, p->bias, error))
    return FALSE;
  if (!pt_vk_bind_group_scales (emitter, d, p, error))
    return FALSE;
  pt_vk_bind_out (emitter, d, p->y);
  /* In the place of tables that are not there: the weight. */
  for (guint i = 0; i < 2; i++)
    d->bindings[d->n_bindings++] = d->bindings[BIND_WEIGHT];
  pt_vk_bind_symbols (emitter, d);
  return TRUE;
}

PtVkEmitted
pt_vk_emit_row_product (PtVkEmitter *emitter, const PtVkProduct *p, PtVkChain *row, GError **error)
{
  static const PtVkShader SHADERS[2][2] = {
    { PT_VK_SHADER_row_product_plain, PT_VK_SHADER_row_product },
    { PT_VK_SHADER_wide_row_plain, PT_VK_SHADER_wide_row },
  };
  gsize group = group_of (emitter, p->k);
  guint32 unused = row->is_written ? PT_VK_NONE : pt_vk_temporary (emitter, 4);
  PtVkDispatch *d =
      pt_vk_dispatch (emitter, SHADERS[group == WIDE_GROUP][emitter->context->has_dot]);

  if (!pt_vk_bind_chain (emitter, d, row, unused, error) || !bind_product (emitter, d, p, error))
    return PT_VK_FAILED;
  pt_vk_constant (d, p->bias != PT_VK_NONE);
  pt_vk_constant (d, 1);
  pt_vk_constant (d, PT_VK_LANES (p->k / CHUNK));
  pt_vk_push (d, (guint32) p->n);
  pt_vk_push (d, (guint32) (p->k / CHUNK));
  pt_vk_push (d, (guint32) (p->stride / CHUNK_BYTES));
  pt_vk_push (d, (guint32) (p->group / CHUNK));
  pt_vk_push (d, (guint32) ((p->k + p->group - 1) / p->group));
  pt_vk_push_chain (emitter, d, row);
  pt_vk_constant (d, row->mode);
  pt_vk_constant (d, row->norm != NULL);
  pt_vk_constant (d, row->is_written);
  pt_vk_constant (d, count_vectors (group, row->k));
  pt_vk_constant (d, THEN_NOTHING);
  pt_vk_constant (d, FALSE);
  while (d->n_push < N_PUSH)
    pt_vk_push (d, 0);
  d->work = (double) p->n * (double) p->k / 4;
  pt_vk_groups (emitter, d, p->n, count_columns (group, p->n, p->k));
  row->is_written = FALSE; /* the other layers need not */
  return PT_VK_EMITTED;
}

/* ---- What follows a layer, and is done where its row is written ---- */

static gboolean
is_wide (const PtVkDispatch *d)
{
  return d->shader == PT_VK_SHADER_wide_row || d->shader == PT_VK_SHADER_wide_row_plain;
}

static gboolean
is_row_product (const PtVkDispatch *d)
{
  return d->shader == PT_VK_SHADER_row_product || d->shader == PT_VK_SHADER_row_product_plain ||
         is_wide (d);
}

/*
 * The dispatch of the layer that makes argument @arg, which nothing else reads; NULL: none near, or
 * the CPU works between.
 */
static PtVkDispatch *
find_layer (PtVkEmitter *emitter, guint arg)
{
  const PtVkPlan *plan = emitter->plan;
  guint32 value = pt_vk_in_index (emitter, arg), source = emitter->graph->values[value].source;
  guint n = plan->raw->len, end = n - MIN (n, STEPS_BACK);

  for (guint i = n; i-- > end;) {
    const PtVkStep *step = &g_array_index (plan->raw, PtVkStep, i);
    PtVkDispatch *d = &g_array_index (plan->dispatches, PtVkDispatch, step->index);

    if (step->kind != PT_VK_STEP_DISPATCH)
      return NULL;
    if (is_row_product (d) && d->bindings[BIND_Y].kind == PT_VK_BIND_PLACE &&
        d->bindings[BIND_Y].index == source)
      return pt_vk_is_only_reader (emitter, value, source) ? d : NULL;
  }
  return NULL;
}

/* Whether no dispatch from @d on, but itself, uses the memory of @value; or only reads it. */
static gboolean
is_free_from (const PtVkEmitter *emitter, const PtVkDispatch *d, guint32 value, gboolean may_read)
{
  const GArray *all = emitter->plan->dispatches;
  guint32 source = emitter->graph->values[value].source;
  gboolean is_state = emitter->graph->values[source].is_state;

  for (d++; d < &g_array_index (all, PtVkDispatch, all->len); d++)
    for (guint i = 0; i < d->n_bindings; i++) {
      const PtVkBinding *binding = &d->bindings[i];

      if (binding->kind == (is_state ? PT_VK_BIND_STATE : PT_VK_BIND_PLACE) &&
          binding->index == source && (!may_read || (binding->access & PT_VK_WRITE) != 0))
        return FALSE;
    }
  return TRUE;
}

PtVkEmitted
pt_vk_turn_layer (PtVkEmitter *emitter, guint arg, const PtVkTurn *turn, GError **error)
{
  const PtVkShape *x = &pt_vk_in_value (emitter, arg)->shape;
  guint32 out = pt_vk_out_index (emitter, arg), tables[2];
  PtVkDispatch *d = find_layer (emitter, arg);

  for (guint i = 0; i < 2; i++)
    tables[i] = pt_vk_in_index (emitter, PT_VK_TURN_TABLE + i);
  if (d == NULL || d->constants[CONSTANT_THEN] != THEN_NOTHING || x->sizes[1] != 1 ||
      pt_vk_in_value (emitter, arg)->numel != d->push[0] ||
      (turn->by_halves && (x->sizes[3] % 4 != 0 || turn->width % 4 != 0)) ||
      !is_free_from (emitter, d, tables[0], TRUE) || !is_free_from (emitter, d, tables[1], TRUE))
    return PT_VK_DECLINED;
  d->constants[CONSTANT_THEN] = turn->by_halves ? THEN_HALVES : THEN_NEIGHBOURS;
  d->n_bindings = BIND_Y;
  pt_vk_bind_out (emitter, d, out);
  if (!pt_vk_bind_in (emitter, d, tables[0], error) ||
      !pt_vk_bind_in (emitter, d, tables[1], error))
    return PT_VK_FAILED;
  pt_vk_bind_symbols (emitter, d);
  d->n_push = PUSH_TURN;
  pt_vk_push (d, (guint32) x->sizes[3]);
  pt_vk_push (d, (guint32) turn->width);
  pt_vk_push_position (emitter, d, turn->position);
  pt_vk_push (d, (guint32) turn->rows);
  pt_vk_push (d, pt_vk_start_of (emitter, turn->position));
  d->n_push = N_PUSH;
  return PT_VK_EMITTED;
}

gboolean
pt_vk_layer_into_cache (PtVkEmitter *emitter, guint arg, guint32 to, guint position)
{
  PtVkDispatch *d = find_layer (emitter, arg);
  const PtVkShape *cache = &emitter->graph->values[to].shape;

  /* A call on a state that is declined has the whole plan made anew. */
  if (d == NULL || !emitter->graph->values[emitter->graph->values[to].source].is_state ||
      pt_vk_in_value (emitter, arg)->numel != d->push[0] ||
      cache->sizes[2] * cache->sizes[3] != d->push[0] || !is_free_from (emitter, d, to, FALSE))
    return FALSE;
  d->constants[CONSTANT_CACHE] = TRUE;
  d->n_bindings = BIND_Y;
  pt_vk_bind_inout (emitter, d, to);
  d->n_bindings = N_BINDINGS;
  d->n_push = PUSH_CACHE;
  pt_vk_push_position (emitter, d, position);
  pt_vk_push (d, (guint32) cache->sizes[1]);
  pt_vk_push (d, pt_vk_start_of (emitter, position));
  return TRUE;
}

/* @d: writes @value, and nothing follows yet. */
static gboolean
writes_plainly (const PtVkDispatch *d, guint32 value)
{
  return is_row_product (d) && d->bindings[BIND_Y].kind == PT_VK_BIND_PLACE &&
         d->bindings[BIND_Y].index == value && d->constants[CONSTANT_THEN] == THEN_NOTHING &&
         !d->constants[CONSTANT_BIAS];
}

static gboolean
have_same_row (const PtVkDispatch *a, const PtVkDispatch *b)
{
  static const guint bindings[] = { 0, 1, BIND_FACTOR };

  for (guint i = 0; i < G_N_ELEMENTS (bindings); i++)
    if (a->bindings[bindings[i]].kind != b->bindings[bindings[i]].kind ||
        a->bindings[bindings[i]].index != b->bindings[bindings[i]].index)
      return FALSE;
  return a->constants[CONSTANT_MODE] == b->constants[CONSTANT_MODE] &&
         a->constants[CONSTANT_NORM] == b->constants[CONSTANT_NORM] &&
         memcmp (a->push, b->push, PUSH_TURN * sizeof *a->push) == 0;
}

/* The dispatch of the last step but @back. */
static PtVkDispatch *
last_step (const PtVkPlan *plan, guint back)
{
  const PtVkStep *step;

  if (plan->raw->len <= back || plan->dispatches->len <= back)
    return NULL;
  step = &g_array_index (plan->raw, PtVkStep, plan->raw->len - 1 - back);
  if (step->kind != PT_VK_STEP_DISPATCH || step->index != plan->dispatches->len - 1 - back)
    return NULL;
  return &g_array_index (plan->dispatches, PtVkDispatch, step->index);
}

gboolean
pt_vk_join_gate (PtVkEmitter *emitter, guint32 a, guint32 b, guint32 out)
{
  PtVkPlan *plan = emitter->plan;
  PtVkDispatch *first = last_step (plan, 1), *second = last_step (plan, 0), of_a, of_b;

  if (first == NULL || second == NULL || !have_same_row (first, second) || is_wide (first) ||
      !((writes_plainly (first, a) && writes_plainly (second, b)) ||
        (writes_plainly (first, b) && writes_plainly (second, a))))
    return FALSE;
  of_a = writes_plainly (first, a) ? *first : *second;
  of_b = writes_plainly (first, a) ? *second : *first;
  first->bindings[BIND_WEIGHT] = first->bindings[BIND_BIAS] = of_a.bindings[BIND_WEIGHT];
  first->bindings[BIND_SCALES] = of_a.bindings[BIND_SCALES];
  first->n_bindings = BIND_Y;
  pt_vk_bind_out (emitter, first, out);
  first->bindings[BIND_SECOND] = of_b.bindings[BIND_WEIGHT];
  first->bindings[BIND_SECOND + 1] = of_b.bindings[BIND_SCALES];
  first->n_bindings = N_BINDINGS;
  first->constants[CONSTANT_THEN] = THEN_GATE;
  first->constants[CONSTANT_TIMES] = 2;
  first->work = 2 * of_a.work;
  pt_vk_groups (emitter, first, first->push[0],
                count_columns (GROUP, first->push[0], first->push[1] * CHUNK));
  g_array_set_size (plan->dispatches, plan->dispatches->len - 1);
  g_array_set_size (plan->raw, plan->raw->len - 1);
  return TRUE;
}
