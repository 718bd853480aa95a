/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/zip.h"

#include <string.h>

#include "tools/starter/source.h"

enum {
  END_SIZE = 22,
  MAX_COMMENT = 65535,
  END_SIGN = 0x06054b50,
  ENTRY_SIGN = 0x02014b50,
  LOCAL_SIGN = 0x04034b50,
  ENCRYPTED = 1,
  STORED = 0,
  DEFLATED = 8,
};

typedef struct {
  guint64 flags, method, packed, size, local; /* local: position of the local header */
} Entry;

static gpointer
damaged (const char *name, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
               "the archive of %s is damaged; try again", name);
  return NULL;
}

/* Positions @reader at the list of files; the number of these, 0 if there is no list. */
static guint64
find_list (SourceReader *reader)
{
  gsize least = reader->size > END_SIZE + MAX_COMMENT ? reader->size - END_SIZE - MAX_COMMENT : 0;
  guint64 n, position;

  if (reader->size < END_SIZE)
    return 0;
  for (gsize at = reader->size - END_SIZE + 1; at-- > least;) {
    reader->pos = at;
    if (source_take (reader, 4) != END_SIGN)
      continue;
    reader->pos = at + 10;
    n = source_take (reader, 2);
    source_take (reader, 4); /* the size of the list */
    position = source_take (reader, 4);
    if (position > at)
      return 0;
    reader->pos = (gsize) position;
    return n;
  }
  return 0;
}

/* Takes an entry of the list; whether it is that of @name. */
static gboolean
take_entry (SourceReader *reader, const char *name, Entry *entry)
{
  gsize length = strlen (name);
  guint64 name_length, more;
  const guint8 *text;

  if (source_take (reader, 4) != ENTRY_SIGN)
    reader->failed = TRUE;
  source_take (reader, 4); /* versions */
  entry->flags = source_take (reader, 2);
  entry->method = source_take (reader, 2);
  source_take (reader, 8); /* time, checksum */
  entry->packed = source_take (reader, 4);
  entry->size = source_take (reader, 4);
  name_length = source_take (reader, 2);
  more = source_take (reader, 2);  /* extra fields */
  more += source_take (reader, 2); /* the comment */
  source_take (reader, 8);         /* disk, attributes */
  entry->local = source_take (reader, 4);
  text = source_take_bytes (reader, name_length);
  source_take_bytes (reader, more);
  return !reader->failed && name_length == length && memcmp (text, name, length) == 0;
}

/* The packed bytes; NULL: they are not in the archive. */
static const guint8 *
find_data (SourceReader *reader, const Entry *entry)
{
  guint64 skip;

  if (entry->local > reader->size)
    return NULL;
  reader->pos = (gsize) entry->local;
  if (source_take (reader, 4) != LOCAL_SIGN)
    return NULL;
  source_take_bytes (reader, 22);
  skip = source_take (reader, 2);
  skip += source_take (reader, 2);
  source_take_bytes (reader, skip);
  return source_take_bytes (reader, entry->packed);
}

/* Unpacks exactly @size bytes. */
static GBytes *
inflate_bytes (const guint8 *packed, gsize packed_size, gsize size)
{
  g_autoptr (GZlibDecompressor) zlib = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW);
  g_autofree guint8 *out = g_try_malloc (size + 1);
  gsize in_pos = 0, out_pos = 0, n_read, n_written;
  GConverterResult result = G_CONVERTER_CONVERTED;

  /* One byte more than there should be, so that a longer stream is noticed. */
  while (out != NULL && result == G_CONVERTER_CONVERTED) {
    if (out_pos > size)
      return NULL;
    result = g_converter_convert (G_CONVERTER (zlib), packed + in_pos, packed_size - in_pos,
                                  out + out_pos, size + 1 - out_pos, G_CONVERTER_INPUT_AT_END,
                                  &n_read, &n_written, NULL);
    if (result == G_CONVERTER_ERROR)
      return NULL;
    in_pos += n_read;
    out_pos += n_written;
  }
  if (out == NULL || out_pos != size)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&out), size);
}

static GBytes *
read_entry (SourceReader *reader, const Entry *entry, const char *name, GError **error)
{
  const guint8 *packed = find_data (reader, entry);
  GBytes *bytes = NULL;

  if (packed == NULL)
    return damaged (name, error);
  if ((entry->flags & ENCRYPTED) != 0 || (entry->method != STORED && entry->method != DEFLATED) ||
      entry->size == G_MAXUINT32) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 "%s is packed in a way that is not known here", name);
    return NULL;
  }
  if (entry->method == DEFLATED)
    bytes = inflate_bytes (packed, (gsize) entry->packed, (gsize) entry->size);
  else if (entry->size == entry->packed)
    bytes = g_bytes_new (packed, (gsize) entry->size);
  return bytes != NULL ? bytes : damaged (name, error);
}

GBytes *
zip_read (GBytes *archive, const char *name, GError **error)
{
  SourceReader reader = { 0 };
  Entry entry;
  guint64 n;

  reader.data = g_bytes_get_data (archive, &reader.size);
  n = find_list (&reader);
  if (n == 0)
    return damaged (name, error);
  for (guint64 i = 0; i < n && !reader.failed; i++)
    if (take_entry (&reader, name, &entry))
      return read_entry (&reader, &entry, name, error);
  if (reader.failed)
    return damaged (name, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the archive has no file %s", name);
  return NULL;
}
