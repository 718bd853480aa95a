/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A stand-in for NVML with two GPUs: the first reports all values, the second almost none. Built
 * twice: with the newest names of its functions, and, with FAKE_OLD, with the first ones.
 *
 * FAKE_NVML=NUMBER makes the start fail with that code, "none" gives no GPUs, "lost" loses one.
 * FAKE_NVML_FAIL=FUNCTION:NUMBER makes a function (its name without "_v2") give that code.
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

typedef struct {
  guint64 total, free, used;
} Memory1;

typedef struct {
  unsigned version;
  guint64 total, reserved, free, used;
} Memory2;

typedef struct {
  unsigned version, sensor;
  int value;
} Temperature;

typedef struct {
  unsigned pid;
  guint64 memory;
#ifndef FAKE_OLD
  unsigned gpu_instance, compute_instance;
#endif
} Process;

static Device devices[2] = { { 0 }, { 1 } };
static int started;

enum { SUCCESS, UNINITIALIZED = 1, INVALID_ARGUMENT, NOT_SUPPORTED, LOST = 15 };

#define GIB ((guint64) 1 << 30)

static int
is_mode (const char *mode)
{
  const char *set = g_getenv ("FAKE_NVML");

  return set != NULL && strcmp (set, mode) == 0;
}

/* The code that was asked for, of this function. */
static int
failure (const char *function)
{
  const char *text = g_getenv ("FAKE_NVML_FAIL");
  g_auto (GStrv) parts = text != NULL ? g_strsplit (text, ":", 2) : NULL;
  gsize length;

  if (parts == NULL || parts[0] == NULL || parts[1] == NULL ||
      !g_str_has_prefix (function, parts[0]))
    return SUCCESS;
  length = strlen (parts[0]);
  if (function[length] != 0 && !g_str_has_prefix (function + length, "_v"))
    return SUCCESS;
  return (int) g_ascii_strtoll (parts[1], NULL, 10);
}

#define ENTER()                   \
  int code_ = failure (__func__); \
  if (code_ != SUCCESS)           \
  return code_

/* Declares and begins a function of the library. */
#define FUNCTION(name, ...)               \
  G_MODULE_EXPORT int name (__VA_ARGS__); \
  int name (__VA_ARGS__)

/* ---- The library ---- */

FUNCTION (NEW (nvmlInit, _v2), void)
{
  const char *mode = g_getenv ("FAKE_NVML");
  int code = mode != NULL ? (int) g_ascii_strtoll (mode, NULL, 10) : 0;

  started += code == SUCCESS;
  return code;
}

FUNCTION (nvmlShutdown, void)
{
  started--;
  return SUCCESS;
}

G_MODULE_EXPORT const char *nvmlErrorString (int code);

const char *
nvmlErrorString (int code)
{
  return "No Permission";
}

FUNCTION (nvmlSystemGetDriverVersion, char *text, unsigned size)
{
  ENTER ();
  g_strlcpy (text, "550.54.15", size);
  return SUCCESS;
}

FUNCTION (NEW (nvmlSystemGetCudaDriverVersion, _v2), int *version)
{
  ENTER ();
  *version = 12040;
  return SUCCESS;
}

FUNCTION (NEW (nvmlDeviceGetCount, _v2), unsigned *n)
{
  ENTER ();
  *n = is_mode ("none") ? 0 : 2;
  return started > 0 ? SUCCESS : UNINITIALIZED;
}

FUNCTION (NEW (nvmlDeviceGetHandleByIndex, _v2), unsigned index, Device **device)
{
  ENTER ();
  if (index >= 2)
    return INVALID_ARGUMENT;
  if (index == 1 && is_mode ("lost"))
    return LOST;
  *device = &devices[index];
  return SUCCESS;
}

/* ---- A GPU ---- */

static int
put_text (const Device *device, char *text, unsigned size, const char *first, const char *second)
{
  g_strlcpy (text, device->index == 0 ? first : second, size);
  return text[0] != 0 ? SUCCESS : NOT_SUPPORTED;
}

static int
put (const Device *device, unsigned *value, unsigned number)
{
  if (device->index == 1)
    return NOT_SUPPORTED;
  *value = number;
  return SUCCESS;
}

FUNCTION (nvmlDeviceGetName, Device *device, char *text, unsigned size)
{
  ENTER ();
  return put_text (device, text, size, "NVIDIA Test 1", "NVIDIA Test 2");
}

FUNCTION (nvmlDeviceGetUUID, Device *device, char *text, unsigned size)
{
  ENTER ();
  return put_text (device, text, size, "GPU-0001", "");
}

FUNCTION (nvmlDeviceGetUtilizationRates, Device *device, unsigned *rates)
{
  ENTER ();
  rates[1] = 11;
  return put (device, &rates[0], 37);
}

FUNCTION (nvmlDeviceGetPowerUsage, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 123456);
}

FUNCTION (nvmlDeviceGetEnforcedPowerLimit, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 700000);
}

FUNCTION (nvmlDeviceGetFanSpeed, Device *device, unsigned *value)
{
  return NOT_SUPPORTED;
}

FUNCTION (nvmlDeviceGetClockInfo, Device *device, int type, unsigned *value)
{
  ENTER ();
  return put (device, value, type == 1 ? 1980 : type == 2 ? 2619 : 0);
}

FUNCTION (nvmlDeviceGetCurrPcieLinkGeneration, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 1);
}

FUNCTION (nvmlDeviceGetMaxPcieLinkGeneration, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 5);
}

FUNCTION (nvmlDeviceGetCurrPcieLinkWidth, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 8);
}

FUNCTION (nvmlDeviceGetMaxPcieLinkWidth, Device *device, unsigned *value)
{
  ENTER ();
  return put (device, value, 16);
}

FUNCTION (nvmlDeviceGetPcieThroughput, Device *device, int counter, unsigned *value)
{
  ENTER ();
  return put (device, value, counter == 0 ? 1500 : counter == 1 ? 40000000 : 0);
}

FUNCTION (nvmlDeviceGetCudaComputeCapability, Device *device, int *major, int *minor)
{
  ENTER ();
  *major = 9;
  *minor = 0;
  return SUCCESS;
}

/* Memory reserved by the driver counts as used. */
FUNCTION (nvmlDeviceGetMemoryInfo, Device *device, Memory1 *memory)
{
  ENTER ();
  if (device->index == 1)
    return NOT_SUPPORTED;
  *memory = (Memory1){ 80 * GIB, 77 * GIB, 3 * GIB };
  return SUCCESS;
}

#ifdef FAKE_OLD

FUNCTION (nvmlDeviceGetTemperature, Device *device, int sensor, unsigned *value)
{
  ENTER ();
  return sensor == 0 ? put (device, value, 41) : INVALID_ARGUMENT;
}

FUNCTION (nvmlDeviceGetCurrentClocksThrottleReasons, Device *device, guint64 *reasons)
{
  ENTER ();
  *reasons = 0x44;
  return device->index == 0 ? SUCCESS : NOT_SUPPORTED;
}

#else

FUNCTION (nvmlDeviceGetMemoryInfo_v2, Device *device, Memory2 *memory)
{
  ENTER ();
  if (memory->version != (sizeof (Memory2) | 2u << 24))
    return INVALID_ARGUMENT;
  if (device->index == 1)
    return NOT_SUPPORTED;
  *memory = (Memory2){ memory->version, 80 * GIB, GIB, 77 * GIB, 2 * GIB };
  return SUCCESS;
}

FUNCTION (nvmlDeviceGetTemperatureV, Device *device, Temperature *temperature)
{
  ENTER ();
  if (temperature->version != (sizeof (Temperature) | 1u << 24) || device->index == 1)
    return INVALID_ARGUMENT;
  temperature->value = 41;
  return SUCCESS;
}

FUNCTION (nvmlDeviceGetCurrentClocksEventReasons, Device *device, guint64 *reasons)
{
  ENTER ();
  *reasons = 0x44;
  return device->index == 0 ? SUCCESS : NOT_SUPPORTED;
}

FUNCTION (nvmlDeviceGetMigMode, Device *device, unsigned *current, unsigned *pending)
{
  ENTER ();
  *pending = 0;
  return put (device, current, 1);
}

#endif

static unsigned
own_pid (void)
{
#ifdef G_OS_WIN32
  return GetCurrentProcessId ();
#else
  return (unsigned) getpid ();
#endif
}

FUNCTION (NEW (nvmlDeviceGetComputeRunningProcesses, _v3), Device *device, unsigned *count,
          Process *processes)
{
  ENTER ();
  if (device->index == 1)
    return NOT_SUPPORTED;
  *count = 2;
  processes[0].pid = 1;
  processes[0].memory = 5;
  processes[1].pid = own_pid ();
  processes[1].memory = 1 << 20;
  return SUCCESS;
}
