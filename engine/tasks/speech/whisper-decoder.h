/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-model.h"
#include "engine/tasks/speech/whisper-tokens.h"

G_BEGIN_DECLS

/**
 * PtWhisperDecoder: turns an encoded window into the ids of its text, with further attempts at
 * rising temperatures when the text is unlikely or repeats itself (docs/formats/protocols.md,
 * sections 5.4 to 5.6). One thread.
 */
typedef struct _PtWhisperDecoder PtWhisperDecoder;

typedef struct {
  int language; /* of pt_whisper_language_code(); ignored by English models */
  gboolean translate;
  const gint32 *previous; /* ids of the text before, to continue from */
  guint n_previous;
  gboolean is_steady; /* nothing moves in the window: noise, unless the model is sure of speech */
} PtWhisperPrompt;

/** What a window said. */
typedef struct {
  const gint32 *ids; /* text and timestamps; owned by the decoder, until its next call */
  guint n;
  const float *chances;   /* log probability of each id */
  double temperature;     /* that it took */
  double no_speech;       /* probability that nobody speaks */
  double log_probability; /* mean, of an id */
  double compression;     /* of the text: above 2.4 it repeats itself */
  gboolean silent;        /* nobody speaks: there are no ids */
  gboolean forgot;        /* the text before led astray: these ids came without it */
  guint n_steps;          /* ids computed, those of retries too */
} PtWhisperOutcome;

/** All arguments must outlive the decoder. */
PtWhisperDecoder *pt_whisper_decoder_new (PtWhisperModel *model, const PtWhisperTokens *tokens,
                                          const PtTokenizer *tokenizer, GError **error);
void pt_whisper_decoder_free (PtWhisperDecoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperDecoder, pt_whisper_decoder_free)

/** Start over with the same random numbers: the same recording gives the same text. */
void pt_whisper_decoder_reset (PtWhisperDecoder *decoder);

/** The language of the window that the model has encoded, and its probability. */
gboolean pt_whisper_decoder_detect (PtWhisperDecoder *decoder, int *language, double *probability,
                                    GCancellable *cancellable, GError **error);

/** The text of the window that the model has encoded. */
gboolean pt_whisper_decoder_run (PtWhisperDecoder *decoder, const PtWhisperPrompt *prompt,
                                 PtWhisperOutcome *outcome, GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
