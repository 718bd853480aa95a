/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-context.h"

G_BEGIN_DECLS

/*
 * What the driver compiled from our shaders, kept in a file of the program's cache folder, one for
 * each GPU and version of its driver. A file that is not what we wrote, or is of another driver, is
 * not given to the driver, and replaced.
 */

/** Larger ones are neither kept nor read. */
#define PT_VK_MAX_KEPT_PIPELINES (32 << 20)

/** Make context->cache, from the file in @folder if it fits. @folder: NULL: nothing is kept. */
gboolean pt_vk_pipelines_open (PtVkContext *context, const char *folder, GError **error);

/** Write the file if there are more pipelines than at the last call. Failures are no errors. */
void pt_vk_pipelines_keep (PtVkContext *context);

/**
 * The content of the file at @path for the GPU @properties. NULL with an error that says why it is
 * not used. Free with g_free(). Any thread.
 */
guint8 *pt_vk_pipelines_read (const char *path, const VkPhysicalDeviceProperties *properties,
                              gsize *size, GError **error);

/** Write it. */
gboolean pt_vk_pipelines_write (const char *path, const guint8 *data, gsize size, GError **error);

G_END_DECLS
