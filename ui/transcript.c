/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript.h"

#include <string.h>

#include "ui/format.h"
#include "ui/languages.h"
#include "ui/segment.h"
#include "ui/store.h"
#include "ui/transcript-store.h"

/* An estimate before this much is done would jump about: two windows of Whisper, or a good part of
 * it all. */
#define ETA_AUDIO_S 60
#define ETA_FRACTION 0.1

struct _PterisTranscript {
  GObject parent_instance;

  gint64 id;
  char *path;
  char *name;
  char *language;
  gboolean translate;
  PterisTranscriptState state;
  GListStore *segments;
  PtStats stats;
  char *status; /* what is done before the first figures */
  char *reason; /* why it ended */
  char *error;
  PtError code;
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

/* ---- the work ---- */

void
pteris_transcript_set_choices (PterisTranscript *self, const char *language, gboolean translate)
{
  replace (&self->language, language);
  self->translate = translate;
}

void
pteris_transcript_reset (PterisTranscript *self)
{
  g_list_store_remove_all (self->segments);
  memset (&self->stats, 0, sizeof self->stats);
  g_clear_pointer (&self->status, g_free);
  g_clear_pointer (&self->reason, g_free);
  g_clear_pointer (&self->error, g_free);
  self->state = PTERIS_TRANSCRIPT_QUEUED;
  pteris_transcript_store_drop (self, NULL);
  pteris_transcript_store_save (self);
  changed (self);
}

void
pteris_transcript_start (PterisTranscript *self, const char *status)
{
  self->state = PTERIS_TRANSCRIPT_RUNNING;
  replace (&self->status, status);
  changed (self);
}

static void
finish (PterisTranscript *self, PterisTranscriptState state, const char *reason)
{
  self->state = state;
  replace (&self->reason, reason);
  pteris_transcript_store_save (self);
  changed (self);
}

void
pteris_transcript_fail (PterisTranscript *self, PtError code, const char *sentence)
{
  self->code = code;
  replace (&self->error, sentence);
  finish (self, PTERIS_TRANSCRIPT_FAILED, NULL);
}

void
pteris_transcript_stop (PterisTranscript *self)
{
  finish (self, PTERIS_TRANSCRIPT_STOPPED, "stopped");
}

static void
add_segment (PterisTranscript *self, const PtEvent *event)
{
  g_autoptr (PterisSegment) segment =
      pteris_segment_new (pteris_store_new_id (), event->start, event->end, event->text);

  if (pteris_segment_get_text (segment)[0] == '\0')
    return;
  pteris_transcript_store_segment (self, segment);
  g_list_store_append (self->segments, segment);
}

void
pteris_transcript_handle (PterisTranscript *self, const PtEvent *event)
{
  switch (event->kind) {
  case PT_EVENT_PROGRESS:
    replace (&self->status, event->text);
    changed (self);
    break;
  case PT_EVENT_SEGMENT: add_segment (self, event); break;
  case PT_EVENT_STATS:
    self->stats = event->stats;
    changed (self);
    break;
  case PT_EVENT_DONE: finish (self, PTERIS_TRANSCRIPT_DONE, event->text); break;
  case PT_EVENT_STOPPED: pteris_transcript_stop (self); break;
  case PT_EVENT_FAILED: pteris_transcript_fail (self, event->code, event->text); break;
  default: break;
  }
}

void
pteris_transcript_restore (PterisTranscript *self, gint64 id, PterisTranscriptState state,
                           const char *reason, PtError code, const char *error,
                           const PtStats *stats)
{
  gboolean ended = state == PTERIS_TRANSCRIPT_DONE || state == PTERIS_TRANSCRIPT_STOPPED ||
                   (state == PTERIS_TRANSCRIPT_FAILED && error != NULL);

  self->id = id;
  self->state = ended ? state : PTERIS_TRANSCRIPT_STOPPED;
  replace (&self->reason, ended ? reason : "interrupted");
  self->code = code;
  replace (&self->error, error);
  self->stats = *stats;
}

/* ---- what there is to know ---- */

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

const char *
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
pteris_transcript_get_name (PterisTranscript *self)
{
  return self->name;
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

PterisTranscriptState
pteris_transcript_get_state (PterisTranscript *self)
{
  return self->state;
}

GListModel *
pteris_transcript_get_segments (PterisTranscript *self)
{
  return G_LIST_MODEL (self->segments);
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
  return CLAMP (self->stats.audio_s / self->stats.audio_total_s, 0, 1);
}

static char *
describe_progress (PterisTranscript *self)
{
  double fraction = pteris_transcript_get_fraction (self);
  g_autofree char *left = NULL;

  if (self->stats.audio_total_s <= 0)
    return g_strdup_printf ("%s…", self->status != NULL ? self->status : "Starting");
  if (self->stats.audio_s < ETA_AUDIO_S && fraction < ETA_FRACTION)
    return g_strdup_printf ("%.0f %%", fraction * 100);
  left = pteris_format_duration (MAX (self->stats.elapsed_s * (1 / MAX (fraction, 0.001) - 1), 1));
  return g_strdup_printf ("%.0f %% · %s left", fraction * 100, left);
}

static char *
describe_result (PterisTranscript *self)
{
  const char *language = pteris_languages_get_name (self->stats.language);
  g_autofree char *audio = pteris_format_duration (self->stats.audio_s);
  g_autofree char *time = pteris_format_duration (self->stats.elapsed_s);
  gboolean silent = g_list_model_get_n_items (G_LIST_MODEL (self->segments)) == 0;
  GString *out = g_string_new (silent ? "No speech found" : language);

  if (!silent && self->translate)
    g_string_append (out, out->len > 0 ? " to English" : "Translated to English");
  if (self->stats.audio_s > 0 && self->stats.elapsed_s > 0)
    g_string_append_printf (out, "%s%s of audio in %s", out->len > 0 ? " · " : "", audio, time);
  if (out->len == 0)
    g_string_append (out, "Done");
  return g_string_free (out, FALSE);
}

char *
pteris_transcript_describe (PterisTranscript *self)
{
  switch (self->state) {
  case PTERIS_TRANSCRIPT_QUEUED: return g_strdup ("Waiting");
  case PTERIS_TRANSCRIPT_RUNNING: return describe_progress (self);
  case PTERIS_TRANSCRIPT_DONE: return describe_result (self);
  case PTERIS_TRANSCRIPT_FAILED: return g_strdup ("Failed");
  case PTERIS_TRANSCRIPT_STOPPED: break;
  }
  return g_strdup (g_strcmp0 (self->reason, "interrupted") == 0 ? "Interrupted" : "Stopped");
}

char *
pteris_transcript_format (PterisTranscript *self, PtSubtitleFormat format)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->segments));
  g_autofree PtSegment *plain = g_new0 (PtSegment, MAX (n, 1));

  for (guint i = 0; i < n; i++) {
    /* The list keeps the segment, and so its text. */
    g_autoptr (PterisSegment) segment = g_list_model_get_item (G_LIST_MODEL (self->segments), i);

    plain[i].start = pteris_segment_get_start (segment);
    plain[i].end = pteris_segment_get_end (segment);
    plain[i].text = pteris_segment_get_text (segment);
  }
  return pt_format_segments (plain, n, format);
}

void
pteris_transcript_forget (PterisTranscript *self)
{
  pteris_transcript_store_set_deleted (self, TRUE);
}

/* ---- export ---- */

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
pteris_transcript_export_async (PterisTranscript *self, GFile *file, PtSubtitleFormat format,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, NULL, callback, user_data);
  char *text = pteris_transcript_format (self, format);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  g_task_set_source_tag (task, pteris_transcript_export_async);
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                       on_written, task);
}

gboolean
pteris_transcript_export_finish (PterisTranscript *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* ---- the object ---- */

static void
pteris_transcript_finalize (GObject *object)
{
  PterisTranscript *self = PTERIS_TRANSCRIPT (object);

  g_free (self->path);
  g_free (self->name);
  g_free (self->language);
  g_clear_object (&self->segments);
  g_free (self->status);
  g_free (self->reason);
  g_free (self->error);
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
}

PterisTranscript *
pteris_transcript_new (const char *path, const char *language, gboolean translate)
{
  PterisTranscript *self = g_object_new (PTERIS_TYPE_TRANSCRIPT, NULL);

  self->path = g_strdup (path);
  self->name = g_filename_display_basename (path);
  self->language = g_strdup (language);
  self->translate = translate;
  self->id = pteris_store_new_id ();
  return self;
}
