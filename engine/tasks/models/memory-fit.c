/* SPDX-License-Identifier: BSD-3-Clause */

/* Whether a model fits into the memory of this machine, before it is loaded. */

#include <pteris/models.h>

/* Memory that should stay free for the desktop and for growth that the estimate does not cover. */
#define GPU_SLACK (1024u << 20)
#define RAM_SLACK (512u << 20)
/* Working memory of a model whose details are not known: this part of its files. */
#define WORKING_PART 4

PtMemory
pt_memory_of (const PtMachineStats *stats)
{
  PtMemory found = { stats->memory_total, stats->memory_available, 0, 0 };
  const PtGpuStats *gpus = stats->n_gpus > 0 ? stats->gpus : stats->vulkan_gpus;
  guint n = stats->n_gpus > 0 ? stats->n_gpus : stats->n_vulkan_gpus;

  for (guint i = 0; i < n; i++) {
    const PtGpuStats *gpu = &gpus[i];

    if (gpu->lost || (found.gpu_total > 0 && gpu->memory_free <= found.gpu_free))
      continue;
    found.gpu_total = gpu->memory_total;
    found.gpu_free = gpu->memory_free;
  }
  return found;
}

static PtFit
judge_gpu (const PtNeeds *needs, const PtMemory *memory)
{
  if (needs->gpu > memory->gpu_total)
    return PT_FIT_NEVER;
  if (needs->gpu > memory->gpu_free)
    return PT_FIT_NOT_NOW;
  return memory->gpu_free - needs->gpu < GPU_SLACK ? PT_FIT_TIGHT : PT_FIT_WELL;
}

/* Weights are mapped: if they do not fit into memory, the system reads them again and again, which
 * is slow but no failure. */
static PtFit
judge_ram (const PtNeeds *needs, const PtMemory *memory)
{
  guint64 left;

  if (needs->working > memory->ram_total)
    return PT_FIT_NEVER;
  if (needs->working > memory->ram_free)
    return PT_FIT_NOT_NOW;
  left = memory->ram_free - needs->working;
  return left < needs->weights || left - needs->weights < MIN (RAM_SLACK, memory->ram_total / 8)
             ? PT_FIT_TIGHT
             : PT_FIT_WELL;
}

PtFit
pt_fit_judge (const PtNeeds *needs, const PtMemory *memory, gboolean *gpu)
{
  PtFit on_gpu = PT_FIT_UNKNOWN, in_ram;

  *gpu = FALSE;
  if (memory->ram_total == 0)
    return PT_FIT_UNKNOWN;
  in_ram = judge_ram (needs, memory);
  if (needs->gpu > 0)
    on_gpu = judge_gpu (needs, memory);
  *gpu = on_gpu > in_ram || (needs->gpu > 0 && on_gpu == in_ram);
  return MAX (in_ram, on_gpu);
}

PtNeeds
pt_needs_of_files (guint64 bytes)
{
  return (PtNeeds){ .weights = bytes, .working = bytes / WORKING_PART };
}

static guint64
sum (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

gboolean
pt_fits_beside (const PtNeeds *needs, const PtLoadedNeeds *others, guint n_others,
                const PtMemory *memory)
{
  PtNeeds all = *needs;
  PtMemory rest = *memory;
  gboolean gpu;
  PtFit fit;

  for (guint i = 0; i < n_others; i++) {
    const PtNeeds *other = &others[i].needs;

    if (!others[i].leaves) {
      all.weights = sum (all.weights, other->weights);
      all.working = sum (all.working, other->working);
      all.gpu = sum (all.gpu, other->gpu);
    }
    if (others[i].taken) {
      rest.ram_free = MIN (sum (rest.ram_free, other->working), rest.ram_total);
      rest.gpu_free = MIN (sum (rest.gpu_free, other->gpu), rest.gpu_total);
    }
  }
  fit = pt_fit_judge (&all, &rest, &gpu);
  return fit == PT_FIT_WELL || fit == PT_FIT_UNKNOWN;
}
