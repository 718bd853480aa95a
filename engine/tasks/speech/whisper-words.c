/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-words.h"

#include <math.h>
#include <pteris/speech.h>

/* A cursor over the ids and their bytes of text. */
typedef struct {
  PtStreamDecoder decoder;
  const float *chances;
  const gint32 *ids;
  guint n, next; /* number of ids that were read */
  GString *text; /* of those that were read */
  gsize skip;    /* spaces before the text */
} Cursor;

static gboolean
is_space (char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Reads one more id. Half a character is counted with the id that completes it. */
static gboolean
read_next (Cursor *cursor)
{
  if (cursor->next == cursor->n)
    return FALSE;
  pt_stream_decoder_push (&cursor->decoder, cursor->ids[cursor->next++], cursor->text);
  return TRUE;
}

/* The mean log probability of the ids that overlap the bytes @start .. @end of the text. An id may
   have the end of one word and the beginning of the next, and counts for both. */
static float
measure (Cursor *cursor, gsize start, gsize end)
{
  double sum = 0;
  guint n = 0;

  while (cursor->text->len <= start + cursor->skip && read_next (cursor))
    ;
  for (;;) {
    if (cursor->next > 0) {
      sum += (double) cursor->chances[cursor->next - 1];
      n++;
    }
    if (cursor->text->len >= end + cursor->skip || !read_next (cursor))
      break;
  }
  return n > 0 ? (float) exp (sum / n) : 0;
}

void
pt_whisper_words (const PtTokenizer *tokenizer, const gint32 *ids, const float *chances, guint n,
                  const char *text, GArray *words)
{
  g_autoptr (GString) all = pt_tokenizer_decode (tokenizer, ids, n, TRUE);
  Cursor cursor = { .chances = chances, .ids = ids, .n = n, .text = g_string_new (NULL) };
  gsize start = 0;

  g_array_set_size (words, 0);
  pt_stream_decoder_init (&cursor.decoder, tokenizer, TRUE);
  while (is_space (all->str[cursor.skip]))
    cursor.skip++;
  while (text[start] != '\0') {
    PtWord word = { .start = (guint) start };
    gsize end = start;

    while (text[end] != '\0' && !is_space (text[end]))
      end++;
    word.length = (guint) (end - start);
    word.probability = measure (&cursor, start, end);
    if (word.length > 0)
      g_array_append_val (words, word);
    for (start = end; is_space (text[start]); start++)
      ;
  }
  pt_stream_decoder_finish (&cursor.decoder, cursor.text);
  g_string_free (cursor.text, TRUE);
}
