/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/wire.h"

#include <string.h>

/* ---- writing ---- */

void
pt_writer_put (PtWriter *writer, gconstpointer bytes, gsize size)
{
  if (writer->data != NULL && writer->used <= writer->room && size <= writer->room - writer->used &&
      size > 0)
    memcpy (writer->data + writer->used, bytes, size);
  writer->used = size <= G_MAXSIZE - writer->used ? writer->used + size : G_MAXSIZE;
}

void
pt_writer_put_u8 (PtWriter *writer, guint8 value)
{
  pt_writer_put (writer, &value, sizeof value);
}

void
pt_writer_put_u32 (PtWriter *writer, guint32 value)
{
  pt_writer_put (writer, &value, sizeof value);
}

void
pt_writer_put_u64 (PtWriter *writer, guint64 value)
{
  pt_writer_put (writer, &value, sizeof value);
}

void
pt_writer_put_text (PtWriter *writer, const char *text)
{
  gsize size = text != NULL ? strlen (text) + 1 : 0;

  if (size > G_MAXUINT32) {
    writer->used = G_MAXSIZE;
    return;
  }
  pt_writer_put_u32 (writer, (guint32) size);
  pt_writer_put (writer, text, size);
}

void
pt_writer_align (PtWriter *writer)
{
  static const guint8 zeros[8] = { 0 };

  pt_writer_put (writer, zeros, (8 - writer->used % 8) % 8);
}

gboolean
pt_writer_fits (const PtWriter *writer)
{
  return writer->data != NULL && writer->used <= writer->room;
}

/* ---- reading ---- */

gboolean
pt_reader_fail (PtReader *reader, const char *fault)
{
  if (reader->fault == NULL)
    reader->fault = fault;
  reader->at = reader->size;
  return FALSE;
}

gsize
pt_reader_left (const PtReader *reader)
{
  return reader->size - reader->at;
}

gconstpointer
pt_reader_take (PtReader *reader, gsize size)
{
  const guint8 *bytes = reader->data + reader->at;

  if (reader->fault != NULL || size > pt_reader_left (reader)) {
    pt_reader_fail (reader, "it ends too early");
    return NULL;
  }
  reader->at += size;
  return bytes;
}

static void
take_number (PtReader *reader, gpointer out, gsize size)
{
  gconstpointer bytes = pt_reader_take (reader, size);

  if (bytes != NULL)
    memcpy (out, bytes, size);
}

guint8
pt_reader_u8 (PtReader *reader)
{
  guint8 value = 0;

  take_number (reader, &value, sizeof value);
  return value;
}

guint32
pt_reader_u32 (PtReader *reader)
{
  guint32 value = 0;

  take_number (reader, &value, sizeof value);
  return value;
}

guint64
pt_reader_u64 (PtReader *reader)
{
  guint64 value = 0;

  take_number (reader, &value, sizeof value);
  return value;
}

const char *
pt_reader_text (PtReader *reader)
{
  guint32 size = pt_reader_u32 (reader);
  const char *text;

  if (size == 0)
    return NULL;
  text = pt_reader_take (reader, size);
  if (text == NULL)
    return NULL;
  if (memchr (text, '\0', size) != text + size - 1) {
    pt_reader_fail (reader, "a text does not end where it should");
    return NULL;
  }
  if (reader->repair && reader->heap != NULL && !g_utf8_validate (text, -1, NULL))
    return pt_heap_text (reader->heap, text);
  return text;
}

void
pt_reader_align (PtReader *reader)
{
  const guint8 *zeros = pt_reader_take (reader, (8 - reader->at % 8) % 8);

  for (gsize i = 0; zeros != NULL && (zeros + i - reader->data) < (gssize) reader->at; i++)
    if (zeros[i] != 0) {
      pt_reader_fail (reader, "there are bytes in a gap");
      return;
    }
}
