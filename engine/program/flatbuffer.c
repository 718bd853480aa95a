/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/flatbuffer.h"

#include "engine/base/set-error.h"

#include <string.h>

#include "engine/program/checked.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "Pteris needs a little-endian computer."
#endif

/* The limits of the FlatBuffers library itself (docs/formats/program.md, section 3.2). */
#define MAX_DEPTH 64
#define MAX_TABLES 1000000
#define MAX_SIZE ((gsize) G_MAXINT32)

/* Bytes of a vtable before its slots: two u16, the size of the vtable and that of the table. */
#define VTABLE_HEAD 4

static inline guint16
load_u16 (const guint8 *p)
{
  guint16 value;

  memcpy (&value, p, sizeof value);
  return value;
}

static inline guint32
load_u32 (const guint8 *p)
{
  guint32 value;

  memcpy (&value, p, sizeof value);
  return value;
}

static inline gint32
load_i32 (const guint8 *p)
{
  gint32 value;

  memcpy (&value, p, sizeof value);
  return value;
}

/* ---- Verifying ---- */

typedef struct {
  const guint8 *data;
  gsize size;
  guint n_tables;
  guint depth;
  const char *what;
  GError **error;
} Verifier;

/* One field of one table, as messages name it. */
typedef struct {
  const PtFbTable *table;
  const PtFbField *field; /* NULL: the table itself */
} Place;

static gboolean verify_table (Verifier *v, gsize pos, const PtFbTable *table);

static gboolean
broken (Verifier *v, Place at, const char *why)
{
  return pt_fail (v->error, PT_ERROR_PROGRAM,
                  "%s is damaged: %s%s%s %s. Download or export it again.", v->what, at.table->name,
                  at.field != NULL ? "." : "", at.field != NULL ? at.field->name : "", why);
}

static inline gboolean
readable (const Verifier *v, gsize pos, gsize size)
{
  return pos % size == 0 && pt_range_fits (pos, size, v->size);
}

static gboolean
follow (Verifier *v, gsize pos, Place at, gsize *target)
{
  guint32 offset;

  if (!readable (v, pos, sizeof (guint32)))
    return broken (v, at, "lies outside the file");
  offset = load_u32 (v->data + pos);
  if (offset == 0 || offset > G_MAXINT32 || offset >= v->size - pos)
    return broken (v, at, "points outside the file");
  *target = pos + offset;
  return TRUE;
}

static gsize
element_size (PtFbType type)
{
  switch (type) {
  case PT_FB_U8:
  case PT_FB_I8:
  case PT_FB_BOOL: return 1;
  case PT_FB_I16:
  case PT_FB_U16: return 2;
  case PT_FB_I64:
  case PT_FB_U64:
  case PT_FB_F64: return 8;
  case PT_FB_I32:
  case PT_FB_U32:
  case PT_FB_F32:
  case PT_FB_STRING:
  case PT_FB_TABLE:
  case PT_FB_UNION:
  case PT_FB_SKIP:
  default: return 4;
  }
}

static gboolean
is_scalar (PtFbType type)
{
  return type <= PT_FB_F64;
}

static gboolean
verify_vector (Verifier *v, gsize pos, gsize element, Place at, guint32 *count)
{
  if (!readable (v, pos, sizeof (guint32)))
    return broken (v, at, "points outside the file");
  *count = load_u32 (v->data + pos);
  if (*count > (v->size - pos - sizeof (guint32)) / element)
    return broken (v, at, "is longer than the file");
  return TRUE;
}

static gboolean
verify_string (Verifier *v, gsize pos, Place at)
{
  guint32 length = 0;
  gsize end;

  if (!verify_vector (v, pos, 1, at, &length))
    return FALSE;
  end = pos + sizeof (guint32) + length;
  if (end >= v->size || v->data[end] != 0)
    return broken (v, at, "does not end in a zero byte");
  return TRUE;
}

static gboolean
verify_vector_field (Verifier *v, gsize pos, Place at)
{
  const PtFbField *field = at.field;
  guint32 count = 0;

  if (!verify_vector (v, pos, element_size (field->type), at, &count))
    return FALSE;
  if (is_scalar (field->type))
    return TRUE;
  for (guint32 i = 0; i < count; i++) {
    gsize item = 0;

    if (!follow (v, pos + sizeof (guint32) * ((gsize) i + 1), at, &item))
      return FALSE;
    if (field->type == PT_FB_STRING ? !verify_string (v, item, at)
                                    : !verify_table (v, item, field->table))
      return FALSE;
  }
  return TRUE;
}

static gboolean
verify_union (Verifier *v, gsize pos, guint tag, Place at)
{
  const PtFbField *field = at.field;

  /* The contents of an unknown union alternative are not verified: the caller refuses its tag. */
  if (tag >= field->n_alternatives || field->alternatives[tag] == NULL)
    return TRUE;
  return verify_table (v, pos, field->alternatives[tag]);
}

static gboolean
verify_field (Verifier *v, gsize pos, guint tag, Place at)
{
  const PtFbField *field = at.field;
  gsize target = 0;

  if (is_scalar (field->type) && !field->is_vector)
    return readable (v, pos, element_size (field->type)) || broken (v, at, "lies outside the file");
  if (!follow (v, pos, at, &target))
    return FALSE;
  if (field->is_vector)
    return verify_vector_field (v, target, at);
  if (field->type == PT_FB_STRING)
    return verify_string (v, target, at);
  if (field->type == PT_FB_UNION)
    return verify_union (v, target, tag, at);
  return verify_table (v, target, field->table);
}

/*
 * A vtable holds two sizes. Only the size of the vtable itself is reliable, because writers share
 * one vtable between tables of different sizes.
 */
static gboolean
verify_vtable (Verifier *v, gsize pos, const PtFbTable *table, gsize *vtable, guint *n_slots)
{
  Place at = { table, NULL };
  gint64 start;
  guint16 size;

  if (!readable (v, pos, sizeof (gint32)))
    return broken (v, at, "lies outside the file");
  start = (gint64) pos - load_i32 (v->data + pos);
  if (start < 0 || start % 2 != 0 || !pt_range_fits ((guint64) start, VTABLE_HEAD, v->size))
    return broken (v, at, "has its field list outside the file");
  size = load_u16 (v->data + start);
  if (size < VTABLE_HEAD || size % 2 != 0 || !pt_range_fits ((guint64) start, size, v->size))
    return broken (v, at, "has a damaged field list");
  *vtable = (gsize) start;
  *n_slots = (size - VTABLE_HEAD) / 2u;
  return TRUE;
}

static gboolean
verify_fields (Verifier *v, gsize pos, const PtFbTable *table, gsize vtable, guint n_slots)
{
  guint tag = 0;

  for (guint i = 0; i < MIN (n_slots, table->n_fields); i++) {
    Place at = { table, &table->fields[i] };
    guint16 offset = load_u16 (v->data + vtable + VTABLE_HEAD + 2 * i);
    guint before = tag;

    tag = 0;
    if (offset == 0 || at.field->type == PT_FB_SKIP)
      continue;
    if (offset < sizeof (gint32))
      return broken (v, at, "overlaps the head of its table");
    if (!verify_field (v, pos + offset, before, at))
      return FALSE;
    if (at.field->type == PT_FB_U8 && !at.field->is_vector)
      tag = v->data[pos + offset];
  }
  return TRUE;
}

static gboolean
verify_table (Verifier *v, gsize pos, const PtFbTable *table)
{
  Place at = { table, NULL };
  gsize vtable = 0;
  guint n_slots = 0;
  gboolean ok;

  if (v->depth >= MAX_DEPTH || v->n_tables >= MAX_TABLES)
    return broken (v, at, "exceeds the limits on the number and nesting of tables");
  v->n_tables++;
  if (!verify_vtable (v, pos, table, &vtable, &n_slots))
    return FALSE;
  v->depth++;
  ok = verify_fields (v, pos, table, vtable, n_slots);
  v->depth--;
  return ok;
}

gboolean
pt_fb_verify (const guint8 *data, gsize size, const PtFbTable *root, const char *what,
              GError **error)
{
  Verifier v = { .data = data, .size = size, .what = what, .error = error };
  Place at = { root, NULL };
  guint32 pos;

  if (size > MAX_SIZE)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "%s is damaged: its tables are larger than 2 GiB. Download or export it again.",
                    what);
  if (size < 12)
    return broken (&v, at, "is missing: the file is too short");
  pos = load_u32 (data);
  if (pos < 8 || pos >= size)
    return broken (&v, at, "lies outside the file");
  return verify_table (&v, pos, root);
}

/* ---- Reading verified bytes ---- */

PtFbRef
pt_fb_root (const guint8 *data)
{
  PtFbRef ref = { data, load_u32 (data) };

  return ref;
}

/* The bytes of a slot, NULL when absent. */
static const guint8 *
find_slot (PtFbRef t, guint slot)
{
  const guint8 *table = t.data + t.pos;
  const guint8 *vtable;
  guint16 offset;

  if (t.pos == 0)
    return NULL;
  vtable = table - load_i32 (table);
  if (VTABLE_HEAD + 2 * (slot + 1) > load_u16 (vtable))
    return NULL;
  offset = load_u16 (vtable + VTABLE_HEAD + 2 * slot);
  return offset != 0 ? table + offset : NULL;
}

gboolean
pt_fb_has (PtFbRef t, guint slot)
{
  return find_slot (t, slot) != NULL;
}

#define DEFINE_SCALAR(name, ctype)                           \
  ctype pt_fb_##name (PtFbRef t, guint slot, ctype fallback) \
  {                                                          \
    const guint8 *p = find_slot (t, slot);                   \
    ctype value = fallback;                                  \
    if (p != NULL)                                           \
      memcpy (&value, p, sizeof value);                      \
    return value;                                            \
  }

DEFINE_SCALAR (u8, guint8)
DEFINE_SCALAR (i8, gint8)
DEFINE_SCALAR (i16, gint16)
DEFINE_SCALAR (i32, gint32)
DEFINE_SCALAR (u32, guint32)
DEFINE_SCALAR (i64, gint64)
DEFINE_SCALAR (u64, guint64)
DEFINE_SCALAR (f32, float)
DEFINE_SCALAR (f64, double)

static const guint8 *
follow_verified (const guint8 *p)
{
  return p + load_u32 (p);
}

PtFbRef
pt_fb_table (PtFbRef t, guint slot)
{
  const guint8 *p = find_slot (t, slot);
  PtFbRef ref = { t.data, 0 };

  if (p != NULL)
    ref.pos = (guint32) (follow_verified (p) - t.data);
  return ref;
}

PtFbVec
pt_fb_vec (PtFbRef t, guint slot)
{
  const guint8 *p = find_slot (t, slot);
  PtFbVec vec = { t.data, NULL, 0, FALSE };

  if (p == NULL)
    return vec;
  p = follow_verified (p);
  vec.items = p + sizeof (guint32);
  vec.count = load_u32 (p);
  vec.present = TRUE;
  return vec;
}

static const char *
read_string (const guint8 *p, gsize *length)
{
  if (length != NULL)
    *length = load_u32 (p);
  return (const char *) p + sizeof (guint32);
}

const char *
pt_fb_string (PtFbRef t, guint slot, gsize *length)
{
  const guint8 *p = find_slot (t, slot);

  if (p != NULL)
    return read_string (follow_verified (p), length);
  if (length != NULL)
    *length = 0;
  return NULL;
}

PtFbRef
pt_fb_vec_table (PtFbVec v, guint32 i)
{
  const guint8 *p = v.items + sizeof (guint32) * (gsize) i;
  PtFbRef ref = { v.data, (guint32) (follow_verified (p) - v.data) };

  return ref;
}

#define DEFINE_ITEM(name, ctype)                                       \
  ctype pt_fb_vec_##name (PtFbVec v, guint32 i)                        \
  {                                                                    \
    ctype value;                                                       \
    memcpy (&value, v.items + sizeof value * (gsize) i, sizeof value); \
    return value;                                                      \
  }

DEFINE_ITEM (u8, guint8)
DEFINE_ITEM (i32, gint32)
DEFINE_ITEM (u32, guint32)
DEFINE_ITEM (i64, gint64)
DEFINE_ITEM (u64, guint64)
DEFINE_ITEM (f32, float)
DEFINE_ITEM (f64, double)
