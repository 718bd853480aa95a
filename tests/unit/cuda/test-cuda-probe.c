/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/probe.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"

#include <string.h>

/*
 * A process has one driver. Each case runs in a process of its own; its name is what goes into the
 * environment there.
 */

static void
run_child (void)
{
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

static gboolean
in_child (const char *path, const char *variable, const char *value)
{
  if (!g_test_subprocess ()) {
    run_child ();
    return FALSE;
  }
  g_setenv ("PTERIS_CUDA", path, TRUE);
  if (variable != NULL)
    g_setenv (variable, value, TRUE);
  return TRUE;
}

static void
test_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaProbe) probe = NULL;

  if (!in_child (FAKE_CUDA_PATH, "FAKE_CUDA_DEVICES", "2"))
    return;
  g_setenv ("FAKE_CUDA_CAPABILITY", "86", TRUE);
  g_setenv ("FAKE_CUDA_VERSION", "12040", TRUE);
  g_setenv ("FAKE_CUDA_MEMORY", "1073741824", TRUE);
  probe = pt_cuda_probe (&error);
  g_assert_no_error (error);
  g_assert_cmpuint (probe->driver_version, ==, 12040);
  g_assert_cmpuint (probe->n_devices, ==, 2);
  g_assert_cmpstr (probe->devices[0].name, ==, "NVIDIA Test 1");
  g_assert_cmpstr (probe->devices[1].name, ==, "NVIDIA Test 2");
  g_assert_cmpuint (probe->devices[0].memory, ==, 1 << 30);
  g_assert_cmpuint (probe->devices[0].compute_capability, ==, 86);
}

/* The stand-in has all that we ask for, under the names that the driver uses. */
static void
test_functions (void)
{
  const PtCuda *cu;

  if (!in_child (FAKE_CUDA_PATH, NULL, NULL))
    return;
  cu = pt_cuda_driver (NULL);
  g_assert_nonnull (cu);
#define CHECK(name, needed, arguments) g_assert_true (cu->name != NULL);
  PT_CUDA_FUNCTIONS (CHECK)
#undef CHECK
}

typedef struct {
  const char *name, *path, *variable, *value, *words;
} Reason;

static const Reason reasons[] = {
  { "no-driver", "/nonexistent/libcuda.so.1", NULL, NULL, "no NVIDIA driver" },
  { "another-library", FAKE_NVML_NEW, NULL, NULL, "too old" },
  { "old-driver", FAKE_CUDA_PATH, "FAKE_CUDA_VERSION", "11080", "one for CUDA 11.8" },
  { "no-device", FAKE_CUDA_PATH, "FAKE_CUDA_DEVICES", "0", "finds no GPU" },
  { "no-device-at-start", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:100", "finds no GPU" },
  { "hidden", FAKE_CUDA_PATH, "CUDA_VISIBLE_DEVICES", "-1", "CUDA_VISIBLE_DEVICES is “-1”" },
  { "updated", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:803", "Restart" },
  { "busy", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:46", "busy" },
  { "not-ready", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:802", "not set up" },
  { "compat", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:804", "Update the driver" },
  { "other", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuInit:0:999", "CUDA_ERROR_TEST (CUDA error 999)" },
  { "count", FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuDeviceGetCount:0:3", "CUDA error 3" },
};

static void
test_reason (gconstpointer data)
{
  const Reason *reason = data;
  g_autoptr (GError) error = NULL, again = NULL;

  if (!in_child (reason->path, reason->variable, reason->value))
    return;
  g_assert_null (pt_cuda_probe (&error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  if (strstr (error->message, reason->words) == NULL)
    g_error ("“%s” is not in “%s”", reason->words, error->message);
  /* The answer stays. */
  g_unsetenv (reason->variable != NULL ? reason->variable : "PTERIS_CUDA");
  g_assert_null (pt_cuda_driver (&again));
  g_assert_cmpstr (again->message, ==, error->message);
}

/* A failure after the start. */
static void
test_device_fails (void)
{
  g_autoptr (GError) error = NULL;

  if (!in_child (FAKE_CUDA_PATH, "FAKE_CUDA_FAIL", "cuDeviceGet:1:101"))
    return;
  g_assert_null (pt_cuda_probe (&error));
  g_assert_nonnull (strstr (error->message, "CUDA error 101"));
}

/* Programs that want memory of a GPU are told that there is none. */
static void
test_no_memory_device (void)
{
  if (!in_child ("/nonexistent/libcuda.so.1", NULL, NULL))
    return;
  pt_cuda_register ();
  g_assert_null (pt_device_find (PT_DEVICE_CUDA));
}

static void
test_backend_with_gpu (void)
{
  const PtBackend *backend;
  g_autoptr (GError) error = NULL;

  if (!in_child (FAKE_CUDA_PATH, NULL, NULL))
    return;
  pt_cuda_register ();
  backend = pt_backend_find ("CudaBackend");
  g_assert_nonnull (backend);
  g_assert_true (backend->is_available (&error));
  g_assert_no_error (error);
}

/* The backend is there to say why it cannot be used. */
static void
test_backend_without_gpu (void)
{
  g_autoptr (GError) error = NULL;

  if (!in_child ("/nonexistent/libcuda.so.1", NULL, NULL))
    return;
  pt_cuda_register ();
  g_assert_false (pt_backend_find ("CudaBackend")->is_available (&error));
  g_assert_nonnull (strstr (error->message, "no NVIDIA driver"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/probe/device", test_device);
  g_test_add_func ("/cuda/probe/functions", test_functions);
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++) {
    g_autofree char *name = g_strconcat ("/cuda/probe/reasons/", reasons[i].name, NULL);

    g_test_add_data_func (name, &reasons[i], test_reason);
  }
  g_test_add_func ("/cuda/probe/device-fails", test_device_fails);
  g_test_add_func ("/cuda/probe/no-memory-device", test_no_memory_device);
  g_test_add_func ("/cuda/backend/with-gpu", test_backend_with_gpu);
  g_test_add_func ("/cuda/backend/without-gpu", test_backend_without_gpu);
  return g_test_run ();
}
