/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtTokenizer: turns text into token ids and back (docs/formats/tokenizers.md). Immutable once
 * opened: any thread, several at a time.
 *
 * These files are read: tokenizer.json of Hugging Face (BPE, Unigram, WordPiece, WordLevel);
 * SentencePiece's .model; tiktoken's lines of base64 with the special tokens of Llama 3; Mistral's
 * tekken.json; llama2.c's tokenizer.bin. The content decides which of them a file is.
 */
typedef struct _PtTokenizer PtTokenizer;

typedef enum {
  PT_ENCODE_PLAIN = 0,        /* special tokens written in the text stay text */
  PT_ENCODE_SPECIAL = 1 << 0, /* special tokens in the text are recognised */
  PT_ENCODE_ADD = 1 << 1,     /* add what the post-processor adds (BOS and such) */
} PtEncodeFlags;

/** @path: the tokenizer's file, or the folder that holds it. */
PtTokenizer *pt_tokenizer_open (const char *path, GError **error);
void pt_tokenizer_free (PtTokenizer *tokenizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTokenizer, pt_tokenizer_free)

/**
 * The tokenizer's file among those in @folder, by the names that they usually have; NULL: none, or
 * several. Free with g_free().
 */
char *pt_tokenizer_find_file (const char *folder);

/** One more than the highest id; logits may be wider. */
guint pt_tokenizer_n_ids (const PtTokenizer *tokenizer);

/**
 * Append the ids of @text to @ids, a GArray of gint32.
 *
 * @length: in bytes, -1: up to the zero. Bytes that are not UTF-8 count as U+FFFD, but tiktoken
 * and Tekken have tokens for them.
 */
gboolean pt_tokenizer_encode (const PtTokenizer *tokenizer, const char *text, gssize length,
                              PtEncodeFlags flags, GArray *ids, GError **error);

/** A part of a text; special tokens are recognised in it where @special is set. */
typedef struct {
  const char *text;
  gssize length; /* in bytes, -1: up to the zero */
  gboolean special;
} PtTextPart;

/**
 * Append the ids of the text that the parts make together, as if it came in one: pieces may go over
 * their borders, and a tokenizer that puts a space in front does so once. For conversations: the
 * template's parts are special, what people write is not. Of @flags only PT_ENCODE_ADD counts.
 */
gboolean pt_tokenizer_encode_parts (const PtTokenizer *tokenizer, const PtTextPart *parts,
                                    guint n_parts, PtEncodeFlags flags, GArray *ids,
                                    GError **error);

/**
 * The text of @ids, valid UTF-8; bytes that form no character become U+FFFD. The length counts: it
 * may contain zero bytes. For text that grows token by token use PtStreamDecoder.
 */
GString *pt_tokenizer_decode (const PtTokenizer *tokenizer, const gint32 *ids, gsize n,
                              gboolean skip_special);

/**
 * The bytes that token @id stands for, perhaps a part of a character. Special tokens: their
 * name. NULL when there is no such id. Owned by the tokenizer; not zero-terminated.
 */
const char *pt_tokenizer_bytes (const PtTokenizer *tokenizer, gint32 id, gsize *length);

/** The id of a token by its exact name in the vocabulary ("<|im_end|>"), or -1. */
gint32 pt_tokenizer_find (const PtTokenizer *tokenizer, const char *token);

/** The tokens that begin and end a text by what the tokenizer's file says, or -1. */
gint32 pt_tokenizer_bos (const PtTokenizer *tokenizer);
gint32 pt_tokenizer_eos (const PtTokenizer *tokenizer);

/** TRUE for tokens that steer the model and are no part of its text. */
gboolean pt_tokenizer_is_special (const PtTokenizer *tokenizer, gint32 id);

/** What PT_ENCODE_ADD puts before and after the text; owned by the tokenizer. */
const gint32 *pt_tokenizer_prefix (const PtTokenizer *tokenizer, guint *n);
const gint32 *pt_tokenizer_suffix (const PtTokenizer *tokenizer, guint *n);

/**
 * PtStreamDecoder: decodes token by token (docs/formats/tokenizers.md, section 9). It gives out
 * whole UTF-8 characters only, and keeps the bytes of an unfinished one until its rest comes. Plain
 * data.
 */
typedef struct {
  const PtTokenizer *tokenizer;
  gboolean skip_special;
  gboolean started;  /* something has been decoded */
  gboolean space;    /* one that awaits the next token */
  gint32 last;       /* id before, or -1 */
  guint8 pending[4]; /* an unfinished character */
  guint8 n_pending;
} PtStreamDecoder;

void pt_stream_decoder_init (PtStreamDecoder *decoder, const PtTokenizer *tokenizer,
                             gboolean skip_special);
/** Append to @text what token @id completes; often nothing. */
void pt_stream_decoder_push (PtStreamDecoder *decoder, gint32 id, GString *text);
/** Append U+FFFD for what never became a character. */
void pt_stream_decoder_finish (PtStreamDecoder *decoder, GString *text);

G_END_DECLS
