/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-instance.h"

G_BEGIN_DECLS

/** The oldest version of Vulkan that our shaders run with. */
#define PT_VK_OLDEST_VERSION VK_API_VERSION_1_2

/**
 * List the GPUs of @instance, the usable ones first and the best one first: discrete, integrated,
 * virtual; of equal ones that with more memory. A GPU that two drivers show is listed once. Those
 * that compute on the CPU are used only when the environment variable PTERIS_VULKAN_SOFTWARE is
 * set.
 */
gboolean pt_vk_gpus_list (PtVkInstance *instance, GError **error);

/** Whether @gpu of @instance has the device extension @name. */
gboolean pt_vk_gpu_has_extension (const PtVkInstance *instance, VkPhysicalDevice gpu,
                                  const char *name);

/**
 * The bytes of device memory that a program may still use (VK_EXT_memory_budget), and those of all;
 * without that extension both are the size of the heap.
 */
void pt_vk_gpu_memory (const PtVkInstance *instance, VkPhysicalDevice gpu, guint64 *unused,
                       guint64 *total);

/** "VK_ERROR_DEVICE_LOST", …; "unknown error". */
const char *pt_vk_result_name (VkResult code);

G_END_DECLS
