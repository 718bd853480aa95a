/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-shape-nodes.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "engine/xnnpack/strided-copy.h"

/*
 * Nodes that move elements: transpose, slice, pad, concatenate, and reshape and copy where views
 * are not possible (docs/formats/xnnpack.md, section 5.6). All are strided copies.
 */

typedef struct {
  guint n_copies;
  PtXnnCopy copies[PT_XNN_MAX_INPUTS];
  gsize from_offset; /* size in bytes */
  gsize to_offset[PT_XNN_MAX_INPUTS];
  guint32 fill; /* pad: the bits of the padding value */
} Moves;

static gboolean
is_movable (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *out = pt_xnn_out (graph, node, 0);

  for (guint k = 0; k < node->n_in; k++)
    if (pt_xnn_in (graph, node, k)->type != out->type)
      return FALSE;
  return pt_xnn_type_size (out->type) > 0;
}

static void
run_moves (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const Moves *moves = node->state;
  guint8 *to = pt_xnn_out (graph, node, 0)->data;

  for (guint i = 0; i < moves->n_copies; i++)
    pt_xnn_copy_run (graph->pool, &moves->copies[i],
                     (const guint8 *) pt_xnn_in (graph, node, i)->data + moves->from_offset,
                     to + moves->to_offset[i]);
}

static void
fill_elements (gpointer to, gsize width, gsize n, guint32 bits)
{
  if (width == 1)
    memset (to, (int) (bits & 0xff), n);
  else if (width == 2)
    for (gsize i = 0; i < n; i++)
      ((guint16 *) to)[i] = (guint16) bits;
  else
    for (gsize i = 0; i < n; i++)
      ((guint32 *) to)[i] = bits;
}

static void
run_pad (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const Moves *moves = node->state;
  const PtXnnValue *out = pt_xnn_out (graph, node, 0);

  fill_elements (out->data, pt_xnn_type_size (out->type), out->numel, moves->fill);
  run_moves (graph, node);
}

gboolean
pt_xnn_is_move (const PtXnnNode *node)
{
  return node->run == run_moves;
}

gboolean
pt_xnn_copies_range (const PtXnnNode *node, gsize *offset)
{
  const Moves *moves = node->state;

  if (moves->n_copies != 1 || !pt_xnn_copy_is_range (&moves->copies[0]))
    return FALSE;
  *offset = moves->from_offset;
  return TRUE;
}

/* ---- Preparing ---- */

/* NaN becomes the lower bound. */
static guint32
to_int (float number, float lo, float hi)
{
  return (guint32) (gint32) fminf (fmaxf (number, lo), hi);
}

static guint32
fill_bits (const PtXnnNode *node, const PtXnnValue *out)
{
  gint32 lo = out->type == PT_XNN_QU8 ? 0 : -128;
  guint32 bits;
  float q;

  switch (out->type) {
  case PT_XNN_F16: return pt_f32_to_f16 (node->number);
  case PT_XNN_BF16: return pt_f32_to_bf16 (node->number);
  case PT_XNN_QI8:
  case PT_XNN_QU8:
    q = rintf (node->number / out->scale) + (float) out->zero_point;
    return to_int (q, (float) lo, (float) (lo + 255));
  case PT_XNN_I32: return to_int (node->number, -2147483648.0f, 2147483520.0f);
  default: memcpy (&bits, &node->number, sizeof bits); return bits;
  }
}

gboolean
pt_xnn_prepare_moves (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  Moves *moves;

  if (!is_movable (graph, node))
    return pt_xnn_node_types_fail (graph, node, error);
  moves = node->state = pt_xnn_graph_alloc (graph, 1, sizeof *moves, error);
  if (moves == NULL)
    return FALSE;
  moves->n_copies = node->n_in;
  node->run = run_moves;
  if (node->klass->table == PT_XNN_TABLE_PAD) {
    moves->fill = fill_bits (node, pt_xnn_out (graph, node, 0));
    node->run = run_pad;
  }
  return TRUE;
}

static gsize
offset_of (const gsize *strides, const gint64 *offsets, const PtXnnShape *shape)
{
  gsize offset = 0;

  for (guint i = 0; i < shape->rank; i++)
    offset += MIN ((gsize) offsets[i], shape->dims[i]) * strides[i];
  return offset;
}

gboolean
pt_xnn_setup_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  gsize strides[PT_XNN_MAX_RANK], from[PT_XNN_MAX_RANK], to[PT_XNN_MAX_RANK];
  Moves *moves = node->state;

  pt_xnn_strides (&in->shape, strides);
  pt_xnn_strides (&out->shape, to);
  for (guint i = 0; i < in->shape.rank; i++)
    from[i] = strides[node->list[0][i]];
  pt_xnn_copy_init (&moves->copies[0], pt_xnn_type_size (in->type), out->shape.rank,
                    out->shape.dims, from, to);
  return TRUE;
}

/* A Reshape or Copy from one argument to another. */
gboolean
pt_xnn_setup_copy (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const gsize n = pt_xnn_out (graph, node, 0)->numel, stride = 1;
  Moves *moves = node->state;

  pt_xnn_copy_init (&moves->copies[0], pt_xnn_type_size (pt_xnn_out (graph, node, 0)->type), 1, &n,
                    &stride, &stride);
  return TRUE;
}

gboolean
pt_xnn_setup_slice (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  gsize width = pt_xnn_type_size (in->type);
  gsize from[PT_XNN_MAX_RANK], to[PT_XNN_MAX_RANK];
  Moves *moves = node->state;

  pt_xnn_strides (&in->shape, from);
  pt_xnn_strides (&out->shape, to);
  moves->from_offset = out->numel > 0 ? width * offset_of (from, node->list[0], &in->shape) : 0;
  pt_xnn_copy_init (&moves->copies[0], width, out->shape.rank, out->shape.dims, from, to);
  return TRUE;
}

gboolean
pt_xnn_setup_pad (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  gsize width = pt_xnn_type_size (in->type);
  gsize from[PT_XNN_MAX_RANK], to[PT_XNN_MAX_RANK];
  Moves *moves = node->state;

  pt_xnn_strides (&in->shape, from);
  pt_xnn_strides (&out->shape, to);
  moves->to_offset[0] = in->numel > 0 ? width * offset_of (to, node->list[0], &out->shape) : 0;
  pt_xnn_copy_init (&moves->copies[0], width, in->shape.rank, in->shape.dims, from, to);
  return TRUE;
}

gboolean
pt_xnn_setup_concat (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *out = pt_xnn_out (graph, node, 0);
  gsize width = pt_xnn_type_size (out->type);
  gsize from[PT_XNN_MAX_RANK], to[PT_XNN_MAX_RANK];
  Moves *moves = node->state;
  gsize at = 0;

  pt_xnn_strides (&out->shape, to);
  for (guint k = 0; k < node->n_in; k++) {
    const PtXnnShape *in = &pt_xnn_in (graph, node, k)->shape;

    pt_xnn_strides (in, from);
    moves->to_offset[k] = out->numel > 0 ? at * to[node->axis] * width : 0;
    pt_xnn_copy_init (&moves->copies[k], width, in->rank, in->dims, from, to);
    at += in->dims[node->axis];
  }
  return TRUE;
}
