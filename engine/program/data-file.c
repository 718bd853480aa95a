/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/data-file.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/program/file.h"
#include "engine/program/keys.h"
#include "engine/program/schema.h"
#include "engine/program/segments.h"
#include "engine/program/tensor-shape.h"
#include "engine/program/table-memory.h"

/* The header (docs/formats/program.md, section 6.1). */
enum {
  AT_MAGIC = 8,
  AT_LENGTH = 12,
  AT_TABLES_OFFSET = 16,
  AT_TABLES_SIZE = 24,
  AT_SEGMENT_BASE = 32,
  AT_SEGMENT_SIZE = 40,
  HEADER_END = 48,
};

#define HEADER_LENGTH 40

struct _PtDataFile {
  GBytes *bytes;
  char *path;
  PtStore store; /* of @entries */
  PtDataEntry *entries;
  PtKey *keys; /* [n_entries] */
  guint n_entries;
};

/* Arguments of the functions that open one file. */
typedef struct {
  PtDataFile *file;
  const char *name; /* for messages */
  const guint8 *data;
  gsize size;
  gsize tables_size;
  guint64 segment_base;
  const PtProgramSegment *segments;
  guint n_segments;
} Loader;

static gboolean damaged (const Loader *loader, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
damaged (const Loader *loader, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return pt_fail (error, PT_ERROR_DATA,
                  "%s is damaged: %s. Download or export it again. (ExecuTorch error 0x24)",
                  loader->name, what);
}

static guint64
read_u64 (const guint8 *p)
{
  guint64 value;

  memcpy (&value, p, sizeof value);
  return value;
}

/* Only the sum of the offset and the size of the tables is used: it is the end of the tables. */
static gboolean
read_header (Loader *loader, GError **error)
{
  guint64 offset, size, segment_size;
  guint32 length;

  if (!pt_file_expect (loader->data, loader->size, PT_FILE_DATA, loader->name, error) ||
      !pt_file_check_length (loader->size, HEADER_END, PT_ERROR_DATA, loader->name, error))
    return FALSE;
  memcpy (&length, loader->data + AT_LENGTH, sizeof length);
  if (memcmp (loader->data + AT_MAGIC, "FH01", 4) != 0 || length < HEADER_LENGTH)
    return damaged (loader, error, "its header is missing");
  offset = read_u64 (loader->data + AT_TABLES_OFFSET);
  size = read_u64 (loader->data + AT_TABLES_SIZE);
  loader->segment_base = read_u64 (loader->data + AT_SEGMENT_BASE);
  segment_size = read_u64 (loader->data + AT_SEGMENT_SIZE);
  if (size > G_MAXUINT64 - offset || segment_size > G_MAXUINT64 - loader->segment_base)
    return damaged (loader, error, "its header has invalid sizes");
  if (!pt_file_check_length (loader->size, MAX (offset + size, loader->segment_base + segment_size),
                             PT_ERROR_DATA, loader->name, error))
    return FALSE;
  loader->tables_size = offset + size;
  return TRUE;
}

static gboolean
verify_tables (const Loader *loader, GError **error)
{
  GError *cause = NULL;

  if (pt_fb_verify (loader->data, loader->tables_size, &pt_schema_data_file, loader->name, &cause))
    return TRUE;
  cause->code = PT_ERROR_DATA;
  g_propagate_error (error, cause);
  return FALSE;
}

static gboolean
read_layout (Loader *loader, PtFbRef layout, const char *key, PtDataEntry *entry, GError **error)
{
  gint8 dtype = pt_fb_i8 (layout, SLOT_LAYOUT_DTYPE, 0);
  PtFbVec sizes = pt_fb_vec (layout, SLOT_LAYOUT_SIZES);
  PtFbVec dim_order = pt_fb_vec (layout, SLOT_LAYOUT_DIM_ORDER);
  gsize numel, nbytes = 0;
  const char *wrong = pt_shape_check (dtype, sizes, dim_order, &numel, &nbytes);

  if (wrong != NULL)
    return damaged (loader, error, "the tensor “%s” %s", key, wrong);
  if (nbytes > entry->size)
    return damaged (loader, error, "the tensor “%s” is cut short", key);
  if (GPOINTER_TO_SIZE (entry->data) % pt_shape_alignment (dtype) != 0)
    return damaged (loader, error, "the tensor “%s” is misaligned", key);
  entry->has_layout = TRUE;
  entry->dtype = dtype;
  entry->rank = sizes.count;
  /* Used in place: the verifier checked the alignment, and the machine is little-endian. */
  entry->sizes = (const gint32 *) (gconstpointer) sizes.items;
  entry->dim_order = dim_order.items;
  return TRUE;
}

static gboolean
read_entry (Loader *loader, PtFbRef table, guint index, PtDataEntry *entry, GError **error)
{
  g_autofree char *key = NULL;
  guint32 segment = pt_fb_u32 (table, SLOT_NAMED_SEGMENT, 0);
  PtFbRef layout = pt_fb_table (table, SLOT_NAMED_LAYOUT);

  entry->key = pt_fb_string (table, SLOT_NAMED_KEY, &entry->key_length);
  if (entry->key == NULL)
    return damaged (loader, error, "entry %u has no key", index);
  if (!pt_store_charge (&loader->file->store, entry->key_length, 1))
    return damaged (loader, error, "its tables describe more than they can hold");
  key = pt_key_display (entry->key, entry->key_length);
  if (segment >= loader->n_segments)
    return damaged (loader, error, "“%s” lies in segment %u of %u", key, segment,
                    loader->n_segments);
  entry->data = loader->segments[segment].data;
  entry->size = loader->segments[segment].size;
  return !pt_fb_present (layout) || read_layout (loader, layout, key, entry, error);
}

static gboolean
read_entries (Loader *loader, PtFbVec tables, GError **error)
{
  PtDataFile *file = loader->file;
  const PtKey *twice;

  file->entries = pt_store_new (&file->store, PtDataEntry, tables.count);
  file->keys = pt_store_new (&file->store, PtKey, tables.count);
  if (file->entries == NULL || file->keys == NULL)
    return damaged (loader, error, "its tables describe more than they can hold");
  for (guint i = 0; i < tables.count; i++) {
    PtDataEntry *entry = &file->entries[i];

    if (!read_entry (loader, pt_fb_vec_table (tables, i), i, entry, error))
      return FALSE;
    file->keys[i] = (PtKey){ entry->key, entry->key_length, entry };
  }
  file->n_entries = tables.count;
  twice = pt_keys_sort (file->keys, file->n_entries);
  if (twice != NULL) {
    g_autofree char *key = pt_key_display (twice->key, twice->length);

    return damaged (loader, error, "it has two entries of the key “%s”", key);
  }
  return TRUE;
}

static gboolean
load (Loader *loader, GError **error)
{
  PtSegmentFile segment_file = { .name = loader->name, .code = PT_ERROR_DATA };
  PtFbVec segments, named;
  PtFbRef root;

  if (!read_header (loader, error) || !verify_tables (loader, error))
    return FALSE;
  root = pt_fb_root (loader->data);
  segments = pt_fb_vec (root, SLOT_DATA_FILE_SEGMENTS);
  named = pt_fb_vec (root, SLOT_DATA_FILE_NAMED);
  if (!segments.present || !named.present)
    return damaged (loader, error, "its table of contents is missing");
  pt_store_init (&loader->file->store, loader->tables_size);
  segment_file.data = loader->data;
  segment_file.size = loader->size;
  segment_file.base = loader->segment_base;
  loader->segments = pt_segments_resolve (&segment_file, segments, &loader->file->store, error);
  loader->n_segments = segments.count;
  return loader->segments != NULL && read_entries (loader, named, error);
}

PtDataFile *
pt_data_file_new (GBytes *bytes, const char *name, GError **error)
{
  g_autofree char *display = g_filename_display_name (name);
  g_autoptr (PtDataFile) file = g_new0 (PtDataFile, 1);
  Loader loader = { .name = display };

  file->path = g_strdup (name);
  file->bytes = g_bytes_ref (bytes);
  loader.file = file;
  loader.data = g_bytes_get_data (file->bytes, &loader.size);
  if (!pt_file_settle (load (&loader, error), file->bytes, name, error))
    return NULL;
  return g_steal_pointer (&file);
}

PtDataFile *
pt_data_file_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map (path, error);

  return bytes != NULL ? pt_data_file_new (bytes, path, error) : NULL;
}

void
pt_data_file_free (PtDataFile *file)
{
  if (file == NULL)
    return;
  pt_store_clear (&file->store);
  g_bytes_unref (file->bytes);
  g_free (file->path);
  g_free (file);
}

gboolean
pt_data_file_check_intact (const PtDataFile *file, GError **error)
{
  return pt_file_check_intact (file->bytes, file->path, error);
}

const char *
pt_data_file_path (const PtDataFile *file)
{
  return file->path;
}

gsize
pt_data_file_size (const PtDataFile *file)
{
  return g_bytes_get_size (file->bytes);
}

guint
pt_data_file_n_entries (const PtDataFile *file)
{
  return file->n_entries;
}

const PtDataEntry *
pt_data_file_entry (const PtDataFile *file, guint i)
{
  g_return_val_if_fail (i < file->n_entries, NULL);
  return &file->entries[i];
}
