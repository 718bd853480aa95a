/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-matmul.h"

#include <math.h>

#include "engine/xnnpack/broadcast.h"
#include "engine/xnnpack/half.h"

/* ---- BatchMatrixMultiply ---- */

typedef struct {
  PtXnnBroadcast batches; /* the product of whole matrices */
  gsize m, n, k;
} Matmul;

typedef struct {
  const PtXnnGraph *graph;
  const Matmul *matmul;
  const float *a, *b;
  float *y;
  gboolean transposed;
} Job;

static const PtEpilogue no_epilogue = { NULL, -INFINITY, INFINITY, TRUE };

static void
multiply_batches (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const Matmul *s = job->matmul;
  gpointer scratch = pt_pool_scratch (job->graph->pool, worker);
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, &s->batches, begin, end);
  while (pt_xnn_walk_next (&walk, 1, &piece))
    pt_gemm_f32_serial (s->m, s->n, s->k, job->a + piece.a * s->m * s->k, s->k,
                        job->b + piece.b * s->k * s->n, job->transposed ? s->k : s->n,
                        job->transposed, &no_epilogue, job->y + piece.y * s->m * s->n, s->n,
                        scratch);
}

/* With few matrices, all workers share each of them. */
static void
multiply_in_turn (const Job *job)
{
  const Matmul *s = job->matmul;
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, &s->batches, 0, s->batches.numel);
  while (pt_xnn_walk_next (&walk, 1, &piece))
    pt_gemm_f32 (job->graph->pool, s->m, s->n, s->k, job->a + piece.a * s->m * s->k, s->k,
                 job->b + piece.b * s->k * s->n, job->transposed ? s->k : s->n, job->transposed,
                 &no_epilogue, job->y + piece.y * s->m * s->n, s->n);
}

static void
run_matmul (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *a = pt_xnn_in (graph, node, 0), *b = pt_xnn_in (graph, node, 1);
  const PtXnnValue *y = pt_xnn_out (graph, node, 0);
  const Matmul *s = node->state;
  Job job = { graph, s, a->data, b->data, y->data, (node->flags & 1) != 0 };

  if (y->numel == 0)
    return;
  if (y->type != PT_XNN_F32) {
    float *at = node->scratch;

    job.a = at;
    pt_xnn_widen (graph->pool, a->type, a->numel, a->data, at);
    job.b = at += pt_round_up_64 (a->numel);
    pt_xnn_widen (graph->pool, b->type, b->numel, b->data, at);
    job.y = at + pt_round_up_64 (b->numel);
  }
  if (s->batches.numel >= 2 * (gsize) pt_pool_n_workers (graph->pool))
    pt_pool_run (graph->pool, s->batches.numel, MAX (65536 / (s->m * s->n * MAX (s->k, 1)), 1),
                 multiply_batches, &job);
  else
    multiply_in_turn (&job);
  if (y->type != PT_XNN_F32)
    pt_xnn_narrow (graph->pool, y->type, y->numel, job.y, y->data);
}

gboolean
pt_xnn_prepare_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_out (graph, node, 0)->type;

  if (pt_xnn_in (graph, node, 0)->type != type || pt_xnn_in (graph, node, 1)->type != type ||
      (type != PT_XNN_F32 && !pt_xnn_is_half (type)))
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_matmul;
  node->state = pt_xnn_graph_alloc (graph, 1, sizeof (Matmul), error);
  return node->state != NULL;
}

gboolean
pt_xnn_setup_matmul (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *a = pt_xnn_in (graph, node, 0), *b = pt_xnn_in (graph, node, 1);
  const PtXnnValue *y = pt_xnn_out (graph, node, 0);
  PtXnnShape a_batches = a->shape, b_batches = b->shape;
  Matmul *s = node->state;

  s->m = a->shape.dims[a->shape.rank - 2];
  s->k = a->shape.dims[a->shape.rank - 1];
  s->n = y->shape.dims[y->shape.rank - 1];
  a_batches.rank -= 2;
  b_batches.rank -= 2;
  if (y->numel > 0) /* nothing runs otherwise */
    pt_xnn_broadcast_init (&s->batches, &a_batches, &b_batches);
  if (y->type != PT_XNN_F32)
    node->scratch_size =
        (pt_round_up_64 (a->numel) + pt_round_up_64 (b->numel) + y->numel) * sizeof (float);
  return TRUE;
}

/* ---- Softmax ---- */

typedef struct {
  PtXnnType type;
  gsize n;
  gconstpointer x;
  gpointer y;
  float *scratch; /* half types: a row of floats for each worker */
  gsize scratch_stride;
} SoftmaxJob;

static void
softmax_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const SoftmaxJob *job = data;

  for (gsize row = begin; row < end; row++) {
    gsize at = row * job->n;

    if (job->type == PT_XNN_F32) {
      pt_vector_softmax (job->n, (const float *) job->x + at, (float *) job->y + at);
    } else {
      float *strip = job->scratch + worker * job->scratch_stride;

      pt_xnn_load_half (job->type, job->n, (const guint16 *) job->x + at, strip);
      pt_vector_softmax (job->n, strip, strip);
      pt_xnn_store_half (job->type, job->n, strip, (guint16 *) job->y + at);
    }
  }
}

static gsize
row_length (const PtXnnValue *value)
{
  return value->shape.rank > 0 ? value->shape.dims[value->shape.rank - 1] : 1;
}

static void
run_softmax (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  gsize n = row_length (y);
  SoftmaxJob job = { y->type, n, x->data, y->data, node->scratch, pt_round_up_64 (n) };

  if (y->numel > 0)
    pt_pool_run (graph->pool, y->numel / n, MAX (8192 / n, 1), softmax_rows, &job);
}

gboolean
pt_xnn_prepare_softmax (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_out (graph, node, 0)->type;

  if (pt_xnn_in (graph, node, 0)->type != type || (type != PT_XNN_F32 && !pt_xnn_is_half (type)))
    return pt_xnn_node_types_fail (graph, node, error);
  node->run = run_softmax;
  return TRUE;
}

gboolean
pt_xnn_setup_softmax (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *y = pt_xnn_out (graph, node, 0);

  node->can_overwrite = 1;
  if (y->type != PT_XNN_F32)
    node->scratch_size =
        pt_pool_n_workers (graph->pool) * pt_round_up_64 (row_length (y)) * sizeof (float);
  return TRUE;
}
