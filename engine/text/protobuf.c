/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/protobuf.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static gboolean
read_varint (PtProto *self, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && self->at < self->end; shift += 7) {
    guint8 byte = *self->at++;

    *value |= (guint64) (byte & 0x7F) << shift;
    if (byte < 0x80)
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_fixed (PtProto *self, guint n, guint64 *value)
{
  if ((gsize) (self->end - self->at) < n)
    return FALSE;
  *value = 0;
  for (guint i = 0; i < n; i++)
    *value |= (guint64) *self->at++ << (8 * i);
  return TRUE;
}

static gboolean
read_bytes (PtProto *self, PtProtoField *field)
{
  guint64 length;

  if (!read_varint (self, &length) || length > (gsize) (self->end - self->at))
    return FALSE;
  field->bytes = (const char *) self->at;
  field->length = (gsize) length;
  self->at += length;
  return TRUE;
}

PtProtoStep
pt_proto_next (PtProto *self, PtProtoField *field)
{
  guint64 key;
  gboolean ok = FALSE;

  if (self->at == self->end)
    return PT_PROTO_END;
  memset (field, 0, sizeof *field);
  if (!read_varint (self, &key) || key >> 3 == 0 || key > G_MAXUINT32)
    return PT_PROTO_DAMAGED;
  field->number = (guint32) (key >> 3);
  field->wire = (guint) (key & 7);
  switch (field->wire) {
  case WIRE_VARINT: ok = read_varint (self, &field->value); break;
  case WIRE_64: ok = read_fixed (self, 8, &field->value); break;
  case WIRE_BYTES: ok = read_bytes (self, field); break;
  case WIRE_32: ok = read_fixed (self, 4, &field->value); break;
  default: break;
  }
  return ok ? PT_PROTO_FIELD : PT_PROTO_DAMAGED;
}

gboolean
pt_proto_bool (const PtProtoField *field, gboolean *value)
{
  *value = field->value != 0;
  return field->wire == WIRE_VARINT;
}

gboolean
pt_proto_int (const PtProtoField *field, gint32 *value)
{
  *value = (gint32) (guint32) field->value;
  return field->wire == WIRE_VARINT;
}

gboolean
pt_proto_float (const PtProtoField *field, float *value)
{
  guint32 bits = (guint32) field->value;

  memcpy (value, &bits, sizeof bits);
  return field->wire == WIRE_32;
}

gboolean
pt_proto_bytes (const PtProtoField *field, const char **bytes, gsize *length)
{
  *bytes = field->bytes;
  *length = field->length;
  return field->wire == WIRE_BYTES;
}
