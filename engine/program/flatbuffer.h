/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A verifier and a reader of FlatBuffers, driven by a small schema.
 *
 * Verify first (pt_fb_verify()); the accessors below then trust the bytes and
 * need no error path (docs/formats/program.md, section 3). The same code reads
 * programs, data files, bundled programs and XNNPACK payloads.
 */

typedef enum {
  PT_FB_U8,
  PT_FB_I8,
  PT_FB_BOOL,
  PT_FB_I16,
  PT_FB_U16,
  PT_FB_I32,
  PT_FB_U32,
  PT_FB_F32,
  PT_FB_I64,
  PT_FB_U64,
  PT_FB_F64,
  PT_FB_STRING,
  PT_FB_TABLE, /* @table */
  PT_FB_UNION, /* @alternatives by tag; its tag is the slot before it */
  PT_FB_SKIP   /* a slot without accessor, which is not verified */
} PtFbType;

typedef struct _PtFbTable PtFbTable;

typedef struct {
  const char *name;
  PtFbType type;
  gboolean is_vector;                   /* a vector of @type */
  const PtFbTable *table;               /* PT_FB_TABLE */
  const PtFbTable *const *alternatives; /* PT_FB_UNION: index = tag, NULL = do not descend */
  guint n_alternatives;
} PtFbField;

/** The slots of one table, in slot order. */
struct _PtFbTable {
  const char *name;
  const PtFbField *fields;
  guint n_fields;
};

/** A verified buffer. Borrowed bytes: they must outlive every PtFbRef into them. */
typedef struct {
  const guint8 *data;
  gsize size;
} PtFb;

/** A table inside a verified buffer; position 0: the table is absent. */
typedef struct {
  const guint8 *data;
  guint32 pos;
} PtFbRef;

/** A vector (or string) inside a verified buffer. */
typedef struct {
  const guint8 *data;  /* the buffer that contains the vector */
  const guint8 *items; /* may be misaligned: read through pt_fb_vec_* */
  guint32 count;
  gboolean present;
} PtFbVec;

/**
 * Check every offset, vector, string and union of the tree that starts at the
 * root of @data against @root: nothing outside @size bytes, depth at most 64, at
 * most 1,000,000 table visits.
 *
 * Vectors of 8-byte elements may be misaligned; the accessors do not mind. Errors are
 * PT_ERROR_PROGRAM.
 *
 * @what: names the file in messages.
 */
gboolean pt_fb_verify (const guint8 *data, gsize size, const PtFbTable *root, const char *what,
                       GError **error);

PtFbRef pt_fb_root (const guint8 *data);

static inline gboolean
pt_fb_present (PtFbRef ref)
{
  return ref.pos != 0;
}

/*
 * Each accessor may be used on the slots and types of the schema that the buffer was verified
 * with, and on nothing else; a union's table only when its tag has an alternative there. An
 * absent table has no slots.
 *
 * Scalars of slot @slot; @fallback when the slot is absent.
 */
gboolean pt_fb_has (PtFbRef t, guint slot);
guint8 pt_fb_u8 (PtFbRef t, guint slot, guint8 fallback);
gint8 pt_fb_i8 (PtFbRef t, guint slot, gint8 fallback);
gint16 pt_fb_i16 (PtFbRef t, guint slot, gint16 fallback);
gint32 pt_fb_i32 (PtFbRef t, guint slot, gint32 fallback);
guint32 pt_fb_u32 (PtFbRef t, guint slot, guint32 fallback);
gint64 pt_fb_i64 (PtFbRef t, guint slot, gint64 fallback);
guint64 pt_fb_u64 (PtFbRef t, guint slot, guint64 fallback);
float pt_fb_f32 (PtFbRef t, guint slot, float fallback);
double pt_fb_f64 (PtFbRef t, guint slot, double fallback);

PtFbRef pt_fb_table (PtFbRef t, guint slot);
PtFbVec pt_fb_vec (PtFbRef t, guint slot);

/** The bytes of a string (zero-terminated in the buffer, may contain zeros); NULL when absent. */
const char *pt_fb_string (PtFbRef t, guint slot, gsize *length);

PtFbRef pt_fb_vec_table (PtFbVec v, guint32 i);
guint8 pt_fb_vec_u8 (PtFbVec v, guint32 i);
gint32 pt_fb_vec_i32 (PtFbVec v, guint32 i);
guint32 pt_fb_vec_u32 (PtFbVec v, guint32 i);
gint64 pt_fb_vec_i64 (PtFbVec v, guint32 i);
guint64 pt_fb_vec_u64 (PtFbVec v, guint32 i);
float pt_fb_vec_f32 (PtFbVec v, guint32 i);
double pt_fb_vec_f64 (PtFbVec v, guint32 i);

G_END_DECLS
