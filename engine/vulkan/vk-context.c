/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-context.h"

#include <string.h>

#include "engine/base/gpu-fault.h"
#include "engine/base/set-error.h"
#include "engine/vulkan/vk-gpu.h"
#include "engine/vulkan/vk-pipeline-cache.h"

/* The contexts in use. A queue belongs to one thread, so each engine thread has contexts of its
 * own. */
static GSList *contexts;
static GMutex lock;

/* ---- Errors ---- */

gboolean
pt_vk_fail_memory (PtVkContext *context, const char *what, guint64 needed, GError **error)
{
  guint64 unused, total;
  g_autofree char *need =
      needed > 0 ? g_strdup_printf ("%.2f GB are needed, ", (double) needed / 1e9) : g_strdup ("");

  pt_vk_gpu_memory (context->instance, context->gpu->handle, &unused, &total);
  return pt_fail (error, PT_ERROR_MEMORY,
                  "%s failed: there is not enough memory on the GPU (%s): %s%.2f of %.2f GB are "
                  "free. Close other programs that use the GPU, or use a smaller model.",
                  what, context->gpu->name, need, (double) unused / 1e9, (double) total / 1e9);
}

gboolean
pt_vk_check (PtVkContext *context, VkResult code, const char *what, GError **error)
{
  if (G_LIKELY (code == VK_SUCCESS))
    return TRUE;
  if (code == VK_ERROR_OUT_OF_DEVICE_MEMORY || code == VK_ERROR_OUT_OF_HOST_MEMORY ||
      code == VK_ERROR_OUT_OF_POOL_MEMORY || code == VK_ERROR_TOO_MANY_OBJECTS)
    return pt_vk_fail_memory (context, what, 0, error);
  if (code != VK_ERROR_DEVICE_LOST)
    return pt_fail (error, PT_ERROR_GPU, "%s failed on the GPU %s: %s (Vulkan error %d).", what,
                    context->gpu->name, pt_vk_result_name (code), code);
  context->is_lost = TRUE;
  pt_gpu_fault_set (code, FALSE);
  return pt_fail (error, PT_ERROR_GPU,
                  "%s failed: the driver of the GPU %s has given up its work (%s, Vulkan error "
                  "%d). Load the model again; if it happens again, update the driver, or use a "
                  "model for the CPU.",
                  what, context->gpu->name, pt_vk_result_name (code), code);
}

/* ---- Waiting ---- */

#define SECOND G_GUINT64_CONSTANT (1000000000)
/* Of one submission. Work is cut into parts of some 10 ms of a slow GPU (vk-record.c). */
#define MAX_SECONDS 60
/* The system wakes a thread some ten microseconds late, which a token would wait each time. */
#define SPIN_MICROSECONDS 3000

static VkResult
spin (PtVkContext *context, VkFence fence, gint64 begin)
{
  VkResult code;

  do
    code = context->vk.GetFenceStatus (context->device, fence);
  while (code == VK_NOT_READY && g_get_monotonic_time () - begin < SPIN_MICROSECONDS);
  return code;
}

gboolean
pt_vk_wait (PtVkContext *context, const VkFence *fence, const char *what, GError **error)
{
  const gboolean is_software = context->gpu->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  const gint64 begin = g_get_monotonic_time ();
  VkResult code = is_software || context->is_slow ? VK_NOT_READY : spin (context, *fence, begin);

  if (code == VK_NOT_READY)
    code = VK_TIMEOUT;
  /* Software may be as slow as the other programs leave it. */
  for (guint i = 0; code == VK_TIMEOUT && (is_software || i < MAX_SECONDS); i++)
    code = context->vk.WaitForFences (context->device, 1, fence, VK_TRUE, SECOND);
  context->is_slow = g_get_monotonic_time () - begin > SPIN_MICROSECONDS;
  if (code == VK_SUCCESS)
    code = context->vk.ResetFences (context->device, 1, fence);
  if (code != VK_TIMEOUT)
    return pt_vk_check (context, code, what, error);
  context->is_lost = context->is_stuck = TRUE;
  pt_gpu_fault_set (code, TRUE);
  return pt_fail (error, PT_ERROR_GPU,
                  "%s failed: the GPU %s has not answered for %d seconds. Load the model again; if "
                  "it happens again, update the driver, or use a model for the CPU.",
                  what, context->gpu->name, MAX_SECONDS);
}

void
pt_vk_wait_idle (PtVkContext *context)
{
  if (!context->is_stuck)
    context->vk.DeviceWaitIdle (context->device);
}

/* ---- The device ---- */

static const struct {
  const char *name;
  gsize offset;
  gboolean needed;
} members[] = {
#define OF_DEVICE(name, needed) { "vk" #name, G_STRUCT_OFFSET (PtVkFunctions, name), needed },
  PT_VK_DEVICE_FUNCTIONS (OF_DEVICE)
};

static gboolean
resolve (PtVkContext *context, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    PFN_vkVoidFunction function =
        context->instance->vk.GetDeviceProcAddr (context->device, members[i].name);

    if (function == NULL && members[i].needed)
      return pt_fail (error, PT_ERROR_GPU,
                      "The driver of the GPU %s lacks the function %s. Update it.",
                      context->gpu->name, members[i].name);
    memcpy ((guint8 *) &context->vk + members[i].offset, &function, sizeof function);
  }
  return TRUE;
}

/* Timing is asked for, and the GPU has a clock whose marks the host can clear. */
static gboolean
wants_times (const PtVkContext *context)
{
  VkPhysicalDeviceHostQueryResetFeatures reset = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &reset,
  };

  if (g_getenv ("PTERIS_VULKAN_TIMES") == NULL || !context->limits.timestampComputeAndGraphics)
    return FALSE;
  context->instance->vk.GetPhysicalDeviceFeatures2 (context->gpu->handle, &features);
  return reset.hostQueryReset;
}

/* Instructions that products of bytes can use. */
static void
read_features (PtVkContext *context)
{
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
  };
  VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &dot,
  };

  context->has_times = wants_times (context);
  context->has_dot = FALSE;
  context->matrix = (PtVkMatrixSize){ 0 };
  if (context->gpu->api_version < VK_API_VERSION_1_3 || g_getenv ("PTERIS_VULKAN_PLAIN") != NULL)
    return;
  context->instance->vk.GetPhysicalDeviceFeatures2 (context->gpu->handle, &features);
  context->has_dot = dot.shaderIntegerDotProduct;
  context->matrix = pt_vk_matrix_size (context->instance, context->gpu);
}

/* Of PTERIS_VULKAN_RANGE: the table of symbolic integers. */
#define MIN_RANGE 4096

/* PTERIS_VULKAN_RANGE makes it fewer, so that tests meet the limit. */
static guint64
reachable_bytes (const PtVkContext *context)
{
  const char *text = g_getenv ("PTERIS_VULKAN_RANGE");
  guint64 limit = G_MAXUINT64;

  if (text != NULL && !g_ascii_string_to_unsigned (text, 10, MIN_RANGE, G_MAXUINT32, &limit, NULL))
    limit = G_MAXUINT64;
  return MIN (limit, context->limits.maxStorageBufferRange);
}

static void
read_properties (PtVkContext *context)
{
  VkPhysicalDeviceMaintenance3Properties maintenance = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
  };
  VkPhysicalDeviceSubgroupProperties subgroup = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
    .pNext = &maintenance,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &subgroup,
  };

  context->instance->vk.GetPhysicalDeviceProperties2 (context->gpu->handle, &properties);
  context->properties = properties.properties;
  context->limits = properties.properties.limits;
  context->max_allocation = maintenance.maxMemoryAllocationSize;
  context->max_range = reachable_bytes (context);
  context->subgroup_size = subgroup.subgroupSize;
  context->is_unified = context->gpu->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
                        context->gpu->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  context->instance->vk.GetPhysicalDeviceMemoryProperties (context->gpu->handle, &context->memory);
}

static gboolean
create_device (PtVkContext *context, GError **error)
{
  static const float priority = 1.0f;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
    .shaderIntegerDotProduct = VK_TRUE,
  };
  PtVkMatrixFeatures matrix = { PT_VK_MATRIX_FEATURES, context->has_dot ? &dot : NULL, VK_TRUE,
                                VK_FALSE };
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
    .pNext = &matrix,
    .subgroupSizeControl = VK_TRUE,
    .computeFullSubgroups = VK_TRUE,
  };
  static const char *const matrix_extension = PT_VK_MATRIX_EXTENSION;
  const gboolean has_matrix = context->matrix.m > 0;
  VkPhysicalDeviceVulkan11Features features_11 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
    .pNext = has_matrix         ? (void *) &subgroups
             : context->has_dot ? &dot
                                : NULL,
    .storageBuffer16BitAccess = VK_TRUE,
  };
  VkPhysicalDeviceVulkan12Features features_12 = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    .pNext = &features_11,
    .storageBuffer8BitAccess = VK_TRUE,
    .hostQueryReset = context->has_times,
    .shaderInt8 = has_matrix,
    .vulkanMemoryModel = has_matrix,
  };
  const VkPhysicalDeviceFeatures2 features = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = &features_12,
    .features.robustBufferAccess = context->instance->validates,
  };
  const VkDeviceQueueCreateInfo queue = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
    .queueFamilyIndex = context->gpu->queue_family,
    .queueCount = 1,
    .pQueuePriorities = &priority,
  };
  const VkDeviceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
    .pNext = &features,
    .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue,
    .enabledExtensionCount = has_matrix ? 1 : 0,
    .ppEnabledExtensionNames = &matrix_extension,
  };
  VkResult code;

  code = context->instance->vk.CreateDevice (context->gpu->handle, &info, NULL, &context->device);
  if (code != VK_SUCCESS)
    context->device = NULL;
  if (!pt_vk_check (context, code, "Starting the GPU", error))
    return FALSE;
  if (!resolve (context, error)) {
    if (context->vk.DestroyDevice != NULL)
      context->vk.DestroyDevice (context->device, NULL);
    context->device = NULL;
    return FALSE;
  }
  context->vk.GetDeviceQueue (context->device, context->gpu->queue_family, 0, &context->queue);
  return TRUE;
}

/* ---- Pipelines ---- */

typedef struct {
  guint32 shader, n;
  guint32 constants[PT_VK_MAX_CONSTANTS];
  VkPipeline pipeline;
} Pipeline;

static guint
hash_pipeline (gconstpointer data)
{
  const Pipeline *p = data;
  guint hash = p->shader;

  for (guint i = 0; i < p->n; i++)
    hash = hash * 31 + p->constants[i];
  return hash;
}

static gboolean
equal_pipelines (gconstpointer a, gconstpointer b)
{
  const Pipeline *x = a, *y = b;

  return x->shader == y->shader && x->n == y->n &&
         memcmp (x->constants, y->constants, x->n * sizeof *x->constants) == 0;
}

/* The layout of all shaders with @n buffers, which are the bindings 0 .. @n - 1 of set 0. */
static gboolean
make_layout (PtVkContext *context, guint n, GError **error)
{
  VkDescriptorSetLayoutBinding bindings[PT_VK_MAX_BINDINGS];
  const VkPushConstantRange range = {
    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    .size = PT_VK_MAX_PUSH,
  };
  const VkDescriptorSetLayoutCreateInfo set = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
    .bindingCount = n,
    .pBindings = bindings,
  };
  const VkPipelineLayoutCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
    .setLayoutCount = 1,
    .pSetLayouts = &context->set_layouts[n],
    .pushConstantRangeCount = 1,
    .pPushConstantRanges = &range,
  };
  VkResult code = VK_SUCCESS;

  for (guint i = 0; i < n; i++)
    bindings[i] = (VkDescriptorSetLayoutBinding){
      .binding = i,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .descriptorCount = 1,
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
  if (context->set_layouts[n] == VK_NULL_HANDLE) {
    code = context->vk.CreateDescriptorSetLayout (context->device, &set, NULL,
                                                  &context->set_layouts[n]);
    if (code != VK_SUCCESS)
      context->set_layouts[n] = VK_NULL_HANDLE;
  }
  if (code == VK_SUCCESS) {
    code = context->vk.CreatePipelineLayout (context->device, &info, NULL, &context->layouts[n]);
    if (code != VK_SUCCESS)
      context->layouts[n] = VK_NULL_HANDLE;
  }
  return pt_vk_check (context, code, "Preparing the GPU", error);
}

static gboolean
make_pipeline (PtVkContext *context, Pipeline *p, GError **error)
{
  const PtVkShaderCode *code = pt_vk_shader_code (p->shader);
  VkSpecializationMapEntry entries[PT_VK_MAX_CONSTANTS];
  const VkSpecializationInfo constants = {
    .mapEntryCount = p->n,
    .pMapEntries = entries,
    .dataSize = p->n * sizeof *p->constants,
    .pData = p->constants,
  };
  const VkShaderModuleCreateInfo module_info = {
    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    .codeSize = code->size,
    .pCode = code->words,
  };
  VkComputePipelineCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
    .stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .pName = "main",
               .pSpecializationInfo = &constants },
    .layout = context->layouts[code->n_bindings],
  };
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
    .requiredSubgroupSize = context->subgroup_size,
  };
  VkResult result;

  if (p->shader == PT_VK_SHADER_matmul_matrix) {
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.pNext = &subgroups;
  }
  for (guint i = 0; i < p->n; i++)
    entries[i] = (VkSpecializationMapEntry){ i, i * (guint32) sizeof (guint32), sizeof (guint32) };
  if (!pt_vk_check (
          context,
          context->vk.CreateShaderModule (context->device, &module_info, NULL, &info.stage.module),
          "Loading a shader", error))
    return FALSE;
  result = context->vk.CreateComputePipelines (context->device, context->cache, 1, &info, NULL,
                                               &p->pipeline);
  context->vk.DestroyShaderModule (context->device, info.stage.module, NULL);
  if (result != VK_SUCCESS)
    p->pipeline = VK_NULL_HANDLE;
  return pt_vk_check (context, result, "Compiling a shader", error);
}

VkPipeline
pt_vk_pipeline (PtVkContext *context, PtVkShader shader, const guint32 *constants, guint n,
                GError **error)
{
  Pipeline key = { .shader = shader, .n = n };
  Pipeline *found;
  const guint n_bindings = pt_vk_shader_code (shader)->n_bindings;

  g_assert (n <= PT_VK_MAX_CONSTANTS);
  if (n > 0)
    memcpy (key.constants, constants, n * sizeof *constants);
  found = g_hash_table_lookup (context->pipelines, &key);
  if (found != NULL)
    return found->pipeline;
  if (context->layouts[n_bindings] == VK_NULL_HANDLE && !make_layout (context, n_bindings, error))
    return VK_NULL_HANDLE;
  if (!make_pipeline (context, &key, error)) {
    pt_prefix_error (error, "Shader %s: ", pt_vk_shader_code (shader)->name);
    return VK_NULL_HANDLE;
  }
  found = g_memdup2 (&key, sizeof key);
  g_hash_table_add (context->pipelines, found);
  return found->pipeline;
}

/* ---- Life ---- */

static void
free_context (PtVkContext *context)
{
  const PtVkFunctions *vk = &context->vk;

  if (context->device != NULL && !context->is_stuck) {
    GHashTableIter iter;
    gpointer key;

    if (context->sampling != NULL)
      context->free_sampling (context);
    vk->DeviceWaitIdle (context->device);
    g_hash_table_iter_init (&iter, context->pipelines);
    while (g_hash_table_iter_next (&iter, &key, NULL))
      vk->DestroyPipeline (context->device, ((Pipeline *) key)->pipeline, NULL);
    for (guint i = 0; i <= PT_VK_MAX_BINDINGS; i++) {
      vk->DestroyPipelineLayout (context->device, context->layouts[i], NULL);
      vk->DestroyDescriptorSetLayout (context->device, context->set_layouts[i], NULL);
    }
    vk->DestroyPipelineCache (context->device, context->cache, NULL);
    vk->DestroyDevice (context->device, NULL);
  }
  g_hash_table_unref (context->pipelines);
  g_ptr_array_unref (context->handed);
  g_free (context->kept_path);
  g_free (context);
}

static PtVkContext *
make_context (const PtVkInstance *instance, int index, const char *cache_folder, GError **error)
{
  PtVkContext *context = g_new0 (PtVkContext, 1);

  context->n_references = 1;
  context->index = index;
  context->thread = g_thread_self ();
  context->instance = instance;
  context->gpu = &instance->gpus[index];
  context->pipelines = g_hash_table_new_full (hash_pipeline, equal_pipelines, g_free, NULL);
  context->handed = g_ptr_array_new ();
  read_properties (context);
  read_features (context);
  if (create_device (context, error) && pt_vk_pipelines_open (context, cache_folder, error))
    return context;
  free_context (context);
  return NULL;
}

/* A lost device stays with those that use it; others get a new one. */
static PtVkContext *
find_context (int index)
{
  for (GSList *i = contexts; i != NULL; i = i->next) {
    PtVkContext *context = i->data;

    if (context->index == index && context->thread == g_thread_self () && !context->is_lost)
      return context;
  }
  return NULL;
}

PtVkContext *
pt_vk_context_get (int index, const char *cache_folder, GError **error)
{
  const PtVkInstance *instance = pt_vk_instance (error);
  PtVkContext *context;

  if (instance == NULL)
    return NULL;
  if (index < 0 || (guint) index >= instance->n_usable) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "There is no GPU number %d for Vulkan: this machine has %u, numbered from 0. Choose "
             "another one.",
             index, instance->n_usable);
    return NULL;
  }
  g_mutex_lock (&lock);
  context = find_context (index);
  if (context != NULL)
    context->n_references++;
  else if ((context = make_context (instance, index, cache_folder, error)) != NULL)
    contexts = g_slist_prepend (contexts, context);
  g_mutex_unlock (&lock);
  return context;
}

PtVkContext *
pt_vk_context_find (int index)
{
  PtVkContext *context;

  g_mutex_lock (&lock);
  context = find_context (index);
  g_mutex_unlock (&lock);
  return context;
}

void
pt_vk_context_unref (PtVkContext *context)
{
  if (context == NULL)
    return;
  g_mutex_lock (&lock);
  if (--context->n_references == 0) {
    contexts = g_slist_remove (contexts, context);
    free_context (context);
  }
  g_mutex_unlock (&lock);
}
