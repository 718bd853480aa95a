/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/passages.h"

#include <string.h>

/* How good a place for a cut is. */
enum { NO_CUT, BEHIND_WORD, BEHIND_SENTENCE, BEHIND_PARAGRAPH };

static gboolean
ends_sentence (gunichar c)
{
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x3002 || c == 0xff01 ||
         c == 0xff1f;
}

/* The kind of cut between @before and @next. */
static int
kind_of_cut (gunichar before, gunichar next)
{
  if (before == '\n')
    return BEHIND_PARAGRAPH;
  if (ends_sentence (before) && (g_unichar_isspace (next) || before >= 0x3000))
    return BEHIND_SENTENCE;
  return g_unichar_isspace (next) ? BEHIND_WORD : NO_CUT;
}

/* The end of the passage that begins at @text: the last of the best cuts in the second half, or all
 * that fits. @length: its characters. */
static const char *
find_end (const char *text, guint32 *length)
{
  const char *at = text, *end = NULL;
  guint32 n = 0, n_end = 0;
  gunichar before = 0;
  int best = NO_CUT;

  for (; *at != '\0' && n < PTERIS_PASSAGE_LENGTH; n++) {
    gunichar next = g_utf8_get_char (at);
    int kind = n >= PTERIS_PASSAGE_LENGTH / 2 ? kind_of_cut (before, next) : NO_CUT;

    if (kind != NO_CUT && kind >= best) {
      best = kind;
      end = at;
      n_end = n;
    }
    before = next;
    at = g_utf8_next_char (at);
  }
  if (*at == '\0' || end == NULL) {
    end = at;
    n_end = n;
  }
  *length = n_end;
  return end;
}

static gboolean
has_letters (const char *text, const char *end)
{
  for (; text < end; text = g_utf8_next_char (text))
    if (g_unichar_isalnum (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

GArray *
pteris_passages_cut (const char *text, guint most)
{
  GArray *passages = g_array_new (FALSE, FALSE, sizeof (PterisPassage));
  guint32 start = 0;

  while (*text != '\0' && passages->len < most) {
    PterisPassage passage = { start, 0 };
    const char *end;

    if (g_unichar_isspace (g_utf8_get_char (text))) {
      text = g_utf8_next_char (text);
      start++;
      continue;
    }
    end = find_end (text, &passage.length);
    start += passage.length;
    if (has_letters (text, end))
      g_array_append_val (passages, passage);
    text = end;
  }
  return passages;
}

char *
pteris_passage_get (const char *text, const PterisPassage *passage)
{
  const char *start = g_utf8_offset_to_pointer (text, passage->start);
  char *part =
      g_strndup (start, (gsize) (g_utf8_offset_to_pointer (start, passage->length) - start));

  return g_strchomp (part);
}
