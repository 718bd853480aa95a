/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/transcribe.h"

#include "engine/tasks/speech/recognizer.h"

struct _PtTranscriber {
  const PtRecognizer *kind;
  gpointer recognizer;
};

PtTranscriber *
pt_transcriber_new (PtModule *module, const PtTokenizer *tokenizer, PtModule *preprocessor,
                    GError **error)
{
  g_autoptr (PtTranscriber) self = g_new0 (PtTranscriber, 1);
  PtRecognizerParts parts = { module, tokenizer, preprocessor };

  self->kind = &pt_whisper_recognizer;
  self->recognizer = self->kind->open (&parts, error);
  return self->recognizer != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_transcriber_free (PtTranscriber *self)
{
  if (self == NULL)
    return;
  if (self->recognizer != NULL)
    self->kind->free (self->recognizer);
  g_free (self);
}

gboolean
pt_transcriber_run (PtTranscriber *self, const PtTranscribeOptions *options, const char *audio_path,
                    PtSegmentFunc segment, PtProgressFunc progress, gpointer user_data,
                    GCancellable *cancellable, PtTranscribeResult *result, GError **error)
{
  PtSpeechListener listener = { segment, progress, user_data };
  g_autoptr (PtSpeech) speech =
      pt_speech_open (audio_path, self->kind->rate, options, &listener, cancellable, result, error);

  if (speech == NULL)
    return FALSE;
  pt_speech_advance (speech, 0);
  if (!self->kind->run (self->recognizer, speech, error))
    return FALSE;
  result->stats.audio_total_s = result->stats.audio_s;
  result->no_speech = result->n_segments == 0;
  return TRUE;
}
