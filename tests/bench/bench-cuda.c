/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/cuda/upload.h"
#include "engine/program/file.h"

/*
 * Measures the upload of weights to the GPU and the allocation of tensors. The rate of pinned
 * copies is the limit of the bus. The argument is a file to upload, of some gigabytes; each pass
 * maps it again. Needs a GPU, or PTERIS_CUDA. Not a test.
 */

#define MOST_PASSES 5

static double
seconds (void)
{
  return (double) g_get_monotonic_time () / G_USEC_PER_SEC;
}

static void
stop_on (GError *error)
{
  if (error != NULL)
    g_error ("%s", error->message);
}

static void
report (const char *what, gsize size, double best)
{
  g_print ("%-44s %8.2f GB/s\n", what, (double) size / best / 1e9);
}

/* The best of some passes over the same pinned megabytes. */
static void
bench_bus (PtCudaContext *context)
{
  const PtCuda *cu = context->cu;
  gsize size = (gsize) 256 << 20;
  PtCuPointer memory = pt_cuda_context_allocate (context, size, NULL);
  double best = 1e9, best_back = 1e9;
  gpointer pinned = NULL;
  GError *error = NULL;

  pt_cuda_check (cu->cuMemHostAlloc (&pinned, size, 0), "Pinning", &error);
  stop_on (error);
  memset (pinned, 1, size);
  for (guint i = 0; i < MOST_PASSES; i++) {
    double start = seconds ();

    cu->cuMemcpyHtoDAsync (memory, pinned, size, context->stream);
    cu->cuStreamSynchronize (context->stream);
    best = MIN (best, seconds () - start);
    start = seconds ();
    cu->cuMemcpyDtoHAsync (pinned, memory, size, context->stream);
    cu->cuStreamSynchronize (context->stream);
    best_back = MIN (best_back, seconds () - start);
  }
  report ("pinned memory to GPU (the bus)", size, best);
  report ("GPU to pinned memory", size, best_back);
  cu->cuMemFreeHost (pinned);
  pt_cuda_context_free (context, memory);
}

static GBytes *
map_file (const char *path)
{
  GError *error = NULL;
  GBytes *bytes = pt_file_map (path, &error);

  stop_on (error);
  return bytes;
}

/* Measures a plain cuMemcpyHtoD() of the mapped file. */
static double
copy_plainly (PtCudaContext *context, PtCuPointer to, GBytes *bytes)
{
  double start = seconds ();
  GError *error = NULL;

  pt_cuda_check (
      context->cu->cuMemcpyHtoD (to, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)),
      "Copying", &error);
  stop_on (error);
  return seconds () - start;
}

/* Everything that loading pays: pinned memory and threads, too. */
static double
upload (PtCudaContext *context, PtCuPointer to, GBytes *bytes)
{
  double start = seconds ();
  GError *error = NULL;
  PtCudaUpload *job = pt_cuda_upload_new (context, &error);

  stop_on (error);
  if (pt_cuda_upload_copy (job, to, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), NULL,
                           &error))
    pt_cuda_upload_finish (job, &error);
  stop_on (error);
  pt_cuda_upload_free (job);
  return seconds () - start;
}

static void
check_copy (PtCudaContext *context, PtCuPointer memory, GBytes *bytes)
{
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *back = g_malloc (size);

  context->cu->cuMemcpyDtoH (back, memory, size);
  if (memcmp (back, g_bytes_get_data (bytes, NULL), size) != 0)
    g_error ("The bytes on the GPU are not those of the file");
}

static void
bench_file (PtCudaContext *context, const char *path)
{
  g_autoptr (GBytes) first = map_file (path);
  gsize size = g_bytes_get_size (first);
  GError *error = NULL;
  PtCuPointer memory = pt_cuda_context_allocate (context, size, &error);
  double plain = 1e9, ours = 1e9;

  stop_on (error);
  for (guint i = 0; i < MOST_PASSES; i++) {
    g_autoptr (GBytes) bytes = map_file (path);
    g_autoptr (GBytes) again = map_file (path);

    ours = MIN (ours, upload (context, memory, bytes));
    if (i < 2)
      plain = MIN (plain, copy_plainly (context, memory, again));
  }
  report ("mapped file to GPU, plain copy", size, plain);
  report ("mapped file to GPU, upload", size, ours);
  upload (context, memory, first);
  check_copy (context, memory, first);
  pt_cuda_context_free (context, memory);
}

static void
bench_pool (PtCudaContext *context)
{
  enum { N_TENSORS = 100, N_STEPS = 10000 };
  PtCuPointer pointers[N_TENSORS];
  double start = 0;

  for (guint step = 0; step <= N_STEPS; step++) {
    if (step == 1)
      start = seconds ();
    for (guint i = 0; i < N_TENSORS; i++)
      pointers[i] = pt_cuda_pool_allocate (context->tensors, 1000 + 997 * i, NULL);
    for (guint i = 0; i < N_TENSORS; i++)
      pt_cuda_pool_release (context->tensors, pointers[i]);
  }
  g_print ("%-44s %8.1f ns\n", "take and give a tensor",
           (seconds () - start) * 1e9 / N_STEPS / N_TENSORS);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  PtCudaContext *context = pt_cuda_context_ref (0, &error);

  stop_on (error);
  g_print ("%s, capability %u.%u, CUDA %u.%u\n", context->name, context->capability / 10,
           context->capability % 10, context->driver_version / 1000,
           context->driver_version % 1000 / 10);
  bench_bus (context);
  bench_pool (context);
  if (argc > 1)
    bench_file (context, argv[1]);
  pt_cuda_context_unref (context);
  return 0;
}
