/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/tasks/speech/transcription.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/** The parts of a model that a recogniser uses; all must outlive the recogniser. */
typedef struct {
  PtModule *module;
  const PtTokenizer *tokenizer;
  PtModule *preprocessor; /* program that makes the mel spectrogram, or NULL */
  PtModule *encoder;      /* of a model in two programs, where @module is the decoder; or NULL */
} PtRecognizerParts;

/**
 * PtRecognizer: a family of speech models behind PtTranscriber. It reads samples from a PtSpeech
 * and returns timed segments to it. Decoding, voice activity detection and diarization happen
 * outside of it. One thread.
 */
typedef struct {
  gpointer (*open) (const PtRecognizerParts *parts, GError **error);
  /** The sample rate of its input. */
  guint (*rate) (gconstpointer self);
  /** Whether it returns text during the recording; NULL: no. */
  gboolean (*streams) (gconstpointer self);
  /**
   * Transcribe @speech from its first sample to its last. All state is reset, so that the same
   * recording always gives the same text.
   */
  gboolean (*run) (gpointer self, PtSpeech *speech, GError **error);
  void (*free) (gpointer self);
} PtRecognizer;

/** Whisper and models with the same methods (docs/formats/protocols.md, section 5). */
extern const PtRecognizer pt_whisper_recognizer;
/** Whisper and Moonshine whose decoders choose ids (docs/formats/protocols.md, section 5.10). */
extern const PtRecognizer pt_chooser_recognizer;
/** Voxtral Realtime (docs/formats/protocols.md, section 6). */
extern const PtRecognizer pt_realtime_recognizer;
/** Parakeet TDT and plain RNN-T (docs/formats/protocols.md, section 7). */
extern const PtRecognizer pt_transducer_recognizer;
/** Voxtral, which is also a chat model (docs/formats/protocols.md, section 8). */
extern const PtRecognizer pt_voxtral_recognizer;

G_END_DECLS
