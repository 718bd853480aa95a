/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/stats.h>

#include "engine/base/json.h"
#include "engine/base/machine.h"
#include "engine/cuda/nvml.h"
#include "engine/kernels/cpu.h"
#include "engine/stats.h"

/* A driver without a GPU may start programs of its own each time it is asked. */
#define RETRY_US (10 * G_TIME_SPAN_SECOND)

/* Kept between calls, under the lock. */
static GMutex lock;
static PtNvml *nvml;
static GError *nvml_reason; /* why it is NULL; NULL: not tried yet */
static gint64 nvml_tried;
static PtCpuTimes last_times;
static gboolean has_last_times;

/* ---- CPU, memory, process ---- */

static json_t *
percent (guint64 part, guint64 whole)
{
  return whole > 0 ? json_real (100.0 * (double) part / (double) whole) : json_null ();
}

static json_t *
nullable (gboolean valid, guint64 value)
{
  return valid ? json_integer ((json_int_t) value) : json_null ();
}

static guint64
since (guint64 before, guint64 now)
{
  return now > before ? now - before : 0;
}

static json_t *
describe_cpu (void)
{
  json_t *cpu = json_object ();
  PtCpuTimes times, spent = { 0 };

  json_object_set_new (cpu, "name", pt_json_text (pt_cpu_name ()));
  json_object_set_new (cpu, "cores", json_integer (pt_cpu_n_cores ()));
  json_object_set_new (cpu, "level", json_string (pt_cpu_level_name (pt_cpu_level ())));
  if (pt_machine_cpu_times (&times)) {
    if (has_last_times) {
      /* Waiting for disks may be counted less later on. */
      spent.total = since (last_times.total, times.total);
      spent.busy = MIN (since (last_times.busy, times.busy), spent.total);
      spent.process = MIN (since (last_times.process, times.process), spent.total);
    }
    last_times = times;
    has_last_times = TRUE;
  }
  json_object_set_new (cpu, "machine_percent", percent (spent.busy, spent.total));
  json_object_set_new (cpu, "process_percent", percent (spent.process, spent.total));
  return cpu;
}

static json_t *
describe_memory (void)
{
  guint64 total = 0, available = 0;
  gboolean known = pt_machine_memory (&total, &available);

  return json_pack ("{s:o, s:o}", "total_bytes", nullable (known, total), "available_bytes",
                    nullable (known, available));
}

static json_t *
describe_process (void)
{
  guint64 resident = 0, peak = 0;
  gboolean known = pt_process_memory (&resident, &peak);

  return json_pack ("{s:o, s:o}", "resident_bytes", nullable (known, resident), "peak_bytes",
                    nullable (known, peak));
}

/* ---- GPUs ---- */

static json_t *
text_or_null (const char *text)
{
  return pt_json_text (text[0] != 0 ? text : NULL);
}

/* 12040 is "12.4" with units of 1000 and 10, 90 is "9.0" with units of 10 and 1. */
static json_t *
version_text (PtReading reading, guint unit, guint minor_unit)
{
  g_autofree char *text = NULL;

  if (!reading.valid)
    return json_null ();
  text = g_strdup_printf ("%u.%u", (guint) (reading.value / unit),
                          (guint) (reading.value % unit / minor_unit));
  return json_string (text);
}

static json_t *
describe_throttle (PtReading throttle)
{
  static const struct {
    PtThrottle bit;
    const char *name;
  } reasons[] = {
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
  json_t *array;

  if (!throttle.valid)
    return json_null ();
  array = json_array ();
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if ((throttle.value & reasons[i].bit) != 0)
      json_array_append_new (array, json_string (reasons[i].name));
  return array;
}

static json_t *
describe_gpu (guint index, const PtGpu *gpu)
{
  const struct {
    const char *name;
    const PtReading *reading;
    double scale; /* 0: a whole number */
  } fields[] = {
    { "memory_total_bytes", &gpu->memory_total, 0 },
    { "memory_used_bytes", &gpu->memory_used, 0 },
    { "memory_free_bytes", &gpu->memory_free, 0 },
    { "process_memory_bytes", &gpu->process_memory, 0 },
    { "utilization_percent", &gpu->utilization, 0 },
    { "memory_utilization_percent", &gpu->memory_utilization, 0 },
    { "temperature_celsius", &gpu->temperature, 0 },
    { "power_watts", &gpu->power, 1e-3 },
    { "power_limit_watts", &gpu->power_limit, 1e-3 },
    { "sm_clock_mhz", &gpu->sm_clock, 0 },
    { "memory_clock_mhz", &gpu->memory_clock, 0 },
    { "fan_percent", &gpu->fan, 0 },
    { "pcie_generation", &gpu->pcie_generation, 0 },
    { "pcie_most_generation", &gpu->pcie_most_generation, 0 },
    { "pcie_width", &gpu->pcie_width, 0 },
    { "pcie_most_width", &gpu->pcie_most_width, 0 },
    { "pcie_to_host_bytes_per_s", &gpu->pcie_to_host, 0 },
    { "pcie_to_gpu_bytes_per_s", &gpu->pcie_to_gpu, 0 },
  };
  json_t *object = json_object ();

  json_object_set_new (object, "index", json_integer (index));
  json_object_set_new (object, "name", text_or_null (gpu->name));
  json_object_set_new (object, "uuid", text_or_null (gpu->uuid));
  json_object_set_new (object, "lost", json_boolean (gpu->lost));
  json_object_set_new (object, "needs_reset", json_boolean (gpu->needs_reset));
  json_object_set_new (object, "throttle", describe_throttle (gpu->throttle));
  json_object_set_new (object, "compute_capability", version_text (gpu->compute_capability, 10, 1));
  json_object_set_new (object, "mig",
                       gpu->mig.valid ? json_boolean (gpu->mig.value != 0) : json_null ());
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const PtReading *reading = fields[i].reading;

    if (reading->valid && fields[i].scale > 0)
      json_object_set_new (object, fields[i].name,
                           json_real ((double) reading->value * fields[i].scale));
    else
      json_object_set_new (object, fields[i].name, nullable (reading->valid, reading->value));
  }
  return object;
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
describe_gpus (json_t *root)
{
  json_t *gpus = json_array ();
  gboolean tried = nvml_reason != NULL && g_get_monotonic_time () - nvml_tried < RETRY_US;

  if (nvml == NULL && !tried)
    open_nvml ();
  for (guint i = 0; nvml != NULL && i < pt_nvml_n_gpus (nvml); i++) {
    PtGpu gpu;

    pt_nvml_read (nvml, i, &gpu);
    json_array_append_new (gpus, describe_gpu (i, &gpu));
  }
  json_object_set_new (root, "gpus", gpus);
  json_object_set_new (root, "gpu_reason",
                       pt_json_text (nvml == NULL ? nvml_reason->message : NULL));
  json_object_set_new (root, "gpu_driver",
                       pt_json_text (nvml != NULL ? pt_nvml_driver_version (nvml) : NULL));
  json_object_set_new (root, "cuda_version",
                       nvml != NULL ? version_text (pt_nvml_cuda_version (nvml), 1000, 10)
                                    : json_null ());
}

char *
pt_stats_read (void)
{
  json_t *root = json_object ();

  g_mutex_lock (&lock);
  json_object_set_new (root, "cpu", describe_cpu ());
  json_object_set_new (root, "memory", describe_memory ());
  json_object_set_new (root, "process", describe_process ());
  describe_gpus (root);
  g_mutex_unlock (&lock);
  return pt_json_steal_text (root);
}
