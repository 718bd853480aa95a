/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-pipeline-cache.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/sha256.h"

/* The file: this text, the SHA-256 of the rest in hex, the driver's data. */
#define MAGIC "PterisVulkan0001"
#define DIGEST 64
#define HEADER (sizeof MAGIC - 1 + DIGEST)
/* The beginning of the driver's data: VkPipelineCacheHeaderVersionOne. */
#define DRIVER_HEADER 32

/* ---- The file ---- */

static gboolean
is_of_driver (const guint8 *data, const VkPhysicalDeviceProperties *properties)
{
  guint32 numbers[4];

  memcpy (numbers, data, sizeof numbers);
  return GUINT32_FROM_LE (numbers[0]) >= DRIVER_HEADER &&
         GUINT32_FROM_LE (numbers[1]) == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         GUINT32_FROM_LE (numbers[2]) == properties->vendorID &&
         GUINT32_FROM_LE (numbers[3]) == properties->deviceID &&
         memcmp (data + sizeof numbers, properties->pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

/* At most one byte more than a file may have. */
static guint8 *
load_file (const char *path, gsize *size, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  g_autoptr (GFileInfo) info =
      stream != NULL
          ? g_file_input_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_SIZE, NULL, error)
          : NULL;
  g_autofree guint8 *bytes = NULL;
  gsize room;

  if (info == NULL)
    return NULL;
  room = MIN ((gsize) MAX (g_file_info_get_size (info), 0), HEADER + PT_VK_MAX_KEPT_PIPELINES + 1);
  bytes = g_malloc (MAX (room, 1));
  if (!g_input_stream_read_all (G_INPUT_STREAM (stream), bytes, room, size, NULL, error))
    return NULL;
  return g_steal_pointer (&bytes);
}

guint8 *
pt_vk_pipelines_read (const char *path, const VkPhysicalDeviceProperties *properties, gsize *size,
                      GError **error)
{
  gsize length = 0;
  g_autofree guint8 *bytes = load_file (path, &length, error);
  g_autofree char *digest = NULL;
  const char *fault = NULL;

  if (bytes == NULL)
    return NULL;
  if (length > HEADER + PT_VK_MAX_KEPT_PIPELINES)
    fault = "it is too large";
  else if (length < HEADER + DRIVER_HEADER || memcmp (bytes, MAGIC, sizeof MAGIC - 1) != 0)
    fault = "it is not a file of compiled shaders";
  else {
    digest = pt_sha256 (bytes + HEADER, length - HEADER);
    if (memcmp (digest, bytes + sizeof MAGIC - 1, DIGEST) != 0)
      fault = "it is damaged";
    else if (!is_of_driver (bytes + HEADER, properties))
      fault = "it belongs to another GPU or driver";
  }
  if (fault != NULL) {
    pt_fail (error, PT_ERROR_DATA, "“%s” is not used: %s. It is made again.", path, fault);
    return NULL;
  }
  *size = length - HEADER;
  return g_memdup2 (bytes + HEADER, *size);
}

gboolean
pt_vk_pipelines_write (const char *path, const guint8 *data, gsize size, GError **error)
{
  g_autofree char *digest = pt_sha256 (data, size);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  if (size > PT_VK_MAX_KEPT_PIPELINES)
    return pt_fail (error, PT_ERROR_DATA,
                    "The compiled shaders have %.1f MB, which is too much to be kept.",
                    (double) size / 1e6);
  g_byte_array_append (bytes, (const guint8 *) MAGIC, sizeof MAGIC - 1);
  g_byte_array_append (bytes, (const guint8 *) digest, DIGEST);
  g_byte_array_append (bytes, data, (guint) size);
  return g_file_set_contents_full (path, (const char *) bytes->data, bytes->len,
                                   G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

/* ---- The driver's cache ---- */

/* Named by the GPU and the version of its driver. */
static char *
path_of (const PtVkContext *context, const char *folder)
{
  const VkPhysicalDeviceProperties *properties = &context->properties;
  g_autoptr (GString) name = g_string_new (NULL);

  for (guint i = 0; i < VK_UUID_SIZE; i++)
    g_string_append_printf (name, "%02x", properties->pipelineCacheUUID[i]);
  g_string_append_printf (name, "-%08x.bin", properties->driverVersion);
  return g_build_filename (folder, name->str, NULL);
}

gboolean
pt_vk_pipelines_open (PtVkContext *context, const char *folder, GError **error)
{
  VkPipelineCacheCreateInfo info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
  g_autofree guint8 *data = NULL;
  g_autoptr (GError) reason = NULL;
  VkResult code;

  if (folder != NULL) {
    context->kept_path = path_of (context, folder);
    data = pt_vk_pipelines_read (context->kept_path, &context->properties, &info.initialDataSize,
                                 &reason);
    if (data == NULL)
      g_debug ("Vulkan: %s", reason->message);
  }
  info.pInitialData = data;
  if (data != NULL &&
      context->vk.CreatePipelineCache (context->device, &info, NULL, &context->cache) == VK_SUCCESS)
    return TRUE;
  /* A driver may refuse what it wrote itself. */
  info.initialDataSize = 0;
  info.pInitialData = NULL;
  code = context->vk.CreatePipelineCache (context->device, &info, NULL, &context->cache);
  if (code != VK_SUCCESS)
    context->cache = VK_NULL_HANDLE;
  return pt_vk_check (context, code, "Preparing the GPU", error);
}

void
pt_vk_pipelines_keep (PtVkContext *context)
{
  guint n = g_hash_table_size (context->pipelines);
  g_autofree guint8 *data = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (GError) error = NULL;
  size_t size = 0;

  if (context->kept_path == NULL || n <= context->n_kept)
    return;
  context->n_kept = n;
  if (context->vk.GetPipelineCacheData (context->device, context->cache, &size, NULL) !=
          VK_SUCCESS ||
      size < DRIVER_HEADER || size > PT_VK_MAX_KEPT_PIPELINES)
    return;
  data = g_malloc (size);
  if (context->vk.GetPipelineCacheData (context->device, context->cache, &size, data) != VK_SUCCESS)
    return;
  folder = g_path_get_dirname (context->kept_path);
  if (g_mkdir_with_parents (folder, 0700) != 0 ||
      !pt_vk_pipelines_write (context->kept_path, data, size, &error))
    g_debug ("Vulkan: compiled shaders are not kept: %s",
             error != NULL ? error->message : g_strerror (errno));
}
