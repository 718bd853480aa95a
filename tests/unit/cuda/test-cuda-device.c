/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/context.h"
#include "engine/cuda/cuda-device.h"
#include "engine/runtime/device.h"
#include "tests/fakes/fake-cuda.h"

#include <string.h>

static const FakeCuda *fake;
static const PtDevice *device;

static void
assert_gone (void)
{
  FakeCounts counts;

  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts + counts.allocations + counts.leaked, ==, 0);
  g_assert_null (pt_cuda_context_find (0));
}

static void
test_copies (void)
{
  g_autoptr (GError) error = NULL;
  guint8 in[1000], out[1000];
  gpointer memory = device->allocate (0, sizeof in, &error);

  g_assert_no_error (error);
  memset (in, 0x42, sizeof in);
  memset (out, 1, sizeof out);
  g_assert_true (device->copy_to_host (0, out, memory, sizeof out, &error));
  for (guint i = 0; i < sizeof out; i++)
    g_assert_cmpuint (out[i], ==, 0);
  g_assert_true (device->copy_to_device (0, memory, in, sizeof in, &error));
  /* The source may change at once, and the result is there at the return. */
  memset (in, 0x43, sizeof in);
  g_assert_true (device->copy_to_host (0, out, memory, sizeof out, &error));
  for (guint i = 0; i < sizeof out; i++)
    g_assert_cmpuint (out[i], ==, 0x42);
  g_assert_true (device->clear (0, (guint8 *) memory + 1, 2, &error));
  g_assert_true (device->copy_to_host (0, out, memory, 4, &error));
  g_assert_cmpmem (out, 4, "\x42\0\0\x42", 4);
  device->free (0, memory);
  assert_gone ();
}

/* The GPU's context lives as long as any memory. */
static void
test_lifetime (void)
{
  gpointer first = device->allocate (0, 5, NULL);
  gpointer second = device->allocate (0, 1 << 20, NULL);

  device->free (0, first);
  g_assert_nonnull (pt_cuda_context_find (0));
  device->free (0, second);
  assert_gone ();
}

static void
test_nothing (void)
{
  g_autoptr (GError) error = NULL;
  gpointer memory = device->allocate (0, 0, &error);

  g_assert_nonnull (memory);
  g_assert_true (device->clear (0, memory, 0, &error));
  g_assert_true (device->copy_to_device (0, memory, NULL, 0, &error));
  g_assert_true (device->copy_to_host (0, NULL, memory, 0, &error));
  device->free (0, memory);
  device->free (0, NULL);
  g_assert_no_error (error);
  assert_gone ();
  g_assert_false (device->clear (0, memory, 1, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
}

static void
test_failures (void)
{
  static const char *const functions[] = { "cuMemAlloc", "cuMemsetD8Async", "cuStreamCreate" };
  guint8 byte = 0;
  gpointer memory;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++) {
    g_autoptr (GError) error = NULL;

    fake->fail (functions[i], 0, 2);
    g_assert_null (device->allocate (0, 100, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
    fake->reset ();
    assert_gone ();
  }
  memory = device->allocate (0, 1, NULL);
  g_assert_null (device->allocate (9, 1, NULL));
  g_assert_false (device->copy_to_host (1, &byte, memory, 1, NULL));
  fake->fail ("cuMemcpyDtoHAsync", 1, 700);
  g_assert_false (device->copy_to_host (0, &byte, memory, 1, NULL));
  g_assert_false (device->copy_to_device (0, memory, &byte, 1, NULL));
  g_assert_null (device->allocate (0, 1, NULL));
  device->free (0, memory);
  assert_gone ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  pt_cuda_device_register ();
  device = pt_device_find (PT_DEVICE_CUDA);
  g_assert_nonnull (device);
  g_test_add_func ("/cuda/device/copies", test_copies);
  g_test_add_func ("/cuda/device/lifetime", test_lifetime);
  g_test_add_func ("/cuda/device/nothing", test_nothing);
  g_test_add_func ("/cuda/device/failures", test_failures);
  return g_test_run ();
}
