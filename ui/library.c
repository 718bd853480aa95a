/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/library.h"

#include "ui/settings.h"

struct _PterisLibrary {
  GObject parent_instance;

  GListStore *models;
  GCancellable *scan; /* the scan under way */
  gboolean ready;
};

static GType
library_get_item_type (GListModel *list)
{
  return PTERIS_TYPE_MODEL;
}

static guint
library_get_n_items (GListModel *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (PTERIS_LIBRARY (list)->models));
}

static gpointer
library_get_item (GListModel *list, guint position)
{
  return g_list_model_get_item (G_LIST_MODEL (PTERIS_LIBRARY (list)->models), position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = library_get_item_type;
  iface->get_n_items = library_get_n_items;
  iface->get_item = library_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (PterisLibrary, pteris_library, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

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

static gboolean
holds_path (GPtrArray *infos, const char *path)
{
  for (guint i = 0; i < infos->len; i++)
    if (g_strcmp0 (((PtModelInfo *) infos->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

static void
scan_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  ScanInput *input = task_data;
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *found = pt_library_scan ((const char *const *) input->folders);

  for (guint i = 0; input->paths[i] != NULL; i++) {
    g_autoptr (PtModelInfo) info = pt_library_probe (input->paths[i], NULL);

    if (info != NULL && !holds_path (found, info->path))
      g_ptr_array_add (found, g_steal_pointer (&info));
  }
  /* The models take the infos, so the array must give them up, whatever its free function. */
  while (found->len > 0)
    g_ptr_array_add (models, pteris_model_new (g_ptr_array_steal_index (found, 0)));
  g_ptr_array_unref (found);
  g_task_return_pointer (task, g_steal_pointer (&models), (GDestroyNotify) g_ptr_array_unref);
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

static void
on_scanned (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisLibrary *self = PTERIS_LIBRARY (source);
  g_autoptr (GPtrArray) models = g_task_propagate_pointer (G_TASK (result), NULL);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  if (models == NULL)
    return;
  self->ready = TRUE;
  g_list_store_splice (self->models, 0, n_before, models->pdata, models->len);
  g_list_store_sort (self->models, compare_models, NULL);
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

/* What adding has found: a folder of models, or one model. */
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

static PterisModel *
first_in_folder (const char *path)
{
  const char *folders[] = { path, NULL };
  g_autofree char *prefix = g_str_has_suffix (path, G_DIR_SEPARATOR_S)
                                ? g_strdup (path)
                                : g_strconcat (path, G_DIR_SEPARATOR_S, NULL);
  GPtrArray *found = pt_library_scan (folders);
  PterisModel *model = NULL;

  for (guint i = 0; i < found->len && model == NULL; i++) {
    PtModelInfo *info = found->pdata[i];

    /* A scan always has the default folder in it too. */
    if (g_str_has_prefix (info->path, prefix))
      model = pteris_model_new (g_ptr_array_steal_index (found, i));
  }
  g_ptr_array_unref (found);
  return model;
}

static Added *
find_model (const char *path, GError **error)
{
  g_autofree char *parent = NULL;
  g_autoptr (PtModelInfo) info = NULL;
  g_autoptr (GError) probe_error = NULL;
  PterisModel *model = NULL;
  Added *added;

  if (g_str_has_suffix (path, ".ptd"))
    path = parent = g_path_get_dirname (path);
  info = pt_library_probe (path, &probe_error);
  if (info == NULL && g_file_test (path, G_FILE_TEST_IS_DIR))
    model = first_in_folder (path);
  if (info == NULL && model == NULL) {
    g_propagate_error (error, g_steal_pointer (&probe_error));
    return NULL;
  }
  added = g_new0 (Added, 1);
  if (info != NULL)
    added->model = pteris_model_new (g_steal_pointer (&info));
  else {
    added->folder = g_strdup (path);
    added->model = model;
  }
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
        "“%s” is not on this computer's disks. Copy it here first, then open it.", name);
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

static PterisModel *
find_by_path (PterisLibrary *self, const char *path)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    if (g_strcmp0 (pteris_model_get_info (model)->path, path) == 0)
      return model;
  }
  return NULL;
}

PterisModel *
pteris_library_add_finish (PterisLibrary *self, GAsyncResult *result, GError **error)
{
  Added *added = g_task_propagate_pointer (G_TASK (result), error);
  PterisModel *model;
  const char *path;

  if (added == NULL)
    return NULL;
  path = pteris_model_get_info (added->model)->path;
  model = find_by_path (self, path);
  if (model != NULL)
    model = g_object_ref (model);
  else {
    model = g_object_ref (added->model);
    g_list_store_insert_sorted (self->models, model, compare_models, NULL);
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

gboolean
pteris_library_forget (PterisLibrary *self, PterisModel *model)
{
  const char *path = pteris_model_get_info (model)->path;
  g_auto (GStrv) alone = pteris_settings_get_list (PTERIS_SETTING_MODELS);

  if (!g_strv_contains ((const char *const *) alone, path))
    return FALSE;
  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, path);
  pteris_library_rescan (self);
  return TRUE;
}

PterisModel *
pteris_library_pick (PterisLibrary *self, PterisTask task, const char *preferred)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->models));
  PterisModel *best = NULL;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->models), i);

    if (pteris_model_get_task (model) != task || pteris_model_get_info (model)->missing != NULL)
      continue;
    if (g_strcmp0 (pteris_model_get_info (model)->path, preferred) == 0)
      return model;
    if (best == NULL)
      best = model;
  }
  return best;
}

static void
on_items_changed (GListModel *models, guint position, guint removed, guint added, gpointer self)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

static void
pteris_library_dispose (GObject *object)
{
  PterisLibrary *self = PTERIS_LIBRARY (object);

  if (self->scan != NULL)
    g_cancellable_cancel (self->scan);
  g_clear_object (&self->scan);
  G_OBJECT_CLASS (pteris_library_parent_class)->dispose (object);
}

static void
pteris_library_finalize (GObject *object)
{
  g_clear_object (&PTERIS_LIBRARY (object)->models);
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
  self->models = g_list_store_new (PTERIS_TYPE_MODEL);
  g_signal_connect (self->models, "items-changed", G_CALLBACK (on_items_changed), self);
}

PterisLibrary *
pteris_library_new (void)
{
  return g_object_new (PTERIS_TYPE_LIBRARY, NULL);
}
