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
 * tekken.json; llama2.c's tokenizer.bin. The format is detected by content.
 */
typedef struct _PtTokenizer PtTokenizer;

typedef enum {
  PT_ENCODE_PLAIN = 0,        /* special tokens written in the text stay text */
  PT_ENCODE_SPECIAL = 1 << 0, /* special tokens in the text are recognised */
  PT_ENCODE_ADD = 1 << 1,     /* add what the post-processor adds (BOS and such) */
} PtEncodeFlags;

/** @path: the tokenizer's file, or its folder. */
PtTokenizer *pt_tokenizer_open (const char *path, GError **error);
void pt_tokenizer_free (PtTokenizer *tokenizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTokenizer, pt_tokenizer_free)

/**
 * Find the tokenizer's file in @folder by its usual names; NULL: none, or several. Free with
 * g_free().
 */
char *pt_tokenizer_find_file (const char *folder);

/** The highest id plus one; logits may have more columns. */
guint pt_tokenizer_n_ids (const PtTokenizer *tokenizer);

/**
 * Append the ids of @text to @ids, a GArray of gint32.
 *
 * @length: in bytes, -1: up to the zero. Invalid UTF-8 becomes U+FFFD, except that tiktoken and
 * Tekken have tokens for all bytes.
 */
gboolean pt_tokenizer_encode (const PtTokenizer *tokenizer, const char *text, gssize length,
                              PtEncodeFlags flags, GArray *ids, GError **error);

/** A part of a text; @special: recognise special tokens in it. */
typedef struct {
  const char *text;
  gssize length; /* in bytes, -1: up to the zero */
  gboolean special;
} PtTextPart;

/**
 * Append the ids of the joined parts: tokens may cross the borders of parts, and a tokenizer that
 * puts a space in front does so once. For conversations: parts of the template are special, parts
 * of messages are not. Of @flags only PT_ENCODE_ADD is used.
 */
gboolean pt_tokenizer_encode_parts (const PtTokenizer *tokenizer, const PtTextPart *parts,
                                    guint n_parts, PtEncodeFlags flags, GArray *ids,
                                    GError **error);

/**
 * The text of @ids, valid UTF-8; bytes that form no character become U+FFFD. It may contain zero
 * bytes. For streaming use PtStreamDecoder.
 */
GString *pt_tokenizer_decode (const PtTokenizer *tokenizer, const gint32 *ids, gsize n,
                              gboolean skip_special);

/**
 * The bytes of token @id, which may be a part of a character; for special tokens their name. NULL:
 * no such id. Owned by the tokenizer; not zero-terminated.
 */
const char *pt_tokenizer_bytes (const PtTokenizer *tokenizer, gint32 id, gsize *length);

/** The id of a token by its exact name in the vocabulary ("<|im_end|>"), or -1. */
gint32 pt_tokenizer_find (const PtTokenizer *tokenizer, const char *token);

/** The BOS and EOS tokens by the tokenizer's file, or -1. */
gint32 pt_tokenizer_bos (const PtTokenizer *tokenizer);
gint32 pt_tokenizer_eos (const PtTokenizer *tokenizer);

/** Whether the token controls the model and is not text. */
gboolean pt_tokenizer_is_special (const PtTokenizer *tokenizer, gint32 id);

/** The ids that PT_ENCODE_ADD puts before and after the text; owned by the tokenizer. */
const gint32 *pt_tokenizer_prefix (const PtTokenizer *tokenizer, guint *n);
const gint32 *pt_tokenizer_suffix (const PtTokenizer *tokenizer, guint *n);

/** How many ids a text shall have, by the tokenizer's file; zeros where it says nothing. */
typedef struct {
  guint most;         /* more are cut off, special tokens counted; 0: no limit */
  gboolean cut_front; /* the first ones are cut off, and not the last */
  guint padded_to;    /* fewer are filled up with @pad; 0: they are not */
  gboolean pad_front; /* in front of the text, and not behind it */
  gint32 pad;         /* the id that fills up; 0 where the file has none */
} PtTextLength;

const PtTextLength *pt_tokenizer_text_length (const PtTokenizer *tokenizer);

/**
 * PtStreamDecoder: decodes token by token (docs/formats/tokenizers.md, section 9). It returns whole
 * UTF-8 characters only, and keeps the bytes of an incomplete one for the next call. Plain data.
 */
typedef struct {
  const PtTokenizer *tokenizer;
  gboolean skip_special;
  gboolean started;  /* some text has been decoded */
  gboolean space;    /* a space is pending until the next token */
  gint32 last;       /* id before, or -1 */
  guint8 pending[4]; /* an unfinished character */
  guint8 n_pending;
} PtStreamDecoder;

void pt_stream_decoder_init (PtStreamDecoder *decoder, const PtTokenizer *tokenizer,
                             gboolean skip_special);
/** Decode token @id and append the characters that are complete; often none. */
void pt_stream_decoder_push (PtStreamDecoder *decoder, gint32 id, GString *text);
/** Append U+FFFD for the bytes of an incomplete character. */
void pt_stream_decoder_finish (PtStreamDecoder *decoder, GString *text);

G_END_DECLS
