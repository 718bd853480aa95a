/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/system-usage.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#include <psapi.h>

static guint64
ticks (FILETIME time)
{
  return (guint64) time.dwHighDateTime << 32 | time.dwLowDateTime;
}

gboolean
pt_machine_cpu_times (PtCpuTimes *times)
{
  FILETIME idle, kernel, user, created, ended, own_kernel, own_user;

  /* The kernel's time contains the idle time. */
  if (!GetSystemTimes (&idle, &kernel, &user) ||
      !GetProcessTimes (GetCurrentProcess (), &created, &ended, &own_kernel, &own_user))
    return FALSE;
  times->total = ticks (kernel) + ticks (user);
  times->busy = times->total - ticks (idle);
  times->process = ticks (own_kernel) + ticks (own_user);
  return TRUE;
}

gboolean
pt_machine_memory (guint64 *total, guint64 *available)
{
  MEMORYSTATUSEX status = { .dwLength = sizeof status };

  if (!GlobalMemoryStatusEx (&status))
    return FALSE;
  *total = status.ullTotalPhys;
  *available = status.ullAvailPhys;
  return TRUE;
}

gboolean
pt_process_memory (guint64 *resident, guint64 *peak)
{
  PROCESS_MEMORY_COUNTERS counters = { .cb = sizeof counters };

  if (!K32GetProcessMemoryInfo (GetCurrentProcess (), &counters, sizeof counters))
    return FALSE;
  *resident = counters.WorkingSetSize;
  *peak = counters.PeakWorkingSetSize;
  return TRUE;
}

#else

/* Reads at most @n numbers after @text, separated by spaces. Returns how many were read. */
static guint
read_numbers (const char *text, guint64 *numbers, guint n)
{
  guint i = 0;

  for (; i < n; i++) {
    char *end;

    numbers[i] = g_ascii_strtoull (text, &end, 10);
    if (end == text)
      break;
    text = end;
  }
  return i;
}

/* The line of /proc/stat with the sums over all processors. */
static gboolean
read_machine_times (PtCpuTimes *times)
{
  enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_TIMES };
  g_autofree char *text = NULL;
  guint64 numbers[N_TIMES] = { 0 };
  guint n;

  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL) || !g_str_has_prefix (text, "cpu "))
    return FALSE;
  n = read_numbers (text + strlen ("cpu "), numbers, N_TIMES);
  times->total = 0;
  for (guint i = 0; i < n; i++)
    times->total += numbers[i];
  times->busy = times->total - numbers[IDLE] - numbers[IOWAIT];
  return n > IDLE;
}

/*
 * /proc/self/stat: the name in parentheses, one letter for the state, then numbers, some of them
 * negative.
 */
static gboolean
parse_process_times (const char *text, PtCpuTimes *times)
{
  enum { USER = 10, SYSTEM, N_FIELDS };
  const char *name_end = strrchr (text, ')');
  guint64 fields[N_FIELDS];

  if (name_end == NULL || strlen (name_end) < strlen (") R ") ||
      read_numbers (name_end + strlen (") R "), fields, N_FIELDS) != N_FIELDS)
    return FALSE;
  times->process = fields[USER] + fields[SYSTEM];
  return TRUE;
}

gboolean
pt_machine_cpu_times (PtCpuTimes *times)
{
  g_autofree char *text = NULL;

  return g_file_get_contents ("/proc/self/stat", &text, NULL, NULL) &&
         parse_process_times (text, times) && read_machine_times (times);
}

/* The value of a line such as "VmRSS:     1234 kB", in bytes. */
static gboolean
read_kilobytes (const char *text, const char *label, guint64 *bytes)
{
  const char *line = strstr (text, label);

  if (line == NULL || read_numbers (line + strlen (label), bytes, 1) != 1)
    return FALSE;
  *bytes *= 1024;
  return TRUE;
}

gboolean
pt_machine_memory (guint64 *total, guint64 *available)
{
  g_autofree char *text = NULL;

  return g_file_get_contents ("/proc/meminfo", &text, NULL, NULL) &&
         read_kilobytes (text, "MemTotal:", total) &&
         read_kilobytes (text, "MemAvailable:", available);
}

gboolean
pt_process_memory (guint64 *resident, guint64 *peak)
{
  g_autofree char *text = NULL;

  return g_file_get_contents ("/proc/self/status", &text, NULL, NULL) &&
         read_kilobytes (text, "VmRSS:", resident) && read_kilobytes (text, "VmHWM:", peak);
}

#endif
