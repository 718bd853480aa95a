/* SPDX-License-Identifier: BSD-3-Clause */

/* Turns bytes of tokens into whole UTF-8 characters (docs/formats/tokenizers.md, section 9). */

#include <string.h>

#include "engine/text/tokenizer-private.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/** Length of the character with the lead byte @lead; 0: not a lead byte. */
static guint
character_length (guint8 lead)
{
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    return 2;
  if (lead >= 0xE0 && lead <= 0xEF)
    return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/** Whether @byte is valid as byte @position (1..3) of a character with the lead byte @lead. */
static gboolean
may_follow (guint8 lead, guint position, guint8 byte)
{
  guint8 low = 0x80, high = 0xBF;

  if (position == 1) {
    if (lead == 0xE0)
      low = 0xA0;
    else if (lead == 0xED)
      high = 0x9F;
    else if (lead == 0xF0)
      low = 0x90;
    else if (lead == 0xF4)
      high = 0x8F;
  }
  return byte >= low && byte <= high;
}

/** Replaces the pending bytes, which do not form a character, by U+FFFD. */
static void
give_up (PtStreamDecoder *self, GString *text)
{
  guint n = self->tokenizer->counts_bytes ? self->n_pending : MIN (self->n_pending, 1);

  for (guint i = 0; i < n; i++)
    g_string_append (text, REPLACEMENT);
  self->n_pending = 0;
}

static void
push_byte (PtStreamDecoder *self, guint8 byte, GString *text)
{
  if (self->n_pending > 0) {
    if (may_follow (self->pending[0], self->n_pending, byte)) {
      self->pending[self->n_pending++] = byte;
      if (self->n_pending == character_length (self->pending[0])) {
        g_string_append_len (text, (const char *) self->pending, self->n_pending);
        self->n_pending = 0;
      }
      return;
    }
    give_up (self, text);
  }
  if (byte < 0x80)
    g_string_append_c (text, (char) byte);
  else if (character_length (byte) == 0)
    g_string_append (text, REPLACEMENT);
  else
    self->pending[self->n_pending++] = byte;
}

void
pt_stream_decoder_init (PtStreamDecoder *self, const PtTokenizer *tokenizer, gboolean skip_special)
{
  memset (self, 0, sizeof *self);
  self->tokenizer = tokenizer;
  self->skip_special = skip_special;
  self->last = -1;
}

void
pt_stream_decoder_push (PtStreamDecoder *self, gint32 id, GString *text)
{
  const PtToken *token = pt_vocabulary_token (self->tokenizer->vocabulary, id);
  PtStrip strip = self->tokenizer->strip;
  const char *bytes;
  gsize length;

  if (token == NULL || (self->skip_special && (token->flags & PT_TOKEN_SPECIAL) != 0))
    return;
  if (self->tokenizer->collapses && id == self->last)
    return;
  self->last = id;
  bytes = token->bytes;
  length = token->length;
  if (self->space)
    push_byte (self, ' ', text);
  self->space = self->tokenizer->spaces_words && length > 0 && bytes[length - 1] == ' ';
  if (self->space)
    length--;
  if (!self->started && strip != PT_STRIP_NONE && (token->flags & PT_TOKEN_UNKNOWN) == 0 &&
      length > 0 && bytes[0] == ' ') {
    bytes++;
    length--;
  }
  self->started = self->started || strip != PT_STRIP_EACH || length > 0;
  for (gsize i = 0; i < length; i++)
    push_byte (self, (guint8) bytes[i], text);
}

void
pt_stream_decoder_finish (PtStreamDecoder *self, GString *text)
{
  give_up (self, text);
}

/** Counts the single-byte tokens at the start of @ids. */
static gsize
count_bytes (const PtTokenizer *tokenizer, const gint32 *ids, gsize n)
{
  gsize count = 0;

  while (count < n) {
    const PtToken *token = pt_vocabulary_token (tokenizer->vocabulary, ids[count]);

    if (token == NULL || (token->flags & PT_TOKEN_BYTE) == 0)
      break;
    count++;
  }
  return count;
}

static gboolean
bytes_are_text (const PtTokenizer *tokenizer, const gint32 *ids, gsize n)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_c (bytes, pt_vocabulary_token (tokenizer->vocabulary, ids[i])->bytes[0]);
  return g_utf8_validate_len (bytes->str, bytes->len, NULL) || memchr (bytes->str, 0, bytes->len);
}

GString *
pt_tokenizer_decode (const PtTokenizer *self, const gint32 *ids, gsize n, gboolean skip_special)
{
  GString *text = g_string_new (NULL);
  PtStreamDecoder decoder;

  pt_stream_decoder_init (&decoder, self, skip_special);
  for (gsize i = 0; i < n;) {
    gsize run = self->counts_bytes ? 0 : count_bytes (self, ids + i, n - i);

    /* A run of byte tokens that is not UTF-8 becomes one U+FFFD per byte, as in the reference. */
    if (run > 0 && !bytes_are_text (self, ids + i, run)) {
      for (gsize j = 0; j < run; j++)
        g_string_append (text, REPLACEMENT);
      decoder.started = TRUE;
      i += run;
      continue;
    }
    for (gsize j = 0; j < MAX (run, 1); j++)
      pt_stream_decoder_push (&decoder, ids[i + j], text);
    i += MAX (run, 1);
  }
  pt_stream_decoder_finish (&decoder, text);
  return text;
}
