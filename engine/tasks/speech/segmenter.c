/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/segmenter.h"

#include <string.h>

/* Seconds after which a segment without another end ends before a word, and after which it ends in
   any case. */
#define LONG 20
#define TOO_LONG 30
/* Beginning of SentencePiece's space U+2581. */
#define SPACE_MARK "\xe2\x96\x81"

struct _PtSegmenter {
  const PtTokenizer *tokenizer;
  double pause;
  GArray *pending;        /* PtTimedToken */
  GArray *ends;           /* guint: bytes of text up to each of them */
  GArray *tokens, *words; /* PtWord */
  GString *text;          /* of the pending tokens */
  PtStreamDecoder decoder;
};

PtSegmenter *
pt_segmenter_new (const PtTokenizer *tokenizer, double pause)
{
  PtSegmenter *self = g_new0 (PtSegmenter, 1);

  self->tokenizer = tokenizer;
  self->pause = pause;
  self->pending = g_array_new (FALSE, FALSE, sizeof (PtTimedToken));
  self->ends = g_array_new (FALSE, FALSE, sizeof (guint));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (PtWord));
  self->words = g_array_new (FALSE, FALSE, sizeof (PtWord));
  self->text = g_string_new (NULL);
  pt_segmenter_reset (self);
  return self;
}

void
pt_segmenter_free (PtSegmenter *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->pending);
  g_array_unref (self->ends);
  g_array_unref (self->tokens);
  g_array_unref (self->words);
  g_string_free (self->text, TRUE);
  g_free (self);
}

void
pt_segmenter_reset (PtSegmenter *self)
{
  g_array_set_size (self->pending, 0);
  g_array_set_size (self->ends, 0);
  g_string_truncate (self->text, 0);
  pt_stream_decoder_init (&self->decoder, self->tokenizer, TRUE);
}

/* ---- where segments end ---- */

static gboolean
begins_word (const PtSegmenter *self, gint32 id)
{
  gsize length;
  const char *bytes = pt_tokenizer_bytes (self->tokenizer, id, &length);

  return bytes != NULL && length > 0 &&
         (g_ascii_isspace (bytes[0]) ||
          (length >= strlen (SPACE_MARK) && memcmp (bytes, SPACE_MARK, strlen (SPACE_MARK)) == 0));
}

static gboolean
ends_sentence (const GString *text)
{
  const char *last;

  if (text->len == 0)
    return FALSE;
  last = g_utf8_find_prev_char (text->str, text->str + text->len);
  if (last == NULL)
    return FALSE;
  switch (g_utf8_get_char (last)) {
  case '.':
  case '?':
  case '!':
  case 0x2026: /* ... */
  case 0x3002: /* of Chinese and Japanese */
  case 0xff01:
  case 0xff1f:
  case 0x0964: return TRUE; /* of Hindi */
  default: return FALSE;
  }
}

static double
last_end (const PtSegmenter *self)
{
  return g_array_index (self->pending, PtTimedToken, self->pending->len - 1).end;
}

static double
duration (const PtSegmenter *self, double until)
{
  return until - g_array_index (self->pending, PtTimedToken, 0).start;
}

static gboolean
ends_before (const PtSegmenter *self, const PtTimedToken *token)
{
  double seconds;

  if (self->pending->len == 0)
    return FALSE;
  seconds = duration (self, token->end);
  if (self->pause > 0 && token->start - last_end (self) >= self->pause)
    return TRUE;
  if (seconds >= TOO_LONG)
    return TRUE;
  return begins_word (self, token->id) && (seconds >= LONG || ends_sentence (self->text));
}

/* ---- giving out ---- */

/* Splits the text of @tokens, @length bytes from @skip on, at spaces. */
static void
find_words (PtSegmenter *self, const char *text, gsize length)
{
  gsize start = 0, end;
  guint first = 0;

  g_array_set_size (self->words, 0);
  for (;; start = end) {
    PtWord word = { .probability = 1 };

    while (start < length && g_ascii_isspace (text[start]))
      start++;
    for (end = start; end < length && !g_ascii_isspace (text[end]);)
      end++;
    if (start == end)
      return;
    word.start = (guint) start;
    word.length = (guint) (end - start);
    /* The probability of a word is the lowest one of its tokens. */
    while (first < self->tokens->len) {
      const PtWord *token = &g_array_index (self->tokens, PtWord, first);

      if (token->start + token->length > start)
        break;
      first++;
    }
    for (guint i = first; i < self->tokens->len; i++) {
      const PtWord *token = &g_array_index (self->tokens, PtWord, i);

      if (token->start >= end)
        break;
      if (i == first)
        word.from = token->from;
      word.to = token->to;
      word.probability = MIN (word.probability, token->probability);
    }
    g_array_append_val (self->words, word);
  }
}

/* Sets the ranges of the tokens in the text without leading and trailing spaces. */
static void
find_tokens (PtSegmenter *self, gsize skip, gsize length)
{
  gsize begin = 0;

  g_array_set_size (self->tokens, 0);
  for (guint i = 0; i < self->pending->len; i++) {
    const PtTimedToken *from = &g_array_index (self->pending, PtTimedToken, i);
    gsize end = g_array_index (self->ends, guint, i);
    gsize a = CLAMP (begin, skip, skip + length) - skip;
    gsize b = CLAMP (end, skip, skip + length) - skip;
    PtWord token = { (guint) a, (guint) (b - a), from->probability, from->start, from->end };

    g_array_append_val (self->tokens, token);
    begin = end;
  }
}

void
pt_segmenter_flush (PtSegmenter *self, PtSpeech *speech)
{
  PtSegment segment = { 0 };
  gsize skip = 0, length;

  pt_stream_decoder_finish (&self->decoder, self->text);
  length = self->text->len;
  if (self->pending->len > 0)
    g_array_index (self->ends, guint, self->ends->len - 1) = (guint) length;
  while (length > 0 && g_ascii_isspace (self->text->str[length - 1]))
    length--;
  while (skip < length && g_ascii_isspace (self->text->str[skip]))
    skip++;
  length -= skip;
  if (length > 0) {
    g_string_truncate (self->text, skip + length);
    find_tokens (self, skip, length);
    find_words (self, self->text->str + skip, length);
    segment.start = g_array_index (self->pending, PtTimedToken, 0).start;
    segment.end = last_end (self);
    segment.text = self->text->str + skip;
    segment.words = (const PtWord *) (gpointer) self->words->data;
    segment.n_words = self->words->len;
    segment.tokens = (const PtWord *) (gpointer) self->tokens->data;
    segment.n_tokens = self->tokens->len;
    pt_speech_emit (speech, &segment);
  }
  pt_segmenter_reset (self);
}

void
pt_segmenter_push (PtSegmenter *self, PtSpeech *speech, const PtTimedToken *token)
{
  guint end;

  if (pt_tokenizer_is_special (self->tokenizer, token->id))
    return;
  if (ends_before (self, token))
    pt_segmenter_flush (self, speech);
  pt_stream_decoder_push (&self->decoder, token->id, self->text);
  end = (guint) self->text->len;
  g_array_append_val (self->pending, *token);
  g_array_append_val (self->ends, end);
}

void
pt_segmenter_wait (PtSegmenter *self, PtSpeech *speech, double now)
{
  if (self->pending->len == 0)
    return;
  if ((self->pause > 0 && now - last_end (self) >= self->pause) || duration (self, now) >= TOO_LONG)
    pt_segmenter_flush (self, speech);
}
