/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * Data files (.ptd): named bytes outside a program, some with a tensor layout
 * (docs/formats/program.md, section 6). Files are mapped; nothing is copied.
 */

/** One named entry. @key and @data point into the mapped file. */
typedef struct {
  const char *key;
  gsize key_length;
  const guint8 *data;
  gsize size;
  gboolean has_layout; /* FALSE: an opaque blob for a delegate */
  int dtype;           /* the rest: only with a layout */
  guint rank;
  const gint32 *sizes;     /* [rank] */
  const guint8 *dim_order; /* [rank] */
} PtDataEntry;

typedef struct _PtDataFile PtDataFile;

/** Map @path and verify all of it. Free with pt_data_file_free(). Any thread. */
PtDataFile *pt_data_file_open (const char *path, GError **error);
/** The same from memory. @bytes: kept; aligned to 16. @name: how messages call it. */
PtDataFile *pt_data_file_new (GBytes *bytes, const char *name, GError **error);
void pt_data_file_free (PtDataFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDataFile, pt_data_file_free)

/** FALSE when the file has been shortened since it was opened: parts of it then read as zeros. */
gboolean pt_data_file_check_intact (const PtDataFile *file, GError **error);

const char *pt_data_file_path (const PtDataFile *file);
gsize pt_data_file_size (const PtDataFile *file);
guint pt_data_file_n_entries (const PtDataFile *file);
const PtDataEntry *pt_data_file_entry (const PtDataFile *file, guint i);

/** PtDataMap: the entries of several data files, found by key. A key in two files is an error. */
typedef struct _PtDataMap PtDataMap;

/** @paths: NULL-terminated, may be empty. Keeps its files open until freed. */
PtDataMap *pt_data_map_open (const char *const *paths, GError **error);
/** The same for files that are open already. @files: of PtDataFile, which it frees; taken, also on
 * failure. */
PtDataMap *pt_data_map_new (GPtrArray *files, GError **error);
PtDataMap *pt_data_map_ref (PtDataMap *map);
void pt_data_map_unref (PtDataMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDataMap, pt_data_map_unref)

guint pt_data_map_n_files (const PtDataMap *map);
PtDataFile *pt_data_map_file (const PtDataMap *map, guint i);

/** NULL when there is no such key. @map may be NULL (no data files). */
const PtDataEntry *pt_data_map_find (const PtDataMap *map, const char *key, gsize key_length);
/** The file that @entry of @map lies in. */
const PtDataFile *pt_data_map_file_of (const PtDataMap *map, const PtDataEntry *entry);

G_END_DECLS
