/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/recordings.h"

#include <string.h>

#include "engine/base/folder.h"
#include "ui/i18n.h"
#include "ui/parts/files.h"

/* Limits of the search, since a link may lead to a parent folder. */
#define MAX_DEPTH 32
#define MAX_FOUND 20000

#define ATTRIBUTES                                                       \
  G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE      \
                                 "," G_FILE_ATTRIBUTE_STANDARD_IS_HIDDEN \
                                 "," G_FILE_ATTRIBUTE_STANDARD_SIZE

/* The search of a folder. */
typedef struct {
  GPtrArray *recordings;
  gboolean has_model;
  GCancellable *cancellable;
} Search;

static void
recording_free (gpointer data)
{
  PterisRecording *recording = data;

  g_free (recording->path);
  g_free (recording);
}

void
pteris_recordings_free (PterisRecordings *found)
{
  g_ptr_array_unref (found->recordings);
  g_ptr_array_unref (found->models);
  g_free (found->error);
  g_free (found);
}

char *
pteris_recordings_folder (void)
{
  char *folder = g_build_filename (g_get_user_data_dir (), "pteris", "recordings", NULL);

  g_mkdir_with_parents (folder, 0700);
  return folder;
}

static void
add (GPtrArray *list, const char *path, goffset size)
{
  PterisRecording *recording = g_new0 (PterisRecording, 1);

  recording->path = g_strdup (path);
  recording->size = size;
  g_ptr_array_add (list, recording);
}

/* "Track 2" before "Track 10". */
static int
compare (gconstpointer a, gconstpointer b)
{
  const PterisRecording *x = *(const PterisRecording *const *) a;
  const PterisRecording *y = *(const PterisRecording *const *) b;
  g_autofree char *p = g_filename_to_utf8 (x->path, -1, NULL, NULL, NULL);
  g_autofree char *q = g_filename_to_utf8 (y->path, -1, NULL, NULL, NULL);
  g_autofree char *u = NULL, *v = NULL;

  if (p == NULL || q == NULL)
    return strcmp (x->path, y->path);
  u = g_utf8_collate_key_for_filename (p, -1);
  v = g_utf8_collate_key_for_filename (q, -1);
  return strcmp (u, v);
}

static void
look_through (Search *search, GFile *folder, guint depth)
{
  const char *path = g_file_peek_path (folder);
  g_autoptr (PtFolder) names = path != NULL ? pt_folder_open (path) : NULL;
  const char *name;

  while (search->recordings->len < MAX_FOUND && !g_cancellable_is_cancelled (search->cancellable) &&
         (name = pt_folder_next (names)) != NULL) {
    g_autoptr (GFile) child = g_file_get_child (folder, name);
    g_autoptr (GFileInfo) info = g_file_query_info (
        child, ATTRIBUTES, G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, search->cancellable, NULL);
    PterisFileKind kind;
    GFileType type;

    /* Names that Macs write to foreign disks; Windows does not hide them. */
    if (info == NULL || *name == '.' || g_file_info_get_is_hidden (info))
      continue;
    type = g_file_info_get_file_type (info);
    if (type == G_FILE_TYPE_DIRECTORY) {
      if (depth < MAX_DEPTH)
        look_through (search, child, depth + 1);
      continue;
    }
    kind = pteris_file_kind (child);
    if (kind == PTERIS_FILE_MODEL)
      search->has_model = TRUE;
    else if (kind == PTERIS_FILE_RECORDING && type == G_FILE_TYPE_REGULAR)
      add (search->recordings, g_file_peek_path (child), g_file_info_get_size (info));
    else if (kind == PTERIS_FILE_RECORDING && type == G_FILE_TYPE_SYMBOLIC_LINK &&
             g_file_test (g_file_peek_path (child), G_FILE_TEST_IS_REGULAR))
      add (search->recordings, g_file_peek_path (child), 0);
  }
}

static void
take_folder (PterisRecordings *found, GFile *folder, GCancellable *cancellable)
{
  Search search = { .cancellable = cancellable };

  search.recordings = g_ptr_array_new_with_free_func (recording_free);
  look_through (&search, folder, 0);
  g_ptr_array_sort (search.recordings, compare);
  /* Recordings in a model's folder are examples of the model. */
  if (search.has_model)
    g_ptr_array_add (found->models, g_object_ref (folder));
  else if (search.recordings->len > 0)
    g_ptr_array_extend_and_steal (found->recordings, g_steal_pointer (&search.recordings));
  else
    found->n_empty++;
  g_clear_pointer (&search.recordings, g_ptr_array_unref);
}

/* Copies a file from a phone, a share or the web, since the engine reads local files. */
static char *
bring_here (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "pteris", "imported", NULL);
  g_autofree char *name = g_file_get_basename (file);

  g_mkdir_with_parents (folder, 0700);

  for (guint i = 1;; i++) {
    g_autofree char *numbered = i > 1 ? g_strdup_printf ("%u %s", i, name) : g_strdup (name);
    g_autofree char *path = g_build_filename (folder, numbered, NULL);
    g_autoptr (GFile) copy = g_file_new_for_path (path);
    g_autoptr (GError) reason = NULL;

    if (g_file_copy (file, copy, G_FILE_COPY_NONE, cancellable, NULL, NULL, &reason))
      return g_steal_pointer (&path);
    if (!g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_EXISTS)) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  }
}

static void
take_file (PterisRecordings *found, GFile *file, GCancellable *cancellable)
{
  g_autofree char *copy = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (GFile) here = NULL;

  if (g_file_peek_path (file) == NULL)
    copy = bring_here (file, cancellable, &error);
  if (error != NULL) {
    g_autofree char *name = g_file_get_parse_name (file);

    g_free (found->error);
    found->error = g_strdup_printf (_ ("“%s” could not be copied to this computer: %s."), name,
                                    error->message);
    return;
  }
  here = copy != NULL ? g_file_new_for_path (copy) : g_object_ref (file);
  info = g_file_query_info (here, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE,
                            cancellable, NULL);
  add (found->recordings, g_file_peek_path (here), info != NULL ? g_file_info_get_size (info) : 0);
}

static void
free_files (gpointer files)
{
  g_slist_free_full (files, g_object_unref);
}

static void
find_in_thread (GTask *task, gpointer source, gpointer files, GCancellable *cancellable)
{
  PterisRecordings *found = g_new0 (PterisRecordings, 1);

  found->recordings = g_ptr_array_new_with_free_func (recording_free);
  found->models = g_ptr_array_new_with_free_func (g_object_unref);
  for (GSList *l = files; l != NULL && !g_cancellable_is_cancelled (cancellable); l = l->next) {
    GFileType type = g_file_query_file_type (l->data, G_FILE_QUERY_INFO_NONE, cancellable);

    if (type == G_FILE_TYPE_DIRECTORY)
      take_folder (found, l->data, cancellable);
    else
      take_file (found, l->data, cancellable);
  }
  g_task_return_pointer (task, found, (GDestroyNotify) pteris_recordings_free);
}

static gpointer
copy_file (gconstpointer file, gpointer user_data)
{
  return g_object_ref ((gpointer) file);
}

void
pteris_recordings_find_async (GSList *files, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, pteris_recordings_find_async);
  g_task_set_task_data (task, g_slist_copy_deep (files, copy_file, NULL), free_files);
  g_task_run_in_thread (task, find_in_thread);
}

PterisRecordings *
pteris_recordings_find_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
