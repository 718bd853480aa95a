/* SPDX-License-Identifier: BSD-3-Clause */

/* What is made of a reading of the machine. */

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

void
pt_machine_stats_free (PtMachineStats *stats)
{
  if (stats == NULL)
    return;
  for (guint i = 0; i < stats->n_gpus; i++) {
    g_free (stats->gpus[i].name);
    g_free (stats->gpus[i].uuid);
    g_free (stats->gpus[i].compute_capability);
  }
  g_free (stats->gpus);
  g_free (stats->cpu_name);
  g_free (stats->cpu_level);
  g_free (stats->gpu_reason);
  g_free (stats->gpu_driver);
  g_free (stats->cuda_version);
  g_free (stats);
}

/* --- JSON --- */

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
    PtGpuValid bit;
    guint64 value;
  } numbers[] = {
    { "memory_total_bytes", PT_GPU_MEMORY_TOTAL, gpu->memory_total },
    { "memory_used_bytes", PT_GPU_MEMORY_USED, gpu->memory_used },
    { "memory_free_bytes", PT_GPU_MEMORY_FREE, gpu->memory_free },
    { "process_memory_bytes", PT_GPU_PROCESS_MEMORY, gpu->process_memory },
    { "utilization_percent", PT_GPU_UTILIZATION, gpu->utilization },
    { "memory_utilization_percent", PT_GPU_MEMORY_UTILIZATION, gpu->memory_utilization },
    { "temperature_celsius", PT_GPU_TEMPERATURE, (guint64) gpu->temperature },
    { "power_watts", PT_GPU_POWER, 0 },
    { "power_limit_watts", PT_GPU_POWER_LIMIT, 0 },
    { "sm_clock_mhz", PT_GPU_SM_CLOCK, gpu->sm_clock },
    { "memory_clock_mhz", PT_GPU_MEMORY_CLOCK, gpu->memory_clock },
    { "fan_percent", PT_GPU_FAN, gpu->fan },
    { "pcie_generation", PT_GPU_PCIE_GENERATION, gpu->pcie_generation },
    { "pcie_most_generation", PT_GPU_PCIE_MOST_GENERATION, gpu->pcie_most_generation },
    { "pcie_width", PT_GPU_PCIE_WIDTH, gpu->pcie_width },
    { "pcie_most_width", PT_GPU_PCIE_MOST_WIDTH, gpu->pcie_most_width },
    { "pcie_to_host_bytes_per_s", PT_GPU_PCIE_TO_HOST, gpu->pcie_to_host },
    { "pcie_to_gpu_bytes_per_s", PT_GPU_PCIE_TO_GPU, gpu->pcie_to_gpu },
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
    json_object_set_new (object, numbers[i].name,
                         whole ((gpu->valid & numbers[i].bit) != 0, numbers[i].value));
  /* They keep their places among the others. */
  json_object_set_new (object, "power_watts", real ((gpu->valid & PT_GPU_POWER) != 0, gpu->power));
  json_object_set_new (object, "power_limit_watts",
                       real ((gpu->valid & PT_GPU_POWER_LIMIT) != 0, gpu->power_limit));
  return object;
}

char *
pt_machine_stats_to_json (const PtMachineStats *stats)
{
  gboolean load = (stats->valid & PT_MACHINE_CPU_LOAD) != 0;
  gboolean memory = (stats->valid & PT_MACHINE_MEMORY) != 0;
  gboolean process = (stats->valid & PT_MACHINE_PROCESS_MEMORY) != 0;
  json_t *gpus = json_array ();

  for (guint i = 0; i < stats->n_gpus; i++)
    json_array_append_new (gpus, describe_gpu (&stats->gpus[i]));
  return pt_json_steal_text (json_pack (
      "{s:{s:o, s:o, s:o, s:o, s:o}, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o, s:o}", "cpu",
      "name", pt_json_text (stats->cpu_name), "cores", json_integer (stats->cpu_cores), "level",
      pt_json_text (stats->cpu_level), "machine_percent", real (load, stats->cpu_percent),
      "process_percent", real (load, stats->cpu_process_percent), "memory", "total_bytes",
      whole (memory, stats->memory_total), "available_bytes",
      whole (memory, stats->memory_available), "process", "resident_bytes",
      whole (process, stats->resident_bytes), "peak_bytes", whole (process, stats->peak_bytes),
      "gpus", gpus, "gpu_reason", pt_json_text (stats->gpu_reason), "gpu_driver",
      pt_json_text (stats->gpu_driver), "cuda_version", pt_json_text (stats->cuda_version)));
}
