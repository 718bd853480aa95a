/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/process.h"

#ifdef G_OS_WIN32

#include <windows.h>

#include <psapi.h>

static PROCESS_MEMORY_COUNTERS
read_counters (void)
{
  PROCESS_MEMORY_COUNTERS counters = { .cb = sizeof counters };

  if (!GetProcessMemoryInfo (GetCurrentProcess (), &counters, sizeof counters))
    counters.WorkingSetSize = counters.PeakWorkingSetSize = 0;
  return counters;
}

guint64
pt_process_resident_bytes (void)
{
  return read_counters ().WorkingSetSize;
}

guint64
pt_process_peak_bytes (void)
{
  return read_counters ().PeakWorkingSetSize;
}

static MEMORYSTATUSEX
read_memory (void)
{
  MEMORYSTATUSEX status = { .dwLength = sizeof status };

  if (!GlobalMemoryStatusEx (&status))
    status.ullTotalPhys = status.ullAvailPhys = 0;
  return status;
}

guint64
pt_machine_memory_bytes (void)
{
  return read_memory ().ullTotalPhys;
}

guint64
pt_machine_available_bytes (void)
{
  return read_memory ().ullAvailPhys;
}

double
pt_process_cpu_seconds (void)
{
  FILETIME created, ended, kernel, user;

  if (!GetProcessTimes (GetCurrentProcess (), &created, &ended, &kernel, &user))
    return 0;
  return 1e-7 * ((double) ((guint64) kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                 (double) ((guint64) user.dwHighDateTime << 32 | user.dwLowDateTime));
}

#else

#include <stdio.h>
#include <string.h>
#include <time.h>

/** The number of kilobytes behind "@key:" in a file of /proc, as bytes. */
static guint64
read_kilobytes (const char *path, const char *key)
{
  FILE *file = fopen (path, "r");
  char line[256];
  guint64 bytes = 0;

  while (file != NULL && fgets (line, sizeof line, file) != NULL) {
    gsize length = strlen (key);

    if (strncmp (line, key, length) == 0 && line[length] == ':') {
      bytes = g_ascii_strtoull (line + length + 1, NULL, 10) * 1024;
      break;
    }
  }
  if (file != NULL)
    fclose (file);
  return bytes;
}

guint64
pt_process_resident_bytes (void)
{
  return read_kilobytes ("/proc/self/status", "VmRSS");
}

guint64
pt_process_peak_bytes (void)
{
  return read_kilobytes ("/proc/self/status", "VmHWM");
}

guint64
pt_machine_memory_bytes (void)
{
  return read_kilobytes ("/proc/meminfo", "MemTotal");
}

guint64
pt_machine_available_bytes (void)
{
  return read_kilobytes ("/proc/meminfo", "MemAvailable");
}

double
pt_process_cpu_seconds (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

#endif
