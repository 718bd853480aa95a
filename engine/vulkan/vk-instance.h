/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/vulkan/vk-functions.h"

G_BEGIN_DECLS

/*
 * The Vulkan loader and the GPUs behind it (docs/vulkan.md). Everything is made at the first call
 * and kept until the process ends. Any thread.
 */

/** One GPU that Vulkan shows. */
typedef struct {
  VkPhysicalDevice handle;
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  VkPhysicalDeviceType type;
  guint32 vendor, api_version;
  guint8 uuid[VK_UUID_SIZE];
  guint64 luid;         /* Windows' number of the GPU; 0: none */
  guint64 memory;       /* bytes of its own memory, or of the memory that it shares */
  guint32 queue_family; /* one that computes */
  char *refusal;        /* why it cannot be used, a sentence; NULL: it can */
} PtVkGpu;

typedef struct {
  PtVkInstanceFunctions vk;
  VkInstance handle;
  gboolean validates; /* the validation layer is on */
  PtVkGpu *gpus;      /* the usable ones first, the best one first */
  guint n_gpus, n_usable;
} PtVkInstance;

/**
 * The instance, with at least one GPU that can be used. NULL with PT_ERROR_NOT_FOUND that says why
 * there is none, with the reason of each GPU.
 */
const PtVkInstance *pt_vk_instance (GError **error);

/** The same, also when no GPU can be used; NULL where Vulkan itself is missing. */
const PtVkInstance *pt_vk_instance_any (GError **error);

/**
 * Whether delegates compute on the CPU, without Vulkan: the environment variable PTERIS_VULKAN is
 * "cpu". Slow; for comparing results.
 */
gboolean pt_vk_is_on_cpu (void);

/** "discrete GPU", "integrated GPU", … */
const char *pt_vk_type_name (VkPhysicalDeviceType type);

/** Number of messages of the validation layer so far. */
guint pt_vk_n_messages (void);

G_END_DECLS
