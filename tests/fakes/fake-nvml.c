/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A stand-in for NVML with two GPUs: the first tells everything, the second almost nothing. Built
 * twice: with the newest names of its functions, and, with FAKE_OLD, with the first ones.
 * FAKE_NVML=NUMBER makes the start fail with that code, "none" gives no GPUs, "lost" loses one.
 */

#include <gmodule.h>
#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

#ifdef FAKE_OLD
#define NEW(name, suffix) name
#else
#define NEW(name, suffix) name##suffix
#endif

typedef struct {
  int index;
} Device;

static Device devices[2] = { { 0 }, { 1 } };
static int started;

enum { SUCCESS, UNINITIALIZED = 1, INVALID_ARGUMENT, NOT_SUPPORTED, LOST = 15 };

G_MODULE_EXPORT int NEW (nvmlInit, _v2) (void);
G_MODULE_EXPORT int nvmlShutdown (void);
G_MODULE_EXPORT const char *nvmlErrorString (int code);
G_MODULE_EXPORT int nvmlSystemGetDriverVersion (char *text, unsigned size);
G_MODULE_EXPORT int NEW (nvmlSystemGetCudaDriverVersion, _v2) (int *version);
G_MODULE_EXPORT int NEW (nvmlDeviceGetCount, _v2) (unsigned *n);
G_MODULE_EXPORT int NEW (nvmlDeviceGetHandleByIndex, _v2) (unsigned index, Device **device);
G_MODULE_EXPORT int nvmlDeviceGetName (Device *device, char *text, unsigned size);
G_MODULE_EXPORT int nvmlDeviceGetUUID (Device *device, char *text, unsigned size);
G_MODULE_EXPORT int nvmlDeviceGetUtilizationRates (Device *device, unsigned *rates);
G_MODULE_EXPORT int nvmlDeviceGetPowerUsage (Device *device, unsigned *value);
G_MODULE_EXPORT int nvmlDeviceGetEnforcedPowerLimit (Device *device, unsigned *value);
G_MODULE_EXPORT int nvmlDeviceGetFanSpeed (Device *device, unsigned *value);
G_MODULE_EXPORT int nvmlDeviceGetClockInfo (Device *device, int type, unsigned *value);
G_MODULE_EXPORT int nvmlDeviceGetCudaComputeCapability (Device *device, int *major, int *minor);

static int
is_mode (const char *mode)
{
  const char *set = g_getenv ("FAKE_NVML");

  return set != NULL && strcmp (set, mode) == 0;
}

int
NEW (nvmlInit, _v2) (void)
{
  const char *mode = g_getenv ("FAKE_NVML");
  int code = mode != NULL ? (int) g_ascii_strtoll (mode, NULL, 10) : 0;

  started += code == SUCCESS;
  return code;
}

int
nvmlShutdown (void)
{
  started--;
  return SUCCESS;
}

const char *
nvmlErrorString (int code)
{
  return "No Permission";
}

int
nvmlSystemGetDriverVersion (char *text, unsigned size)
{
  g_strlcpy (text, "550.54.15", size);
  return SUCCESS;
}

int
NEW (nvmlSystemGetCudaDriverVersion, _v2) (int *version)
{
  *version = 12040;
  return SUCCESS;
}

int
NEW (nvmlDeviceGetCount, _v2) (unsigned *n)
{
  *n = is_mode ("none") ? 0 : 2;
  return started > 0 ? SUCCESS : UNINITIALIZED;
}

int
NEW (nvmlDeviceGetHandleByIndex, _v2) (unsigned index, Device **device)
{
  if (index >= 2)
    return INVALID_ARGUMENT;
  if (index == 1 && is_mode ("lost"))
    return LOST;
  *device = &devices[index];
  return SUCCESS;
}

int
nvmlDeviceGetName (Device *device, char *text, unsigned size)
{
  g_strlcpy (text, device->index == 0 ? "NVIDIA Test 1" : "NVIDIA Test 2", size);
  return SUCCESS;
}

int
nvmlDeviceGetUUID (Device *device, char *text, unsigned size)
{
  if (device->index == 1)
    return NOT_SUPPORTED;
  g_strlcpy (text, "GPU-0001", size);
  return SUCCESS;
}

static int
put (const Device *device, unsigned *value, unsigned number)
{
  if (device->index == 1)
    return NOT_SUPPORTED;
  *value = number;
  return SUCCESS;
}

int
nvmlDeviceGetUtilizationRates (Device *device, unsigned *rates)
{
  rates[1] = 11;
  return put (device, &rates[0], 37);
}

int
nvmlDeviceGetPowerUsage (Device *device, unsigned *value)
{
  return put (device, value, 123456);
}

int
nvmlDeviceGetEnforcedPowerLimit (Device *device, unsigned *value)
{
  return put (device, value, 700000);
}

int
nvmlDeviceGetFanSpeed (Device *device, unsigned *value)
{
  return NOT_SUPPORTED;
}

int
nvmlDeviceGetClockInfo (Device *device, int type, unsigned *value)
{
  return put (device, value, type == 1 ? 1980 : type == 2 ? 2619 : 0);
}

int
nvmlDeviceGetCudaComputeCapability (Device *device, int *major, int *minor)
{
  *major = 9;
  *minor = 0;
  return SUCCESS;
}

#ifdef FAKE_OLD

typedef struct {
  guint64 total, free, used;
} Memory;

typedef struct {
  unsigned pid;
  guint64 memory;
} Process;

G_MODULE_EXPORT int nvmlDeviceGetMemoryInfo (Device *device, Memory *memory);
G_MODULE_EXPORT int nvmlDeviceGetTemperature (Device *device, int sensor, unsigned *value);
G_MODULE_EXPORT int nvmlDeviceGetComputeRunningProcesses (Device *device, unsigned *count,
                                                          Process *processes);

int
nvmlDeviceGetTemperature (Device *device, int sensor, unsigned *value)
{
  return sensor == 0 ? put (device, value, 41) : INVALID_ARGUMENT;
}

#else

typedef struct {
  unsigned version;
  guint64 total, reserved, free, used;
} Memory;

typedef struct {
  unsigned pid;
  guint64 memory;
  unsigned gpu_instance, compute_instance;
} Process;

typedef struct {
  unsigned version, sensor;
  int value;
} Temperature;

#define nvmlDeviceGetMemoryInfo nvmlDeviceGetMemoryInfo_v2
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3

G_MODULE_EXPORT int nvmlDeviceGetMemoryInfo (Device *device, Memory *memory);
G_MODULE_EXPORT int nvmlDeviceGetTemperatureV (Device *device, Temperature *temperature);
G_MODULE_EXPORT int nvmlDeviceGetMigMode (Device *device, unsigned *current, unsigned *pending);
G_MODULE_EXPORT int nvmlDeviceGetComputeRunningProcesses (Device *device, unsigned *count,
                                                          Process *processes);

int
nvmlDeviceGetTemperatureV (Device *device, Temperature *temperature)
{
  if (temperature->version != (sizeof (Temperature) | 1u << 24) || device->index == 1)
    return INVALID_ARGUMENT;
  temperature->value = 41;
  return SUCCESS;
}

int
nvmlDeviceGetMigMode (Device *device, unsigned *current, unsigned *pending)
{
  *pending = 0;
  return put (device, current, 1);
}

#endif

int
nvmlDeviceGetMemoryInfo (Device *device, Memory *memory)
{
#ifndef FAKE_OLD
  if (memory->version != (sizeof (Memory) | 2u << 24))
    return INVALID_ARGUMENT;
#endif
  if (device->index == 1)
    return NOT_SUPPORTED;
  memory->total = (guint64) 80 << 30;
  memory->used = (guint64) 3 << 30;
  memory->free = (guint64) 77 << 30;
  return SUCCESS;
}

int
nvmlDeviceGetComputeRunningProcesses (Device *device, unsigned *count, Process *processes)
{
  if (device->index == 1)
    return NOT_SUPPORTED;
  *count = 2;
  processes[0].pid = 1;
  processes[0].memory = 5;
#ifdef G_OS_WIN32
  processes[1].pid = GetCurrentProcessId ();
#else
  processes[1].pid = (unsigned) getpid ();
#endif
  processes[1].memory = 1 << 20;
  return SUCCESS;
}
