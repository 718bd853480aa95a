/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/nodes.h"

/* Shapes of outputs from those of inputs (docs/formats/xnnpack.md, section 7). */

#define OUT(graph, node) pt_xnn_out (graph, node, 0)

gboolean
pt_xnn_shape_same (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;

  return pt_xnn_value_set_shape (OUT (graph, node), in->rank, in->dims, error);
}

/* Dim @i of @shape, extended with leading ones to @rank dims. */
static gsize
padded_dim (const PtXnnShape *shape, guint rank, guint i)
{
  return i + shape->rank < rank ? 1 : shape->dims[i + shape->rank - rank];
}

static gboolean
broadcast_dims (const PtXnnNode *node, const PtXnnShape *a, const PtXnnShape *b, guint rank,
                guint count, gsize *dims, GError **error)
{
  for (guint i = 0; i < count; i++) {
    gsize da = padded_dim (a, rank, i), db = padded_dim (b, rank, i);

    if (da != db && da != 1 && db != 1)
      return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its inputs do not fit together");
    dims[i] = da == 1 ? db : da;
  }
  return TRUE;
}

gboolean
pt_xnn_shape_broadcast (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *a = &pt_xnn_in (graph, node, 0)->shape;
  const PtXnnShape *b = &pt_xnn_in (graph, node, 1)->shape;
  guint rank = MAX (a->rank, b->rank);
  gsize dims[PT_XNN_MAX_RANK];

  return broadcast_dims (node, a, b, rank, rank, dims, error) &&
         pt_xnn_value_set_shape (OUT (graph, node), rank, dims, error);
}

gboolean
pt_xnn_shape_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *a = &pt_xnn_in (graph, node, 0)->shape;
  const PtXnnShape *b = &pt_xnn_in (graph, node, 1)->shape;
  guint rank = MAX (a->rank, b->rank);
  gboolean transposed = (node->flags & 1) != 0;
  gsize dims[PT_XNN_MAX_RANK];
  gsize k, n;

  if (a->rank < 2 || b->rank < 2)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its inputs are no matrices");
  k = b->dims[b->rank - (transposed ? 1 : 2)];
  n = b->dims[b->rank - (transposed ? 2 : 1)];
  if (a->dims[a->rank - 1] != k)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its matrices do not fit together");
  if (!broadcast_dims (node, a, b, rank, rank - 2, dims, error))
    return FALSE;
  dims[rank - 2] = a->dims[a->rank - 2];
  dims[rank - 1] = n;
  return pt_xnn_value_set_shape (OUT (graph, node), rank, dims, error);
}

gboolean
pt_xnn_shape_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnShape shape = pt_xnn_in (graph, node, 0)->shape;
  const PtXnnShape *filter = &pt_xnn_in (graph, node, 1)->shape;
  const PtXnnValue *bias = pt_xnn_in (graph, node, 2);
  gboolean transposed = (node->flags & 1) != 0;
  gsize oc, ic;

  if (filter->rank != 2 || shape.rank < 1)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its filter is no matrix");
  oc = filter->dims[transposed ? 1 : 0];
  ic = filter->dims[transposed ? 0 : 1];
  if (shape.dims[shape.rank - 1] != ic || ic == 0)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its input does not fit its filter");
  if (bias != NULL && bias->numel != oc)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its bias does not fit its filter");
  shape.dims[shape.rank - 1] = oc;
  return pt_xnn_value_set_shape (OUT (graph, node), shape.rank, shape.dims, error);
}

/* ---- Windows ---- */

static gboolean
window_dim (const PtXnnNode *node, gsize in, gsize pads, gsize kernel, gsize stride, gsize dilation,
            gsize *out, GError **error)
{
  gsize reach = dilation * (kernel - 1) + 1;

  if (in + pads < reach)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its input is smaller than its window");
  *out = (in + pads - reach) / stride + 1;
  return TRUE;
}

static gboolean
check_image (const PtXnnNode *node, const PtXnnShape *in, GError **error)
{
  if (in->rank != 4)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its input is not four-dimensional");
  return TRUE;
}

static gboolean
check_conv (const PtXnnNode *node, const PtXnnShape *in, GError **error)
{
  const PtXnnWindow *w = &node->window;

  if (!check_image (node, in, error))
    return FALSE;
  if (in->dims[3] != w->groups * w->group_in)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its input has another number of channels than its filter");
  return TRUE;
}

gboolean
pt_xnn_shape_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  const PtXnnWindow *w = &node->window;
  gsize dims[4];

  if (!check_conv (node, in, error))
    return FALSE;
  dims[0] = in->dims[0];
  dims[3] = w->groups * w->group_out;
  return window_dim (node, in->dims[1], w->pad_top + w->pad_bottom, w->kernel_h, w->stride_h,
                     w->dilation_h, &dims[1], error) &&
         window_dim (node, in->dims[2], w->pad_left + w->pad_right, w->kernel_w, w->stride_w,
                     w->dilation_w, &dims[2], error) &&
         pt_xnn_value_set_shape (OUT (graph, node), 4, dims, error);
}

static gboolean
transposed_dim (const PtXnnNode *node, gsize in, gsize pads, gsize kernel, gsize stride,
                gsize dilation, gsize adjustment, gsize *out, GError **error)
{
  gsize full;

  if (in == 0 || in - 1 > (G_MAXSSIZE >> 1) / stride)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its input is empty or too large");
  full = stride * (in - 1) + adjustment + dilation * (kernel - 1) + 1;
  if (full < pads)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its padding is larger than its output");
  *out = full - pads;
  return TRUE;
}

gboolean
pt_xnn_shape_conv_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  const PtXnnWindow *w = &node->window;
  gsize dims[4];

  if (!check_conv (node, in, error))
    return FALSE;
  dims[0] = in->dims[0];
  dims[3] = w->groups * w->group_out;
  return transposed_dim (node, in->dims[1], w->pad_top + w->pad_bottom, w->kernel_h, w->stride_h,
                         w->dilation_h, w->adjustment_h, &dims[1], error) &&
         transposed_dim (node, in->dims[2], w->pad_left + w->pad_right, w->kernel_w, w->stride_w,
                         w->dilation_w, w->adjustment_w, &dims[2], error) &&
         pt_xnn_value_set_shape (OUT (graph, node), 4, dims, error);
}

static gboolean
pool_dims (const PtXnnGraph *graph, const PtXnnNode *node, gsize *dims, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  const PtXnnWindow *w = &node->window;

  if (!check_image (node, in, error))
    return FALSE;
  dims[0] = in->dims[0];
  dims[3] = in->dims[3];
  return window_dim (node, in->dims[1], w->pad_top + w->pad_bottom, w->kernel_h, w->stride_h,
                     w->dilation_h, &dims[1], error) &&
         window_dim (node, in->dims[2], w->pad_left + w->pad_right, w->kernel_w, w->stride_w,
                     w->dilation_w, &dims[2], error);
}

gboolean
pt_xnn_shape_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  gsize dims[4];

  return pool_dims (graph, node, dims, error) &&
         pt_xnn_value_set_shape (OUT (graph, node), 4, dims, error);
}

gboolean
pt_xnn_shape_argmax (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  gsize dims[4];

  return pool_dims (graph, node, dims, error) &&
         pt_xnn_value_set_shape (OUT (graph, node), 4, dims, error) &&
         pt_xnn_value_set_shape (pt_xnn_out (graph, node, 1), 4, dims, error);
}

gboolean
pt_xnn_shape_global_average (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnShape shape = pt_xnn_in (graph, node, 0)->shape;

  if (shape.rank < 3 || shape.dims[shape.rank - 3] == 0 || shape.dims[shape.rank - 2] == 0)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its input is no image");
  shape.dims[shape.rank - 3] = shape.dims[shape.rank - 2] = 1;
  return pt_xnn_value_set_shape (OUT (graph, node), shape.rank, shape.dims, error);
}

gboolean
pt_xnn_shape_resize (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnShape shape = pt_xnn_in (graph, node, 0)->shape;

  if (!check_image (node, &shape, error))
    return FALSE;
  if (shape.dims[1] == 0 || shape.dims[2] == 0)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its input is empty");
  shape.dims[1] = node->new_h;
  shape.dims[2] = node->new_w;
  return pt_xnn_value_set_shape (OUT (graph, node), 4, shape.dims, error);
}

/* ---- Shape nodes ---- */

static gboolean
check_rank (const PtXnnNode *node, const PtXnnShape *in, GError **error)
{
  if (in->rank != node->n_list)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its input has another number of dimensions");
  return TRUE;
}

gboolean
pt_xnn_shape_transpose (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  gsize dims[PT_XNN_MAX_RANK];

  if (!check_rank (node, in, error))
    return FALSE;
  for (guint i = 0; i < in->rank; i++)
    dims[i] = in->dims[node->list[0][i]];
  return pt_xnn_value_set_shape (OUT (graph, node), in->rank, dims, error);
}

gboolean
pt_xnn_shape_reshape (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0);
  PtXnnValue *out = OUT (graph, node);
  gsize dims[PT_XNN_MAX_RANK];
  gsize known = 1;
  guint open = PT_XNN_MAX_RANK;

  for (guint i = 0; i < node->n_list; i++) {
    dims[i] = (gsize) node->list[0][i];
    if (dims[i] == 0)
      open = i;
    else if (!g_size_checked_mul (&known, known, dims[i]))
      return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its new shape is too large");
  }
  if (open < PT_XNN_MAX_RANK)
    dims[open] = in->numel / known;
  if (!pt_xnn_value_set_shape (out, node->n_list, dims, error))
    return FALSE;
  if (out->numel != in->numel)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its input has another number of elements than its new shape");
  return TRUE;
}

gboolean
pt_xnn_shape_slice (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  gsize dims[PT_XNN_MAX_RANK];

  if (!check_rank (node, in, error))
    return FALSE;
  for (guint i = 0; i < in->rank; i++) {
    gsize offset = MIN ((gsize) node->list[0][i], in->dims[i]);
    gint64 size = node->list[1][i];

    dims[i] = in->dims[i] - offset;
    if (size > 0)
      dims[i] = MIN (dims[i], (gsize) size);
  }
  return pt_xnn_value_set_shape (OUT (graph, node), in->rank, dims, error);
}

gboolean
pt_xnn_shape_pad (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnShape *in = &pt_xnn_in (graph, node, 0)->shape;
  gsize dims[PT_XNN_MAX_RANK];

  if (!check_rank (node, in, error))
    return FALSE;
  for (guint i = 0; i < in->rank; i++)
    dims[i] = in->dims[i] + (gsize) node->list[0][i] + (gsize) node->list[1][i];
  return pt_xnn_value_set_shape (OUT (graph, node), in->rank, dims, error);
}

gboolean
pt_xnn_shape_concat (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnShape shape = pt_xnn_in (graph, node, 0)->shape;

  if (node->axis >= shape.rank)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its axis is no dimension");
  for (guint k = 1; k < node->n_in; k++) {
    const PtXnnShape *in = &pt_xnn_in (graph, node, k)->shape;
    gboolean same = in->rank == shape.rank;

    for (guint i = 0; same && i < shape.rank; i++)
      same = i == node->axis || in->dims[i] == shape.dims[i];
    if (!same)
      return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT, "its inputs do not fit together");
    shape.dims[node->axis] += in->dims[node->axis];
  }
  return pt_xnn_value_set_shape (OUT (graph, node), shape.rank, shape.dims, error);
}
