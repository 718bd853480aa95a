/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/stats.h>

static void
assert_percent (double value)
{
  g_assert_cmpfloat (value, >=, 0);
  g_assert_cmpfloat (value, <=, 100);
}

static void
test_without_gpu (void)
{
  g_autoptr (PtMachineStats) first = NULL;
  g_autoptr (PtMachineStats) second = NULL;

  g_setenv ("PTERIS_NVML", "/nonexistent/libnvidia-ml.so.1", TRUE);
  first = pt_stats_read ();
  g_assert_cmpuint (first->valid, ==, PT_MACHINE_MEMORY | PT_MACHINE_PROCESS_MEMORY);
  g_assert_cmpuint (first->cpu_cores, >=, 1);
  g_assert_nonnull (first->cpu_name);
  g_assert_nonnull (first->cpu_level);
  g_assert_cmpuint (first->memory_total, >, first->memory_available);
  g_assert_cmpuint (first->resident_bytes, >, 100000);
  g_assert_cmpuint (first->peak_bytes, >=, first->resident_bytes);
  g_assert_cmpuint (first->n_gpus, ==, 0);
  g_assert_nonnull (strstr (first->gpu_reason, "no NVIDIA driver"));
  g_assert_null (first->gpu_driver);
  g_assert_null (first->cuda_version);
  /* Two readings may fall into one tick of the clock. */
  second = pt_stats_read ();
  assert_percent (second->cpu_percent);
  assert_percent (second->cpu_process_percent);
}

/* Exactly the unknown values are null. */
static void
test_json (void)
{
  PtGpuStats gpus[] = { { .valid = PT_GPU_POWER | PT_GPU_FAN | PT_GPU_THROTTLE | PT_GPU_MIG,
                          .name = (char *) "NVIDIA Test 1",
                          .compute_capability = (char *) "9.0",
                          .power = 123.5,
                          .throttle = PT_THROTTLE_IDLE | PT_THROTTLE_POWER_BRAKE | 0x10000 },
                        { .index = 1, .lost = TRUE } };
  PtMachineStats stats = { .valid = PT_MACHINE_MEMORY,
                           .cpu_name = (char *) "CPU",
                           .cpu_cores = 2,
                           .memory_total = 24,
                           .gpus = gpus,
                           .n_gpus = G_N_ELEMENTS (gpus),
                           .gpu_driver = (char *) "550.54.15" };
  g_autofree char *text = pt_machine_stats_to_json (&stats);

  g_assert_cmpstr (
      text, ==,
      "{\"cpu\":{\"name\":\"CPU\",\"cores\":2,\"level\":null,\"machine_percent\":null,"
      "\"process_percent\":null},\"memory\":{\"total_bytes\":24,\"available_bytes\":0},"
      "\"process\":{\"resident_bytes\":null,\"peak_bytes\":null},\"gpus\":[{\"index\":0,"
      "\"name\":\"NVIDIA Test 1\",\"uuid\":null,\"lost\":false,\"needs_reset\":false,"
      "\"throttle\":[\"idle\",\"power brake\"],\"compute_capability\":\"9.0\",\"mig\":false,"
      "\"memory_total_bytes\":null,\"memory_used_bytes\":null,\"memory_free_bytes\":null,"
      "\"process_memory_bytes\":null,\"utilization_percent\":null,"
      "\"memory_utilization_percent\":null,\"temperature_celsius\":null,\"power_watts\":"
      "123.5,"
      "\"power_limit_watts\":null,\"sm_clock_mhz\":null,\"memory_clock_mhz\":null,"
      "\"fan_percent\":0,\"pcie_generation\":null,\"pcie_most_generation\":null,"
      "\"pcie_width\":null,\"pcie_most_width\":null,\"pcie_to_host_bytes_per_s\":null,"
      "\"pcie_to_gpu_bytes_per_s\":null},{\"index\":1,\"name\":null,\"uuid\":null,"
      "\"lost\":true,\"needs_reset\":false,\"throttle\":null,\"compute_capability\":null,"
      "\"mig\":null,\"memory_total_bytes\":null,\"memory_used_bytes\":null,"
      "\"memory_free_bytes\":null,\"process_memory_bytes\":null,\"utilization_percent\":null,"
      "\"memory_utilization_percent\":null,\"temperature_celsius\":null,\"power_watts\":null,"
      "\"power_limit_watts\":null,\"sm_clock_mhz\":null,\"memory_clock_mhz\":null,"
      "\"fan_percent\":null,\"pcie_generation\":null,\"pcie_most_generation\":null,"
      "\"pcie_width\":null,\"pcie_most_width\":null,\"pcie_to_host_bytes_per_s\":null,"
      "\"pcie_to_gpu_bytes_per_s\":null}],\"vulkan_gpus\":[],\"gpu_reason\":null,\"gpu_driver\":"
      "\"550.54.15\",\"cuda_version\":null}");
}

static void
test_with_gpus (void)
{
  g_autoptr (PtMachineStats) stats = NULL;
  g_autoptr (PtDiagnosis) diagnosis = NULL;
  g_autofree char *driver = g_build_filename (g_get_home_dir (), "libcuda.so", NULL);
  const PtGpuStats *first, *second;

  g_setenv ("PTERIS_NVML", FAKE_NVML_NEW, TRUE);
  g_setenv ("PTERIS_CUDA", driver, TRUE);
  g_setenv ("CUDA_VISIBLE_DEVICES", "\"0\"", TRUE);
  diagnosis = pt_diagnose ();
  g_assert_true (diagnosis->found);
  g_assert_false (diagnosis->usable);
  g_assert_nonnull (strstr (diagnosis->report, "NVML GPU 0: NVIDIA Test 1"));
  g_assert_nonnull (strstr (diagnosis->report, "CUDA_VISIBLE_DEVICES: “\\\"0\\\"”"));
  g_assert_nonnull (strstr (diagnosis->report, "PTERIS_CUDA: set"));
  g_assert_nonnull (strstr (diagnosis->report, "~" G_DIR_SEPARATOR_S "libcuda.so"));
  g_assert_null (strstr (diagnosis->report, g_get_home_dir ()));
  stats = pt_stats_read ();
  g_assert_cmpuint (stats->n_gpus, ==, 2);
  first = &stats->gpus[0];
  second = &stats->gpus[1];
  g_assert_null (stats->gpu_reason);
  g_assert_cmpstr (stats->gpu_driver, ==, "550.54.15");
  g_assert_cmpstr (stats->cuda_version, ==, "12.4");
  g_assert_cmpstr (first->name, ==, "NVIDIA Test 1");
  g_assert_cmpstr (first->compute_capability, ==, "9.0");
  g_assert_cmpuint (first->memory_used, ==, (guint64) 2 << 30);
  g_assert_cmpuint (first->pcie_most_generation, ==, 5);
  g_assert_cmpuint (first->pcie_to_gpu, ==, 40000000000);
  g_assert_cmpuint (first->throttle, ==, PT_THROTTLE_POWER_CAP | PT_THROTTLE_HARDWARE_THERMAL);
  g_assert_false (first->needs_reset);
  g_assert_cmpfloat_with_epsilon (first->power, 123.456, 1e-9);
  g_assert_true (first->mig);
  g_assert_cmpuint (first->valid & PT_GPU_MEMORY_USED, !=, 0);
  g_assert_cmpuint (first->valid & PT_GPU_FAN, ==, 0);
  g_assert_cmpuint (second->index, ==, 1);
  g_assert_null (second->uuid);
  g_assert_cmpuint (second->valid & (PT_GPU_MEMORY_TOTAL | PT_GPU_POWER | PT_GPU_THROTTLE), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats/without-gpu", test_without_gpu);
  g_test_add_func ("/stats/json", test_json);
  g_test_add_func ("/stats/with-gpus", test_with_gpus);
  return g_test_run ();
}
