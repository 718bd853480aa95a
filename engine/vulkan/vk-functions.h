/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Nothing of Vulkan is linked: its functions are found at run time (vk-instance.c). */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <glib.h>

G_BEGIN_DECLS

/*
 * The functions of Vulkan that we call: X (name without "vk", needed). Where one that is not
 * needed is missing, its member is NULL.
 */

#define PT_VK_GLOBAL_FUNCTIONS(X)                \
  X (EnumerateInstanceVersion, FALSE)            \
  X (EnumerateInstanceExtensionProperties, TRUE) \
  X (EnumerateInstanceLayerProperties, TRUE)     \
  X (CreateInstance, TRUE)

#define PT_VK_INSTANCE_FUNCTIONS(X)                \
  X (DestroyInstance, TRUE)                        \
  X (EnumeratePhysicalDevices, TRUE)               \
  X (GetPhysicalDeviceProperties, TRUE)            \
  X (GetPhysicalDeviceProperties2, TRUE)           \
  X (GetPhysicalDeviceFeatures2, TRUE)             \
  X (GetPhysicalDeviceMemoryProperties, TRUE)      \
  X (GetPhysicalDeviceMemoryProperties2, TRUE)     \
  X (GetPhysicalDeviceQueueFamilyProperties, TRUE) \
  X (EnumerateDeviceExtensionProperties, TRUE)     \
  X (CreateDevice, TRUE)                           \
  X (GetDeviceProcAddr, TRUE)                      \
  X (CreateDebugUtilsMessengerEXT, FALSE)          \
  X (DestroyDebugUtilsMessengerEXT, FALSE)

#define PT_VK_DEVICE_FUNCTIONS(X)       \
  X (DestroyDevice, TRUE)               \
  X (GetDeviceQueue, TRUE)              \
  X (QueueSubmit, TRUE)                 \
  X (DeviceWaitIdle, TRUE)              \
  X (AllocateMemory, TRUE)              \
  X (FreeMemory, TRUE)                  \
  X (MapMemory, TRUE)                   \
  X (CreateBuffer, TRUE)                \
  X (DestroyBuffer, TRUE)               \
  X (GetBufferMemoryRequirements, TRUE) \
  X (BindBufferMemory, TRUE)            \
  X (CreateFence, TRUE)                 \
  X (DestroyFence, TRUE)                \
  X (ResetFences, TRUE)                 \
  X (WaitForFences, TRUE)               \
  X (GetFenceStatus, TRUE)              \
  X (CreateShaderModule, TRUE)          \
  X (DestroyShaderModule, TRUE)         \
  X (CreatePipelineCache, TRUE)         \
  X (DestroyPipelineCache, TRUE)        \
  X (GetPipelineCacheData, TRUE)        \
  X (CreateComputePipelines, TRUE)      \
  X (DestroyPipeline, TRUE)             \
  X (CreatePipelineLayout, TRUE)        \
  X (DestroyPipelineLayout, TRUE)       \
  X (CreateDescriptorSetLayout, TRUE)   \
  X (DestroyDescriptorSetLayout, TRUE)  \
  X (CreateDescriptorPool, TRUE)        \
  X (DestroyDescriptorPool, TRUE)       \
  X (ResetDescriptorPool, TRUE)         \
  X (AllocateDescriptorSets, TRUE)      \
  X (UpdateDescriptorSets, TRUE)        \
  X (CreateCommandPool, TRUE)           \
  X (DestroyCommandPool, TRUE)          \
  X (ResetCommandPool, TRUE)            \
  X (AllocateCommandBuffers, TRUE)      \
  X (FreeCommandBuffers, TRUE)          \
  X (BeginCommandBuffer, TRUE)          \
  X (EndCommandBuffer, TRUE)            \
  X (CmdBindPipeline, TRUE)             \
  X (CmdBindDescriptorSets, TRUE)       \
  X (CmdPushConstants, TRUE)            \
  X (CmdDispatch, TRUE)                 \
  X (CmdCopyBuffer, TRUE)               \
  X (CmdFillBuffer, TRUE)               \
  X (CmdPipelineBarrier, TRUE)          \
  X (CreateQueryPool, TRUE)             \
  X (DestroyQueryPool, TRUE)            \
  X (ResetQueryPool, FALSE)             \
  X (GetQueryPoolResults, TRUE)         \
  X (CmdWriteTimestamp, TRUE)

#define PT_VK_MEMBER(name, needed) PFN_vk##name name;

typedef struct {
  PT_VK_GLOBAL_FUNCTIONS (PT_VK_MEMBER)
  PT_VK_INSTANCE_FUNCTIONS (PT_VK_MEMBER)
} PtVkInstanceFunctions;

typedef struct {
  PT_VK_DEVICE_FUNCTIONS (PT_VK_MEMBER)
} PtVkFunctions;

G_END_DECLS
