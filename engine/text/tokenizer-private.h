/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/added-tokens.h"
#include "engine/text/hf-lists.h"
#include "engine/text/merger.h"
#include "engine/text/piece-cache.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/* What the kinds of tokenizers share. Sections are those of docs/formats/tokenizers.md. */

/** Spaces at the very start of a text that the tokenizer has put there itself. */
typedef enum {
  PT_STRIP_NONE,
  PT_STRIP_ONE,  /* one space */
  PT_STRIP_EACH, /* one space of each token until something is left */
} PtStrip;

/** Working memory of an encoding, which the next one may use again. */
typedef struct {
  PtMerger *merger;
  PtPieceCache *cache;
  GString *name; /* of a token */
} PtScratch;

/*
 * What every kind of tokenizer has: a vocabulary, the ids around a text, and how text
 * becomes ids. Kinds embed this struct first.
 */
struct _PtTokenizer {
  PtVocabulary *vocabulary;
  GArray *prefix, *suffix; /* gint32: what PT_ENCODE_ADD adds */
  gint32 bos, eos;         /* or -1: the file does not say */
  PtStrip strip;
  gboolean takes_bytes;  /* encode() also takes text that is not UTF-8 */
  gboolean counts_bytes; /* a character cut short is one U+FFFD a byte */
  gboolean spaces_words; /* a space that ends a token counts only when another one follows */
  gboolean collapses;    /* a token that comes again at once is the same one (CTC) */

  gboolean (*encode) (const PtTokenizer *self, const char *text, gsize length, PtScratch *scratch,
                      const PtTrust *trust, GArray *ids, GError **error);
  PtScratch *spare; /* taken and put back by exchanging the pointer */
  void (*free) (PtTokenizer *self);
};

void pt_tokenizer_init_base (PtTokenizer *self);
void pt_tokenizer_clear_base (PtTokenizer *self);
/** Say which tokens begin and end a text, -1: none; @bos is then what PT_ENCODE_ADD adds. */
void pt_tokenizer_set_ends (PtTokenizer *self, gint32 bos, gint32 eos);

/** How many bytes at the beginning of @text are UTF-8; a zero is a character like any other. */
gsize pt_utf8_length (const char *text, gsize length);

/*
 * The kinds. Each is made from what its file holds; errors do not name the file.
 */

/** No tokenizer of any kind is larger. The largest known has 34 MB. */
#define PT_MAX_TOKENIZER_FILE (48 * 1024 * 1024)

/** Opens a tokenizer.json (section 3). @lists: the lists that are empty in @json, or NULL. */
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
