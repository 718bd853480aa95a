/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/source.h"

/* CTranslate2's model.bin: a list of named variables; only the float16 ones are weights. */

enum { CT2_FLOAT16 = 4 };

static char *
take_string (SourceReader *reader)
{
  guint64 length = source_take (reader, 2); /* counts the zero byte at the end */
  const guint8 *p = source_take_bytes (reader, length);

  return p != NULL && length > 0 ? g_strndup ((const char *) p, (gsize) length - 1) : NULL;
}

static gboolean
damaged (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                       "the CTranslate2 file is damaged");
  return FALSE;
}

static gboolean
take_variable (Source *source, SourceReader *reader, GError **error)
{
  g_autoptr (SourceTensor) tensor = g_new0 (SourceTensor, 1);
  guint64 rank, kind, size, i;

  tensor->name = take_string (reader);
  rank = source_take (reader, 1);
  for (i = 0; i < rank; i++) {
    guint64 dim = source_take (reader, 4);

    if (i < SOURCE_MAX_RANK)
      tensor->dims[i] = (gsize) dim;
  }
  kind = source_take (reader, 1);
  size = source_take (reader, 4);
  tensor->data = source_take_bytes (reader, size);
  if (reader->failed || tensor->name == NULL)
    return damaged (error);
  if (kind != CT2_FLOAT16 || rank == 0 || rank > SOURCE_MAX_RANK)
    return TRUE;
  tensor->rank = (guint) rank;
  tensor->kind = SOURCE_F16;
  return source_add (source, g_steal_pointer (&tensor), (gsize) size, error);
}

gboolean
source_read_ctranslate2 (Source *source, GError **error)
{
  SourceReader reader = { 0 };
  guint64 count, i;

  reader.data = g_bytes_get_data (source->bytes, &reader.size);
  source_take (&reader, 4); /* version */
  g_free (take_string (&reader));
  source_take (&reader, 4); /* revision */
  count = source_take (&reader, 4);
  if (reader.failed)
    return damaged (error);
  for (i = 0; i < count; i++)
    if (!take_variable (source, &reader, error))
      return FALSE;
  return TRUE;
}
