/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fakes/fake-vulkan.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fakes/fake-vulkan-private.h"

G_MODULE_EXPORT void fake_vulkan_fail (const char *function, guint nth, int code);
G_MODULE_EXPORT guint fake_vulkan_calls (void);
G_MODULE_EXPORT int fake_vulkan_alive (void);
G_MODULE_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr (VkInstance instance,
                                                                                const char *name);

/* ---- Failures ---- */

static char failing[64];
static guint fails_from, n_calls;
static VkResult failure;
static int n_alive;

void
fake_vulkan_fail (const char *function, guint nth, int code)
{
  g_strlcpy (failing, function != NULL ? function : "", sizeof failing);
  fails_from = nth;
  failure = (VkResult) code;
  n_calls = 0;
}

guint
fake_vulkan_calls (void)
{
  return n_calls;
}

int
fake_vulkan_alive (void)
{
  return n_alive;
}

VkResult
fake_vulkan_answer (const char *function)
{
  if (strcmp (function, failing) != 0)
    return VK_SUCCESS;
  return n_calls++ >= fails_from ? failure : VK_SUCCESS;
}

const char *
fake_vulkan_option (const char *name)
{
  const char *all = g_getenv ("FAKE_VULKAN"), *at = all != NULL ? strstr (all, name) : NULL;

  return at != NULL ? at + strlen (name) : NULL;
}

/* ---- Objects ---- */

FakeObject *
fake_object_new (FakeKind kind)
{
  FakeObject *object = g_new0 (FakeObject, 1);

  object->kind = kind;
  n_alive++;
  return object;
}

FakeObject *
fake_object (FakeKind kind, const void *handle)
{
  FakeObject *object = (FakeObject *) handle;

  if (object == NULL || object->kind != kind)
    g_error ("fake Vulkan: an object is not what it should be (%d)", kind);
  return object;
}

void
fake_object_free (FakeKind kind, const void *handle)
{
  FakeObject *object;

  if (handle == NULL)
    return;
  object = fake_object (kind, handle);
  for (guint i = 0; object->children != NULL && i < object->children->len; i++)
    fake_object_free (object->child_kind, object->children->pdata[i]);
  if (object->children != NULL)
    g_ptr_array_unref (object->children);
  if (object->commands != NULL)
    g_array_unref (object->commands);
  g_free (object->bytes);
  object->kind = FAKE_NONE;
  g_free (object);
  n_alive--;
}

/* ---- The instance ---- */

static VkResult VKAPI_CALL
enumerate_version (guint32 *version)
{
  *version = fake_vulkan_option ("old-loader") != NULL ? VK_API_VERSION_1_1 : VK_API_VERSION_1_3;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
enumerate_extensions (const char *layer, guint32 *n, VkExtensionProperties *list)
{
  *n = 0;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
enumerate_layers (guint32 *n, VkLayerProperties *list)
{
  *n = 0;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
create_instance (const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                 VkInstance *instance)
{
  if (fake_vulkan_option ("no-instance") != NULL)
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  *instance = (VkInstance) fake_object_new (FAKE_INSTANCE);
  n_alive--; /* it stays */
  return VK_SUCCESS;
}

static void VKAPI_CALL
destroy_instance (VkInstance instance, const VkAllocationCallbacks *allocator)
{
  fake_object_free (FAKE_INSTANCE, instance);
}

static int gpus[2];

static VkResult VKAPI_CALL
enumerate_gpus (VkInstance instance, guint32 *n, VkPhysicalDevice *list)
{
  const char *code = fake_vulkan_option ("list=");
  guint32 all = fake_vulkan_option ("twice") != NULL ? 2 : 1;

  fake_object (FAKE_INSTANCE, instance);
  if (code != NULL)
    return (VkResult) atoi (code);
  for (guint32 i = 0; i < MIN (*n, all); i++)
    list[i] = (VkPhysicalDevice) (gpointer) &gpus[i];
  *n = MIN (*n, all);
  return VK_SUCCESS;
}

/* ---- A GPU ---- */

static void VKAPI_CALL
get_properties (VkPhysicalDevice gpu, VkPhysicalDeviceProperties *properties)
{
  *properties = (VkPhysicalDeviceProperties){
    .apiVersion =
        fake_vulkan_option ("old-driver") != NULL ? VK_API_VERSION_1_1 : VK_API_VERSION_1_3,
    .vendorID = 0x1234,
    .deviceType = fake_vulkan_option ("software") != NULL ? VK_PHYSICAL_DEVICE_TYPE_CPU
                                                          : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    .limits = { .maxStorageBufferRange =
                    fake_vulkan_option ("small-range") != NULL ? 1024 : 1u << 30,
                .maxComputeSharedMemorySize = 32768,
                .maxPerStageDescriptorStorageBuffers =
                    fake_vulkan_option ("few-buffers") != NULL ? 4 : 64,
                .maxDescriptorSetStorageBuffers = 64,
                .maxComputeWorkGroupInvocations =
                    fake_vulkan_option ("small-groups") != NULL ? 128 : 1024,
                .maxComputeWorkGroupCount = { 65535, 65535, 65535 },
                .maxComputeWorkGroupSize = { 1024, 1024, 64 } },
  };
  g_strlcpy (properties->deviceName, "Fake GPU", sizeof properties->deviceName);
}

static void VKAPI_CALL
get_properties_2 (VkPhysicalDevice gpu, VkPhysicalDeviceProperties2 *properties)
{
  get_properties (gpu, &properties->properties);
  for (VkBaseOutStructure *i = properties->pNext; i != NULL; i = i->pNext)
    if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
      VkPhysicalDeviceSubgroupProperties *subgroup = (gpointer) i;

      subgroup->subgroupSize = 32;
      subgroup->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
      subgroup->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
      if (fake_vulkan_option ("no-subgroups") == NULL)
        subgroup->supportedOperations |= VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    } else if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT) {
      ((VkPhysicalDevicePCIBusInfoPropertiesEXT *) i)->pciBus = 3;
      ((VkPhysicalDevicePCIBusInfoPropertiesEXT *) i)->pciFunction = 1;
    } else if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
      ((VkPhysicalDeviceMaintenance3Properties *) i)->maxMemoryAllocationSize =
          fake_vulkan_option ("small-allocation") != NULL ? 4096 : 1u << 30;
    else if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
      ((VkPhysicalDeviceIDProperties *) i)->deviceUUID[0] = 1;
}

static void VKAPI_CALL
get_features_2 (VkPhysicalDevice gpu, VkPhysicalDeviceFeatures2 *features)
{
  for (VkBaseOutStructure *i = features->pNext; i != NULL; i = i->pNext)
    if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
      ((VkPhysicalDeviceVulkan12Features *) i)->storageBuffer8BitAccess =
          fake_vulkan_option ("no-bytes") == NULL;
    else if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
      ((VkPhysicalDeviceVulkan11Features *) i)->storageBuffer16BitAccess =
          fake_vulkan_option ("no-halves") == NULL;
}

static void VKAPI_CALL
get_memory (VkPhysicalDevice gpu, VkPhysicalDeviceMemoryProperties *memory)
{
  *memory = (VkPhysicalDeviceMemoryProperties){
    .memoryTypeCount = fake_vulkan_option ("no-host-memory") != NULL ? 1 : 2,
    .memoryTypes = { { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 },
                     { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                       1 } },
    .memoryHeapCount = 2,
    .memoryHeaps = { { (guint64) 8 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT },
                     { (guint64) 16 << 30, 0 } },
  };
}

static void VKAPI_CALL
get_memory_2 (VkPhysicalDevice gpu, VkPhysicalDeviceMemoryProperties2 *memory)
{
  get_memory (gpu, &memory->memoryProperties);
  for (VkBaseOutStructure *i = memory->pNext; i != NULL; i = i->pNext)
    if (i->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) {
      VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = (gpointer) i;

      budget->heapBudget[0] = (guint64) 6 << 30;
      budget->heapUsage[0] =
          fake_vulkan_option ("full") != NULL ? (guint64) 7 << 30 : (guint64) 1 << 30;
    }
}

static void VKAPI_CALL
get_queues (VkPhysicalDevice gpu, guint32 *n, VkQueueFamilyProperties *families)
{
  families[0] = (VkQueueFamilyProperties){
    .queueFlags =
        fake_vulkan_option ("no-queue") != NULL ? VK_QUEUE_TRANSFER_BIT : VK_QUEUE_COMPUTE_BIT,
    .queueCount = 1,
  };
  *n = 1;
}

static VkResult VKAPI_CALL
enumerate_device_extensions (VkPhysicalDevice gpu, const char *layer, guint32 *n,
                             VkExtensionProperties *list)
{
  static const char *const names[] = { VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
                                       VK_EXT_PCI_BUS_INFO_EXTENSION_NAME };

  for (guint32 i = 0; list != NULL && i < G_N_ELEMENTS (names); i++)
    g_strlcpy (list[i].extensionName, names[i], sizeof list[i].extensionName);
  *n = G_N_ELEMENTS (names);
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
create_device (VkPhysicalDevice gpu, const VkDeviceCreateInfo *info,
               const VkAllocationCallbacks *allocator, VkDevice *device)
{
  VkResult code = fake_vulkan_answer ("vkCreateDevice");

  *device = code == VK_SUCCESS ? (VkDevice) fake_object_new (FAKE_DEVICE) : FAKE_GARBAGE;
  return code;
}

PFN_vkVoidFunction
fake_find_function (const FakeFunction *functions, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (functions[i].name, name) == 0)
      return functions[i].function;
  return NULL;
}

static gboolean
is_missing (const char *name)
{
  const char *missing = fake_vulkan_option ("lacks=");
  gsize n = strlen (name);

  return missing != NULL && strncmp (missing, name, n) == 0 && !g_ascii_isalnum (missing[n]);
}

static PFN_vkVoidFunction VKAPI_CALL
get_device_function (VkDevice device, const char *name)
{
  if (is_missing (name))
    return NULL;
  return fake_vulkan_device_function (name);
}

/* ---- The loader ---- */

static const FakeFunction functions[] = {
  FAKE_FUNCTION (EnumerateInstanceVersion, enumerate_version),
  FAKE_FUNCTION (EnumerateInstanceExtensionProperties, enumerate_extensions),
  FAKE_FUNCTION (EnumerateInstanceLayerProperties, enumerate_layers),
  FAKE_FUNCTION (CreateInstance, create_instance),
  FAKE_FUNCTION (DestroyInstance, destroy_instance),
  FAKE_FUNCTION (EnumeratePhysicalDevices, enumerate_gpus),
  FAKE_FUNCTION (GetPhysicalDeviceProperties, get_properties),
  FAKE_FUNCTION (GetPhysicalDeviceProperties2, get_properties_2),
  FAKE_FUNCTION (GetPhysicalDeviceFeatures2, get_features_2),
  FAKE_FUNCTION (GetPhysicalDeviceMemoryProperties, get_memory),
  FAKE_FUNCTION (GetPhysicalDeviceMemoryProperties2, get_memory_2),
  FAKE_FUNCTION (GetPhysicalDeviceQueueFamilyProperties, get_queues),
  FAKE_FUNCTION (EnumerateDeviceExtensionProperties, enumerate_device_extensions),
  FAKE_FUNCTION (CreateDevice, create_device),
  FAKE_FUNCTION (GetDeviceProcAddr, get_device_function),
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr (VkInstance instance, const char *name)
{
  if (is_missing (name))
    return NULL;
  return fake_find_function (functions, G_N_ELEMENTS (functions), name);
}
