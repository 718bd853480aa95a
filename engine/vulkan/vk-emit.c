/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-emit.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-emit-strides.h"

PtVkDispatch *
pt_vk_dispatch (PtVkEmitter *emitter, PtVkShader shader)
{
  PtVkDispatch *dispatch;

  g_array_set_size (emitter->plan->dispatches, emitter->plan->dispatches->len + 1);
  dispatch =
      &g_array_index (emitter->plan->dispatches, PtVkDispatch, emitter->plan->dispatches->len - 1);
  *dispatch = (PtVkDispatch){ .shader = shader, .groups = { 1, 1, 1 } };
  dispatch->call = (guint) (emitter->call - emitter->graph->calls);
  return dispatch;
}

PtVkDispatch *
pt_vk_last_dispatch (PtVkEmitter *emitter)
{
  GArray *all = emitter->plan->dispatches;

  return all->len > 0 ? &g_array_index (all, PtVkDispatch, all->len - 1) : NULL;
}

static void
bind (PtVkDispatch *dispatch, PtVkBindKind kind, guint32 index, guint access)
{
  g_assert (dispatch->n_bindings < PT_VK_MAX_BINDINGS);
  dispatch->bindings[dispatch->n_bindings++] = (PtVkBinding){ kind, index, access };
}

/* ---- Tensors ---- */

static void
bind_place (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value, guint access)
{
  guint32 source = emitter->graph->values[value].source;

  bind (dispatch, emitter->graph->values[source].is_state ? PT_VK_BIND_STATE : PT_VK_BIND_PLACE,
        source, access);
}

void
pt_vk_bind_out (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value)
{
  bind_place (emitter, dispatch, value, PT_VK_WRITE);
}

void
pt_vk_bind_inout (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value)
{
  bind_place (emitter, dispatch, value, PT_VK_READ | PT_VK_WRITE);
}

gboolean
pt_vk_bind_in (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value, GError **error)
{
  const PtVkValue *constant = pt_vk_constant_of (emitter->graph, &emitter->graph->values[value]);

  if (constant != NULL)
    return pt_vk_bind_constant (emitter, dispatch, value, 0, 0, pt_vk_value_bytes (constant), NULL,
                                NULL, error);
  bind_place (emitter, dispatch, value, PT_VK_READ);
  return TRUE;
}

guint32
pt_vk_temporary (PtVkEmitter *emitter, gsize bytes)
{
  const PtVkPlace place = { .bytes = bytes };

  g_array_append_val (emitter->plan->places, place);
  return emitter->plan->places->len - 1;
}

void
pt_vk_bind_temporary (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 temporary, guint access)
{
  bind (dispatch, PT_VK_BIND_PLACE, temporary, access);
}

guint32
pt_vk_counters (PtVkEmitter *emitter, guint n)
{
  guint32 first = emitter->n_counters;
  PtVkDispatch *zeroing;

  if (first == 0) {
    emitter->counters = pt_vk_temporary (emitter, 0);
    emitter->zeroing = emitter->plan->dispatches->len;
    zeroing = pt_vk_dispatch (emitter, PT_VK_SHADER_fill_32);
    pt_vk_bind_temporary (emitter, zeroing, emitter->counters, PT_VK_WRITE);
    pt_vk_push (zeroing, 0);
    pt_vk_push (zeroing, 0);
  }
  emitter->n_counters += n;
  zeroing = &g_array_index (emitter->plan->dispatches, PtVkDispatch, emitter->zeroing);
  zeroing->push[0] = emitter->n_counters;
  pt_vk_groups (emitter, zeroing, emitter->n_counters, PT_VK_ITEMS);
  g_array_index (emitter->plan->places, PtVkPlace, emitter->counters).bytes =
      emitter->n_counters * sizeof (guint32);
  return first;
}

/* ---- Constants ---- */

typedef struct {
  const PtVkGraph *graph;
  const PtVkValue *value;
  PtVkPackFunc pack;
  gpointer data;
  gsize first;
} Content;

/* The stored dtype; parts begin at whole elements, because they are of 4 bytes or fewer. */
static void
pack_stored (const PtVkGraph *graph, const PtVkValue *value, gpointer data, guint8 *to, gsize begin,
             gsize end)
{
  gsize size = pt_dtype_size (value->stored);

  pt_vk_to_stored (to, value->constant + begin / size * pt_dtype_size (value->declared),
                   (end - begin) / size, value->declared);
}

static void
fill_content (gpointer data, guint8 *to, gsize begin, gsize end)
{
  const Content *content = data;

  content->pack (content->graph, content->value, content->data, to, content->first + begin,
                 content->first + end);
}

gboolean
pt_vk_bind_constant (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value, guint form,
                     gsize first, gsize bytes, PtVkPackFunc pack, gpointer data, GError **error)
{
  const PtVkValue *constant = pt_vk_constant_of (emitter->graph, &emitter->graph->values[value]);
  Content content = { emitter->graph, constant, pack != NULL ? pack : pack_stored, data, first };
  PtVkStore *store = emitter->plan->store;
  PtVkStoreKey key = { .first = first, .bytes = bytes };
  guint32 index;

  g_assert (constant != NULL);
  /* Tensors with equal bytes have one entry in the file, and may differ in their dtype. */
  key.content = constant->constant;
  key.form = form * 16 + (guint) constant->declared;
  index = pt_vk_store_find (store, &key);
  if (index == G_MAXUINT32)
    index = pt_vk_store_add (store, &key, fill_content, &content, error);
  if (index == G_MAXUINT32)
    return FALSE;
  bind (dispatch, PT_VK_BIND_STORE, index, PT_VK_READ);
  return TRUE;
}

/* Rows of a piece are a multiple of this: tiles of products are filled. */
#define PIECE_ROWS 64

gsize
pt_vk_rows_at_once (const PtVkEmitter *emitter, guint32 value, gsize n, gsize row_bytes)
{
  gboolean is_constant = pt_vk_constant_of (emitter->graph, &emitter->graph->values[value]) != NULL;
  /* Bindings are of whole words. */
  gsize rows = (gsize) (emitter->context->max_range / 4 * 4) / MAX (row_bytes, 1);

  if (n <= rows || !is_constant) /* the plan has looked at the others */
    return n;
  return rows > PIECE_ROWS ? rows / PIECE_ROWS * PIECE_ROWS : rows;
}

gboolean
pt_vk_bind_rows (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value, gsize first, gsize n,
                 gsize row_bytes, GError **error)
{
  const PtVkValue *constant = pt_vk_constant_of (emitter->graph, &emitter->graph->values[value]);

  if (constant == NULL)
    return pt_vk_bind_in (emitter, dispatch, value, error);
  return pt_vk_bind_constant (emitter, dispatch, value, 0, first * row_bytes, n * row_bytes, NULL,
                              NULL, error);
}

/* ---- Symbolic integers ---- */

void
pt_vk_bind_symbols (PtVkEmitter *emitter, PtVkDispatch *dispatch)
{
  bind (dispatch, PT_VK_BIND_SYMBOLS, 0, PT_VK_READ);
}

guint32
pt_vk_symbol (PtVkEmitter *emitter, guint32 value)
{
  GArray *symbols = emitter->plan->symbols;

  for (guint i = 0; i < symbols->len; i++)
    if (g_array_index (symbols, guint32, i) == value)
      return i;
  g_array_append_val (symbols, value);
  return symbols->len - 1;
}

static void
bake (PtVkEmitter *emitter, guint32 value)
{
  const PtVkValue *symbol = &emitter->graph->values[value];

  if (symbol->kind == PT_VK_SYMINT)
    g_hash_table_insert (emitter->plan->baked, GUINT_TO_POINTER (value + 1),
                         GINT_TO_POINTER ((gint) symbol->as_int));
}

gint64
pt_vk_baked_int (PtVkEmitter *emitter, guint arg, gint64 fallback)
{
  bake (emitter, emitter->call->args[arg]);
  return pt_vk_int (emitter->graph, emitter->call, arg, fallback);
}

void
pt_vk_bake_list (PtVkEmitter *emitter, guint arg)
{
  const PtVkValue *list = pt_vk_in_value (emitter, arg);

  bake (emitter, emitter->call->args[arg]);
  for (guint i = 0; list->kind == PT_VK_VALUES && i < list->count; i++)
    bake (emitter, list->items[i]);
}

void
pt_vk_push_position (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint arg)
{
  gboolean is_symbolic = arg != PT_VK_NONE && pt_vk_in_value (emitter, arg)->kind == PT_VK_SYMINT;

  pt_vk_push (dispatch,
              is_symbolic ? pt_vk_symbol (emitter, pt_vk_in_index (emitter, arg)) : G_MAXUINT32);
}

guint32
pt_vk_start_of (PtVkEmitter *emitter, guint arg)
{
  gint64 start = arg != PT_VK_NONE ? pt_vk_int (emitter->graph, emitter->call, arg, 0) : 0;

  return (guint32) (gint32) CLAMP (start, 0, G_MAXINT32);
}

/* ---- Numbers ---- */

void
pt_vk_constant (PtVkDispatch *dispatch, guint32 number)
{
  g_assert (dispatch->n_constants < PT_VK_MAX_CONSTANTS);
  dispatch->constants[dispatch->n_constants++] = number;
}

void
pt_vk_push (PtVkDispatch *dispatch, guint32 number)
{
  g_assert (dispatch->n_push < G_N_ELEMENTS (dispatch->push));
  dispatch->push[dispatch->n_push++] = number;
}

void
pt_vk_push_float (PtVkDispatch *dispatch, double number)
{
  float x = (float) number;
  guint32 bits;

  memcpy (&bits, &x, sizeof bits);
  pt_vk_push (dispatch, bits);
}

/* The guaranteed number of groups in y. */
#define MAX_GROUPS 65535

void
pt_vk_groups (PtVkEmitter *emitter, PtVkDispatch *dispatch, gsize n, gsize per_group)
{
  gsize groups = (MAX (n, 1) + per_group - 1) / per_group;
  gsize x = MIN (groups, MAX_GROUPS);

  dispatch->groups[0] = (guint32) x;
  dispatch->groups[1] = (guint32) ((groups + x - 1) / x);
  dispatch->work += (double) n;
}

gboolean
pt_vk_groups_3d (PtVkEmitter *emitter, PtVkDispatch *dispatch, gsize x, gsize y, gsize z)
{
  if (x < 1 || y < 1 || z < 1 || x > emitter->context->limits.maxComputeWorkGroupCount[0] ||
      y > emitter->context->limits.maxComputeWorkGroupCount[1] ||
      z > emitter->context->limits.maxComputeWorkGroupCount[2])
    return FALSE;
  dispatch->groups[0] = (guint32) x;
  dispatch->groups[1] = (guint32) y;
  dispatch->groups[2] = (guint32) z;
  return TRUE;
}

/* ---- Values ---- */

gboolean
pt_vk_is (const PtVkEmitter *emitter, guint arg, PtDType dtype)
{
  const PtVkValue *value = pt_vk_in_value (emitter, arg);

  return value->kind == PT_VK_TENSOR && value->stored == dtype;
}

gboolean
pt_vk_out_is (const PtVkEmitter *emitter, guint k, PtDType dtype)
{
  return pt_vk_out_value (emitter, k)->stored == dtype;
}
