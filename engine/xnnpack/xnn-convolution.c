/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-convolution.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/xnnpack/q8.h"

/*
 * Convolutions as matrix products: patches of the input are gathered for a limited number of output
 * pixels and multiplied with the filter, one channel group after the other. Depthwise convolutions
 * are computed directly. Layouts: docs/formats/xnnpack.md, section 4.4.
 */

/* Bytes of gathered patches at a time: enough rows that repacking the filter costs little. */
#define PATCH_BYTES ((gsize) 4 << 20)
#define MIN_PIECE 64

static guint8 *
part (const PtXnnNode *node, gsize offset)
{
  return (guint8 *) node->scratch + offset;
}

/* Pixels of one phase that are multiplied at a time, and the address of their results. */
typedef struct {
  const PtXnnPhase *phase;
  gsize begin, m;
  gpointer y; /* [m, out_c] */
} Piece;

/* The piece after @piece; the first one after a zeroed @piece. @width: bytes of a result. */
static gboolean
next_piece (const PtXnnNode *node, gpointer y, gsize width, Piece *piece)
{
  const PtXnnConv *conv = node->state;
  const PtXnnPhase *end = conv->phases + conv->n_phases;

  if (piece->phase == NULL)
    piece->phase = conv->phases;
  piece->begin += piece->m;
  while (piece->phase < end && piece->begin == piece->phase->n_pixels) {
    piece->phase++;
    piece->begin = 0;
  }
  if (piece->phase == end)
    return FALSE;
  piece->m =
      MIN (conv->is_direct ? conv->n_pixels : conv->piece, piece->phase->n_pixels - piece->begin);
  piece->y = conv->n_phases == 1 ? (guint8 *) y + piece->begin * conv->out_c * width
                                 : part (node, conv->results);
  return TRUE;
}

/* Copies the results of a phase to their pixels in the output @y, if there are several phases. */
static void
finish_piece (const PtXnnGraph *graph, const PtXnnNode *node, const Piece *piece, gsize width,
              gpointer y)
{
  const PtXnnConv *conv = node->state;

  if (conv->n_phases > 1)
    pt_xnn_scatter_pixels (graph->pool, node, piece->phase, piece->begin, piece->m, width, piece->y,
                           y);
}

/* ---- Float ---- */

static void
multiply_f32 (const PtXnnGraph *graph, const PtXnnNode *node, const float *x, float *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  float *patches = (float *) part (node, conv->patches);
  Piece piece = { NULL, 0, 0, NULL };

  while (next_piece (node, y, sizeof *y, &piece)) {
    gsize k = piece.phase->k;

    for (gsize g = 0; g < w->groups; g++) {
      PtEpilogue epilogue = { conv->bias != NULL ? conv->bias + g * w->group_out : NULL, node->min,
                              node->max };

      if (!conv->is_direct)
        pt_xnn_gather_patches (graph->pool, node, piece.phase, (const guint8 *) x,
                               conv->in_h * conv->in_w * conv->in_c * sizeof *x, sizeof *x,
                               part (node, conv->fill), g, piece.begin, piece.m,
                               (guint8 *) patches);
      pt_gemm_f32 (graph->pool, piece.m, w->group_out, k, conv->is_direct ? x + g * k : patches,
                   conv->is_direct ? conv->in_c : k,
                   conv->filter + piece.phase->filter + g * w->group_out * k, k, TRUE, &epilogue,
                   (float *) piece.y + g * w->group_out, conv->out_c);
    }
    finish_piece (graph, node, &piece, sizeof *y, y);
  }
}

typedef struct {
  const PtXnnNode *node;
  const float *x;
} Gathering;

static void
gather_rows (gconstpointer data, gsize row, gsize count, float *out)
{
  const Gathering *job = data;
  const PtXnnConv *conv = job->node->state;

  pt_xnn_gather_some (job->node, conv->phases, (const guint8 *) job->x,
                      conv->in_h * conv->in_w * conv->in_c * sizeof *out, sizeof *out,
                      part (job->node, conv->fill), row, count, (guint8 *) out);
}

/* A matrix product whose workers gather the patches they multiply. */
static void
multiply_packed (const PtXnnGraph *graph, const PtXnnNode *node, const float *x, float *y)
{
  const PtXnnConv *conv = node->state;
  PtEpilogue epilogue = { conv->bias, node->min, node->max };
  Gathering job = { node, x };
  PtLeftRows left = { .a = x, .lda = conv->in_c };

  if (!conv->is_direct)
    left = (PtLeftRows){ .make = gather_rows, .data = &job };
  pt_gemm_f32_packed (graph->pool, conv->n_pixels, &left, &conv->packed, &conv->cut, &epilogue, y,
                      conv->out_c);
}

static void
run_winograd (const PtXnnGraph *graph, const PtXnnNode *node, const float *x, float *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  PtEpilogue epilogue = { conv->bias, node->min, node->max };
  PtImages images = { x,           y,           conv->batch, conv->in_h, conv->in_w,
                      conv->out_h, conv->out_w, w->pad_top,  w->pad_left };

  pt_winograd_run (graph->pool, &conv->winograd, &images, &epilogue);
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
  else if (conv->winograd.panels != NULL)
    run_winograd (graph, node, x, y);
  else if (conv->packed.panels != NULL)
    multiply_packed (graph, node, x, y);
  else
    multiply_f32 (graph, node, x, y);
  if (in->type != PT_XNN_F32)
    pt_xnn_narrow (graph->pool, out->type, out->numel, y, out->data);
}

/* ---- Static int8 ---- */

static PtConvQ8
conv_q8_of (const PtXnnNode *node)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;

  return (PtConvQ8){ .batch = conv->batch,
                     .in_h = conv->in_h,
                     .in_w = conv->in_w,
                     .in_c = w->group_in,
                     .out_h = conv->out_h,
                     .out_w = conv->out_w,
                     .kernel_h = w->kernel_h,
                     .kernel_w = w->kernel_w,
                     .stride_h = w->stride_h,
                     .stride_w = w->stride_w,
                     .dilation_h = w->dilation_h,
                     .dilation_w = w->dilation_w,
                     .pad_top = w->pad_top,
                     .pad_left = w->pad_left };
}

static void
multiply_packed_qs8 (const PtXnnGraph *graph, const PtXnnNode *node, const gint8 *x, gint8 *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  PtImagesQ8 tiled = { x,           y,           conv->batch, conv->in_h, conv->in_w,
                       conv->out_h, conv->out_w, w->pad_top,  w->pad_left };
  PtConvQ8 images = conv_q8_of (node);

  if (conv->winograd_q8.panels != NULL &&
      pt_winograd_q8_is_faster (graph->pool, &conv->winograd_q8, &tiled))
    pt_winograd_q8_run (graph->pool, &conv->winograd_q8, &tiled);
  else if (conv->is_direct)
    pt_gemm_q8_packed (graph->pool, conv->n_pixels, x, conv->in_c, &conv->packed_q8, y,
                       conv->out_c);
  else
    pt_conv_q8 (graph->pool, &images, &conv->packed_q8, x, y, part (node, conv->rows_q8));
}

static void
multiply_qs8 (const PtXnnGraph *graph, const PtXnnNode *node, const gint8 *x, gint8 *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  gint8 *patches = (gint8 *) part (node, conv->patches);
  Piece piece = { NULL, 0, 0, NULL };

  if (!conv->is_direct)
    memset (part (node, conv->fill), conv->weights.qs8.x_zero, conv->batch);
  while (next_piece (node, y, 1, &piece)) {
    gsize k = piece.phase->k;

    for (gsize g = 0; g < w->groups; g++) {
      PtWeightsQs8 weights = conv->weights.qs8;

      weights.weights += piece.phase->filter + g * w->group_out * k;
      weights.scale += g * w->group_out;
      if (weights.bias != NULL)
        weights.bias += g * w->group_out;
      if (!conv->is_direct)
        pt_xnn_gather_patches (graph->pool, node, piece.phase, (const guint8 *) x,
                               conv->in_h * conv->in_w * conv->in_c, 1, part (node, conv->fill), g,
                               piece.begin, piece.m, (guint8 *) patches);
      pt_gemm_qs8 (graph->pool, piece.m, w->group_out, k, conv->is_direct ? x + g * k : patches,
                   conv->is_direct ? conv->in_c : pt_xnn_patch_stride (k, 1), &weights,
                   (gint8 *) piece.y + g * w->group_out, conv->out_c);
    }
    finish_piece (graph, node, &piece, 1, y);
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
  else if (conv->packed_q8.panels != NULL)
    multiply_packed_qs8 (graph, node, x, out->data);
  else
    multiply_qs8 (graph, node, x, out->data);
  if (out->type == PT_XNN_QU8)
    pt_q8_flip_all (graph->pool, out->numel, out->data, out->data);
}

/* ---- Dynamically quantised: each image of the batch has its own scale and zero point ---- */

/* Gives each patch the scale and zero point of its image. */
static void
spread_parameters (const PtQuantizedRows *x, const Piece *piece, PtQuantizedRows *rows)
{
  gsize n = piece->phase->n_y * piece->phase->n_x;

  for (gsize i = 0; i < piece->m; i++) {
    rows->scale[i] = x->scale[(piece->begin + i) / n];
    rows->zero[i] = x->zero[(piece->begin + i) / n];
  }
}

static void
multiply_qd8 (const PtXnnGraph *graph, const PtXnnNode *node, const PtQuantizedRows *x, float *y)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  guint8 *fill = part (node, conv->fill);
  PtQuantizedRows rows = { (gint8 *) part (node, conv->patches), 0,
                           (float *) part (node, conv->row_scale),
                           (gint32 *) part (node, conv->row_zero) };
  Piece piece = { NULL, 0, 0, NULL };

  for (gsize i = 0; i < conv->batch; i++)
    fill[i] = (guint8) x->zero[i];
  while (next_piece (node, y, sizeof *y, &piece)) {
    gsize k = piece.phase->k;

    if (piece.begin == 0) {
      rows.stride = pt_xnn_patch_stride (k, 1);
      memset (rows.q, 0, MIN (conv->piece, piece.phase->n_pixels) * rows.stride);
    }
    spread_parameters (x, &piece, &rows);
    for (gsize g = 0; g < w->groups; g++) {
      PtEpilogue epilogue = { conv->bias != NULL ? conv->bias + g * w->group_out : NULL, node->min,
                              node->max };
      PtWeightsQc8 weights = conv->weights.qc8;

      weights.weights += piece.phase->filter + g * w->group_out * k;
      weights.scales += g * w->group_out;
      weights.row_sums = piece.phase->row_sums + g * w->group_out;
      pt_xnn_gather_patches (graph->pool, node, piece.phase, (const guint8 *) x->q, x->stride, 1,
                             fill, g, piece.begin, piece.m, (guint8 *) rows.q);
      pt_gemm_qd8_qc8 (graph->pool, piece.m, w->group_out, k, &rows, &weights, &epilogue,
                       (float *) piece.y + g * w->group_out, conv->out_c);
    }
    finish_piece (graph, node, &piece, sizeof *y, y);
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
is_winograd (const PtXnnNode *node)
{
  const PtXnnWindow *w = &node->window;

  return node->klass->detail == PT_XNN_CONV_NORMAL && w->kernel_h == 3 && w->kernel_w == 3 &&
         w->stride_h == 1 && w->stride_w == 1 && w->dilation_h == 1 && w->dilation_w == 1;
}

/* Packs the filter once if a kernel for packed filters can be used. */
static gboolean
pack_filter (PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  gsize n = w->group_out, k = conv->phases[0].k, nbytes;

  if (node->klass->detail == PT_XNN_CONV_DEPTHWISE || w->groups > 1 || conv->n_phases > 1 ||
      k > PT_PACKED_MAX_MADE_K)
    return TRUE;
  nbytes = is_winograd (node) ? pt_winograd_size (n, w->group_in) : 0;
  if (nbytes > 0) {
    conv->winograd = (PtWinograd){ n, w->group_in, pt_xnn_graph_alloc (graph, nbytes, 1, error) };
    return conv->winograd.panels != NULL &&
           (pt_winograd_pack (graph->pool, conv->filter, &conv->winograd) ||
            pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory"));
  }
  nbytes = pt_packed_f32_size (n, k);
  if (nbytes == 0)
    return TRUE;
  conv->packed = (PtPackedF32){ n, k, pt_xnn_graph_alloc (graph, nbytes, 1, error) };
  if (conv->packed.panels == NULL)
    return FALSE;
  pt_pack_f32 (graph->pool, conv->filter, k, &conv->packed);
  return TRUE;
}

static gboolean
prepare_float (PtXnnGraph *graph, PtXnnNode *node, PtXnnType type, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  PtXnnConv *conv = node->state;

  if (!pt_xnn_filter_fits (type, filter->type) || pt_xnn_out (graph, node, 0)->type != type)
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_float;
  conv->filter = pt_xnn_pack_phases (graph, node, pt_xnn_constant_f32 (graph, filter, error),
                                     sizeof *conv->filter, error);
  return conv->filter != NULL &&
         pt_xnn_bias_f32 (graph, node, node->window.groups * node->window.group_out, &conv->bias,
                          error) &&
         pack_filter (graph, node, error);
}

/* Prepares weights for dynamically quantised input, with their sums for each phase. */
static gboolean
prepare_qd8 (PtXnnGraph *graph, PtXnnNode *node, gsize n, GError **error)
{
  gboolean is_depthwise = node->klass->detail == PT_XNN_CONV_DEPTHWISE;
  PtXnnConv *conv = node->state;
  const gint8 *weights =
      pt_xnn_pack_phases (graph, node, pt_xnn_in (graph, node, 1)->constant, 1, error);

  node->run = run_qd8;
  /*
   * The filter of a depthwise convolution is [taps, n]: its scales are used, but the sums of its
   * rows are not.
   */
  if (weights == NULL || !pt_xnn_bias_f32 (graph, node, n, &conv->bias, error) ||
      !pt_xnn_weights_qc8 (graph, node, weights, is_depthwise ? 3 : 0, n,
                           is_depthwise ? 0 : conv->phases[0].k, &conv->weights.qc8, error))
    return FALSE;
  conv->phases[0].row_sums = conv->weights.qc8.row_sums;
  for (gsize i = 1; i < conv->n_phases; i++) {
    gint32 *sums = pt_xnn_graph_alloc (graph, n, sizeof *sums, error);

    if (sums == NULL)
      return FALSE;
    pt_row_sums_i8 (graph->pool, n, conv->phases[i].k, weights + conv->phases[i].filter,
                    conv->phases[i].k, sums);
    conv->phases[i].row_sums = sums;
  }
  return TRUE;
}

/* The transformed filter beside the packed one: which is faster depends on the size of the input.
 */
static gboolean
transform_filter_q8 (PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  PtXnnConv *conv = node->state;
  gsize n = node->window.group_out, k = node->window.group_in;
  gsize nbytes = is_winograd (node) ? pt_winograd_q8_size (n, k, &conv->weights.qs8) : 0;

  if (nbytes == 0)
    return TRUE;
  conv->winograd_q8 = (PtWinogradQ8){ n, k, pt_xnn_graph_alloc (graph, nbytes, 1, error) };
  if (conv->winograd_q8.panels != NULL)
    pt_winograd_q8_pack (graph->pool, &conv->weights.qs8, &conv->winograd_q8);
  return conv->winograd_q8.panels != NULL;
}

/* Packs the filter of static 8-bit values once if a kernel for packed filters can be used. */
static gboolean
pack_filter_q8 (PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  const PtXnnWindow *w = &node->window;
  PtXnnConv *conv = node->state;
  gsize n = w->groups * w->group_out, nbytes;
  PtConvQ8 images = conv_q8_of (node);

  if (conv->weights.qs8.w_zero != 0)
    return TRUE;
  if (node->klass->detail == PT_XNN_CONV_DEPTHWISE) {
    nbytes = w->group_out == 1 && (w->kernel_w - 1) < PT_DEPTHWISE_Q8_MAX_SPAN / w->dilation_w
                 ? pt_packed_depthwise_q8_size (n, w->kernel_h, w->kernel_w)
                 : 0;
    if (nbytes == 0)
      return TRUE;
    conv->depthwise_q8 = (PtPackedDepthwiseQ8){ n, w->kernel_h, w->kernel_w,
                                                pt_xnn_graph_alloc (graph, nbytes, 1, error) };
    if (conv->depthwise_q8.blocks != NULL)
      pt_pack_depthwise_q8 (&conv->weights.qs8, &conv->depthwise_q8);
    return conv->depthwise_q8.blocks != NULL;
  }
  if (w->groups > 1 || node->klass->detail != PT_XNN_CONV_NORMAL)
    return TRUE;
  conv->packed_q8.n = n;
  pt_conv_q8_runs (&images, &conv->packed_q8);
  nbytes = pt_packed_q8_size (n, conv->packed_q8.runs, conv->packed_q8.k);
  if (nbytes == 0)
    return TRUE;
  conv->packed_q8.panels = pt_xnn_graph_alloc (graph, nbytes, 1, error);
  if (conv->packed_q8.panels != NULL)
    pt_pack_q8 (graph->pool, &conv->weights.qs8, &conv->packed_q8);
  return conv->packed_q8.panels != NULL && transform_filter_q8 (graph, node, error);
}

static gboolean
prepare_int8 (PtXnnGraph *graph, PtXnnNode *node, PtXnnType type, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *filter = pt_xnn_in (graph, node, 1);
  PtXnnType out = pt_xnn_out (graph, node, 0)->type;
  gboolean is_depthwise = node->klass->detail == PT_XNN_CONV_DEPTHWISE;
  gsize n = node->window.groups * node->window.group_out;
  PtXnnConv *conv = node->state;
  const gint8 *weights;

  if (filter->type != PT_XNN_QC8 && !pt_is_q8 (filter->type))
    return pt_xnn_node_types_fail (graph, node, error);
  if (pt_is_q8 (type) && pt_is_q8 (out)) {
    node->run = run_qs8;
    weights = pt_xnn_pack_phases (graph, node, pt_xnn_signed_filter (graph, node, error), 1, error);
    return weights != NULL &&
           pt_xnn_weights_qs8 (graph, node, weights, is_depthwise ? 3 : 0, n, &conv->weights.qs8,
                               error) &&
           pack_filter_q8 (graph, node, error);
  }
  if (type != PT_XNN_QD8 || filter->type == PT_XNN_QU8 || in->n_nonbatch != 3 ||
      (out != PT_XNN_F32 && !pt_xnn_is_half (out)))
    return pt_xnn_node_types_fail (graph, node, error);
  return prepare_qd8 (graph, node, n, error);
}

gboolean
pt_xnn_prepare_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_in (graph, node, 0)->type;

  node->state = pt_xnn_graph_alloc (graph, 1, sizeof (PtXnnConv), error);
  if (node->state == NULL || !check_filter (graph, node, error) ||
      !pt_xnn_make_phases (graph, node, error))
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

/* Adds a part of @nbytes to the layout of the scratch. */
static gboolean
add_part (PtXnnNode *node, gsize nbytes, gsize *offset)
{
  *offset = node->scratch_size;
  return pt_add_size (node->scratch_size, pt_round_up_64 (nbytes), &node->scratch_size);
}

/* Bytes of prepared rows that the workers have no room for in their scratch. */
static gboolean
measure_rows_q8 (const PtXnnGraph *graph, const PtXnnNode *node, gsize *nbytes)
{
  PtConvQ8 images = conv_q8_of (node);
  gsize size = pt_conv_q8_scratch (&images);

  *nbytes = 0;
  return size > 0 &&
         (size <= PT_POOL_SCRATCH || pt_mul_size (size, pt_pool_n_workers (graph->pool), nbytes));
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
  gsize stride, patch_bytes, result_bytes, rows_bytes = 0;

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
  if (conv->packed.panels != NULL)
    conv->cut = pt_packed_f32_cut (graph->pool, conv->n_pixels, &conv->packed, !conv->is_direct);
  stride = pt_xnn_patch_stride (pt_xnn_setup_phases (node), width);
  conv->piece = MIN (MAX (PATCH_BYTES / stride, MIN_PIECE), conv->n_pixels);
  patch_bytes = conv->is_direct || conv->packed.panels != NULL || conv->winograd.panels != NULL ||
                        conv->packed_q8.panels != NULL
                    ? 0
                    : conv->piece * stride;
  result_bytes = conv->n_phases > 1 ? conv->piece * conv->out_c * sizeof (float) : 0;
  if (is_depthwise && conv->depthwise_q8.blocks == NULL) /* for each worker: sums of a pixel */
    patch_bytes = pt_pool_n_workers (graph->pool) * pt_round_up_64 (conv->out_c * 4);
  if (conv->packed_q8.panels != NULL && !conv->is_direct &&
      !measure_rows_q8 (graph, node, &rows_bytes))
    return pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory");
  node->scratch_size = 0;
  if (!add_part (node, conv->batch, &conv->fill) ||
      !add_part (node, in_floats * sizeof (float), &conv->in_f32) ||
      !add_part (node, in->type == PT_XNN_QU8 ? in->numel : 0, &conv->in_flipped) ||
      !add_part (node, out_floats * sizeof (float), &conv->out_f32) ||
      !add_part (node, patch_bytes, &conv->patches) ||
      !add_part (node, result_bytes, &conv->results) ||
      !add_part (node, rows_bytes, &conv->rows_q8) ||
      !add_part (node, conv->piece * sizeof (float), &conv->row_scale) ||
      !add_part (node, conv->piece * sizeof (gint32), &conv->row_zero))
    return pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory");
  return TRUE;
}
