/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/updates.h"

#include "ui/settings.h"

/* A window that stays open for days looks this often whether a day is over. */
#define LOOK_AGAIN_S 3600

struct _PterisUpdates {
  GObject parent_instance;

  GCancellable *cancellable;
  PtUpdate *found; /* or NULL */
  char *error;     /* or NULL */
  gint64 last_time;
  guint timer; /* a source's id, or 0 */
  gboolean is_busy;
};

G_DEFINE_FINAL_TYPE (PterisUpdates, pteris_updates, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* What a thread is to do. */
typedef enum {
  READ,       /* only what was seen last */
  ASK_IF_DUE, /* a request if the last one is a day ago, else as above */
  ASK,        /* a request */
} Task;

/* What it found. */
typedef struct {
  PtUpdate *update; /* or NULL */
  GError *error;    /* or NULL */
  gint64 last_time;
} Result;

static void
result_free (gpointer data)
{
  Result *result = data;

  pt_update_free (result->update);
  g_clear_error (&result->error);
  g_free (result);
}

static void
in_thread (GTask *task, gpointer source, gpointer what, GCancellable *cancellable)
{
  Task kind = (Task) GPOINTER_TO_INT (what);
  gboolean asks = kind == ASK || (kind == ASK_IF_DUE && pt_update_is_due ());
  Result *result = g_new0 (Result, 1);

  result->update =
      asks ? pt_update_look (cancellable, &result->error) : pt_update_known (&result->error);
  result->last_time = pt_update_last_time ();
  g_task_return_pointer (task, result, result_free);
}

static void
on_done (GObject *source, GAsyncResult *async_result, gpointer user_data)
{
  PterisUpdates *self = PTERIS_UPDATES (source);
  Result *result = g_task_propagate_pointer (G_TASK (async_result), NULL);

  self->is_busy = FALSE;
  if (result == NULL) /* the window is closed */
    return;
  g_free (self->error);
  self->error = result->error != NULL ? g_strdup (result->error->message) : NULL;
  self->last_time = result->last_time;
  /* What was seen before a request that failed is still right. */
  if (result->error == NULL) {
    pt_update_free (self->found);
    self->found = g_steal_pointer (&result->update);
  }
  result_free (result);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
begin (PterisUpdates *self, Task kind)
{
  g_autoptr (GTask) task = NULL;

  if (self->is_busy || !pt_update_is_possible ())
    return;
  self->is_busy = TRUE;
  task = g_task_new (self, self->cancellable, on_done, NULL);
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, GINT_TO_POINTER (kind), NULL);
  g_task_run_in_thread (task, in_thread);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
pteris_updates_look (PterisUpdates *self)
{
  begin (self, ASK);
}

static gboolean
on_timer (gpointer user_data)
{
  if (pteris_settings_get_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES))
    begin (PTERIS_UPDATES (user_data), ASK_IF_DUE);
  return G_SOURCE_CONTINUE;
}

static void
on_setting (gpointer object)
{
  on_timer (object);
}

void
pteris_updates_start (PterisUpdates *self)
{
  gboolean wanted = pteris_settings_get_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES);

  if (self->timer != 0 || !pt_update_is_possible ())
    return;
  self->timer = g_timeout_add_seconds (LOOK_AGAIN_S, on_timer, self);
  pteris_settings_watch (PTERIS_SETTING_LOOK_FOR_UPDATES, on_setting, self);
  begin (self, wanted ? ASK_IF_DUE : READ);
}

gboolean
pteris_updates_is_busy (PterisUpdates *self)
{
  return self->is_busy;
}

const PtUpdate *
pteris_updates_get_found (PterisUpdates *self)
{
  return self->found;
}

const char *
pteris_updates_get_error (PterisUpdates *self)
{
  return self->error;
}

gint64
pteris_updates_get_last_time (PterisUpdates *self)
{
  return self->last_time;
}

/* ---- life ---- */

static void
pteris_updates_dispose (GObject *object)
{
  PterisUpdates *self = PTERIS_UPDATES (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->timer, g_source_remove);
  G_OBJECT_CLASS (pteris_updates_parent_class)->dispose (object);
}

static void
pteris_updates_finalize (GObject *object)
{
  PterisUpdates *self = PTERIS_UPDATES (object);

  g_object_unref (self->cancellable);
  pt_update_free (self->found);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_updates_parent_class)->finalize (object);
}

static void
pteris_updates_class_init (PterisUpdatesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_updates_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_updates_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_updates_init (PterisUpdates *self)
{
  self->cancellable = g_cancellable_new ();
}

PterisUpdates *
pteris_updates_new (void)
{
  return g_object_new (PTERIS_TYPE_UPDATES, NULL);
}
