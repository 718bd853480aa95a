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
  gboolean has_layout; /* FALSE: bytes of a delegate, without dtype and shape */
  int dtype;           /* the other fields are set only with has_layout */
  guint rank;
  const gint32 *sizes;     /* [rank] */
  const guint8 *dim_order; /* [rank] */
} PtDataEntry;

typedef struct _PtDataFile PtDataFile;

/** Map @path and verify all of it. Free with pt_data_file_free(). Any thread. */
PtDataFile *pt_data_file_open (const char *path, GError **error);
/** Open a data file in memory. @bytes: a reference is kept; aligned to 16. @name: for messages. */
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

/**
 * Map the files @paths (NULL-terminated, may be empty). The map keeps them open until it is freed.
 */
PtDataMap *pt_data_map_open (const char *const *paths, GError **error);
/**
 * Make a map of files that are open already. @files: an array of PtDataFile; the map takes
 * ownership, also on failure.
 */
PtDataMap *pt_data_map_new (GPtrArray *files, GError **error);
PtDataMap *pt_data_map_ref (PtDataMap *map);
void pt_data_map_unref (PtDataMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDataMap, pt_data_map_unref)

guint pt_data_map_n_files (const PtDataMap *map);
PtDataFile *pt_data_map_file (const PtDataMap *map, guint i);

/** NULL when there is no such key. @map may be NULL (no data files). */
const PtDataEntry *pt_data_map_find (const PtDataMap *map, const char *key, gsize key_length);
/** The file that contains @entry of @map. */
const PtDataFile *pt_data_map_file_of (const PtDataMap *map, const PtDataEntry *entry);

G_END_DECLS
