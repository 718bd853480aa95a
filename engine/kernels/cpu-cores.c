/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu-cores.h"

#include <stdlib.h>
#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#elif defined(__linux__)
#include <sched.h>
#endif

/* Hardware threads of a machine that are looked at. */
#define MAX_THREADS 1024

/* ---- Linux ---- */

static char *
read_text (const char *system, const char *name)
{
  g_autofree char *path = g_build_filename (system, name, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

/* Whether @list, such as "0-3,8", has @number. */
static gboolean
is_in_list (const char *list, guint number)
{
  while (g_ascii_isdigit (*list)) {
    char *end;
    guint64 first = g_ascii_strtoull (list, &end, 10), last = first;

    if (*end == '-')
      last = g_ascii_strtoull (end + 1, &end, 10);
    if (number >= first && number <= last)
      return TRUE;
    list = *end == ',' ? end + 1 : "";
  }
  return FALSE;
}

/* The lowest hardware thread of the core, which identifies it. */
static guint
first_sibling (const char *system, guint thread)
{
  g_autofree char *name =
      g_strdup_printf ("devices/system/cpu/cpu%u/topology/thread_siblings_list", thread);
  g_autofree char *list = read_text (system, name);

  if (list == NULL || !g_ascii_isdigit (list[0]))
    return thread;
  return (guint) MIN (g_ascii_strtoull (list, NULL, 10), thread);
}

/* What the kernel's scheduler thinks of the core: 1024 is the best one; 0: not said. */
static guint64
read_capacity (const char *system, guint thread)
{
  g_autofree char *name = g_strdup_printf ("devices/system/cpu/cpu%u/cpu_capacity", thread);
  g_autofree char *text = read_text (system, name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
}

/* Intel's kinds of cores are two devices; other systems say a capacity. Middle cores of ARM count
 * as fast. */
static gboolean
is_fast (const char *system, const char *intel_fast, guint64 best, guint thread)
{
  guint64 capacity;

  if (intel_fast != NULL)
    return is_in_list (intel_fast, thread);
  capacity = read_capacity (system, thread);
  return capacity == 0 || capacity > best / 2;
}

PtCpuCores
pt_cpu_cores_from_files (const char *system, const gboolean *allowed, guint n)
{
  g_autofree char *intel_fast = read_text (system, "devices/cpu_core/cpus");
  g_autofree gboolean *seen = g_new0 (gboolean, MAX_THREADS);
  PtCpuCores cores = { 0 };
  guint64 best = 0;

  n = MIN (n, MAX_THREADS);
  for (guint i = 0; i < n && intel_fast == NULL; i++)
    best = MAX (best, allowed[i] ? read_capacity (system, i) : 0);
  for (guint i = 0; i < n; i++) {
    guint core = allowed[i] ? first_sibling (system, i) : 0;

    if (!allowed[i] || seen[core])
      continue;
    seen[core] = TRUE;
    cores.n_physical++;
    cores.n_fast += is_fast (system, intel_fast, best, i);
  }
  if (cores.n_fast == 0)
    cores.n_fast = cores.n_physical;
  return cores;
}

#ifdef __linux__

/* The limit of the control group, in CPUs ("max 100000" or "150000 100000"); 0: none. */
static guint
group_quota (void)
{
  g_autofree char *text = read_text ("/sys", "fs/cgroup/cpu.max");
  char *end;
  guint64 quota, period;

  if (text == NULL)
    return 0;
  quota = g_ascii_strtoull (text, &end, 10);
  period = g_ascii_strtoull (end, NULL, 10);
  if (end == text || quota == 0 || period == 0)
    return 0;
  return (guint) CLAMP (quota / period, 1, MAX_THREADS);
}

static PtCpuCores
read_cores (void)
{
  gboolean allowed[CPU_SETSIZE];
  PtCpuCores cores;
  guint quota = group_quota ();
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return (PtCpuCores){ 0 };
  for (guint i = 0; i < CPU_SETSIZE; i++)
    allowed[i] = CPU_ISSET (i, &set);
  cores = pt_cpu_cores_from_files ("/sys", allowed, CPU_SETSIZE);
  if (quota > 0) {
    cores.n_physical = MIN (cores.n_physical, quota);
    cores.n_fast = MIN (cores.n_fast, quota);
  }
  return cores;
}

#elif defined(G_OS_WIN32)

/* ---- Windows ---- */

typedef SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX Record;

static gboolean
is_allowed (const PROCESSOR_RELATIONSHIP *core, guint64 allowed)
{
  return core->GroupMask[0].Group != 0 || (core->GroupMask[0].Mask & allowed) != 0;
}

/* The byte after the flags; headers of old compilers have no name for it. */
static guint8
efficiency_class (const PROCESSOR_RELATIONSHIP *core)
{
  return ((const guint8 *) core)[1];
}

PtCpuCores
pt_cpu_cores_from_records (gconstpointer records, gsize size, guint64 allowed)
{
  const gsize least = G_STRUCT_OFFSET (Record, Processor) + sizeof (PROCESSOR_RELATIONSHIP);
  guint n_of_class[256] = { 0 };
  PtCpuCores cores = { 0 };

  for (gsize at = 0; size - at >= least;) {
    const Record *record = (const Record *) ((const guint8 *) records + at);

    if (record->Size < least || record->Size > size - at)
      break;
    if (record->Relationship == RelationProcessorCore && is_allowed (&record->Processor, allowed)) {
      cores.n_physical++;
      n_of_class[efficiency_class (&record->Processor)]++;
    }
    at += record->Size;
  }
  /* The highest class has the best performance. */
  for (guint i = 0; i < G_N_ELEMENTS (n_of_class); i++)
    if (n_of_class[i] > 0)
      cores.n_fast = n_of_class[i];
  return cores;
}

static PtCpuCores
read_cores (void)
{
  DWORD_PTR allowed = 0, all = 0;
  DWORD size = 0;
  g_autofree guint8 *records = NULL;

  GetLogicalProcessorInformationEx (RelationProcessorCore, NULL, &size);
  records = g_malloc0 (MAX (size, 1));
  if (!GetProcessAffinityMask (GetCurrentProcess (), &allowed, &all))
    allowed = ~(DWORD_PTR) 0;
  if (!GetLogicalProcessorInformationEx (RelationProcessorCore, (gpointer) records, &size))
    return (PtCpuCores){ 0 };
  return pt_cpu_cores_from_records (records, size, allowed);
}

#else

static PtCpuCores
read_cores (void)
{
  return (PtCpuCores){ 0 };
}

#endif

PtCpuCores
pt_cpu_cores (void)
{
  static PtCpuCores cores;
  static gsize known = 0;

  if (g_once_init_enter (&known)) {
    cores = read_cores ();
    if (cores.n_physical == 0)
      cores.n_physical = cores.n_fast = MAX (1, g_get_num_processors ());
    g_once_init_leave (&known, 1);
  }
  return cores;
}
