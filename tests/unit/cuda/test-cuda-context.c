/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/context.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

static const FakeCuda *fake;

static void
assert_empty (void)
{
  FakeCounts counts;

  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts + counts.allocations + counts.host_allocations, ==, 0);
  g_assert_cmpuint (counts.streams + counts.events + counts.modules + counts.graphs, ==, 0);
  g_assert_cmpuint (counts.bytes + counts.host_bytes + counts.leaked, ==, 0);
}

static void
test_references (void)
{
  g_autoptr (GError) error = NULL;
  PtCudaContext *first, *second;
  gsize before, unused, total;

  fake->reset ();
  g_assert_null (pt_cuda_context_find (0));
  first = pt_cuda_context_ref (0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (first->capability, ==, 90);
  g_assert_cmpuint (first->driver_version, ==, 13000);
  g_assert_cmpuint (first->n_multiprocessors, ==, 132);
  g_assert_cmpuint (first->shared_per_block, ==, 227 << 10);
  g_assert_cmpstr (first->name, ==, "NVIDIA Test 1");
  second = pt_cuda_context_ref (-1, NULL);
  g_assert_true (first == second && pt_cuda_context_find (0) == first);
  g_assert_true (pt_cuda_context_memory (first, &before, &total, NULL));
  g_assert_cmpuint (before, ==, total);
  pt_cuda_pool_release (first->tensors, pt_cuda_pool_allocate (first->tensors, 1, NULL));
  g_assert_true (pt_cuda_context_memory (first, &unused, &total, NULL));
  g_assert_cmpuint (unused, <, before);
  pt_cuda_context_unref (first);
  g_assert_cmpuint (fake->n_calls ("cuDevicePrimaryCtxRelease"), ==, 0);
  pt_cuda_context_unref (second);
  g_assert_null (pt_cuda_context_find (0));
  assert_empty ();
}

static gpointer
use_beside (gpointer data)
{
  PtCudaContext *other = data;
  PtCudaContext *context;

  g_assert_null (pt_cuda_context_find (0));
  context = pt_cuda_context_ref (0, NULL);
  g_assert_true (context != NULL && context != other && context->stream != other->stream);
  g_assert_true (context->context == other->context);
  pt_cuda_pool_release (context->tensors, pt_cuda_pool_allocate (context->tensors, 1, NULL));
  pt_cuda_context_unref (context);
  g_assert_null (pt_cuda_context_find (0));
  return NULL;
}

/* Each thread has a context of its own with a stream of its own; the GPU's is the same. */
static void
test_threads (void)
{
  PtCudaContext *context;
  FakeCounts counts;

  fake->reset ();
  context = pt_cuda_context_ref (0, NULL);
  g_thread_join (g_thread_new ("beside", use_beside, context));
  g_assert_true (pt_cuda_context_find (0) == context);
  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts, ==, 1);
  g_assert_cmpuint (counts.streams, ==, 1);
  g_assert_true (pt_cuda_context_enter (context, NULL));
  pt_cuda_context_unref (context);
  assert_empty ();
}

static void
test_pointers (void)
{
  g_autoptr (PtCudaContext) context = pt_cuda_context_ref (0, NULL);
  PtCuPointer device = pt_cuda_context_allocate (context, 10, NULL);
  gpointer pinned;
  int here;

  g_assert_cmpint (context->cu->cuMemHostAlloc (&pinned, 10, 0), ==, 0);
  g_assert_true (pt_cuda_context_is_device (context, (gpointer) (gsize) device));
  g_assert_true (pt_cuda_context_is_device (context, (gpointer) (gsize) (device + 9)));
  g_assert_false (pt_cuda_context_is_device (context, pinned));
  g_assert_false (pt_cuda_context_is_device (context, &here));
  g_assert_false (pt_cuda_context_is_device (context, NULL));
  context->cu->cuMemFreeHost (pinned);
  pt_cuda_context_free (context, device);
  g_assert_cmpuint (pt_cuda_context_allocate (context, 0, NULL), ==, 0);
}

/* After any error at the start nothing is leaked, and the next attempt succeeds. */
static void
test_start_fails (void)
{
  static const char *const functions[] = { "cuDeviceGetCount", "cuDeviceGet",
                                           "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                           "cuStreamCreate" };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    g_autoptr (GError) error = NULL;

    fake->reset ();
    fake->fail (functions[i], 1, 999);
    g_assert_null (pt_cuda_context_ref (0, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_GPU);
    assert_empty ();
    pt_cuda_context_unref (pt_cuda_context_ref (0, NULL));
    assert_empty ();
  }
  g_assert_null (pt_cuda_context_ref (-2, NULL));
  g_assert_null (pt_cuda_context_ref (64, NULL));
}

static void
test_missing_device (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_cuda_context_ref (3, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "no GPU 3"));
}

/* After a fault the context only says so; a new one works. */
static void
test_fatal (void)
{
  static const struct {
    int code;
    const char *words;
  } cases[] = {
    { 700, "outside its memory" },
    { 702, "took too long" },
    { 719, "failed" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL, again = NULL, other = NULL;
    PtCudaContext *context;
    PtCuPointer tensor;

    fake->reset ();
    context = pt_cuda_context_ref (0, NULL);
    tensor = pt_cuda_pool_allocate (context->tensors, 1000, NULL);
    fake->kill (cases[i].code);
    g_assert_false (pt_cuda_context_synchronize (context, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_GPU);
    g_assert_nonnull (strstr (error->message, cases[i].words));
    g_assert_nonnull (strstr (error->message, "Only a new process can use the GPU again"));
    g_assert_cmpint (context->fatal, ==, cases[i].code);
    g_assert_false (pt_cuda_context_enter (context, &again));
    g_assert_nonnull (strstr (again->message, "An earlier program on the GPU failed"));
    g_assert_null (pt_cuda_context_ref (0, &other));
    g_assert_nonnull (other);
    pt_cuda_pool_release (context->tensors, tensor);
    pt_cuda_context_unref (context);
    context = pt_cuda_context_ref (0, NULL);
    g_assert_true (pt_cuda_context_synchronize (context, NULL));
    pt_cuda_context_unref (context);
    assert_empty ();
  }
}

static void
test_capture (void)
{
  g_autoptr (PtCudaContext) context = pt_cuda_context_ref (0, NULL);
  g_autoptr (GError) error = NULL;

  context->is_capturing = TRUE;
  g_assert_false (pt_cuda_context_synchronize (context, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  context->is_capturing = FALSE;
}

static void
test_sentences (void)
{
  static const struct {
    int code;
    PtError error;
    const char *words;
  } cases[] = {
    { 2, PT_ERROR_MEMORY, "not enough memory" },
    { 209, PT_ERROR_UNSUPPORTED, "no GPU code" },
    { 218, PT_ERROR_UNSUPPORTED, "could not compile" },
    { 221, PT_ERROR_UNSUPPORTED, "has no compiler" },
    { 222, PT_ERROR_UNSUPPORTED, "installed one is for CUDA 13.0" },
    { 701, PT_ERROR_UNSUPPORTED, "tuned for a larger GPU" },
    { 714, PT_ERROR_GPU, "new process" },
    { 1, PT_ERROR_GPU, "CUDA_ERROR_TEST (CUDA error 1)" },
  };

  g_assert_true (pt_cuda_check (0, "Nothing", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (pt_cuda_check (cases[i].code, "Loading", &error));
    g_assert_error (error, PT_ERROR, (int) cases[i].error);
    g_assert_true (g_str_has_prefix (error->message, "Loading failed: "));
    g_assert_nonnull (strstr (error->message, cases[i].words));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  g_test_add_func ("/cuda/context/references", test_references);
  g_test_add_func ("/cuda/context/threads", test_threads);
  g_test_add_func ("/cuda/context/pointers", test_pointers);
  g_test_add_func ("/cuda/context/start-fails", test_start_fails);
  g_test_add_func ("/cuda/context/missing-device", test_missing_device);
  g_test_add_func ("/cuda/context/fatal", test_fatal);
  g_test_add_func ("/cuda/context/capture", test_capture);
  g_test_add_func ("/cuda/context/sentences", test_sentences);
  return g_test_run ();
}
