/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

#define PT_WHISPER_N_LANGUAGES 100

/**
 * PtWhisperTokens: the ids of Whisper's special tokens (docs/formats/protocols.md, section 5.2),
 * found by name in the model's own tokenizer. Ids of text are below @eot; timestamps are the last
 * ids.
 */
typedef struct {
  gboolean multilingual;
  gint32 eot, sot, prev, no_speech, no_timestamps;
  gint32 translate, transcribe;
  gint32 languages[PT_WHISPER_N_LANGUAGES]; /* by pt_whisper_language_code(); -1: unknown */
  gint32 first_timestamp;
  guint n_timestamps;     /* 0: the model has none */
  guint max_initial;      /* the highest timestamp that may come first */
  guint n_ids;            /* the width of the logits; all ids here are below */
  GArray *suppress;       /* gint32: never sampled: tokens of non-speech */
  GArray *begin_suppress; /* gint32: not sampled first */
} PtWhisperTokens;

/**
 * @n_ids: the width of the model's logits.
 * @n_units: length of a window in units of a timestamp (0.02 s), e.g. 1500.
 * @config_path: the checkpoint's generation_config.json; need not exist. NULL: none.
 */
PtWhisperTokens *pt_whisper_tokens_new (const PtTokenizer *tokenizer, guint n_ids, guint n_units,
                                        const char *config_path, GError **error);
void pt_whisper_tokens_free (PtWhisperTokens *tokens);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperTokens, pt_whisper_tokens_free)

/** "en", "zh", ...: language @i of 0 .. PT_WHISPER_N_LANGUAGES - 1. */
const char *pt_whisper_language_code (guint i);

/** The language of @code that the model knows, or -1 with an error that lists them. */
int pt_whisper_tokens_find_language (const PtWhisperTokens *tokens, const char *code,
                                     GError **error);

G_END_DECLS
