/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda.h"
#include "engine/cuda/probe.h"
#include "engine/runtime/backend.h"

#include <string.h>

static PtCudaProbe *
probe_fake (const char *path, const char *mode, GError **error)
{
  g_setenv ("PTERIS_CUDA", path, TRUE);
  if (mode != NULL)
    g_setenv ("FAKE_CUDA", mode, TRUE);
  else
    g_unsetenv ("FAKE_CUDA");
  return pt_cuda_probe (error);
}

static void
test_device (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaProbe) probe = probe_fake (FAKE_CUDA_PATH, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (probe->driver_version, ==, 12040);
  g_assert_cmpuint (probe->n_devices, ==, 1);
  g_assert_cmpstr (probe->devices[0].name, ==, "NVIDIA Test 1");
  g_assert_cmpuint (probe->devices[0].memory, ==, 1 << 30);
  g_assert_cmpuint (probe->devices[0].compute_capability, ==, 86);
}

static void
test_reasons (void)
{
  static const struct {
    const char *path, *mode, *words;
  } cases[] = {
    { "/nonexistent/libcuda.so.1", NULL, "no NVIDIA driver" },
    { FAKE_NVML_NEW, NULL, "too old" },
    { FAKE_CUDA_PATH, "100", "finds no GPU" },
    { FAKE_CUDA_PATH, "803", "Restart" },
    { FAKE_CUDA_PATH, "999", "CUDA_ERROR_TEST (CUDA error 999)" },
  };
  g_autoptr (GError) empty = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (probe_fake (cases[i].path, cases[i].mode, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
    g_assert_nonnull (strstr (error->message, cases[i].words));
  }
  g_setenv ("FAKE_CUDA_EMPTY", "1", TRUE);
  g_assert_null (probe_fake (FAKE_CUDA_PATH, NULL, &empty));
  g_assert_nonnull (strstr (empty->message, "finds no GPU"));
  g_unsetenv ("FAKE_CUDA_EMPTY");
}

/* The backend is there to say why it cannot be used. */
static void
test_backend (void)
{
  const PtBackend *backend;
  g_autoptr (GError) with_gpu = NULL, without_gpu = NULL;

  pt_cuda_register ();
  backend = pt_backend_find ("CudaBackend");
  g_assert_nonnull (backend);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_assert_false (backend->is_available (&with_gpu));
  g_assert_error (with_gpu, PT_ERROR, PT_ERROR_MISSING_BACKEND);
  g_assert_nonnull (strstr (with_gpu->message, "although the machine has an NVIDIA Test 1"));
  g_setenv ("PTERIS_CUDA", "/nonexistent/libcuda.so.1", TRUE);
  g_assert_null (backend->init (NULL, &without_gpu));
  g_assert_nonnull (strstr (without_gpu->message, "no usable NVIDIA GPU"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/probe/device", test_device);
  g_test_add_func ("/cuda/probe/reasons", test_reasons);
  g_test_add_func ("/cuda/backend", test_backend);
  return g_test_run ();
}
