/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of rotary embeddings (docs/formats/vulkan.md, section 8.6). */
#include <string.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-fuse.h"

/* ---- Rotary embeddings ---- */

static gboolean
are_floats (const PtVkEmitter *emitter, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!pt_vk_is (emitter, i, PT_DTYPE_F32))
      return FALSE;
  for (guint k = 0; k < pt_vk_n_outs (emitter->graph, emitter->call); k++)
    if (!pt_vk_out_is (emitter, k, PT_DTYPE_F32))
      return FALSE;
  return TRUE;
}

static PtVkEmitted
emit_rotary (PtVkEmitter *emitter, const PtVkTurn *turn, GError **error)
{
  for (guint k = 0; k < 2; k++) {
    const PtVkValue *x = pt_vk_in_value (emitter, k);
    PtVkEmitted by_layer =
        x->numel > 0 ? pt_vk_turn_layer (emitter, k, turn, error) : PT_VK_EMITTED;
    PtVkDispatch *d;

    if (by_layer == PT_VK_FAILED)
      return PT_VK_FAILED;
    if (by_layer == PT_VK_EMITTED)
      continue;
    d = pt_vk_dispatch (emitter, PT_VK_SHADER_rotary);
    pt_vk_constant (d, turn->by_halves);
    pt_vk_constant (d, FALSE); /* pt_vk_turn_into_cache() */
    if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, k), error) ||
        !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, PT_VK_TURN_TABLE), error) ||
        !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, PT_VK_TURN_TABLE + 1), error))
      return PT_VK_FAILED;
    pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, k));
    pt_vk_bind_symbols (emitter, d);
    pt_vk_push (d, (guint32) (x->numel / 2));
    pt_vk_push (d, (guint32) x->shape.sizes[2]);
    pt_vk_push (d, (guint32) x->shape.sizes[3]);
    pt_vk_push (d, (guint32) x->shape.sizes[1]);
    pt_vk_push (d, (guint32) turn->width);
    pt_vk_push_position (emitter, d, turn->position);
    pt_vk_push (d, (guint32) turn->rows);
    pt_vk_push (d, pt_vk_start_of (emitter, turn->position));
    for (guint i = 0; i < 3; i++)
      pt_vk_push (d, 0);
    pt_vk_groups (emitter, d, x->numel / 2, PT_VK_ITEMS);
  }
  return PT_VK_EMITTED;
}

/* Of a dispatch of the shader. */
#define ROTARY_PUSH 8
#define ROTARY_OUT 3

gboolean
pt_vk_turn_into_cache (PtVkEmitter *emitter, guint arg, guint32 to, guint position)
{
  const PtVkGraph *graph = emitter->graph;
  const PtVkShape *rows = &pt_vk_in_value (emitter, arg)->shape;
  PtVkDispatch *d = pt_vk_last_dispatch (emitter);

  /* A call on a state that is declined has the whole plan made anew. */
  if (d == NULL || d->shader != PT_VK_SHADER_rotary || d->constants[1] != FALSE ||
      !graph->values[graph->values[to].source].is_state ||
      d->bindings[ROTARY_OUT].kind != PT_VK_BIND_PLACE || d->push[3] != rows->sizes[1] ||
      d->push[1] * d->push[2] != rows->sizes[2] * rows->sizes[3] ||
      !pt_vk_is_only_reader (emitter, pt_vk_in_index (emitter, arg), d->bindings[ROTARY_OUT].index))
    return FALSE;
  d->constants[1] = TRUE;
  d->n_bindings = ROTARY_OUT;
  pt_vk_bind_inout (emitter, d, to);
  pt_vk_bind_symbols (emitter, d);
  d->n_push = ROTARY_PUSH;
  pt_vk_push_position (emitter, d, position);
  pt_vk_push (d, (guint32) graph->values[to].shape.sizes[1]);
  pt_vk_push (d, pt_vk_start_of (emitter, position));
  return TRUE;
}

PT_VK_EMIT (rotary)
{
  const PtVkTurn turn = { .position = PT_VK_NONE };

  for (guint k = 0; k < 2; k++) {
    const PtVkShape *x = &pt_vk_in_value (emitter, k)->shape;
    gsize needed = (gsize) (x->sizes[1] * (x->sizes[3] / 2));

    if (pt_vk_in_value (emitter, 2)->numel < needed || pt_vk_in_value (emitter, 3)->numel < needed)
      return PT_VK_DECLINED; /* the CPU says what is wrong */
  }
  return are_floats (emitter, 4) ? emit_rotary (emitter, &turn, error) : PT_VK_DECLINED;
}

PT_VK_EMIT (rotary_hf)
{
  const PtVkShape *table = &pt_vk_in_value (emitter, 2)->shape;
  gint64 start = pt_vk_int (emitter->graph, call, 4, 0);
  PtVkTurn turn = { .by_halves = TRUE, .position = 4 };

  if (!are_floats (emitter, 4) || table->rank != 2 || table->sizes[0] < 1 ||
      table->sizes[1] % 2 != 0 ||
      memcmp (table, &pt_vk_in_value (emitter, 3)->shape, sizeof *table) != 0)
    return PT_VK_DECLINED;
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *x = &pt_vk_in_value (emitter, k)->shape;

    if (table->sizes[1] > x->sizes[3] || start < 0 || start > table->sizes[0] - x->sizes[1])
      return PT_VK_DECLINED;
  }
  turn.width = (gsize) table->sizes[1];
  turn.rows = (gsize) table->sizes[0];
  return emit_rotary (emitter, &turn, error);
}

/* x [.., N, C], one table of N * C / 2 pairs of cosine and sine for all that comes before. */
PT_VK_EMIT (rotary_interleaved)
{
  gsize n = pt_vk_in_value (emitter, 0)->numel, table = pt_vk_in_value (emitter, 1)->numel;
  PtVkDispatch *d;

  if (!are_floats (emitter, 2) || table == 0 || table % 2 != 0 || n % table != 0)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_rotary_interleaved);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 1), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) (n / 2));
  pt_vk_push (d, (guint32) (table / 2));
  pt_vk_groups (emitter, d, n / 2, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
