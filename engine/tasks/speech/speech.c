/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/speech.h"

#include <string.h>

struct _PtSpeech {
  const PtTranscribeOptions *options;
  PtSpeechListener listener;
  GCancellable *cancellable;
  PtTranscribeResult *result;
  PtAudioReader *reader;
  guint rate;
  guint64 origin;  /* samples of the recording before the first one that is read */
  double last_end; /* of the last segment, in seconds */
  gint64 began;    /* microseconds */
};

static const PtTranscribeOptions NO_OPTIONS;

PtSpeech *
pt_speech_open (const char *path, guint rate, const PtTranscribeOptions *options,
                const PtSpeechListener *listener, GCancellable *cancellable,
                PtTranscribeResult *result, GError **error)
{
  g_autoptr (PtSpeech) self = g_new0 (PtSpeech, 1);

  memset (result, 0, sizeof *result);
  self->began = g_get_monotonic_time ();
  self->options = options != NULL ? options : &NO_OPTIONS;
  self->listener = *listener;
  self->cancellable = cancellable;
  self->result = result;
  self->rate = rate;
  self->last_end = MAX (self->options->start, 0);
  self->reader = pt_audio_reader_open_at (path, self->last_end, rate, cancellable, error);
  if (self->reader == NULL)
    return NULL;
  self->origin = (guint64) (self->last_end * rate);
  result->stats.audio_total_s = MAX (pt_audio_reader_duration (self->reader), 0);
  return g_steal_pointer (&self);
}

void
pt_speech_free (PtSpeech *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->reader, pt_audio_reader_free);
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

gssize
pt_speech_read (PtSpeech *self, float *samples, gsize n, GError **error)
{
  return pt_audio_reader_read (self->reader, samples, n, self->cancellable, error);
}

double
pt_speech_time (const PtSpeech *self, guint64 position)
{
  return (double) (self->origin + position) / self->rate;
}

void
pt_speech_emit (PtSpeech *self, PtSegment *segment)
{
  segment->start = MAX (segment->start, self->last_end);
  segment->end = MAX (segment->end, segment->start);
  self->last_end = segment->end;
  self->result->n_segments++;
  self->listener.segment (segment, self->listener.user_data);
}

void
pt_speech_advance (PtSpeech *self, guint64 position)
{
  PtStats *stats = &self->result->stats;

  stats->audio_s = pt_speech_time (self, position);
  stats->elapsed_s = (double) (g_get_monotonic_time () - self->began) / G_USEC_PER_SEC;
  if (self->listener.progress != NULL)
    self->listener.progress (stats, self->listener.user_data);
}

void
pt_speech_set_language (PtSpeech *self, const char *code, double probability)
{
  g_strlcpy (self->result->stats.language, code != NULL ? code : "",
             sizeof self->result->stats.language);
  self->result->language_probability = probability;
}
