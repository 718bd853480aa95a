/* SPDX-License-Identifier: BSD-3-Clause */

/* Graphs without the edges that nobody needs, and with edges that let kernels start early. */

#include "tests/unit/cuda/graph-programs.h"

static void
test_random (Fixture *f, gconstpointer data)
{
  PtCudaGraphEdges result;
  Call calls[MAX_LAUNCHES];
  guint n_shorter = 0;

  for (guint round = 0; round < 300; round++) {
    guint n = (guint) g_test_rand_int_range (2, MAX_LAUNCHES + 1);
    PtCuGraph graph;

    f->starts_early = round % 2 != 0;
    make_program (f, calls, n, round % 3);
    graph = capture (f, calls, n);
    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_nodes, ==, n);
    g_assert_cmpuint (result.n_barriers, <=, round % 3);
    n_shorter += result.depth < n;
    check_results (f, graph, calls, n);
    f->cu->cuGraphDestroy (graph);
  }
  g_assert_cmpuint (n_shorter, >, 200);
}

/* Three of one input, and one that joins them. */
static void
test_fork (Fixture *f, gconstpointer data)
{
  Call calls[] = { mix (f, 0, 0, 1), mix (f, 1, 0, 2), mix (f, 1, 0, 3),
                   mix (f, 1, 0, 4), mix (f, 2, 3, 4), mix (f, 0, 0, 5) };
  PtCuGraph graph = capture (f, calls, G_N_ELEMENTS (calls));
  PtCudaGraphEdges result;

  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_nodes, ==, 6);
  g_assert_cmpuint (result.n_barriers, ==, 0);
  g_assert_cmpuint (result.depth, ==, 3);
  g_assert_cmpuint (result.n_edges, ==, 6); /* 1 to each of three, and these to the one */
  check_results (f, graph, calls, G_N_ELEMENTS (calls));
  f->cu->cuGraphDestroy (graph);
}

/* What a driver does not accept becomes a plain edge. */
static void
test_early (Fixture *f, gconstpointer data)
{
  Call calls[] = { mix (f, 0, 0, 1), mix (f, 1, 0, 2), put (f, 1, 0, 3), mix (f, 2, 3, 4) };
  PtCudaGraphEdges result;
  PtCuGraph graph;

  f->starts_early = TRUE;
  for (guint nth = 0; nth <= 2; nth++) {
    graph = capture (f, calls, G_N_ELEMENTS (calls));
    /* The first call adds the plain edge to "put". */
    if (nth > 0)
      fake->fail ("cuGraphAddDependencies", nth + 1, PT_CU_INVALID_VALUE);
    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_edges, ==, 4);
    g_assert_cmpuint (result.n_early, ==, nth == 0 ? 3 : 2);
    check_results (f, graph, calls, G_N_ELEMENTS (calls));
    f->cu->cuGraphDestroy (graph);
    fake->reset ();
    set_kernels ();
  }
  /* No kernel starts early behind one that is not understood, nor does that one. */
  calls[1].kind = CALL_KEEP;
  graph = capture (f, calls, G_N_ELEMENTS (calls));
  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_early, ==, 1);
  check_results (f, graph, calls, G_N_ELEMENTS (calls));
  f->cu->cuGraphDestroy (graph);
}

/* What is read early must not be written by anybody, and everybody must be understood. */
static void
test_weights (Fixture *f, gconstpointer data)
{
  const struct {
    Call last;
    guint n_read_early;
  } cases[] = {
    { put (f, 0, 1, 9), 2 },
    { put (f, 0, 1, 6), 1 },
    { put (f, 0, 1, 7), 1 },
    { { CALL_SET, { f->buffers[9] }, 0 }, 0 },
  };

  f->has_weights = f->starts_early = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Call calls[] = { mix (f, 0, 6, 1), mix (f, 1, 7, 2), cases[i].last };
    PtCuGraph graph = capture (f, calls, G_N_ELEMENTS (calls));
    PtCudaGraphEdges result;

    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_read_early, ==, cases[i].n_read_early);
    check_results (f, graph, calls, G_N_ELEMENTS (calls));
    f->cu->cuGraphDestroy (graph);
  }
}

/* An edge that is neither early nor plain: such a graph must not run. */
static void
test_early_broken (Fixture *f, gconstpointer data)
{
  Call calls[] = { mix (f, 0, 0, 1), mix (f, 1, 0, 2) };
  PtCuGraph graph = capture (f, calls, G_N_ELEMENTS (calls));
  PtCudaGraphEdges result;

  f->starts_early = TRUE;
  fake->fail ("cuGraphAddDependencies", 0, PT_CU_INVALID_VALUE);
  g_assert_false (replace_edges (f, graph, &result));
  g_assert_true (result.is_broken);
  f->cu->cuGraphDestroy (graph);
}

/* Unknown nodes depend on all earlier nodes, and all later nodes on them. */
static void
test_barriers (Fixture *f, gconstpointer data)
{
  PtCuPointer outside;
  Call calls[] = { mix (f, 0, 1, 2), mix (f, 3, 4, 5), mix (f, 6, 7, 8), mix (f, 0, 1, 2),
                   mix (f, 3, 4, 5) };
  PtCudaGraphEdges result;

  g_assert_cmpint (f->cu->cuMemAlloc (&outside, 64), ==, 0);
  for (guint i = 0; i < 4; i++) {
    PtCuGraph graph;

    calls[2] = mix (f, 6, 7, 8);
    if (i == 0)
      calls[2].kind = CALL_KEEP;
    else if (i == 1)
      calls[2].kind = CALL_SET;
    else if (i == 2)
      calls[2].pointers[0] = outside; /* no memory that the view knows */
    graph = capture (f, calls, 5);
    g_assert_true (replace_edges (f, graph, &result));
    g_assert_cmpuint (result.n_barriers, ==, i < 3);
    g_assert_cmpuint (result.depth, ==, i < 3 ? 3 : 2);
    g_assert_cmpuint (result.n_edges, ==, i < 3 ? 4 : 2);
    if (i != 2)
      check_results (f, graph, calls, 5);
    f->cu->cuGraphDestroy (graph);
  }
  f->cu->cuMemFree (outside);
}

/* Numbers are no addresses, and an access at a number is one at an unknown; none is at 0. */
static void
test_numbers (Fixture *f, gconstpointer data)
{
  Call calls[] = { mix (f, 0, 1, 2), mix (f, 3, 4, 5) };
  PtCudaGraphEdges result;
  PtCuGraph graph;

  calls[1].scalar = G_GUINT64_CONSTANT (1) << 60;
  graph = capture (f, calls, 2);
  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_barriers, ==, 1);
  f->cu->cuGraphDestroy (graph);
  calls[1].scalar = 4096;
  calls[1].pointers[1] = 0; /* and the scalar beside it */
  graph = capture (f, calls, 2);
  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_barriers, ==, 1);
  f->cu->cuGraphDestroy (graph);
  calls[1] = mix (f, 3, 4, 5);
  calls[1].pointers[0] = 0;
  graph = capture (f, calls, 2);
  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_barriers, ==, 0);
  g_assert_cmpuint (result.depth, ==, 1);
  f->cu->cuGraphDestroy (graph);
}

/* The results are correct whatever call of the driver fails. */
static void
test_refused (Fixture *f, gconstpointer data)
{
  static const char *const functions[] = { "cuGraphGetNodes",        "cuGraphGetEdges",
                                           "cuGraphAddDependencies", "cuGraphRemoveDependencies",
                                           "cuGraphNodeGetType",     "cuGraphKernelNodeGetParams" };
  Call calls[MAX_LAUNCHES];
  PtCudaGraphEdges result;

  make_program (f, calls, MAX_LAUNCHES, 0);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    for (guint nth = 0; nth <= 2; nth++) {
      PtCuGraph graph = capture (f, calls, MAX_LAUNCHES);
      guint before = fake->n_calls (functions[i]);
      gboolean ok;

      fake->fail (functions[i], nth, 1);
      ok = replace_edges (f, graph, &result);
      g_assert_cmpuint (fake->n_calls (functions[i]), >, before);
      g_assert_true (i >= 4 || !ok || nth == 2);
      fake->reset ();
      set_kernels ();
      check_results (f, graph, calls, MAX_LAUNCHES);
      f->cu->cuGraphDestroy (graph);
    }
}

/* A graph that is no chain any more is left alone, and so is one of a single node. */
static void
test_no_chain (Fixture *f, gconstpointer data)
{
  Call calls[] = { mix (f, 0, 1, 2), mix (f, 3, 4, 5), mix (f, 6, 7, 8) };
  PtCuGraph graph = capture (f, calls, 3);
  PtCudaGraphEdges result;

  g_assert_true (replace_edges (f, graph, &result));
  g_assert_cmpuint (result.n_edges, ==, 0);
  g_assert_false (replace_edges (f, graph, &result));
  f->cu->cuGraphDestroy (graph);
  graph = capture (f, calls, 1);
  g_assert_false (replace_edges (f, graph, &result));
  f->cu->cuGraphDestroy (graph);
}

int
main (int argc, char **argv)
{
  static const GraphTest TESTS[] = {
    { "/cuda/graph-edges/random", test_random },
    { "/cuda/graph-edges/fork", test_fork },
    { "/cuda/graph-edges/early", test_early },
    { "/cuda/graph-edges/early-broken", test_early_broken },
    { "/cuda/graph-edges/weights", test_weights },
    { "/cuda/graph-edges/barriers", test_barriers },
    { "/cuda/graph-edges/numbers", test_numbers },
    { "/cuda/graph-edges/refused", test_refused },
    { "/cuda/graph-edges/no-chain", test_no_chain },
  };

  return run_graph_tests (&argc, &argv, TESTS, G_N_ELEMENTS (TESTS));
}
