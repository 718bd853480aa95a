/* SPDX-License-Identifier: BSD-3-Clause */

/* Whether a model fits into the memory of this machine, before it is loaded. */

#include <pteris/models.h>

#include "engine/base/json.h"

/* Memory that should stay free for the desktop and for growth that the estimate does not cover. */
#define GPU_SLACK (1024u << 20)
#define RAM_SLACK (512u << 20)

static guint64
bytes_of (const json_t *object, const char *key)
{
  gint64 bytes = pt_json_int (object, key, 0);

  return bytes > 0 ? (guint64) bytes : 0;
}

PtMemory
pt_memory_parse (const char *stats)
{
  g_autoptr (json_t) root = stats != NULL ? json_loads (stats, 0, NULL) : NULL;
  const json_t *memory = json_object_get (root, "memory");
  PtMemory found = { bytes_of (memory, "total_bytes"), bytes_of (memory, "available_bytes"), 0, 0 };
  const json_t *gpu;
  size_t i;

  json_array_foreach (json_object_get (root, "gpus"), i, gpu) {
    guint64 available = bytes_of (gpu, "memory_free_bytes");

    if (pt_json_bool (gpu, "lost", FALSE) || (found.gpu_total > 0 && available <= found.gpu_free))
      continue;
    found.gpu_total = bytes_of (gpu, "memory_total_bytes");
    found.gpu_free = available;
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
