/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <jansson.h>

#include "tools/starter/source.h"

/*
 * safetensors: the size of a JSON header, the header (name -> dtype, shape, data_offsets), the
 * data. Only the float32 and float16 tensors are weights.
 */

static gboolean
damaged (const char *name, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
               "the safetensors file is damaged: %s has no valid shape or place", name);
  return FALSE;
}

static gboolean
take_tensor (Source *source, const char *name, json_t *json, const guint8 *data, gsize size,
             GError **error)
{
  g_autoptr (SourceTensor) tensor = g_new0 (SourceTensor, 1);
  const char *kind = json_string_value (json_object_get (json, "dtype"));
  json_t *place = json_object_get (json, "data_offsets");
  json_int_t begin = json_integer_value (json_array_get (place, 0));
  json_int_t end = json_integer_value (json_array_get (place, 1));

  if (g_strcmp0 (kind, "F32") == 0)
    tensor->kind = SOURCE_F32;
  else if (g_strcmp0 (kind, "F16") == 0)
    tensor->kind = SOURCE_F16;
  else
    return kind != NULL ? TRUE : damaged (name, error);
  if (json_array_size (place) != 2 || begin < 0 || end < begin || (guint64) end > size ||
      !source_take_shape (json_object_get (json, "shape"), tensor))
    return damaged (name, error);
  tensor->name = g_strdup (name);
  tensor->data = data + begin;
  return source_add (source, g_steal_pointer (&tensor), (gsize) (end - begin), error);
}

gboolean
source_read_safetensors (Source *source, GError **error)
{
  SourceReader reader = { 0 };
  const guint8 *text;
  guint64 length;
  const char *name;
  json_t *header, *json;
  gboolean ok;

  reader.data = g_bytes_get_data (source->bytes, &reader.size);
  length = source_take (&reader, 8);
  text = source_take_bytes (&reader, length);
  header = reader.failed ? NULL : json_loadb ((const char *) text, (size_t) length, 0, NULL);
  ok = json_is_object (header);
  if (!ok)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                         "the safetensors file is damaged: it has no valid header");
  json_object_foreach (header, name, json) {
    if (ok && strcmp (name, "__metadata__") != 0)
      ok = take_tensor (source, name, json, reader.data + reader.pos, reader.size - reader.pos,
                        error);
  }
  json_decref (header);
  return ok;
}
