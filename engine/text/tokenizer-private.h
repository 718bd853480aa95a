/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/added-tokens.h"
#include "engine/text/hf-lists.h"
#include "engine/text/merger.h"
#include "engine/text/piece-cache.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/* Declarations that all kinds of tokenizers share. Sections are those of
 * docs/formats/tokenizers.md. */

/** How to strip the spaces that the tokenizer has put in front of a text. */
typedef enum {
  PT_STRIP_NONE,
  PT_STRIP_ONE,  /* one space */
  PT_STRIP_EACH, /* one space of each token until some text remains */
} PtStrip;

/** Working memory of an encoding, kept for the next one. */
typedef struct {
  PtMerger *merger;
  PtPieceCache *cache;
  GString *name; /* of a token */
} PtScratch;

/*
 * The base of all kinds of tokenizers, which embed this struct first: a vocabulary, the ids around
 * a text, and the function that encodes.
 */
struct _PtTokenizer {
  PtVocabulary *vocabulary;
  GArray *prefix, *suffix; /* gint32: what PT_ENCODE_ADD adds */
  gint32 bos, eos;         /* or -1: unknown */
  PtTextLength text_length;
  PtStrip strip;
  gboolean takes_bytes;  /* encode() accepts text that is not UTF-8 */
  gboolean counts_bytes; /* each byte of an incomplete character becomes one U+FFFD */
  gboolean spaces_words; /* a space at the end of a token only counts before another token */
  gboolean collapses;    /* repeated tokens are merged (CTC) */

  gboolean (*encode) (const PtTokenizer *self, const char *text, gsize length, PtScratch *scratch,
                      const PtTrust *trust, GArray *ids, GError **error);
  PtScratch *spare; /* taken and returned by exchanging the pointer atomically */
  void (*free) (PtTokenizer *self);
};

void pt_tokenizer_init_base (PtTokenizer *self);
void pt_tokenizer_clear_base (PtTokenizer *self);
/** Set the BOS and EOS tokens, -1: none; PT_ENCODE_ADD then adds @bos. */
void pt_tokenizer_set_ends (PtTokenizer *self, gint32 bos, gint32 eos);

/** Length of the valid UTF-8 at the start of @text; a zero byte is a valid character. */
gsize pt_utf8_length (const char *text, gsize length);

/*
 * The kinds. Each is made from what its file holds; errors do not name the file.
 */

/** Largest file; the largest known one has 34 MB. */
#define PT_MAX_TOKENIZER_FILE (48 * 1024 * 1024)

/** Open a tokenizer.json (section 3). @lists: the lists that were removed from @json, or NULL. */
PtTokenizer *pt_hf_tokenizer_new (const json_t *json, const PtHfLists *lists, GError **error);
/** Opens tiktoken's lines of base64 and rank (section 5). */
PtTokenizer *pt_tiktoken_new (const char *data, gsize size, GError **error);
gboolean pt_tiktoken_sniff (const char *data, gsize size);
/** Opens a tekken.json (section 6). */
PtTokenizer *pt_tekken_new (const json_t *json, GError **error);
gboolean pt_tekken_sniff (const json_t *json);
/** Opens SentencePiece's .model (section 7). */
PtTokenizer *pt_sentencepiece_new (const char *data, gsize size, GError **error);
gboolean pt_sentencepiece_sniff (const char *data, gsize size);
/** Opens llama2.c's tokenizer.bin (section 8). */
PtTokenizer *pt_llama2c_new (const char *data, gsize size, GError **error);
gboolean pt_llama2c_sniff (const char *data, gsize size);

G_END_DECLS
