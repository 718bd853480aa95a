/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/upload.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

static const FakeCuda *fake;

typedef struct {
  PtCudaContext *context;
  PtCudaUpload *upload;
  guint8 *bytes; /* of a file */
  gsize size;
  PtCuPointer memory;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  f->size = ((gsize) 90 << 20) + 12345;
  f->bytes = g_malloc (f->size);
  for (gsize i = 0; i < f->size; i++)
    f->bytes[i] = (guint8) (i * 7 + i / 4099);
  f->context = pt_cuda_context_ref (0, NULL);
  fake->reset ();
  f->memory = pt_cuda_context_allocate (f->context, f->size, NULL);
  f->upload = pt_cuda_upload_new (f->context, &error);
  g_assert_no_error (error);
}

/* Everything is returned, whatever happened. */
static void
tear_down (Fixture *f, gconstpointer data)
{
  FakeCounts counts;

  pt_cuda_upload_free (f->upload);
  pt_cuda_context_free (f->context, f->memory);
  fake->counts (&counts);
  g_assert_cmpuint (counts.allocations + counts.host_allocations + counts.events, ==, 0);
  g_assert_cmpuint (counts.streams, ==, 1);
  pt_cuda_context_unref (f->context);
  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts + counts.leaked, ==, 0);
  g_free (f->bytes);
  fake->reset ();
}

static void
assert_same (const Fixture *f, gsize offset, gsize size)
{
  g_assert_cmpint (memcmp ((guint8 *) fake->memory (f->memory + offset), f->bytes + offset, size),
                   ==, 0);
}

/* More than the ring holds several times. */
static void
test_large (Fixture *f, gconstpointer data)
{
  g_assert_true (pt_cuda_upload_copy (f->upload, f->memory, f->bytes, f->size, NULL, NULL));
  g_assert_true (pt_cuda_upload_finish (f->upload, NULL));
  assert_same (f, 0, f->size);
}

/* Sizes around those of slots, from odd addresses, in one go and one by one. */
static void
test_odd_sizes (Fixture *f, gconstpointer data)
{
  static const gsize sizes[] = { 1,
                                 0,
                                 255,
                                 256,
                                 257,
                                 4095,
                                 70001,
                                 (2 << 20) - 1,
                                 2 << 20,
                                 (2 << 20) + 1,
                                 (2 << 20) - 257,
                                 (6 << 20) + 3,
                                 3 };
  gsize offset = 1;

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    gsize size = sizes[i % G_N_ELEMENTS (sizes)];

    g_assert_true (
        pt_cuda_upload_copy (f->upload, f->memory + offset, f->bytes + offset, size, NULL, NULL));
    if (i >= G_N_ELEMENTS (sizes))
      g_assert_true (pt_cuda_upload_finish (f->upload, NULL));
    offset += size;
  }
  assert_same (f, 1, offset - 1);
}

/* Biases and scales: thousands of small pieces share buffers. */
static void
test_small (Fixture *f, gconstpointer data)
{
  gsize offset = 0;

  for (guint i = 0; i < 5000; i++) {
    gsize size = 1 + i * 37 % 3000;

    g_assert_true (
        pt_cuda_upload_copy (f->upload, f->memory + offset, f->bytes + offset, size, NULL, NULL));
    offset += size;
  }
  g_assert_true (pt_cuda_upload_finish (f->upload, NULL));
  g_assert_true (pt_cuda_upload_finish (f->upload, NULL));
  assert_same (f, 0, offset);
  g_assert_cmpuint (fake->n_calls ("cuEventRecord"), <, 100);
}

static void
test_nothing (Fixture *f, gconstpointer data)
{
  g_assert_true (pt_cuda_upload_copy (f->upload, 0, NULL, 0, NULL, NULL));
  g_assert_true (pt_cuda_upload_finish (f->upload, NULL));
}

/* Freed in the middle, with readers at work and copies on the stream. */
static void
test_abandoned (Fixture *f, gconstpointer data)
{
  g_assert_true (pt_cuda_upload_copy (f->upload, f->memory, f->bytes, f->size / 2, NULL, NULL));
}

static void
test_cancel (Fixture *f, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL, again = NULL;

  g_assert_true (pt_cuda_upload_copy (f->upload, f->memory, f->bytes, 10 << 20, cancellable, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_false (
      pt_cuda_upload_copy (f->upload, f->memory, f->bytes, f->size, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_assert_false (pt_cuda_upload_copy (f->upload, f->memory, f->bytes, 1, NULL, &again));
  g_assert_error (again, PT_ERROR, PT_ERROR_STATE);
  g_assert_false (pt_cuda_upload_finish (f->upload, NULL));
}

static void
test_failures (Fixture *f, gconstpointer data)
{
  static const char *const functions[] = { "cuMemcpyHtoDAsync", "cuEventRecord",
                                           "cuEventSynchronize", "cuStreamSynchronize" };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    g_autoptr (PtCudaUpload) upload = pt_cuda_upload_new (f->context, NULL);
    g_autoptr (GError) error = NULL;

    fake->fail (functions[i], i < 3 ? 20 : 1, 999);
    g_assert_false (pt_cuda_upload_copy (upload, f->memory, f->bytes, f->size, NULL, &error) &&
                    pt_cuda_upload_finish (upload, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_GPU);
    g_assert_false (pt_cuda_upload_finish (upload, NULL));
    fake->reset ();
  }
}

static void
test_start_fails (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) pinned = NULL, event = NULL, dead = NULL;

  fake->fail ("cuMemHostAlloc", 1, 2);
  g_assert_null (pt_cuda_upload_new (f->context, &pinned));
  g_assert_error (pinned, PT_ERROR, PT_ERROR_MEMORY);
  fake->fail ("cuEventCreate", 7, 999);
  g_assert_null (pt_cuda_upload_new (f->context, &event));
  g_assert_error (event, PT_ERROR, PT_ERROR_GPU);
  f->context->fatal = 700;
  g_assert_null (pt_cuda_upload_new (f->context, &dead));
  g_assert_nonnull (dead);
  f->context->fatal = 0;
}

#define ADD(name, function) \
  g_test_add ("/cuda/upload/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  ADD ("large", test_large);
  ADD ("odd-sizes", test_odd_sizes);
  ADD ("small", test_small);
  ADD ("nothing", test_nothing);
  ADD ("abandoned", test_abandoned);
  ADD ("cancel", test_cancel);
  ADD ("failures", test_failures);
  ADD ("start-fails", test_start_fails);
  return g_test_run ();
}
