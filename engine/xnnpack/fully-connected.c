/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/fully-connected.h"

#include "engine/xnnpack/q8.h"
#include "engine/xnnpack/quantize.h"
#include "engine/xnnpack/weights.h"

/* y = x . w^T + b, clamped, for all types (docs/formats/xnnpack.md, section 5.3). */

typedef struct {
  PtXnnWeights weights; /* int8 */
  PtWeightsQ4 q4;
  const float *bias;
} State;

/* The rows to compute, and where they begin. */
typedef struct {
  gsize first, m, n, k;
} Extent;

static Extent
get_extent (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  Extent e = { .k = in->shape.dims[in->shape.rank - 1], .n = out->shape.dims[out->shape.rank - 1] };

  e.first = pt_xnn_first_row (node, &in->shape);
  e.m = in->numel / e.k - e.first;
  return e;
}

static gboolean
is_transposed (const PtXnnNode *node)
{
  return (node->flags & 1) != 0;
}

static PtEpilogue
get_epilogue (const PtXnnNode *node, const float *bias)
{
  PtEpilogue epilogue = { bias, node->min, node->max, TRUE };

  return epilogue;
}

/* ---- Running ---- */

static void
run_f32 (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *bias = pt_xnn_in (graph, node, 2);
  PtEpilogue epilogue = get_epilogue (node, bias != NULL ? bias->data : NULL);
  Extent e = get_extent (graph, node);

  pt_gemm_f32 (graph->pool, e.m, e.n, e.k,
               (const float *) pt_xnn_in (graph, node, 0)->data + e.first * e.k, e.k,
               pt_xnn_in (graph, node, 1)->data, is_transposed (node) ? e.n : e.k,
               !is_transposed (node), &epilogue,
               (float *) pt_xnn_out (graph, node, 0)->data + e.first * e.n, e.n);
}

/* Half-precision rows; the weights have the same type, or fp32. */
static void
run_half (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  PtEpilogue epilogue = get_epilogue (node, ((const State *) node->state)->bias);
  Extent e = get_extent (graph, node);
  float *x = node->scratch, *y = x + pt_round_up_64 (in->numel);

  pt_xnn_widen (graph->pool, in->type, e.m * e.k, (const guint16 *) in->data + e.first * e.k, x);
  pt_gemm_typed (graph->pool, e.m, e.n, e.k, x, e.k, pt_xnn_float_type (filter->type), filter->data,
                 is_transposed (node) ? e.n : e.k, !is_transposed (node), &epilogue, y, e.n);
  pt_xnn_narrow (graph->pool, out->type, e.m * e.n, y, (guint16 *) out->data + e.first * e.n);
}

/*
 * Dynamically quantised rows. fp32 results are written directly, half-precision ones through
 * scratch memory.
 */
static void
run_qd8 (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *out = pt_xnn_out (graph, node, 0);
  const State *state = node->state;
  PtEpilogue epilogue = get_epilogue (node, state->bias);
  PtQuantizedRows rows = pt_xnn_in (graph, node, 0)->rows;
  Extent e = get_extent (graph, node);
  gboolean half = out->type != PT_XNN_F32;
  float *y = half ? node->scratch : (float *) out->data + e.first * e.n;

  rows.q += e.first * rows.stride;
  rows.scale += e.first;
  rows.zero += e.first;
  if (state->q4.weights != NULL)
    pt_gemm_qd8_q4 (graph->pool, e.m, e.n, e.k, &rows, &state->q4, &epilogue, y, e.n);
  else
    pt_gemm_qd8_qc8 (graph->pool, e.m, e.n, e.k, &rows, &state->weights.qc8, &epilogue, y, e.n);
  if (half)
    pt_xnn_narrow (graph->pool, out->type, e.m * e.n, y, (guint16 *) out->data + e.first * e.n);
}

static void
run_qs8 (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  const State *state = node->state;
  Extent e = get_extent (graph, node);
  const gint8 *x = (const gint8 *) in->data + e.first * e.k;
  gint8 *y = (gint8 *) out->data + e.first * e.n;

  if (in->type == PT_XNN_QU8) {
    pt_q8_flip_all (graph->pool, e.m * e.k, x, node->scratch);
    x = node->scratch;
  }
  pt_gemm_qs8 (graph->pool, e.m, e.n, e.k, x, e.k, &state->weights.qs8, y, e.n);
  if (out->type == PT_XNN_QU8)
    pt_q8_flip_all (graph->pool, e.m * e.n, y, y);
}

/* ---- Preparing ---- */

/* Int8 weights as [n, k]; weights stored as [k, n] are transposed once. */
static const gint8 *
get_int8_weights (PtXnnGraph *graph, const PtXnnNode *node, gsize n, gsize k, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  const gint8 *stored = pt_xnn_signed_filter (graph, node, error);
  gint8 *turned;

  if (stored == NULL || !is_transposed (node))
    return stored;
  turned = pt_xnn_graph_alloc (graph, filter->numel, 1, error);
  for (gsize i = 0; turned != NULL && i < n; i++)
    for (gsize j = 0; j < k; j++)
      turned[i * k + j] = stored[j * n + i];
  return turned;
}

static gboolean
prepare_float (PtXnnGraph *graph, PtXnnNode *node, PtXnnType type, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1), *bias = pt_xnn_in (graph, node, 2);
  State *state = node->state;

  if (!pt_xnn_filter_fits (type, filter->type) || pt_xnn_out (graph, node, 0)->type != type)
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = type == PT_XNN_F32 ? run_f32 : run_half;
  if (type == PT_XNN_F32)
    return bias == NULL || bias->type == PT_XNN_F32 || pt_xnn_node_types_fail (graph, node, error);
  return pt_xnn_bias_f32 (graph, node, bias != NULL ? bias->numel : 0, &state->bias, error);
}

/* 4-bit weights as [n, k], two in a byte along k; weights stored as [k, n] are transposed once. */
static const guint8 *
get_int4_weights (PtXnnGraph *graph, const PtXnnNode *node, gsize n, gsize k, GError **error)
{
  const guint8 *stored = pt_xnn_in (graph, node, 1)->constant;
  gsize from = (n + 1) / 2, to = (k + 1) / 2;
  guint8 *turned;

  if (!is_transposed (node))
    return stored;
  turned = pt_xnn_graph_alloc (graph, n, to, error);
  for (gsize i = 0; turned != NULL && i < n; i++)
    for (gsize j = 0; j < k; j++)
      turned[i * to + j / 2] |=
          (guint8) ((stored[j * from + i / 2] >> (i % 2 * 4) & 15) << (j % 2 * 4));
  return turned;
}

static gboolean
prepare_qd8_q4 (PtXnnGraph *graph, PtXnnNode *node, gsize n, gsize k, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  State *state = node->state;

  /*
   * In a transposed filter the groups would lie across the rows of the product; XNNPACK refuses
   * such filters, too.
   */
  if (is_transposed (node) && filter->type == PT_XNN_QB4)
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                             "its 4-bit filter with groups is transposed");
  state->q4.weights = get_int4_weights (graph, node, n, k, error);
  if (state->q4.weights == NULL)
    return FALSE;
  if (filter->type == PT_XNN_QB4) {
    state->q4.scales = filter->group_scales;
    state->q4.group = filter->group;
    return TRUE;
  }
  state->q4.scales_f32 = pt_xnn_filter_scales (graph, node, is_transposed (node) ? 1 : 0, n, error);
  return state->q4.scales_f32 != NULL;
}

static gboolean
prepare_qd8 (PtXnnGraph *graph, PtXnnNode *node, gsize n, gsize k, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  PtXnnType out = pt_xnn_out (graph, node, 0)->type;
  State *state = node->state;
  const gint8 *weights;

  if ((out != PT_XNN_F32 && !pt_xnn_is_half (out)) || pt_xnn_in (graph, node, 0)->n_nonbatch != 1)
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_qd8;
  if (!pt_xnn_bias_f32 (graph, node, n, &state->bias, error))
    return FALSE;
  if (filter->type == PT_XNN_QB4 || filter->type == PT_XNN_QC4)
    return prepare_qd8_q4 (graph, node, n, k, error);
  if (filter->type != PT_XNN_QC8 && filter->type != PT_XNN_QI8)
    return pt_xnn_node_types_fail (graph, node, error);
  weights = get_int8_weights (graph, node, n, k, error);
  return weights != NULL && pt_xnn_weights_qc8 (graph, node, weights, is_transposed (node) ? 1 : 0,
                                                n, k, &state->weights.qc8, error);
}

static gboolean
prepare_qs8 (PtXnnGraph *graph, PtXnnNode *node, gsize n, gsize k, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  State *state = node->state;
  const gint8 *weights;

  if ((filter->type != PT_XNN_QC8 && !pt_is_q8 (filter->type)) ||
      !pt_is_q8 (pt_xnn_out (graph, node, 0)->type))
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_qs8;
  weights = get_int8_weights (graph, node, n, k, error);
  return weights != NULL && pt_xnn_weights_qs8 (graph, node, weights, is_transposed (node) ? 1 : 0,
                                                n, &state->weights.qs8, error);
}

gboolean
pt_xnn_prepare_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *filter = pt_xnn_in (graph, node, 1);
  PtXnnType type = pt_xnn_in (graph, node, 0)->type;
  gsize n, k;

  node->state = pt_xnn_graph_alloc (graph, 1, sizeof (State), error);
  if (node->state == NULL)
    return FALSE;
  if (type == PT_XNN_F32 || pt_xnn_is_half (type))
    return prepare_float (graph, node, type, error);
  if (filter->constant == NULL || filter->declared.rank != 2)
    return pt_xnn_node_types_fail (graph, node, error);
  n = filter->declared.dims[is_transposed (node) ? 1 : 0];
  k = filter->declared.dims[is_transposed (node) ? 0 : 1];
  if (type == PT_XNN_QD8)
    return prepare_qd8 (graph, node, n, k, error);
  if (pt_is_q8 (type))
    return prepare_qs8 (graph, node, n, k, error);
  return pt_xnn_node_types_fail (graph, node, error);
}

gboolean
pt_xnn_setup_fully_connected (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);

  if (pt_xnn_is_half (in->type))
    node->scratch_size = (pt_round_up_64 (in->numel) + out->numel) * sizeof (float);
  else if (in->type == PT_XNN_QD8 && out->type != PT_XNN_F32)
    node->scratch_size = out->numel * sizeof (float);
  else if (in->type == PT_XNN_QU8)
    node->scratch_size = in->numel;
  return TRUE;
}
