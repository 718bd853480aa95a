/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-fuse.h"

#include <string.h>

#include "engine/vulkan/vk-emit-matrices.h"

/* Of shaders/rows.comp. */
#define GROUP 256
#define MAX_UNITS 8
#define CHUNK 32
/* Calls among which the layers that read a row are looked for: a file may have any number. */
#define CALLS_AHEAD 64

/* What is known of a value; PT_VK_NONE: no such call. */
typedef struct {
  guint n_uses;    /* arguments of calls, and outputs */
  guint32 maker;   /* the call that makes it */
  guint32 norm;    /* the first RMS norm of it */
  guint32 choose;  /* the first call that chooses its scale and zero point */
  guint32 product; /* the first layer with this scale of its inputs */
  guint32 factor;  /* a product that reads it */
} User;

struct _PtVkUsers {
  User *values;    /* [n_values] */
  guint8 *is_done; /* [n_calls] */
  GArray *rows;    /* PtVkChain: rows that layers make themselves */
  guint n_calls;
};

static gboolean
is_named (const PtVkCall *call, const char *name)
{
  return strcmp (call->op->name, name) == 0;
}

static void
note_first (guint32 *place, guint call)
{
  if (*place == PT_VK_NONE)
    *place = call;
}

static void
note_call (PtVkUsers *users, const PtVkGraph *graph, guint i)
{
  const PtVkCall *call = &graph->calls[i];

  for (guint k = 0; k + 1 < call->n_args; k++) {
    const PtVkValue *value = pt_vk_arg (graph, call, k);

    users->values[call->args[k]].n_uses++;
    for (guint j = 0; value->kind == PT_VK_VALUES && j < value->count; j++)
      users->values[value->items[j]].n_uses++;
  }
  for (guint k = 0; k < pt_vk_n_outs (graph, call); k++)
    note_first (&users->values[pt_vk_out (graph, call, k)].maker, i);
  if (is_named (call, "et_vk.rms_norm.default"))
    note_first (&users->values[call->args[0]].norm, i);
  else if (is_named (call, "torchao.choose_qparams_affine.default"))
    note_first (&users->values[call->args[0]].choose, i);
  else if (is_named (call, "et_vk.linear_dq8ca_q4gsw.default"))
    note_first (&users->values[call->args[1]].product, i);
  else if (is_named (call, "aten.mul.Tensor"))
    for (guint k = 0; k < 2; k++)
      note_first (&users->values[call->args[k]].factor, i);
}

PtVkUsers *
pt_vk_users_new (const PtVkGraph *graph)
{
  PtVkUsers *users = g_new0 (PtVkUsers, 1);

  users->values = g_new0 (User, MAX (graph->n_values, 1));
  users->is_done = g_new0 (guint8, MAX (graph->n_calls, 1));
  users->rows = g_array_new (FALSE, FALSE, sizeof (PtVkChain));
  users->n_calls = graph->n_calls;
  for (guint i = 0; i < graph->n_values; i++)
    users->values[i] = (User){ 0, PT_VK_NONE, PT_VK_NONE, PT_VK_NONE, PT_VK_NONE, PT_VK_NONE };
  for (guint i = 0; i < graph->n_calls; i++)
    note_call (users, graph, i);
  for (guint i = 0; i < graph->n_outputs; i++)
    users->values[graph->outputs[i]].n_uses++;
  return users;
}

void
pt_vk_users_free (PtVkUsers *users)
{
  if (users == NULL)
    return;
  g_free (users->values);
  g_free (users->is_done);
  g_array_unref (users->rows);
  g_free (users);
}

gboolean
pt_vk_users_is_done (const PtVkUsers *users, guint call)
{
  return users->is_done[call];
}

void
pt_vk_users_restart (PtVkUsers *users)
{
  memset (users->is_done, 0, users->n_calls);
  g_array_set_size (users->rows, 0);
}

static const PtVkCall *
call_at (const PtVkGraph *graph, guint32 index)
{
  return index != PT_VK_NONE ? &graph->calls[index] : NULL;
}

gboolean
pt_vk_is_only_reader (const PtVkEmitter *emitter, guint32 value, guint32 source)
{
  const User *values = emitter->plan->users->values;

  while (value != source) {
    const PtVkCall *maker = call_at (emitter->graph, values[value].maker);

    if (values[value].n_uses != 1 || emitter->graph->values[value].source != source ||
        maker == NULL || !maker->op->is_view)
      return FALSE;
    value = maker->args[0];
  }
  return values[source].n_uses == 1;
}

/* ---- Chains ---- */

static gboolean
is_plain (const PtVkEmitter *emitter, guint32 index)
{
  const PtVkValue *value = &emitter->graph->values[index];

  return value->kind == PT_VK_TENSOR && value->stored == PT_DTYPE_F32 &&
         !emitter->graph->values[value->source].is_state && value->numel <= G_MAXINT32 &&
         pt_vk_value_bytes (value) <= emitter->context->max_range;
}

/* FALSE: rows that the shader does not take. */
static gboolean
set_rows (const PtVkEmitter *emitter, PtVkChain *chain, guint32 x)
{
  const PtVkShape *shape = &emitter->graph->values[x].shape;

  if (shape->rank == 0 || emitter->graph->values[x].numel == 0)
    return FALSE;
  chain->k = (gsize) shape->sizes[shape->rank - 1];
  chain->rows = emitter->graph->values[x].numel / chain->k;
  return chain->k % CHUNK == 0 && chain->k <= GROUP * MAX_UNITS * 8;
}

/* Adds the norm of @x. */
static void
add_norm (const PtVkEmitter *emitter, PtVkChain *chain, const PtVkCall *norm)
{
  const PtVkValue *weight = norm != NULL ? pt_vk_arg (emitter->graph, norm, 1) : NULL;

  if (norm == NULL || weight->kind != PT_VK_TENSOR || !is_plain (emitter, norm->args[1]) ||
      weight->numel != chain->k || !is_plain (emitter, pt_vk_out (emitter->graph, norm, 0)))
    return;
  chain->norm = norm;
}

/* Adds the bytes of @x, if a layer reads them and each row has a scale. */
static void
add_bytes (const PtVkEmitter *emitter, PtVkChain *chain, guint32 x)
{
  const PtVkGraph *graph = emitter->graph;
  const PtVkUsers *users = emitter->plan->users;
  const PtVkCall *choose = call_at (graph, users->values[x].choose), *product;
  guint32 scale, zero;

  if (choose == NULL)
    return;
  scale = pt_vk_out (graph, choose, 0);
  zero = pt_vk_out (graph, choose, 1);
  product = call_at (graph, users->values[scale].product);
  if (product == NULL || product->args[0] != x || product->args[2] != zero ||
      graph->values[scale].numel != chain->rows || graph->values[zero].numel != chain->rows ||
      !is_plain (emitter, scale) ||
      (graph->values[zero].stored != PT_DTYPE_I8 && graph->values[zero].stored != PT_DTYPE_I32))
    return;
  chain->choose = choose;
}

static gboolean
have_same_shape (const PtVkGraph *graph, guint32 a, guint32 b)
{
  return memcmp (&graph->values[a].shape, &graph->values[b].shape, sizeof (PtVkShape)) == 0;
}

/* a + b, where a norm or a layer follows. */
static gboolean
match_sum (const PtVkEmitter *emitter, const PtVkCall *call, PtVkChain *chain)
{
  guint32 a = call->args[0], b = call->args[1], y = pt_vk_out (emitter->graph, call, 0);

  if (!is_named (call, "aten.add.Tensor") || !is_plain (emitter, a) || !is_plain (emitter, b) ||
      !is_plain (emitter, y) || !have_same_shape (emitter->graph, a, b) ||
      !have_same_shape (emitter->graph, a, y) ||
      (call->n_args > 3 && pt_vk_double (emitter->graph, call, 2, 1) != 1))
    return FALSE;
  *chain = (PtVkChain){ .mode = PT_VK_ROWS_SUM, .a = a, .b = b, .combined = y, .is_written = TRUE };
  return set_rows (emitter, chain, y);
}

/* @call: (a * sigmoid (a)) * b, where the factors are of no other use. */
static gboolean
match_gate (const PtVkEmitter *emitter, const PtVkCall *call, PtVkChain *chain,
            const PtVkCall *parts[2])
{
  const PtVkGraph *graph = emitter->graph;
  const User *values = emitter->plan->users->values;
  guint32 y = pt_vk_out (graph, call, 0);

  for (guint i = 0; i < 4 && is_named (call, "aten.mul.Tensor"); i++) {
    guint32 product = call->args[i / 2], b = call->args[1 - i / 2], a, sigmoid;
    const PtVkCall *inner = call_at (graph, values[product].maker), *outer;

    if (inner == NULL || !is_named (inner, "aten.mul.Tensor") || values[product].n_uses != 1)
      continue;
    sigmoid = inner->args[i % 2];
    a = inner->args[1 - i % 2];
    outer = call_at (graph, values[sigmoid].maker);
    if (outer == NULL || !is_named (outer, "aten.sigmoid.default") || outer->args[0] != a ||
        values[sigmoid].n_uses != 1 || !is_plain (emitter, a) || !is_plain (emitter, b) ||
        !is_plain (emitter, product) || !is_plain (emitter, sigmoid) || !is_plain (emitter, y) ||
        !have_same_shape (graph, a, b) || !have_same_shape (graph, a, y))
      continue;
    *chain =
        (PtVkChain){ .mode = PT_VK_ROWS_GATE, .a = a, .b = b, .combined = y, .is_written = TRUE };
    parts[0] = outer;
    parts[1] = inner;
    return set_rows (emitter, chain, y);
  }
  return FALSE;
}

/* @call: the sigmoid or the first product of a gate. Its last product does its work. */
static gboolean
is_put_off (const PtVkEmitter *emitter, const PtVkCall *call)
{
  const PtVkGraph *graph = emitter->graph;
  const PtVkCall *parts[2], *last = call;
  PtVkChain chain;

  for (guint i = 0; i < 2; i++) {
    last = call_at (graph, emitter->plan->users->values[pt_vk_out (graph, last, 0)].factor);
    if (last == NULL)
      return FALSE;
    if (match_gate (emitter, last, &chain, parts))
      return parts[0] == call || parts[1] == call;
  }
  return FALSE;
}

/* ---- Dispatches ---- */

static void
set_done (PtVkEmitter *emitter, const PtVkCall *call)
{
  if (call != NULL)
    emitter->plan->users->is_done[call - emitter->graph->calls] = TRUE;
}

gboolean
pt_vk_bind_chain (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkChain *chain, guint32 unused,
                  GError **error)
{
  if (!pt_vk_bind_in (emitter, d, chain->a, error) ||
      !pt_vk_bind_in (emitter, d, chain->mode == PT_VK_ROWS_PLAIN ? chain->a : chain->b, error))
    return FALSE;
  if (chain->is_written)
    pt_vk_bind_out (emitter, d, chain->combined);
  else
    pt_vk_bind_temporary (emitter, d, unused, PT_VK_WRITE);
  /* In the place of a factor that is not there: the first source. */
  return pt_vk_bind_in (emitter, d, chain->norm != NULL ? chain->norm->args[1] : chain->a, error);
}

void
pt_vk_push_chain (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkChain *chain)
{
  const PtVkGraph *graph = emitter->graph;
  const PtVkCall *norm = chain->norm, *choose = chain->choose;

  pt_vk_push_float (d, norm != NULL ? pt_vk_double (graph, norm, 2, 0) : 0);
  pt_vk_push_float (d, choose != NULL ? pt_vk_double (graph, choose, 4, -128) : 0);
  pt_vk_push_float (d, choose != NULL ? pt_vk_double (graph, choose, 5, 127) : 0);
  pt_vk_push_float (d, choose != NULL ? pt_vk_double (graph, choose, 6, 1.1920929e-07) : 0);
}

static void
bind_bytes (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkChain *chain, guint32 unused)
{
  PtVkQuantizedRows rows = { 0 };
  gsize chunks = chain->k / CHUNK;

  if (chain->choose == NULL) {
    for (guint i = 0; i < 4; i++)
      pt_vk_bind_temporary (emitter, d, unused, PT_VK_WRITE);
    return;
  }
  rows.rows = chain->choose->args[0];
  rows.scale = pt_vk_out (emitter->graph, chain->choose, 0);
  rows.zero = pt_vk_out (emitter->graph, chain->choose, 1);
  rows.words = pt_vk_temporary (emitter, chain->rows * chain->k);
  rows.sums = pt_vk_temporary (emitter, chain->rows * (chunks + 1) * sizeof (gint32));
  pt_vk_bind_out (emitter, d, rows.scale);
  pt_vk_bind_out (emitter, d, rows.zero);
  pt_vk_bind_temporary (emitter, d, rows.words, PT_VK_WRITE);
  pt_vk_bind_temporary (emitter, d, rows.sums, PT_VK_WRITE);
  emitter->quantized = rows;
}

static PtVkEmitted
emit_chain (PtVkEmitter *emitter, const PtVkChain *chain, GError **error)
{
  const PtVkGraph *graph = emitter->graph;
  const PtVkCall *choose = chain->choose;
  gboolean is_byte =
      choose == NULL || graph->values[pt_vk_out (graph, choose, 1)].stored == PT_DTYPE_I8;
  guint32 unused = pt_vk_temporary (emitter, 4);
  PtVkDispatch *d =
      pt_vk_dispatch (emitter, is_byte ? PT_VK_SHADER_rows_i8 : PT_VK_SHADER_rows_i32);

  pt_vk_constant (d, chain->mode);
  pt_vk_constant (d, chain->norm != NULL);
  pt_vk_constant (d, choose != NULL);
  pt_vk_constant (d, (guint32) ((chain->k / 8 + GROUP - 1) / GROUP));
  if (!pt_vk_bind_chain (emitter, d, chain, unused, error))
    return PT_VK_FAILED;
  if (chain->norm != NULL)
    pt_vk_bind_out (emitter, d, pt_vk_out (graph, chain->norm, 0));
  else
    pt_vk_bind_temporary (emitter, d, unused, PT_VK_WRITE);
  bind_bytes (emitter, d, chain, unused);
  pt_vk_push (d, (guint32) chain->rows);
  pt_vk_push (d, (guint32) chain->k);
  pt_vk_push_chain (emitter, d, chain);
  pt_vk_groups (emitter, d, chain->rows, 1);
  set_done (emitter, chain->norm);
  set_done (emitter, choose);
  return PT_VK_EMITTED;
}

/* ---- Rows that layers make themselves ---- */

static gboolean
reads_memory_of (const PtVkGraph *graph, const PtVkCall *call, guint32 value)
{
  for (guint i = 0; i + 1 < call->n_args; i++) {
    const PtVkValue *arg = pt_vk_arg (graph, call, i);

    if (arg->kind == PT_VK_TENSOR && arg->source == graph->values[value].source)
      return TRUE;
    for (guint k = 0; arg->kind == PT_VK_VALUES && k < arg->count; k++)
      if (graph->values[arg->items[k]].source == graph->values[value].source)
        return TRUE;
  }
  return FALSE;
}

/*
 * Whether only layers that can make the row read its bytes, and nothing reads what it is made of
 * before the first of them writes that. @call: the one that is emitted.
 */
static gboolean
is_for_layers (PtVkEmitter *emitter, const PtVkCall *call, const PtVkChain *chain)
{
  const PtVkGraph *graph = emitter->graph;
  const User *values = emitter->plan->users->values;
  guint32 scale = pt_vk_out (graph, chain->choose, 0), zero = pt_vk_out (graph, chain->choose, 1);
  guint32 x = chain->choose->args[0];
  guint n = 0, first = (guint) (call - graph->calls) + 1;
  guint end = MIN (graph->n_calls, first + CALLS_AHEAD);

  for (guint i = first; i < end && n < values[scale].n_uses; i++) {
    const PtVkCall *other = &graph->calls[i];

    if (other == chain->norm || other == chain->choose)
      continue;
    if (is_named (other, "et_vk.linear_dq8ca_q4gsw.default") && other->args[0] == x &&
        other->args[1] == scale && other->args[2] == zero && pt_vk_takes_row (emitter, other))
      n++;
    else if (n == 0 && chain->mode != PT_VK_ROWS_PLAIN &&
             reads_memory_of (graph, other, chain->combined))
      return FALSE;
  }
  return n > 0 && n == values[scale].n_uses && n == values[zero].n_uses &&
         (chain->norm == NULL || values[x].n_uses == n + 1);
}

/* Leaves the row to the layers that read it. FALSE: they cannot. */
static gboolean
leave_to_layers (PtVkEmitter *emitter, const PtVkCall *call, PtVkChain *chain)
{
  PtVkUsers *users = emitter->plan->users;

  if (chain->rows != 1 || chain->choose == NULL || !is_for_layers (emitter, call, chain))
    return FALSE;
  /* Not a gate that only these layers read. */
  chain->is_written = chain->is_written &&
                      (chain->norm != NULL ||
                       users->values[chain->combined].n_uses >
                           1 + users->values[pt_vk_out (emitter->graph, chain->choose, 0)].n_uses);
  g_array_append_val (users->rows, *chain);
  set_done (emitter, chain->norm);
  set_done (emitter, chain->choose);
  return TRUE;
}

PtVkChain *
pt_vk_row_of (const PtVkEmitter *emitter, guint32 scale)
{
  GArray *rows = emitter->plan->users->rows;
  /* No more rows than that come between one and its layers. */
  guint end = rows->len - MIN (rows->len, CALLS_AHEAD);

  for (guint i = rows->len; i-- > end;) {
    PtVkChain *row = &g_array_index (rows, PtVkChain, i);

    if (pt_vk_out (emitter->graph, row->choose, 0) == scale)
      return row;
  }
  return NULL;
}

/* The layers that make the factors of a gate, which only it reads, make its rows. */
static gboolean
join_gate (PtVkEmitter *emitter, PtVkChain *chain)
{
  const User *values = emitter->plan->users->values;

  /* Its sigmoid and its product read the first factor. */
  if (values[chain->a].n_uses != 2 || values[chain->b].n_uses != 1 ||
      !pt_vk_join_gate (emitter, chain->a, chain->b, chain->combined))
    return FALSE;
  chain->mode = PT_VK_ROWS_PLAIN;
  chain->is_written = FALSE;
  chain->a = chain->combined;
  return TRUE;
}

PtVkEmitted
pt_vk_emit_fused (PtVkEmitter *emitter, const PtVkCall *call, GError **error)
{
  const User *values = emitter->plan->users->values;
  const PtVkCall *parts[2];
  gboolean is_sum, is_gate, is_joined;
  guint32 x = call->args[0];
  PtVkChain chain;

  if (is_named (call, "aten.sigmoid.default") || is_named (call, "aten.mul.Tensor"))
    if (is_put_off (emitter, call))
      return PT_VK_EMITTED;
  is_sum = match_sum (emitter, call, &chain);
  is_gate = !is_sum && match_gate (emitter, call, &chain, parts);
  is_joined = is_gate && join_gate (emitter, &chain);
  if (is_sum || is_gate) {
    x = is_joined ? chain.a : chain.combined;
    add_norm (emitter, &chain, call_at (emitter->graph, values[x].norm));
  } else if (is_named (call, "et_vk.rms_norm.default") ||
             is_named (call, "torchao.choose_qparams_affine.default")) {
    chain = (PtVkChain){ .mode = PT_VK_ROWS_PLAIN, .a = x };
    if (!is_plain (emitter, x) || !set_rows (emitter, &chain, x))
      return PT_VK_DECLINED;
    if (is_named (call, "et_vk.rms_norm.default"))
      add_norm (emitter, &chain, call);
  } else
    return PT_VK_DECLINED;
  if (chain.norm != NULL)
    x = pt_vk_out (emitter->graph, chain.norm, 0);
  add_bytes (emitter, &chain, x);
  if (leave_to_layers (emitter, call, &chain))
    return PT_VK_EMITTED;
  if (chain.norm == NULL && chain.choose == NULL && (is_joined || !is_gate))
    return is_joined ? PT_VK_EMITTED : PT_VK_DECLINED;
  return emit_chain (emitter, &chain, error);
}
