/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/fields.h"

#include <string.h>

/* The member of @self; const is cast away for readers of both kinds. */
static gpointer
member (gconstpointer self, gsize offset)
{
  return (guint8 *) (gpointer) self + offset;
}

/* The pointer that a member is. */
static gpointer
pointer_at (gconstpointer self, const PtField *field)
{
  gpointer value;

  memcpy (&value, member (self, field->offset), sizeof value);
  return value;
}

static void
set_pointer (gpointer self, const PtField *field, gconstpointer value)
{
  memcpy (member (self, field->offset), &value, sizeof value);
}

static guint64
count_at (gconstpointer self, gconstpointer parent, const PtField *field)
{
  guint64 large;
  guint32 small;

  if (field->counter != NULL)
    return field->counter (self, parent);
  if (field->count_size == sizeof small) {
    memcpy (&small, member (self, field->count), sizeof small);
    return small;
  }
  memcpy (&large, member (self, field->count), sizeof large);
  return large;
}

static void
set_count (gpointer self, const PtField *field, guint64 count)
{
  guint32 small = (guint32) count;

  if (field->count_size == sizeof small)
    memcpy (member (self, field->count), &small, sizeof small);
  else if (field->count_size != 0)
    memcpy (member (self, field->count), &count, sizeof count);
}

/* ---- writing ---- */

static void write_struct (PtWriter *writer, const PtStructInfo *info, gconstpointer self,
                          gconstpointer parent);

/* Lists have their length plus 1 in front, or 0 for NULL. */
static void
write_texts (PtWriter *writer, const char *const *texts, guint64 n)
{
  pt_writer_put_u64 (writer, texts != NULL ? n + 1 : 0);
  for (guint64 i = 0; texts != NULL && i < n; i++)
    pt_writer_put_text (writer, texts[i]);
}

static void
write_rows (PtWriter *writer, const PtField *field, gconstpointer self, gconstpointer parent)
{
  const guint8 *rows = pointer_at (self, field);
  guint64 n = rows != NULL ? count_at (self, parent, field) : 0;

  pt_writer_put_u64 (writer, n);
  for (guint64 i = 0; i < n; i++)
    write_struct (writer, field->of, rows + i * field->of->size, self);
}

static void
write_numbers (PtWriter *writer, const PtField *field, gconstpointer self, gconstpointer parent)
{
  gconstpointer numbers = pointer_at (self, field);
  guint64 n = numbers != NULL ? count_at (self, parent, field) : 0;

  pt_writer_put_u64 (writer, n);
  if (n == 0)
    return;
  pt_writer_align (writer);
  pt_writer_put (writer, numbers, (gsize) n * field->unit);
}

static void
write_field (PtWriter *writer, const PtField *field, gconstpointer self, gconstpointer parent)
{
  gconstpointer at = member (self, field->offset);
  const char *const *texts;

  switch (field->kind) {
  case PT_FIELD_PLAIN:
  case PT_FIELD_ENUM: pt_writer_put (writer, at, field->size); break;
  case PT_FIELD_BOOL: pt_writer_put_u32 (writer, *(const gboolean *) at != FALSE); break;
  case PT_FIELD_TEXT:
  case PT_FIELD_NAME:
  case PT_FIELD_PATH: pt_writer_put_text (writer, pointer_at (self, field)); break;
  case PT_FIELD_TEXTS:
  case PT_FIELD_PATHS:
    texts = pointer_at (self, field);
    write_texts (writer, texts, texts != NULL ? g_strv_length ((char **) texts) : 0);
    break;
  case PT_FIELD_SPARSE:
    write_texts (writer, pointer_at (self, field), count_at (self, parent, field));
    break;
  case PT_FIELD_ROWS: write_rows (writer, field, self, parent); break;
  case PT_FIELD_NUMBERS: write_numbers (writer, field, self, parent); break;
  case PT_FIELD_ONE:
    pt_writer_put_u8 (writer, pointer_at (self, field) != NULL);
    if (pointer_at (self, field) != NULL)
      write_struct (writer, field->of, pointer_at (self, field), self);
    break;
  case PT_FIELD_INSIDE: write_struct (writer, field->of, at, self); break;
  case PT_FIELD_OWNER: break;
  }
}

static void
write_struct (PtWriter *writer, const PtStructInfo *info, gconstpointer self, gconstpointer parent)
{
  for (guint i = 0; i < info->n_fields; i++)
    write_field (writer, &info->fields[i], self, parent);
}

void
pt_fields_write (PtWriter *writer, const PtStructInfo *info, gconstpointer self)
{
  write_struct (writer, info, self, NULL);
}

/* ---- reading ---- */

static gboolean read_struct (PtReader *reader, const PtStructInfo *info, gpointer self,
                             gconstpointer parent);

/* The fewest bytes that a struct can have been written in. */
static gsize
least_size (const PtStructInfo *info)
{
  gsize least = 0;

  for (guint i = 0; i < info->n_fields; i++) {
    const PtField *field = &info->fields[i];

    switch (field->kind) {
    case PT_FIELD_PLAIN:
    case PT_FIELD_ENUM:
    case PT_FIELD_BOOL: least += field->size; break;
    case PT_FIELD_TEXT:
    case PT_FIELD_NAME:
    case PT_FIELD_PATH: least += sizeof (guint32); break;
    case PT_FIELD_TEXTS:
    case PT_FIELD_PATHS:
    case PT_FIELD_SPARSE:
    case PT_FIELD_ROWS:
    case PT_FIELD_NUMBERS: least += sizeof (guint64); break;
    case PT_FIELD_ONE: least += 1; break;
    case PT_FIELD_INSIDE: least += least_size (field->of); break;
    case PT_FIELD_OWNER: break;
    }
  }
  return least;
}

static gboolean
read_bool (PtReader *reader, gpointer at)
{
  gboolean value = (gboolean) pt_reader_u32 (reader);

  if (value != FALSE && value != TRUE && !reader->trusted)
    return pt_reader_fail (reader, "a truth value is neither true nor false");
  memcpy (at, &value, sizeof value);
  return reader->fault == NULL;
}

static gboolean
read_enum (PtReader *reader, const PtField *field, gpointer at)
{
  guint32 value = pt_reader_u32 (reader);

  if (value >= field->limit && !reader->trusted)
    return pt_reader_fail (reader, "a value is not in its enumeration");
  memcpy (at, &value, sizeof value);
  return reader->fault == NULL;
}

static gboolean
read_text (PtReader *reader, const PtField *field, gpointer self)
{
  gboolean repair = reader->repair;
  const char *text;

  reader->repair = repair && field->kind != PT_FIELD_PATH;
  text = pt_reader_text (reader);
  reader->repair = repair;
  if (text == NULL && field->kind == PT_FIELD_NAME && !reader->trusted)
    return pt_reader_fail (reader, "a name is missing");
  set_pointer (self, field, text);
  return reader->fault == NULL;
}

static gboolean
read_texts (PtReader *reader, const PtField *field, gpointer self, gconstpointer parent)
{
  guint64 n = pt_reader_u64 (reader);
  gboolean sparse = field->kind == PT_FIELD_SPARSE, repair = reader->repair;
  const char **texts;

  if (n == 0)
    return reader->fault == NULL;
  n--;
  if (n > pt_reader_left (reader) / sizeof (guint32) ||
      (sparse && n != count_at (self, parent, field)))
    return pt_reader_fail (reader, "a list has a wrong length");
  texts = pt_heap_new0 (reader->heap, const char *, (gsize) n + 1);
  reader->repair = repair && field->kind != PT_FIELD_PATHS;
  for (guint64 i = 0; i < n; i++) {
    texts[i] = pt_reader_text (reader);
    if (texts[i] == NULL && !sparse)
      pt_reader_fail (reader, "a list has a gap");
  }
  reader->repair = repair;
  set_pointer (self, field, texts);
  return reader->fault == NULL;
}

static gboolean
read_rows (PtReader *reader, const PtField *field, gpointer self)
{
  const PtStructInfo *of = field->of;
  guint64 n = pt_reader_u64 (reader);
  guint8 *rows;

  if (n > G_MAXUINT32 || n > pt_reader_left (reader) / MAX (least_size (of), 1) ||
      n > G_MAXSIZE / of->size)
    return pt_reader_fail (reader, "an array is longer than the message");
  if (n > 0) {
    rows = pt_heap_take (reader->heap, g_malloc0 ((gsize) n * of->size));
    set_pointer (self, field, rows);
    for (guint64 i = 0; i < n; i++)
      if (!read_struct (reader, of, rows + i * of->size, self))
        return FALSE;
  }
  set_count (self, field, n);
  return reader->fault == NULL;
}

static gboolean
read_numbers (PtReader *reader, const PtField *field, gpointer self, gconstpointer parent)
{
  guint64 n = pt_reader_u64 (reader);

  if (n > 0) {
    pt_reader_align (reader);
    if (n > pt_reader_left (reader) / field->unit || (field->count_size == 4 && n > G_MAXUINT32))
      return pt_reader_fail (reader, "numbers go beyond the message");
    if (field->counter != NULL && n != field->counter (self, parent))
      return pt_reader_fail (reader, "there are more or fewer numbers than said");
    set_pointer (self, field, pt_reader_take (reader, (gsize) n * field->unit));
  }
  set_count (self, field, n);
  return reader->fault == NULL;
}

static gboolean
read_one (PtReader *reader, const PtField *field, gpointer self)
{
  guint8 there = pt_reader_u8 (reader);
  gpointer one;

  if (there > 1)
    return pt_reader_fail (reader, "a truth value is neither true nor false");
  if (there == 0 || reader->fault != NULL)
    return reader->fault == NULL;
  one = pt_heap_take (reader->heap, g_malloc0 (field->of->size));
  set_pointer (self, field, one);
  return read_struct (reader, field->of, one, self);
}

static gboolean
read_field (PtReader *reader, const PtField *field, gpointer self, gconstpointer parent)
{
  gpointer at = member (self, field->offset);
  gconstpointer bytes;

  switch (field->kind) {
  case PT_FIELD_PLAIN:
    bytes = pt_reader_take (reader, field->size);
    if (bytes != NULL)
      memcpy (at, bytes, field->size);
    return bytes != NULL;
  case PT_FIELD_BOOL: return read_bool (reader, at);
  case PT_FIELD_ENUM: return read_enum (reader, field, at);
  case PT_FIELD_TEXT:
  case PT_FIELD_NAME:
  case PT_FIELD_PATH: return read_text (reader, field, self);
  case PT_FIELD_TEXTS:
  case PT_FIELD_PATHS:
  case PT_FIELD_SPARSE: return read_texts (reader, field, self, parent);
  case PT_FIELD_ROWS: return read_rows (reader, field, self);
  case PT_FIELD_NUMBERS: return read_numbers (reader, field, self, parent);
  case PT_FIELD_ONE: return read_one (reader, field, self);
  case PT_FIELD_INSIDE: return read_struct (reader, field->of, at, self);
  case PT_FIELD_OWNER: set_pointer (self, field, reader->heap); return TRUE;
  }
  return FALSE;
}

static gboolean
read_struct (PtReader *reader, const PtStructInfo *info, gpointer self, gconstpointer parent)
{
  const char *fault;

  for (guint i = 0; i < info->n_fields; i++)
    if (!read_field (reader, &info->fields[i], self, parent))
      return FALSE;
  fault = info->check != NULL && !reader->trusted ? info->check (self, parent) : NULL;
  return fault == NULL || pt_reader_fail (reader, fault);
}

gboolean
pt_fields_read (PtReader *reader, const PtStructInfo *info, gpointer self)
{
  memset (self, 0, info->size);
  return read_struct (reader, info, self, NULL);
}

/* ---- copies ---- */

void
pt_fields_copy (const PtStructInfo *info, gconstpointer self, gpointer copy, PtHeap *heap)
{
  PtWriter writer = { 0 };
  PtReader reader = { .heap = heap, .trusted = TRUE };

  pt_fields_write (&writer, info, self);
  writer.room = writer.used;
  writer.used = 0;
  reader.data = writer.data = pt_heap_take (heap, g_malloc (writer.room));
  pt_fields_write (&writer, info, self);
  reader.size = writer.used;
  if (!pt_fields_read (&reader, info, copy))
    g_error ("%s cannot be copied: %s", info->name, reader.fault);
}

/* ---- paths ---- */

typedef struct {
  void (*func) (const char *path, gpointer user_data);
  gpointer user_data;
} PathFunc;

static void
each_path (const PtStructInfo *info, gconstpointer self, const PathFunc *call)
{
  for (guint i = 0; i < info->n_fields; i++) {
    const PtField *field = &info->fields[i];
    const char *const *paths;
    const guint8 *rows;

    switch (field->kind) {
    case PT_FIELD_PATH:
      if (pointer_at (self, field) != NULL)
        call->func (pointer_at (self, field), call->user_data);
      break;
    case PT_FIELD_PATHS:
      paths = pointer_at (self, field);
      for (guint k = 0; paths != NULL && paths[k] != NULL; k++)
        call->func (paths[k], call->user_data);
      break;
    case PT_FIELD_ROWS:
      rows = pointer_at (self, field);
      for (guint64 k = 0; rows != NULL && k < count_at (self, NULL, field); k++)
        each_path (field->of, rows + k * field->of->size, call);
      break;
    case PT_FIELD_INSIDE: each_path (field->of, member (self, field->offset), call); break;
    default: break;
    }
  }
}

void
pt_fields_each_path (const PtStructInfo *info, gconstpointer self,
                     void (*func) (const char *path, gpointer user_data), gpointer user_data)
{
  const PathFunc call = { func, user_data };

  each_path (info, self, &call);
}

/* ---- the print of a table ---- */

static guint32
mix (guint32 print, guint64 value)
{
  for (guint i = 0; i < 8; i++)
    print = (print ^ (guint8) (value >> (8 * i))) * 16777619u;
  return print;
}

static guint32
print_struct (guint32 print, const PtStructInfo *info)
{
  print = mix (print, info->size);
  for (guint i = 0; i < info->n_fields; i++) {
    const PtField *field = &info->fields[i];

    print = mix (print, field->kind);
    print = mix (print, field->offset);
    print = mix (print, field->size);
    print = mix (print, field->limit);
    if (field->of != NULL)
      print = print_struct (print, field->of);
  }
  return print;
}

guint32
pt_fields_print (const PtStructInfo *info)
{
  return print_struct (2166136261u, info);
}
