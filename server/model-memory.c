/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/model-memory.h"

#include <pteris/stats.h>

typedef struct {
  char *path;
  guint64 bytes;
  int gpu;
  PterisMeasurement found;
} Measure;

static void
measure_free (gpointer data)
{
  g_free (((Measure *) data)->path);
  g_free (data);
}

/* The memory of the GPU with this number. The driver's numbers are those of CUDA as long as the
 * environment hides none. */
static void
look_at_gpu (const PtMachineStats *stats, int number, PtMemory *memory)
{
  if (number < 0 || g_getenv ("CUDA_VISIBLE_DEVICES") != NULL)
    return;
  for (guint i = 0; i < stats->n_gpus; i++) {
    const PtGpuStats *gpu = &stats->gpus[i];

    if (gpu->index == (guint) number && !gpu->lost) {
      memory->gpu_total = gpu->memory_total;
      memory->gpu_free = gpu->memory_free;
    }
  }
}

static void
measure (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Measure *self = data;
  PtModelDetails *details = pt_library_examine (self->path, NULL, NULL);
  PtMachineStats *stats = pt_stats_read ();

  self->found.needs = details != NULL ? details->needs : pt_needs_of_files (self->bytes);
  self->found.memory = pt_memory_of (stats);
  look_at_gpu (stats, self->gpu, &self->found.memory);
  pt_model_details_free (details);
  pt_machine_stats_free (stats);
  g_task_return_boolean (task, TRUE);
}

void
pteris_model_measure_async (const PterisMeasured *model, GCancellable *cancellable,
                            GAsyncReadyCallback func, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, func, user_data);
  Measure *self = g_new0 (Measure, 1);

  self->path = g_strdup (model->path);
  self->bytes = model->bytes;
  self->gpu = model->gpu;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self, measure_free);
  g_task_run_in_thread (task, measure);
}

gboolean
pteris_model_measure_finish (GAsyncResult *result, PterisMeasurement *measurement)
{
  GTask *task = G_TASK (result);

  if (g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    return FALSE;
  *measurement = ((Measure *) g_task_get_task_data (task))->found;
  return TRUE;
}
