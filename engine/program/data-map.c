/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/program/data-file.h"

#include "engine/base/allocate.h"
#include "engine/program/keys.h"

struct _PtDataMap {
  gatomicrefcount refs;
  GPtrArray *files; /* of PtDataFile */
  PtKey *keys;      /* of all files; items are PtDataEntry */
  gsize n_keys;
};

static gboolean
count_keys (PtDataMap *map, GError **error)
{
  for (guint i = 0; i < map->files->len; i++)
    map->n_keys += pt_data_file_n_entries (map->files->pdata[i]);
  if (map->files->len > 0 && map->n_keys == 0)
    return pt_fail (error, PT_ERROR_DATA,
                    "%s contains no data. Choose the data file that was exported with the model. "
                    "(ExecuTorch error 0x12)",
                    pt_data_file_path (map->files->pdata[0]));
  return TRUE;
}

static char *
file_name (const PtDataMap *map, const PtDataEntry *entry)
{
  return g_filename_display_name (pt_data_file_path (pt_data_map_file_of (map, entry)));
}

/* Fails because the key @twice is in two files. */
static gboolean
fail_twice (const PtDataMap *map, const PtKey *twice, GError **error)
{
  g_autofree char *key = pt_key_display (twice->key, twice->length);
  g_autofree char *first = file_name (map, twice[-1].item);
  g_autofree char *second = file_name (map, twice->item);

  return pt_fail (error, PT_ERROR_DATA,
                  "The data files %s and %s both contain “%s”. Use only those that belong to this "
                  "model. (ExecuTorch error 0x12)",
                  first, second, key);
}

static gboolean
merge_keys (PtDataMap *map, GError **error)
{
  const PtKey *twice;
  gsize n = 0;

  map->keys = pt_allocate (map->n_keys, sizeof (PtKey), error);
  if (map->keys == NULL)
    return FALSE;
  for (guint i = 0; i < map->files->len; i++) {
    const PtDataFile *file = pt_data_map_file (map, i);

    for (guint k = 0; k < pt_data_file_n_entries (file); k++) {
      const PtDataEntry *entry = pt_data_file_entry (file, k);

      map->keys[n++] = (PtKey){ entry->key, entry->key_length, entry };
    }
  }
  twice = pt_keys_sort (map->keys, n);
  return twice == NULL || fail_twice (map, twice, error);
}

PtDataMap *
pt_data_map_new (GPtrArray *files, GError **error)
{
  g_autoptr (PtDataMap) map = g_new0 (PtDataMap, 1);

  g_atomic_ref_count_init (&map->refs);
  map->files = files;
  if (!count_keys (map, error) || !merge_keys (map, error))
    return NULL;
  return g_steal_pointer (&map);
}

PtDataMap *
pt_data_map_open (const char *const *paths, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_data_file_free);

  for (guint i = 0; paths[i] != NULL; i++) {
    PtDataFile *file = pt_data_file_open (paths[i], error);

    if (file == NULL)
      return NULL;
    g_ptr_array_add (files, file);
  }
  return pt_data_map_new (g_steal_pointer (&files), error);
}

PtDataMap *
pt_data_map_ref (PtDataMap *map)
{
  g_atomic_ref_count_inc (&map->refs);
  return map;
}

void
pt_data_map_unref (PtDataMap *map)
{
  if (!g_atomic_ref_count_dec (&map->refs))
    return;
  g_ptr_array_unref (map->files);
  g_free (map->keys);
  g_free (map);
}

guint
pt_data_map_n_files (const PtDataMap *map)
{
  return map->files->len;
}

PtDataFile *
pt_data_map_file (const PtDataMap *map, guint i)
{
  g_return_val_if_fail (i < map->files->len, NULL);
  return g_ptr_array_index (map->files, i);
}

const PtDataEntry *
pt_data_map_find (const PtDataMap *map, const char *key, gsize key_length)
{
  return map != NULL ? pt_keys_find (map->keys, map->n_keys, key, key_length) : NULL;
}

const PtDataFile *
pt_data_map_file_of (const PtDataMap *map, const PtDataEntry *entry)
{
  for (guint i = 0; i < map->files->len; i++) {
    const PtDataFile *file = pt_data_map_file (map, i);
    guint n = pt_data_file_n_entries (file);

    if (n > 0 && entry >= pt_data_file_entry (file, 0) && entry <= pt_data_file_entry (file, n - 1))
      return file;
  }
  return NULL;
}
