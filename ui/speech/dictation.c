/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/dictation.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "ui/history/history-store.h"
#include "ui/i18n.h"
#include "ui/speech/recordings.h"
#include "ui/sound/wav-file.h"

/* Seconds of new sound that start another transcription. */
#define STEP_S 3
/* A segment that ends closer to the end of the sound, in seconds, may continue. */
#define OPEN_S 1
/* A window of the model is 30 s: before it is full, its segments become final. */
#define FULL_S 24
/* Silence of this length, in seconds, is not transcribed again. */
#define SILENCE_S 8
/* Shortest interval of updates of the unfinished text, in microseconds. */
#define TAIL_US (G_USEC_PER_SEC / 6)

struct _PterisDictation {
  GObject parent_instance;

  PterisEngineClient *client;
  PterisTranscriptQueue *queue;
  PterisRecorder *recorder;
  PterisTranscript *transcript; /* NULL: no dictation is in progress */
  guint n_final;                /* number of final segments */
  double from;                  /* start of the part that may change, in seconds */
  char *error;                  /* of the last recording */

  guint64 job;      /* under way, or 0 */
  double heard;     /* most seconds that the job reads */
  GPtrArray *found; /* segments of the job (PterisSegment) */
  char *language;   /* detected or requested language; NULL: unknown */
  gboolean is_last; /* the job reads up to the end of the recording */

  /* The failure of a job during the recording, which goes on without text. */
  gboolean is_lost;
  PtError code;
  char *why, *report, *alternative;

  gboolean follows; /* the job follows the recording to its end */
  GString *tail;    /* text since the last segment */
  gint64 shown;     /* when that was shown */
};

G_DEFINE_FINAL_TYPE (PterisDictation, pteris_dictation, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_ENDED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void look (PterisDictation *self);

/* ---- the end ---- */

static void
end (PterisDictation *self)
{
  g_autoptr (PterisTranscript) transcript = g_steal_pointer (&self->transcript);

  self->job = 0;
  pteris_transcript_queue_set_hold (self->queue, FALSE);
  g_signal_emit (self, signals[SIGNAL_ENDED], 0, transcript);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
finish (PterisDictation *self)
{
  PtEvent done = { .kind = PT_EVENT_DONE };

  pteris_transcript_handle (self->transcript, &done);
  end (self);
}

/* Stops without text: the recording is kept and can be transcribed later. */
static void
stop_without_text (PterisDictation *self, PtError code, const char *sentence)
{
  pteris_transcript_set_live (self->transcript, FALSE);
  pteris_transcript_hold (self->transcript, code, sentence);
  end (self);
}

static void
forget_loss (PterisDictation *self)
{
  self->is_lost = FALSE;
  g_clear_pointer (&self->why, g_free);
  g_clear_pointer (&self->report, g_free);
  g_clear_pointer (&self->alternative, g_free);
}

/* The recording has ended, and its text had ended before. */
static void
end_lost (PterisDictation *self)
{
  const PtHostExit host = { .report = self->report };
  const PtEvent event = { .kind = PT_EVENT_FAILED,
                          .code = self->code,
                          .text = self->why,
                          .alternative = self->alternative,
                          .host = &host };

  if (self->code != PT_ERROR_HOST) {
    stop_without_text (self, self->code, self->why);
    return;
  }
  /* Nothing loads the model again by itself. */
  pteris_transcript_queue_set_lost (self->queue);
  pteris_transcript_set_live (self->transcript, FALSE);
  pteris_transcript_handle (self->transcript, &event);
  end (self);
}

/* There will be no more text, but whoever speaks goes on: the recording ends when it is stopped. */
static void
lose (PterisDictation *self, const PtEvent *event)
{
  gboolean stopped = event->kind == PT_EVENT_STOPPED;

  self->job = 0;
  self->is_lost = TRUE;
  self->code = stopped ? PT_ERROR_CANCELLED : event->code;
  self->why = g_strdup (stopped ? _ ("Stopped.") : event->text);
  self->report = event->host != NULL ? g_strdup (event->host->report) : NULL;
  self->alternative = g_strdup (event->alternative);
  if (pteris_recorder_get_state (self->recorder) == PTERIS_RECORDER_IDLE)
    end_lost (self);
  else
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
set_error (PterisDictation *self, const char *sentence)
{
  char *copy = g_strdup (sentence);

  g_free (self->error);
  self->error = copy;
}

/* Removes a dictation without any sound. */
static void
drop (PterisDictation *self, const char *sentence)
{
  g_autoptr (PterisTranscript) transcript = g_steal_pointer (&self->transcript);

  if (self->job != 0)
    pteris_engine_client_cancel (self->client, self->job);
  self->job = 0;
  set_error (self, sentence);
  g_unlink (pteris_transcript_get_path (transcript));
  pteris_transcript_queue_set_hold (self->queue, FALSE);
  pteris_transcript_queue_remove (self->queue, transcript);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- transcribing the current sound ---- */

/* Counts the new segments that will not change any more. */
static guint
count_final (PterisDictation *self)
{
  guint n = self->found->len;

  if (self->is_last)
    return n;
  if (self->heard - self->from >= FULL_S)
    return n;
  while (n > 0 && (n == self->found->len ||
                   pteris_segment_get_end (self->found->pdata[n - 1]) > self->heard - OPEN_S))
    n--;
  return n;
}

static void
take_found (PterisDictation *self)
{
  guint n = count_final (self);

  if (n > 0)
    self->from = pteris_segment_get_end (self->found->pdata[n - 1]);
  else if (self->found->len == 0 && self->heard - self->from > SILENCE_S)
    self->from = self->heard - OPEN_S;
  pteris_transcript_revise (self->transcript, self->n_final, self->found, self->from);
  self->n_final += n;
}

/* ---- models that stream ---- */

/* Shows the unfinished text behind the final segments. */
static void
show_tail (PterisDictation *self)
{
  double now = MAX (pteris_recorder_get_seconds (self->recorder), self->from);

  g_ptr_array_set_size (self->found, 0);
  if (self->tail->len > 0)
    g_ptr_array_add (self->found,
                     pteris_segment_new (pteris_store_new_id (), self->from, now, self->tail->str));
  pteris_transcript_revise (self->transcript, self->n_final, self->found, self->from);
  self->shown = g_get_monotonic_time ();
}

static void
take_final (PterisDictation *self, const PtEvent *event)
{
  PterisSegment *segment =
      pteris_segment_new (pteris_store_new_id (), event->start, event->end, event->text);

  pteris_segment_take_words (segment, event->words, event->n_words);
  g_ptr_array_set_size (self->found, 0);
  g_ptr_array_add (self->found, segment);
  pteris_transcript_revise (self->transcript, self->n_final, self->found, event->end);
  self->n_final++;
  self->from = event->end;
  g_string_truncate (self->tail, 0);
}

static void
on_followed (PterisDictation *self, const PtEvent *event)
{
  switch (event->kind) {
  case PT_EVENT_TEXT:
    g_string_append (self->tail, event->text);
    if (g_get_monotonic_time () - self->shown >= TAIL_US)
      show_tail (self);
    break;
  case PT_EVENT_SEGMENT: take_final (self, event); break;
  case PT_EVENT_STATS:
    if (self->is_last)
      pteris_transcript_handle (self->transcript, event);
    break;
  case PT_EVENT_DONE:
    g_string_truncate (self->tail, 0);
    show_tail (self);
    finish (self);
    break;
  case PT_EVENT_FAILED:
  case PT_EVENT_STOPPED: lose (self, event); break;
  default: break;
  }
}

static void
on_job_event (const PtEvent *event, gpointer user_data)
{
  PterisDictation *self = user_data;

  if (event->job != self->job || self->transcript == NULL)
    return;
  if (self->follows) {
    on_followed (self, event);
    return;
  }
  switch (event->kind) {
  case PT_EVENT_SEGMENT: {
    PterisSegment *segment =
        pteris_segment_new (pteris_store_new_id (), event->start, event->end, event->text);

    pteris_segment_take_words (segment, event->words, event->n_words);
    g_ptr_array_add (self->found, segment);
    break;
  }
  case PT_EVENT_STATS:
    if (self->language == NULL && event->stats.language[0] != '\0' && self->found->len > 0)
      self->language = g_strdup (event->stats.language);
    if (self->is_last)
      pteris_transcript_handle (self->transcript, event);
    break;
  case PT_EVENT_DONE:
    self->job = 0;
    take_found (self);
    if (self->is_last)
      finish (self);
    else
      look (self);
    break;
  case PT_EVENT_FAILED:
  case PT_EVENT_STOPPED: lose (self, event); break;
  default: break;
  }
}

static void
submit (PterisDictation *self, PterisModel *model)
{
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);

  g_ptr_array_set_size (self->found, 0);
  job.speech.audio = pteris_transcript_get_path (self->transcript);
  job.speech.start = self->from;
  job.speech.language = self->language;
  job.speech.translate = pteris_transcript_get_translate (self->transcript);
  job.speech.follow = self->follows;
  self->job = pteris_engine_client_submit (self->client, model, &job, on_job_event,
                                           g_object_ref (self), g_object_unref);
}

/* The recording has ended: finish the job that follows it. */
static void
stop_following (PterisDictation *self)
{
  if (self->is_last)
    return;
  self->is_last = TRUE;
  pteris_transcript_set_live (self->transcript, FALSE);
  pteris_engine_client_finish (self->client, self->job);
}

/* FALSE: nothing was recorded, so the dictation ends. */
static gboolean
check_sound (PterisDictation *self)
{
  const char *error = pteris_recorder_get_error (self->recorder);

  if (pteris_recorder_get_state (self->recorder) != PTERIS_RECORDER_IDLE)
    return TRUE;
  if (pteris_recorder_get_seconds (self->recorder) <= 0)
    drop (self, error != NULL ? error : _ ("Nothing was recorded."));
  else if (!pteris_recorder_is_silent (self->recorder))
    set_error (self, error);
  else if (pteris_recorder_get_kind (self->recorder) == PTERIS_SOUND_COMPUTER)
    drop (self, _ ("The computer played nothing that could be recorded. Play something on the "
                   "output that is recorded, or choose another one."));
  else
    drop (self, _ ("No sound came from the microphone. It may be muted, or another one may be "
                   "selected in the system's sound settings."));
  return self->transcript != NULL;
}

/* Starts a transcription if there is new sound and none is in progress. */
static void
look (PterisDictation *self)
{
  PterisModel *model = pteris_transcript_queue_get_model (self->queue);
  gboolean over = pteris_recorder_get_state (self->recorder) == PTERIS_RECORDER_IDLE;
  double seconds = pteris_recorder_get_seconds (self->recorder);

  if (self->transcript == NULL || !check_sound (self))
    return;
  if (self->job != 0 && self->follows && over)
    stop_following (self);
  if (self->is_lost && over)
    end_lost (self);
  if (self->job != 0 || self->is_lost || self->transcript == NULL)
    return;
  if (over && model == NULL) {
    g_autofree char *missing = pteris_transcript_queue_describe_missing (self->queue);

    stop_without_text (self, PT_ERROR_NOT_FOUND, missing);
    return;
  }
  self->follows = model != NULL && !over && seconds > 0 && pteris_model_get_info (model)->streams;
  if (model == NULL || (!over && !self->follows && seconds - self->heard < STEP_S))
    return;
  if (over)
    pteris_transcript_set_live (self->transcript, FALSE);
  self->heard = over ? seconds : pteris_recorder_sync (self->recorder);
  self->is_last = over;
  submit (self, model);
}

static void
on_recorder (PterisDictation *self)
{
  /* The user may have deleted the transcript. */
  if (self->transcript != NULL &&
      pteris_transcript_queue_find (self->queue, pteris_transcript_get_id (self->transcript)) ==
          NULL) {
    if (self->follows && self->job != 0)
      pteris_engine_client_cancel (self->client, self->job);
    g_clear_object (&self->transcript);
    self->job = 0;
    pteris_recorder_stop (self->recorder);
    pteris_transcript_queue_set_hold (self->queue, FALSE);
  }
  look (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- public functions ---- */

static char *
make_path (void)
{
  g_autofree char *folder = pteris_recordings_folder ();
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  /* TRANSLATORS: the name of a file: "Recording 2026-03-01 14.05.09". */
  g_autofree char *name = g_date_time_format (now, _ ("Recording %Y-%m-%d %H.%M.%S"));

  for (guint i = 1;; i++) {
    g_autofree char *file =
        i > 1 ? g_strdup_printf ("%s (%u).wav", name, i) : g_strdup_printf ("%s.wav", name);
    g_autofree char *path = g_build_filename (folder, file, NULL);

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
}

PterisTranscript *
pteris_dictation_start (PterisDictation *self, const char *language, gboolean translate)
{
  g_autofree char *path = NULL, *stem = NULL;

  if (self->transcript != NULL)
    return self->transcript;
  path = make_path ();
  self->transcript = pteris_transcript_new (path, language, translate);
  self->n_final = 0;
  self->from = self->heard = 0;
  self->is_last = FALSE;
  self->follows = FALSE;
  forget_loss (self);
  g_string_truncate (self->tail, 0);
  g_free (self->language);
  self->language = g_strdup (language);
  set_error (self, NULL);
  pteris_transcript_set_live (self->transcript, TRUE);
  stem = g_path_get_basename (path);
  *strrchr (stem, '.') = '\0';
  pteris_transcript_set_title (self->transcript, stem);
  pteris_transcript_start (self->transcript, NULL, _ ("Recording"));
  pteris_transcript_queue_take (self->queue, self->transcript);
  pteris_transcript_queue_set_hold (self->queue, TRUE);
  pteris_recorder_start (self->recorder, path);
  return self->transcript; /* unless it has failed at once */
}

void
pteris_dictation_stop (PterisDictation *self)
{
  pteris_recorder_stop (self->recorder);
}

gboolean
pteris_dictation_is_active (PterisDictation *self)
{
  return self->transcript != NULL;
}

PterisRecorder *
pteris_dictation_get_recorder (PterisDictation *self)
{
  return self->recorder;
}

PterisTranscript *
pteris_dictation_get_transcript (PterisDictation *self)
{
  return self->transcript;
}

gboolean
pteris_dictation_is_lost (PterisDictation *self)
{
  return self->transcript != NULL && self->is_lost;
}

const char *
pteris_dictation_get_error (PterisDictation *self)
{
  return self->error;
}

void
pteris_dictation_forget_error (PterisDictation *self)
{
  set_error (self, NULL);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- after a crash ---- */

static void
repair_in_thread (GTask *task, gpointer source, gpointer folder, GCancellable *cancellable)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_str_has_suffix (name, ".wav"))
      pteris_wav_repair (path);
  }
  g_task_return_boolean (task, TRUE);
}

void
pteris_dictation_repair (void)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_set_source_tag (task, pteris_dictation_repair);
  g_task_set_task_data (task, pteris_recordings_folder (), g_free);
  g_task_run_in_thread (task, repair_in_thread);
}

/* ---- the object ---- */

static void
pteris_dictation_dispose (GObject *object)
{
  PterisDictation *self = PTERIS_DICTATION (object);

  if (self->recorder != NULL) {
    g_signal_handlers_disconnect_by_data (self->recorder, self);
    pteris_recorder_stop (self->recorder);
  }
  g_clear_object (&self->recorder);
  g_clear_object (&self->client);
  g_clear_object (&self->queue);
  g_clear_object (&self->transcript);
  g_clear_pointer (&self->found, g_ptr_array_unref);
  g_clear_pointer (&self->language, g_free);
  g_clear_pointer (&self->error, g_free);
  forget_loss (self);
  if (self->tail != NULL)
    g_string_free (g_steal_pointer (&self->tail), TRUE);
  G_OBJECT_CLASS (pteris_dictation_parent_class)->dispose (object);
}

static void
pteris_dictation_class_init (PterisDictationClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_dictation_dispose;
  signals[SIGNAL_CHANGED] =
      g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_ENDED] = g_signal_new ("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, PTERIS_TYPE_TRANSCRIPT);
}

static void
pteris_dictation_init (PterisDictation *self)
{
  self->recorder = pteris_recorder_new ();
  self->tail = g_string_new (NULL);
  self->found = g_ptr_array_new_with_free_func (g_object_unref);
  g_signal_connect_swapped (self->recorder, "changed", G_CALLBACK (on_recorder), self);
}

PterisDictation *
pteris_dictation_new (PterisEngineClient *client, PterisTranscriptQueue *queue)
{
  PterisDictation *self = g_object_new (PTERIS_TYPE_DICTATION, NULL);

  self->client = g_object_ref (client);
  self->queue = g_object_ref (queue);
  return self;
}
