/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-times.h"

#include <stdlib.h>

struct _PtVkTimes {
  PtVkContext *context;
  VkQueryPool pool;
  guint n, size;
  guint32 *shaders; /* [size]: what ended at each mark; PT_VK_N_SHADERS: a beginning */
  guint n_runs;
  double sums[PT_VK_N_SHADERS];
  guint counts[PT_VK_N_SHADERS];
};

PtVkTimes *
pt_vk_times_new (PtVkContext *context)
{
  PtVkTimes *times;

  if (!context->has_times)
    return NULL;
  times = g_new0 (PtVkTimes, 1);
  times->context = context;
  return times;
}

static void
free_pool (PtVkTimes *times)
{
  if (times->pool != VK_NULL_HANDLE)
    times->context->vk.DestroyQueryPool (times->context->device, times->pool, NULL);
  times->pool = VK_NULL_HANDLE;
  g_clear_pointer (&times->shaders, g_free);
  times->size = 0;
}

static void
print (const PtVkTimes *times)
{
  double sum = 0;

  for (guint i = 0; i < PT_VK_N_SHADERS; i++)
    sum += times->sums[i];
  g_printerr ("%u runs, %.3f ms each on the GPU\n", times->n_runs, sum / times->n_runs);
  for (guint i = 0; i < PT_VK_N_SHADERS; i++)
    if (times->counts[i] > 0)
      g_printerr ("  %-20s %5u times, %8.3f ms, %8.2f us each\n", pt_vk_shader_code (i)->name,
                  times->counts[i] / times->n_runs, times->sums[i] / times->n_runs,
                  times->sums[i] * 1e3 / times->counts[i]);
}

void
pt_vk_times_free (PtVkTimes *times)
{
  if (times == NULL)
    return;
  if (times->n_runs > 0)
    print (times);
  free_pool (times);
  g_free (times);
}

void
pt_vk_times_clear (PtVkTimes *times, guint n)
{
  const VkQueryPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
    .queryType = VK_QUERY_TYPE_TIMESTAMP,
    .queryCount = n,
  };

  if (times == NULL)
    return;
  if (times->n_runs > 0)
    print (times);
  free_pool (times);
  for (guint i = 0; i < PT_VK_N_SHADERS; i++)
    times->sums[i] = times->counts[i] = 0;
  times->n = times->n_runs = 0;
  if (n == 0 || times->context->vk.CreateQueryPool (times->context->device, &info, NULL,
                                                    &times->pool) != VK_SUCCESS) {
    times->pool = VK_NULL_HANDLE;
    return;
  }
  times->shaders = g_new0 (guint32, n);
  times->size = n;
}

void
pt_vk_times_mark (PtVkTimes *times, VkCommandBuffer commands, guint shader)
{
  if (times == NULL || times->n == times->size)
    return;
  times->context->vk.CmdWriteTimestamp (commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times->pool,
                                        times->n);
  times->shaders[times->n++] = shader;
}

void
pt_vk_times_begin (PtVkTimes *times)
{
  if (times != NULL && times->size > 0)
    times->context->vk.ResetQueryPool (times->context->device, times->pool, 0, times->size);
}

void
pt_vk_times_end (PtVkTimes *times)
{
  g_autofree guint64 *marks = times != NULL ? g_new0 (guint64, times->size + 1) : NULL;
  double unit;

  if (times == NULL || times->n == 0 ||
      times->context->vk.GetQueryPoolResults (times->context->device, times->pool, 0, times->n,
                                              times->n * sizeof *marks, marks, sizeof *marks,
                                              VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return;
  unit = (double) times->context->limits.timestampPeriod * 1e-6;
  for (guint i = 1; i < times->n; i++) {
    if (times->shaders[i] >= PT_VK_N_SHADERS || marks[i] < marks[i - 1])
      continue;
    times->sums[times->shaders[i]] += (double) (marks[i] - marks[i - 1]) * unit;
    times->counts[times->shaders[i]]++;
  }
  times->n_runs++;
}
