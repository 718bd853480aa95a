/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-elementwise.h"

#include <math.h>

#include "engine/xnnpack/half.h"

/* Least elements in a piece of a loop. */
#define GRAIN_LIGHT 32768
#define GRAIN_HEAVY 8192
/* Half precision is computed in float, in strips on the stack. */
#define STRIP 512

/* ---- One input ---- */

void
pt_xnn_unary_f32 (const PtXnnNode *node, gsize n, const float *x, float *y)
{
  const float number = node->number;

  switch (node->klass->detail) {
  case PT_XNN_UNARY_CLAMP: pt_vector_clamp (n, x, node->min, node->max, y); break;
  case PT_XNN_UNARY_LEAKY_RELU:
    for (gsize i = 0; i < n; i++)
      y[i] = x[i] < 0.0f ? x[i] * number : x[i];
    break;
  case PT_XNN_UNARY_ELU:
    for (gsize i = 0; i < n; i++)
      y[i] = x[i] < 0.0f ? number * expm1f (x[i]) : x[i];
    break;
  default: pt_vector_unary ((PtUnary) node->klass->detail, n, x, y);
  }
}

static void
unary_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtXnnElementwise *job = data;

  pt_xnn_unary_f32 (job->node, end - begin, (const float *) job->a->data + begin,
                    (float *) job->y->data + begin);
}

static void
unary_half (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtXnnElementwise *job = data;
  float strip[STRIP];

  for (; begin < end; begin += STRIP) {
    gsize n = MIN (end - begin, STRIP);

    pt_xnn_load_half (job->a->type, n, (const guint16 *) job->a->data + begin, strip);
    pt_xnn_unary_f32 (job->node, n, strip, strip);
    pt_xnn_store_half (job->y->type, n, strip, (guint16 *) job->y->data + begin);
  }
}

static gboolean
is_light (int detail)
{
  return detail == PT_XNN_UNARY_CLAMP || detail == PT_XNN_UNARY_LEAKY_RELU ||
         detail == PT_UNARY_ABS || detail == PT_UNARY_NEGATE || detail == PT_UNARY_SQUARE ||
         detail == PT_UNARY_FLOOR || detail == PT_UNARY_CEIL;
}

static PtXnnElementwise
values_of (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return (PtXnnElementwise){ node, pt_xnn_in (graph, node, 0),
                             node->n_in > 1 ? pt_xnn_in (graph, node, 1) : NULL,
                             pt_xnn_out (graph, node, 0) };
}

static void
run_unary (const PtXnnGraph *graph, const PtXnnNode *node)
{
  PtXnnElementwise job = values_of (graph, node);

  pt_pool_run (graph->pool, job.y->numel,
               is_light (node->klass->detail) ? GRAIN_LIGHT : GRAIN_HEAVY,
               job.y->type == PT_XNN_F32 ? unary_f32 : unary_half, &job);
}

gboolean
pt_xnn_prepare_unary (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType in = pt_xnn_in (graph, node, 0)->type, out = pt_xnn_out (graph, node, 0)->type;

  node->run = run_unary;
  if (in == out && (in == PT_XNN_F32 || pt_xnn_is_half (in)))
    return TRUE;
  if (in == out && (in == PT_XNN_QI8 || in == PT_XNN_QU8))
    return pt_xnn_prepare_unary_q8 (graph, node, error);
  return pt_xnn_node_types_fail (graph, node, error);
}

gboolean
pt_xnn_setup_unary (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  node->can_overwrite = 1;
  return TRUE;
}

/* ---- Two inputs ---- */

static void
prelu (gsize n, const float *x, const float *slope, guint slope_step, float *y)
{
  if (slope_step == 0) {
    const float s = *slope;

    for (gsize i = 0; i < n; i++)
      y[i] = x[i] < 0.0f ? x[i] * s : x[i];
    return;
  }
  for (gsize i = 0; i < n; i++)
    y[i] = x[i] < 0.0f ? x[i] * slope[i] : x[i];
}

static void
binary_run (const PtXnnNode *node, const PtXnnBroadcast *broadcast, gsize n, const float *a,
            const float *b, float *y)
{
  PtBinary op = (PtBinary) node->klass->detail;

  if (node->klass->detail == PT_XNN_BINARY_PRELU)
    prelu (n, a, b, broadcast->b_step, y);
  else if (broadcast->a_step == 0)
    pt_vector_binary_scalar (op, n, b, *a, TRUE, node->min, node->max, y);
  else if (broadcast->b_step == 0)
    pt_vector_binary_scalar (op, n, a, *b, FALSE, node->min, node->max, y);
  else
    pt_vector_binary (op, n, a, b, node->min, node->max, y);
}

static void
binary_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtXnnElementwise *job = data;
  const PtXnnBroadcast *broadcast = &((const PtXnnBinary *) job->node->state)->broadcast;
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, broadcast, begin, end);
  while (pt_xnn_walk_next (&walk, G_MAXSIZE, &piece))
    binary_run (job->node, broadcast, piece.n, (const float *) job->a->data + piece.a,
                (const float *) job->b->data + piece.b, (float *) job->y->data + piece.y);
}

static void
binary_half (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtXnnElementwise *job = data;
  const PtXnnBroadcast *broadcast = &((const PtXnnBinary *) job->node->state)->broadcast;
  float a[STRIP], b[STRIP];
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, broadcast, begin, end);
  while (pt_xnn_walk_next (&walk, STRIP, &piece)) {
    pt_xnn_load_half (job->a->type, broadcast->a_step > 0 ? piece.n : 1,
                      (const guint16 *) job->a->data + piece.a, a);
    pt_xnn_load_half (job->b->type, broadcast->b_step > 0 ? piece.n : 1,
                      (const guint16 *) job->b->data + piece.b, b);
    /* A single-number operand is read for every element, so the result must not overwrite it. */
    binary_run (job->node, broadcast, piece.n, a, b, broadcast->a_step > 0 ? a : b);
    pt_xnn_store_half (job->y->type, piece.n, broadcast->a_step > 0 ? a : b,
                       (guint16 *) job->y->data + piece.y);
  }
}

static void
run_binary (const PtXnnGraph *graph, const PtXnnNode *node)
{
  PtXnnElementwise job = values_of (graph, node);

  pt_pool_run (graph->pool, job.y->numel, GRAIN_LIGHT,
               job.y->type == PT_XNN_F32 ? binary_f32 : binary_half, &job);
}

static gboolean
has_clamp (int detail)
{
  return detail == PT_BINARY_ADD || detail == PT_BINARY_SUB || detail == PT_BINARY_MUL ||
         detail == PT_BINARY_DIV;
}

gboolean
pt_xnn_prepare_binary (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_out (graph, node, 0)->type;

  if (pt_xnn_in (graph, node, 0)->type != type || pt_xnn_in (graph, node, 1)->type != type)
    return pt_xnn_node_types_fail (graph, node, error);
  node->state = pt_xnn_graph_alloc (graph, 1, sizeof (PtXnnBinary), error);
  if (node->state == NULL)
    return FALSE;
  node->run = run_binary;
  if (!has_clamp (node->klass->detail)) {
    node->min = -INFINITY;
    node->max = INFINITY;
  }
  if (type == PT_XNN_F32 || pt_xnn_is_half (type))
    return TRUE;
  if (type == PT_XNN_QI8 || type == PT_XNN_QU8)
    return pt_xnn_prepare_binary_q8 (graph, node, error);
  return pt_xnn_node_types_fail (graph, node, error);
}

/* ---- Both ---- */

gboolean
pt_xnn_elementwise_init (PtXnnElementwise *self, const PtXnnGraph *graph, const PtXnnNode *node)
{
  if ((node->run != run_unary && node->run != run_binary) ||
      pt_xnn_out (graph, node, 0)->type != PT_XNN_F32)
    return FALSE;
  *self = values_of (graph, node);
  return TRUE;
}

void
pt_xnn_elementwise_run (const PtXnnElementwise *self, gsize begin, gsize end)
{
  (self->b == NULL ? unary_f32 : binary_f32) ((gpointer) self, begin, end, 0);
}

gboolean
pt_xnn_setup_binary (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *a = pt_xnn_in (graph, node, 0), *b = pt_xnn_in (graph, node, 1);
  const PtXnnValue *y = pt_xnn_out (graph, node, 0);
  PtXnnBinary *state = node->state;

  if (node->klass->detail == PT_XNN_BINARY_PRELU && a->numel != y->numel)
    return pt_xnn_node_fail (node, error, PT_ERROR_ARGUMENT,
                             "its slopes are larger than its input");
  node->can_overwrite = (a->numel == y->numel ? 1u : 0u) | (b->numel == y->numel ? 2u : 0u);
  if (y->numel > 0) /* nothing runs otherwise */
    pt_xnn_broadcast_init (&state->broadcast, &a->shape, &b->shape);
  return TRUE;
}
