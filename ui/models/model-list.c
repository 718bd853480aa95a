/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-list.h"

#include <pteris/error.h>

#include "ui/i18n.h"
#include "ui/models/model-list-scan.h"
#include "ui/models/model-list-watch.h"
#include "ui/engine/model-notes.h"
#include "ui/settings.h"

struct _PterisLibrary {
  PterisListObject parent_instance;

  GListStore *models; /* the parent's */
  GCancellable *scan; /* the scan under way */
  PterisLibraryWatch *watch;
  GHashTable *examined; /* models whose details were requested */
  gboolean examining;
  gboolean ready;
};

G_DEFINE_FINAL_TYPE (PterisLibrary, pteris_library, PTERIS_TYPE_LIST_OBJECT)

enum { SIGNAL_SCANNED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- scanning, in a thread ---- */

typedef struct {
  char **folders;
  char **paths;
} ScanInput;

static void
scan_input_free (ScanInput *input)
{
  g_strfreev (input->folders);
  g_strfreev (input->paths);
  g_free (input);
}

static void
scan_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  ScanInput *input = task_data;

  g_task_return_pointer (task,
                         pteris_library_scan_all ((const char *const *) input->folders,
                                                  (const char *const *) input->paths),
                         (GDestroyNotify) g_ptr_array_unref);
}

static int
compare_models (gconstpointer a, gconstpointer b, gpointer user_data)
{
  PterisModel *one = PTERIS_MODEL ((gpointer) a);
  PterisModel *two = PTERIS_MODEL ((gpointer) b);
  PterisTask task = pteris_model_get_task (one);
  PterisTask other = pteris_model_get_task (two);

  if (task != other)
    return task < other ? -1 : 1;
  return g_utf8_collate (pteris_model_get_info (one)->title, pteris_model_get_info (two)->title);
}

static PterisModel *
find_by_path (PterisLibrary *self, const char *path)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));
  PterisModel *found = NULL;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    if (g_strcmp0 (pteris_model_get_info (model)->path, path) == 0)
      return model;
    if (found == NULL && pteris_model_is_at (model, path))
      found = model;
  }
  return found;
}

/* Unchanged models keep their objects and details. */
static void
keep_unchanged (PterisLibrary *self, GPtrArray *models)
{
  g_autoptr (GHashTable) before = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    g_hash_table_insert (before, pteris_model_get_info (model)->path, model);
  }
  for (guint i = 0; i < models->len; i++) {
    PterisModel *now = models->pdata[i];
    PterisModel *old = g_hash_table_lookup (before, pteris_model_get_info (now)->path);

    if (old == NULL || !pteris_model_is_unchanged (old, now))
      continue;
    pteris_model_set_held (old, pteris_model_is_held (now));
    models->pdata[i] = g_object_ref (old);
    g_object_unref (now);
  }
}

static gboolean
is_at (PterisLibrary *self, guint i, gpointer model)
{
  g_autoptr (PterisModel) present = g_list_model_get_item (G_LIST_MODEL (self->models), i);

  return present == model;
}

/* Replaces only the items between the common beginning and the common end. */
static void
replace_models (PterisLibrary *self, GPtrArray *models)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));
  guint head = 0, tail = 0;

  while (head < MIN (n, models->len) && is_at (self, head, models->pdata[head]))
    head++;
  while (tail < MIN (n, models->len) - head &&
         is_at (self, n - 1 - tail, models->pdata[models->len - 1 - tail]))
    tail++;
  if (n - head - tail > 0 || models->len - head - tail > 0)
    g_list_store_splice (self->models, head, n - head - tail, models->pdata + head,
                         models->len - head - tail);
}

static int
compare_pointers (gconstpointer a, gconstpointer b)
{
  return compare_models (*(gconstpointer const *) a, *(gconstpointer const *) b, NULL);
}

static void
watch_model (GHashTable *folders, const PtModelInfo *info)
{
  g_hash_table_add (folders, g_path_get_dirname (info->path));
  for (guint i = 0; i < info->n_variants; i++)
    g_hash_table_add (folders, g_path_get_dirname (info->variants[i].path));
}

/* Watches the folders of the library and the folders of its models. */
static void
watch_folders (PterisLibrary *self)
{
  g_autoptr (GHashTable) folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) roots = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  g_hash_table_add (folders, g_strdup (pt_library_default_folder ()));
  for (guint i = 0; roots[i] != NULL; i++)
    g_hash_table_add (folders, g_strdup (roots[i]));
  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    watch_model (folders, pteris_model_get_info (model));
  }
  pteris_library_watch_set (self->watch, folders);
}

static void examine_next (PterisLibrary *self);

static void
on_scanned (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisLibrary *self = PTERIS_LIBRARY (source);
  g_autoptr (GPtrArray) models = g_task_propagate_pointer (G_TASK (result), NULL);

  if (models == NULL || self->watch == NULL)
    return;
  self->ready = TRUE;
  g_ptr_array_sort (models, compare_pointers);
  keep_unchanged (self, models);
  replace_models (self, models);
  watch_folders (self);
  examine_next (self);
  g_signal_emit (self, signals[SIGNAL_SCANNED], 0);
}

void
pteris_library_rescan (PterisLibrary *self)
{
  g_autoptr (GTask) task = NULL;
  ScanInput *input = g_new0 (ScanInput, 1);

  if (self->scan != NULL)
    g_cancellable_cancel (self->scan);
  g_set_object (&self->scan, NULL);
  self->scan = g_cancellable_new ();
  input->folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  input->paths = pteris_settings_get_list (PTERIS_SETTING_MODELS);
  task = g_task_new (self, self->scan, on_scanned, NULL);
  g_task_set_source_tag (task, pteris_library_rescan);
  g_task_set_task_data (task, input, (GDestroyNotify) scan_input_free);
  g_task_run_in_thread (task, scan_in_thread);
}

gboolean
pteris_library_is_ready (PterisLibrary *self)
{
  return self->ready;
}

/* ---- adding ---- */

/* The result of adding: a folder of models, or one model. */
typedef struct {
  char *folder; /* NULL: @model alone */
  PterisModel *model;
} Added;

static void
added_free (Added *added)
{
  g_free (added->folder);
  g_clear_object (&added->model);
  g_free (added);
}

static Added *
find_model (const char *path, GError **error)
{
  g_autofree char *parent = NULL;
  g_autoptr (GError) probe_error = NULL;
  PterisModel *model;
  gboolean is_folder = FALSE;
  Added *added;

  if (g_str_has_suffix (path, ".ptd"))
    path = parent = g_path_get_dirname (path);
  model = pteris_library_scan_one (path, &probe_error);
  if (model == NULL && g_file_test (path, G_FILE_TEST_IS_DIR)) {
    model = pteris_library_scan_first (path);
    is_folder = TRUE;
  }
  if (model == NULL) {
    g_propagate_error (error, g_steal_pointer (&probe_error));
    return NULL;
  }
  added = g_new0 (Added, 1);
  added->model = model;
  added->folder = is_folder ? g_strdup (path) : NULL;
  return added;
}

static void
add_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  const char *path = g_file_peek_path (task_data);
  Added *added = NULL;

  if (path == NULL) {
    g_autofree char *name = g_file_get_parse_name (task_data);

    g_task_return_new_error (
        task, PT_ERROR, PT_ERROR_FILE,
        _ ("“%s” is not on a local disk. Copy it to this computer, then open it."), name);
    return;
  }
  added = find_model (path, &error);
  if (added != NULL)
    g_task_return_pointer (task, added, (GDestroyNotify) added_free);
  else
    g_task_return_error (task, error);
}

void
pteris_library_add_async (PterisLibrary *self, GFile *file, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, pteris_library_add_async);
  g_task_set_task_data (task, g_object_ref (file), g_object_unref);
  g_task_run_in_thread (task, add_in_thread);
}

PterisModel *
pteris_library_add_finish (PterisLibrary *self, GAsyncResult *result, GError **error)
{
  Added *added = g_task_propagate_pointer (G_TASK (result), error);
  PterisModel *model;
  const char *path;
  guint position;

  if (added == NULL)
    return NULL;
  path = pteris_model_get_info (added->model)->path;
  model = find_by_path (self, path);
  if (model != NULL && pteris_model_is_unchanged (model, added->model))
    model = g_object_ref (model);
  else {
    /* Another variant of it may have been used. */
    if (model != NULL && g_list_store_find (self->models, model, &position))
      g_list_store_remove (self->models, position);
    model = g_object_ref (added->model);
    g_list_store_insert_sorted (self->models, model, compare_models, NULL);
    watch_folders (self);
    examine_next (self);
    if (added->folder != NULL)
      pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, added->folder);
    else
      pteris_settings_add_to_list (PTERIS_SETTING_MODELS, path);
  }
  if (added->folder != NULL)
    pteris_library_rescan (self);
  added_free (added);
  return model;
}

/* ---- removing ---- */

/* The user's folder that contains @path: a new string, or NULL. */
static char *
folder_that_holds (const char *path)
{
  g_auto (GStrv) folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);

  for (guint i = 0; folders[i] != NULL; i++) {
    g_autoptr (GFile) folder = g_file_new_for_path (folders[i]);
    g_autoptr (GFile) file = g_file_new_for_path (path);

    if (g_file_has_prefix (file, folder))
      return g_strdup (folders[i]);
  }
  return NULL;
}

void
pteris_library_forget (PterisLibrary *self, PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  const char *path = info->path;
  g_autofree char *folder = folder_that_holds (path);
  guint position;

  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, path);
  for (guint i = 0; i < info->n_variants; i++)
    pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, info->variants[i].path);
  /* A scan of its folder would add it again. */
  if (!pteris_model_is_away (model) || folder != NULL)
    pteris_library_hide (info, TRUE);
  else
    pteris_notes_forget (path);
  pteris_notes_save ();
  if (g_list_store_find (self->models, model, &position))
    g_list_store_remove (self->models, position);
}

void
pteris_library_put_back (PterisLibrary *self, PterisModel *model)
{
  const char *path = pteris_model_get_info (model)->path;
  g_autofree char *folder = folder_that_holds (path);

  pteris_library_hide (pteris_model_get_info (model), FALSE);
  pteris_notes_save ();
  if (folder == NULL)
    pteris_settings_add_to_list (PTERIS_SETTING_MODELS, path);
  pteris_library_rescan (self);
}

/* ---- members ---- */

void
pteris_library_choose (PterisLibrary *self, PterisModel *model, PtModelPart part, const char *file)
{
  pteris_notes_choose (pteris_model_get_info (model)->path, part, file);
  pteris_notes_save ();
  pteris_library_rescan (self);
}

void
pteris_library_set_family (PterisLibrary *self, PterisModel *model, const char *family)
{
  pteris_notes_set_family (pteris_model_get_info (model)->path, family);
  pteris_notes_save ();
  pteris_library_rescan (self);
}

void
pteris_library_set_variant (PterisLibrary *self, PterisModel *model, const char *path)
{
  pteris_notes_choose_variant (pteris_model_get_info (model), path);
  pteris_notes_save ();
  pteris_library_rescan (self);
}

void
pteris_library_unchoose (PterisLibrary *self, PterisModel *model)
{
  pteris_notes_clear_companions (pteris_model_get_info (model)->path);
  pteris_notes_save ();
  pteris_library_rescan (self);
}

/* ---- details, in a thread, one model after the other ---- */

static void
examine_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const PtModelInfo *info = pteris_model_get_info (task_data);
  GError *error = NULL;
  PtModelDetails *details =
      pt_library_examine (info->path, (const char *const *) info->data, &error);

  if (details != NULL)
    g_task_return_pointer (task, details, (GDestroyNotify) pt_model_details_free);
  else
    g_task_return_error (task, error);
}

static void
on_examined (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisLibrary *self = PTERIS_LIBRARY (source);
  PterisModel *model = g_task_get_task_data (G_TASK (result));
  PtModelDetails *details = g_task_propagate_pointer (G_TASK (result), NULL);

  self->examining = FALSE;
  g_hash_table_add (self->examined, g_object_ref (model));
  if (details != NULL)
    pteris_model_set_details (model, details);
  if (self->watch != NULL)
    examine_next (self);
}

static gboolean
wants_details (PterisLibrary *self, PterisModel *model)
{
  return pteris_model_get_details (model) == NULL && !pteris_model_is_away (model) &&
         !pteris_model_get_info (model)->damaged && !g_hash_table_contains (self->examined, model);
}

static void
examine_next (PterisLibrary *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  for (guint i = 0; i < n && !self->examining; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);
    g_autoptr (GTask) task = NULL;

    if (!wants_details (self, model))
      continue;
    self->examining = TRUE;
    task = g_task_new (self, NULL, on_examined, NULL);
    g_task_set_source_tag (task, examine_next);
    g_task_set_priority (task, G_PRIORITY_LOW);
    g_task_set_task_data (task, g_steal_pointer (&model), g_object_unref);
    g_task_run_in_thread (task, examine_in_thread);
  }
}

PterisModel *
pteris_library_find (PterisLibrary *self, const char *path)
{
  return find_by_path (self, path);
}

PterisModel *
pteris_library_pick (PterisLibrary *self, PterisTask task, const char *preferred)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));
  PterisModel *best = NULL;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    if (pteris_model_get_task (model) != task || pteris_model_get_info (model)->missing != NULL ||
        pteris_model_is_away (model) || pteris_model_is_held (model))
      continue;
    if (pteris_model_is_at (model, preferred))
      return model;
    if (best == NULL)
      best = model;
  }
  return best;
}

PterisModel *
pteris_library_pick_family (PterisLibrary *self, const char *family)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->models)); i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);
    const PtModelInfo *info = pteris_model_get_info (model);

    if (g_strcmp0 (info->family, family) == 0 && info->missing == NULL &&
        !pteris_model_is_away (model) && !pteris_model_is_held (model))
      return model;
  }
  return NULL;
}

char *
pteris_library_explain_held (PterisLibrary *self, PterisTask task)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    if (pteris_model_get_task (model) == task && pteris_model_is_held (model))
      return g_strdup_printf (
          _ ("“%s” was in use when Pteris quit unexpectedly, so it is not loaded automatically. "
             "Choose it at the top of the window to try again."),
          pteris_model_get_info (model)->title);
  }
  return NULL;
}

static void
pteris_library_dispose (GObject *object)
{
  PterisLibrary *self = PTERIS_LIBRARY (object);

  if (self->scan != NULL)
    g_cancellable_cancel (self->scan);
  g_clear_object (&self->scan);
  g_clear_pointer (&self->watch, pteris_library_watch_free);
  g_hash_table_remove_all (self->examined);
  G_OBJECT_CLASS (pteris_library_parent_class)->dispose (object);
}

static void
pteris_library_finalize (GObject *object)
{
  PterisLibrary *self = PTERIS_LIBRARY (object);

  g_hash_table_unref (self->examined);
  G_OBJECT_CLASS (pteris_library_parent_class)->finalize (object);
}

static void
pteris_library_class_init (PterisLibraryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_library_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_library_finalize;

  signals[SIGNAL_SCANNED] = g_signal_new ("scanned", PTERIS_TYPE_LIBRARY, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_library_init (PterisLibrary *self)
{
  self->models = pteris_list_object_begin (PTERIS_LIST_OBJECT (self), PTERIS_TYPE_MODEL);
  self->examined = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  self->watch = pteris_library_watch_new ((void (*) (gpointer)) pteris_library_rescan, self);
}

PterisLibrary *
pteris_library_new (void)
{
  return g_object_new (PTERIS_TYPE_LIBRARY, NULL);
}
