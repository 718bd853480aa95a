/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-model.h"
#include "engine/tasks/speech/whisper-tokens.h"

G_BEGIN_DECLS

/**
 * PtWhisperDecoder: decodes an encoded window to ids, with temperature fallback when the text is
 * unlikely or repeats itself (docs/formats/protocols.md, sections 5.4 to 5.6). One thread.
 */
typedef struct _PtWhisperDecoder PtWhisperDecoder;

typedef struct {
  int language; /* of pt_whisper_language_code(); ignored by English models */
  gboolean translate;
  const gint32 *previous; /* ids of the previous text, as the prompt */
  guint n_previous;
  gboolean is_steady; /* the loudness is steady: noise, unless the model is sure of speech */
} PtWhisperPrompt;

/** The result of a window. */
typedef struct {
  const gint32 *ids; /* text and timestamps; owned by the decoder, until its next call */
  guint n;
  const float *chances;   /* temperature of the attempt that was used */
  double temperature;     /* that it took */
  double no_speech;       /* probability that nobody speaks */
  double log_probability; /* mean, of an id */
  double compression;     /* compression ratio of the text: above 2.4 it repeats itself */
  gboolean silent;        /* no speech: there are no ids */
  gboolean forgot;        /* decoded without the previous text, which had misled the model */
  gboolean is_cut;        /* the positions were used up before the end of the text */
  guint n_steps;          /* decoded ids, including failed attempts */
} PtWhisperOutcome;

/** All arguments must outlive the decoder. */
PtWhisperDecoder *pt_whisper_decoder_new (PtWhisperModel *model, const PtWhisperTokens *tokens,
                                          const PtTokenizer *tokenizer, GError **error);
void pt_whisper_decoder_free (PtWhisperDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperDecoder, pt_whisper_decoder_free)

/** The most ids of the previous text that a prompt has: the others leave no room for an answer. */
guint pt_whisper_decoder_n_previous (const PtWhisperDecoder *decoder);

/** Reset the random generator, so that the same recording gives the same text. */
void pt_whisper_decoder_reset (PtWhisperDecoder *decoder);

/** Detect the language of the encoded window, and its probability. */
gboolean pt_whisper_decoder_detect (PtWhisperDecoder *decoder, int *language, double *probability,
                                    GCancellable *cancellable, GError **error);

/** Decode the encoded window. */
gboolean pt_whisper_decoder_run (PtWhisperDecoder *decoder, const PtWhisperPrompt *prompt,
                                 PtWhisperOutcome *outcome, GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
