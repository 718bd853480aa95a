/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/nvml.h"

#include <string.h>

static void
check (const PtReading *reading, guint64 value)
{
  g_assert_true (reading->valid);
  g_assert_cmpuint (reading->value, ==, value);
}

static PtNvml *
open_fake (const char *path, const char *mode, GError **error)
{
  g_setenv ("PTERIS_NVML", path, TRUE);
  if (mode != NULL)
    g_setenv ("FAKE_NVML", mode, TRUE);
  else
    g_unsetenv ("FAKE_NVML");
  return pt_nvml_open (error);
}

/* The same numbers, whichever names and structs the library has. */
static void
test_reads (gconstpointer path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtNvml) nvml = open_fake (path, NULL, &error);
  PtReading cuda;
  PtGpu gpu;

  g_assert_no_error (error);
  g_assert_cmpuint (pt_nvml_n_gpus (nvml), ==, 2);
  g_assert_cmpstr (pt_nvml_driver_version (nvml), ==, "550.54.15");
  cuda = pt_nvml_cuda_version (nvml);
  check (&cuda, 12040);
  pt_nvml_read (nvml, 0, &gpu);
  g_assert_cmpstr (gpu.name, ==, "NVIDIA Test 1");
  g_assert_cmpstr (gpu.uuid, ==, "GPU-0001");
  g_assert_false (gpu.lost);
  check (&gpu.memory_total, (guint64) 80 << 30);
  check (&gpu.memory_used, (guint64) 3 << 30);
  check (&gpu.memory_free, (guint64) 77 << 30);
  check (&gpu.process_memory, 1 << 20);
  check (&gpu.utilization, 37);
  check (&gpu.memory_utilization, 11);
  check (&gpu.temperature, 41);
  check (&gpu.power, 123456);
  check (&gpu.power_limit, 700000);
  check (&gpu.sm_clock, 1980);
  check (&gpu.memory_clock, 2619);
  check (&gpu.compute_capability, 90);
  g_assert_false (gpu.fan.valid);
}

/* What a GPU does not tell stays unknown. */
static void
test_silent_gpu (gconstpointer path)
{
  g_autoptr (PtNvml) nvml = open_fake (path, NULL, NULL);
  PtGpu gpu;

  pt_nvml_read (nvml, 1, &gpu);
  g_assert_cmpstr (gpu.name, ==, "NVIDIA Test 2");
  g_assert_cmpstr (gpu.uuid, ==, "");
  g_assert_false (gpu.lost || gpu.memory_total.valid || gpu.memory_used.valid);
  g_assert_false (gpu.utilization.valid || gpu.memory_utilization.valid || gpu.power.valid);
  g_assert_false (gpu.temperature.valid || gpu.sm_clock.valid || gpu.process_memory.valid);
}

static void
test_lost (void)
{
  g_autoptr (PtNvml) nvml = open_fake (FAKE_NVML_NEW, "lost", NULL);
  PtGpu gpu;

  pt_nvml_read (nvml, 1, &gpu);
  g_assert_true (gpu.lost);
  g_assert_false (gpu.memory_total.valid);
}

static void
test_reasons (void)
{
  static const struct {
    const char *path, *mode, *words;
  } cases[] = {
    { "/nonexistent/libnvidia-ml.so.1", NULL, "no NVIDIA driver" },
    { FAKE_CUDA_PATH, NULL, "too old" },
    { FAKE_NVML_NEW, "9", "does not run" },
    { FAKE_NVML_NEW, "18", "Restart" },
    { FAKE_NVML_OLD, "4", "No Permission (NVML error 4)" },
    { FAKE_NVML_OLD, "none", "finds no GPU" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (open_fake (cases[i].path, cases[i].mode, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
    g_assert_nonnull (strstr (error->message, cases[i].words));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/nvml/reads/new", FAKE_NVML_NEW, test_reads);
  g_test_add_data_func ("/nvml/reads/old", FAKE_NVML_OLD, test_reads);
  g_test_add_data_func ("/nvml/silent/new", FAKE_NVML_NEW, test_silent_gpu);
  g_test_add_data_func ("/nvml/silent/old", FAKE_NVML_OLD, test_silent_gpu);
  g_test_add_func ("/nvml/lost", test_lost);
  g_test_add_func ("/nvml/reasons", test_reasons);
  return g_test_run ();
}
