/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/tasks/speech/transcription.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/** What a recogniser is made of; all of it outlives the recogniser. */
typedef struct {
  PtModule *module;
  const PtTokenizer *tokenizer;
  PtModule *preprocessor; /* a program for the spectrogram, or NULL */
} PtRecognizerParts;

/**
 * PtRecognizer: a family of speech models behind PtTranscriber. It reads samples from a PtSpeech
 * and gives it timed segments; everything else, the file, the silence, the speakers, is none of
 * its business. One thread.
 */
typedef struct {
  gpointer (*open) (const PtRecognizerParts *parts, GError **error);
  /** Samples per second that it wants. */
  guint (*rate) (gconstpointer self);
  /** Whether it writes text while it hears; NULL: it does not. */
  gboolean (*streams) (gconstpointer self);
  /**
   * Write down @speech from its first sample to its last. What was said before is forgotten: the
   * same sound gives the same text every time.
   */
  gboolean (*run) (gpointer self, PtSpeech *speech, GError **error);
  void (*free) (gpointer self);
} PtRecognizer;

/** Whisper and models that are built like it (docs/formats/protocols.md, section 5). */
extern const PtRecognizer pt_whisper_recognizer;
/** Voxtral Realtime (docs/formats/protocols.md, section 6). */
extern const PtRecognizer pt_realtime_recognizer;
/** Parakeet TDT and plain RNN-T (docs/formats/protocols.md, section 7). */
extern const PtRecognizer pt_transducer_recognizer;
/** Voxtral, which chats as well (docs/formats/protocols.md, section 8). */
extern const PtRecognizer pt_voxtral_recognizer;

G_END_DECLS
