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
  /* With the newer call what the driver keeps for itself is not counted. */
  check (&gpu.memory_used, (guint64) (strcmp (path, FAKE_NVML_NEW) == 0 ? 2 : 3) << 30);
  check (&gpu.memory_free, (guint64) 77 << 30);
  check (&gpu.process_memory, 1 << 20);
  check (&gpu.utilization, 37);
  check (&gpu.memory_utilization, 11);
  check (&gpu.temperature, 41);
  check (&gpu.power, 123456);
  check (&gpu.power_limit, 700000);
  check (&gpu.sm_clock, 1980);
  check (&gpu.memory_clock, 2619);
  check (&gpu.pcie_generation, 1);
  check (&gpu.pcie_most_generation, 5);
  check (&gpu.pcie_width, 8);
  check (&gpu.pcie_most_width, 16);
  check (&gpu.pcie_to_host, 1500000);
  check (&gpu.pcie_to_gpu, G_GUINT64_CONSTANT (40000000000));
  check (&gpu.throttle, PT_THROTTLE_POWER_CAP | PT_THROTTLE_HARDWARE_THERMAL);
  check (&gpu.compute_capability, 90);
  g_assert_false (gpu.fan.valid);
}

/* Values that a GPU does not report are unknown. */
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
  g_assert_false (gpu.pcie_generation.valid || gpu.pcie_to_gpu.valid || gpu.throttle.valid);
}

#define FIELD(function, field)                               \
  {                                                          \
    "nvmlDeviceGet" function, G_STRUCT_OFFSET (PtGpu, field) \
  }

/* The function that returns each value. */
static const struct {
  const char *function;
  gsize offset;
} fields[] = {
  FIELD ("MemoryInfo", memory_total),
  FIELD ("MemoryInfo", memory_used),
  FIELD ("MemoryInfo", memory_free),
  FIELD ("ComputeRunningProcesses", process_memory),
  FIELD ("UtilizationRates", utilization),
  FIELD ("UtilizationRates", memory_utilization),
  FIELD ("TemperatureV", temperature),
  FIELD ("PowerUsage", power),
  FIELD ("EnforcedPowerLimit", power_limit),
  FIELD ("ClockInfo", sm_clock),
  FIELD ("ClockInfo", memory_clock),
  FIELD ("CurrPcieLinkGeneration", pcie_generation),
  FIELD ("MaxPcieLinkGeneration", pcie_most_generation),
  FIELD ("CurrPcieLinkWidth", pcie_width),
  FIELD ("MaxPcieLinkWidth", pcie_most_width),
  FIELD ("PcieThroughput", pcie_to_host),
  FIELD ("PcieThroughput", pcie_to_gpu),
  FIELD ("CurrentClocksEventReasons", throttle),
  FIELD ("CudaComputeCapability", compute_capability),
  FIELD ("MigMode", mig),
};

/* If a function fails, its values are unknown and all others are known. */
static void
test_refusals (void)
{
  g_autoptr (PtNvml) nvml = open_fake (FAKE_NVML_NEW, NULL, NULL);

  for (guint f = 0; f < G_N_ELEMENTS (fields); f++)
    for (int code = 1; code <= 30; code++) {
      int failing = code == 30 ? 999 : code;
      g_autofree char *fail = g_strdup_printf ("%s:%d", fields[f].function, failing);
      PtGpu gpu;

      g_setenv ("FAKE_NVML_FAIL", fail, TRUE);
      pt_nvml_read (nvml, 0, &gpu);
      g_assert_cmpint (gpu.lost, ==, failing == 15);
      g_assert_cmpint (gpu.needs_reset, ==, failing == 16);
      g_assert_cmpstr (gpu.name, ==, "NVIDIA Test 1");
      for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
        g_assert_cmpint (G_STRUCT_MEMBER (PtReading, &gpu, fields[i].offset).valid, ==,
                         strcmp (fields[i].function, fields[f].function) != 0);
    }
  g_unsetenv ("FAKE_NVML_FAIL");
}

/* A GPU that cannot even be reached, by every code. */
static void
test_unreachable (void)
{
  g_autoptr (PtNvml) nvml = open_fake (FAKE_NVML_NEW, NULL, NULL);

  for (int code = 1; code < 30; code++) {
    g_autofree char *fail = g_strdup_printf ("nvmlDeviceGetHandleByIndex:%d", code);
    PtGpu gpu;

    g_setenv ("FAKE_NVML_FAIL", fail, TRUE);
    pt_nvml_read (nvml, 0, &gpu);
    g_assert_cmpstr (gpu.name, ==, "");
    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      g_assert_false (G_STRUCT_MEMBER (PtReading, &gpu, fields[i].offset).valid);
  }
  g_unsetenv ("FAKE_NVML_FAIL");
}

/* Names and versions may be unknown too; the older memory call steps in for the newer one. */
static void
test_fall_backs (void)
{
  g_autoptr (PtNvml) nvml = NULL;
  PtGpu gpu;

  g_setenv ("FAKE_NVML_FAIL", "nvmlSystemGetDriverVersion:3", TRUE);
  nvml = open_fake (FAKE_NVML_NEW, NULL, NULL);
  g_assert_null (pt_nvml_driver_version (nvml));
  g_setenv ("FAKE_NVML_FAIL", "nvmlSystemGetCudaDriverVersion:3", TRUE);
  g_assert_false (pt_nvml_cuda_version (nvml).valid);
  g_setenv ("FAKE_NVML_FAIL", "nvmlDeviceGetMemoryInfo_v2:25", TRUE);
  pt_nvml_read (nvml, 0, &gpu);
  check (&gpu.memory_used, (guint64) 3 << 30);
  g_setenv ("FAKE_NVML_FAIL", "nvmlDeviceGetName:3", TRUE);
  pt_nvml_read (nvml, 0, &gpu);
  g_assert_cmpstr (gpu.name, ==, "");
  check (&gpu.power, 123456);
  g_unsetenv ("FAKE_NVML_FAIL");
}

/* Every code of the start and of the count gives a sentence, and nothing stays open. */
static void
test_start_codes (void)
{
  for (int code = 1; code < 30; code++) {
    g_autofree char *mode = g_strdup_printf ("%d", code);
    g_autofree char *fail = g_strdup_printf ("nvmlDeviceGetCount:%d", code);
    g_autoptr (GError) at_start = NULL, at_count = NULL;

    g_assert_null (open_fake (FAKE_NVML_NEW, mode, &at_start));
    g_assert_error (at_start, PT_ERROR, PT_ERROR_NOT_FOUND);
    g_setenv ("FAKE_NVML_FAIL", fail, TRUE);
    g_assert_null (open_fake (FAKE_NVML_NEW, NULL, &at_count));
    g_assert_cmpstr (at_start->message, ==, at_count->message);
    g_unsetenv ("FAKE_NVML_FAIL");
  }
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
  g_test_add_func ("/nvml/refusals", test_refusals);
  g_test_add_func ("/nvml/unreachable", test_unreachable);
  g_test_add_func ("/nvml/fall-backs", test_fall_backs);
  g_test_add_func ("/nvml/start-codes", test_start_codes);
  g_test_add_func ("/nvml/lost", test_lost);
  g_test_add_func ("/nvml/reasons", test_reasons);
  return g_test_run ();
}
