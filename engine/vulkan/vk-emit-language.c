/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of rotary embeddings and attention (docs/formats/vulkan.md, section 8.6). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* Of shaders/attention.comp. */
#define MAX_WIDTH 512

/* A position that shaders read in every call, or a number that does not change. */
static void
push_position (PtVkEmitter *emitter, PtVkDispatch *d, guint arg)
{
  gboolean is_symbolic = arg != PT_VK_NONE && pt_vk_in_value (emitter, arg)->kind == PT_VK_SYMINT;

  pt_vk_push (d, is_symbolic ? pt_vk_symbol (emitter, pt_vk_in_index (emitter, arg)) : G_MAXUINT32);
}

static guint32
start_of (PtVkEmitter *emitter, guint arg)
{
  gint64 start = arg != PT_VK_NONE ? pt_vk_int (emitter->graph, emitter->call, arg, 0) : 0;

  return (guint32) (gint32) CLAMP (start, 0, G_MAXINT32);
}

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

/* @width, @rows: of the tables, for pairs of halves; @position: argument, or PT_VK_NONE. */
static PtVkEmitted
emit_rotary (PtVkEmitter *emitter, gboolean by_halves, gsize width, gsize rows, guint position,
             GError **error)
{
  for (guint k = 0; k < 2; k++) {
    const PtVkValue *x = pt_vk_in_value (emitter, k);
    PtVkDispatch *d;

    if (x->numel == 0)
      continue;
    d = pt_vk_dispatch (emitter, PT_VK_SHADER_rotary);
    pt_vk_constant (d, by_halves);
    if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, k), error) ||
        !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 2), error) ||
        !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 3), error))
      return PT_VK_FAILED;
    pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, k));
    pt_vk_bind_symbols (emitter, d);
    pt_vk_push (d, (guint32) (x->numel / 2));
    pt_vk_push (d, (guint32) x->shape.sizes[2]);
    pt_vk_push (d, (guint32) x->shape.sizes[3]);
    pt_vk_push (d, (guint32) x->shape.sizes[1]);
    pt_vk_push (d, (guint32) width);
    push_position (emitter, d, position);
    pt_vk_push (d, (guint32) rows);
    pt_vk_push (d, start_of (emitter, position));
    pt_vk_groups (emitter, d, x->numel / 2, PT_VK_ITEMS);
  }
  return PT_VK_EMITTED;
}

PT_VK_EMIT (rotary)
{
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *x = &pt_vk_in_value (emitter, k)->shape;
    gsize needed = (gsize) (x->sizes[1] * (x->sizes[3] / 2));

    if (pt_vk_in_value (emitter, 2)->numel < needed || pt_vk_in_value (emitter, 3)->numel < needed)
      return PT_VK_DECLINED; /* the CPU says what is wrong */
  }
  return are_floats (emitter, 4) ? emit_rotary (emitter, FALSE, 0, 0, PT_VK_NONE, error)
                                 : PT_VK_DECLINED;
}

PT_VK_EMIT (rotary_hf)
{
  const PtVkShape *table = &pt_vk_in_value (emitter, 2)->shape;
  gint64 start = pt_vk_int (emitter->graph, call, 4, 0);

  if (!are_floats (emitter, 4) || table->rank != 2 || table->sizes[0] < 1 ||
      table->sizes[1] % 2 != 0 ||
      memcmp (table, &pt_vk_in_value (emitter, 3)->shape, sizeof *table) != 0)
    return PT_VK_DECLINED;
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *x = &pt_vk_in_value (emitter, k)->shape;

    if (table->sizes[1] > x->sizes[3] || start < 0 || start > table->sizes[0] - x->sizes[1])
      return PT_VK_DECLINED;
  }
  return emit_rotary (emitter, TRUE, (gsize) table->sizes[1], (gsize) table->sizes[0], 4, error);
}

/* ---- Attention with caches ---- */

/* Rows of argument @arg go into cache @cache at the position of argument 5. */
static gboolean
emit_cache_write (PtVkEmitter *emitter, guint arg, guint cache, GError **error)
{
  const PtVkValue *rows = pt_vk_in_value (emitter, arg);
  PtVkDispatch *d;

  if (rows->numel == 0)
    return TRUE;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_cache_write);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, arg), error))
    return FALSE;
  pt_vk_bind_inout (emitter, d, pt_vk_in_index (emitter, cache));
  pt_vk_bind_symbols (emitter, d);
  pt_vk_push (d, (guint32) rows->numel);
  pt_vk_push (d, (guint32) (rows->shape.sizes[2] * rows->shape.sizes[3]));
  push_position (emitter, d, 5);
  pt_vk_push (d, (guint32) pt_vk_in_value (emitter, cache)->shape.sizes[1]);
  pt_vk_push (d, start_of (emitter, 5));
  pt_vk_groups (emitter, d, rows->numel, PT_VK_ITEMS);
  return TRUE;
}

/* One batch, and caches that the rows fit into. */
static gboolean
fits_caches (PtVkEmitter *emitter)
{
  const PtVkShape *q = &pt_vk_in_value (emitter, 0)->shape;

  for (guint k = 0; k < 2; k++) {
    const PtVkShape *rows = &pt_vk_in_value (emitter, 1 + k)->shape;
    const PtVkShape *cache = &pt_vk_in_value (emitter, 3 + k)->shape;

    if (cache->rank != 4 || rows->sizes[0] != 1 || cache->sizes[0] != 1 ||
        rows->sizes[2] != cache->sizes[2] || rows->sizes[3] != cache->sizes[3] ||
        rows->sizes[1] != q->sizes[1] || cache->sizes[2] < 1 ||
        q->sizes[2] % cache->sizes[2] != 0 || cache->sizes[3] > MAX_WIDTH)
      return FALSE;
  }
  return q->sizes[0] == 1 && q->sizes[3] == pt_vk_in_value (emitter, 1)->shape.sizes[3];
}

PT_VK_EMIT (attention)
{
  const PtVkShape *q = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *cache = &pt_vk_in_value (emitter, 3)->shape;
  double scale = pt_vk_double (emitter->graph, call, 10, 1 / sqrt ((double) MAX (q->sizes[3], 1)));
  PtVkDispatch *d;

  if (!are_floats (emitter, 5) || !fits_caches (emitter))
    return PT_VK_DECLINED;
  if (!emit_cache_write (emitter, 1, 3, error) || !emit_cache_write (emitter, 2, 4, error))
    return PT_VK_FAILED;
  if (pt_vk_out_value (emitter, 0)->numel == 0)
    return PT_VK_EMITTED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_attention);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 3), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 4), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_bind_symbols (emitter, d);
  pt_vk_push (d, (guint32) q->sizes[2]);
  pt_vk_push (d, (guint32) cache->sizes[2]);
  pt_vk_push (d, (guint32) q->sizes[3]);
  pt_vk_push (d, (guint32) pt_vk_in_value (emitter, 4)->shape.sizes[3]);
  pt_vk_push (d, (guint32) cache->sizes[1]);
  push_position (emitter, d, 5);
  pt_vk_push (d, start_of (emitter, 5));
  pt_vk_push_float (d, scale);
  if (!pt_vk_groups_3d (emitter, d, (gsize) q->sizes[2], (gsize) q->sizes[1], 1))
    return PT_VK_DECLINED;
  d->work = (double) q->sizes[1] * (double) q->sizes[2] * (double) cache->sizes[1] *
            (double) (2 * q->sizes[3]);
  return PT_VK_EMITTED;
}
