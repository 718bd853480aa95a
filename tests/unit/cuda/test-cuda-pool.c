/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/context.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

static const FakeCuda *fake;

static guint
n_allocations (void)
{
  FakeCounts counts;

  fake->counts (&counts);
  return counts.allocations;
}

static PtCudaContext *
open_context (void)
{
  g_autoptr (GError) error = NULL;
  PtCudaContext *context = pt_cuda_context_ref (0, &error);

  g_assert_no_error (error);
  fake->reset ();
  return context;
}

/* With the last reference everything is back, and nothing was forgotten. */
static void
close_context (PtCudaContext *context)
{
  FakeCounts counts;

  pt_cuda_context_unref (context);
  fake->counts (&counts);
  g_assert_cmpuint (counts.leaked + counts.contexts + counts.allocations + counts.streams, ==, 0);
}

static PtCuPointer
take (PtCudaPool *pool, gsize size)
{
  g_autoptr (GError) error = NULL;
  PtCuPointer pointer = pt_cuda_pool_allocate (pool, size, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (pointer, !=, 0);
  g_assert_cmpuint (pointer % 256, ==, 0);
  return pointer;
}

static void
test_waste (void)
{
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;
  guint32 random = 1;

  for (guint i = 0; i < 3000; i++) {
    gsize size, before = pt_cuda_pool_used (pool);
    PtCuPointer pointer;

    random = random * 1664525 + 1013904223;
    size = (random >> 4) % ((gsize) 1 << (random % 28)) + 1;
    pointer = take (pool, size);
    g_assert_cmpuint (pt_cuda_pool_used (pool) - before, >=, size);
    g_assert_cmpuint (pt_cuda_pool_used (pool) - before, <=, size + MAX (255, size / 8));
    pt_cuda_pool_release (pool, pointer);
    g_assert_cmpuint (pt_cuda_pool_used (pool), ==, before);
    if (i % 100 == 0)
      pt_cuda_pool_trim (pool, context->stream);
  }
  pt_cuda_pool_trim (pool, context->stream);
  g_assert_cmpuint (pt_cuda_pool_reserved (pool), ==, 0);
  close_context (context);
}

/* Sizes around the edges of classes: all of them are what a later block of the same size gets. */
static void
test_edges (void)
{
  static const gsize sizes[] = {
    1,       255,           256,           257,      2047,           2048,
    2049,    2304,          2305,          4096,     4097,           (1 << 20) - 1,
    1 << 20, (1 << 20) + 1, (4 << 20) + 1, 64 << 20, (64 << 20) + 1, 200000001
  };
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    PtCuPointer first = take (pool, sizes[i]);
    guint8 byte = 7;

    /* The last byte is ours. */
    g_assert_cmpint (context->cu->cuMemcpyHtoD (first + sizes[i] - 1, &byte, 1), ==, 0);
    pt_cuda_pool_release (pool, first);
    g_assert_cmpuint (take (pool, sizes[i]), ==, first);
    pt_cuda_pool_release (pool, first);
    pt_cuda_pool_trim (pool, context->stream);
  }
  g_assert_cmpuint (pt_cuda_pool_allocate (pool, 0, NULL), ==, 0);
  pt_cuda_pool_release (pool, 0);
  close_context (context);
}

static void
test_no_overlap (void)
{
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;
  PtCuPointer pointers[500];

  for (guint i = 0; i < G_N_ELEMENTS (pointers); i++) {
    pointers[i] = take (pool, 300 + i * 40);
    memset (fake->memory (pointers[i]), (int) (i & 0xff), 300 + i * 40);
  }
  for (guint i = 0; i < G_N_ELEMENTS (pointers); i++) {
    const guint8 *bytes = fake->memory (pointers[i]);

    for (guint k = 0; k < 300 + i * 40; k++)
      g_assert_cmpuint (bytes[k], ==, i & 0xff);
    pt_cuda_pool_release (pool, pointers[i]);
  }
  close_context (context);
}

/* A step that was done before costs no call of the driver. */
static void
test_hot (void)
{
  static const gsize sizes[] = { 4, 1200, 1 << 16, 3 << 20, 100 << 20 };
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;
  PtCuPointer pointers[G_N_ELEMENTS (sizes)];

  for (guint step = 0; step < 3; step++) {
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      pointers[i] = take (pool, sizes[i]);
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      pt_cuda_pool_release (pool, pointers[i]);
  }
  g_assert_cmpuint (fake->n_calls ("cuMemAlloc"), ==, 3);
  g_assert_cmpuint (fake->n_calls ("cuMemFree") + fake->n_calls ("cuStreamSynchronize"), ==, 0);
  /* A huge block is taken for one that is a little smaller, and not for a much smaller one. */
  pointers[0] = take (pool, 95 << 20);
  pointers[1] = take (pool, 70 << 20);
  g_assert_cmpuint (fake->n_calls ("cuMemAlloc"), ==, 4);
  pt_cuda_pool_release (pool, pointers[0]);
  pt_cuda_pool_release (pool, pointers[1]);
  close_context (context);
}

static void
test_trim (void)
{
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;
  PtCuPointer small[8], large = take (pool, 9 << 20);

  for (guint i = 0; i < 8; i++)
    small[i] = take (pool, 1 << 20);
  g_assert_cmpuint (n_allocations (), ==, 3);
  for (guint i = 0; i < 4; i++)
    pt_cuda_pool_release (pool, small[i]);
  pt_cuda_pool_release (pool, small[4]);
  pt_cuda_pool_trim (pool, context->stream);
  g_assert_cmpuint (n_allocations (), ==, 2);
  g_assert_cmpuint (pt_cuda_pool_reserved (pool), ==, (4 << 20) + (9 << 20));
  /* Free memory in a used slab stays free. */
  small[4] = take (pool, 1 << 20);
  g_assert_cmpuint (n_allocations (), ==, 2);
  pt_cuda_pool_release (pool, large);
  for (guint i = 4; i < 8; i++)
    pt_cuda_pool_release (pool, small[i]);
  pt_cuda_pool_trim (pool, context->stream);
  g_assert_cmpuint (n_allocations () + pt_cuda_pool_reserved (pool), ==, 0);
  close_context (context);
}

static void
test_out_of_memory (void)
{
  g_autoptr (GError) error = NULL;
  PtCudaContext *context = open_context ();
  PtCudaPool *pool = context->tensors;
  PtCuPointer first, second;

  fake->set_memory (100 << 20);
  first = take (pool, 60 << 20);
  g_assert_cmpuint (pt_cuda_pool_allocate (pool, 50 << 20, &error), ==, 0);
  g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "0.05 GB are needed, 0.04 of 0.10 GB are free"));
  /* The block that nobody uses makes room. */
  pt_cuda_pool_release (pool, first);
  second = take (pool, 50 << 20);
  g_assert_cmpuint (pt_cuda_pool_reserved (pool), ==, 52 << 20);
  g_assert_cmpuint (pt_cuda_pool_allocate (pool, G_MAXSIZE, NULL), ==, 0);
  g_assert_cmpuint (pt_cuda_pool_allocate (pool, G_MAXSSIZE, NULL), ==, 0);
  pt_cuda_pool_release (pool, second);
  /* The same holds for memory that stays in use. */
  first = pt_cuda_context_allocate (context, 90 << 20, NULL);
  g_assert_cmpuint (first, !=, 0);
  g_clear_error (&error);
  g_assert_cmpuint (pt_cuda_context_allocate (context, 90 << 20, &error), ==, 0);
  g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
  pt_cuda_context_free (context, first);
  fake->set_memory ((gsize) 8 << 30);
  close_context (context);
}

/* Memory used by a recorded graph is kept until the graph is destroyed. */
static void
test_graph (void)
{
  PtCudaContext *context = open_context ();
  g_autoptr (PtCudaPool) graph = pt_cuda_pool_new_graph (context->tensors);
  PtCuPointer idle = take (context->tensors, 40 << 20), first, second;

  pt_cuda_pool_release (context->tensors, idle);
  fake->set_memory (64 << 20);
  first = take (graph, 20 << 20);
  g_assert_cmpuint (pt_cuda_pool_reserved (context->tensors), ==, 40 << 20);
  pt_cuda_pool_release (graph, first);
  second = take (graph, 30 << 20);
  g_assert_cmpuint (pt_cuda_pool_reserved (context->tensors), ==, 0);
  pt_cuda_pool_trim (graph, context->stream);
  pt_cuda_pool_release (graph, second);
  pt_cuda_pool_trim (graph, context->stream);
  g_assert_cmpuint (pt_cuda_pool_reserved (graph), ==, 50 << 20);
  g_assert_cmpuint (take (graph, 20 << 20), ==, first);
  pt_cuda_pool_release (graph, first);
  g_clear_pointer (&graph, pt_cuda_pool_free);
  g_assert_cmpuint (n_allocations (), ==, 0);
  fake->set_memory ((gsize) 8 << 30);
  close_context (context);
}

/* Small blocks of a graph are new ones, until there are many. */
static void
test_fresh (void)
{
  PtCudaContext *context = open_context ();
  PtCudaPool *graph = pt_cuda_pool_new_graph (context->tensors);
  PtCuPointer start, former = 0;
  gsize size, reserved;

  for (guint i = 0; i < 32; i++) {
    PtCuPointer block = take (graph, 1 << 20);

    g_assert_cmpuint (block, !=, former);
    g_assert_true (pt_cuda_pool_find (graph, block + 1000, &start, &size));
    g_assert_cmpuint (start, ==, block);
    g_assert_cmpuint (size, ==, 1 << 20);
    pt_cuda_pool_release (graph, block);
    former = block;
  }
  reserved = pt_cuda_pool_reserved (graph);
  g_assert_cmpuint (take (graph, 1 << 20), ==, former);
  g_assert_cmpuint (pt_cuda_pool_reserved (graph), ==, reserved);
  g_assert_false (pt_cuda_pool_find (graph, 1, &start, &size));
  g_assert_false (pt_cuda_pool_find (context->tensors, former, &start, &size));
  pt_cuda_pool_release (graph, former);
  pt_cuda_pool_free (graph);
  close_context (context);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  g_test_add_func ("/cuda/pool/waste", test_waste);
  g_test_add_func ("/cuda/pool/edges", test_edges);
  g_test_add_func ("/cuda/pool/no-overlap", test_no_overlap);
  g_test_add_func ("/cuda/pool/hot", test_hot);
  g_test_add_func ("/cuda/pool/trim", test_trim);
  g_test_add_func ("/cuda/pool/out-of-memory", test_out_of_memory);
  g_test_add_func ("/cuda/pool/graph", test_graph);
  g_test_add_func ("/cuda/pool/fresh", test_fresh);
  return g_test_run ();
}
