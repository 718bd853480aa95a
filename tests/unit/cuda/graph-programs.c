/* SPDX-License-Identifier: BSD-3-Clause */

#include "tests/unit/cuda/graph-programs.h"

#include <string.h>

const FakeCuda *fake;

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

void
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

gboolean
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

static PtCuPointer
random_pointer (const Fixture *f)
{
  return f->buffers[g_test_rand_int_range (0, N_BUFFERS)] +
         8 * (guint) g_test_rand_int_range (0, 3);
}

void
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

PtCuGraph
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
void
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

Call
put (const Fixture *f, guint a, guint b, guint c)
{
  return (Call){ CALL_PUT, { f->buffers[a], f->buffers[b], f->buffers[c] }, 1 };
}

Call
mix (const Fixture *f, guint a, guint b, guint c)
{
  return (Call){ CALL_MIX, { f->buffers[a], f->buffers[b], f->buffers[c] }, 1 };
}

int
run_graph_tests (int *argc, char ***argv, const GraphTest *tests, guint n)
{
  g_test_init (argc, argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  for (guint i = 0; i < n; i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}
