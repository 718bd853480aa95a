/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/half.h"

#define GRAIN 32768

void
pt_xnn_load_half (PtXnnType type, gsize n, const guint16 *x, float *y)
{
  pt_vector_to_f32 (pt_xnn_float_type (type), n, x, y);
}

void
pt_xnn_store_half (PtXnnType type, gsize n, const float *x, guint16 *y)
{
  if (type == PT_XNN_F16)
    pt_vector_f32_to_f16 (n, x, y);
  else
    pt_vector_f32_to_bf16 (n, x, y);
}

typedef struct {
  PtXnnType type;
  const guint16 *half_in;
  guint16 *half_out;
  const float *float_in;
  float *float_out;
} Job;

static void
widen (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  pt_xnn_load_half (job->type, end - begin, job->half_in + begin, job->float_out + begin);
}

static void
narrow (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  pt_xnn_store_half (job->type, end - begin, job->float_in + begin, job->half_out + begin);
}

void
pt_xnn_widen (PtPool *pool, PtXnnType type, gsize n, const guint16 *x, float *y)
{
  Job job = { .type = type, .half_in = x, .float_out = y };

  pt_pool_run (pool, n, GRAIN, widen, &job);
}

void
pt_xnn_narrow (PtPool *pool, PtXnnType type, gsize n, const float *x, guint16 *y)
{
  Job job = { .type = type, .float_in = x, .half_out = y };

  pt_pool_run (pool, n, GRAIN, narrow, &job);
}

const float *
pt_xnn_constant_f32 (PtXnnGraph *graph, const PtXnnValue *value, GError **error)
{
  float *copy;

  if (value->type == PT_XNN_F32)
    return (const float *) value->constant;
  copy = pt_xnn_graph_alloc (graph, value->numel, sizeof *copy, error);
  if (copy != NULL)
    pt_xnn_widen (graph->pool, value->type, value->numel, (const guint16 *) value->constant, copy);
  return copy;
}
