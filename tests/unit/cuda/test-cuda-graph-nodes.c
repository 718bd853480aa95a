/* SPDX-License-Identifier: BSD-3-Clause */

/* Graphs whose nodes use other memory, are left out where nothing reads their results, or are two
 * in one. */

#include "tests/unit/cuda/graph-programs.h"

/* Values that pass are put at one place of a block each, mostly by "put" with one number. */
static void
make_passing_program (const Fixture *f, Call *calls, guint n)
{
  make_program (f, calls, n, 0);
  for (guint i = 0; i < n; i++) {
    gboolean is_put = g_test_rand_int_range (0, 3) > 0;

    for (guint k = 0; k < 3; k++) {
      guint block = (guint) g_test_rand_int_range (k == 2 && is_put ? FIRST_PASSING : 0,
                                                   k == 2 && !is_put && i % 8 > 0 ? FIRST_PASSING
                                                                                  : N_BUFFERS);

      calls[i].pointers[k] = f->buffers[block] + 8 * (block % 4);
    }
    if (is_put) {
      calls[i].kind = CALL_PUT;
      calls[i].scalar = i % 16 == 0 ? i : 5;
    }
  }
}

static void
test_passing (Fixture *f, gconstpointer data)
{
  PtCudaGraphEdges result;
  Call calls[MAX_LAUNCHES];
  guint n_moved = 0;

  for (guint round = 0; round < 300; round++) {
    guint n = (guint) g_test_rand_int_range (2, MAX_LAUNCHES + 1);
    PtCuGraph graph;

    f->spare_size = round % 4 == 0 ? 512 : SPARE_SIZE;
    make_passing_program (f, calls, n);
    graph = capture (f, calls, n);
    g_assert_true (replace_edges (f, graph, &result));
    n_moved += result.n_moved;
    check_results (f, graph, calls, n);
    f->cu->cuGraphDestroy (graph);
  }
  g_assert_cmpuint (n_moved, >, 100);
}

/* Two values one after the other in a block: the second need not wait. */
static void
test_turns (Fixture *f, gconstpointer data)
{
  static const struct {
    guint first, second; /* where the values are put */
    guint64 scalar;      /* of the second */
    guint n_moved, depth;
  } cases[] = {
    { 8, 8, 1, 1, 2 },
    { 8, 8, 2, 0, 4 }, /* may be other bytes */
    { 0, 0, 1, 0, 4 }, /* somebody may look at it later */
    { 8, 9, 1, 0, 2 },
  };

  f->spare_size = SPARE_SIZE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Call calls[] = { put (f, 1, 2, cases[i].first), (Call){ CALL_MIX, { 0 }, 1 },
                     put (f, 3, 4, cases[i].second), (Call){ CALL_MIX, { 0 }, 1 } };
    PtCudaGraphEdges result;
    PtCuGraph graph;

    calls[1] = (Call){ CALL_MIX, { calls[0].pointers[2], f->buffers[1], f->buffers[5] }, 1 };
    calls[2].scalar = cases[i].scalar;
    calls[3] = (Call){ CALL_MIX, { calls[2].pointers[2], f->buffers[1], f->buffers[6] }, 1 };
    graph = capture (f, calls, 4);
    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_moved, ==, cases[i].n_moved);
    g_assert_cmpuint (result.depth, ==, cases[i].depth);
    check_results (f, graph, calls, 4);
    f->cu->cuGraphDestroy (graph);
  }
}

/* Programs with values that nobody reads: the others stay what they were. */
static void
test_unread (Fixture *f, gconstpointer data)
{
  PtCudaGraphEdges result;
  Call calls[MAX_LAUNCHES];
  guint n_dropped = 0;

  f->may_drop = TRUE;
  for (guint round = 0; round < 300; round++) {
    guint n = (guint) g_test_rand_int_range (2, MAX_LAUNCHES + 1);
    PtCuGraph graph;

    f->spare_size = SPARE_SIZE;
    make_passing_program (f, calls, n);
    graph = capture (f, calls, n);
    g_assert_true (replace_edges (f, graph, &result));
    n_dropped += result.n_dropped;
    check_results (f, graph, calls, n);
    f->cu->cuGraphDestroy (graph);
  }
  g_assert_cmpuint (n_dropped, >, 100);
}

/* 8 and 9 are copied from one another and then read by nobody; 10 is read at the end. */
static void
test_unread_chain (Fixture *f, gconstpointer data)
{
  Call calls[] = { put (f, 0, 1, 8), put (f, 8, 1, 9), put (f, 2, 1, 10), put (f, 10, 1, 3) };
  PtCudaGraphEdges result;
  PtCuGraph graph = capture (f, calls, 4);

  f->may_drop = TRUE;
  f->spare_size = SPARE_SIZE;
  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_dropped, ==, 2);
  g_assert_cmpuint (result.depth, ==, 2);
  check_results (f, graph, calls, 4);
  f->cu->cuGraphDestroy (graph);
  /* Half of them are gone when the driver stops. */
  for (guint nth = 1; nth <= 3; nth++) {
    graph = capture (f, calls, 4);
    fake->fail ("cuGraphDestroyNode", nth, 1);
    g_assert_cmpint (replace_edges (f, graph, &result), ==, nth == 3);
    g_assert_cmpint (result.is_broken, ==, nth < 3);
    f->cu->cuGraphDestroy (graph);
    fake->reset ();
    set_kernels ();
  }
}

/* Programs in which some launches have the same first pointer. */
static void
test_combine_random (Fixture *f, gconstpointer data)
{
  PtCudaGraphEdges result;
  Call calls[MAX_LAUNCHES];
  guint n_combined = 0;

  f->combines = TRUE;
  for (guint round = 0; round < 300; round++) {
    guint n = (guint) g_test_rand_int_range (2, MAX_LAUNCHES + 1);
    PtCuGraph graph;

    f->spare_size = SPARE_SIZE;
    make_passing_program (f, calls, n);
    for (guint i = 0; i < n; i++)
      if (calls[i].kind == CALL_PUT && g_test_rand_bit ())
        calls[i].pointers[0] = f->buffers[round % 3];
    graph = capture (f, calls, n);
    g_assert_true (replace_edges (f, graph, &result));
    n_combined += result.n_combined;
    check_results (f, graph, calls, n);
    f->cu->cuGraphDestroy (graph);
  }
  g_assert_cmpuint (n_combined, >, 100);
}

/* What may move in front of what lies between the two, and what may not. */
static void
test_combine (Fixture *f, gconstpointer data)
{
  const struct {
    Call between, second;
    guint n_combined;
  } cases[] = {
    { put (f, 1, 2, 5), put (f, 0, 3, 6), 1 },
    { put (f, 4, 2, 5), put (f, 0, 4, 6), 1 }, /* the second uses the first */
    { put (f, 1, 2, 5), put (f, 0, 5, 6), 0 }, /* and what lies between them */
    { put (f, 6, 2, 5), put (f, 0, 3, 6), 0 }, /* which uses what the second writes over */
    { put (f, 1, 2, 6), put (f, 0, 3, 6), 0 }, /* and writes there, too */
    { put (f, 1, 2, 5), put (f, 0, 3, 4), 0 }, /* both write to one place */
    { put (f, 1, 2, 5), put (f, 0, 3, 7), 0 }, /* the first reads there */
    { put (f, 1, 2, 5), put (f, 3, 2, 6), 0 }, /* another input */
  };

  f->combines = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Call calls[] = { put (f, 0, 7, 4), cases[i].between, cases[i].second };
    PtCuGraph graph = capture (f, calls, G_N_ELEMENTS (calls));
    PtCudaGraphEdges result;

    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_combined, ==, cases[i].n_combined);
    check_results (f, graph, calls, G_N_ELEMENTS (calls));
    f->cu->cuGraphDestroy (graph);
  }
}

/* A launch is changed when the driver stops: such a graph must not run. */
static void
test_combine_broken (Fixture *f, gconstpointer data)
{
  static const char *const functions[] = { "cuGraphKernelNodeSetParams", "cuGraphDestroyNode" };
  Call calls[] = { put (f, 0, 1, 5), put (f, 0, 2, 6) };
  PtCudaGraphEdges result;

  f->combines = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    PtCuGraph graph = capture (f, calls, 2);

    fake->fail (functions[i], 0, 1);
    g_assert_false (replace_edges (f, graph, &result));
    g_assert_true (result.is_broken);
    f->cu->cuGraphDestroy (graph);
    fake->reset ();
    set_kernels ();
  }
}

/* Half of the addresses are changed when the driver stops: such a graph must not run. */
static void
test_broken (Fixture *f, gconstpointer data)
{
  Call calls[] = { put (f, 1, 2, 8), put (f, 8, 4, 5), put (f, 3, 4, 8), put (f, 8, 4, 6) };
  PtCudaGraphEdges result;

  f->spare_size = SPARE_SIZE;
  for (guint nth = 1; nth <= 3; nth++) {
    PtCuGraph graph = capture (f, calls, 4);

    fake->fail ("cuGraphKernelNodeSetParams", nth, 1);
    g_assert_cmpint (replace_edges (f, graph, &result), ==, nth == 3);
    g_assert_cmpint (result.is_broken, ==, nth < 3);
    f->cu->cuGraphDestroy (graph);
    fake->reset ();
    set_kernels ();
  }
}

int
main (int argc, char **argv)
{
  static const GraphTest TESTS[] = {
    { "/cuda/graph-nodes/passing", test_passing },
    { "/cuda/graph-nodes/turns", test_turns },
    { "/cuda/graph-nodes/broken", test_broken },
    { "/cuda/graph-nodes/combine", test_combine },
    { "/cuda/graph-nodes/combine-random", test_combine_random },
    { "/cuda/graph-nodes/combine-broken", test_combine_broken },
    { "/cuda/graph-nodes/unread", test_unread },
    { "/cuda/graph-nodes/unread-chain", test_unread_chain },
  };

  return run_graph_tests (&argc, &argv, TESTS, G_N_ELEMENTS (TESTS));
}
