/* SPDX-License-Identifier: BSD-3-Clause */

/* Downloads in the library's folder: they are moved there as a whole, are listed, and are
 * deleted. */

#include <errno.h>
#include <string.h>
#include <pteris/hub.h>
#include <pteris/models.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/base/folder.h"
#include "engine/base/lock.h"
#include "engine/hub/variants.h"
#include "engine/hub/hub-download.h"
#include "engine/hub/repo-names.h"
#include "engine/hub/hub-state.h"

#define MAX_ENTRIES 4096

static PtLock *
take_lock (const char *path, const char *name, GError **error)
{
  g_autoptr (GError) problem = NULL;
  PtLock *lock = pt_lock_take (path, FALSE, &problem);

  if (lock == NULL && g_error_matches (problem, PT_ERROR, PT_ERROR_BUSY))
    pt_fail (error, PT_ERROR_BUSY,
             "“%s” is being downloaded or deleted by another Pteris. Wait until that has ended.",
             name);
  else if (lock == NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  return lock;
}

#define DELETED_END ".deleted"

/* Deletes what a crash left of models that were being deleted. Other processes may do the same now.
 */
static void
sweep (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PtFolder) folder = pt_folder_open (pt_library_default_folder ());
  const char *name;

  while ((name = pt_folder_next (folder)) != NULL)
    if (name[0] == '.' && g_str_has_suffix (name, DELETED_END))
      g_ptr_array_add (paths, g_build_filename (pt_library_default_folder (), name, NULL));
  for (guint i = 0; i < paths->len; i++)
    pt_hub_delete (paths->pdata[i], NULL);
}

/* ---- moving in ---- */

static gboolean
is_same (const PtHubEntry *a, const PtHubEntry *b)
{
  return b != NULL && a->bytes == b->bytes && g_strcmp0 (a->sha256, b->sha256) == 0 &&
         g_strcmp0 (a->sha1, b->sha1) == 0;
}

/* Of an earlier time only what is still wanted stays. */
static gboolean
prepare_staging (const PtHubPlaces *places, const PtHubState *state, GError **error)
{
  g_autoptr (PtHubState) older = pt_hub_state_load (places->state);

  if (older == NULL && !pt_hub_delete (places->staging, error))
    return FALSE;
  for (guint i = 0; older != NULL && i < older->files->len; i++) {
    const PtHubEntry *entry = older->files->pdata[i];
    g_autofree char *path = pt_hub_join (places->files, entry->path);

    if (!is_same (entry, pt_hub_state_file (state, entry->path)) && !pt_hub_delete (path, error))
      return FALSE;
  }
  return pt_hub_make_folder (places->files, error) &&
         pt_hub_state_save (state, places->state, error);
}

/* The folder of a new model appears at once, with all that is in it. */
static gboolean
move_folder (const PtHubPlaces *places, const PtHubState *state, GError **error)
{
  g_autofree char *path = pt_hub_state_path (places->files);

  return pt_hub_state_save (state, path, error) &&
         pt_hub_move (places->files, places->folder, error);
}

/* In the folder of a model that is there, programs appear when all they need is there. */
static gboolean
move_files (const PtHubPlaces *places, const PtHubState *state, const PtHubVariant *variant,
            GError **error)
{
  g_autofree char *path = pt_hub_state_path (places->folder);

  for (guint i = variant->n_files; i-- > 0;) {
    g_autofree char *from = pt_hub_join (places->files, variant->files[i].path);
    g_autofree char *to = pt_hub_join (places->folder, variant->files[i].path);

    if (g_file_test (from, G_FILE_TEST_IS_REGULAR) &&
        (!pt_hub_make_parent (to, error) || !pt_hub_move (from, to, error)))
      return FALSE;
  }
  return pt_hub_state_save (state, path, error);
}

static gboolean
install (const PtHubPlaces *places, PtHubState *state, const PtHubVariant *variant, GError **error)
{
  g_autofree char *path = pt_hub_state_path (places->folder);
  g_autoptr (PtHubState) older = pt_hub_state_load (path);

  if (older != NULL && strcmp (older->id, state->id) == 0)
    pt_hub_state_keep (state, older);
  if (g_file_test (places->folder, G_FILE_TEST_EXISTS) ? !move_files (places, state, variant, error)
                                                       : !move_folder (places, state, error))
    return FALSE;
  /* A failure is no error: the next download deletes the folder. */
  pt_hub_delete (places->staging, NULL);
  return TRUE;
}

static gboolean
get (const PtHubTask *task, GError **error)
{
  g_autoptr (PtHubState) state = pt_hub_state_new (task->repo, task->variant);

  return prepare_staging (task->places, state, error) && pt_hub_download (task, error) &&
         !pt_hub_is_stopped (task->cancellable, error) &&
         install (task->places, state, task->variant, error);
}

char *
pt_hub_get (const PtHubRepo *repo, const PtHubVariant *variant, const PtHubAccess *access,
            PtHubProgressFunc func, gpointer user_data, GCancellable *cancellable, GError **error)
{
  PtHubAccess own = { repo->endpoint, access != NULL ? access->token : NULL };
  g_autoptr (PtHubPlaces) places = NULL;
  g_autoptr (PtLock) lock = NULL;
  g_autoptr (PtHub) hub = NULL;
  PtHubTask task = { NULL, repo, variant, NULL, func, user_data, cancellable };

  if (!pt_hub_check_names (variant, error))
    return NULL;
  places = pt_hub_places_new (repo->id, variant->program);
  sweep ();
  if (!pt_hub_make_folder (pt_library_default_folder (), error))
    return NULL;
  lock = take_lock (places->lock, repo->id, error);
  hub = lock != NULL ? pt_hub_open (&own, PT_HTTP_TIMES, cancellable, error) : NULL;
  if (hub == NULL)
    return NULL;
  task.hub = hub;
  task.places = places;
  return get (&task, error) ? g_strdup (places->folder) : NULL;
}

/* ---- listing ---- */

void
pt_hub_model_free (PtHubModel *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->folder);
  g_free (self->id);
  g_free (self->endpoint);
  g_free (self->revision);
  g_free (self->commit);
  g_free (self->license);
  g_strfreev (self->variants);
  g_strfreev (self->programs);
  g_free (self);
}

static void
take_variants (PtHubModel *model, const PtHubState *state)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();

  for (guint i = 0; i < state->variants->len; i++) {
    const PtHubKept *kept = state->variants->pdata[i];

    g_ptr_array_add (names, g_strdup (kept->name));
    for (guint k = 0; kept->programs[k] != NULL; k++)
      g_ptr_array_add (programs, g_strdup (kept->programs[k]));
  }
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (programs, NULL);
  model->variants = (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
  model->programs = (char **) g_ptr_array_free (g_steal_pointer (&programs), FALSE);
}

/* @files: where they are, or grow. */
static PtHubModel *
model_new (const PtHubState *state, const char *files, gboolean is_part)
{
  PtHubModel *self = g_new0 (PtHubModel, 1);

  self->name = pt_hub_folder_name (state->id);
  self->folder = g_build_filename (pt_library_default_folder (), self->name, NULL);
  self->id = g_strdup (state->id);
  self->endpoint = g_strdup (state->endpoint);
  self->revision = g_strdup (state->revision);
  self->commit = g_strdup (state->commit);
  self->license = g_strdup (state->license);
  self->is_part = is_part;
  take_variants (self, state);
  for (guint i = 0; i < state->files->len; i++) {
    const PtHubEntry *entry = state->files->pdata[i];
    g_autofree char *path = pt_hub_join (files, entry->path);
    guint64 there = 0;

    self->bytes += entry->bytes;
    if (pt_hub_size_of (path, &there))
      self->bytes_there += MIN (there, entry->bytes);
  }
  return self;
}

static void
add_model (GPtrArray *models, const char *name)
{
  g_autofree char *path = g_build_filename (pt_library_default_folder (), name, NULL);
  gboolean is_part = pt_hub_is_staging (name, NULL);
  g_autofree char *files = is_part ? g_build_filename (path, "files", NULL) : g_strdup (path);
  g_autofree char *file =
      is_part ? g_build_filename (path, "state.json", NULL) : pt_hub_state_path (path);
  g_autoptr (PtHubState) state = NULL;

  if ((name[0] == '.' && !is_part) || !g_file_test (files, G_FILE_TEST_IS_DIR))
    return;
  state = pt_hub_state_load (file);
  if (state == NULL)
    return;
  g_ptr_array_add (models, model_new (state, files, is_part));
  /* A folder that the user renamed is called what it is called. */
  if (!is_part) {
    PtHubModel *model = models->pdata[models->len - 1];

    g_free (model->name);
    g_free (model->folder);
    model->name = g_strdup (name);
    model->folder = g_steal_pointer (&path);
  }
}

static int
compare_models (gconstpointer a, gconstpointer b)
{
  const PtHubModel *x = *(const PtHubModel *const *) a, *y = *(const PtHubModel *const *) b;
  int order = strcmp (x->name, y->name);

  if (order == 0)
    order = (x->is_part ? 1 : 0) - (y->is_part ? 1 : 0);
  return order != 0 ? order : g_strcmp0 (x->variants[0], y->variants[0]);
}

GPtrArray *
pt_hub_installed (void)
{
  GPtrArray *models = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_hub_model_free);
  g_autoptr (PtFolder) folder = pt_folder_open (pt_library_default_folder ());
  const char *name;

  for (guint n = 0; n < MAX_ENTRIES && (name = pt_folder_next (folder)) != NULL; n++)
    add_model (models, name);
  g_ptr_array_sort (models, compare_models);
  return models;
}

/* ---- deleting ---- */

static gboolean
delete_parts (const char *name, gboolean *any, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PtFolder) folder = pt_folder_open (pt_library_default_folder ());
  const char *entry;

  while ((entry = pt_folder_next (folder)) != NULL)
    if (pt_hub_is_staging (entry, name))
      g_ptr_array_add (paths, g_build_filename (pt_library_default_folder (), entry, NULL));
  for (guint i = 0; i < paths->len; i++)
    if (!pt_hub_delete (paths->pdata[i], error))
      return FALSE;
  *any |= paths->len > 0;
  return TRUE;
}

/* Under a hidden name first, so that no half of a model is seen. */
static gboolean
delete_model (const char *name, gboolean *any, GError **error)
{
  const char *library = pt_library_default_folder ();
  g_autofree char *path = g_build_filename (library, name, NULL);
  g_autofree char *hidden_name = g_strdup_printf (".%s" DELETED_END, name);
  g_autofree char *hidden = g_build_filename (library, hidden_name, NULL);

  if (!pt_hub_delete (hidden, error))
    return FALSE;
  if (!g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return TRUE;
  *any = TRUE;
  if (g_rename (path, hidden) != 0)
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” cannot be deleted: %s. Close what uses it, and try again.", path,
                    g_strerror (errno));
  return pt_hub_delete (hidden, error);
}

gboolean
pt_hub_remove (const char *name, GError **error)
{
  const char *library = pt_library_default_folder ();
  g_autofree char *lock_name = g_strdup_printf (".%s.lock", name);
  g_autofree char *lock_path = g_build_filename (library, lock_name, NULL);
  g_autoptr (PtLock) lock = NULL;
  gboolean any = FALSE;

  if (!pt_hub_is_library_name (name))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "“%s” is not the name of a model in the library's folder.", name);
  sweep ();
  if (g_file_test (library, G_FILE_TEST_IS_DIR)) {
    lock = take_lock (lock_path, name, error);
    if (lock == NULL || !delete_model (name, &any, error) || !delete_parts (name, &any, error))
      return FALSE;
  }
  return any || pt_fail (error, PT_ERROR_NOT_FOUND, "The library's folder “%s” has no model “%s”.",
                         library, name);
}

gboolean
pt_hub_discard (const PtHubModel *part, GError **error)
{
  g_autoptr (PtHubPlaces) places = NULL;
  g_autoptr (PtLock) lock = NULL;

  if (!part->is_part || part->programs[0] == NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” is no part of a download.", part->name);
  places = pt_hub_places_new (part->id, part->programs[0]);
  sweep ();
  lock = take_lock (places->lock, part->id, error);
  return lock != NULL && pt_hub_delete (places->staging, error);
}
