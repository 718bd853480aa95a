/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of attention and its caches (docs/formats/vulkan.md, section 8.6). */
#include <math.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"

/* Of shaders/attention.comp. */
#define MAX_WIDTH 512
#define GROUP 128
#define MAX_ROWS 4
/* Of shaders/attention-tile.comp, which pays from so many rows on. */
#define TILE_ROWS 64
#define TILE_KEYS 32
#define MAX_TILE_WIDTH 128
#define MIN_TILE_LENGTH 16
/* Groups that keep a GPU busy, and at most so many for the keys of one row. */
#define WANTED_GROUPS 512
#define MAX_SPLITS 32

static gboolean
are_floats (const PtVkEmitter *emitter, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!pt_vk_is (emitter, i, PT_DTYPE_F32))
      return FALSE;
  return pt_vk_out_is (emitter, 0, PT_DTYPE_F32);
}

/* ---- Caches ---- */

/*
 * The rows [1, T, H, D] of argument @arg go into @to from the position of argument @position on;
 * PT_VK_NONE: from 0.
 */
static gboolean
emit_rows (PtVkEmitter *emitter, guint arg, guint32 to, guint position, GError **error)
{
  const PtVkValue *rows = pt_vk_in_value (emitter, arg);
  PtVkDispatch *d;

  if (rows->numel == 0)
    return TRUE;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_cache_write);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, arg), error))
    return FALSE;
  pt_vk_bind_inout (emitter, d, to);
  pt_vk_bind_symbols (emitter, d);
  pt_vk_push (d, (guint32) rows->numel);
  pt_vk_push (d, (guint32) (rows->shape.sizes[2] * rows->shape.sizes[3]));
  pt_vk_push_position (emitter, d, position);
  pt_vk_push (d, (guint32) emitter->graph->values[to].shape.sizes[1]);
  pt_vk_push (d, pt_vk_start_of (emitter, position));
  pt_vk_groups (emitter, d, rows->numel, PT_VK_ITEMS);
  return TRUE;
}

/* One batch, and a cache that the rows fit into. */
static gboolean
fits_cache (PtVkEmitter *emitter, guint rows_arg, guint cache_arg)
{
  const PtVkShape *rows = &pt_vk_in_value (emitter, rows_arg)->shape;
  const PtVkShape *cache = &pt_vk_in_value (emitter, cache_arg)->shape;

  return rows->rank == 4 && cache->rank == 4 && rows->sizes[0] == 1 && cache->sizes[0] == 1 &&
         rows->sizes[2] == cache->sizes[2] && rows->sizes[3] == cache->sizes[3];
}

PT_VK_EMIT (update_cache)
{
  gint64 start = pt_vk_int (emitter->graph, call, 2, 0);

  if (!are_floats (emitter, 2) || !fits_cache (emitter, 0, 1) || start < 0 ||
      start >
          pt_vk_in_value (emitter, 1)->shape.sizes[1] - pt_vk_in_value (emitter, 0)->shape.sizes[1])
    return PT_VK_DECLINED;
  return emit_rows (emitter, 0, pt_vk_in_index (emitter, 1), 2, error) &&
                 emit_rows (emitter, 0, pt_vk_out_index (emitter, 0), PT_VK_NONE, error)
             ? PT_VK_EMITTED
             : PT_VK_FAILED;
}

/* ---- Attention ---- */

/* Elements from row to row, and from head to head. */
typedef struct {
  gsize row, head;
} Strides;

typedef struct {
  guint k, v;                                              /* arguments; 0 is that of the queries */
  guint position;                                          /* of a causal one, else PT_VK_NONE */
  guint mask;                                              /* PT_VK_NONE: none */
  gsize heads, kv_heads, width, value_width, rows, length; /* heads of all batches */
  Strides q_at, k_at, v_at, y_at;
  gsize mask_heads, mask_strides[4]; /* batch, head, row, column */
  double scale;
} Attention;

/* Groups that share the keys of a row, so that few rows keep the GPU busy, too. */
static gsize
count_splits (const Attention *a, gsize groups)
{
  gsize wanted = (WANTED_GROUPS + groups - 1) / groups;

  return CLAMP (MIN (wanted, a->rows / GROUP), 1, MAX_SPLITS);
}

static void
push_attention (PtVkEmitter *emitter, PtVkDispatch *d, const Attention *a, gsize splits)
{
  const Strides strides[] = { a->q_at, a->k_at, a->v_at, a->y_at };

  pt_vk_push (d, (guint32) a->heads);
  pt_vk_push (d, (guint32) a->kv_heads);
  pt_vk_push (d, (guint32) a->width);
  pt_vk_push (d, (guint32) a->value_width);
  pt_vk_push (d, (guint32) a->rows);
  pt_vk_push_position (emitter, d, a->position);
  pt_vk_push (d, pt_vk_start_of (emitter, a->position));
  pt_vk_push_float (d, a->scale);
  pt_vk_push (d, (guint32) a->length);
  pt_vk_push (d, (guint32) splits);
  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    pt_vk_push (d, (guint32) strides[i].row);
    pt_vk_push (d, (guint32) strides[i].head);
  }
  pt_vk_push (d, (guint32) MAX (a->mask_heads, 1));
  for (guint i = 0; i < 4; i++)
    pt_vk_push (d, (guint32) a->mask_strides[i]);
}

/* Heads that share their keys, and can be made by one group; 1: rows are of one head. */
static gsize
count_heads (const Attention *a)
{
  gsize shared = a->heads / a->kv_heads;

  for (gsize n = a->length < MAX_ROWS && a->heads % a->kv_heads == 0 ? MAX_ROWS : 1; n > 1; n--)
    if (shared % n == 0)
      return n;
  return 1;
}

static void
push_constants (PtVkDispatch *d, const Attention *a, gsize rows, gboolean by_head)
{
  gboolean by_four = a->width % 4 == 0 && a->k_at.row % 4 == 0 && a->k_at.head % 4 == 0 &&
                     a->value_width % 4 == 0 && a->v_at.row % 4 == 0 && a->v_at.head % 4 == 0;
  guint32 lanes = 1;

  while (lanes * 4 < a->value_width)
    lanes *= 2;
  pt_vk_constant (d, (guint32) rows);
  pt_vk_constant (d, lanes);
  pt_vk_constant (d, by_four);
  pt_vk_constant (d, a->position != PT_VK_NONE);
  pt_vk_constant (d, a->mask != PT_VK_NONE);
  pt_vk_constant (d, by_head);
}

static gsize
tile_stride (const Attention *a)
{
  return MAX (a->width, a->value_width) / 4 + 1;
}

/* Whether shaders/attention-tile.comp takes it. */
static gboolean
has_tiles (const PtVkEmitter *emitter, const Attention *a)
{
  const gsize numbers[] = {
    a->width,     a->value_width, a->q_at.row,  a->q_at.head, a->k_at.row,
    a->k_at.head, a->v_at.row,    a->v_at.head, a->y_at.row,  a->y_at.head
  };
  gsize shared = (TILE_ROWS + TILE_KEYS) * tile_stride (a) * 4 * sizeof (float) +
                 TILE_ROWS * (TILE_KEYS + 1 + 3) * sizeof (float);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i] % 4 != 0)
      return FALSE;
  return a->length >= MIN_TILE_LENGTH && a->width > 0 && a->value_width > 0 &&
         a->width <= MAX_TILE_WIDTH && a->value_width <= MAX_TILE_WIDTH &&
         shared <= emitter->context->limits.maxComputeSharedMemorySize;
}

static void
push_tile_constants (PtVkDispatch *d, const Attention *a)
{
  pt_vk_constant (d, (guint32) a->width / 4);
  pt_vk_constant (d, (guint32) a->value_width / 4);
  pt_vk_constant (d, (guint32) tile_stride (a));
  pt_vk_constant (d, a->position != PT_VK_NONE);
  pt_vk_constant (d, a->mask != PT_VK_NONE);
}

/* What the splits of rows are merged by. */
static void
bind_splits (PtVkEmitter *emitter, PtVkDispatch *d, const Attention *a, gsize splits)
{
  gsize bytes = a->length * a->heads * splits * (a->value_width + 4) * sizeof (float);
  guint32 parts = pt_vk_temporary (emitter, splits > 1 ? bytes : 4);
  guint32 counters = splits > 1 ? emitter->counters : pt_vk_temporary (emitter, 4);

  pt_vk_bind_temporary (emitter, d, parts, PT_VK_READ | PT_VK_WRITE);
  pt_vk_bind_temporary (emitter, d, counters, PT_VK_READ | PT_VK_WRITE);
}

static PtVkEmitted
emit_attention (PtVkEmitter *emitter, const Attention *a, GError **error)
{
  gboolean by_tile = has_tiles (emitter, a);
  gsize heads = by_tile ? 1 : count_heads (a);
  gsize rows = by_tile ? TILE_ROWS : a->length >= MAX_ROWS ? MAX_ROWS : 1;
  gsize groups_of_rows = (a->length + rows - 1) / rows, groups_of_heads = a->heads / heads;
  gsize splits = !by_tile && a->y_at.head == a->value_width
                     ? count_splits (a, groups_of_rows * groups_of_heads)
                     : 1;
  gsize groups = groups_of_heads * groups_of_rows;
  guint32 counter;
  PtVkDispatch *d;

  if (a->width > MAX_WIDTH || a->value_width > MAX_WIDTH || a->rows < 1 || a->rows > G_MAXINT32 / 2)
    return PT_VK_DECLINED;
  if (pt_vk_out_value (emitter, 0)->numel == 0)
    return PT_VK_EMITTED;
  counter = splits > 1 ? pt_vk_counters (emitter, (guint) groups) : 0;
  d = pt_vk_dispatch (emitter, by_tile ? PT_VK_SHADER_attention_tile : PT_VK_SHADER_attention);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, a->k), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, a->v), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_bind_symbols (emitter, d);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, a->mask == PT_VK_NONE ? 0 : a->mask),
                      error))
    return PT_VK_FAILED;
  if (by_tile)
    push_tile_constants (d, a);
  else {
    bind_splits (emitter, d, a, splits);
    push_constants (d, a, heads > 1 ? heads : rows, heads > 1);
  }
  push_attention (emitter, d, a, splits);
  pt_vk_push (d, counter);
  d->work = (double) a->length * (double) a->heads * (double) a->rows *
            (double) (a->width + a->value_width);
  return pt_vk_groups_3d (emitter, d, groups_of_heads, groups_of_rows, splits) ? PT_VK_EMITTED
                                                                               : PT_VK_DECLINED;
}

/* ---- With caches ---- */

/* Queries [1, T, H, D] and caches [1, rows, Hk, D]: arguments @cache and @cache + 1. */
static gboolean
set_caches (PtVkEmitter *emitter, Attention *a, guint cache)
{
  const PtVkShape *q = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *k = &pt_vk_in_value (emitter, cache)->shape;
  const PtVkShape *v = &pt_vk_in_value (emitter, cache + 1)->shape;

  if (q->rank != 4 || k->rank != 4 || v->rank != 4 || q->sizes[0] != 1 || k->sizes[0] != 1 ||
      v->sizes[0] != 1 || k->sizes[1] != v->sizes[1] || k->sizes[2] != v->sizes[2] ||
      q->sizes[3] != k->sizes[3] || k->sizes[2] < 1 || q->sizes[2] % k->sizes[2] != 0)
    return FALSE;
  a->k = cache;
  a->v = cache + 1;
  a->mask = PT_VK_NONE;
  a->heads = (gsize) q->sizes[2];
  a->kv_heads = (gsize) k->sizes[2];
  a->width = (gsize) q->sizes[3];
  a->value_width = (gsize) v->sizes[3];
  a->rows = (gsize) k->sizes[1];
  a->length = (gsize) q->sizes[1];
  a->q_at = (Strides){ a->heads * a->width, a->width };
  a->k_at = (Strides){ a->kv_heads * a->width, a->width };
  a->v_at = (Strides){ a->kv_heads * a->value_width, a->value_width };
  a->y_at = (Strides){ a->heads * a->value_width, a->value_width };
  return TRUE;
}

static double
scale_of (PtVkEmitter *emitter, guint arg)
{
  gint64 width = pt_vk_in_value (emitter, 0)->shape.sizes[3];

  return pt_vk_double (emitter->graph, emitter->call, arg, 1 / sqrt ((double) MAX (width, 1)));
}

PT_VK_EMIT (attention)
{
  Attention a = { .position = 5 };

  if (!are_floats (emitter, 5) || !set_caches (emitter, &a, 3) || !fits_cache (emitter, 1, 3) ||
      !fits_cache (emitter, 2, 4) ||
      pt_vk_in_value (emitter, 1)->shape.sizes[1] != (gint64) a.length ||
      pt_vk_in_value (emitter, 2)->shape.sizes[1] != (gint64) a.length)
    return PT_VK_DECLINED;
  a.scale = scale_of (emitter, 10);
  for (guint i = 1; i < 3; i++) {
    guint32 cache = pt_vk_in_index (emitter, i + 2);

    if (!pt_vk_layer_into_cache (emitter, i, cache, 5) &&
        !(i == 1 && pt_vk_turn_into_cache (emitter, i, cache, 5)) &&
        !emit_rows (emitter, i, cache, 5, error))
      return PT_VK_FAILED;
  }
  return emit_attention (emitter, &a, error);
}

PT_VK_EMIT (custom_sdpa)
{
  Attention a = { .position = 3 };

  if (!are_floats (emitter, 3) || !set_caches (emitter, &a, 1))
    return PT_VK_DECLINED;
  a.scale = scale_of (emitter, 7);
  return emit_attention (emitter, &a, error);
}

/* ---- Without caches ---- */

/* Strides of a mask that may lack leading dimensions, or have 1 for all. FALSE: it does not fit. */
static gboolean
set_mask (PtVkEmitter *emitter, Attention *a, const gint64 *whole)
{
  const PtVkShape *mask = &pt_vk_in_value (emitter, 3)->shape;
  gsize stride = 1;

  a->mask = 3;
  a->mask_heads = (gsize) whole[1];
  if (mask->rank > 4)
    return FALSE;
  for (guint i = mask->rank; i-- > 0;) {
    guint dim = 4 - mask->rank + i;

    if (mask->sizes[i] != 1 && mask->sizes[i] != whole[dim])
      return FALSE;
    a->mask_strides[dim] = mask->sizes[i] == 1 ? 0 : stride;
    stride *= (gsize) mask->sizes[i];
  }
  return TRUE;
}

/* q [B, H, T, D], k and v [B, Hk, S, D], mask. */
PT_VK_EMIT (sdpa)
{
  const PtVkShape *q = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *k = &pt_vk_in_value (emitter, 1)->shape;
  const PtVkShape *v = &pt_vk_in_value (emitter, 2)->shape;
  const gint64 whole[] = { q->sizes[0], q->sizes[1], q->sizes[2], k->sizes[2] };
  gboolean has_mask = pt_vk_in_value (emitter, 3)->kind == PT_VK_TENSOR;
  Attention a = { .k = 1, .v = 2, .position = PT_VK_NONE, .mask = PT_VK_NONE };

  if (!are_floats (emitter, has_mask ? 4 : 3) || q->rank != 4 || k->rank != 4 || v->rank != 4 ||
      q->sizes[3] != k->sizes[3] || k->sizes[2] != v->sizes[2] || k->sizes[1] != v->sizes[1] ||
      k->sizes[1] < 1 || q->sizes[1] % k->sizes[1] != 0 || q->sizes[0] != k->sizes[0] ||
      q->sizes[0] != v->sizes[0] || (has_mask && !set_mask (emitter, &a, whole)))
    return PT_VK_DECLINED;
  a.heads = (gsize) (q->sizes[0] * q->sizes[1]);
  a.kv_heads = (gsize) (k->sizes[0] * k->sizes[1]);
  a.width = (gsize) q->sizes[3];
  a.value_width = (gsize) v->sizes[3];
  a.rows = (gsize) k->sizes[2];
  a.length = (gsize) q->sizes[2];
  a.q_at = (Strides){ a.width, a.length * a.width };
  a.k_at = (Strides){ a.width, a.rows * a.width };
  a.v_at = (Strides){ a.value_width, a.rows * a.value_width };
  a.y_at = (Strides){ a.value_width, a.length * a.value_width };
  a.scale = scale_of (emitter, 4);
  return emit_attention (emitter, &a, error);
}
