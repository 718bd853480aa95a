/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/convolution.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/xnnpack/half.h"
#include "engine/xnnpack/q8.h"

/*
 * Convolutions as matrix products: patches of the input are gathered for a bounded number
 * of output pixels and multiplied with the filter, one channel group after the other.
 * Depthwise ones run directly. Layouts: section 4.4.
 */

/* Bytes of gathered patches: enough rows to make repacking the filter cheap. */
#define PATCH_BYTES ((gsize) 4 << 20)
#define MIN_PIECE 64

static gsize
patch_length (const PtXnnNode *node)
{
  return node->window.kernel_h * node->window.kernel_w * node->window.group_in;
}

static guint8 *
part (const PtXnnNode *node, gsize offset)
{
  return (guint8 *) node->scratch + offset;
}

/* ---- Float ---- */

static void
multiply_f32 (const PtXnnGraph *graph, const PtXnnNode *node, const float *x, float *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  const guint8 *zeros = part (node, conv->fill);
  float *patches = (float *) part (node, conv->patches);
  gsize k = patch_length (node), piece = conv->is_direct ? conv->n_pixels : conv->piece;

  for (gsize begin = 0; begin < conv->n_pixels; begin += piece) {
    gsize m = MIN (piece, conv->n_pixels - begin);

    for (gsize g = 0; g < w->groups; g++) {
      PtEpilogue epilogue = { conv->bias != NULL ? conv->bias + g * w->group_out : NULL, node->min,
                              node->max };

      if (!conv->is_direct)
        pt_xnn_gather_patches (graph->pool, node, (const guint8 *) x,
                               conv->in_h * conv->in_w * conv->in_c * sizeof *x, sizeof *x, zeros,
                               g, begin, m, (guint8 *) patches);
      pt_gemm_f32 (graph->pool, m, w->group_out, k,
                   conv->is_direct ? x + begin * conv->in_c + g * k : patches,
                   conv->is_direct ? conv->in_c : k, conv->filter + g * w->group_out * k, k, TRUE,
                   &epilogue, y + begin * conv->out_c + g * w->group_out, conv->out_c);
    }
  }
}

static void
run_float (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  const PtXnnConv *conv = node->state;
  const float *x = in->data;
  float *y = out->data;

  if (out->numel == 0)
    return;
  if (in->type != PT_XNN_F32) {
    x = (const float *) part (node, conv->in_f32);
    y = (float *) part (node, conv->out_f32);
    pt_xnn_widen (graph->pool, in->type, in->numel, in->data, (float *) x);
  }
  if (!conv->is_direct && node->klass->detail != PT_XNN_CONV_DEPTHWISE)
    memset (part (node, conv->fill), 0, conv->batch);
  if (node->klass->detail == PT_XNN_CONV_DEPTHWISE)
    pt_xnn_depthwise_f32 (graph->pool, node, x, y);
  else
    multiply_f32 (graph, node, x, y);
  if (in->type != PT_XNN_F32)
    pt_xnn_narrow (graph->pool, out->type, out->numel, y, out->data);
}

/* ---- Static int8 ---- */

static void
multiply_qs8 (const PtXnnGraph *graph, const PtXnnNode *node, const gint8 *x, gint8 *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  gint8 *patches = (gint8 *) part (node, conv->patches);
  gsize k = patch_length (node), piece = conv->is_direct ? conv->n_pixels : conv->piece;

  if (!conv->is_direct && conv->n_pixels > 0)
    memset (part (node, conv->fill), conv->weights.qs8.x_zero, conv->batch);
  for (gsize begin = 0; begin < conv->n_pixels; begin += piece) {
    gsize m = MIN (piece, conv->n_pixels - begin);

    for (gsize g = 0; g < w->groups; g++) {
      PtWeightsQs8 weights = conv->weights.qs8;

      weights.weights += g * w->group_out * k;
      weights.scale += g * w->group_out;
      if (weights.bias != NULL)
        weights.bias += g * w->group_out;
      if (!conv->is_direct)
        pt_xnn_gather_patches (graph->pool, node, (const guint8 *) x,
                               conv->in_h * conv->in_w * conv->in_c, 1, part (node, conv->fill), g,
                               begin, m, (guint8 *) patches);
      pt_gemm_qs8 (graph->pool, m, w->group_out, k,
                   conv->is_direct ? x + begin * conv->in_c + g * k : patches,
                   conv->is_direct ? conv->in_c : conv->patch_stride, &weights,
                   y + begin * conv->out_c + g * w->group_out, conv->out_c);
    }
  }
}

static void
run_qs8 (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  const PtXnnConv *conv = node->state;
  const gint8 *x = in->data;

  if (out->numel == 0)
    return;
  if (in->type == PT_XNN_QU8) {
    pt_q8_flip_all (graph->pool, in->numel, x, part (node, conv->in_flipped));
    x = (const gint8 *) part (node, conv->in_flipped);
  }
  if (node->klass->detail == PT_XNN_CONV_DEPTHWISE)
    pt_xnn_depthwise_qs8 (graph->pool, node, x, out->data, part (node, conv->patches));
  else
    multiply_qs8 (graph, node, x, out->data);
  if (out->type == PT_XNN_QU8)
    pt_q8_flip_all (graph->pool, out->numel, out->data, out->data);
}

/* ---- Dynamically quantised: one set of parameters for an item of the batch ---- */

/* Each patch gets the parameters of the item it comes from. */
static void
spread_parameters (const PtXnnConv *conv, const PtQuantizedRows *x, gsize begin, gsize count,
                   PtQuantizedRows *rows)
{
  gsize n = conv->out_h * conv->out_w;

  for (gsize i = 0; i < count; i++) {
    rows->scale[i] = x->scale[(begin + i) / n];
    rows->zero[i] = x->zero[(begin + i) / n];
  }
}

static void
multiply_qd8 (const PtXnnGraph *graph, const PtXnnNode *node, const PtQuantizedRows *x, float *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  guint8 *fill = part (node, conv->fill);
  PtQuantizedRows rows = { (gint8 *) part (node, conv->patches), conv->patch_stride,
                           (float *) part (node, conv->row_scale),
                           (gint32 *) part (node, conv->row_zero) };
  gsize k = patch_length (node);

  for (gsize i = 0; i < conv->batch; i++)
    fill[i] = (guint8) x->zero[i];
  memset (rows.q, 0, conv->piece * rows.stride);
  for (gsize begin = 0; begin < conv->n_pixels; begin += conv->piece) {
    gsize m = MIN (conv->piece, conv->n_pixels - begin);

    spread_parameters (conv, x, begin, m, &rows);
    for (gsize g = 0; g < w->groups; g++) {
      PtEpilogue epilogue = { conv->bias != NULL ? conv->bias + g * w->group_out : NULL, node->min,
                              node->max };
      PtWeightsQc8 weights = conv->weights.qc8;

      weights.weights += g * w->group_out * k;
      weights.scales += g * w->group_out;
      weights.row_sums += g * w->group_out;
      pt_xnn_gather_patches (graph->pool, node, (const guint8 *) x->q, x->stride, 1, fill, g, begin,
                             m, (guint8 *) rows.q);
      pt_gemm_qd8_qc8 (graph->pool, m, w->group_out, k, &rows, &weights, &epilogue,
                       y + begin * conv->out_c + g * w->group_out, conv->out_c);
    }
  }
}

static void
run_qd8 (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  const PtXnnConv *conv = node->state;
  float *y = out->type == PT_XNN_F32 ? out->data : part (node, conv->out_f32);

  if (out->numel == 0)
    return;
  if (node->klass->detail == PT_XNN_CONV_DEPTHWISE)
    pt_xnn_depthwise_qd8 (graph->pool, node, &in->rows, y, part (node, conv->patches));
  else
    multiply_qd8 (graph, node, &in->rows, y);
  if (out->type != PT_XNN_F32)
    pt_xnn_narrow (graph->pool, out->type, out->numel, y, out->data);
}

/* ---- Preparing ---- */

static gboolean
check_filter (const PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  const PtXnnWindow *w = &node->window;
  gsize out_c = w->groups * w->group_out;
  const gsize normal[] = { out_c, w->kernel_h, w->kernel_w, w->group_in };
  const gsize depthwise[] = { 1, w->kernel_h, w->kernel_w, out_c };
  gboolean is_depthwise = node->klass->detail == PT_XNN_CONV_DEPTHWISE;

  if (filter->constant == NULL || filter->declared.rank != 4 ||
      memcmp (filter->declared.dims, is_depthwise ? depthwise : normal, sizeof normal) != 0 ||
      (is_depthwise && w->group_in != 1))
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                             "its filter does not fit its window and channels");
  return TRUE;
}

static gboolean
prepare_float (PtXnnGraph *graph, PtXnnNode *node, PtXnnType type, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  PtXnnConv *conv = node->state;

  if (filter->type != type || pt_xnn_out (graph, node, 0)->type != type)
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_float;
  conv->filter = pt_xnn_constant_f32 (graph, filter, error);
  return conv->filter != NULL &&
         pt_xnn_bias_f32 (graph, node, node->window.groups * node->window.group_out, &conv->bias,
                          error);
}

static gboolean
prepare_int8 (PtXnnGraph *graph, PtXnnNode *node, PtXnnType type, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *filter = pt_xnn_in (graph, node, 1);
  PtXnnType out = pt_xnn_out (graph, node, 0)->type;
  gboolean is_depthwise = node->klass->detail == PT_XNN_CONV_DEPTHWISE;
  gsize n = node->window.groups * node->window.group_out;
  const gint8 *weights = (const gint8 *) filter->constant;
  PtXnnConv *conv = node->state;

  if (filter->type != PT_XNN_QC8 && !pt_is_q8 (filter->type))
    return pt_xnn_node_types_fail (graph, node, error);
  if (pt_is_q8 (type) && pt_is_q8 (out)) {
    node->run = run_qs8;
    weights = pt_xnn_signed_filter (graph, node, error);
    return weights != NULL && pt_xnn_weights_qs8 (graph, node, weights, is_depthwise ? 3 : 0, n,
                                                  &conv->weights.qs8, error);
  }
  if (type != PT_XNN_QD8 || filter->type == PT_XNN_QU8 || in->n_nonbatch != 3 ||
      (out != PT_XNN_F32 && !pt_xnn_is_half (out)))
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_qd8;
  /* A depthwise filter is [taps, n]: its sums are of no use, but its scales are. */
  return pt_xnn_bias_f32 (graph, node, n, &conv->bias, error) &&
         pt_xnn_weights_qc8 (graph, node, weights, is_depthwise ? 3 : 0, n,
                             is_depthwise ? 0 : patch_length (node), &conv->weights.qc8, error);
}

gboolean
pt_xnn_prepare_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_in (graph, node, 0)->type;

  node->state = pt_xnn_graph_alloc (graph, 1, sizeof (PtXnnConv), error);
  if (node->state == NULL || !check_filter (graph, node, error))
    return FALSE;
  if (type == PT_XNN_F32 || pt_xnn_is_half (type))
    return prepare_float (graph, node, type, error);
  return prepare_int8 (graph, node, type, error);
}

static gboolean
is_direct (const PtXnnNode *node, const PtXnnConv *conv)
{
  const PtXnnWindow *w = &node->window;

  return node->klass->detail == PT_XNN_CONV_NORMAL && w->kernel_h == 1 && w->kernel_w == 1 &&
         w->stride_h == 1 && w->stride_w == 1 && conv->out_h == conv->in_h &&
         conv->out_w == conv->in_w && w->pad_top == 0 && w->pad_left == 0;
}

/* Append a part of @nbytes to the scratch. */
static gboolean
add_part (PtXnnNode *node, gsize nbytes, gsize *offset)
{
  *offset = node->scratch_size;
  return pt_add_size (node->scratch_size, pt_quantized_stride (nbytes), &node->scratch_size);
}

gboolean
pt_xnn_setup_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  gboolean is_depthwise = node->klass->detail == PT_XNN_CONV_DEPTHWISE;
  gsize width = in->type == PT_XNN_QD8 || pt_is_q8 (in->type) ? 1 : 4;
  gsize out_floats = out->type == PT_XNN_F32 || pt_is_q8 (out->type) ? 0 : out->numel;
  gsize in_floats = pt_xnn_is_half (in->type) ? in->numel : 0;
  PtXnnConv *conv = node->state;
  gsize patch_bytes;

  conv->batch = in->shape.dims[0];
  conv->in_h = in->shape.dims[1];
  conv->in_w = in->shape.dims[2];
  conv->in_c = in->shape.dims[3];
  conv->out_h = out->shape.dims[1];
  conv->out_w = out->shape.dims[2];
  conv->out_c = out->shape.dims[3];
  conv->n_pixels = conv->batch * conv->out_h * conv->out_w;
  conv->taps = node->window.kernel_h * node->window.kernel_w;
  conv->is_direct = in->type != PT_XNN_QD8 && is_direct (node, conv);
  conv->patch_stride = patch_length (node) * width;
  if (width == 1)
    conv->patch_stride = pt_quantized_stride (conv->patch_stride);
  conv->piece = MIN (MAX (PATCH_BYTES / conv->patch_stride, MIN_PIECE), conv->n_pixels);
  patch_bytes = conv->is_direct ? 0 : conv->piece * conv->patch_stride;
  if (is_depthwise) /* sums of a pixel for each worker */
    patch_bytes = pt_pool_n_workers (graph->pool) * pt_quantized_stride (conv->out_c * 4);
  node->scratch_size = 0;
  if (!add_part (node, conv->batch, &conv->fill) ||
      !add_part (node, in_floats * sizeof (float), &conv->in_f32) ||
      !add_part (node, in->type == PT_XNN_QU8 ? in->numel : 0, &conv->in_flipped) ||
      !add_part (node, out_floats * sizeof (float), &conv->out_f32) ||
      !add_part (node, patch_bytes, &conv->patches) ||
      !add_part (node, conv->piece * sizeof (float), &conv->row_scale) ||
      !add_part (node, conv->piece * sizeof (gint32), &conv->row_zero))
    return pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory");
  return TRUE;
}
