/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-gpu.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-shaders.h"

#define MAX_GPUS 64

const char *
pt_vk_result_name (VkResult code)
{
  switch ((int) code) {
  case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
  case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
  case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
  case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
  case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
  case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
  case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
  case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
  case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
  case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
  case VK_ERROR_OUT_OF_POOL_MEMORY: return "VK_ERROR_OUT_OF_POOL_MEMORY";
  case VK_ERROR_FRAGMENTATION: return "VK_ERROR_FRAGMENTATION";
  case VK_TIMEOUT: return "VK_TIMEOUT";
  default: return "unknown error";
  }
}

const char *
pt_vk_type_name (VkPhysicalDeviceType type)
{
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return "software on the CPU";
  default: return "other device";
  }
}

gboolean
pt_vk_gpu_has_extension (const PtVkInstance *instance, VkPhysicalDevice gpu, const char *name)
{
  g_autofree VkExtensionProperties *list = NULL;
  guint32 n = 0;

  if (instance->vk.EnumerateDeviceExtensionProperties (gpu, NULL, &n, NULL) != VK_SUCCESS)
    return FALSE;
  list = g_new0 (VkExtensionProperties, MAX (n, 1));
  if (instance->vk.EnumerateDeviceExtensionProperties (gpu, NULL, &n, list) < 0)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (strncmp (list[i].extensionName, name, sizeof list[i].extensionName) == 0)
      return TRUE;
  return FALSE;
}

void
pt_vk_gpu_memory (const PtVkInstance *instance, VkPhysicalDevice gpu, guint64 *unused,
                  guint64 *total)
{
  gboolean knows = pt_vk_gpu_has_extension (instance, gpu, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
  };
  VkPhysicalDeviceMemoryProperties2 memory = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
    .pNext = knows ? &budget : NULL,
  };

  *unused = *total = 0;
  instance->vk.GetPhysicalDeviceMemoryProperties2 (gpu, &memory);
  for (guint32 i = 0; i < memory.memoryProperties.memoryHeapCount; i++) {
    const VkMemoryHeap *heap = &memory.memoryProperties.memoryHeaps[i];
    guint64 used = knows ? budget.heapUsage[i] : 0;
    guint64 limit = knows ? budget.heapBudget[i] : heap->size;

    if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0)
      continue;
    *total += heap->size;
    *unused += limit > used ? limit - used : 0;
  }
}

/* ---- Reasons against a GPU ---- */

static gboolean
find_queue (const PtVkInstance *instance, PtVkGpu *gpu)
{
  VkQueueFamilyProperties families[32];
  guint32 n = G_N_ELEMENTS (families);
  gboolean found = FALSE;

  instance->vk.GetPhysicalDeviceQueueFamilyProperties (gpu->handle, &n, families);
  for (guint32 i = 0; i < n; i++) {
    /* A queue that only computes does not wait for the screen's work. */
    gboolean is_pure = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;

    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || families[i].queueCount == 0 ||
        (found && !is_pure))
      continue;
    gpu->queue_family = i;
    if (is_pure)
      return TRUE;
    found = TRUE;
  }
  return found;
}

static const char *
missing_feature (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  VkPhysicalDeviceVulkan11Features features_11 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
  };
  VkPhysicalDeviceVulkan12Features features_12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .pNext = &features_11,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features_12,
  };
  VkPhysicalDeviceSubgroupProperties subgroup = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &subgroup,
  };

  instance->vk.GetPhysicalDeviceProperties2 (gpu, &properties);
  if ((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0 ||
      (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) == 0)
    return "arithmetic of subgroups";
  instance->vk.GetPhysicalDeviceFeatures2 (gpu, &features);
  if (!features_12.storageBuffer8BitAccess)
    return "storageBuffer8BitAccess";
  if (!features_11.storageBuffer16BitAccess)
    return "storageBuffer16BitAccess";
  return NULL;
}

/* What the shaders need. Returns: a sentence, or NULL */
static char *
find_small_limit (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  VkPhysicalDeviceProperties properties;
  const VkPhysicalDeviceLimits *limits = &properties.limits;
  guint32 buffers, group;

  instance->vk.GetPhysicalDeviceProperties (gpu, &properties);
  buffers =
      MIN (limits->maxPerStageDescriptorStorageBuffers, limits->maxDescriptorSetStorageBuffers);
  group = MIN (limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]);
  if (buffers < PT_VK_MAX_BINDINGS)
    return g_strdup_printf ("a program on it has %u buffers at most, and %d are needed.", buffers,
                            PT_VK_MAX_BINDINGS);
  if (group < PT_VK_MAX_GROUP)
    return g_strdup_printf ("a group of invocations on it has %u at most, and %d are needed.",
                            group, PT_VK_MAX_GROUP);
  return NULL;
}

/* Returns: a sentence, or NULL */
static char *
find_refusal (const PtVkInstance *instance, PtVkGpu *gpu)
{
  const char *feature;

  if (gpu->type == VK_PHYSICAL_DEVICE_TYPE_CPU && g_getenv ("PTERIS_VULKAN_SOFTWARE") == NULL)
    return g_strdup ("it is no GPU, but software on the CPU, which programs for the CPU are faster "
                     "than (PTERIS_VULKAN_SOFTWARE=1 allows it).");
  if (gpu->api_version < PT_VK_OLDEST_VERSION)
    return g_strdup_printf ("its driver is for Vulkan %u.%u, and 1.2 is needed; update it.",
                            VK_API_VERSION_MAJOR (gpu->api_version),
                            VK_API_VERSION_MINOR (gpu->api_version));
  if (!find_queue (instance, gpu))
    return g_strdup ("it cannot compute.");
  feature = missing_feature (instance, gpu->handle);
  if (feature != NULL)
    return g_strdup_printf ("its driver lacks the feature %s; update it.", feature);
  return find_small_limit (instance, gpu->handle);
}

/* ---- The list ---- */

static guint64
largest_heap (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  VkPhysicalDeviceMemoryProperties memory;
  guint64 sum = 0;

  instance->vk.GetPhysicalDeviceMemoryProperties (gpu, &memory);
  for (guint32 i = 0; i < memory.memoryHeapCount; i++)
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
      sum += memory.memoryHeaps[i].size;
  return sum;
}

static guint64
luid_of (const guint8 bytes[VK_LUID_SIZE])
{
  guint64 luid;

  memcpy (&luid, bytes, sizeof luid);
  return GUINT64_FROM_LE (luid);
}

static void
read_gpu (const PtVkInstance *instance, VkPhysicalDevice handle, PtVkGpu *gpu)
{
  VkPhysicalDeviceIDProperties id = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &id,
  };

  gpu->handle = handle;
  instance->vk.GetPhysicalDeviceProperties (handle, &properties.properties);
  if (properties.properties.apiVersion >= VK_API_VERSION_1_1)
    instance->vk.GetPhysicalDeviceProperties2 (handle, &properties);
  g_strlcpy (gpu->name, properties.properties.deviceName, sizeof gpu->name);
  if (!g_utf8_validate (gpu->name, -1, NULL))
    g_strlcpy (gpu->name, "GPU", sizeof gpu->name);
  gpu->type = properties.properties.deviceType;
  gpu->vendor = properties.properties.vendorID;
  gpu->api_version = properties.properties.apiVersion;
  memcpy (gpu->uuid, id.deviceUUID, sizeof gpu->uuid);
  gpu->luid = id.deviceLUIDValid ? luid_of (id.deviceLUID) : 0;
  gpu->memory = largest_heap (instance, handle);
  gpu->refusal = find_refusal (instance, gpu);
}

static guint
rank_of_type (VkPhysicalDeviceType type)
{
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
  default: return 3;
  }
}

static int
compare_gpus (gconstpointer a, gconstpointer b)
{
  const PtVkGpu *x = a, *y = b;

  if ((x->refusal == NULL) != (y->refusal == NULL))
    return x->refusal == NULL ? -1 : 1;
  if (x->type != y->type)
    return (int) rank_of_type (x->type) - (int) rank_of_type (y->type);
  if (x->memory != y->memory)
    return x->memory > y->memory ? -1 : 1;
  return strcmp (x->name, y->name);
}

/* The second driver of a GPU shows the same UUID. */
static gboolean
is_listed (const PtVkInstance *instance, const PtVkGpu *gpu)
{
  static const guint8 none[VK_UUID_SIZE];

  if (memcmp (gpu->uuid, none, sizeof none) == 0)
    return FALSE;
  for (guint i = 0; i < instance->n_gpus; i++)
    if (instance->gpus[i].refusal == NULL &&
        memcmp (instance->gpus[i].uuid, gpu->uuid, sizeof none) == 0)
      return TRUE;
  return FALSE;
}

gboolean
pt_vk_gpus_list (PtVkInstance *instance, GError **error)
{
  VkPhysicalDevice handles[MAX_GPUS];
  guint32 n = MAX_GPUS;
  VkResult code = instance->vk.EnumeratePhysicalDevices (instance->handle, &n, handles);

  if (code == VK_ERROR_INITIALIZATION_FAILED || code == VK_ERROR_INCOMPATIBLE_DRIVER)
    n = 0; /* what the loader says when no driver works */
  else if (code < 0)
    return pt_fail (error, PT_ERROR_GPU,
                    "Vulkan cannot list the GPUs: %s (Vulkan error %d). Reinstall their drivers.",
                    pt_vk_result_name (code), code);
  instance->gpus = g_new0 (PtVkGpu, MAX (n, 1));
  for (guint32 i = 0; i < n; i++) {
    PtVkGpu *gpu = &instance->gpus[instance->n_gpus];

    read_gpu (instance, handles[i], gpu);
    if (gpu->refusal == NULL && is_listed (instance, gpu))
      gpu->refusal = g_strdup ("another driver shows the same GPU, which is used through that.");
    instance->n_gpus++;
  }
  qsort (instance->gpus, instance->n_gpus, sizeof (PtVkGpu), compare_gpus);
  for (guint i = 0; i < instance->n_gpus; i++)
    instance->n_usable += instance->gpus[i].refusal == NULL;
  return TRUE;
}
