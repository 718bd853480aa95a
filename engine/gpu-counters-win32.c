/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/gpu-counters.h"

#include <windows.h>
#include <pdh.h>
#include <pdhmsg.h>

/* Loads are of the time between two collections, so that the query stays open. */
static struct {
  gboolean tried;
  PDH_HQUERY query; /* NULL: Windows has no such counters (before Windows 10 1709; Wine) */
  PDH_HCOUNTER loads, dedicated, shared;
} pdh;

static void
open_query (void)
{
  pdh.tried = TRUE;
  if (PdhOpenQueryW (NULL, 0, &pdh.query) != ERROR_SUCCESS) {
    pdh.query = NULL;
    return;
  }
  if (PdhAddEnglishCounterW (pdh.query, L"\\GPU Engine(*)\\Utilization Percentage", 0,
                             &pdh.loads) == ERROR_SUCCESS &&
      PdhAddEnglishCounterW (pdh.query, L"\\GPU Adapter Memory(*)\\Dedicated Usage", 0,
                             &pdh.dedicated) == ERROR_SUCCESS &&
      PdhAddEnglishCounterW (pdh.query, L"\\GPU Adapter Memory(*)\\Shared Usage", 0, &pdh.shared) ==
          ERROR_SUCCESS)
    return;
  PdhCloseQuery (pdh.query);
  pdh.query = NULL;
}

static gboolean
is_valid (DWORD status)
{
  return status == PDH_CSTATUS_VALID_DATA || status == PDH_CSTATUS_NEW_DATA;
}

/* The figures of all instances of @counter. There are none where it cannot be computed yet. */
static void
add_counters (PDH_HCOUNTER counter, GArray *counters)
{
  const DWORD format = PDH_FMT_DOUBLE | PDH_FMT_NOCAP100;
  g_autofree PDH_FMT_COUNTERVALUE_ITEM_W *items = NULL;
  DWORD size = 0, n = 0;

  if (PdhGetFormattedCounterArrayW (counter, format, &size, &n, NULL) != (PDH_STATUS) PDH_MORE_DATA)
    return;
  items = g_malloc (size);
  if (PdhGetFormattedCounterArrayW (counter, format, &size, &n, items) != ERROR_SUCCESS)
    return;
  for (DWORD i = 0; i < n; i++) {
    g_autofree char *instance =
        g_utf16_to_utf8 ((const gunichar2 *) items[i].szName, -1, NULL, NULL, NULL);

    if (instance != NULL && is_valid (items[i].FmtValue.CStatus))
      pt_gpu_counters_append (counters, instance, items[i].FmtValue.doubleValue);
  }
}

PtGpuCounters *
pt_gpu_counters_read (void)
{
  PtGpuCounters *counters;

  if (!pdh.tried)
    open_query ();
  if (pdh.query == NULL || PdhCollectQueryData (pdh.query) != ERROR_SUCCESS)
    return NULL;
  counters = pt_gpu_counters_new ();
  add_counters (pdh.loads, counters->loads);
  add_counters (pdh.dedicated, counters->dedicated);
  add_counters (pdh.shared, counters->shared);
  return counters;
}
