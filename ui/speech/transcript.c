/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript.h"

#include <string.h>

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/speech/languages.h"
#include "ui/history/history-store.h"
#include "ui/speech/transcript-store.h"

/* No estimate before this much is done, since it would vary: two windows of Whisper, or this
 * fraction of the recording. */
#define ETA_AUDIO_S 60
#define ETA_FRACTION 0.1

/* Most steps of undo. */
#define MAX_UNDO 200

/* A step of undo: the segments that an edit removed at @position, and the number that it inserted.
 */
typedef struct {
  guint position;
  GPtrArray *removed;
  guint n_added;
} Step;

struct _PterisTranscript {
  GObject parent_instance;

  gint64 id;
  char *path;
  char *title;
  gboolean is_named;
  char *language;
  gboolean translate;
  char *model;
  gint64 rank;
  goffset size;

  PterisTranscriptState state;
  GListStore *segments;
  GListStore *draft; /* segments of a second version until it is done */
  gboolean is_redo;
  gboolean is_live;
  gboolean is_loaded, is_loading;
  PtStats stats;
  double until;     /* seconds that are done */
  double run_start; /* where this run has begun */
  char *status;     /* seconds done before the first statistics */
  PtReason reason;  /* why it ended */
  char *error;
  PtError code;
  char *report, *alternative; /* after PT_ERROR_HOST; or NULL */

  GQueue undo, redo; /* Step, the last one first */
};

G_DEFINE_FINAL_TYPE (PterisTranscript, pteris_transcript, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisTranscript *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
replace (char **field, const char *value)
{
  char *copy = g_strdup (value);

  g_free (*field);
  *field = copy;
}

static void
step_free (gpointer data)
{
  Step *step = data;

  g_ptr_array_unref (step->removed);
  g_free (step);
}

static void
forget_steps (PterisTranscript *self)
{
  g_queue_clear_full (&self->undo, step_free);
  g_queue_clear_full (&self->redo, step_free);
}

/* The list for new segments. */
static GListStore *
target (PterisTranscript *self)
{
  return self->is_redo ? self->draft : self->segments;
}

/* ---- the work ---- */

void
pteris_transcript_set_choices (PterisTranscript *self, const char *language, gboolean translate)
{
  replace (&self->language, language);
  self->translate = translate;
  pteris_transcript_store_save (self);
  changed (self);
}

static void
begin_anew (PterisTranscript *self)
{
  self->is_redo = self->state == PTERIS_TRANSCRIPT_DONE;
  g_list_store_remove_all (target (self));
  pteris_transcript_store_clear (self, self->is_redo);
  if (!self->is_redo) {
    forget_steps (self);
    memset (&self->stats, 0, sizeof self->stats);
  }
  self->until = 0;
}

void
pteris_transcript_enqueue (PterisTranscript *self)
{
  if (self->state == PTERIS_TRANSCRIPT_DONE || self->state == PTERIS_TRANSCRIPT_STOPPED ||
      self->state == PTERIS_TRANSCRIPT_FAILED)
    begin_anew (self);
  g_clear_pointer (&self->status, g_free);
  self->reason = PT_REASON_NONE;
  g_clear_pointer (&self->error, g_free);
  g_clear_pointer (&self->report, g_free);
  g_clear_pointer (&self->alternative, g_free);
  self->state = PTERIS_TRANSCRIPT_QUEUED;
  pteris_transcript_store_save (self);
  changed (self);
}

void
pteris_transcript_start (PterisTranscript *self, const char *model, const char *status)
{
  self->state = PTERIS_TRANSCRIPT_RUNNING;
  self->run_start = self->until;
  replace (&self->model, model);
  replace (&self->status, status);
  pteris_transcript_store_save (self);
  changed (self);
}

static void
finish (PterisTranscript *self, PterisTranscriptState state, PtReason reason)
{
  self->state = state;
  self->reason = reason;
  pteris_transcript_store_save (self);
  changed (self);
}

/* Drops an unfinished second version. */
static void
drop_draft (PterisTranscript *self)
{
  if (!self->is_redo)
    return;
  g_list_store_remove_all (self->draft);
  pteris_transcript_store_clear (self, TRUE);
  self->is_redo = FALSE;
}

/* Replaces the first version by the second; undo restores it. */
static void
take_draft (PterisTranscript *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->draft));
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (list, g_list_model_get_item (G_LIST_MODEL (self->draft), i));
  self->is_redo = FALSE;
  g_list_store_remove_all (self->draft);
  pteris_transcript_splice (self, 0, g_list_model_get_n_items (G_LIST_MODEL (self->segments)),
                            (PterisSegment *const *) list->pdata, list->len);
}

void
pteris_transcript_fail (PterisTranscript *self, PtError code, const char *sentence)
{
  gboolean was_redo = self->is_redo;

  drop_draft (self);
  self->code = code;
  replace (&self->error, sentence);
  finish (self, was_redo ? PTERIS_TRANSCRIPT_DONE : PTERIS_TRANSCRIPT_FAILED, PT_REASON_NONE);
}

void
pteris_transcript_pause (PterisTranscript *self)
{
  finish (self, PTERIS_TRANSCRIPT_PAUSED, PT_REASON_NONE);
}

void
pteris_transcript_hold (PterisTranscript *self, PtError code, const char *sentence)
{
  self->code = code;
  replace (&self->error, sentence);
  pteris_transcript_pause (self);
}

void
pteris_transcript_stop (PterisTranscript *self)
{
  gboolean was_redo = self->is_redo;

  drop_draft (self);
  if (was_redo)
    finish (self, PTERIS_TRANSCRIPT_DONE, PT_REASON_STOP);
  else
    finish (self, PTERIS_TRANSCRIPT_STOPPED, PT_REASON_STOPPED);
}

/* The model's process has ended: what is transcribed stays, and the rest follows when the user asks
 * for it. */
static void
hold_for_host (PterisTranscript *self, const PtEvent *event)
{
  replace (&self->report, event->host != NULL ? event->host->report : NULL);
  replace (&self->alternative, event->alternative);
  pteris_transcript_hold (self, event->code, event->text);
}

static void
add_segment (PterisTranscript *self, const PtEvent *event)
{
  g_autoptr (PterisSegment) segment =
      pteris_segment_new (pteris_store_new_id (), event->start, event->end, event->text);

  self->until = MAX (self->until, event->end);
  if (pteris_segment_get_text (segment)[0] == '\0')
    return;
  pteris_segment_take_words (segment, event->words, event->n_words);
  pteris_segment_set_speaker (segment, event->speaker);
  pteris_transcript_store_segment (self, segment, self->is_redo);
  g_list_store_append (target (self), segment);
}

static void
take_stats (PterisTranscript *self, const PtStats *stats)
{
  self->stats = *stats;
  self->until = MAX (self->until, stats->audio_s);
  pteris_transcript_store_save (self);
  changed (self);
}

static void
on_done (PterisTranscript *self)
{
  gboolean silent;

  if (self->is_redo)
    take_draft (self);
  silent = g_list_model_get_n_items (G_LIST_MODEL (self->segments)) == 0;
  finish (self, PTERIS_TRANSCRIPT_DONE, silent ? PT_REASON_NO_SPEECH : PT_REASON_STOP);
}

void
pteris_transcript_handle (PterisTranscript *self, const PtEvent *event)
{
  switch (event->kind) {
  case PT_EVENT_PROGRESS:
    g_free (self->status);
    self->status = pteris_format_step (event);
    changed (self);
    break;
  case PT_EVENT_SEGMENT: add_segment (self, event); break;
  case PT_EVENT_STATS: take_stats (self, &event->stats); break;
  case PT_EVENT_DONE: on_done (self); break;
  case PT_EVENT_STOPPED: pteris_transcript_stop (self); break;
  case PT_EVENT_FAILED:
    if (event->code == PT_ERROR_HOST && !self->is_live)
      hold_for_host (self, event);
    else
      pteris_transcript_fail (self, event->code, event->text);
    break;
  default: break;
  }
}

void
pteris_transcript_revise (PterisTranscript *self, guint n_final, GPtrArray *segments, double until)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->segments));

  n_final = MIN (n_final, n);
  for (guint i = n_final; i < n; i++) {
    g_autoptr (PterisSegment) old = g_list_model_get_item (G_LIST_MODEL (self->segments), i);

    pteris_transcript_store_drop (old);
  }
  for (guint i = 0; i < segments->len; i++)
    pteris_transcript_store_segment (self, segments->pdata[i], FALSE);
  g_list_store_splice (self->segments, n_final, n - n_final, segments->pdata, segments->len);
  self->until = until;
  forget_steps (self);
  pteris_transcript_store_save (self);
  changed (self);
}

/* ---- editing ---- */

static gboolean
contains (PterisSegment *const *list, guint n, PterisSegment *segment)
{
  for (guint i = 0; i < n; i++)
    if (pteris_segment_get_id (list[i]) == pteris_segment_get_id (segment))
      return TRUE;
  return FALSE;
}

/* Returns the inverse step. */
static Step *
exchange (PterisTranscript *self, guint position, guint n_removed, PterisSegment *const *added,
          guint n)
{
  Step *step = g_new0 (Step, 1);

  step->position = position;
  step->n_added = n;
  step->removed = g_ptr_array_new_full (n_removed, g_object_unref);
  for (guint i = 0; i < n_removed; i++) {
    PterisSegment *old = g_list_model_get_item (G_LIST_MODEL (self->segments), position + i);

    g_ptr_array_add (step->removed, old);
    if (!contains (added, n, old))
      pteris_transcript_store_drop (old);
  }
  for (guint i = 0; i < n; i++)
    pteris_transcript_store_segment (self, added[i], FALSE);
  g_list_store_splice (self->segments, position, n_removed, (gpointer *) added, n);
  return step;
}

void
pteris_transcript_splice (PterisTranscript *self, guint position, guint n_removed,
                          PterisSegment *const *added, guint n)
{
  guint all = g_list_model_get_n_items (G_LIST_MODEL (self->segments));

  g_return_if_fail (position <= all && n_removed <= all - position);

  if (n_removed == 0 && n == 0)
    return;
  g_queue_push_head (&self->undo, exchange (self, position, n_removed, added, n));
  if (self->undo.length > MAX_UNDO)
    step_free (g_queue_pop_tail (&self->undo));
  g_queue_clear_full (&self->redo, step_free);
  changed (self);
}

static void
step_back (PterisTranscript *self, GQueue *from, GQueue *to)
{
  Step *step = g_queue_pop_head (from);

  if (step == NULL)
    return;
  g_queue_push_head (to,
                     exchange (self, step->position, step->n_added,
                               (PterisSegment *const *) step->removed->pdata, step->removed->len));
  step_free (step);
  changed (self);
}

void
pteris_transcript_undo (PterisTranscript *self)
{
  step_back (self, &self->undo, &self->redo);
}

void
pteris_transcript_redo (PterisTranscript *self)
{
  step_back (self, &self->redo, &self->undo);
}

gboolean
pteris_transcript_can_undo (PterisTranscript *self)
{
  return self->undo.length > 0;
}

gboolean
pteris_transcript_can_redo (PterisTranscript *self)
{
  return self->redo.length > 0;
}

/* ---- restoring ---- */

void
pteris_transcript_get_record (PterisTranscript *self, PterisTranscriptRecord *record)
{
  *record = (PterisTranscriptRecord){
    .id = self->id,
    .path = self->path,
    .title = self->is_named ? self->title : NULL,
    .language = self->language,
    .reason = self->reason,
    .error = self->error,
    .model = self->model,
    .translate = self->translate,
    .state = self->state,
    .code = self->code,
    .stats = self->stats,
    .rank = self->rank,
    .until = self->until,
    .redo = self->is_redo,
  };
}

PterisTranscript *
pteris_transcript_restore (const PterisTranscriptRecord *record)
{
  PterisTranscript *self =
      pteris_transcript_new (record->path, record->language, record->translate);
  gboolean ended = record->state == PTERIS_TRANSCRIPT_DONE ||
                   record->state == PTERIS_TRANSCRIPT_STOPPED ||
                   (record->state == PTERIS_TRANSCRIPT_FAILED && record->error != NULL);

  self->id = record->id;
  self->state = ended ? record->state : PTERIS_TRANSCRIPT_PAUSED;
  self->reason = ended ? record->reason : PT_REASON_INTERRUPTED;
  self->code = record->code;
  replace (&self->error, record->error);
  replace (&self->model, record->model);
  self->stats = record->stats;
  self->rank = record->rank;
  self->until = MAX (record->until, 0);
  self->is_redo = record->redo;
  self->is_loaded = FALSE;
  if (record->title != NULL) {
    replace (&self->title, record->title);
    self->is_named = TRUE;
  }
  return self;
}

static void
load_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const gint64 *id = task_data;

  g_task_return_pointer (task, pteris_transcript_store_read (*id),
                         (GDestroyNotify) pteris_transcript_contents_free);
}

/* Inserts the loaded segments before the new ones. */
static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisTranscript *self = PTERIS_TRANSCRIPT (source);
  PterisTranscriptContents *contents = g_task_propagate_pointer (G_TASK (result), NULL);

  self->is_loading = FALSE;
  self->is_loaded = TRUE;
  if (contents != NULL) {
    g_list_store_splice (self->segments, 0, 0, contents->segments->pdata, contents->segments->len);
    g_list_store_splice (self->draft, 0, 0, contents->draft->pdata, contents->draft->len);
    self->until = MAX (self->until, self->is_redo ? contents->draft_end : contents->end);
    pteris_transcript_contents_free (contents);
  }
  changed (self);
}

void
pteris_transcript_load (PterisTranscript *self)
{
  g_autoptr (GTask) task = NULL;

  if (self->is_loaded || self->is_loading)
    return;
  self->is_loading = TRUE;
  task = g_task_new (self, NULL, on_loaded, NULL);
  g_task_set_source_tag (task, pteris_transcript_load);
  g_task_set_task_data (task, g_memdup2 (&self->id, sizeof self->id), g_free);
  g_task_run_in_thread (task, load_in_thread);
}

gboolean
pteris_transcript_is_loaded (PterisTranscript *self)
{
  return self->is_loaded;
}

/* ---- properties ---- */

gint64
pteris_transcript_get_id (PterisTranscript *self)
{
  return self->id;
}

const PtStats *
pteris_transcript_get_stats (PterisTranscript *self)
{
  return &self->stats;
}

PtReason
pteris_transcript_get_reason (PterisTranscript *self)
{
  return self->reason;
}

const char *
pteris_transcript_get_path (PterisTranscript *self)
{
  return self->path;
}

const char *
pteris_transcript_get_title (PterisTranscript *self)
{
  return self->title;
}

void
pteris_transcript_set_title (PterisTranscript *self, const char *title)
{
  g_autofree char *stripped = g_strstrip (g_utf8_make_valid (title, -1));

  if (stripped[0] == '\0')
    return;
  replace (&self->title, stripped);
  self->is_named = TRUE;
  pteris_transcript_store_save (self);
  changed (self);
}

const char *
pteris_transcript_get_language (PterisTranscript *self)
{
  return self->language;
}

gboolean
pteris_transcript_get_translate (PterisTranscript *self)
{
  return self->translate;
}

const char *
pteris_transcript_get_model (PterisTranscript *self)
{
  return self->model;
}

gint64
pteris_transcript_get_rank (PterisTranscript *self)
{
  return self->rank;
}

void
pteris_transcript_set_rank (PterisTranscript *self, gint64 rank)
{
  if (self->rank == rank)
    return;
  self->rank = rank;
  pteris_transcript_store_save (self);
}

goffset
pteris_transcript_get_size (PterisTranscript *self)
{
  return self->size;
}

void
pteris_transcript_set_size (PterisTranscript *self, goffset size)
{
  self->size = size;
}

PterisTranscriptState
pteris_transcript_get_state (PterisTranscript *self)
{
  return self->state;
}

gboolean
pteris_transcript_is_live (PterisTranscript *self)
{
  return self->is_live;
}

void
pteris_transcript_set_live (PterisTranscript *self, gboolean live)
{
  self->is_live = live;
  changed (self);
}

gboolean
pteris_transcript_is_open (PterisTranscript *self)
{
  return self->state == PTERIS_TRANSCRIPT_QUEUED || self->state == PTERIS_TRANSCRIPT_RUNNING ||
         self->state == PTERIS_TRANSCRIPT_PAUSED;
}

gboolean
pteris_transcript_is_redo (PterisTranscript *self)
{
  return self->is_redo;
}

GListModel *
pteris_transcript_get_segments (PterisTranscript *self)
{
  return G_LIST_MODEL (self->segments);
}

double
pteris_transcript_get_until (PterisTranscript *self)
{
  return self->until;
}

const char *
pteris_transcript_get_report (PterisTranscript *self, const char **alternative)
{
  *alternative = self->alternative;
  return self->report;
}

const char *
pteris_transcript_get_error (PterisTranscript *self, PtError *code)
{
  if (code != NULL)
    *code = self->code;
  return self->error;
}

double
pteris_transcript_get_fraction (PterisTranscript *self)
{
  if (self->state == PTERIS_TRANSCRIPT_DONE)
    return 1;
  if (self->stats.audio_total_s <= 0)
    return 0;
  return CLAMP (self->until / self->stats.audio_total_s, 0, 1);
}

double
pteris_transcript_get_left (PterisTranscript *self)
{
  double total = self->stats.audio_total_s, done = self->stats.audio_s - self->run_start;

  if (self->state != PTERIS_TRANSCRIPT_RUNNING || total <= 0 || done <= 0 ||
      (done < ETA_AUDIO_S && done < ETA_FRACTION * (total - self->run_start)))
    return -1;
  return MAX (self->stats.elapsed_s * (total - self->stats.audio_s) / done, 0);
}

/* ---- description in one line ---- */

static char *
describe_progress (PterisTranscript *self)
{
  double fraction = pteris_transcript_get_fraction (self);
  double seconds = pteris_transcript_get_left (self);
  g_autofree char *left = NULL;

  if (self->stats.audio_total_s <= 0 || (self->stats.audio_s <= 0 && self->until <= 0))
    return g_strdup_printf ("%s…", self->status != NULL ? self->status : _ ("Starting"));
  if (seconds < 0)
    return g_strdup_printf ("%.0f %%", fraction * 100);
  left = pteris_format_duration (MAX (seconds, 1));
  /* TRANSLATORS: progress, and the time that it will still take: "42 % · 30 s left". */
  return g_strdup_printf (_ ("%.0f %% · %s left"), fraction * 100, left);
}

static char *
describe_result (PterisTranscript *self)
{
  const char *language = pteris_languages_get_name (self->stats.language);
  g_autofree char *audio = pteris_format_duration (self->stats.audio_s);
  g_autofree char *time = pteris_format_duration (self->stats.elapsed_s);
  gboolean silent = self->reason == PT_REASON_NO_SPEECH;
  GString *out = g_string_new (silent ? _ ("No speech found") : language);

  if (!silent && self->translate) {
    /* TRANSLATORS: the language of a recording that was translated: "German to English". */
    g_autofree char *both = g_strdup_printf (_ ("%s to English"), out->str);

    g_string_assign (out, out->len > 0 ? both : _ ("Translated to English"));
  }
  if (self->stats.audio_s > 0 && self->stats.elapsed_s > 0) {
    if (out->len > 0)
      g_string_append (out, " · ");
    /* TRANSLATORS: the length of a recording, and the time that transcribing it took. */
    g_string_append_printf (out, _ ("%s of audio in %s"), audio, time);
  }
  if (out->len == 0)
    g_string_append (out, _ ("Done"));
  return g_string_free (out, FALSE);
}

static char *
describe_pause (PterisTranscript *self)
{
  double fraction = pteris_transcript_get_fraction (self);

  if (fraction <= 0)
    return g_strdup (_ ("Paused"));
  return g_strdup_printf (_ ("Paused · %.0f %%"), fraction * 100);
}

char *
pteris_transcript_describe (PterisTranscript *self)
{
  switch (self->state) {
  case PTERIS_TRANSCRIPT_QUEUED: return g_strdup (_ ("Waiting"));
  case PTERIS_TRANSCRIPT_RUNNING: return describe_progress (self);
  case PTERIS_TRANSCRIPT_DONE: return describe_result (self);
  case PTERIS_TRANSCRIPT_FAILED: return g_strdup (_ ("Failed"));
  case PTERIS_TRANSCRIPT_PAUSED: return describe_pause (self);
  case PTERIS_TRANSCRIPT_STOPPED: break;
  }
  return g_strdup (_ ("Stopped"));
}

void
pteris_transcript_set_deleted (PterisTranscript *self, gboolean deleted)
{
  pteris_transcript_store_set_deleted (self, deleted);
}

/* ---- the object ---- */

static void
pteris_transcript_finalize (GObject *object)
{
  PterisTranscript *self = PTERIS_TRANSCRIPT (object);

  forget_steps (self);
  g_free (self->path);
  g_free (self->title);
  g_free (self->language);
  g_free (self->model);
  g_clear_object (&self->segments);
  g_clear_object (&self->draft);
  g_free (self->status);
  g_free (self->error);
  g_free (self->report);
  g_free (self->alternative);
  G_OBJECT_CLASS (pteris_transcript_parent_class)->finalize (object);
}

static void
pteris_transcript_class_init (PterisTranscriptClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_finalize;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_TRANSCRIPT, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_transcript_init (PterisTranscript *self)
{
  self->segments = g_list_store_new (PTERIS_TYPE_SEGMENT);
  self->draft = g_list_store_new (PTERIS_TYPE_SEGMENT);
  self->is_loaded = TRUE;
}

PterisTranscript *
pteris_transcript_new (const char *path, const char *language, gboolean translate)
{
  PterisTranscript *self = g_object_new (PTERIS_TYPE_TRANSCRIPT, NULL);

  self->path = g_strdup (path);
  self->title = g_filename_display_basename (path);
  self->language = g_strdup (language);
  self->translate = translate;
  self->id = self->rank = pteris_store_new_id ();
  return self;
}
