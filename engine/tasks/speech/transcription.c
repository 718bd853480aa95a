/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/transcription.h"

#include <string.h>

#include "engine/tasks/speech/silence-gate.h"

struct _PtSpeech {
  const PtTranscribeOptions *options;
  PtSpeechParts parts;
  GCancellable *cancellable;
  PtTranscribeResult *result;
  PtAudioReader *reader;
  PtSilenceGate *gate; /* NULL: all is read */
  guint rate;
  guint64 origin;  /* samples of the recording before the first sample that is read */
  guint64 n_given; /* samples that a recogniser has read */
  double last_end; /* end of the last segment in seconds */
  gint64 began;    /* microseconds */
  GError *failure; /* of the diarizer */
};

static const PtTranscribeOptions NO_OPTIONS;

static gboolean
open_reader (PtSpeech *self, const char *path, GError **error)
{
  const PtTranscribeOptions *options = self->options;
  double start = MAX (options->start, 0);

  if (options->follow)
    self->reader = pt_audio_reader_follow (path, start, self->rate, options->raw, options->finish,
                                           self->cancellable, error);
  else
    self->reader = pt_audio_reader_open_at (path, start, self->rate, self->cancellable, error);
  self->last_end = start;
  self->origin = (guint64) (start * self->rate);
  return self->reader != NULL;
}

/* A recording in progress can be read only once, so it has no diarization. */
static gboolean
open_companions (PtSpeech *self, const char *path, GError **error)
{
  PtSpeechParts *parts = &self->parts;

  if (self->options->follow || self->options->no_speakers)
    parts->diarizer = NULL;
  if (parts->diarizer != NULL &&
      !pt_diarizer_open (parts->diarizer, path, self->last_end, self->cancellable, error))
    return FALSE;
  if (parts->vad == NULL || self->options->all_sound || pt_vad_rate (parts->vad) != self->rate)
    return TRUE;
  self->gate = pt_silence_gate_new (self->reader, parts->vad, self->options->follow, error);
  return self->gate != NULL;
}

PtSpeech *
pt_speech_open (const char *path, guint rate, const PtTranscribeOptions *options,
                const PtSpeechParts *parts, GCancellable *cancellable, PtTranscribeResult *result,
                GError **error)
{
  g_autoptr (PtSpeech) self = g_new0 (PtSpeech, 1);

  memset (result, 0, sizeof *result);
  self->began = g_get_monotonic_time ();
  self->options = options != NULL ? options : &NO_OPTIONS;
  self->parts = *parts;
  self->cancellable = cancellable;
  self->result = result;
  self->rate = rate;
  if (!open_reader (self, path, error) || !open_companions (self, path, error))
    return NULL;
  result->stats.audio_total_s = MAX (pt_audio_reader_duration (self->reader), 0);
  return g_steal_pointer (&self);
}

void
pt_speech_free (PtSpeech *self)
{
  if (self == NULL)
    return;
  if (self->parts.diarizer != NULL)
    pt_diarizer_close (self->parts.diarizer);
  g_clear_pointer (&self->gate, pt_silence_gate_free);
  g_clear_pointer (&self->reader, pt_audio_reader_free);
  g_clear_error (&self->failure);
  g_free (self);
}

const PtTranscribeOptions *
pt_speech_options (const PtSpeech *self)
{
  return self->options;
}

GCancellable *
pt_speech_cancellable (const PtSpeech *self)
{
  return self->cancellable;
}

PtTranscribeResult *
pt_speech_result (const PtSpeech *self)
{
  return self->result;
}

const GError *
pt_speech_failure (const PtSpeech *self)
{
  return self->failure;
}

gssize
pt_speech_read (PtSpeech *self, float *samples, gsize n, GError **error)
{
  gssize got = self->gate != NULL
                   ? pt_silence_gate_read (self->gate, samples, n, self->cancellable, error)
                   : pt_audio_reader_read (self->reader, samples, n, self->cancellable, error);

  if (got > 0)
    self->n_given += (guint64) got;
  return got;
}

static double
time_of (const PtSpeech *self, guint64 position, gboolean is_end)
{
  if (self->gate != NULL)
    position = pt_silence_gate_origin (self->gate, position, is_end);
  return (double) (self->origin + position) / self->rate;
}

double
pt_speech_time (const PtSpeech *self, guint64 position)
{
  return time_of (self, position, FALSE);
}

double
pt_speech_end_time (const PtSpeech *self, guint64 position)
{
  return time_of (self, MIN (position, self->n_given), TRUE);
}

void
pt_speech_emit (PtSpeech *self, PtSegment *segment)
{
  segment->start = MAX (segment->start, self->last_end);
  segment->end = MAX (segment->end, segment->start);
  self->last_end = segment->end;
  self->result->n_segments++;
  if (self->parts.diarizer != NULL && self->failure == NULL)
    pt_diarizer_find (self->parts.diarizer, segment->start, segment->end, &segment->speaker,
                      self->cancellable, &self->failure);
  self->parts.segment (segment, self->parts.user_data);
}

void
pt_speech_text (PtSpeech *self, const char *text)
{
  if (self->options->text != NULL)
    self->options->text (text, self->parts.user_data);
}

void
pt_speech_token (PtSpeech *self, gint32 id)
{
  if (self->options->token != NULL)
    self->options->token (id, self->parts.user_data);
}

static void
tell (PtSpeech *self, double seconds)
{
  PtStats *stats = &self->result->stats;

  stats->audio_s = seconds;
  stats->elapsed_s = (double) (g_get_monotonic_time () - self->began) / G_USEC_PER_SEC;
  if (self->parts.progress != NULL)
    self->parts.progress (stats, self->parts.user_data);
}

void
pt_speech_advance (PtSpeech *self, guint64 position)
{
  tell (self, time_of (self, position, TRUE));
}

void
pt_speech_finish (PtSpeech *self)
{
  guint64 n = self->gate != NULL ? pt_silence_gate_n_read (self->gate) : self->n_given;

  tell (self, (double) (self->origin + n) / self->rate);
}

void
pt_speech_set_language (PtSpeech *self, const char *code, double probability)
{
  g_strlcpy (self->result->stats.language, code != NULL ? code : "",
             sizeof self->result->stats.language);
  self->result->language_probability = probability;
}
