/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vulkan-gpus.h"

#include <string.h>

#include "engine/base/driver-question.h"
#include "engine/vulkan/vk-gpu.h"
#include "engine/vulkan/vk-instance.h"
#include "engine/vulkan/vulkan.h"

#define QUESTION "vulkan-gpus"
#define N_FIELDS 8

/* ---- The answer: a line for each GPU, fields between tabs, the name last ---- */

static char *
uuid_text (const guint8 *uuid)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < VK_UUID_SIZE; i++)
    g_string_append_printf (text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                            uuid[i]);
  return g_string_free (text, FALSE);
}

static char *
pci_text (const PtVkInstance *instance, VkPhysicalDevice gpu)
{
  VkPhysicalDevicePCIBusInfoPropertiesEXT bus = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
  };
  VkPhysicalDeviceProperties2 properties = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    .pNext = &bus,
  };

  if (!pt_vk_gpu_has_extension (instance, gpu, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
    return g_strdup ("");
  instance->vk.GetPhysicalDeviceProperties2 (gpu, &properties);
  return g_strdup_printf ("%04x:%02x:%02x.%x", bus.pciDomain, bus.pciBus, bus.pciDevice,
                          bus.pciFunction);
}

static char *
describe_gpus (void)
{
  const PtVkInstance *instance = pt_vk_instance (NULL);
  GString *text = g_string_new (NULL);

  for (guint i = 0; instance != NULL && i < instance->n_usable; i++) {
    const PtVkGpu *gpu = &instance->gpus[i];
    g_autofree char *uuid = uuid_text (gpu->uuid), *pci = pci_text (instance, gpu->handle);
    g_autofree char *name = g_strdelimit (g_strdup (gpu->name), "\t\n", ' ');
    guint64 unused, total;

    pt_vk_gpu_memory (instance, gpu->handle, &unused, &total);
    g_string_append_printf (
        text,
        "%u\t%s\t%s\t%" G_GUINT64_FORMAT "\t%d\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%s\n",
        gpu->vendor, uuid, pci, gpu->luid, gpu->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
        total, unused, name);
  }
  return g_string_free (text, FALSE);
}

static void
free_gpu (gpointer data)
{
  PtVulkanGpu *gpu = data;

  g_free (gpu->name);
  g_free (gpu->uuid);
  g_free (gpu->pci);
  g_free (gpu);
}

GPtrArray *
pt_vulkan_gpus_parse (const char *answer)
{
  GPtrArray *gpus = g_ptr_array_new_with_free_func (free_gpu);
  g_auto (GStrv) lines = g_strsplit (answer, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], "\t", N_FIELDS);
    guint64 vendor, luid, integrated, memory, unused;
    PtVulkanGpu *gpu;

    if (g_strv_length (fields) != N_FIELDS || fields[7][0] == '\0' ||
        !g_ascii_string_to_unsigned (fields[0], 10, 0, G_MAXUINT32, &vendor, NULL) ||
        !g_ascii_string_to_unsigned (fields[3], 10, 0, G_MAXUINT64, &luid, NULL) ||
        !g_ascii_string_to_unsigned (fields[4], 10, 0, 1, &integrated, NULL) ||
        !g_ascii_string_to_unsigned (fields[5], 10, 0, G_MAXUINT64, &memory, NULL) ||
        !g_ascii_string_to_unsigned (fields[6], 10, 0, memory, &unused, NULL))
      continue;
    gpu = g_new0 (PtVulkanGpu, 1);
    gpu->vendor = (guint32) vendor;
    gpu->uuid = g_strdup (fields[1]);
    gpu->pci = fields[2][0] != '\0' ? g_strdup (fields[2]) : NULL;
    gpu->luid = luid;
    gpu->integrated = integrated != 0;
    gpu->memory = memory;
    gpu->unused = unused;
    gpu->name = g_strdup (fields[7]);
    g_ptr_array_add (gpus, gpu);
  }
  return gpus;
}

const GPtrArray *
pt_vulkan_gpus (void)
{
  static gsize once = 0;
  static GPtrArray *gpus;

  if (g_once_init_enter (&once)) {
    g_autofree char *answer = pt_driver_ask (QUESTION, NULL);

    gpus = pt_vulkan_gpus_parse (answer != NULL ? answer : "");
    g_once_init_leave (&once, 1);
  }
  return gpus;
}

void
pt_vulkan_gpus_register (void)
{
  pt_driver_question_register (QUESTION, describe_gpus);
}
