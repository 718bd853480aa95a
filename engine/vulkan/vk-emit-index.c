/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of operators that read indices (docs/formats/vulkan.md, section 8.2). */
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

typedef struct {
  guint32 table, index; /* values */
  guint dim;
  gsize first, n; /* the places of the table that are bound */
} Lookup;

/* FALSE with an error. */
static gboolean
add_lookup (PtVkEmitter *emitter, const Lookup *lookup, GError **error)
{
  const PtVkShape *table = &emitter->graph->values[lookup->table].shape;
  const PtVkValue *index = &emitter->graph->values[lookup->index];
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  gsize inner = (gsize) pt_vk_stride_of (table, lookup->dim);
  gboolean is_whole = lookup->n == (gsize) table->sizes[lookup->dim];
  PtVkDispatch *d = pt_vk_dispatch (emitter, PT_VK_SHADER_index_32);

  if (!(is_whole ? pt_vk_bind_in (emitter, d, lookup->table, error)
                 : pt_vk_bind_rows (emitter, d, lookup->table, lookup->first, lookup->n,
                                    inner * sizeof (guint32), error)) ||
      !pt_vk_bind_in (emitter, d, lookup->index, error))
    return FALSE;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  pt_vk_push (d, (guint32) index->numel);
  pt_vk_push (d, (guint32) inner);
  pt_vk_push (d, (guint32) table->sizes[lookup->dim]);
  pt_vk_push (d, (guint32) lookup->first);
  pt_vk_push (d, (guint32) lookup->n);
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return TRUE;
}

/* y[o, k, i] = x[o, index[k], i], where x has @table places in its indexed dimension. */
static PtVkEmitted
emit_index (PtVkEmitter *emitter, guint32 table_value, guint32 index_value, guint dim,
            GError **error)
{
  const PtVkValue *table = &emitter->graph->values[table_value];
  const PtVkValue *index = &emitter->graph->values[index_value];
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  Lookup lookup = { table_value, index_value, dim, 0, 0 };
  gsize n, places;

  if (index->stored != PT_DTYPE_I32 || table->stored != out->stored ||
      pt_dtype_size (out->stored) != 4 || table->numel == 0)
    return PT_VK_DECLINED;
  places = (gsize) table->shape.sizes[dim];
  n = pt_vk_rows_at_once (emitter, table_value, places, table->numel / places * sizeof (guint32));
  if (places > G_MAXINT32 || (n < places && (n == 0 || dim > 0)))
    return PT_VK_DECLINED;
  for (; lookup.first < places; lookup.first += n) {
    lookup.n = MIN (n, places - lookup.first);
    if (!add_lookup (emitter, &lookup, error))
      return PT_VK_FAILED;
  }
  return PT_VK_EMITTED;
}

PT_VK_EMIT (index_select)
{
  guint dim;

  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), pt_vk_in_value (emitter, 0)->shape.rank, &dim,
                  error))
    return PT_VK_FAILED;
  return emit_index (emitter, pt_vk_in_index (emitter, 0), pt_vk_in_index (emitter, 2), dim, error);
}

PT_VK_EMIT (index)
{
  return emit_index (emitter, pt_vk_in_index (emitter, 0),
                     pt_vk_list_item (emitter->graph, call, 1, 0), 0, error);
}

PT_VK_EMIT (embedding)
{
  return emit_index (emitter, pt_vk_in_index (emitter, 0), pt_vk_in_index (emitter, 1), 0, error);
}

PT_VK_EMIT (gather)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0), *index = pt_vk_in_value (emitter, 2);
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  guint rank = in->shape.rank, dim;
  PtVkDispatch *d;

  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), rank, &dim, error))
    return PT_VK_FAILED;
  if (index->stored != PT_DTYPE_I32 || in->stored != out->stored || in->numel == 0 ||
      pt_dtype_size (out->stored) != 4 || rank == 0)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_gather_32);
  pt_vk_constant (d, rank);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 2), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  pt_vk_push (d, (guint32) in->shape.sizes[dim]);
  pt_vk_push (d, (guint32) pt_vk_stride_of (&in->shape, dim));
  for (guint i = 0; i < PT_VK_MAX_RANK; i++)
    pt_vk_push (d, i < rank ? (guint32) index->shape.sizes[rank - 1 - i] : 1);
  for (guint i = 0; i < PT_VK_MAX_RANK; i++)
    pt_vk_push (d, i < rank && rank - 1 - i != dim
                       ? (guint32) pt_vk_stride_of (&in->shape, rank - 1 - i)
                       : 0);
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
