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

static void
add_runs (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnBroadcast *broadcast = &job->state->broadcast;
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, broadcast, begin, end);
  while (pt_xnn_walk_next (&walk, G_MAXSIZE, &piece)) {
    const guint8 *a = job->a + piece.a, *b = job->b + piece.b;
    PtSumQ8 sum = job->state->sum;

    /* A number that is the same for the whole run is part of the start. */
    if (broadcast->a_step == 0) {
      sum.start += sum.a_factor * (gint8) (*a ^ sum.a_flip);
      sum.a_factor = 0;
      a = b;
    } else if (broadcast->b_step == 0) {
      sum.start += sum.b_factor * (gint8) (*b ^ sum.b_flip);
      sum.b_factor = 0;
      b = a;
    }
    pt_q8_loops ()->add (&sum, piece.n, a, b, job->y + piece.y);
  }
}

static void
multiply_runs (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnBroadcast *broadcast = &job->state->broadcast;
  PtXnnPiece piece;
  PtXnnWalk walk;

  pt_xnn_walk_init (&walk, broadcast, begin, end);
  while (pt_xnn_walk_next (&walk, G_MAXSIZE, &piece))
    pt_q8_loops ()->multiply (&job->state->product, piece.n, job->a + piece.a, broadcast->a_step,
                              job->b + piece.b, broadcast->b_step, job->y + piece.y);
}

/* Numbers of short rows that are multiplied in one loop, and the longest short row. */
#define ROW_ROOM 2048
#define SHORT_ROW 256

/*
 * Whether all rows of one operand are multiplied by the one row of the other, as pixels are by a
 * number for each channel, and rows are short.
 */
static gboolean
has_short_rows (const PtXnnBroadcast *broadcast)
{
  gsize n = broadcast->n;

  return broadcast->n_outer_dims == 1 && broadcast->a_step == 1 && broadcast->b_step == 1 &&
         n <= SHORT_ROW && broadcast->a[0] + broadcast->b[0] == n &&
         MIN (broadcast->a[0], broadcast->b[0]) == 0;
}

/* Multiplies several rows at a time by as many copies of the repeated row: loops are longer. */
static void
multiply_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnBroadcast *broadcast = &job->state->broadcast;
  const gsize n = broadcast->n, step = ROW_ROOM / n * n;
  const gboolean repeats_a = broadcast->a[0] == 0;
  const guint8 *row = repeats_a ? job->a : job->b;
  guint8 room[ROW_ROOM];

  for (gsize i = 0, from = begin % n; i < step; i++, from = from + 1 < n ? from + 1 : 0)
    room[i] = row[from];
  for (gsize at = begin; at < end; at += step)
    pt_q8_loops ()->multiply (&job->state->product, MIN (step, end - at),
                              repeats_a ? room : job->a + at, 1, repeats_a ? job->b + at : room, 1,
                              job->y + at);
}

static void
run_binary (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = { node->state, pt_xnn_in (graph, node, 0)->data, pt_xnn_in (graph, node, 1)->data,
              pt_xnn_out (graph, node, 0)->data };

  pt_pool_run (graph->pool, pt_xnn_out (graph, node, 0)->numel, GRAIN,
               node->klass->detail != PT_BINARY_MUL     ? add_runs
               : has_short_rows (&job.state->broadcast) ? multiply_rows
                                                        : multiply_runs,
               &job);
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
  gint32 lo, hi;

  pt_q8_bounds (node, y, &lo, &hi);
  if (op == PT_BINARY_MUL) {
    s->product =
        (PtProductQ8){ { (a->scale * b->scale) / y->scale, pt_q8_zero (y), lo, hi, pt_q8_flip (y) },
                       pt_q8_zero (a),
                       pt_q8_zero (b),
                       pt_q8_flip (a),
                       pt_q8_flip (b) };
  } else if (op == PT_BINARY_ADD || op == PT_BINARY_SUB) {
    float rb = b->scale / y->scale;

    s->sum = (PtSumQ8){ .y_zero = pt_q8_zero (y),
                        .y_min = lo,
                        .y_max = hi,
                        .a_flip = pt_q8_flip (a),
                        .b_flip = pt_q8_flip (b),
                        .y_flip = pt_q8_flip (y) };
    if (!addition_factors (a->scale / y->scale, op == PT_BINARY_SUB ? -rb : rb, &s->sum.a_factor,
                           &s->sum.b_factor, &s->sum.shift))
      return pt_xnn_node_fail (node, error, PT_ERROR_UNSUPPORTED,
                               "its scales differ by more than 1 to 256");
    s->sum.start = (1 << (s->sum.shift - 1)) - s->sum.a_factor * pt_q8_zero (a) -
                   s->sum.b_factor * pt_q8_zero (b);
  } else {
    return pt_xnn_node_types_fail (graph, node, error);
  }
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

  pt_q8_loops ()->look_up (end - begin, job->table, job->x + begin, job->y + begin);
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

/* ---- Floats in between ---- */

static const PtXnnClass table_class = {
  .name = "table",
  .n_in = 1,
  .shape = pt_xnn_shape_same,
  .setup = pt_xnn_setup_unary,
};

gboolean
pt_xnn_prepare_float_table (PtXnnGraph *graph, PtXnnNode *const *chain, guint n, PtXnnNode *node,
                            GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, chain[0], 0), *y = pt_xnn_out (graph, chain[n - 1], 0);
  const PtToQ8 to = { 1.0f / y->scale, pt_q8_zero (y), -128, 127, pt_q8_flip (y) };
  guint32 in = chain[0]->in[0], out = chain[n - 1]->out[0];
  guint8 bytes[256], *table = pt_xnn_graph_alloc (graph, 256, 1, error);
  float reals[256];

  if (table == NULL)
    return FALSE;
  for (guint i = 0; i < 256; i++)
    bytes[i] = (guint8) i;
  pt_q8_loops ()->dequantize (256, bytes, pt_q8_flip (x), pt_q8_zero (x), x->scale, reals);
  for (guint i = 1; i + 1 < n; i++)
    pt_xnn_unary_f32 (chain[i], 256, reals, reals);
  pt_q8_loops ()->quantize (&to, 256, reals, table);
  *node = (PtXnnNode){ .run = run_table,
                       .klass = &table_class,
                       .state = table,
                       .in = { in },
                       .n_in = 1,
                       .out = { out },
                       .n_out = 1 };
  return TRUE;
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
  const Bounds *b = &job->bounds;

  pt_q8_loops ()->clamp (end - begin, job->x + begin, b->flip, b->lo, b->hi, job->y + begin);
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
