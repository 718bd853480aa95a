/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/vulkan/vk-functions.h"

G_BEGIN_DECLS

/**
 * Load the Vulkan loader (libvulkan.so.1, vulkan-1.dll, or the file that the environment variable
 * PTERIS_VULKAN names) for the rest of the process. NULL with PT_ERROR_NOT_FOUND.
 */
PFN_vkGetInstanceProcAddr pt_vk_library_open (GError **error);

G_END_DECLS
