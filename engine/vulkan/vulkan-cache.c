/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vulkan-cache.h"

#include <string.h>

#include "engine/program/program-cache.h"

static gboolean
has_delegate (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++)
    if (strcmp (plan->delegates[i].id, "VulkanBackend") == 0)
      return TRUE;
  return FALSE;
}

char *
pt_vulkan_cache_folder (const PtProgram *program)
{
  for (guint i = 0; i < pt_program_n_plans (program); i++)
    if (has_delegate (pt_program_plan (program, i)))
      return pt_program_cache_folder (program, "vulkan");
  return NULL;
}
