/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-instance.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-gpu.h"
#include "engine/vulkan/vk-library.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

static PtVkInstance instance;
static gint n_messages;

/* ---- Functions ---- */

static const struct {
  const char *name;
  gsize offset;
  gboolean needed, is_global;
} members[] = {
#define GLOBAL(name, needed) \
  { "vk" #name, G_STRUCT_OFFSET (PtVkInstanceFunctions, name), needed, TRUE },
#define OF_INSTANCE(name, needed) \
  { "vk" #name, G_STRUCT_OFFSET (PtVkInstanceFunctions, name), needed, FALSE },
  PT_VK_GLOBAL_FUNCTIONS (GLOBAL) PT_VK_INSTANCE_FUNCTIONS (OF_INSTANCE)
};

static gboolean
resolve (PFN_vkGetInstanceProcAddr get, gboolean is_global, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    PFN_vkVoidFunction function;

    if (members[i].is_global != is_global)
      continue;
    function = get (is_global ? NULL : instance.handle, members[i].name);
    if (function == NULL && members[i].needed)
      return pt_fail (error, PT_ERROR_GPU,
                      "The Vulkan loader of this machine lacks the function %s. Update the driver "
                      "of the GPU.",
                      members[i].name);
    memcpy ((guint8 *) &instance.vk + members[i].offset, &function, sizeof function);
  }
  return TRUE;
}

/* ---- Validation ---- */

/* In tests every message ends the process (G_DEBUG=fatal-warnings). */
static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message (VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
            const VkDebugUtilsMessengerCallbackDataEXT *message, void *data)
{
  g_atomic_int_inc (&n_messages);
  g_warning ("Vulkan validation: %s", message->pMessage != NULL ? message->pMessage : "");
  return VK_FALSE;
}

guint
pt_vk_n_messages (void)
{
  return (guint) g_atomic_int_get (&n_messages);
}

static gboolean
has_validation_layer (void)
{
  g_autofree VkLayerProperties *layers = NULL;
  guint32 n = 0;

  if (instance.vk.EnumerateInstanceLayerProperties (&n, NULL) != VK_SUCCESS || n == 0)
    return FALSE;
  layers = g_new0 (VkLayerProperties, n);
  if (instance.vk.EnumerateInstanceLayerProperties (&n, layers) < 0)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (strcmp (layers[i].layerName, VALIDATION_LAYER) == 0)
      return TRUE;
  return FALSE;
}

/* ---- Creation ---- */

static gboolean
create (GError **error)
{
  static const char *const layers[] = { VALIDATION_LAYER };
  static const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
  static const VkValidationFeatureEnableEXT enabled[] = {
    VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
  };
  const VkDebugUtilsMessengerCreateInfoEXT messenger = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                   VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = on_message,
  };
  const VkValidationFeaturesEXT validation = {
    .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    .pNext = &messenger,
    .enabledValidationFeatureCount = G_N_ELEMENTS (enabled),
    .pEnabledValidationFeatures = enabled,
  };
  const VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .pApplicationName = "Pteris",
    .apiVersion = VK_API_VERSION_1_3,
  };
  VkInstanceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pApplicationInfo = &application,
  };
  VkResult code;

  instance.validates = g_getenv ("PTERIS_VULKAN_VALIDATION") != NULL && has_validation_layer ();
  if (instance.validates) {
    info.pNext = &validation;
    info.enabledLayerCount = G_N_ELEMENTS (layers);
    info.ppEnabledLayerNames = layers;
    info.enabledExtensionCount = G_N_ELEMENTS (extensions);
    info.ppEnabledExtensionNames = extensions;
  }
  code = instance.vk.CreateInstance (&info, NULL, &instance.handle);
  if (code == VK_SUCCESS)
    return TRUE;
  instance.handle = NULL;
  return pt_fail (error, PT_ERROR_GPU,
                  "Vulkan does not start: %s (Vulkan error %d). Reinstall the driver of the GPU.",
                  pt_vk_result_name (code), code);
}

static void
add_messenger (void)
{
  const VkDebugUtilsMessengerCreateInfoEXT info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
    .pfnUserCallback = on_message,
  };
  VkDebugUtilsMessengerEXT messenger;

  if (instance.validates && instance.vk.CreateDebugUtilsMessengerEXT != NULL)
    instance.vk.CreateDebugUtilsMessengerEXT (instance.handle, &info, NULL, &messenger);
}

/* Vulkan 1.0 lacks the function. */
static gboolean
check_version (GError **error)
{
  guint32 version = 0;

  if (instance.vk.EnumerateInstanceVersion != NULL &&
      instance.vk.EnumerateInstanceVersion (&version) == VK_SUCCESS &&
      version >= PT_VK_OLDEST_VERSION)
    return TRUE;
  return pt_fail (error, PT_ERROR_GPU,
                  "The Vulkan loader of this machine is older than version 1.2. Update it.");
}

static gboolean
start (GError **error)
{
  PFN_vkGetInstanceProcAddr get = pt_vk_library_open (error);

  if (get == NULL || !resolve (get, TRUE, error) || !check_version (error) || !create (error) ||
      !resolve (get, FALSE, error))
    return FALSE;
  add_messenger ();
  return pt_vk_gpus_list (&instance, error);
}

const PtVkInstance *
pt_vk_instance_any (GError **error)
{
  static gsize once = 0;
  static GError *reason;
  static gboolean works;

  if (g_once_init_enter (&once)) {
    works = start (&reason);
    g_once_init_leave (&once, 1);
  }
  if (works)
    return &instance;
  if (error != NULL)
    *error = g_error_copy (reason);
  return NULL;
}

gboolean
pt_vk_is_on_cpu (void)
{
  return g_strcmp0 (g_getenv ("PTERIS_VULKAN"), "cpu") == 0;
}

const PtVkInstance *
pt_vk_instance (GError **error)
{
  const PtVkInstance *self = pt_vk_instance_any (error);
  g_autoptr (GString) reasons = NULL;

  if (self == NULL || self->n_usable > 0)
    return self;
  reasons = g_string_new (NULL);
  for (guint i = 0; i < self->n_gpus; i++)
    g_string_append_printf (reasons, " %s: %s", self->gpus[i].name, self->gpus[i].refusal);
  pt_fail (error, PT_ERROR_GPU, "Vulkan shows no GPU that can be used.%s",
           self->n_gpus > 0 ? reasons->str : " Install the driver of the GPU.");
  return NULL;
}
