/* SPDX-License-Identifier: BSD-3-Clause */

/* Values derived from the statistics of the machine. */

#include <pteris/stats.h>

#include "engine/base/json.h"

static const struct {
  PtThrottle bit;
  const char *name;
} REASONS[] = {
  { PT_THROTTLE_IDLE, "idle" },
  { PT_THROTTLE_APPLICATION_CLOCKS, "application clocks" },
  { PT_THROTTLE_POWER_CAP, "power limit" },
  { PT_THROTTLE_HARDWARE, "hardware" },
  { PT_THROTTLE_SYNC_BOOST, "sync boost" },
  { PT_THROTTLE_THERMAL, "temperature" },
  { PT_THROTTLE_HARDWARE_THERMAL, "temperature (hardware)" },
  { PT_THROTTLE_POWER_BRAKE, "power brake" },
  { PT_THROTTLE_DISPLAY_CLOCKS, "display clocks" },
};

const char *
pt_throttle_name (PtThrottle reason)
{
  for (guint i = 0; i < G_N_ELEMENTS (REASONS); i++)
    if (REASONS[i].bit == reason)
      return REASONS[i].name;
  return NULL;
}

static void
free_gpus (PtGpuStats *gpus, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_free (gpus[i].name);
    g_free (gpus[i].uuid);
    g_free (gpus[i].compute_capability);
  }
  g_free (gpus);
}

void
pt_machine_stats_free (PtMachineStats *stats)
{
  if (stats == NULL)
    return;
  free_gpus (stats->gpus, stats->n_gpus);
  free_gpus (stats->vulkan_gpus, stats->n_vulkan_gpus);
  g_free (stats->cpu_name);
  g_free (stats->cpu_level);
  g_free (stats->gpu_reason);
  g_free (stats->gpu_driver);
  g_free (stats->cuda_version);
  g_free (stats);
}

/* ---- JSON ---- */

static json_t *
whole (gboolean valid, guint64 value)
{
  return valid ? json_integer ((json_int_t) value) : json_null ();
}

static json_t *
real (gboolean valid, double value)
{
  return valid ? json_real (value) : json_null ();
}

static json_t *
describe_throttle (const PtGpuStats *gpu)
{
  json_t *array;

  if ((gpu->valid & PT_GPU_THROTTLE) == 0)
    return json_null ();
  array = json_array ();
  for (guint i = 0; i < G_N_ELEMENTS (REASONS); i++)
    if ((gpu->throttle & REASONS[i].bit) != 0)
      json_array_append_new (array, json_string (REASONS[i].name));
  return array;
}

static json_t *
describe_gpu (const PtGpuStats *gpu)
{
  const struct {
    const char *name;
    json_t *value;
  } numbers[] = {
    { "memory_total_bytes", whole ((gpu->valid & PT_GPU_MEMORY_TOTAL) != 0, gpu->memory_total) },
    { "memory_used_bytes", whole ((gpu->valid & PT_GPU_MEMORY_USED) != 0, gpu->memory_used) },
    { "memory_free_bytes", whole ((gpu->valid & PT_GPU_MEMORY_FREE) != 0, gpu->memory_free) },
    { "process_memory_bytes",
      whole ((gpu->valid & PT_GPU_PROCESS_MEMORY) != 0, gpu->process_memory) },
    { "utilization_percent", whole ((gpu->valid & PT_GPU_UTILIZATION) != 0, gpu->utilization) },
    { "memory_utilization_percent",
      whole ((gpu->valid & PT_GPU_MEMORY_UTILIZATION) != 0, gpu->memory_utilization) },
    { "temperature_celsius",
      whole ((gpu->valid & PT_GPU_TEMPERATURE) != 0, (guint64) gpu->temperature) },
    { "power_watts", real ((gpu->valid & PT_GPU_POWER) != 0, gpu->power) },
    { "power_limit_watts", real ((gpu->valid & PT_GPU_POWER_LIMIT) != 0, gpu->power_limit) },
    { "sm_clock_mhz", whole ((gpu->valid & PT_GPU_SM_CLOCK) != 0, gpu->sm_clock) },
    { "memory_clock_mhz", whole ((gpu->valid & PT_GPU_MEMORY_CLOCK) != 0, gpu->memory_clock) },
    { "fan_percent", whole ((gpu->valid & PT_GPU_FAN) != 0, gpu->fan) },
    { "pcie_generation", whole ((gpu->valid & PT_GPU_PCIE_GENERATION) != 0, gpu->pcie_generation) },
    { "pcie_most_generation",
      whole ((gpu->valid & PT_GPU_PCIE_MOST_GENERATION) != 0, gpu->pcie_most_generation) },
    { "pcie_width", whole ((gpu->valid & PT_GPU_PCIE_WIDTH) != 0, gpu->pcie_width) },
    { "pcie_most_width", whole ((gpu->valid & PT_GPU_PCIE_MOST_WIDTH) != 0, gpu->pcie_most_width) },
    { "pcie_to_host_bytes_per_s",
      whole ((gpu->valid & PT_GPU_PCIE_TO_HOST) != 0, gpu->pcie_to_host) },
    { "pcie_to_gpu_bytes_per_s", whole ((gpu->valid & PT_GPU_PCIE_TO_GPU) != 0, gpu->pcie_to_gpu) },
  };
  json_t *object = json_object ();

  json_object_set_new (object, "index", json_integer (gpu->index));
  json_object_set_new (object, "name", pt_json_text (gpu->name));
  json_object_set_new (object, "uuid", pt_json_text (gpu->uuid));
  json_object_set_new (object, "lost", json_boolean (gpu->lost));
  json_object_set_new (object, "needs_reset", json_boolean (gpu->needs_reset));
  json_object_set_new (object, "throttle", describe_throttle (gpu));
  json_object_set_new (object, "compute_capability", pt_json_text (gpu->compute_capability));
  json_object_set_new (object, "mig",
                       (gpu->valid & PT_GPU_MIG) != 0 ? json_boolean (gpu->mig) : json_null ());
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_object_set_new (object, numbers[i].name, numbers[i].value);
  return object;
}

char *
pt_machine_stats_to_json (const PtMachineStats *stats)
{
  gboolean load = (stats->valid & PT_MACHINE_CPU_LOAD) != 0;
  gboolean memory = (stats->valid & PT_MACHINE_MEMORY) != 0;
  gboolean process = (stats->valid & PT_MACHINE_PROCESS_MEMORY) != 0;
  json_t *gpus = json_array (), *vulkan_gpus = json_array ();

  for (guint i = 0; i < stats->n_gpus; i++)
    json_array_append_new (gpus, describe_gpu (&stats->gpus[i]));
  for (guint i = 0; i < stats->n_vulkan_gpus; i++)
    json_array_append_new (vulkan_gpus, describe_gpu (&stats->vulkan_gpus[i]));
  return pt_json_steal_text (json_pack (
      "{s:{s:o, s:o, s:o, s:o, s:o}, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o}", "cpu",
      "name", pt_json_text (stats->cpu_name), "cores", json_integer (stats->cpu_cores), "level",
      pt_json_text (stats->cpu_level), "machine_percent", real (load, stats->cpu_percent),
      "process_percent", real (load, stats->cpu_process_percent), "memory", "total_bytes",
      whole (memory, stats->memory_total), "available_bytes",
      whole (memory, stats->memory_available), "process", "resident_bytes",
      whole (process, stats->resident_bytes), "peak_bytes", whole (process, stats->peak_bytes),
      "gpus", gpus, "vulkan_gpus", vulkan_gpus, "gpu_reason", pt_json_text (stats->gpu_reason),
      "gpu_driver", pt_json_text (stats->gpu_driver), "cuda_version",
      pt_json_text (stats->cuda_version)));
}
