/* SPDX-License-Identifier: BSD-3-Clause */

/* The stand-in for the driver behaves as the driver does, in what other tests rely on. */

#include "engine/cuda/context.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

static const FakeCuda *fake;

typedef struct {
  PtCudaContext *context;
  const PtCuda *cu;
  PtCuStream stream;
  PtCuPointer memory; /* 16 bytes, "0123456789abcdef" */
  char *pinned;       /* 16 bytes */
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  gpointer pinned;

  f->context = pt_cuda_context_ref (0, NULL);
  fake->reset ();
  f->cu = f->context->cu;
  f->stream = f->context->stream;
  g_assert_cmpint (f->cu->cuMemAlloc (&f->memory, 16), ==, 0);
  g_assert_cmpint (f->cu->cuMemHostAlloc (&pinned, 16, 0), ==, 0);
  f->pinned = pinned;
  g_assert_cmpint (f->cu->cuMemcpyHtoD (f->memory, "0123456789abcdef", 16), ==, 0);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  FakeCounts counts;

  f->cu->cuMemFree (f->memory);
  f->cu->cuMemFreeHost (f->pinned);
  pt_cuda_context_unref (f->context);
  fake->counts (&counts);
  g_assert_cmpuint (counts.leaked + counts.contexts, ==, 0);
  fake->reset ();
}

static void
assert_memory (const Fixture *f, const char *text)
{
  g_assert_cmpmem (fake->memory (f->memory), strlen (text), text, strlen (text));
}

static void
test_order (Fixture *f, gconstpointer data)
{
  char pageable[16] = "ABCD";

  memcpy (f->pinned, "wxyz", 4);
  g_assert_cmpint (f->cu->cuMemcpyHtoDAsync (f->memory, pageable, 4, f->stream), ==, 0);
  g_assert_cmpint (f->cu->cuMemcpyHtoDAsync (f->memory + 4, f->pinned, 4, f->stream), ==, 0);
  g_assert_cmpint (f->cu->cuMemsetD8Async (f->memory + 3, '-', 2, f->stream), ==, 0);
  g_assert_cmpint (f->cu->cuMemcpyDtoDAsync (f->memory + 8, f->memory, 8, f->stream), ==, 0);
  /* Pageable memory was read; pinned memory is read when its turn comes. */
  pageable[0] = 'X';
  f->pinned[1] = 'X';
  assert_memory (f, "0123456789abcdef");
  g_assert_cmpint (f->cu->cuStreamSynchronize (f->stream), ==, 0);
  assert_memory (f, "ABC--XyzABC--Xyz");
  g_assert_cmpint (f->cu->cuMemcpyDtoHAsync (f->pinned, f->memory, 16, f->stream), ==, 0);
  g_assert_cmpint (f->pinned[0], ==, 'w');
  g_assert_cmpint (f->cu->cuMemcpyDtoHAsync (pageable, f->memory, 16, f->stream), ==, 0);
  g_assert_cmpmem (pageable, 16, "ABC--XyzABC--Xyz", 16);
  g_assert_cmpmem (f->pinned, 16, "ABC--XyzABC--Xyz", 16);
}

static void
test_legacy (Fixture *f, gconstpointer data)
{
  PtCuStream blocking;

  g_assert_cmpint (f->cu->cuStreamCreate (&blocking, 0), ==, 0);
  f->cu->cuMemsetD8Async (f->memory, 'a', 1, f->stream);
  f->cu->cuMemsetD8Async (f->memory + 1, 'b', 1, blocking);
  f->cu->cuMemcpyHtoD (f->memory + 2, "c", 1);
  assert_memory (f, "0bc");
  f->cu->cuCtxSynchronize ();
  assert_memory (f, "abc");
  f->cu->cuStreamDestroy (blocking);
}

static void
test_events (Fixture *f, gconstpointer data)
{
  PtCuStream other;
  PtCuEvent event, end;
  float ms = -1;

  f->cu->cuStreamCreate (&other, PT_CU_STREAM_NON_BLOCKING);
  f->cu->cuEventCreate (&event, 0);
  f->cu->cuEventCreate (&end, 0);
  g_assert_cmpint (f->cu->cuEventQuery (event), ==, 0);
  f->cu->cuMemsetD8Async (f->memory, 'a', 2, f->stream);
  f->cu->cuEventRecord (event, f->stream);
  f->cu->cuMemsetD8Async (f->memory + 8, 'b', 1, f->stream);
  f->cu->cuStreamWaitEvent (other, event, 0);
  f->cu->cuMemsetD8Async (f->memory + 1, 'c', 1, other);
  f->cu->cuStreamSynchronize (other);
  assert_memory (f, "ac23456789");
  f->cu->cuEventRecord (event, f->stream);
  f->cu->cuEventRecord (end, f->stream);
  g_assert_cmpint (f->cu->cuEventElapsedTime (&ms, event, end), ==, PT_CU_NOT_READY);
  g_assert_cmpint (f->cu->cuEventQuery (end), ==, PT_CU_NOT_READY);
  g_assert_cmpint (f->cu->cuEventSynchronize (end), ==, 0);
  g_assert_cmpint (f->cu->cuEventQuery (end), ==, 0);
  g_assert_cmpint (f->cu->cuEventElapsedTime (&ms, event, end), ==, 0);
  g_assert_cmpfloat (ms, >=, 0);
  f->cu->cuEventDestroy (event);
  f->cu->cuEventDestroy (end);
  f->cu->cuStreamDestroy (other);
}

static PtCuFunction
find_kernel (const Fixture *f, PtCuModule *module, const char *name)
{
  PtCuFunction kernel;

  g_assert_cmpint (f->cu->cuModuleLoadData (module, ".version 8.0"), ==, 0);
  g_assert_cmpint (f->cu->cuModuleGetFunction (&kernel, *module, name), ==, 0);
  return kernel;
}

static void
test_launches (Fixture *f, gconstpointer data)
{
  PtCuModule module;
  PtCuFunction kernel = find_kernel (f, &module, "add");
  FakeLaunch launch;
  int value;

  g_assert_cmpint (f->cu->cuModuleLoadData (&module, "text"), ==, 200);
  g_assert_cmpint (f->cu->cuLaunchKernel (kernel, 2, 3, 4, 32, 2, 1, 0, f->stream, NULL, NULL), ==,
                   0);
  g_assert_cmpint (f->cu->cuLaunchKernel (kernel, 0, 1, 1, 1, 1, 1, 0, f->stream, NULL, NULL), ==,
                   PT_CU_INVALID_VALUE);
  g_assert_cmpint (f->cu->cuLaunchKernel (kernel, 1, 1, 1, 1, 1, 1, 100000, f->stream, NULL, NULL),
                   ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (f->cu->cuFuncSetAttribute (kernel, 8, 300000), ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (f->cu->cuFuncSetAttribute (kernel, 8, 100000), ==, 0);
  g_assert_cmpint (f->cu->cuFuncGetAttribute (&value, 8, kernel), ==, 0);
  g_assert_cmpint (value, ==, 100000);
  g_assert_cmpint (f->cu->cuLaunchKernel (kernel, 1, 1, 1, 1, 1, 1, 100000, f->stream, NULL, NULL),
                   ==, 0);
  g_assert_cmpuint (fake->n_launches (), ==, 2);
  g_assert_true (fake->launch (0, &launch));
  g_assert_cmpstr (launch.name, ==, "add");
  g_assert_cmpuint (launch.grid[2], ==, 4);
  g_assert_cmpuint (launch.block[0], ==, 32);
  g_assert_false (launch.is_replay);
  g_assert_false (fake->launch (2, &launch));
  g_assert_cmpint (f->cu->cuModuleUnload (module), ==, 0);
}

static void
test_graphs (Fixture *f, gconstpointer data)
{
  PtCuModule module;
  PtCuFunction kernel = find_kernel (f, &module, "k");
  PtCuPointer during;
  PtCuGraph graph;
  PtCuGraphExec exec;
  FakeLaunch launch;

  memcpy (f->pinned, "X", 1);
  g_assert_cmpint (f->cu->cuStreamBeginCapture (f->stream, PT_CU_STREAM_CAPTURE_RELAXED), ==, 0);
  f->cu->cuMemcpyHtoDAsync (f->memory, f->pinned, 1, f->stream);
  f->cu->cuMemcpyDtoDAsync (f->memory + 1, f->memory, 1, f->stream);
  f->cu->cuLaunchKernel (kernel, 1, 1, 1, 1, 1, 1, 0, f->stream, NULL, NULL);
  g_assert_cmpint (f->cu->cuMemAlloc (&during, 1), ==, 0);
  g_assert_cmpint (f->cu->cuMemFree (during), ==, 0);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->stream, &graph), ==, 0);
  g_assert_cmpint (f->cu->cuGraphInstantiateWithFlags (&exec, graph, 0), ==, 0);
  f->cu->cuGraphDestroy (graph);
  f->cu->cuStreamSynchronize (f->stream);
  assert_memory (f, "01234");
  g_assert_cmpuint (fake->n_launches (), ==, 0);
  for (guint i = 1; i <= 2; i++) {
    f->pinned[0] = (char) ('X' + i);
    g_assert_cmpint (f->cu->cuGraphLaunch (exec, f->stream), ==, 0);
    f->cu->cuStreamSynchronize (f->stream);
    assert_memory (f, i == 1 ? "YY234" : "ZZ234");
    g_assert_cmpuint (fake->n_launches (), ==, i);
  }
  g_assert_true (fake->launch (1, &launch) && launch.is_replay);
  f->cu->cuGraphExecDestroy (exec);
  f->cu->cuModuleUnload (module);
}

/* Waiting spoils a capture, and so does what a strict mode forbids. */
static void
test_captures (Fixture *f, gconstpointer data)
{
  PtCuStream other;
  PtCuEvent event;
  PtCuPointer pointer;
  PtCuGraph graph;

  f->cu->cuStreamBeginCapture (f->stream, PT_CU_STREAM_CAPTURE_RELAXED);
  g_assert_cmpint (f->cu->cuStreamSynchronize (f->stream), ==, 900);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->stream, &graph), ==, 901);
  f->cu->cuStreamBeginCapture (f->stream, PT_CU_STREAM_CAPTURE_RELAXED);
  g_assert_cmpint (f->cu->cuCtxSynchronize (), ==, 900);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->stream, &graph), ==, 901);
  f->cu->cuStreamBeginCapture (f->stream, 0);
  g_assert_cmpint (f->cu->cuMemAlloc (&pointer, 1), ==, 900);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->stream, &graph), ==, 901);
  /* Another stream joins by an event. */
  f->cu->cuStreamCreate (&other, PT_CU_STREAM_NON_BLOCKING);
  f->cu->cuEventCreate (&event, PT_CU_EVENT_DISABLE_TIMING);
  f->cu->cuStreamBeginCapture (f->stream, PT_CU_STREAM_CAPTURE_RELAXED);
  f->cu->cuEventRecord (event, f->stream);
  g_assert_cmpint (f->cu->cuEventQuery (event), ==, 907);
  g_assert_cmpint (f->cu->cuStreamWaitEvent (other, event, 0), ==, 0);
  g_assert_cmpint (f->cu->cuStreamQuery (other), ==, 900);
  g_assert_cmpint (f->cu->cuStreamEndCapture (other, &graph), ==, 903);
  g_assert_cmpint (f->cu->cuStreamEndCapture (f->stream, &graph), ==, 901);
  g_assert_cmpint (f->cu->cuStreamQuery (other), ==, 0);
  f->cu->cuEventDestroy (event);
  f->cu->cuStreamDestroy (other);
}

static void
test_failures (Fixture *f, gconstpointer data)
{
  PtCuPointer pointer;

  fake->fail ("cuMemAlloc", 2, 2);
  g_assert_cmpint (f->cu->cuMemAlloc (&pointer, 1), ==, 0);
  f->cu->cuMemFree (pointer);
  g_assert_cmpint (f->cu->cuMemAlloc (&pointer, 1), ==, 2);
  g_assert_cmpint (f->cu->cuMemAlloc (&pointer, 1), ==, 0);
  f->cu->cuMemFree (pointer);
  g_assert_cmpint (f->cu->cuMemFree (12345), ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (f->cu->cuMemcpyHtoD (f->memory, "", 17), ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (f->cu->cuCtxSetCurrent (NULL), ==, 0);
  g_assert_cmpint (f->cu->cuMemAlloc (&pointer, 1), ==, PT_CU_INVALID_CONTEXT);
  g_assert_cmpint (f->cu->cuCtxSetCurrent (f->context->context), ==, 0);
  g_assert_cmpuint (fake->n_calls ("cuMemAlloc"), ==, 5);
}

/* A host access to device memory ends the process, as with a GPU. */
static void
test_no_access (Fixture *f, gconstpointer data)
{
  if (g_test_subprocess ()) {
    g_print ("%d", *(volatile char *) (gsize) f->memory);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
}

static void
test_guards (Fixture *f, gconstpointer data)
{
  if (g_test_subprocess ()) {
    ((char *) fake->memory (f->memory))[16] = 0;
    f->cu->cuMemFree (f->memory);
    return;
  }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*outside of a block of 16 bytes*");
}

static void
test_leaks (void)
{
  const PtCuda *cu = pt_cuda_driver (NULL);
  FakeCounts counts;
  PtCuContext context;
  PtCuPointer pointer;
  PtCuEvent event;
  PtCuDevice device;

  fake->reset ();
  cu->cuDeviceGet (&device, 0);
  cu->cuDevicePrimaryCtxRetain (&context, device);
  cu->cuCtxSetCurrent (context);
  cu->cuMemAlloc (&pointer, 1000);
  cu->cuEventCreate (&event, 0);
  fake->counts (&counts);
  g_assert_cmpuint (counts.allocations + counts.events, ==, 2);
  g_assert_cmpuint (counts.bytes, ==, 1000);
  cu->cuDevicePrimaryCtxRelease (device);
  fake->counts (&counts);
  g_assert_cmpuint (counts.leaked, ==, 2);
  g_assert_cmpuint (counts.bytes + counts.allocations + counts.events, ==, 0);
  fake->reset ();
}

#define ADD(name, function) \
  g_test_add ("/cuda/fake/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  ADD ("order", test_order);
  ADD ("legacy", test_legacy);
  ADD ("events", test_events);
  ADD ("launches", test_launches);
  ADD ("graphs", test_graphs);
  ADD ("captures", test_captures);
  ADD ("failures", test_failures);
  ADD ("no-access", test_no_access);
  ADD ("guards", test_guards);
  g_test_add_func ("/cuda/fake/leaks", test_leaks);
  return g_test_run ();
}
