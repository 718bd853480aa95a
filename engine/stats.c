/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/stats.h>

#include "engine/base/system-usage.h"
#include "engine/cuda/nvml.h"
#include "engine/drm-gpus.h"
#include "engine/gpu-counters.h"
#include "engine/init.h"
#include "engine/kernels/cpu-cores.h"
#include "engine/kernels/cpu.h"
#include "engine/nvml-reopen.h"
#include "engine/vulkan/vulkan.h"

/* Without a GPU, each query may make the driver start programs; so it is asked rarely. */
#define RETRY_US (10 * G_TIME_SPAN_SECOND)

/* Cached between calls; protected by the lock. */
static GMutex lock;
static PtNvml *nvml;
static GError *nvml_reason; /* why it is NULL; NULL: not tried yet */
static gint64 nvml_tried;
static const GPtrArray *vulkan_gpus; /* NULL: nobody has looked */
static PtCpuTimes last_times;
static gboolean has_last_times;

/* ---- CPU, memory, process ---- */

/* Texts from the system and the driver may be invalid UTF-8. */
static char *
valid_text (const char *text)
{
  return text != NULL ? g_utf8_make_valid (text, -1) : NULL;
}

static guint64
since (guint64 before, guint64 now)
{
  return now > before ? now - before : 0;
}

static void
read_cpu (PtMachineStats *stats)
{
  PtCpuTimes times, spent = { 0 };

  stats->cpu_name = valid_text (pt_cpu_name ());
  stats->cpu_cores = pt_cpu_cores ().n_physical;
  stats->cpu_level = g_strdup (pt_cpu_level_name (pt_cpu_level ()));
  if (!pt_machine_cpu_times (&times))
    return;
  if (has_last_times) {
    /* The counter of waiting for disks may decrease. */
    spent.total = since (last_times.total, times.total);
    spent.busy = MIN (since (last_times.busy, times.busy), spent.total);
    spent.process = MIN (since (last_times.process, times.process), spent.total);
  }
  last_times = times;
  has_last_times = TRUE;
  if (spent.total == 0)
    return;
  stats->valid |= PT_MACHINE_CPU_LOAD;
  stats->cpu_percent = 100.0 * (double) spent.busy / (double) spent.total;
  stats->cpu_process_percent = 100.0 * (double) spent.process / (double) spent.total;
}

static void
read_memory (PtMachineStats *stats)
{
  if (pt_machine_memory (&stats->memory_total, &stats->memory_available))
    stats->valid |= PT_MACHINE_MEMORY;
  else
    stats->memory_total = stats->memory_available = 0;
  if (pt_process_memory (&stats->resident_bytes, &stats->peak_bytes))
    stats->valid |= PT_MACHINE_PROCESS_MEMORY;
  else
    stats->resident_bytes = stats->peak_bytes = 0;
}

/* ---- GPUs ---- */

/* 12040 is "12.4" with units of 1000 and 10, 90 is "9.0" with units of 10 and 1. */
static char *
version_text (PtReading reading, guint unit, guint minor_unit)
{
  if (!reading.valid)
    return NULL;
  return g_strdup_printf ("%u.%u", (guint) (reading.value / unit),
                          (guint) (reading.value % unit / minor_unit));
}

static guint64
take (PtGpuStats *stats, PtGpuValid bit, const PtReading *reading)
{
  if (!reading->valid)
    return 0;
  stats->valid |= bit;
  return reading->value;
}

static void
read_gpu (guint index, PtGpuStats *stats)
{
  PtGpu gpu;

  pt_nvml_read (nvml, index, &gpu);
  stats->index = index;
  stats->name = gpu.name[0] != '\0' ? valid_text (gpu.name) : NULL;
  stats->uuid = gpu.uuid[0] != '\0' ? valid_text (gpu.uuid) : NULL;
  stats->compute_capability = version_text (gpu.compute_capability, 10, 1);
  stats->lost = gpu.lost;
  stats->needs_reset = gpu.needs_reset;
  stats->mig = take (stats, PT_GPU_MIG, &gpu.mig) != 0;
  stats->throttle = take (stats, PT_GPU_THROTTLE, &gpu.throttle);
  stats->memory_total = take (stats, PT_GPU_MEMORY_TOTAL, &gpu.memory_total);
  stats->memory_used = take (stats, PT_GPU_MEMORY_USED, &gpu.memory_used);
  stats->memory_free = take (stats, PT_GPU_MEMORY_FREE, &gpu.memory_free);
  stats->process_memory = take (stats, PT_GPU_PROCESS_MEMORY, &gpu.process_memory);
  stats->utilization = (guint) take (stats, PT_GPU_UTILIZATION, &gpu.utilization);
  stats->memory_utilization =
      (guint) take (stats, PT_GPU_MEMORY_UTILIZATION, &gpu.memory_utilization);
  stats->fan = (guint) take (stats, PT_GPU_FAN, &gpu.fan);
  stats->temperature = (int) take (stats, PT_GPU_TEMPERATURE, &gpu.temperature);
  stats->power = (double) take (stats, PT_GPU_POWER, &gpu.power) * 1e-3;
  stats->power_limit = (double) take (stats, PT_GPU_POWER_LIMIT, &gpu.power_limit) * 1e-3;
  stats->sm_clock = (guint) take (stats, PT_GPU_SM_CLOCK, &gpu.sm_clock);
  stats->memory_clock = (guint) take (stats, PT_GPU_MEMORY_CLOCK, &gpu.memory_clock);
  stats->pcie_generation = (guint) take (stats, PT_GPU_PCIE_GENERATION, &gpu.pcie_generation);
  stats->pcie_most_generation =
      (guint) take (stats, PT_GPU_PCIE_MOST_GENERATION, &gpu.pcie_most_generation);
  stats->pcie_width = (guint) take (stats, PT_GPU_PCIE_WIDTH, &gpu.pcie_width);
  stats->pcie_most_width = (guint) take (stats, PT_GPU_PCIE_MOST_WIDTH, &gpu.pcie_most_width);
  stats->pcie_to_host = take (stats, PT_GPU_PCIE_TO_HOST, &gpu.pcie_to_host);
  stats->pcie_to_gpu = take (stats, PT_GPU_PCIE_TO_GPU, &gpu.pcie_to_gpu);
}

static void
open_nvml (void)
{
  g_clear_error (&nvml_reason);
  g_clear_pointer (&nvml, pt_nvml_close);
  nvml = pt_nvml_open (&nvml_reason);
  nvml_tried = g_get_monotonic_time ();
}

gboolean
pt_stats_look_again (PtNvmlFunc func, gpointer user_data, GError **error)
{
  gboolean found;

  g_mutex_lock (&lock);
  open_nvml ();
  func (nvml, user_data);
  found = nvml != NULL;
  if (!found && error != NULL)
    *error = g_error_copy (nvml_reason);
  g_mutex_unlock (&lock);
  return found;
}

static void
read_gpus (PtMachineStats *stats)
{
  gboolean tried = nvml_reason != NULL && g_get_monotonic_time () - nvml_tried < RETRY_US;

  if (nvml == NULL && !tried)
    open_nvml ();
  if (nvml == NULL) {
    stats->gpu_reason = valid_text (nvml_reason->message);
    return;
  }
  stats->n_gpus = pt_nvml_n_gpus (nvml);
  stats->gpus = g_new0 (PtGpuStats, stats->n_gpus);
  for (guint i = 0; i < stats->n_gpus; i++)
    read_gpu (i, &stats->gpus[i]);
  stats->gpu_driver = valid_text (pt_nvml_driver_version (nvml));
  stats->cuda_version = version_text (pt_nvml_cuda_version (nvml), 1000, 10);
}

/* ---- GPUs through Vulkan ---- */

void
pt_stats_find_vulkan_gpus (void)
{
  const GPtrArray *gpus;

  pt_init ();
  gpus = pt_vulkan_gpus ();
  g_mutex_lock (&lock);
  vulkan_gpus = gpus;
  g_mutex_unlock (&lock);
}

/* The memory in use is what Vulkan said at first, where the system does not say more. */
static void
read_vulkan_gpu (const PtVulkanGpu *gpu, guint index, const PtGpuCounters *counters,
                 PtGpuStats *stats)
{
  const char *root = g_getenv ("PTERIS_SYSFS");

  stats->index = index;
  stats->name = g_strdup (gpu->name);
  stats->uuid = g_strdup (gpu->uuid);
  stats->memory_total = gpu->memory;
  stats->memory_free = gpu->unused;
  stats->memory_used = gpu->memory - gpu->unused;
  stats->valid = PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_USED | PT_GPU_MEMORY_FREE;
  if (gpu->pci != NULL)
    pt_drm_gpu_read (root != NULL ? root : "/sys", gpu->pci, stats);
  if (counters != NULL && gpu->luid != 0)
    pt_gpu_counters_take (counters, gpu->luid, gpu->integrated, stats);
}

/* NVIDIA's own library says more of its GPUs. */
static void
read_vulkan_gpus (PtMachineStats *stats)
{
  guint n = vulkan_gpus != NULL ? vulkan_gpus->len : 0;
  g_autoptr (PtGpuCounters) counters = NULL;

  stats->vulkan_gpus = n > 0 ? g_new0 (PtGpuStats, n) : NULL;
  for (guint i = 0; i < n; i++) {
    const PtVulkanGpu *gpu = vulkan_gpus->pdata[i];

    if (stats->n_gpus > 0 && gpu->vendor == PT_VENDOR_NVIDIA)
      continue;
    if (counters == NULL && gpu->luid != 0)
      counters = pt_gpu_counters_read ();
    read_vulkan_gpu (gpu, i, counters, &stats->vulkan_gpus[stats->n_vulkan_gpus++]);
  }
}

PtMachineStats *
pt_stats_read (void)
{
  PtMachineStats *stats = g_new0 (PtMachineStats, 1);

  g_mutex_lock (&lock);
  read_cpu (stats);
  read_memory (stats);
  read_gpus (stats);
  read_vulkan_gpus (stats);
  g_mutex_unlock (&lock);
  return stats;
}
