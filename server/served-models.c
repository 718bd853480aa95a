/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/served-models.h"

#include <string.h>

#include <glib/gstdio.h>

/* How long a list is used. */
#define FRESH_US (2 * G_USEC_PER_SEC)
#define LATEST ":latest"

typedef struct {
  PterisServedModelsFunc func;
  gpointer user_data;
} Asker;

struct _PterisServedModels {
  char **names; /* or NULL */
  GPtrArray *list;
  gint64 read; /* monotonic time; 0: never */
  GArray *askers;
  GCancellable *reading; /* not NULL while a thread reads */
};

PterisServedModels *
pteris_served_models_new (const char *const *names)
{
  PterisServedModels *self = g_new0 (PterisServedModels, 1);

  self->names = g_strdupv ((char **) names);
  self->list = g_ptr_array_new ();
  self->askers = g_array_new (FALSE, FALSE, sizeof (Asker));
  return self;
}

/* ---- reading, in a thread of its own ---- */

static gboolean
is_served (const PtModelInfo *info)
{
  static const char *const tasks[] = { "chat", "transcribe", "embed", "speak", NULL };

  return !info->damaged && info->missing == NULL && info->task != NULL &&
         g_strv_contains (tasks, info->task);
}

static GPtrArray *
read_named (char **names)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_model_info_free);

  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = pt_library_find (names[i], NULL, NULL);
    PtModelInfo *info = path != NULL ? pt_library_probe_best (path, NULL) : NULL;

    if (info != NULL)
      g_ptr_array_add (list, info);
  }
  return list;
}

static void
read_list (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  char **names = data;
  GPtrArray *list = names != NULL ? read_named (names) : pt_library_scan (NULL);

  for (guint i = list->len; i > 0; i--)
    if (!is_served (list->pdata[i - 1]))
      g_ptr_array_remove_index (list, i - 1);
  g_task_return_pointer (task, list, (GDestroyNotify) g_ptr_array_unref);
}

/* ---- the server's thread ---- */

/* Functions may ask again. */
static void
answer_all (PterisServedModels *self)
{
  g_autoptr (GArray) askers = g_steal_pointer (&self->askers);

  self->askers = g_array_new (FALSE, FALSE, sizeof (Asker));
  for (guint i = 0; i < askers->len; i++) {
    const Asker *asker = &g_array_index (askers, Asker, i);

    asker->func (self, asker->user_data);
  }
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  PterisServedModels *self = data;
  GPtrArray *list;

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  list = g_task_propagate_pointer (G_TASK (result), NULL);
  g_clear_object (&self->reading);
  g_ptr_array_unref (self->list);
  self->list = list;
  self->read = g_get_monotonic_time ();
  answer_all (self);
}

void
pteris_served_models_free (PterisServedModels *self)
{
  if (self == NULL)
    return;
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_ptr_array_unref (self->list);
  self->list = g_ptr_array_new ();
  answer_all (self);
  g_strfreev (self->names);
  g_ptr_array_unref (self->list);
  g_array_unref (self->askers);
  g_free (self);
}

void
pteris_served_models_ask (PterisServedModels *self, PterisServedModelsFunc func, gpointer user_data)
{
  Asker asker = { func, user_data };
  g_autoptr (GTask) task = NULL;

  if (self->reading == NULL && self->read != 0 && g_get_monotonic_time () - self->read < FRESH_US) {
    func (self, user_data);
    return;
  }
  g_array_append_val (self->askers, asker);
  if (self->reading != NULL)
    return;
  self->reading = g_cancellable_new ();
  task = g_task_new (NULL, self->reading, on_read, self);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, g_strdupv (self->names), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (task, read_list);
}

const GPtrArray *
pteris_served_models_list (PterisServedModels *self)
{
  return self->list;
}

const PtModelInfo *
pteris_served_models_find (PterisServedModels *self, const char *name, const char *field,
                           GError **error)
{
  g_autofree char *plain = g_str_has_suffix (name, LATEST)
                               ? g_strndup (name, strlen (name) - strlen (LATEST))
                               : g_strdup (name);

  for (guint i = 0; i < self->list->len; i++) {
    const PtModelInfo *info = self->list->pdata[i];

    if (strcmp (info->name, name) == 0 || strcmp (info->name, plain) == 0)
      return info;
  }
  pteris_fault_set (error, 404, "model_not_found", field,
                    "There is no model “%.200s”. GET /v1/models lists the models.", name);
  return NULL;
}

gint64
pteris_model_changed (const PtModelInfo *info)
{
  GStatBuf state;

  return g_stat (info->path, &state) == 0 ? (gint64) state.st_mtime : 0;
}
