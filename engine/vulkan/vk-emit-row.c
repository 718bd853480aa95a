/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of layers of one row that make its bytes themselves. */
#include "engine/vulkan/vk-emit-matrices.h"
#include "engine/vulkan/vk-emit-strides.h"

/* Of shaders/row-product.comp. */
#define CHUNK 32
#define CHUNK_BYTES 16
#define MAX_UNITS 2
#define MAX_TIMES 4
/* So many groups keep a GPU busy: where there would be more, a group makes more columns. */
#define WANTED_GROUPS 256
/* Elements of a weight from which on it costs less that a dispatch makes the bytes once. */
#define MAX_ELEMENTS ((gsize) 1 << 26)

static guint32
count_units (gsize chunks)
{
  return (guint32) ((chunks + PT_VK_LANES (chunks) - 1) / PT_VK_LANES (chunks));
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
  return p->m == 1 && p->n > 0 && pt_vk_has_chunks (emitter, p) &&
         count_units (p->k / CHUNK) <= MAX_UNITS && p->n <= MAX_ELEMENTS / p->k &&
         are_within_reach (emitter) && pt_vk_columns_at_once (emitter, p) == p->n;
}

/* The row: the first four bindings. */
static gboolean
bind_row (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkChain *row, GError **error)
{
  gboolean is_plain = row->mode == PT_VK_ROWS_PLAIN;

  if (!pt_vk_bind_in (emitter, d, row->a, error) ||
      !pt_vk_bind_in (emitter, d, is_plain ? row->a : row->b, error))
    return FALSE;
  if (row->is_written)
    pt_vk_bind_out (emitter, d, row->combined);
  else
    pt_vk_bind_temporary (emitter, d, pt_vk_temporary (emitter, 4), PT_VK_WRITE);
  return pt_vk_bind_in (emitter, d, row->norm != NULL ? row->norm->args[1] : row->a, error);
}

static gboolean
bind_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p, GError **error)
{
  if (!pt_vk_bind_weight (emitter, d, p, error))
    return FALSE;
  /* In the place of a bias that is not there: the weight. */
  if (p->bias == PT_VK_NONE)
    d->bindings[d->n_bindings++] = d->bindings[4];
  else if (!pt_vk_bind_in (emitter, d, p->bias, error))
    return FALSE;
  if (!pt_vk_bind_group_scales (emitter, d, p, error))
    return FALSE;
  pt_vk_bind_out (emitter, d, p->y);
  return TRUE;
}

static void
push_row (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkChain *row)
{
  const PtVkGraph *graph = emitter->graph;

  pt_vk_constant (d, row->mode);
  pt_vk_constant (d, row->norm != NULL);
  pt_vk_constant (d, row->is_written);
  pt_vk_constant (d, count_units (row->k / CHUNK));
  pt_vk_push_float (d, row->norm != NULL ? pt_vk_double (graph, row->norm, 2, 0) : 0);
  pt_vk_push_float (d, pt_vk_double (graph, row->choose, 4, -128));
  pt_vk_push_float (d, pt_vk_double (graph, row->choose, 5, 127));
  pt_vk_push_float (d, pt_vk_double (graph, row->choose, 6, 1.1920929e-07));
}

PtVkEmitted
pt_vk_emit_row_product (PtVkEmitter *emitter, const PtVkProduct *p, PtVkChain *row, GError **error)
{
  gsize times = CLAMP (p->n / (PT_VK_VECTOR_COLUMNS * WANTED_GROUPS), 1, MAX_TIMES);
  PtVkDispatch *d =
      pt_vk_dispatch (emitter, emitter->context->has_dot ? PT_VK_SHADER_row_product
                                                         : PT_VK_SHADER_row_product_plain);

  if (!bind_row (emitter, d, row, error) || !bind_product (emitter, d, p, error))
    return PT_VK_FAILED;
  pt_vk_constant (d, p->bias != PT_VK_NONE);
  pt_vk_constant (d, (guint32) times);
  pt_vk_constant (d, PT_VK_LANES (p->k / CHUNK));
  pt_vk_push (d, (guint32) p->n);
  pt_vk_push (d, (guint32) (p->k / CHUNK));
  pt_vk_push (d, (guint32) (p->stride / CHUNK_BYTES));
  pt_vk_push (d, (guint32) (p->group / CHUNK));
  pt_vk_push (d, (guint32) ((p->k + p->group - 1) / p->group));
  push_row (emitter, d, row);
  d->work = (double) p->n * (double) p->k / 4;
  pt_vk_groups (emitter, d, p->n, PT_VK_VECTOR_COLUMNS * times);
  row->is_written = FALSE; /* the other layers need not */
  return PT_VK_EMITTED;
}
