/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Reading a message of Protocol Buffers field by field, in place. Every length is checked against
 * the message; groups, a deprecated wire type, count as damage.
 */

typedef struct {
  const guint8 *at, *end;
} PtProto;

typedef enum { PT_PROTO_END, PT_PROTO_FIELD, PT_PROTO_DAMAGED } PtProtoStep;

typedef struct {
  guint32 number;
  guint wire;        /* 0 varint, 1 eight bytes, 2 bytes of any length, 5 four bytes */
  guint64 value;     /* unless wire is 2 */
  const char *bytes; /* when wire is 2; points into the message */
  gsize length;
} PtProtoField;

static inline PtProto
pt_proto (const char *message, gsize length)
{
  PtProto proto = { (const guint8 *) message, (const guint8 *) message + length };

  return proto;
}

PtProtoStep pt_proto_next (PtProto *proto, PtProtoField *field);

/* The value of a field; FALSE: the field has another wire type, which counts as damage. */
gboolean pt_proto_bool (const PtProtoField *field, gboolean *value);
gboolean pt_proto_int (const PtProtoField *field, gint32 *value);
gboolean pt_proto_float (const PtProtoField *field, float *value);
/** @bytes: points into the message, not zero-terminated. */
gboolean pt_proto_bytes (const PtProtoField *field, const char **bytes, gsize *length);

G_END_DECLS
