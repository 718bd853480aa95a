/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-blob.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/runtime/backend.h"

#define damaged(error, ...) pt_delegate_damaged (error, "An OpenVINO", __VA_ARGS__)

/* From version 2026.4 on a text is in front. */
#define MAGIC "RR_UPCVO"
#define TEXT_AT 20
#define MAX_TEXT 4096
/* Three ranges of a CPU blob, each as offset and size. */
#define N_RANGES 3
#define TABLE_SIZE (N_RANGES * 2 * sizeof (guint64))

static guint64
read_u64 (const char *at)
{
  guint64 number;

  memcpy (&number, at, sizeof number);
  return GUINT64_FROM_LE (number);
}

static guint32
read_u32 (const char *at)
{
  guint32 number;

  memcpy (&number, at, sizeof number);
  return GUINT32_FROM_LE (number);
}

/* ---- the device ---- */

/* The last "device" that is not empty. */
static gboolean
read_device (const PtDelegateSpec *spec, char *device, GError **error)
{
  strcpy (device, "CPU");
  for (guint i = 0; i < spec->n_specs; i++) {
    const PtCompileSpec *entry = &spec->specs[i];
    gsize length = entry->size;

    if (entry->key_length != strlen ("device") || memcmp (entry->key, "device", 6) != 0)
      continue;
    while (length > 0 && entry->value[length - 1] == '\0')
      length--;
    if (length > PT_OPENVINO_MAX_DEVICE)
      return damaged (error, "the name of its device is too long");
    for (gsize k = 0; k < length; k++)
      if (!g_ascii_isalnum (entry->value[k]) && entry->value[k] != '.' && entry->value[k] != '_')
        return damaged (error, "“%.*s” is no device of OpenVINO", (int) length,
                        (const char *) entry->value);
    if (length == 0)
      continue;
    memcpy (device, entry->value, length);
    device[length] = '\0';
  }
  return TRUE;
}

gsize
pt_openvino_kind_length (const char *device)
{
  return strcspn (device, ".");
}

gboolean
pt_openvino_blob_is_cpu (const PtOpenvinoBlob *blob)
{
  return pt_openvino_kind_length (blob->device) == 3 && strncmp (blob->device, "CPU", 3) == 0;
}

static gboolean
is_of_kind (const char *device, const char *kind, gsize length)
{
  return pt_openvino_kind_length (device) == length && strncmp (device, kind, length) == 0;
}

static gboolean
fail_device (const char *wanted, const char *const *devices, GError **error)
{
  g_autofree char *all = g_strjoinv (", ", (char **) devices);
  gsize length = pt_openvino_kind_length (wanted);
  const char *driver = "";

  if (is_of_kind (wanted, "GPU", length))
    driver = " An Intel GPU needs Intel's driver for OpenCL.";
  else if (is_of_kind (wanted, "NPU", length))
    driver = " An NPU needs Intel's driver for NPUs and the Level Zero loader.";
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "The program was made for the device %s of OpenVINO, and this computer has: "
                  "%s.%s",
                  wanted, all, driver);
}

const char *
pt_openvino_choose_device (const char *device, const char *const *devices, int index,
                           GError **error)
{
  gsize length = pt_openvino_kind_length (device);
  const char *first = NULL;
  g_autofree char *numbered = g_strdup_printf ("%.*s.%d", (int) length, device, index);
  guint n = 0;

  for (guint i = 0; devices[i] != NULL; i++) {
    if (strcmp (devices[i], index > 0 ? numbered : device) == 0)
      return devices[i];
    if (!is_of_kind (devices[i], device, length))
      continue;
    first = first != NULL ? first : devices[i];
    n++;
  }
  if (n == 1 || (n > 0 && index == 0))
    return first;
  fail_device (n > 0 ? numbered : device, devices, error);
  return NULL;
}

/* ---- the bytes ---- */

/* The value of @key in "meta=1.0;ov=2026.4.1;isa=..."; NULL: there is none. */
static char *
find_value (const char *text, const char *key)
{
  g_auto (GStrv) pairs = g_strsplit (text, ";", -1);
  gsize length = strlen (key);

  for (guint i = 0; pairs[i] != NULL; i++)
    if (strncmp (pairs[i], key, length) == 0 && pairs[i][length] == '=')
      return g_strdup (pairs[i] + length + 1);
  return NULL;
}

/* Only numbers and points, since it becomes part of a command that is shown. */
static gboolean
is_version (const char *text)
{
  return text != NULL && *text != '\0' && strlen (text) <= 16 &&
         strspn (text, "0123456789.") == strlen (text);
}

/* The text in front, if there is one; @at: set to where the ranges begin. */
static gboolean
read_text (PtOpenvinoBlob *self, gsize *at, GError **error)
{
  g_autofree char *text = NULL;
  guint64 length;

  *at = 0;
  if (self->size < strlen (MAGIC) || memcmp (self->bytes, MAGIC, strlen (MAGIC)) != 0)
    return TRUE;
  if (self->size < TEXT_AT)
    return damaged (error, "it ends in its header");
  length = read_u64 (self->bytes + TEXT_AT - sizeof length);
  if (!pt_range_fits (TEXT_AT, length, self->size) || length > MAX_TEXT)
    return damaged (error, "its text is too long");
  *at = TEXT_AT + (gsize) length;
  /* Another form of the text is OpenVINO's to understand. */
  if (read_u32 (self->bytes + strlen (MAGIC)) != 1)
    return TRUE;
  text = g_strndup (self->bytes + TEXT_AT, (gsize) length);
  self->version = find_value (text, "ov");
  self->target = find_value (text, "isa");
  if (!is_version (self->version))
    g_clear_pointer (&self->version, g_free);
  return TRUE;
}

/* What is known of all CPU blobs: three ranges, the first one behind their table. Others are
 * OpenVINO's to understand. */
static gboolean
check_ranges (const PtOpenvinoBlob *self, gsize at, GError **error)
{
  gsize rest = self->size - at;

  if (rest < TABLE_SIZE)
    return damaged (error, "it ends in its header");
  if (read_u64 (self->bytes + at) != TABLE_SIZE)
    return TRUE;
  for (guint i = 0; i < N_RANGES; i++) {
    const char *entry = self->bytes + at + i * 2 * sizeof (guint64);

    if (!pt_range_fits (read_u64 (entry), read_u64 (entry + sizeof (guint64)), rest))
      return damaged (error, "part %u of it is not inside", i);
  }
  return TRUE;
}

PtOpenvinoBlob *
pt_openvino_blob_new (const PtDelegateSpec *spec, GError **error)
{
  g_autoptr (PtOpenvinoBlob) self = g_new0 (PtOpenvinoBlob, 1);
  gsize at = 0;

  self->bytes = (const char *) spec->payload;
  self->size = spec->payload_size;
  if (!read_device (spec, self->device, error))
    return NULL;
  if (self->size == 0) {
    damaged (error, "it is empty");
    return NULL;
  }
  if (pt_openvino_blob_is_cpu (self) &&
      (!read_text (self, &at, error) || !check_ranges (self, at, error)))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_openvino_blob_free (PtOpenvinoBlob *blob)
{
  if (blob == NULL)
    return;
  g_free (blob->version);
  g_free (blob->target);
  g_free (blob);
}
