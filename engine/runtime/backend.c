/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/backend.h"

#include <string.h>

#include "engine/base/set-error.h"

/* Id -> static PtBackend. Filled by pt_init(), only read afterwards. */
static GHashTable *backends;

gboolean
pt_delegate_damaged (GError **error, const char *whose, const char *format, ...)
{
  g_autofree char *fault = NULL;
  va_list args;

  va_start (args, format);
  fault = g_strdup_vprintf (format, args);
  va_end (args);
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "%s delegate of this program is damaged: %s. Download or export the program "
                  "again. (ExecuTorch error 0x23)",
                  whose, fault);
}

void
pt_backend_register (const PtBackend *backend)
{
  if (backends == NULL)
    backends = g_hash_table_new (g_str_hash, g_str_equal);
  if (!g_hash_table_insert (backends, (gpointer) backend->id, (gpointer) backend))
    g_critical ("Backend %s is registered twice", backend->id);
}

const PtBackend *
pt_backend_find (const char *id)
{
  return backends != NULL ? g_hash_table_lookup (backends, id) : NULL;
}

gboolean
pt_backend_is_gpu (const PtBackend *backend)
{
  return backend != NULL && (backend->uses_gpu || backend->device_type != PT_DEVICE_CPU);
}

gboolean
pt_backend_is_own (const PtBackend *backend)
{
  return !backend->is_native && !pt_backend_is_gpu (backend);
}

const char *
pt_backend_device (const char *id)
{
  static const struct {
    const char *id, *device;
  } KNOWN[] = {
    { "CoreMLBackend", "Apple devices" },    { "MPSBackend", "Apple devices" },
    { "MLXBackend", "Apple computers" },     { "MetalBackend", "Apple computers" },
    { "QnnBackend", "Qualcomm chips" },      { "NeuropilotBackend", "MediaTek chips" },
    { "EnnBackend", "Samsung chips" },       { "EthosUBackend", "Arm Ethos-U chips" },
    { "ArmBackend", "Arm Ethos-U chips" },   { "VgfBackend", "Arm graphics chips" },
    { "VulkanBackend", "GPUs over Vulkan" }, { "OpenvinoBackend", "Intel devices" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (KNOWN); i++)
    if (strcmp (KNOWN[i].id, id) == 0)
      return KNOWN[i].device;
  return NULL;
}

gboolean
pt_delegate_needs_add (PtDelegateNeeds *needs, gconstpointer data, guint64 bytes, guint bits)
{
  guint64 *weights = &needs->weights[bits <= 4 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 3];

  if (!g_hash_table_add (needs->seen, (gpointer) data))
    return FALSE;
  *weights += MIN (bytes, G_MAXUINT64 - *weights);
  return TRUE;
}

const guint8 *
pt_delegate_find_data (const PtDelegateContext *context, const char *key, gsize key_length,
                       gsize *size)
{
  const PtDataEntry *entry = pt_data_map_find (context->data, key, key_length);
  const PtNamedData *named;

  if (entry != NULL) {
    *size = entry->size;
    return entry->data;
  }
  named = pt_program_find_named_data (context->program, key, key_length);
  if (named == NULL)
    return NULL;
  *size = named->size;
  return named->data;
}
