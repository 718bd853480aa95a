/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-context.h"

G_BEGIN_DECLS

/**
 * PtVkTimes: how long the shaders of one recording take, by timestamps of the GPU. For developers:
 * with PTERIS_VULKAN_TIMES a table is printed when the recording ends.
 */
typedef struct _PtVkTimes PtVkTimes;

/** NULL: not asked for, or the GPU has no such clock. */
PtVkTimes *pt_vk_times_new (PtVkContext *context);
/** Print the table; NULL: nothing. */
void pt_vk_times_free (PtVkTimes *times);

/** Forget the marks, for a new recording with at most @n marks. */
void pt_vk_times_clear (PtVkTimes *times, guint n);
/** Before the first command of a command buffer: @shader PT_VK_N_SHADERS; after a dispatch. */
void pt_vk_times_mark (PtVkTimes *times, VkCommandBuffer commands, guint shader);
/** Before and after all command buffers ran once. */
void pt_vk_times_begin (PtVkTimes *times);
void pt_vk_times_end (PtVkTimes *times);

G_END_DECLS
