/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/quantize.h"

#include <math.h>
#include <string.h>

#include "engine/xnnpack/xnn-elementwise.h"
#include "engine/xnnpack/half.h"
#include "engine/xnnpack/q8.h"

#define GRAIN 32768
#define STRIP 512

/* ---- Dynamic quantisation of rows ---- */

gsize
pt_xnn_first_row (const PtXnnNode *node, const PtXnnShape *shape)
{
  if (node->last_rows == 0 || shape->rank < 2)
    return 0;
  for (guint i = 0; i + 2 < shape->rank; i++)
    if (shape->dims[i] != 1)
      return 0;
  return shape->dims[shape->rank - 2] - MIN (shape->dims[shape->rank - 2], node->last_rows);
}

static void
run_rows (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);
  gsize first = pt_xnn_first_row (node, &in->shape), length = out->row_length;
  PtQuantizedRows rows = out->rows;
  const float *x = in->data;

  if (out->numel == 0)
    return;
  if (in->type != PT_XNN_F32) {
    pt_xnn_widen (graph->pool, in->type, (out->n_rows - first) * length,
                  (const guint16 *) in->data + first * length, node->scratch);
    x = (const float *) node->scratch - first * length;
  }
  rows.q += first * rows.stride;
  rows.scale += first;
  rows.zero += first;
  pt_quantize_rows (graph->pool, out->n_rows - first, length, x + first * length, length, &rows);
}

/* ---- Between types of the same shape ---- */

typedef struct {
  const PtXnnValue *x, *y;
} Job;

static void
run_widen (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);

  pt_xnn_widen (graph->pool, x->type, y->numel, x->data, y->data);
}

static void
run_narrow (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);

  pt_xnn_narrow (graph->pool, y->type, y->numel, x->data, y->data);
}

static void
run_same (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);

  if (y->nbytes > 0)
    memmove (y->data, x->data, y->nbytes);
}

static void
quantize_floats (const PtXnnValue *y, gsize n, const float *x, guint8 *out)
{
  const PtToQ8 to = { 1.0f / y->scale, pt_q8_zero (y), -128, 127, pt_q8_flip (y) };

  pt_q8_loops ()->quantize (&to, n, x, out);
}

static void
dequantize_bytes (const PtXnnValue *x, gsize n, const guint8 *in, float *y)
{
  pt_q8_loops ()->dequantize (n, in, pt_q8_flip (x), pt_q8_zero (x), x->scale, y);
}

static void
quantize_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  guint8 *out = job->y->data;
  float strip[STRIP];

  if (job->x->type == PT_XNN_F32) {
    quantize_floats (job->y, end - begin, (const float *) job->x->data + begin, out + begin);
    return;
  }
  for (; begin < end; begin += STRIP) {
    gsize n = MIN (end - begin, STRIP);

    pt_xnn_load_half (job->x->type, n, (const guint16 *) job->x->data + begin, strip);
    quantize_floats (job->y, n, strip, out + begin);
  }
}

static void
dequantize_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const guint8 *in = job->x->data;
  float strip[STRIP];

  if (job->y->type == PT_XNN_F32) {
    dequantize_bytes (job->x, end - begin, in + begin, (float *) job->y->data + begin);
    return;
  }
  for (; begin < end; begin += STRIP) {
    gsize n = MIN (end - begin, STRIP);

    dequantize_bytes (job->x, n, in + begin, strip);
    pt_xnn_store_half (job->y->type, n, strip, (guint16 *) job->y->data + begin);
  }
}

static void
run_quantize (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = { pt_xnn_in (graph, node, 0), pt_xnn_out (graph, node, 0) };

  pt_pool_run (graph->pool, job.y->numel, GRAIN, quantize_range, &job);
}

static void
run_dequantize (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = { pt_xnn_in (graph, node, 0), pt_xnn_out (graph, node, 0) };

  pt_pool_run (graph->pool, job.y->numel, GRAIN, dequantize_range, &job);
}

/* ---- Unsigned to signed numbers ---- */

typedef struct {
  const guint8 *in;
  guint8 *out;
} FlipJob;

static void
flip_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const FlipJob *job = data;

  pt_q8_loops ()->flip (end - begin, job->in + begin, job->out + begin);
}

void
pt_q8_flip_all (PtPool *pool, gsize n, gconstpointer in, gpointer out)
{
  FlipJob job = { in, out };

  pt_pool_run (pool, n, GRAIN, flip_range, &job);
}

/* ---- Preparing ---- */

static gboolean
is_float (PtXnnType type)
{
  return type == PT_XNN_F32 || pt_xnn_is_half (type);
}

static PtXnnRun
find_run (PtXnnType in, PtXnnType out)
{
  if (is_float (in) && out == PT_XNN_QD8)
    return run_rows;
  if (is_float (in) && pt_is_q8 (out))
    return run_quantize;
  if (pt_is_q8 (in) && is_float (out))
    return run_dequantize;
  if (in == out && is_float (in))
    return run_same;
  if (pt_xnn_is_half (in) && out == PT_XNN_F32)
    return run_widen;
  if (in == PT_XNN_F32 && pt_xnn_is_half (out))
    return run_narrow;
  return NULL;
}

gboolean
pt_xnn_prepare_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType in = pt_xnn_in (graph, node, 0)->type, out = pt_xnn_out (graph, node, 0)->type;

  node->min = -INFINITY;
  node->max = INFINITY;
  if (pt_is_q8 (in) && pt_is_q8 (out))
    return pt_xnn_prepare_requantize (graph, node, error);
  node->run = find_run (in, out);
  return node->run != NULL || pt_xnn_node_types_fail (graph, node, error);
}

gboolean
pt_xnn_setup_convert (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *in = pt_xnn_in (graph, node, 0), *out = pt_xnn_out (graph, node, 0);

  if (out->type == PT_XNN_QD8 && in->type != PT_XNN_F32)
    node->scratch_size = in->numel * sizeof (float);
  return TRUE;
}
