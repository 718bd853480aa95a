/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/nvml.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/cuda/driver-library.h"

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

/* ---- The interface of the library, as far as we use it ---- */

enum {
  NVML_SUCCESS = 0,
  NVML_DRIVER_NOT_LOADED = 9,
  NVML_GPU_IS_LOST = 15,
  NVML_RESET_REQUIRED = 16,
  NVML_VERSION_MISMATCH = 18,
};

enum { NVML_SENSOR_GPU = 0 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_PCIE_SENT = 0, NVML_PCIE_RECEIVED = 1 }; /* used by the GPU */

/* Versioned structs begin with their size and version. */
#define VERSIONED(type, version) ((guint) (sizeof (type) | (version) << 24))

typedef struct {
  guint64 total, free, used;
} Memory1;

typedef struct {
  guint version;
  guint64 total, reserved, free, used;
} Memory2;

typedef struct {
  guint gpu, memory;
} Utilization;

typedef struct {
  guint version;
  guint sensor;
  int temperature;
} Temperature1;

typedef struct {
  guint pid;
  guint64 memory;
} Process1;

typedef struct {
  guint pid;
  guint64 memory;
  guint gpu_instance, compute_instance;
} Process2;

typedef gpointer Device;
typedef int ReadUint (Device device, guint *value);

typedef struct {
  int (*init) (void);
  int (*shutdown) (void);
  const char *(*error_string) (int code);
  int (*driver_version) (char *text, guint size);
  int (*cuda_version) (int *version);
  int (*count) (guint *n);
  int (*handle) (guint index, Device *device);
  int (*name) (Device device, char *text, guint size);
  int (*uuid) (Device device, char *text, guint size);
  int (*memory2) (Device device, Memory2 *memory);
  int (*memory1) (Device device, Memory1 *memory);
  int (*utilization) (Device device, Utilization *utilization);
  int (*temperature) (Device device, int sensor, guint *value);
  int (*temperature1) (Device device, Temperature1 *temperature);
  ReadUint *power, *power_limit, *fan;
  ReadUint *generation, *most_generation, *width, *most_width;
  int (*traffic) (Device device, int counter, guint *kilobytes);
  int (*throttle) (Device device, guint64 *reasons);
  int (*clock) (Device device, int type, guint *mhz);
  int (*capability) (Device device, int *major, int *minor);
  int (*mig) (Device device, guint *current, guint *pending);
  int (*processes2) (Device device, guint *count, Process2 *processes);
  int (*processes1) (Device device, guint *count, Process1 *processes);
} Functions;

#define WANTED(member, ...)                                     \
  {                                                             \
    { __VA_ARGS__ }, G_STRUCT_OFFSET (Functions, member), FALSE \
  }
#define NEEDED(member, ...)                                    \
  {                                                            \
    { __VA_ARGS__ }, G_STRUCT_OFFSET (Functions, member), TRUE \
  }

static const PtSymbol symbols[] = {
  NEEDED (init, "nvmlInit_v2", "nvmlInit"),
  NEEDED (shutdown, "nvmlShutdown"),
  WANTED (error_string, "nvmlErrorString"),
  WANTED (driver_version, "nvmlSystemGetDriverVersion"),
  WANTED (cuda_version, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"),
  NEEDED (count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
  NEEDED (handle, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
  WANTED (name, "nvmlDeviceGetName"),
  WANTED (uuid, "nvmlDeviceGetUUID"),
  WANTED (memory2, "nvmlDeviceGetMemoryInfo_v2"),
  WANTED (memory1, "nvmlDeviceGetMemoryInfo"),
  WANTED (utilization, "nvmlDeviceGetUtilizationRates"),
  WANTED (temperature, "nvmlDeviceGetTemperature"),
  WANTED (temperature1, "nvmlDeviceGetTemperatureV"),
  WANTED (power, "nvmlDeviceGetPowerUsage"),
  WANTED (power_limit, "nvmlDeviceGetEnforcedPowerLimit"),
  WANTED (fan, "nvmlDeviceGetFanSpeed"),
  WANTED (generation, "nvmlDeviceGetCurrPcieLinkGeneration"),
  WANTED (most_generation, "nvmlDeviceGetMaxPcieLinkGeneration"),
  WANTED (width, "nvmlDeviceGetCurrPcieLinkWidth"),
  WANTED (most_width, "nvmlDeviceGetMaxPcieLinkWidth"),
  WANTED (traffic, "nvmlDeviceGetPcieThroughput"),
  WANTED (throttle, "nvmlDeviceGetCurrentClocksEventReasons",
          "nvmlDeviceGetCurrentClocksThrottleReasons"),
  WANTED (clock, "nvmlDeviceGetClockInfo"),
  WANTED (capability, "nvmlDeviceGetCudaComputeCapability"),
  WANTED (mig, "nvmlDeviceGetMigMode"),
  WANTED (processes2, "nvmlDeviceGetComputeRunningProcesses_v3",
          "nvmlDeviceGetComputeRunningProcesses_v2"),
  WANTED (processes1, "nvmlDeviceGetComputeRunningProcesses"),
};

struct _PtNvml {
  GModule *module;
  Functions f;
  gboolean started;
  guint n_gpus;
  char driver[96];
};

/* ---- Starting ---- */

static gboolean
fail_start (const PtNvml *nvml, int code, GError **error)
{
  const char *text = nvml->f.error_string != NULL ? nvml->f.error_string (code) : NULL;

  if (code == NVML_DRIVER_NOT_LOADED)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The NVIDIA driver is installed but does not run. Is there an NVIDIA GPU?");
  if (code == NVML_VERSION_MISMATCH)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The NVIDIA driver was updated while it ran. Restart the machine.");
  return pt_fail (error, PT_ERROR_NOT_FOUND, "The NVIDIA driver reports: %s (NVML error %d).",
                  text != NULL ? text : "unknown error", code);
}

static gboolean
start (PtNvml *nvml, GError **error)
{
  int code;

  nvml->module = pt_library_open ("PTERIS_NVML", "libnvidia-ml.so.1", "nvml.dll", error);
  if (nvml->module == NULL)
    return FALSE;
  if (!pt_library_resolve (nvml->module, symbols, G_N_ELEMENTS (symbols), &nvml->f))
    return pt_fail (error, PT_ERROR_NOT_FOUND, "The NVIDIA driver is too old. Update it.");
  code = nvml->f.init ();
  if (code != NVML_SUCCESS)
    return fail_start (nvml, code, error);
  nvml->started = TRUE;
  code = nvml->f.count (&nvml->n_gpus);
  if (code != NVML_SUCCESS)
    return fail_start (nvml, code, error);
  if (nvml->n_gpus == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND, "The NVIDIA driver finds no GPU.");
  if (nvml->f.driver_version == NULL ||
      nvml->f.driver_version (nvml->driver, sizeof nvml->driver) != NVML_SUCCESS)
    nvml->driver[0] = 0;
  nvml->driver[sizeof nvml->driver - 1] = 0;
  return TRUE;
}

PtNvml *
pt_nvml_open (GError **error)
{
  g_autoptr (PtNvml) nvml = g_new0 (PtNvml, 1);

  return start (nvml, error) ? g_steal_pointer (&nvml) : NULL;
}

void
pt_nvml_close (PtNvml *nvml)
{
  if (nvml->started)
    nvml->f.shutdown ();
  if (nvml->module != NULL)
    g_module_close (nvml->module);
  g_free (nvml);
}

guint
pt_nvml_n_gpus (const PtNvml *nvml)
{
  return nvml->n_gpus;
}

const char *
pt_nvml_driver_version (const PtNvml *nvml)
{
  return nvml->driver[0] != 0 ? nvml->driver : NULL;
}

PtReading
pt_nvml_cuda_version (const PtNvml *nvml)
{
  PtReading reading = { FALSE, 0 };
  int version = 0;

  if (nvml->f.cuda_version != NULL && nvml->f.cuda_version (&version) == NVML_SUCCESS &&
      version > 0)
    reading = (PtReading){ TRUE, (guint64) version };
  return reading;
}

/* ---- Reading one GPU ---- */

/* Any function may fail; some error codes tell the state of the GPU. */
static gboolean
succeeded (PtGpu *gpu, int code)
{
  gpu->lost |= code == NVML_GPU_IS_LOST;
  gpu->needs_reset |= code == NVML_RESET_REQUIRED;
  return code == NVML_SUCCESS;
}

static void
set (PtReading *reading, guint64 value)
{
  reading->valid = TRUE;
  reading->value = value;
}

static void
read_uint (ReadUint *function, Device device, PtGpu *gpu, PtReading *reading)
{
  guint value;

  if (function != NULL && succeeded (gpu, function (device, &value)))
    set (reading, value);
}

static void
set_memory (PtGpu *gpu, guint64 total, guint64 used, guint64 free)
{
  set (&gpu->memory_total, total);
  set (&gpu->memory_used, used);
  set (&gpu->memory_free, free);
}

/* The older call counts memory that the driver reserves as used. */
static void
read_memory (const Functions *f, Device device, PtGpu *gpu)
{
  Memory2 memory2 = { .version = VERSIONED (Memory2, 2u) };
  Memory1 memory1;

  if (f->memory2 != NULL && succeeded (gpu, f->memory2 (device, &memory2)))
    set_memory (gpu, memory2.total, memory2.used, memory2.free);
  else if (f->memory1 != NULL && succeeded (gpu, f->memory1 (device, &memory1)))
    set_memory (gpu, memory1.total, memory1.used, memory1.free);
}

static void
read_temperature (const Functions *f, Device device, PtGpu *gpu)
{
  Temperature1 temperature = { VERSIONED (Temperature1, 1u), NVML_SENSOR_GPU, 0 };
  guint value;

  if (f->temperature != NULL && succeeded (gpu, f->temperature (device, NVML_SENSOR_GPU, &value)))
    set (&gpu->temperature, value);
  else if (f->temperature1 != NULL && succeeded (gpu, f->temperature1 (device, &temperature)) &&
           temperature.temperature >= 0)
    set (&gpu->temperature, (guint64) temperature.temperature);
}

static void
read_load (const Functions *f, Device device, PtGpu *gpu)
{
  Utilization utilization;
  guint mhz;

  if (f->utilization != NULL && succeeded (gpu, f->utilization (device, &utilization))) {
    set (&gpu->utilization, utilization.gpu);
    set (&gpu->memory_utilization, utilization.memory);
  }
  if (f->clock != NULL && succeeded (gpu, f->clock (device, NVML_CLOCK_SM, &mhz)))
    set (&gpu->sm_clock, mhz);
  if (f->clock != NULL && succeeded (gpu, f->clock (device, NVML_CLOCK_MEMORY, &mhz)))
    set (&gpu->memory_clock, mhz);
  if (f->throttle != NULL && succeeded (gpu, f->throttle (device, &gpu->throttle.value)))
    gpu->throttle.valid = TRUE;
}

static void
read_pcie (const Functions *f, Device device, PtGpu *gpu)
{
  guint kilobytes;

  read_uint (f->generation, device, gpu, &gpu->pcie_generation);
  read_uint (f->most_generation, device, gpu, &gpu->pcie_most_generation);
  read_uint (f->width, device, gpu, &gpu->pcie_width);
  read_uint (f->most_width, device, gpu, &gpu->pcie_most_width);
  if (f->traffic != NULL && succeeded (gpu, f->traffic (device, NVML_PCIE_SENT, &kilobytes)))
    set (&gpu->pcie_to_host, (guint64) kilobytes * 1000);
  if (f->traffic != NULL && succeeded (gpu, f->traffic (device, NVML_PCIE_RECEIVED, &kilobytes)))
    set (&gpu->pcie_to_gpu, (guint64) kilobytes * 1000);
}

static void
read_identity (const Functions *f, Device device, PtGpu *gpu)
{
  int major, minor;
  guint current, pending;

  if (f->name == NULL || !succeeded (gpu, f->name (device, gpu->name, sizeof gpu->name)))
    gpu->name[0] = 0;
  if (f->uuid == NULL || !succeeded (gpu, f->uuid (device, gpu->uuid, sizeof gpu->uuid)))
    gpu->uuid[0] = 0;
  gpu->name[sizeof gpu->name - 1] = 0;
  gpu->uuid[sizeof gpu->uuid - 1] = 0;
  if (f->capability != NULL && succeeded (gpu, f->capability (device, &major, &minor)))
    set (&gpu->compute_capability, (guint64) (major * 10 + minor));
  if (f->mig != NULL && succeeded (gpu, f->mig (device, &current, &pending)))
    set (&gpu->mig, current);
}

static guint
own_pid (void)
{
#ifdef G_OS_WIN32
  return GetCurrentProcessId ();
#else
  return (guint) getpid ();
#endif
}

#define MOST_PROCESSES 256

/*
 * Unknown values are all ones. Inside a container the list contains process ids of the host, so
 * this process is not found and its memory stays unknown.
 */
static void
read_own_memory (const Functions *f, Device device, PtGpu *gpu)
{
  Process2 list2[MOST_PROCESSES];
  Process1 list1[MOST_PROCESSES];
  guint n = MOST_PROCESSES, pid = own_pid ();

  if (f->processes2 != NULL) {
    if (!succeeded (gpu, f->processes2 (device, &n, list2)))
      return;
    for (guint i = 0; i < MIN (n, MOST_PROCESSES); i++)
      if (list2[i].pid == pid && list2[i].memory != G_MAXUINT64)
        set (&gpu->process_memory, list2[i].memory);
  } else if (f->processes1 != NULL && succeeded (gpu, f->processes1 (device, &n, list1))) {
    for (guint i = 0; i < MIN (n, MOST_PROCESSES); i++)
      if (list1[i].pid == pid && list1[i].memory != G_MAXUINT64)
        set (&gpu->process_memory, list1[i].memory);
  }
}

void
pt_nvml_read (const PtNvml *nvml, guint i, PtGpu *gpu)
{
  const Functions *f = &nvml->f;
  Device device = NULL;

  memset (gpu, 0, sizeof *gpu);
  if (!succeeded (gpu, f->handle (i, &device)))
    return;
  read_identity (f, device, gpu);
  read_memory (f, device, gpu);
  read_load (f, device, gpu);
  read_pcie (f, device, gpu);
  read_temperature (f, device, gpu);
  read_uint (f->power, device, gpu, &gpu->power);
  read_uint (f->power_limit, device, gpu, &gpu->power_limit);
  read_uint (f->fan, device, gpu, &gpu->fan);
  read_own_memory (f, device, gpu);
}
