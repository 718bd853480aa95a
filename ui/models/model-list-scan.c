/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-list-scan.h"

#include <glib/gstdio.h>

#include "ui/engine/model-notes.h"

static gint64
stamp_of (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 ? (gint64) status.st_mtime : 0;
}

/* The variant of @info, which is taken, that the user has chosen. */
static PtModelInfo *
take_variant (PtModelInfo *info)
{
  for (guint i = 0; i < info->n_variants; i++) {
    const char *path = info->variants[i].path;
    PtModelInfo *chosen = NULL;

    if (!pteris_notes_is_variant (path))
      continue;
    if (g_strcmp0 (path, info->path) != 0)
      chosen = pt_library_probe (path, NULL);
    if (chosen == NULL)
      break;
    pt_model_info_free (info);
    return chosen;
  }
  return info;
}

/* @info: taken; as recognised with the files beside the program. */
static PterisModel *
make_model (PtModelInfo *info)
{
  PterisCompanions *companions = pteris_notes_get_companions (info->path);
  PterisModel *model;

  if (companions != NULL) {
    PtModelInfo *chosen = pt_library_probe_set (info->path, (const char *const *) companions->data,
                                                companions->tokenizer, companions->preprocessor,
                                                companions->family, NULL);

    if (chosen != NULL) {
      pt_model_info_free (info);
      info = chosen;
    }
  }
  model = pteris_model_new (info);
  pteris_model_set_origin (model, FALSE, stamp_of (info->path), companions);
  pteris_model_set_held (model, pteris_notes_is_held (info->path));
  pteris_model_set_variant_chosen (model, pteris_notes_is_variant (info->path));
  return model;
}

static PterisModel *
make_absent (PtModelInfo *info)
{
  PterisModel *model = pteris_model_new (info);

  pteris_model_set_origin (model, TRUE, 0, NULL);
  return model;
}

static PtModelInfo *
make_unknown (const char *path)
{
  PtModelInfo *info = g_new0 (PtModelInfo, 1);

  info->path = g_strdup (path);
  info->name = g_path_get_basename (path);
  info->title = g_filename_display_basename (path);
  info->task = g_strdup ("program");
  return info;
}

/* ---- everything ---- */

typedef struct {
  GPtrArray *models;
  GHashTable *paths; /* of those in it, with their variants; theirs */
} Found;

static void
take (Found *found, PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);

  if (g_hash_table_contains (found->paths, info->path)) {
    g_object_unref (model);
    return;
  }
  g_hash_table_add (found->paths, info->path);
  for (guint i = 0; i < info->n_variants; i++)
    g_hash_table_add (found->paths, info->variants[i].path);
  g_ptr_array_add (found->models, model);
}

static void
take_folders (Found *found, const char *const *folders, const char *const *alone)
{
  GPtrArray *infos = pt_library_scan (folders);

  /* Steals the infos from the array, whatever its free function. */
  while (infos->len > 0) {
    PtModelInfo *info = take_variant (g_ptr_array_steal_index (infos, 0));

    if (pteris_notes_is_hidden (info->path) && !g_strv_contains (alone, info->path)) {
      pt_model_info_free (info);
      continue;
    }
    pteris_notes_see (info);
    take (found, make_model (info));
  }
  g_ptr_array_unref (infos);
}

static void
take_alone (Found *found, const char *path)
{
  g_autoptr (GError) error = NULL;
  PtModelInfo *info;

  if (g_hash_table_contains (found->paths, path))
    return;
  info = pt_library_probe_best (path, &error);
  if (info != NULL) {
    info = take_variant (info);
    pteris_notes_see (info);
    take (found, make_model (info));
    return;
  }
  info = pteris_notes_recall (path);
  if (info == NULL)
    info = make_unknown (path);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    take (found, make_absent (info));
    return;
  }
  info->damaged = TRUE;
  info->missing = g_strdup (error->message);
  take (found, make_model (info));
}

static void
take_absent (Found *found, const char *folder)
{
  g_auto (GStrv) paths = NULL;

  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    return;
  paths = pteris_notes_list (folder);
  for (guint i = 0; paths[i] != NULL; i++) {
    PtModelInfo *info = pteris_notes_is_hidden (paths[i]) ? NULL : pteris_notes_recall (paths[i]);

    if (info != NULL)
      take (found, make_absent (info));
  }
}

GPtrArray *
pteris_library_scan_all (const char *const *folders, const char *const *paths)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  Found found = { g_ptr_array_new_with_free_func (g_object_unref), seen };

  take_folders (&found, folders, paths);
  for (guint i = 0; paths[i] != NULL; i++)
    take_alone (&found, paths[i]);
  for (guint i = 0; folders[i] != NULL; i++)
    take_absent (&found, folders[i]);
  pteris_notes_save ();
  return found.models;
}

/* ---- one ---- */

void
pteris_library_hide (const PtModelInfo *info, gboolean hidden)
{
  pteris_notes_set_hidden (info->path, hidden);
  for (guint i = 0; i < info->n_variants; i++)
    pteris_notes_set_hidden (info->variants[i].path, hidden);
}

PterisModel *
pteris_library_scan_one (const char *path, GError **error)
{
  PtModelInfo *info = pt_library_probe (path, error);

  if (info == NULL)
    return NULL;
  /* Who opens a program of several means that one. */
  if (info->n_variants > 1 && !g_file_test (path, G_FILE_TEST_IS_DIR))
    pteris_notes_choose_variant (info, info->path);
  info = take_variant (info);
  pteris_notes_see (info);
  pteris_library_hide (info, FALSE);
  pteris_notes_save ();
  return make_model (info);
}

PterisModel *
pteris_library_scan_first (const char *folder)
{
  const char *folders[] = { folder, NULL };
  g_autofree char *prefix = g_str_has_suffix (folder, G_DIR_SEPARATOR_S)
                                ? g_strdup (folder)
                                : g_strconcat (folder, G_DIR_SEPARATOR_S, NULL);
  GPtrArray *infos = pt_library_scan (folders);
  PterisModel *model = NULL;

  for (guint i = 0; i < infos->len && model == NULL; i++)
    /* A scan always includes the default folder. */
    if (g_str_has_prefix (((PtModelInfo *) infos->pdata[i])->path, prefix))
      model = make_model (take_variant (g_ptr_array_steal_index (infos, i)));
  g_ptr_array_unref (infos);
  return model;
}
