/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-graph.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/xnnpack/nodes.h"

#define ALIGNMENT 64

/* Workspace that is reserved at load. A graph that needs more allocates it in its first run. */
#define MAX_RESERVED ((gsize) 256 << 20)

const char *
pt_xnn_type_name (PtXnnType type)
{
  static const char *const names[] = { "invalid", "fp32",   "fp16",    "qint8",  "quint8",
                                       "qint32",  "qcint8", "qcint32", "qcint4", "qdint8",
                                       "qbint4",  "qpint8", "int32",   "pfp32",  "bf16" };

  return (guint) type < G_N_ELEMENTS (names) ? names[type] : "invalid";
}

gsize
pt_xnn_type_size (PtXnnType type)
{
  switch (type) {
  case PT_XNN_F32:
  case PT_XNN_QI32:
  case PT_XNN_QC32:
  case PT_XNN_I32: return 4;
  case PT_XNN_F16:
  case PT_XNN_BF16: return 2;
  case PT_XNN_QI8:
  case PT_XNN_QU8:
  case PT_XNN_QC8: return 1;
  default: return 0;
  }
}

PtXnnGraph *
pt_xnn_graph_new (PtPool *pool, guint64 max_bytes)
{
  PtXnnGraph *graph = g_new0 (PtXnnGraph, 1);

  graph->pool = pool != NULL ? pool : pt_pool_default ();
  graph->memory = g_ptr_array_new_with_free_func (g_free);
  graph->workspace = pt_workspace_ref (graph->pool);
  graph->max_bytes = max_bytes != 0 ? max_bytes : G_MAXUINT64;
  return graph;
}

void
pt_xnn_graph_free (PtXnnGraph *graph)
{
  pt_workspace_unref (graph->workspace);
  g_ptr_array_unref (graph->memory);
  g_free (graph->blocks);
  g_free (graph->externals);
  g_free (graph->nodes);
  g_free (graph->values);
  g_free (graph);
}

gpointer
pt_xnn_graph_alloc (PtXnnGraph *graph, gsize count, gsize size, GError **error)
{
  guint8 *block = NULL;
  gsize nbytes;

  if (pt_mul_size (count, size, &nbytes) && pt_add_size (nbytes, ALIGNMENT, &nbytes))
    block = g_try_malloc0 (nbytes);
  if (block == NULL) {
    pt_fail (error, PT_ERROR_MEMORY,
             "There is not enough memory to load this model. "
             "(ExecuTorch error 0x21)");
    return NULL;
  }
  g_ptr_array_add (graph->memory, block);
  return (gpointer) (((guintptr) block + ALIGNMENT - 1) & ~(guintptr) (ALIGNMENT - 1));
}

/* ---- Shapes ---- */

static gboolean
quantized_size (PtXnnValue *value, gsize *nbytes)
{
  const PtXnnShape *shape = &value->shape;
  gsize params;

  if (value->n_nonbatch > shape->rank)
    return FALSE;
  value->n_rows = value->row_length = 1;
  for (guint i = 0; i < shape->rank; i++)
    *(i + value->n_nonbatch < shape->rank ? &value->n_rows : &value->row_length) *= shape->dims[i];
  value->rows.stride = pt_quantized_stride (value->row_length);
  params = pt_round_up_64 (value->n_rows * sizeof (float));
  return pt_mul_size (value->n_rows, value->rows.stride, nbytes) &&
         pt_add_size (*nbytes, 2 * params, nbytes);
}

gboolean
pt_xnn_value_set_shape (PtXnnValue *value, guint rank, const gsize *dims, GError **error)
{
  gsize numel = 1, all = 1;

  /* The product without sizes of zero is an upper bound of all partial products. */
  for (guint i = 0; i < rank; i++) {
    numel *= dims[i] > 0 ? 1 : 0;
    if (!pt_mul_size (all, MAX (dims[i], 1), &all) || all > G_MAXSSIZE / 16)
      return pt_fail (error, PT_ERROR_MEMORY, "A tensor of an XNNPACK delegate is too large.");
    value->shape.dims[i] = dims[i];
  }
  value->shape.rank = rank;
  value->numel = numel * all;
  if (value->type != PT_XNN_QD8)
    value->nbytes = value->numel * pt_xnn_type_size (value->type);
  else if (!quantized_size (value, &value->nbytes))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "An XNNPACK delegate got a tensor of too few dimensions.");
  return TRUE;
}

gboolean
pt_xnn_graph_take_workspace (PtXnnGraph *graph, GError **error)
{
  if (graph->workspace_size <= graph->max_bytes &&
      pt_workspace_reserve (graph->workspace, graph->workspace_size))
    return TRUE;
  return pt_fail (error, PT_ERROR_MEMORY,
                  "There is not enough memory for the intermediate results of this model: "
                  "%" G_GSIZE_FORMAT " MB. (ExecuTorch error 0x21)",
                  graph->workspace_size >> 20);
}

/* Computes all shapes, starting with those of the inputs, and then the memory plan. */
static gboolean
plan_memory (PtXnnGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    PtXnnNode *node = &graph->nodes[i];

    if (!node->klass->shape (graph, node, error) ||
        (node->klass->setup != NULL && !node->klass->setup (graph, node, error)))
      return FALSE;
  }
  return pt_xnn_memory_plan (graph, error);
}

gboolean
pt_xnn_graph_reshape (PtXnnGraph *graph, GError **error)
{
  return plan_memory (graph, error) && pt_xnn_graph_take_workspace (graph, error);
}

gboolean
pt_xnn_graph_measure (PtXnnGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_values; i++) {
    PtXnnValue *value = &graph->values[i];

    if (value->is_input &&
        !pt_xnn_value_set_shape (value, value->declared.rank, value->declared.dims, error))
      return FALSE;
  }
  return plan_memory (graph, error);
}

void
pt_xnn_graph_reserve (PtXnnGraph *graph)
{
  if (pt_xnn_graph_measure (graph, NULL) &&
      graph->workspace_size <= MIN (MAX_RESERVED, graph->max_bytes))
    pt_workspace_reserve (graph->workspace, graph->workspace_size);
}

/* ---- Pointers ---- */

static void
bind_rows (PtXnnValue *value)
{
  gsize params = pt_round_up_64 (value->n_rows * sizeof (float));
  guint8 *data = value->data;

  value->rows.q = (gint8 *) data;
  value->rows.scale = (float *) (data + value->n_rows * value->rows.stride);
  value->rows.zero = (gint32 *) (data + value->n_rows * value->rows.stride + params);
}

void
pt_xnn_graph_bind (PtXnnGraph *graph)
{
  guint8 *base = graph->workspace->base; /* NULL when no delegate needs a workspace */

  for (guint i = 0; i < graph->n_values; i++) {
    PtXnnValue *value = &graph->values[i];

    if (base != NULL && value->root == i && pt_xnn_value_is_internal (value))
      value->data = base + value->offset;
  }
  for (guint i = 0; i < graph->n_values; i++) {
    PtXnnValue *value = &graph->values[i];

    value->data = graph->values[value->root].data;
    if (value->type == PT_XNN_QD8 && value->data != NULL)
      bind_rows (value);
  }
  for (guint i = 0; base != NULL && i < graph->n_nodes; i++)
    graph->nodes[i].scratch = base + graph->nodes[i].scratch_offset;
}
