/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/xnnpack/xnn-payload.h"
#include "graph-builder.h"

/* Optimisations of a graph: merged conversions, views, planned memory, shapes that change between
   calls. */

enum {
  F32 = PT_XNN_F32,
  TAG_ADD = 1,
  TAG_FC = 2,
  TAG_CLAMP = 6,
  TAG_MULTIPLY = 15,
  TAG_CONVERT = 18,
  TAG_RESHAPE = 20,
  TAG_HARDSWISH = 24,
  TAG_NEGATE = 27,
  TAG_SQUARE = 28,
  TAG_COPY = 46
};

static const gint8 weights[64] = { 1, -2, 3, 4, 5, -6, 7, 8, -9, 10, 11, 12, 13, -14, 15, 16 };
static const float scales[8] = { 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f };

/* The planned graph of a payload; @payload must live longer. */
static PtXnnGraph *
plan (GBytes *payload)
{
  PtDelegateSpec spec = { .id = "XnnpackBackend" };
  PtDelegateContext context = { .spec = &spec, .method = "forward" };
  g_autoptr (GError) error = NULL;
  PtXnnGraph *graph;

  delegate_backend ();
  spec.payload = g_bytes_get_data (payload, &spec.payload_size);
  graph = pt_xnn_payload_read (&context, &error);
  g_assert_no_error (error);
  g_assert_true (pt_xnn_graph_plan (graph, &error));
  g_assert_no_error (error);
  pt_xnn_graph_reserve (graph);
  return graph;
}

static guint32
add_filter (Builder *b, guint n, guint k)
{
  return builder_value (b, (Value){ .type = PT_XNN_QC8,
                                    .rank = 2,
                                    .dims = { n, k },
                                    .data = weights,
                                    .size = n * k,
                                    .scales = scales,
                                    .n_scales = n });
}

static guint32
add_rows (Builder *b, guint rows, guint k, gint32 n_nonbatch)
{
  return builder_value (
      b, (Value){ .type = PT_XNN_QD8, .rank = 2, .dims = { rows, k }, .n_nonbatch = n_nonbatch });
}

static guint32
add_reshape (Builder *b, guint32 in, guint32 out, gint64 rows, gint64 columns)
{
  builder_node (b, (Node){ .tag = TAG_RESHAPE,
                           .n_slots = 4,
                           .slots = { 2, 0, in, out },
                           .n_lists = 1,
                           .list_slots = { 1 },
                           .list_sizes = { 2 },
                           .lists = { { rows, columns } } });
  return out;
}

/* Three products read the same tensor through Converts of their own. */
static void
test_merged_converts (void)
{
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (PtXnnGraph) graph = NULL;
  guint32 x = builder_tensor (b, F32, 2, DIMS (2, 4), INPUT);
  guint n_converts = 0;

  for (guint i = 0; i < 3; i++) {
    guint32 q = add_rows (b, 2, 4, 1), w = add_filter (b, 4, 4);
    guint32 y = builder_tensor (b, F32, 2, DIMS (2, 4), OUTPUT);

    builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, q });
    builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, y, 0 });
  }
  payload = builder_finish (b, TRUE);
  graph = plan (payload);
  g_assert_cmpuint (graph->n_nodes, ==, 4);
  for (guint i = 0; i < graph->n_nodes; i++)
    n_converts += strcmp (graph->nodes[i].klass->name, "Convert") == 0;
  g_assert_cmpuint (n_converts, ==, 1);
  g_assert_cmpuint (graph->n_by_tag[TAG_CONVERT], ==, 3); /* of the payload, for reports */
}

/*
 * 8 bits, a function of floats, 8 bits: a table of the same results, unless the floats are read
 * elsewhere, too.
 */
static void
run_chain (gboolean is_read_twice, guint8 out[256])
{
  guint8 in[256];
  float floats[256];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (PtXnnGraph) graph = NULL;
  guint32 x = builder_quantized (b, PT_XNN_QU8, 1, DIMS (256), INPUT, 0, 0.05f, 120);
  guint32 y = builder_quantized (b, PT_XNN_QI8, 1, DIMS (256), OUTPUT, 1, 0.03f, -20);
  guint32 before = builder_tensor (b, F32, 1, DIMS (256), 0);
  guint32 after = builder_tensor (b, F32, 1, DIMS (256), 0);
  PtTensor tx = make_tensor (PT_DTYPE_U8, 1, SIZES (256), in, sizeof in);
  PtTensor ty = make_tensor (PT_DTYPE_I8, 1, SIZES (256), out, 256);
  PtTensor tz = make_tensor (PT_DTYPE_F32, 1, SIZES (256), floats, sizeof floats);

  for (guint i = 0; i < 256; i++)
    in[i] = (guint8) i;
  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, before });
  builder_simple (b, TAG_HARDSWISH, 2, (guint32[]){ before, after });
  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ after, y });
  if (is_read_twice)
    builder_simple (b, TAG_COPY, 2,
                    (guint32[]){ after, builder_tensor (b, F32, 1, DIMS (256), OUTPUT) });
  payload = builder_finish (b, TRUE);
  graph = plan (payload);
  g_assert_cmpuint (graph->n_nodes, ==, is_read_twice ? 4 : 1);
  run_graph (b, (PtTensor *[]){ &tx, &ty, &tz }, is_read_twice ? 3 : 2);
}

static void
test_float_chains (void)
{
  guint8 merged[256], wanted[256];

  run_chain (TRUE, wanted);
  run_chain (FALSE, merged);
  g_assert_cmpmem (merged, sizeof merged, wanted, sizeof wanted);
  g_assert_cmpint ((gint8) merged[120], ==, -20);
  g_assert_cmpint ((gint8) merged[200], ==, 113); /* 4 / 0.03 - 20 */
}

/* A sum of static 8-bit values and a Clamp of it, in one of these ways. */
typedef enum { MERGED, OTHER_SCALE, READ_TWICE, DISJOINT } ClampWay;

static GBytes *
build_clamp (Builder *b, ClampWay way)
{
  guint32 x = builder_quantized (b, PT_XNN_QI8, 1, DIMS (8), INPUT, 0, 0.5f, 3);
  guint32 sum = builder_quantized (b, PT_XNN_QI8, 1, DIMS (8), 0, 0, 0.5f, -1);
  guint32 y = builder_quantized (b, PT_XNN_QI8, 1, DIMS (8), OUTPUT, 1,
                                 way == OTHER_SCALE ? 0.25f : 0.5f, -1);

  builder_node (b, (Node){ .tag = TAG_ADD,
                           .n_slots = 3,
                           .slots = { x, x, sum },
                           .clamped = way == DISJOINT,
                           .min = 4.0f,
                           .max = 5.0f });
  builder_node (b, (Node){ .tag = TAG_CLAMP,
                           .n_slots = 2,
                           .slots = { sum, y },
                           .clamped = TRUE,
                           .min = -2.0f,
                           .max = 3.0f });
  if (way == READ_TWICE) {
    guint32 z = builder_quantized (b, PT_XNN_QI8, 1, DIMS (8), OUTPUT, 2, 0.5f, -1);

    builder_simple (b, TAG_COPY, 2, (guint32[]){ sum, z });
  }
  return builder_finish (b, TRUE);
}

/* The bounds of a Clamp become those of the node before it, if no other node reads its result. */
static void
test_merged_clamps (void)
{
  for (ClampWay way = MERGED; way <= DISJOINT; way++) {
    gint8 in[8] = { 3, 4, 5, 1, 127, -128, 2, 6 }, out[8], copy[8];
    g_autoptr (Builder) b = builder_new ();
    g_autoptr (GBytes) payload = build_clamp (b, way);
    g_autoptr (PtXnnGraph) graph = plan (payload);
    PtTensor tx = make_tensor (PT_DTYPE_I8, 1, SIZES (8), in, sizeof in);
    PtTensor ty = make_tensor (PT_DTYPE_I8, 1, SIZES (8), out, sizeof out);
    PtTensor tz = make_tensor (PT_DTYPE_I8, 1, SIZES (8), copy, sizeof copy);

    g_assert_cmpuint (graph->n_nodes, ==, way == MERGED ? 1 : way == READ_TWICE ? 3 : 2);
    run_graph (b, (PtTensor *[]){ &tx, &ty, &tz }, way == READ_TWICE ? 3 : 2);
    for (guint i = 0; i < 8; i++) {
      float sum = (float) (in[i] - 3), clamped;

      sum = way == DISJOINT ? CLAMP (sum, 4.0f, 5.0f) : sum;
      clamped = CLAMP (sum, -2.0f, 3.0f);
      g_assert_cmpint (out[i], ==, (gint) (clamped / (way == OTHER_SCALE ? 0.25f : 0.5f)) - 1);
      if (way == READ_TWICE)
        g_assert_cmpint (copy[i], ==, CLAMP (2 * (in[i] - 3) - 1, -128, 127));
    }
  }
}

/* Reshapes of results move nothing: before an output, between nodes and after an input. */
static void
test_views (void)
{
  float in[6] = { 1, 2, 3, 4, 5, 6 }, out[6], copy[6];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (PtXnnGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  guint32 x = builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  guint32 v1 = builder_tensor (b, F32, 2, DIMS (3, 2), 0);
  guint32 n1 = builder_tensor (b, F32, 2, DIMS (3, 2), 0);
  guint32 v2 = builder_tensor (b, F32, 2, DIMS (6, 1), 0);
  guint32 n2 = builder_tensor (b, F32, 2, DIMS (6, 1), 0);
  guint32 y = builder_tensor (b, F32, 2, DIMS (1, 6), OUTPUT);
  guint32 z = builder_tensor (b, F32, 2, DIMS (3, 2), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), in, sizeof in);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 6), out, sizeof out);
  PtTensor tz = make_tensor (PT_DTYPE_F32, 2, SIZES (3, 2), copy, sizeof copy);

  add_reshape (b, x, v1, 3, 0);
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ v1, n1 });
  add_reshape (b, n1, v2, 6, 1);
  builder_simple (b, TAG_SQUARE, 2, (guint32[]){ v2, n2 });
  add_reshape (b, n2, y, 1, 6);
  add_reshape (b, x, z, 3, 2); /* an argument to another: this one copies */
  payload = builder_finish (b, TRUE);
  graph = plan (payload);
  g_assert_cmpuint (graph->values[v1].root, ==, x);
  g_assert_cmpuint (graph->values[v2].root, ==, n1);
  g_assert_cmpuint (graph->values[n2].root, ==, y);
  g_assert_null ((gpointer) graph->nodes[0].run);
  g_assert_nonnull ((gpointer) graph->nodes[5].run);
  run_graph (b, (PtTensor *[]){ &tx, &ty, &tz }, 3);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpfloat (out[i], ==, in[i] * in[i]);
    g_assert_cmpfloat (copy[i], ==, in[i]);
  }
}

/* A chain of element-wise nodes works in one place; what is still needed is left alone. */
static void
test_memory (void)
{
  enum { N = 1000 };
  g_autofree float *in = g_new (float, N), *out = g_new (float, N);
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (PtXnnGraph) graph = NULL;
  guint32 x = builder_tensor (b, F32, 1, DIMS (N), INPUT), kept, last, y;
  PtTensor tx = make_tensor (PT_DTYPE_F32, 1, SIZES (N), in, N * 4);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 1, SIZES (N), out, N * 4);

  kept = builder_tensor (b, F32, 1, DIMS (N), 0);
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ x, kept });
  last = kept;
  for (guint i = 0; i < 5; i++) {
    guint32 next = builder_tensor (b, F32, 1, DIMS (N), 0);

    builder_simple (b, TAG_ADD, 3, (guint32[]){ last, x, next });
    last = next;
  }
  y = builder_tensor (b, F32, 1, DIMS (N), OUTPUT);
  builder_simple (b, TAG_ADD, 3, (guint32[]){ last, kept, y });
  payload = builder_finish (b, TRUE);
  graph = plan (payload);
  /* Two blocks: the kept one and the one that the chain works in. */
  g_assert_cmpuint (graph->workspace_size, ==, 2 * ((N * 4 + 63) / 64 * 64));
  for (guint i = 0; i < N; i++)
    in[i] = (float) i;
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (out[i], ==, 3.0f * (float) i);
}

/* x [rows, 4] -> quantised -> product -> twice negated */
static Builder *
make_rows (guint rows)
{
  Builder *b = builder_new ();
  guint32 x = builder_tensor (b, F32, 2, DIMS (rows, 4), INPUT);
  guint32 q = add_rows (b, rows, 4, 1), w = add_filter (b, 8, 4);
  guint32 p = builder_tensor (b, F32, 2, DIMS (rows, 8), 0);
  guint32 y = builder_tensor (b, F32, 2, DIMS (rows, 8), OUTPUT);

  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, q });
  builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, p, 0 });
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ p, y });
  return b;
}

/* Rows do not depend on how many there are; the payload's dims are only an example. */
static void
test_dynamic_rows (void)
{
  enum { MAX_ROWS = 40 };
  static const guint counts[] = { 3, 1, 40, 1, 1, 7, 0, 2 };
  float in[MAX_ROWS * 4], all[MAX_ROWS * 8], out[MAX_ROWS * 8];
  g_autoptr (Builder) b = make_rows (4);
  g_autoptr (GBytes) payload = builder_finish (b, TRUE);
  gpointer delegate = delegate_new (payload, NULL);
  guint32 seed = 1;

  for (guint i = 0; i < MAX_ROWS * 4; i++)
    in[i] = next_random (&seed);
  for (guint i = 0; i <= G_N_ELEMENTS (counts); i++) {
    guint n = i == 0 ? MAX_ROWS : counts[i - 1];
    float *to = i == 0 ? all : out;
    PtTensor x = make_tensor (PT_DTYPE_F32, 2, SIZES (n, 4), in, sizeof in);
    PtTensor y = make_tensor (PT_DTYPE_F32, 2, SIZES (MAX_ROWS, 8), to, sizeof out);
    g_autoptr (GError) error = NULL;

    delegate_run (delegate, (PtTensor *[]){ &x, &y }, 2, &error);
    g_assert_no_error (error);
    g_assert_cmpint (y.sizes[0], ==, n);
    g_assert_cmpmem (to, n * 32, all, n * 32);
  }
  delegate_free (delegate);
}

/* Delegates of one pool share their workspace; one that grows it does not disturb the others. */
static void
test_shared_workspace (void)
{
  g_autoptr (Builder) small_builder = make_rows (1);
  g_autoptr (Builder) big_builder = make_rows (1);
  g_autoptr (GBytes) small_payload = builder_finish (small_builder, TRUE);
  g_autoptr (GBytes) big_payload = builder_finish (big_builder, TRUE);
  gpointer small = delegate_new (small_payload, NULL), big = delegate_new (big_payload, NULL);
  float in[4 * 2000] = { 1, 2, 3, -4 }, out[8 * 2000], first[8];
  PtTensor x1 = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 4), in, sizeof in);
  PtTensor y1 = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 8), first, sizeof first);
  PtTensor x2 = make_tensor (PT_DTYPE_F32, 2, SIZES (2000, 4), in, sizeof in);
  PtTensor y2 = make_tensor (PT_DTYPE_F32, 2, SIZES (2000, 8), out, sizeof out);

  for (guint i = 0; i < 3; i++) {
    memset (first, 0, sizeof first);
    g_assert_true (delegate_run (small, (PtTensor *[]){ &x1, &y1 }, 2, NULL));
    g_assert_true (delegate_run (big, (PtTensor *[]){ &x2, &y2 }, 2, NULL));
    g_assert_cmpmem (first, sizeof first, out, sizeof first);
  }
  delegate_free (big);
  g_assert_true (delegate_run (small, (PtTensor *[]){ &x1, &y1 }, 2, NULL));
  delegate_free (small);
}

/* The last row alone, and untouched rows before it. */
static void
test_last_row (void)
{
  float in[20], all[40], out[40];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  gpointer delegate;
  guint32 x = builder_tensor (b, F32, 3, DIMS (1, 5, 4), INPUT);
  guint32 q = builder_value (
      b, (Value){ .type = PT_XNN_QD8, .rank = 3, .dims = { 1, 5, 4 }, .n_nonbatch = 1 });
  guint32 w = add_filter (b, 8, 4);
  guint32 y = builder_tensor (b, F32, 3, DIMS (1, 5, 8), OUTPUT);
  guint32 z = builder_tensor (b, F32, 3, DIMS (1, 5, 4), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 3, SIZES (1, 5, 4), in, sizeof in);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 3, SIZES (1, 5, 8), all, sizeof all);
  PtTensor tz = make_tensor (PT_DTYPE_F32, 3, SIZES (1, 5, 4), (float[20]){ 0 }, 80);
  const PtBackend *backend = delegate_backend ();
  guint32 seed = 5;

  for (guint i = 0; i < 20; i++)
    in[i] = next_random (&seed);
  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, q });
  builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, y, 0 });
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ x, z });
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, NULL);
  g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty, &tz }, 3, NULL));
  g_assert_true (backend->set_last_rows (delegate, 1, 1));
  g_assert_false (backend->set_last_rows (delegate, 0, 1)); /* an input */
  g_assert_false (backend->set_last_rows (delegate, 2, 1)); /* no product */
  g_assert_false (backend->set_last_rows (delegate, 9, 1));
  memset (out, 0x55, sizeof out);
  ty.data = out;
  g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty, &tz }, 3, NULL));
  g_assert_cmpmem (out + 32, 32, all + 32, 32);
  for (guint i = 0; i < 32 * 4; i++)
    g_assert_cmpuint (((guint8 *) out)[i], ==, 0x55);
  g_assert_true (backend->set_last_rows (delegate, 1, 0));
  g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty, &tz }, 3, NULL));
  g_assert_cmpmem (out, sizeof out, all, sizeof all);
  delegate_free (delegate);
}

/* dims[j] = size (dim_order[j]), for inputs and outputs. */
static void
test_dim_order (void)
{
  float in[24], out[24], slopes[3] = { 1, 10, 100 };
  static const guint8 order[4] = { 0, 2, 3, 1 };
  g_autoptr (Builder) b = builder_new ();
  guint32 x = builder_tensor (b, F32, 4, DIMS (1, 2, 4, 3), INPUT);
  guint32 s = builder_constant (b, F32, 1, DIMS (3), slopes, sizeof slopes);
  guint32 y = builder_tensor (b, F32, 4, DIMS (1, 2, 4, 3), OUTPUT);
  PtTensor tx, ty;

  for (guint i = 0; i < 24; i++)
    in[i] = (float) i;
  g_assert_true (pt_tensor_init (&tx, PT_DTYPE_F32, 4, SIZES (1, 3, 2, 4), order, in, NULL));
  g_assert_true (pt_tensor_init (&ty, PT_DTYPE_F32, 4, SIZES (1, 3, 2, 4), order, out, NULL));
  builder_simple (b, TAG_MULTIPLY, 3, (guint32[]){ x, s, y });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  for (guint i = 0; i < 24; i++)
    g_assert_cmpfloat (out[i], ==, in[i] * slopes[i % 3]);
}

/* Scalars of the program are [1] in the graph. */
static void
test_scalars (void)
{
  float a = 2.0f, c = 5.0f, y = 0.0f;
  g_autoptr (Builder) b = builder_new ();
  guint32 slots[3] = { builder_tensor (b, F32, 1, DIMS (1), INPUT),
                       builder_tensor (b, F32, 1, DIMS (1), INPUT),
                       builder_tensor (b, F32, 1, DIMS (1), OUTPUT) };
  PtTensor ta = make_tensor (PT_DTYPE_F32, 0, NULL, &a, sizeof a);
  PtTensor tc = make_tensor (PT_DTYPE_F32, 0, NULL, &c, sizeof c);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 0, NULL, &y, sizeof y);

  builder_simple (b, TAG_ADD, 3, slots);
  run_graph (b, (PtTensor *[]){ &ta, &tc, &ty }, 3);
  g_assert_cmpfloat (y, ==, 7.0f);
}

/* Very old files: the argument itself is marked as quantised. */
static void
test_implicit_convert (void)
{
  float in[8] = { 1, -2, 3, 4, 5, 6, -7, 8 }, out[16], want[16];
  PtTensor x = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 4), in, sizeof in);
  PtTensor y = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 8), out, sizeof out);
  g_autoptr (Builder) now = make_rows (2);
  g_autoptr (Builder) old = builder_new ();
  guint32 vx = builder_value (
      old,
      (Value){ .type = F32, .rank = 2, .dims = { 2, 4 }, .flags = INPUT, .dq_type = PT_XNN_QI8 });
  guint32 w = add_filter (old, 8, 4);
  guint32 p = builder_tensor (old, F32, 2, DIMS (2, 8), 0);
  guint32 vy = builder_tensor (old, F32, 2, DIMS (2, 8), OUTPUT);

  builder_simple (old, TAG_FC, 5, (guint32[]){ vx, w, NONE, p, 0 });
  builder_simple (old, TAG_NEGATE, 2, (guint32[]){ p, vy });
  run_graph (now, (PtTensor *[]){ &x, &y }, 2);
  memcpy (want, out, sizeof out);
  run_graph (old, (PtTensor *[]){ &x, &y }, 2);
  g_assert_cmpmem (out, sizeof out, want, sizeof want);
}

static void
add_half (Builder *b, guint32 in, guint32 out, gint64 row)
{
  builder_node (b, (Node){ .tag = 35,
                           .n_slots = 5,
                           .slots = { 2, 0, 0, in, out },
                           .n_lists = 2,
                           .list_slots = { 1, 2 },
                           .list_sizes = { 2, 2 },
                           .lists = { { row, 0 }, { 1, 3 } } });
}

/* A range of an input that stays as it is needs no copy, and the output gets its memory back. */
static void
test_aliases (void)
{
  float in[6] = { 1, 2, 3, 4, 5, 6 }, own[3], doubled[3];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  gpointer delegate;
  guint32 x = builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  guint32 y = builder_tensor (b, F32, 2, DIMS (1, 3), OUTPUT);
  guint32 v = builder_tensor (b, F32, 2, DIMS (3, 1), 0);
  guint32 z = builder_tensor (b, F32, 2, DIMS (3, 1), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), in, sizeof in);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 3), own, sizeof own);
  PtTensor tz = make_tensor (PT_DTYPE_F32, 2, SIZES (3, 1), doubled, sizeof doubled);

  add_half (b, x, y, 1);
  add_reshape (b, y, v, 3, 1);
  builder_simple (b, TAG_ADD, 3, (guint32[]){ v, v, z });
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, NULL);
  for (guint i = 0; i < 4; i++) {
    tx.is_constant = i % 2 != 0;
    memset (own, 0, sizeof own);
    g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty, &tz }, 3, NULL));
    g_assert_true (ty.data == (i % 2 != 0 ? in + 3 : own));
    g_assert_cmpint (ty.is_constant, ==, tx.is_constant);
    for (guint k = 0; k < 3; k++) {
      g_assert_cmpfloat (((float *) ty.data)[k], ==, in[3 + k]);
      g_assert_cmpfloat (doubled[k], ==, 2.0f * in[3 + k]);
    }
  }
  delegate_free (delegate);
}

/* A damaged call: one tensor is two outputs. It must not end up owning what it is an alias of. */
static void
test_alias_twice (void)
{
  float in[6] = { 1, 2, 3, 4, 5, 6 }, own[3];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  gpointer delegate;
  guint32 x = builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  guint32 y = builder_tensor (b, F32, 2, DIMS (1, 3), OUTPUT);
  guint32 z = builder_tensor (b, F32, 2, DIMS (1, 3), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), in, sizeof in);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 3), own, sizeof own);

  add_half (b, x, y, 0);
  add_half (b, x, z, 1);
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, NULL);
  for (guint i = 0; i < 4; i++) {
    tx.is_constant = i % 2 == 0;
    g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty, &ty }, 3, NULL));
    if (!tx.is_constant)
      g_assert_true (ty.data == own);
  }
  delegate_free (delegate);
}

static void
test_describe (void)
{
  g_autoptr (Builder) b = make_rows (1);
  g_autoptr (GBytes) payload = builder_finish (b, TRUE);
  g_autoptr (PtHeap) heap = pt_heap_new ();
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) lines = g_string_new (NULL);
  PtDelegateSpec spec = { .id = "XnnpackBackend" };
  PtDelegateContext context = { .spec = &spec, .method = "forward" };
  PtDelegateDescription whole = { .heap = heap, .missing = missing }, half = whole;

  spec.payload = g_bytes_get_data (payload, &spec.payload_size);
  delegate_backend ()->describe (&context, &whole);
  g_assert_cmpuint (missing->len, ==, 0);
  g_assert_cmpint (whole.content.kind, ==, PT_INSPECT_CONTENT_NODES);
  for (guint i = 0; i < whole.content.n_nodes; i++)
    g_string_append_printf (lines, "%s %" G_GUINT64_FORMAT "\n", whole.content.nodes[i].name,
                            whole.content.nodes[i].count);
  g_assert_cmpstr (lines->str, ==, "FullyConnected 1\nConvert 1\nNegate 1\n");
  /* Half a payload is one more thing that is missing. */
  spec.payload_size /= 2;
  delegate_backend ()->describe (&context, &half);
  g_assert_cmpuint (missing->len, ==, 1);
  g_assert_cmpint (half.content.kind, ==, PT_INSPECT_CONTENT_NONE);
}

/* A product of an input that is said to be the same is not made again, and everybody else sees it.
 */
static void
test_result_cache (void)
{
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (GError) error = NULL;
  float x_data[] = { 1, 2, 3, 4 }, z_data[] = { 1, 1, 1, 1, 1, 1, 1, 1 }, sum[8], product[8];
  guint32 x = builder_tensor (b, F32, 2, DIMS (1, 4), INPUT);
  guint32 z = builder_tensor (b, F32, 2, DIMS (1, 8), INPUT);
  guint32 q = add_rows (b, 1, 4, 1), w = add_filter (b, 8, 4);
  guint32 p = builder_tensor (b, F32, 2, DIMS (1, 8), 0);
  guint32 n = builder_tensor (b, F32, 2, DIMS (1, 8), OUTPUT);
  guint32 y = builder_tensor (b, F32, 2, DIMS (1, 8), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 4), x_data, sizeof x_data);
  PtTensor tz = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 8), z_data, sizeof z_data);
  PtTensor tn = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 8), product, sizeof product);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 8), sum, sizeof sum);
  PtTensor *tensors[] = { &tx, &tz, &tn, &ty };
  gpointer delegate;
  float first[8];

  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, q });
  builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, p, 0 });
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ p, n });
  builder_simple (b, TAG_ADD, 3, (guint32[]){ p, z, y });
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, &error);
  g_assert_no_error (error);
  tx.is_constant = TRUE;
  for (guint call = 0; call < 5; call++) {
    tx.version = call < 3 ? 7 : call == 3 ? 8 : 0;
    z_data[0] = (float) call;
    /* An input that changes although it is declared constant gives the cached result, which shows
       that the cache is used. */
    x_data[0] = call == 0 ? 1.0f : 5.0f + (float) call;
    memset (sum, 0, sizeof sum);
    memset (product, 0, sizeof product);
    g_assert_true (delegate_run (delegate, tensors, 4, &error));
    for (guint i = 0; i < 8; i++)
      g_assert_cmpfloat (sum[i], ==, z_data[i] - product[i]);
    if (call == 0)
      memcpy (first, product, sizeof first);
    else
      g_assert_cmpint (memcmp (first, product, sizeof first) == 0, ==, call < 3);
  }
  /* Another tensor that nobody vouches for. */
  tx.version = 8;
  tx.is_constant = FALSE;
  x_data[0] = 1.0f;
  g_assert_true (delegate_run (delegate, tensors, 4, &error));
  g_assert_cmpmem (product, sizeof product, first, sizeof first);
  delegate_free (delegate);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/graph/merged-converts", test_merged_converts);
  g_test_add_func ("/xnnpack/graph/merged-clamps", test_merged_clamps);
  g_test_add_func ("/xnnpack/graph/float-chains", test_float_chains);
  g_test_add_func ("/xnnpack/graph/views", test_views);
  g_test_add_func ("/xnnpack/graph/memory", test_memory);
  g_test_add_func ("/xnnpack/graph/dynamic-rows", test_dynamic_rows);
  g_test_add_func ("/xnnpack/graph/shared-workspace", test_shared_workspace);
  g_test_add_func ("/xnnpack/graph/last-row", test_last_row);
  g_test_add_func ("/xnnpack/graph/dim-order", test_dim_order);
  g_test_add_func ("/xnnpack/graph/scalars", test_scalars);
  g_test_add_func ("/xnnpack/graph/implicit-convert", test_implicit_convert);
  g_test_add_func ("/xnnpack/graph/aliases", test_aliases);
  g_test_add_func ("/xnnpack/graph/alias-twice", test_alias_twice);
  g_test_add_func ("/xnnpack/graph/describe", test_describe);
  g_test_add_func ("/xnnpack/graph/result-cache", test_result_cache);
  return g_test_run ();
}
