/* SPDX-License-Identifier: BSD-3-Clause */

/* Graphs without the edges that nobody needs: random programs compute what they did in a row. */

#include "engine/cuda/context.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/cuda-memory-pool.h"
#include "engine/cuda/graph-edges.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

#define N_BUFFERS 12
#define MAX_LAUNCHES 40

static const FakeCuda *fake;

/* Blocks from this one on hold nothing before a graph nor after it. */
#define FIRST_PASSING 8
#define SPARE_SIZE 4096

/* "put": the last pointer's number becomes one made of the others, and so its old one is none. */
static const PtPtxEffects put_effects = {
  .is_known = TRUE,
  .is_fixed = TRUE,
  .n_words = 4,
  .n_accesses = 3,
  .words = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 } },
  .accesses = { { 1, FALSE }, { 2, FALSE }, { 4, TRUE } },
};

/* "mix": the last pointer's number becomes another one, made of all. "keep": unknown to the view.
 */
static const PtPtxEffects mix_effects = {
  .is_known = TRUE,
  .n_words = 4,
  .n_accesses = 4,
  .words = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 } },
  .accesses = { { 1, FALSE }, { 2 | 8, FALSE }, { 4, FALSE }, { 4, TRUE } },
};

/* "twice": what two launches of "put" do, the first of them first. */
static const PtPtxEffects twice_effects = {
  .is_known = TRUE,
  .n_words = 8,
  .n_accesses = 6,
  .words = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 } },
  .accesses = { { 1, FALSE },
                { 2, FALSE },
                { 4, TRUE },
                { 16, FALSE },
                { 32, FALSE },
                { 64, TRUE } },
};

typedef struct {
  PtCudaContext *context;
  const PtCuda *cu;
  PtCuModule module;
  PtCuFunction mix, keep, put, twice;
  PtCudaPool *pool;
  PtCuPointer buffers[N_BUFFERS], spare;
  gsize spare_size;
  gboolean may_drop, starts_early, combines, has_weights;
  guint64 combined[8]; /* arguments of "twice" */
} Fixture;

static void
run_mix (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  guint64 *pointers[3], scalar;

  for (guint i = 0; i < 3; i++)
    pointers[i] = fake->memory (*(guint64 *) arguments[i]);
  scalar = *(guint64 *) arguments[3];
  *pointers[2] = *pointers[2] * 31 + *pointers[0] * 7 + *pointers[1] + scalar;
}

static void
run_put (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  guint64 *pointers[3];

  for (guint i = 0; i < 3; i++)
    pointers[i] = fake->memory (*(guint64 *) arguments[i]);
  *pointers[2] = *pointers[0] * 7 + *pointers[1] + *(guint64 *) arguments[3];
}

static void
run_twice (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  run_put (launch, arguments, user_data);
  run_put (launch, arguments + 4, user_data);
}

static void
set_kernels (void)
{
  fake->set_kernel ("twice", 8, run_twice, NULL);
  fake->set_kernel ("mix", 4, run_mix, NULL);
  fake->set_kernel ("keep", 4, run_mix, NULL);
  fake->set_kernel ("put", 4, run_put, NULL);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  f->context = pt_cuda_context_ref (0, &error);
  g_assert_no_error (error);
  fake->reset ();
  f->cu = f->context->cu;
  set_kernels ();
  g_assert_cmpint (f->cu->cuModuleLoadData (&f->module, ".version 8.0"), ==, 0);
  f->cu->cuModuleGetFunction (&f->mix, f->module, "mix");
  f->cu->cuModuleGetFunction (&f->keep, f->module, "keep");
  f->cu->cuModuleGetFunction (&f->put, f->module, "put");
  f->cu->cuModuleGetFunction (&f->twice, f->module, "twice");
  f->pool = pt_cuda_pool_new_graph (f->context->tensors);
  for (guint i = 0; i < N_BUFFERS; i++)
    f->buffers[i] = pt_cuda_pool_allocate (f->pool, 512, &error);
  f->spare = pt_cuda_pool_allocate (f->pool, SPARE_SIZE, &error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  FakeCounts counts;

  for (guint i = 0; i < N_BUFFERS; i++)
    pt_cuda_pool_release (f->pool, f->buffers[i]);
  pt_cuda_pool_release (f->pool, f->spare);
  pt_cuda_pool_free (f->pool);
  f->cu->cuModuleUnload (f->module);
  pt_cuda_context_unref (f->context);
  fake->counts (&counts);
  g_assert_cmpuint (counts.leaked + counts.contexts + counts.graphs, ==, 0);
  fake->reset ();
}

/* ---- what is known ---- */

static const PtPtxEffects *
find_effects (PtCuFunction function, gpointer user_data)
{
  Fixture *f = user_data;

  return function == f->mix     ? &mix_effects
         : function == f->put   ? &put_effects
         : function == f->twice ? &twice_effects
                                : NULL;
}

static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  return pt_cuda_pool_find (((Fixture *) user_data)->pool, pointer, start, size);
}

static gboolean
is_passing (PtCuPointer start, gpointer user_data)
{
  for (guint i = FIRST_PASSING; i < N_BUFFERS; i++)
    if (start == ((Fixture *) user_data)->buffers[i])
      return TRUE;
  return FALSE;
}

static gboolean
starts_early (PtCuFunction function, gpointer user_data)
{
  return function == ((Fixture *) user_data)->mix;
}

static gboolean
combine (const PtCuKernelNode *first, const PtCuKernelNode *second, PtCudaKernelChange *both,
         gpointer user_data)
{
  Fixture *f = user_data;
  static void *pointers[8];

  if (first->function != f->put || second->function != f->put ||
      *(guint64 *) first->arguments[0] != *(guint64 *) second->arguments[0])
    return FALSE;
  for (guint i = 0; i < 8; i++) {
    f->combined[i] = *(guint64 *) (i < 4 ? first : second)->arguments[i % 4];
    pointers[i] = &f->combined[i];
  }
  both->node = *first;
  both->node.function = f->twice;
  both->node.arguments = pointers;
  return TRUE;
}

/* The second pointer of "mix". */
static guint
find_weights (const PtCuKernelNode *node, PtCuPointer *addresses, gpointer user_data)
{
  if (node->function != ((Fixture *) user_data)->mix)
    return 0;
  addresses[0] = *(guint64 *) node->arguments[1];
  return 1;
}

static void
read_early (const PtCuKernelNode *node, PtCudaKernelChange *changed, gpointer user_data)
{
  changed->node = *node;
}

static gboolean
replace_edges (Fixture *f, PtCuGraph graph, PtCudaGraphEdges *result)
{
  const PtCudaMemoryView view = { .effects = find_effects,
                                  .find = find_memory,
                                  .is_passing = is_passing,
                                  .starts_early = f->starts_early ? starts_early : NULL,
                                  .combine = f->combines ? combine : NULL,
                                  .weights = f->has_weights ? find_weights : NULL,
                                  .read_early = read_early,
                                  .user_data = f,
                                  .may_drop = f->may_drop,
                                  .spare = f->spare_size > 0 ? f->spare : 0,
                                  .spare_size = f->spare_size };

  return pt_cuda_replace_edges (f->cu, graph, &view, result);
}

/* ---- programs ---- */

typedef struct {
  enum { CALL_MIX, CALL_KEEP, CALL_COPY, CALL_SET, CALL_PUT } kind;
  PtCuPointer pointers[3];
  guint64 scalar;
} Call;

static PtCuPointer
random_pointer (const Fixture *f)
{
  return f->buffers[g_test_rand_int_range (0, N_BUFFERS)] +
         8 * (guint) g_test_rand_int_range (0, 3);
}

static void
make_program (const Fixture *f, Call *calls, guint n, guint n_odd)
{
  for (guint i = 0; i < n; i++) {
    Call *call = &calls[i];

    call->kind = CALL_MIX;
    for (guint k = 0; k < 3; k++)
      call->pointers[k] = random_pointer (f);
    call->scalar = (guint64) g_test_rand_int_range (0, 1000);
  }
  for (guint i = 0; i < n_odd; i++)
    calls[g_test_rand_int_range (0, (gint32) n)].kind =
        CALL_KEEP + (guint) g_test_rand_int_range (0, 3);
}

static void
start (Fixture *f, Call *call)
{
  void *arguments[] = { &call->pointers[0], &call->pointers[1], &call->pointers[2], &call->scalar };
  PtCuStream stream = f->context->stream;
  PtCuResult code = 0;

  switch (call->kind) {
  case CALL_MIX:
  case CALL_KEEP:
  case CALL_PUT:
    code = f->cu->cuLaunchKernel (call->kind == CALL_MIX    ? f->mix
                                  : call->kind == CALL_KEEP ? f->keep
                                                            : f->put,
                                  1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
    break;
  case CALL_COPY:
    code = f->cu->cuMemcpyDtoDAsync (call->pointers[0], call->pointers[1], 8, stream);
    break;
  case CALL_SET:
    code = f->cu->cuMemsetD8Async (call->pointers[0], (guchar) call->scalar, 8, stream);
    break;
  }
  g_assert_cmpint (code, ==, 0);
}

static void
fill (const Fixture *f)
{
  for (guint i = 0; i < N_BUFFERS; i++)
    for (guint k = 0; k < 4; k++)
      ((guint64 *) fake->memory (f->buffers[i]))[k] = 100 * i + k;
}

static void
take_results (const Fixture *f, guint64 results[N_BUFFERS][4])
{
  memset (results, 0, N_BUFFERS * sizeof *results);
  for (guint i = 0; i < (f->spare_size > 0 ? FIRST_PASSING : N_BUFFERS); i++)
    memcpy (results[i], fake->memory (f->buffers[i]), 4 * sizeof (guint64));
}

static PtCuGraph
capture (Fixture *f, Call *calls, guint n)
{
  PtCuGraph graph;

  g_assert_cmpint (f->cu->cuStreamBeginCapture (f->context->stream, PT_CU_STREAM_CAPTURE_RELAXED),
                   ==, 0);
  for (guint i = 0; i < n; i++)
    start (f, &calls[i]);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->context->stream, &graph), ==, 0);
  return graph;
}

/* Its graph, in any order, computes what the calls do one after the other. */
static void
check_results (Fixture *f, PtCuGraph graph, Call *calls, guint n)
{
  guint64 expected[N_BUFFERS][4], results[N_BUFFERS][4];
  PtCuGraphExec exec;

  fill (f);
  for (guint i = 0; i < n; i++)
    start (f, &calls[i]);
  f->cu->cuStreamSynchronize (f->context->stream);
  take_results (f, expected);
  g_assert_cmpint (f->cu->cuGraphInstantiateWithFlags (&exec, graph, 0), ==, 0);
  for (guint round = 0; round < 4; round++) {
    fill (f);
    g_assert_cmpint (f->cu->cuGraphLaunch (exec, f->context->stream), ==, 0);
    f->cu->cuStreamSynchronize (f->context->stream);
    take_results (f, results);
    g_assert_cmpmem (results, sizeof results, expected, sizeof expected);
  }
  f->cu->cuGraphExecDestroy (exec);
}

/* ---- tests ---- */

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

static Call
put (const Fixture *f, guint a, guint b, guint c)
{
  return (Call){ CALL_PUT, { f->buffers[a], f->buffers[b], f->buffers[c] }, 1 };
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

static Call
mix (const Fixture *f, guint a, guint b, guint c)
{
  return (Call){ CALL_MIX, { f->buffers[a], f->buffers[b], f->buffers[c] }, 1 };
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

#define ADD(name, function) \
  g_test_add ("/cuda/graph-edges/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  ADD ("random", test_random);
  ADD ("fork", test_fork);
  ADD ("early", test_early);
  ADD ("early-broken", test_early_broken);
  ADD ("weights", test_weights);
  ADD ("barriers", test_barriers);
  ADD ("numbers", test_numbers);
  ADD ("refused", test_refused);
  ADD ("no-chain", test_no_chain);
  ADD ("passing", test_passing);
  ADD ("turns", test_turns);
  ADD ("broken", test_broken);
  ADD ("combine", test_combine);
  ADD ("combine-random", test_combine_random);
  ADD ("combine-broken", test_combine_broken);
  ADD ("unread", test_unread);
  ADD ("unread-chain", test_unread_chain);
  return g_test_run ();
}
