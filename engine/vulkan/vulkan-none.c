/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vulkan.h"

/* A build without Vulkan: programs for it say that the backend is missing. */
void
pt_vulkan_register (void)
{
}

const GPtrArray *
pt_vulkan_gpus (void)
{
  static gsize none;

  if (g_once_init_enter (&none))
    g_once_init_leave (&none, (gsize) g_ptr_array_new ());
  return (const GPtrArray *) none;
}
