/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/gpu-counters.h"

#include <math.h>
#include <string.h>

static void
clear_counter (gpointer data)
{
  g_free (((PtGpuCounter *) data)->instance);
}

static GArray *
new_array (void)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (PtGpuCounter));

  g_array_set_clear_func (array, clear_counter);
  return array;
}

PtGpuCounters *
pt_gpu_counters_new (void)
{
  PtGpuCounters *counters = g_new (PtGpuCounters, 1);

  *counters = (PtGpuCounters){ new_array (), new_array (), new_array () };
  return counters;
}

void
pt_gpu_counters_free (PtGpuCounters *counters)
{
  if (counters == NULL)
    return;
  g_array_unref (counters->loads);
  g_array_unref (counters->dedicated);
  g_array_unref (counters->shared);
  g_free (counters);
}

void
pt_gpu_counters_append (GArray *counters, const char *instance, double value)
{
  PtGpuCounter counter = { g_ascii_strdown (instance, -1), value };

  g_array_append_val (counters, counter);
}

/* The part of the name from @gpu on, if the figure is one of that GPU. */
static const char *
find_part (const PtGpuCounter *counter, const char *gpu)
{
  return isfinite (counter->value) && counter->value >= 0 ? strstr (counter->instance, gpu) : NULL;
}

/* An engine's load is that of all processes together. */
static void
take_load (const GArray *loads, const char *gpu, PtGpuStats *stats)
{
  g_autoptr (GHashTable) engines = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  double most = -1;

  for (guint i = 0; i < loads->len; i++) {
    const PtGpuCounter *counter = &g_array_index (loads, PtGpuCounter, i);
    const char *engine = find_part (counter, gpu);
    double *sum = engine != NULL ? g_hash_table_lookup (engines, engine) : NULL;

    if (engine == NULL)
      continue;
    if (sum == NULL) {
      sum = g_new0 (double, 1);
      g_hash_table_insert (engines, (gpointer) engine, sum);
    }
    *sum += counter->value;
    most = MAX (most, *sum);
  }
  if (most < 0)
    return;
  stats->utilization = (guint) lround (MIN (most, 100));
  stats->valid |= PT_GPU_UTILIZATION;
}

/* The sum over the parts of a GPU; negative: there is none. */
static double
sum_of (const GArray *counters, const char *gpu)
{
  double sum = -1;

  for (guint i = 0; i < counters->len; i++) {
    const PtGpuCounter *counter = &g_array_index (counters, PtGpuCounter, i);

    if (find_part (counter, gpu) != NULL)
      sum = MAX (sum, 0) + counter->value;
  }
  return sum;
}

static void
take_memory (const PtGpuCounters *counters, const char *gpu, gboolean integrated, PtGpuStats *stats)
{
  double used = sum_of (counters->dedicated, gpu);
  double shared = integrated ? sum_of (counters->shared, gpu) : 0;

  if (used < 0 || shared < 0 || (stats->valid & PT_GPU_MEMORY_TOTAL) == 0 ||
      used + shared > (double) stats->memory_total)
    return;
  stats->memory_used = (guint64) (used + shared);
  stats->memory_free = stats->memory_total - stats->memory_used;
  stats->valid |= PT_GPU_MEMORY_USED | PT_GPU_MEMORY_FREE;
}

void
pt_gpu_counters_take (const PtGpuCounters *counters, guint64 luid, gboolean integrated,
                      PtGpuStats *stats)
{
  g_autofree char *gpu = g_strdup_printf ("luid_0x%08x_0x%08x_phys_", (guint) (luid >> 32),
                                          (guint) (luid & G_MAXUINT32));

  take_load (counters->loads, gpu, stats);
  take_memory (counters, gpu, integrated, stats);
}
