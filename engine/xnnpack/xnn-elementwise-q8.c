/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-elementwise.h"

#include <math.h>

#include "engine/xnnpack/q8.h"

/* Element-wise nodes on static 8-bit values (docs/formats/xnnpack.md, section 8.3). */

#define GRAIN 65536

typedef struct {
  const PtXnnBinary *state;
  const guint8 *a, *b;
  guint8 *y;
} Job;

/* ---- Add, Subtract, Multiply ---- */

static inline guint8
add_one (const PtXnnBinary *s, guint8 a, guint8 b)
{
  gint32 sum = (1 << (s->shift - 1)) + s->a_factor * ((gint8) (a ^ s->a_flip) - s->a_zero) +
               s->b_factor * ((gint8) (b ^ s->b_flip) - s->b_zero);
  gint32 y = (sum >> s->shift) + s->y_zero;

  return (guint8) (CLAMP (y, s->y_min, s->y_max) ^ s->y_flip);
}

static inline guint8
multiply_one (const PtXnnBinary *s, guint8 a, guint8 b)
{
  gint32 product = ((gint8) (a ^ s->a_flip) - s->a_zero) * ((gint8) (b ^ s->b_flip) - s->b_zero);
  gint32 y = pt_q8_round ((float) product * s->scale, s->y_zero, s->y_min, s->y_max);

  return (guint8) (y ^ s->y_flip);
}

#define DEFINE_RUNS(name)                                                       \
  static void name##_runs (gpointer data, gsize begin, gsize end, guint worker) \
  {                                                                             \
    const Job *job = data;                                                      \
    const PtXnnBinary state = *job->state;                                      \
    PtXnnPiece piece;                                                           \
    PtXnnWalk walk;                                                             \
                                                                                \
    pt_xnn_walk_init (&walk, &job->state->broadcast, begin, end);               \
    while (pt_xnn_walk_next (&walk, G_MAXSIZE, &piece)) {                       \
      const guint8 *a = job->a + piece.a, *b = job->b + piece.b;                \
      guint8 *y = job->y + piece.y;                                             \
      gsize a_step = state.broadcast.a_step, b_step = state.broadcast.b_step;   \
                                                                                \
      if (a_step == 1 && b_step == 1)                                           \
        for (gsize i = 0; i < piece.n; i++)                                     \
          y[i] = name##_one (&state, a[i], b[i]);                               \
      else                                                                      \
        for (gsize i = 0; i < piece.n; i++)                                     \
          y[i] = name##_one (&state, a[i * a_step], b[i * b_step]);             \
    }                                                                           \
  }

DEFINE_RUNS (add)
DEFINE_RUNS (multiply)

static void
run_binary (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = { node->state, pt_xnn_in (graph, node, 0)->data, pt_xnn_in (graph, node, 1)->data,
              pt_xnn_out (graph, node, 0)->data };

  pt_pool_run (graph->pool, pt_xnn_out (graph, node, 0)->numel, GRAIN,
               node->klass->detail == PT_BINARY_MUL ? multiply_runs : add_runs, &job);
}

/* The factors of an addition in fixed point, with as many bits as fit 32-bit sums. */
static gboolean
addition_factors (float ra, float rb, gint32 *fa, gint32 *fb, gint32 *shift)
{
  float largest = MAX (fabsf (ra), fabsf (rb));
  int exponent;

  if (!(largest >= 0x1p-10f && largest < 0x1p8f))
    return FALSE;
  frexpf (largest, &exponent);
  *shift = 20 - (exponent - 1);
  *fa = (gint32) lrintf (ldexpf (ra, *shift));
  *fb = (gint32) lrintf (ldexpf (rb, *shift));
  return TRUE;
}

gboolean
pt_xnn_prepare_binary_q8 (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *a = pt_xnn_in (graph, node, 0), *b = pt_xnn_in (graph, node, 1);
  const PtXnnValue *y = pt_xnn_out (graph, node, 0);
  PtXnnBinary *s = node->state;
  int op = node->klass->detail;
  float rb = b->scale / y->scale;

  if (op != PT_BINARY_ADD && op != PT_BINARY_SUB && op != PT_BINARY_MUL)
    return pt_xnn_node_types_fail (graph, node, error);
  s->a_flip = pt_q8_flip (a);
  s->b_flip = pt_q8_flip (b);
  s->y_flip = pt_q8_flip (y);
  s->a_zero = pt_q8_zero (a);
  s->b_zero = pt_q8_zero (b);
  s->y_zero = pt_q8_zero (y);
  pt_q8_bounds (node, y, &s->y_min, &s->y_max);
  s->scale = (a->scale * b->scale) / y->scale;
  if (op != PT_BINARY_MUL && !addition_factors (a->scale / y->scale, op == PT_BINARY_SUB ? -rb : rb,
                                                &s->a_factor, &s->b_factor, &s->shift))
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                             "its scales differ by more than 1 to 256");
  node->run = run_binary;
  return TRUE;
}

/* ---- One input: a table of results ---- */

typedef struct {
  const guint8 *table, *x;
  guint8 *y;
} TableJob;

static void
look_up (gpointer data, gsize begin, gsize end, guint worker)
{
  const TableJob *job = data;

  for (gsize i = begin; i < end; i++)
    job->y[i] = job->table[job->x[i]];
}

static void
run_table (const PtXnnGraph *graph, const PtXnnNode *node)
{
  TableJob job = { node->state, pt_xnn_in (graph, node, 0)->data,
                   pt_xnn_out (graph, node, 0)->data };

  pt_pool_run (graph->pool, pt_xnn_out (graph, node, 0)->numel, GRAIN, look_up, &job);
}

static guint8 *
new_table (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  node->run = run_table;
  node->state = pt_xnn_graph_alloc (graph, 256, 1, error);
  return node->state;
}

/* A Clamp between equal parameters: the bounds as stored values, read as signed numbers. */
typedef struct {
  gint8 lo, hi;
  guint8 flip;
} Bounds;

typedef struct {
  Bounds bounds;
  const guint8 *x;
  guint8 *y;
} ClampJob;

static void
clamp_bytes (gpointer data, gsize begin, gsize end, guint worker)
{
  const ClampJob *job = data;
  const Bounds b = job->bounds;

  for (gsize i = begin; i < end; i++) {
    gint8 q = (gint8) (job->x[i] ^ b.flip);

    q = MAX (q, b.lo);
    q = MIN (q, b.hi);
    job->y[i] = (guint8) q ^ b.flip;
  }
}

static void
run_clamp (const PtXnnGraph *graph, const PtXnnNode *node)
{
  ClampJob job = { *(const Bounds *) node->state, pt_xnn_in (graph, node, 0)->data,
                   pt_xnn_out (graph, node, 0)->data };

  pt_pool_run (graph->pool, pt_xnn_out (graph, node, 0)->numel, GRAIN, clamp_bytes, &job);
}

static gboolean
prepare_clamp (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  Bounds *bounds;
  gint32 lo, hi;

  if (x->scale != y->scale || x->zero_point != y->zero_point)
    return pt_xnn_prepare_requantize (graph, node, error);
  bounds = node->state = pt_xnn_graph_alloc (graph, 1, sizeof *bounds, error);
  if (bounds == NULL)
    return FALSE;
  pt_q8_bounds (node, y, &lo, &hi);
  bounds->lo = (gint8) lo;
  bounds->hi = (gint8) hi;
  bounds->flip = pt_q8_flip (y);
  node->run = run_clamp;
  return TRUE;
}

gboolean
pt_xnn_prepare_requantize (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  gint32 factor, unused, shift, lo, hi;
  guint8 *table = new_table (graph, node, error);

  if (table == NULL)
    return FALSE;
  if (!addition_factors (x->scale / y->scale, 0.0f, &factor, &unused, &shift))
    return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                             "its scales differ by more than 1 to 256");
  pt_q8_bounds (node, y, &lo, &hi);
  for (guint i = 0; i < 256; i++) {
    gint32 q = (gint8) (i ^ pt_q8_flip (x)) - pt_q8_zero (x);
    gint32 r = (((1 << (shift - 1)) + factor * q) >> shift) + pt_q8_zero (y);

    table[i] = (guint8) (CLAMP (r, lo, hi) ^ pt_q8_flip (y));
  }
  return TRUE;
}

gboolean
pt_xnn_prepare_unary_q8 (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  float reals[256];
  guint8 *table;

  if (node->klass->detail == PT_XNN_UNARY_CLAMP)
    return prepare_clamp (graph, node, error);
  table = new_table (graph, node, error);
  if (table == NULL)
    return FALSE;
  for (guint i = 0; i < 256; i++)
    reals[i] = (float) ((gint8) (i ^ pt_q8_flip (x)) - pt_q8_zero (x)) * x->scale;
  pt_xnn_unary_f32 (node, 256, reals, reals);
  for (guint i = 0; i < 256; i++)
    table[i] = (guint8) (pt_q8_round (reals[i] * (1.0f / y->scale), pt_q8_zero (y), -128, 127) ^
                         pt_q8_flip (y));
  return TRUE;
}
