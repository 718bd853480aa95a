/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/transcribe-job.h"

#include "engine/tasks/models/family.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/whisper-layout.h"

struct _PtTranscriber {
  const PtRecognizer *kind;
  gpointer recognizer;
  PtVad *vad;
  PtDiarizer *diarizer;
};

/* Any other model may be of Whisper's kind, whose recogniser reports best what is missing. */
static const PtRecognizer *
recognizer_of (PtModule *module)
{
  switch (pt_family_of (pt_module_program (module), NULL)) {
  case PT_FAMILY_AUDIO_CHAT: return &pt_voxtral_recognizer;
  case PT_FAMILY_VOXTRAL_REALTIME: return &pt_realtime_recognizer;
  case PT_FAMILY_TRANSDUCER: return &pt_transducer_recognizer;
  default: return &pt_whisper_recognizer;
  }
}

PtTranscriber *
pt_transcriber_new (PtModule *module, const PtTokenizer *tokenizer, PtModule *preprocessor,
                    GError **error)
{
  g_autoptr (PtTranscriber) self = g_new0 (PtTranscriber, 1);
  PtRecognizerParts parts = { module, tokenizer, preprocessor, NULL };

  self->kind = recognizer_of (module);
  self->recognizer = self->kind->open (&parts, error);
  return self->recognizer != NULL ? g_steal_pointer (&self) : NULL;
}

PtTranscriber *
pt_transcriber_new_of_two (PtModule *encoder, PtModule *decoder, const PtTokenizer *tokenizer,
                           GError **error)
{
  g_autoptr (PtTranscriber) self = g_new0 (PtTranscriber, 1);
  PtRecognizerParts parts = { decoder, tokenizer, NULL, encoder };

  self->kind = pt_whisper_layout_chooses_ids (pt_module_program (decoder)) ? &pt_chooser_recognizer
                                                                           : &pt_whisper_recognizer;
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
  g_clear_pointer (&self->vad, pt_vad_free);
  g_clear_pointer (&self->diarizer, pt_diarizer_free);
  g_free (self);
}

gboolean
pt_transcriber_use_vad (PtTranscriber *self, PtModule *module, GError **error)
{
  g_clear_pointer (&self->vad, pt_vad_free);
  self->vad = pt_vad_new (module, error);
  return self->vad != NULL;
}

gboolean
pt_transcriber_use_diarizer (PtTranscriber *self, PtModule *module, GError **error)
{
  g_clear_pointer (&self->diarizer, pt_diarizer_free);
  self->diarizer = pt_diarizer_new (module, error);
  return self->diarizer != NULL;
}

gboolean
pt_transcriber_streams (const PtTranscriber *self)
{
  return self->kind->streams != NULL && self->kind->streams (self->recognizer);
}

gboolean
pt_transcriber_run (PtTranscriber *self, const PtTranscribeOptions *options, const char *audio_path,
                    PtSegmentFunc segment, PtProgressFunc progress, gpointer user_data,
                    GCancellable *cancellable, PtTranscribeResult *result, GError **error)
{
  PtSpeechParts parts = { segment, progress, user_data, self->vad, self->diarizer };
  g_autoptr (PtSpeech) speech = pt_speech_open (audio_path, self->kind->rate (self->recognizer),
                                                options, &parts, cancellable, result, error);

  if (speech == NULL)
    return FALSE;
  pt_speech_advance (speech, 0);
  if (!self->kind->run (self->recognizer, speech, error))
    return FALSE;
  if (pt_speech_failure (speech) != NULL) {
    g_propagate_error (error, g_error_copy (pt_speech_failure (speech)));
    return FALSE;
  }
  result->stats.audio_total_s = result->stats.audio_s;
  result->no_speech = result->n_segments == 0;
  return TRUE;
}
