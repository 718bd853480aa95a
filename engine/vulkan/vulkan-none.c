/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vulkan.h"

/* A build without Vulkan: programs for it say that the backend is missing. */
void
pt_vulkan_register (void)
{
}
