/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/weights.h"

#include "engine/xnnpack/q8.h"

const float *
pt_xnn_filter_scales (PtXnnGraph *graph, const PtXnnNode *node, guint channel_dim, gsize n,
                      GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  float *scales;

  if (filter->type == PT_XNN_QC8 || filter->type == PT_XNN_QC4) {
    if (filter->channel_dim == channel_dim && filter->n_scales == n)
      return filter->channel_scales;
    pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                      "its scales do not belong to its output channels");
    return NULL;
  }
  if (filter->type == PT_XNN_QI8 && filter->zero_point != 0) {
    pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED, "its filter has a zero point");
    return NULL;
  }
  scales = pt_xnn_graph_alloc (graph, n, sizeof *scales, error);
  for (gsize i = 0; scales != NULL && i < n; i++)
    scales[i] = filter->scale;
  return scales;
}

const gint8 *
pt_xnn_signed_filter (PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  guint8 *copy;

  if (filter->type != PT_XNN_QU8)
    return (const gint8 *) filter->constant;
  copy = pt_xnn_graph_alloc (graph, filter->numel, 1, error);
  for (gsize i = 0; copy != NULL && i < filter->numel; i++)
    copy[i] = filter->constant[i] ^ 0x80;
  return (const gint8 *) copy;
}

gboolean
pt_xnn_weights_qc8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                    guint channel_dim, gsize n, gsize k, PtWeightsQc8 *out, GError **error)
{
  gint32 *sums = pt_xnn_graph_alloc (graph, n, sizeof *sums, error);

  if (sums == NULL)
    return FALSE;
  out->weights = weights;
  out->scales = pt_xnn_filter_scales (graph, node, channel_dim, n, error);
  if (out->scales == NULL)
    return FALSE;
  pt_row_sums_i8 (graph->pool, n, k, weights, k, sums);
  out->row_sums = sums;
  return TRUE;
}

gboolean
pt_xnn_weights_qs8 (PtXnnGraph *graph, const PtXnnNode *node, const gint8 *weights,
                    guint channel_dim, gsize n, PtWeightsQs8 *out, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1), *bias = pt_xnn_in (graph, node, 2);
  const float *scales = pt_xnn_filter_scales (graph, node, channel_dim, n, error);
  float *scale;

  if (scales == NULL)
    return FALSE;
  if (bias != NULL && ((bias->type != PT_XNN_QI32 && bias->type != PT_XNN_QC32) ||
                       bias->constant == NULL || bias->numel != n))
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED, "its bias does not fit");
  scale = pt_xnn_graph_alloc (graph, n, sizeof *scale, error);
  if (scale == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    scale[i] = (x->scale * scales[i]) / y->scale;
  out->weights = weights;
  out->bias = bias != NULL ? (const gint32 *) bias->constant : NULL;
  out->scale = scale;
  out->w_zero = filter->type == PT_XNN_QU8 ? pt_q8_zero (filter) : 0;
  out->x_zero = pt_q8_zero (x);
  out->y_zero = pt_q8_zero (y);
  pt_q8_bounds (node, y, &out->y_min, &out->y_max);
  return TRUE;
}

gboolean
pt_xnn_bias_f32 (PtXnnGraph *graph, const PtXnnNode *node, gsize n, const float **out,
                 GError **error)
{
  const PtXnnValue *bias = pt_xnn_in (graph, node, 2);

  *out = NULL;
  if (bias == NULL)
    return TRUE;
  if (bias->constant == NULL || bias->numel != n ||
      (bias->type != PT_XNN_F32 && !pt_xnn_is_half (bias->type)))
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED, "its bias does not fit");
  *out = pt_xnn_constant_f32 (graph, bias, error);
  return *out != NULL;
}
