/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/call-arguments.h"

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/value.h"
#include "engine/xnnpack/xnn-shape-nodes.h"

static PtDType
dtype_of (PtXnnType type)
{
  switch (type) {
  case PT_XNN_F16: return PT_DTYPE_F16;
  case PT_XNN_BF16: return PT_DTYPE_BF16;
  case PT_XNN_QI8: return PT_DTYPE_I8;
  case PT_XNN_QU8: return PT_DTYPE_U8;
  case PT_XNN_I32: return PT_DTYPE_I32;
  default: return PT_DTYPE_F32;
  }
}

/* Checks the dtype of an argument and the alignment of its data. */
static gboolean
check_argument (const PtXnnValue *value, const PtTensor *tensor, GError **error)
{
  char text[160];

  if (tensor->dtype != dtype_of (value->type) &&
      !(value->is_output && value->type == PT_XNN_I32 && tensor->dtype == PT_DTYPE_I64))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Argument %u of an XNNPACK delegate is %s, but %s is needed.", value->external,
                    pt_tensor_describe (tensor, text, sizeof text), pt_xnn_type_name (value->type));
  if ((guintptr) tensor->data % MAX (pt_dtype_size (tensor->dtype), 1) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Argument %u of an XNNPACK delegate is not aligned in memory.",
                    value->external);
  return TRUE;
}

/* ---- Inputs ---- */

static gboolean
has_shape_of (const PtXnnValue *value, const PtTensor *tensor)
{
  if (tensor->rank == 0)
    return value->shape.rank == 1 && value->shape.dims[0] == 1;
  if (value->shape.rank != tensor->rank)
    return FALSE;
  for (guint j = 0; j < tensor->rank; j++)
    if (value->shape.dims[j] != (gsize) tensor->sizes[tensor->dim_order[j]])
      return FALSE;
  return TRUE;
}

static gboolean
take_shape (PtXnnValue *value, const PtTensor *tensor, GError **error)
{
  gsize dims[PT_XNN_MAX_RANK] = { 1 };

  if (tensor->rank > PT_XNN_MAX_RANK)
    return pt_fail (
        error, PT_ERROR_ARGUMENT,
        "Argument %u of an XNNPACK delegate has %u dimensions; at most %d are possible. "
        "(ExecuTorch error 0x12)",
        value->external, tensor->rank, PT_XNN_MAX_RANK);
  for (guint j = 0; j < tensor->rank; j++)
    dims[j] = (gsize) tensor->sizes[tensor->dim_order[j]];
  /* Payloads store scalars with shape [1]. */
  return pt_xnn_value_set_shape (value, MAX (tensor->rank, 1), dims, error);
}

gboolean
pt_xnn_bind_inputs (PtXnnGraph *graph, PtValue *const *args, gboolean *reshaped, gboolean *moved,
                    GError **error)
{
  for (guint i = 0; i < graph->n_externs; i++) {
    PtXnnValue *value;
    PtTensor *tensor;

    if (graph->externals[i] == PT_XNN_NONE || !graph->values[graph->externals[i]].is_input)
      continue;
    value = &graph->values[graph->externals[i]];
    tensor = pt_in_tensor (args[i], "The input of an XNNPACK delegate", error);
    if (tensor == NULL || !check_argument (value, tensor, error))
      return FALSE;
    if (!has_shape_of (value, tensor)) {
      *reshaped = TRUE;
      if (!take_shape (value, tensor, error))
        return FALSE;
    }
    *moved |= value->data != tensor->data;
    value->data = tensor->data;
  }
  return TRUE;
}

/* ---- Outputs ---- */

static gboolean
size_output (const PtXnnValue *value, const PtValue *arg, PtTensor *tensor, GError **error)
{
  const PtXnnShape *shape = &value->shape;
  guint rank = tensor->rank;
  gint64 sizes[PT_XNN_MAX_RANK];

  /* shape [1] in the graph means a scalar in the program */
  if (rank != shape->rank && !(rank == 0 && value->numel == 1))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Output %u of an XNNPACK delegate has %u dimensions, but its argument has %u.",
                    value->external, shape->rank, rank);
  for (guint j = 0; j < rank; j++)
    sizes[tensor->dim_order[j]] = (gint64) shape->dims[j];
  return pt_out_tensor (arg, rank, sizes, error) != NULL;
}

gboolean
pt_xnn_bind_outputs (PtXnnGraph *graph, PtValue *const *args, gboolean *moved, GError **error)
{
  for (guint i = 0; i < graph->n_externs; i++) {
    PtXnnValue *value;
    PtTensor *tensor;

    if (graph->externals[i] == PT_XNN_NONE || !graph->values[graph->externals[i]].is_output)
      continue;
    value = &graph->values[graph->externals[i]];
    tensor = pt_value_tensor (args[i], "The output of an XNNPACK delegate", error);
    if (tensor == NULL || !size_output (value, args[i], tensor, error) ||
        !check_argument (value, tensor, error))
      return FALSE;
    *moved |= value->data != tensor->data;
    value->data = tensor->data;
  }
  return TRUE;
}

/* ---- Aliases ---- */

PtXnnAlias *
pt_xnn_aliases_new (const PtXnnGraph *graph, GError **error)
{
  PtXnnAlias *aliases = pt_allocate (graph->n_externs, sizeof (PtXnnAlias), error);

  for (guint i = 0; aliases != NULL && i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];

    if (node->n_in == 1 && node->run != NULL && pt_xnn_is_move (node) &&
        pt_xnn_in (graph, node, 0)->is_input && pt_xnn_out (graph, node, 0)->is_output)
      aliases[pt_xnn_out (graph, node, 0)->external].node = node;
  }
  return aliases;
}

void
pt_xnn_end_aliases (const PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args)
{
  for (guint i = 0; i < graph->n_externs; i++) {
    PtXnnAlias *alias = &aliases[i];

    if (alias->source != NULL && args[i]->kind == PT_VALUE_TENSOR &&
        args[i]->as_tensor->data == alias->source) {
      args[i]->as_tensor->data = alias->data;
      args[i]->as_tensor->capacity = alias->capacity;
      args[i]->as_tensor->is_constant = FALSE;
    }
    alias->source = NULL;
  }
}

gboolean
pt_xnn_make_aliases (PtXnnGraph *graph, PtXnnAlias *aliases, PtValue *const *args)
{
  gboolean any = FALSE;

  for (guint i = 0; i < graph->n_externs; i++) {
    PtXnnAlias *alias = &aliases[i];
    const PtXnnValue *in;
    PtXnnValue *out;
    PtTensor *tensor;
    gsize offset;

    if (alias->node == NULL || !pt_xnn_copies_range (alias->node, &offset))
      continue;
    in = pt_xnn_in (graph, alias->node, 0);
    out = pt_xnn_out (graph, alias->node, 0);
    tensor = args[i]->as_tensor;
    /* One tensor of a damaged call may be two outputs; the first one has made the alias. */
    if (!args[in->external]->as_tensor->is_constant || tensor->is_constant)
      continue;
    alias->data = tensor->data;
    alias->capacity = tensor->capacity;
    alias->source = (guint8 *) in->data + offset;
    tensor->data = out->data = alias->source;
    tensor->capacity = out->nbytes;
    tensor->is_constant = TRUE;
    any = TRUE;
  }
  return any;
}

/* Goes from the last element to the first, because wider elements overwrite narrow ones. */
void
pt_xnn_widen_outputs (PtXnnGraph *graph, PtValue *const *args)
{
  for (guint i = 0; i < graph->n_externs; i++) {
    const PtXnnValue *value;

    if (graph->externals[i] == PT_XNN_NONE)
      continue;
    value = &graph->values[graph->externals[i]];
    if (value->is_output && value->type == PT_XNN_I32 && args[i]->as_tensor->dtype == PT_DTYPE_I64)
      for (gsize k = value->numel; k-- > 0;) {
        gint32 narrow = ((const gint32 *) value->data)[k];

        ((gint64 *) value->data)[k] = narrow;
      }
  }
}
