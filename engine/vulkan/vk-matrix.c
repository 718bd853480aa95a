/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-matrix.h"

#include "engine/vulkan/vk-gpu.h"
#include "engine/vulkan/vk-library.h"

#define MAX_KINDS 64
#define AMD 0x1002

/* VkCooperativeMatrixPropertiesKHR */
typedef struct {
  VkStructureType type;
  void *next;
  guint32 m, n, k;
  gint32 a, b, c, result; /* VkComponentTypeKHR */
  VkBool32 is_saturating;
  gint32 scope; /* VkScopeKHR */
} MatrixKind;

#define MATRIX_KIND ((VkStructureType) 1000506001)
enum { COMPONENT_INT8 = 3, COMPONENT_INT32 = 5 };
enum { SCOPE_SUBGROUP = 3 };

typedef VkResult (VKAPI_PTR *ListKinds) (VkPhysicalDevice gpu, guint32 *n, MatrixKind *kinds);

/* Drivers of AMD for Windows have crashed when an integrated GPU was asked (llama.cpp #22750). */
static gboolean
may_be_asked (const PtVkGpu *gpu)
{
  return gpu->vendor != AMD || gpu->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

/* Whether a shader can rely on the size of subgroups. */
static gboolean
has_fixed_subgroups (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &sizes,
  };

  instance->vk.GetPhysicalDeviceProperties2 (gpu, &properties);
  return (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

static gboolean
has_features (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  PtVkMatrixFeatures matrix = { .type = PT_VK_MATRIX_FEATURES };
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
    .pNext = &matrix,
  };
  VkPhysicalDeviceVulkan12Features features_12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .pNext = &subgroups,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features_12,
  };

  instance->vk.GetPhysicalDeviceFeatures2 (gpu, &features);
  return matrix.has_matrix && subgroups.subgroupSizeControl && subgroups.computeFullSubgroups &&
         features_12.shaderInt8 && features_12.vulkanMemoryModel;
}

/* Tiles are of multiples of 16, chunks of 32 elements, and loads of 16 bytes. */
static gboolean
fits (const MatrixKind *kind)
{
  return kind->a == COMPONENT_INT8 && kind->b == COMPONENT_INT8 && kind->c == COMPONENT_INT32 &&
         kind->result == COMPONENT_INT32 && !kind->is_saturating && kind->scope == SCOPE_SUBGROUP &&
         (kind->m == 8 || kind->m == 16) && (kind->n == 8 || kind->n == 16) &&
         (kind->k == 16 || kind->k == 32);
}

static PtVkMatrixSize
largest_kind (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  PFN_vkGetInstanceProcAddr get = pt_vk_library_open (NULL);
  ListKinds list = get == NULL
                       ? NULL
                       : (ListKinds) (void (*) (void)) get (
                             instance->handle, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  MatrixKind kinds[MAX_KINDS];
  PtVkMatrixSize size = { 0 };
  guint32 n = MAX_KINDS;

  for (guint i = 0; i < MAX_KINDS; i++)
    kinds[i] = (MatrixKind){ .type = MATRIX_KIND };
  if (list == NULL || list (gpu, &n, kinds) < 0)
    return size;
  for (guint i = 0; i < MIN (n, MAX_KINDS); i++)
    if (fits (&kinds[i]) && kinds[i].m * kinds[i].n * kinds[i].k > size.m * size.n * size.k)
      size = (PtVkMatrixSize){ kinds[i].m, kinds[i].n, kinds[i].k };
  return size;
}

PtVkMatrixSize
pt_vk_matrix_size (const PtVkInstance *instance, const PtVkGpu *gpu)
{
  if (!may_be_asked (gpu) ||
      !pt_vk_gpu_has_extension (instance, gpu->handle, PT_VK_MATRIX_EXTENSION) ||
      !has_features (instance, gpu->handle) || !has_fixed_subgroups (instance, gpu->handle))
    return (PtVkMatrixSize){ 0 };
  return largest_kind (instance, gpu->handle);
}
