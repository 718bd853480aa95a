/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-queue.h"

#include <string.h>

#include "ui/settings.h"
#include "ui/store.h"
#include "ui/transcript-store.h"

/* So many transcripts come back at the next start. */
#define MAX_RESTORED 50

struct _PterisTranscriptQueue {
  GObject parent_instance;

  PterisEngineClient *client;
  PterisLibrary *library;
  GListStore *transcripts;

  PterisTranscript *running;
  guint64 job;
};

static GType
queue_get_item_type (GListModel *list)
{
  return PTERIS_TYPE_TRANSCRIPT;
}

static guint
queue_get_n_items (GListModel *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (PTERIS_TRANSCRIPT_QUEUE (list)->transcripts));
}

static gpointer
queue_get_item (GListModel *list, guint position)
{
  return g_list_model_get_item (G_LIST_MODEL (PTERIS_TRANSCRIPT_QUEUE (list)->transcripts),
                                position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = queue_get_item_type;
  iface->get_n_items = queue_get_n_items;
  iface->get_item = queue_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (PterisTranscriptQueue, pteris_transcript_queue, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void start_next (PterisTranscriptQueue *self);

/* ---- working ---- */

static void
on_job_event (const PtEvent *event, gpointer user_data)
{
  PterisTranscriptQueue *self = PTERIS_TRANSCRIPT_QUEUE (user_data);
  gboolean last = event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
                  event->kind == PT_EVENT_STOPPED;

  if (self->running == NULL || event->job != self->job)
    return;
  pteris_transcript_handle (self->running, event);
  if (!last)
    return;
  g_clear_object (&self->running);
  self->job = 0;
  start_next (self);
}

static void
start (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  PterisModel *model = pteris_transcript_queue_get_model (self);
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  g_autofree char *status = NULL;

  if (model == NULL) {
    pteris_transcript_fail (
        transcript, PT_ERROR_NOT_FOUND,
        "There is no speech model yet. Open one, or get the starter models, then try again.");
    return;
  }
  job.audio = pteris_transcript_get_path (transcript);
  job.language = pteris_transcript_get_language (transcript);
  job.translate = pteris_transcript_get_translate (transcript);
  self->running = g_object_ref (transcript);
  if (pteris_engine_client_has_job (self->client, PT_JOB_CHAT))
    status = g_strdup ("Waiting for the answer to end");
  else
    status = g_strdup_printf ("Loading %s", pteris_model_get_info (model)->title);
  pteris_transcript_start (transcript, status);
  self->job = pteris_engine_client_submit (self->client, model, &job, on_job_event,
                                           g_object_ref (self), g_object_unref);
  pteris_settings_set_string (PTERIS_SETTING_LAST_SPEECH, pteris_model_get_info (model)->path);
}

static void
start_next (PterisTranscriptQueue *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->transcripts));

  /* Before the first scan there is no telling which model to use. */
  if (!pteris_library_is_ready (self->library))
    return;
  for (guint i = 0; i < n && self->running == NULL; i++) {
    g_autoptr (PterisTranscript) transcript =
        g_list_model_get_item (G_LIST_MODEL (self->transcripts), i);

    if (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_QUEUED)
      start (self, transcript);
  }
}

PterisTranscript *
pteris_transcript_queue_add (PterisTranscriptQueue *self, const char *path, const char *language,
                             gboolean translate)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new (path, language, translate);

  pteris_transcript_reset (transcript);
  g_list_store_append (self->transcripts, transcript);
  start_next (self);
  return transcript;
}

void
pteris_transcript_queue_stop (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (transcript == self->running)
    pteris_engine_client_cancel (self->client, self->job);
  else if (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_QUEUED)
    pteris_transcript_stop (transcript);
}

void
pteris_transcript_queue_retry (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (transcript == self->running)
    return;
  pteris_transcript_reset (transcript);
  start_next (self);
}

void
pteris_transcript_queue_remove (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  guint position;
  gboolean was_running = transcript == self->running;

  if (!g_list_store_find (self->transcripts, transcript, &position))
    return;
  if (was_running) {
    /* Its last events find nobody and are dropped. */
    pteris_engine_client_cancel (self->client, self->job);
    pteris_transcript_stop (transcript);
    g_clear_object (&self->running);
    self->job = 0;
  }
  g_list_store_remove (self->transcripts, position);
  if (was_running)
    start_next (self);
}

void
pteris_transcript_queue_put_back (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  g_list_store_append (self->transcripts, transcript);
}

PterisModel *
pteris_transcript_queue_get_model (PterisTranscriptQueue *self)
{
  PterisModel *loaded = pteris_engine_client_get_model (self->client);
  g_autofree char *last = NULL;

  if (loaded != NULL && pteris_model_get_task (loaded) == PTERIS_TASK_TRANSCRIBE)
    return loaded;
  last = pteris_settings_get_string (PTERIS_SETTING_LAST_SPEECH);
  return pteris_library_pick (self->library, PTERIS_TASK_TRANSCRIBE, last);
}

PterisTranscript *
pteris_transcript_queue_get_running (PterisTranscriptQueue *self)
{
  return self->running;
}

/* ---- restoring ---- */

static void
restore_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const gint64 *before = task_data;
  GError *error = NULL;
  GPtrArray *found = pteris_transcript_store_list (*before, MAX_RESTORED, &error);

  if (found != NULL)
    g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
on_restored (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisTranscriptQueue *self = PTERIS_TRANSCRIPT_QUEUE (source);
  g_autoptr (GPtrArray) found = g_task_propagate_pointer (G_TASK (result), NULL);

  if (found != NULL)
    g_list_store_splice (self->transcripts, 0, 0, found->pdata, found->len);
}

void
pteris_transcript_queue_restore (PterisTranscriptQueue *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_restored, NULL);
  /* What is newer than the wish to restore is in the queue already. */
  gint64 before = pteris_store_new_id ();

  g_task_set_source_tag (task, pteris_transcript_queue_restore);
  g_task_set_task_data (task, g_memdup2 (&before, sizeof before), g_free);
  g_task_run_in_thread (task, restore_in_thread);
}

/* ---- the object ---- */

static void
on_items_changed (GListModel *list, guint position, guint removed, guint added, gpointer self)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

static void
pteris_transcript_queue_finalize (GObject *object)
{
  PterisTranscriptQueue *self = PTERIS_TRANSCRIPT_QUEUE (object);

  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_object (&self->transcripts);
  g_clear_object (&self->running);
  G_OBJECT_CLASS (pteris_transcript_queue_parent_class)->finalize (object);
}

static void
pteris_transcript_queue_class_init (PterisTranscriptQueueClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_queue_finalize;
}

static void
pteris_transcript_queue_init (PterisTranscriptQueue *self)
{
  self->transcripts = g_list_store_new (PTERIS_TYPE_TRANSCRIPT);
  g_signal_connect (self->transcripts, "items-changed", G_CALLBACK (on_items_changed), self);
}

PterisTranscriptQueue *
pteris_transcript_queue_new (PterisEngineClient *client, PterisLibrary *library)
{
  PterisTranscriptQueue *self = g_object_new (PTERIS_TYPE_TRANSCRIPT_QUEUE, NULL);

  self->client = g_object_ref (client);
  self->library = g_object_ref (library);
  g_signal_connect_object (library, "scanned", G_CALLBACK (start_next), self, G_CONNECT_SWAPPED);
  return self;
}
