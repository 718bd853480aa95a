/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-queue.h"

#include <string.h>

#include "ui/i18n.h"
#include "ui/settings.h"
#include "ui/history/history-store.h"
#include "ui/speech/transcript-store.h"

/* Most transcripts in the list. */
#define MAX_RESTORED 20000

struct _PterisTranscriptQueue {
  PterisListObject parent_instance;

  PterisEngineClient *client;
  PterisLibrary *library;
  GListStore *transcripts; /* the queue; the parent's list has all transcripts, the newest first */
  GListStore *line;

  PterisTranscript *running;
  guint64 job;
  gboolean pausing; /* a stop of the job is a pause */
  gboolean hold;    /* no job is started, and interrupted transcripts wait */
  gboolean lost;    /* the model's process has ended: nothing is loaded until the user asks */
  guint n_done, n_failed;

  /* Totals since the start, for estimates of the queued recordings. */
  double seconds_done, bytes_done;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptQueue, pteris_transcript_queue, PTERIS_TYPE_LIST_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_FINISHED, SIGNAL_READY, N_SIGNALS };
static guint signals[N_SIGNALS];

static void start_next (PterisTranscriptQueue *self);

static void
changed (PterisTranscriptQueue *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static guint
line_length (PterisTranscriptQueue *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->line));
}

/* The line holds it. */
static PterisTranscript *
line_at (PterisTranscriptQueue *self, guint i)
{
  g_autoptr (PterisTranscript) transcript = g_list_model_get_item (G_LIST_MODEL (self->line), i);

  return transcript;
}

/* ---- working ---- */

char *
pteris_transcript_queue_describe_missing (PterisTranscriptQueue *self)
{
  char *held = pteris_library_explain_held (self->library, PTERIS_TASK_TRANSCRIBE);

  return held != NULL ? held
                      : g_strdup (_ ("There is no speech model yet. Open one, or use the starter "
                                     "models, then try again."));
}

static void
on_ended (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  PterisTranscriptState state = pteris_transcript_get_state (transcript);
  const PtStats *stats = pteris_transcript_get_stats (transcript);

  if (state == PTERIS_TRANSCRIPT_DONE) {
    self->seconds_done += stats->elapsed_s;
    self->bytes_done += (double) pteris_transcript_get_size (transcript);
    self->n_done++;
  } else if (state == PTERIS_TRANSCRIPT_FAILED) {
    self->n_failed++;
  }
}

/* Reports the end of the queue when no transcript waits. */
static void
check_finished (PterisTranscriptQueue *self)
{
  guint n_done = self->n_done, n_failed = self->n_failed;
  PterisQueueFigures figures;

  if (self->running != NULL || n_done + n_failed == 0)
    return;
  pteris_transcript_queue_get_figures (self, &figures);
  if (figures.n_open > 0 || figures.n_paused > 0)
    return;
  self->n_done = self->n_failed = 0;
  g_signal_emit (self, signals[SIGNAL_FINISHED], 0, n_done, n_failed);
}

static void
on_job_event (const PtEvent *event, gpointer user_data)
{
  PterisTranscriptQueue *self = PTERIS_TRANSCRIPT_QUEUE (user_data);
  gboolean last = event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
                  event->kind == PT_EVENT_STOPPED;
  g_autoptr (PterisTranscript) transcript = NULL;

  if (self->running == NULL || event->job != self->job)
    return;
  if (event->kind == PT_EVENT_STOPPED && self->pausing)
    pteris_transcript_pause (self->running);
  else
    pteris_transcript_handle (self->running, event);
  if (event->kind == PT_EVENT_STATS)
    changed (self);
  if (!last)
    return;
  transcript = g_steal_pointer (&self->running);
  self->job = 0;
  self->lost = event->kind == PT_EVENT_FAILED && event->code == PT_ERROR_HOST;
  if (self->hold && event->kind == PT_EVENT_STOPPED &&
      pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_PAUSED)
    pteris_transcript_enqueue (transcript);
  on_ended (self, transcript);
  start_next (self);
}

static void
start (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  PterisModel *model = pteris_transcript_queue_get_model (self);
  const PtStats *stats = pteris_transcript_get_stats (transcript);
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  g_autofree char *status = NULL;

  if (model == NULL) {
    g_autofree char *missing = pteris_transcript_queue_describe_missing (self);

    pteris_transcript_hold (transcript, PT_ERROR_NOT_FOUND, missing);
    return;
  }
  job.model.path = pteris_model_get_info (model)->path;
  job.speech.audio = pteris_transcript_get_path (transcript);
  job.speech.language = pteris_transcript_get_language (transcript);
  job.speech.translate = pteris_transcript_get_translate (transcript);
  job.speech.start = pteris_transcript_get_until (transcript);
  /* The second part is transcribed in the detected language. */
  if (job.speech.start > 0 && job.speech.language == NULL && stats->language[0] != '\0')
    job.speech.language = stats->language;
  self->running = g_object_ref (transcript);
  self->pausing = FALSE;
  self->job = pteris_engine_client_submit (self->client, model, &job, on_job_event,
                                           g_object_ref (self), g_object_unref);
  if (pteris_engine_client_is_waiting (self->client))
    status = g_strdup (_ ("Waiting for the answer to finish"));
  else
    status = g_strdup_printf (_ ("Loading %s"), pteris_model_get_info (model)->title);
  pteris_transcript_start (transcript, pteris_model_get_info (model)->title, status);
  pteris_settings_set_string (PTERIS_SETTING_LAST_SPEECH, pteris_model_get_info (model)->path);
}

static void
start_next (PterisTranscriptQueue *self)
{
  /* Before the first scan the speech model is unknown. */
  gboolean ready = pteris_library_is_ready (self->library) && !self->hold && !self->lost;

  for (guint i = 0; ready && i < line_length (self) && self->running == NULL; i++) {
    PterisTranscript *transcript = line_at (self, i);

    if (pteris_transcript_get_state (transcript) != PTERIS_TRANSCRIPT_QUEUED)
      continue;
    /* Continuing needs the segments; on_transcript_changed() calls this again when they are loaded.
     */
    pteris_transcript_load (transcript);
    if (!pteris_transcript_is_loaded (transcript))
      break;
    start (self, transcript);
  }
  check_finished (self);
  changed (self);
}

/* ---- the line ---- */

static void
on_transcript_changed (PterisTranscript *transcript, PterisTranscriptQueue *self)
{
  if (self->running == NULL &&
      pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_QUEUED &&
      pteris_transcript_is_loaded (transcript))
    start_next (self);
}

static gboolean
is_in_line (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  return g_list_store_find (self->line, transcript, NULL);
}

static int
compare_rank (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 x = pteris_transcript_get_rank (PTERIS_TRANSCRIPT ((gpointer) a));
  gint64 y = pteris_transcript_get_rank (PTERIS_TRANSCRIPT ((gpointer) b));

  return (x > y) - (x < y);
}

static void
join_line (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (is_in_line (self, transcript))
    return;
  g_list_store_insert_sorted (self->line, transcript, compare_rank, NULL);
  g_signal_connect_object (transcript, "changed", G_CALLBACK (on_transcript_changed), self, 0);
}

static void
leave_line (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  guint position;

  if (!g_list_store_find (self->line, transcript, &position))
    return;
  g_signal_handlers_disconnect_by_func (transcript, on_transcript_changed, self);
  g_list_store_remove (self->line, position);
}

PterisTranscript *
pteris_transcript_queue_add (PterisTranscriptQueue *self, const char *path, const char *language,
                             gboolean translate)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new (path, language, translate);

  self->lost = FALSE;
  pteris_transcript_enqueue (transcript);
  g_list_store_insert (self->transcripts, 0, transcript);
  join_line (self, transcript);
  start_next (self);
  return transcript;
}

void
pteris_transcript_queue_take (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  g_list_store_insert (self->transcripts, 0, transcript);
}

void
pteris_transcript_queue_enqueue (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (transcript == self->running)
    return;
  self->lost = FALSE;
  /* A restored one is added at the end. */
  if (!is_in_line (self, transcript))
    pteris_transcript_set_rank (transcript, pteris_store_new_id ());
  pteris_transcript_enqueue (transcript);
  join_line (self, transcript);
  start_next (self);
}

void
pteris_transcript_queue_pause (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (transcript == self->running) {
    self->pausing = TRUE;
    pteris_engine_client_cancel (self->client, self->job);
  } else if (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_QUEUED) {
    pteris_transcript_pause (transcript);
    changed (self);
  }
}

void
pteris_transcript_queue_pause_all (PterisTranscriptQueue *self)
{
  /* The running one last, so that no other one is started. */
  for (guint i = 0; i < line_length (self); i++)
    if (line_at (self, i) != self->running)
      pteris_transcript_queue_pause (self, line_at (self, i));
  if (self->running != NULL)
    pteris_transcript_queue_pause (self, self->running);
}

void
pteris_transcript_queue_resume_all (PterisTranscriptQueue *self)
{
  self->lost = FALSE;
  for (guint i = 0; i < line_length (self); i++)
    if (pteris_transcript_get_state (line_at (self, i)) == PTERIS_TRANSCRIPT_PAUSED)
      pteris_transcript_enqueue (line_at (self, i));
  start_next (self);
}

void
pteris_transcript_queue_set_lost (PterisTranscriptQueue *self)
{
  self->lost = TRUE;
}

void
pteris_transcript_queue_set_hold (PterisTranscriptQueue *self, gboolean hold)
{
  if (self->hold == hold)
    return;
  self->hold = hold;
  if (hold && self->running != NULL)
    pteris_transcript_queue_pause (self, self->running);
  start_next (self);
}

void
pteris_transcript_queue_stop (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (transcript == self->running) {
    self->pausing = FALSE;
    pteris_engine_client_cancel (self->client, self->job);
  } else if (pteris_transcript_is_open (transcript)) {
    pteris_transcript_stop (transcript);
    check_finished (self);
    changed (self);
  }
}

/* Assigns the existing ranks again, in the new order. */
void
pteris_transcript_queue_move (PterisTranscriptQueue *self, PterisTranscript *transcript,
                              guint position)
{
  g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (PterisTranscript) kept = g_object_ref (transcript);
  guint n = line_length (self), from;

  if (!g_list_store_find (self->line, transcript, &from))
    return;
  for (guint i = 0; i < n; i++) {
    gint64 rank = pteris_transcript_get_rank (line_at (self, i));

    g_array_append_val (ranks, rank);
  }
  g_list_store_remove (self->line, from);
  g_list_store_insert (self->line, MIN (position, n - 1), transcript);
  for (guint i = 0; i < n; i++)
    pteris_transcript_set_rank (line_at (self, i), g_array_index (ranks, gint64, i));
  changed (self);
}

void
pteris_transcript_queue_dismiss (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  if (!pteris_transcript_is_open (transcript))
    leave_line (self, transcript);
  changed (self);
}

void
pteris_transcript_queue_clear_done (PterisTranscriptQueue *self)
{
  for (guint i = line_length (self); i > 0; i--)
    if (pteris_transcript_get_state (line_at (self, i - 1)) == PTERIS_TRANSCRIPT_DONE)
      leave_line (self, line_at (self, i - 1));
  changed (self);
}

void
pteris_transcript_queue_remove (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  g_autoptr (PterisTranscript) kept = g_object_ref (transcript);
  guint position;

  if (!g_list_store_find (self->transcripts, transcript, &position))
    return;
  if (transcript == self->running) {
    /* Its last events have no receiver and are dropped. */
    pteris_engine_client_cancel (self->client, self->job);
    pteris_transcript_pause (transcript);
    g_clear_object (&self->running);
    self->job = 0;
  }
  pteris_transcript_set_deleted (transcript, TRUE);
  leave_line (self, transcript);
  g_list_store_remove (self->transcripts, position);
  start_next (self);
}

static int
compare_newest_first (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 x = pteris_transcript_get_id (PTERIS_TRANSCRIPT ((gpointer) a));
  gint64 y = pteris_transcript_get_id (PTERIS_TRANSCRIPT ((gpointer) b));

  return (x < y) - (x > y);
}

void
pteris_transcript_queue_put_back (PterisTranscriptQueue *self, PterisTranscript *transcript)
{
  pteris_transcript_set_deleted (transcript, FALSE);
  g_list_store_insert_sorted (self->transcripts, transcript, compare_newest_first, NULL);
  if (pteris_transcript_is_open (transcript))
    join_line (self, transcript);
  start_next (self);
}

/* ---- properties ---- */

GListModel *
pteris_transcript_queue_get_line (PterisTranscriptQueue *self)
{
  return G_LIST_MODEL (self->line);
}

PterisTranscript *
pteris_transcript_queue_find (PterisTranscriptQueue *self, gint64 id)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->transcripts));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisTranscript) transcript =
        g_list_model_get_item (G_LIST_MODEL (self->transcripts), i);

    if (pteris_transcript_get_id (transcript) == id)
      return transcript; /* the list holds it */
  }
  return NULL;
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

typedef struct {
  PterisTranscriptQueue *queue;
  PterisTranscript *transcript;
} UseModel;

static void
use_model_free (UseModel *use)
{
  g_object_unref (use->queue);
  g_object_unref (use->transcript);
  g_free (use);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (UseModel, use_model_free)

static void
on_added (GObject *library, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (UseModel) use = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisModel) model =
      pteris_library_add_finish (PTERIS_LIBRARY (library), result, &error);

  if (model == NULL) {
    pteris_transcript_hold (use->transcript, PT_ERROR_FILE, error->message);
    return;
  }
  pteris_engine_client_load (use->queue->client, model);
  pteris_transcript_queue_enqueue (use->queue, use->transcript);
}

void
pteris_transcript_queue_use_model (PterisTranscriptQueue *self, PterisTranscript *transcript,
                                   const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  UseModel *use = g_new0 (UseModel, 1);

  use->queue = g_object_ref (self);
  use->transcript = g_object_ref (transcript);
  pteris_library_add_async (self->library, file, NULL, on_added, use);
}

PterisTranscript *
pteris_transcript_queue_get_running (PterisTranscriptQueue *self)
{
  return self->running;
}

/* Seconds of work per byte, from the finished and the running ones; < 0: unknown. */
static double
cost_of_a_byte (PterisTranscriptQueue *self)
{
  double seconds = self->seconds_done, bytes = self->bytes_done;

  if (self->running != NULL && pteris_transcript_get_left (self->running) >= 0) {
    const PtStats *stats = pteris_transcript_get_stats (self->running);
    double whole = stats->elapsed_s + pteris_transcript_get_left (self->running);

    seconds += whole;
    bytes += (double) pteris_transcript_get_size (self->running);
  }
  return bytes > 0 && seconds > 0 ? seconds / bytes : -1;
}

void
pteris_transcript_queue_get_figures (PterisTranscriptQueue *self, PterisQueueFigures *figures)
{
  double bytes = 0, cost = cost_of_a_byte (self);
  double left = self->running != NULL ? pteris_transcript_get_left (self->running) : 0;

  *figures = (PterisQueueFigures){ .left = -1 };
  for (guint i = 0; i < line_length (self); i++) {
    PterisTranscript *transcript = line_at (self, i);
    PterisTranscriptState state = pteris_transcript_get_state (transcript);

    if (state == PTERIS_TRANSCRIPT_PAUSED)
      figures->n_paused++;
    else if (pteris_transcript_is_open (transcript))
      figures->n_open++;
    else
      figures->n_ended++;
    if (state == PTERIS_TRANSCRIPT_FAILED)
      figures->n_failed++;
    if (state == PTERIS_TRANSCRIPT_QUEUED)
      bytes += (double) pteris_transcript_get_size (transcript) *
               (1 - pteris_transcript_get_fraction (transcript));
  }
  if (left >= 0 && (bytes == 0 || cost >= 0))
    figures->left = left + bytes * MAX (cost, 0);
}

/* ---- restoring ---- */

static void
restore_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *found = pteris_transcript_store_list (MAX_RESTORED, &error);

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

  /* Transcripts added during the reading are in the list already. */
  for (guint i = found != NULL ? found->len : 0; i-- > 0;)
    if (pteris_transcript_queue_find (self, pteris_transcript_get_id (found->pdata[i])) != NULL)
      g_ptr_array_remove_index (found, i);
  if (found != NULL) {
    g_list_store_splice (self->transcripts,
                         g_list_model_get_n_items (G_LIST_MODEL (self->transcripts)), 0,
                         found->pdata, found->len);
    for (guint i = 0; i < found->len; i++)
      if (pteris_transcript_is_open (found->pdata[i]))
        join_line (self, found->pdata[i]);
  }
  g_signal_emit (self, signals[SIGNAL_READY], 0);
  changed (self);
}

void
pteris_transcript_queue_restore (PterisTranscriptQueue *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_restored, NULL);

  g_task_set_source_tag (task, pteris_transcript_queue_restore);
  g_task_run_in_thread (task, restore_in_thread);
}

/* ---- the object ---- */

static void
pteris_transcript_queue_finalize (GObject *object)
{
  PterisTranscriptQueue *self = PTERIS_TRANSCRIPT_QUEUE (object);

  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_object (&self->line);
  g_clear_object (&self->running);
  G_OBJECT_CLASS (pteris_transcript_queue_parent_class)->finalize (object);
}

static void
pteris_transcript_queue_class_init (PterisTranscriptQueueClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_queue_finalize;
  signals[SIGNAL_CHANGED] =
      g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FINISHED] = g_signal_new ("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                           G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_UINT);
  signals[SIGNAL_READY] =
      g_signal_new ("ready", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_transcript_queue_init (PterisTranscriptQueue *self)
{
  self->transcripts = pteris_list_object_begin (PTERIS_LIST_OBJECT (self), PTERIS_TYPE_TRANSCRIPT);
  self->line = g_list_store_new (PTERIS_TYPE_TRANSCRIPT);
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
