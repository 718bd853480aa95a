/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/spoken-text.h"

#include <string.h>

/* A passage ends with the first sentence behind the first number of bytes, and anywhere
 * behind the second one. */
#define PASSAGE_BYTES 300
#define MOST_BYTES 4000

/* The mark that Kokoro knows in place of @c; 0: none. */
static gunichar
mark_of (gunichar c)
{
  switch (c) {
  case ';':
  case ':':
  case ',':
  case '.':
  case '!':
  case '?':
  case '"':
  case '(':
  case ')':
  case U'—':
  case U'…':
  case U'“':
  case U'”': return c;
  case U'–': return U'—';
  case U'„':
  case U'«': return U'“';
  case U'»': return U'”';
  case '[':
  case '{': return '(';
  case ']':
  case '}': return ')';
  case U'。':
  case U'।':
  case U'॥': return '.';
  default: return 0;
  }
}

static gboolean
ends_sentence (gunichar c)
{
  return c == '.' || c == '!' || c == '?' || c == U'…';
}

/* ---- passages ---- */

static void
finish_passage (GPtrArray *passages, GString *passage)
{
  while (passage->len > 0 && passage->str[passage->len - 1] == ' ')
    g_string_truncate (passage, passage->len - 1);
  if (passage->len > 0)
    g_ptr_array_add (passages, g_strdup (passage->str));
  g_string_truncate (passage, 0);
}

/* A paragraph is followed by another one: the voice shall fall. */
static void
end_paragraph (GPtrArray *passages, GString *passage)
{
  const char *last;

  while (passage->len > 0 && passage->str[passage->len - 1] == ' ')
    g_string_truncate (passage, passage->len - 1);
  last = g_utf8_find_prev_char (passage->str, passage->str + passage->len);
  if (last != NULL && mark_of (g_utf8_get_char (last)) == 0)
    g_string_append_c (passage, '.');
  finish_passage (passages, passage);
}

GPtrArray *
pt_spoken_passages (const char *text)
{
  GPtrArray *passages = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) passage = g_string_new (NULL);
  guint n_lines = 0;
  gboolean spaced = FALSE, ended = FALSE;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (g_unichar_isspace (c)) {
      n_lines += c == '\n';
      spaced = TRUE;
      continue;
    }
    if (n_lines > 1)
      end_paragraph (passages, passage);
    else if (spaced && ((ended && passage->len >= PASSAGE_BYTES) || passage->len >= MOST_BYTES))
      finish_passage (passages, passage);
    if (spaced && passage->len > 0)
      g_string_append_c (passage, ' ');
    g_string_append_unichar (passage, c);
    ended = ends_sentence (c) || (ended && (c == '"' || c == ')' || c == U'”'));
    spaced = FALSE;
    n_lines = 0;
  }
  finish_passage (passages, passage);
  return passages;
}

/* ---- tokens ---- */

static void
token_free (PtSpokenToken *token)
{
  g_free (token->text);
  g_free (token);
}

static void
add_token (GPtrArray *tokens, const char *text, gboolean is_mark, gboolean is_spaced)
{
  PtSpokenToken *token = g_new0 (PtSpokenToken, 1);

  token->text = g_strdup (text);
  token->is_mark = is_mark;
  token->is_spaced = is_spaced;
  g_ptr_array_add (tokens, token);
}

static void
finish_word (GPtrArray *tokens, GString *word, gboolean *is_spaced)
{
  if (word->len == 0)
    return;
  add_token (tokens, word->str, FALSE, *is_spaced);
  g_string_truncate (word, 0);
  *is_spaced = FALSE;
}

/* Whether the mark at @p belongs to a word: 3.14, 10:30, U.S. */
static gboolean
is_inside (const char *p, const GString *word)
{
  gunichar next = g_utf8_get_char (g_utf8_next_char (p));

  return (*p == '.' || *p == ',' || *p == ':') && word->len > 0 && g_unichar_isalnum (next);
}

GPtrArray *
pt_spoken_tokens (const char *passage)
{
  GPtrArray *tokens = g_ptr_array_new_with_free_func ((GDestroyNotify) token_free);
  g_autoptr (GString) word = g_string_new (NULL);
  gboolean is_spaced = FALSE;

  for (const char *p = passage; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p), mark = mark_of (c);
    char utf8[7] = { 0 };

    if (c == ' ') {
      finish_word (tokens, word, &is_spaced);
      is_spaced = TRUE;
    } else if (mark != 0 && !is_inside (p, word)) {
      finish_word (tokens, word, &is_spaced);
      if (strncmp (p, "...", 3) == 0) {
        p += 2;
        mark = U'…';
      }
      g_unichar_to_utf8 (mark, utf8);
      add_token (tokens, utf8, TRUE, is_spaced);
      is_spaced = FALSE;
    } else {
      g_string_append_unichar (word, c == U'’' || c == U'‘' ? '\'' : c);
    }
  }
  finish_word (tokens, word, &is_spaced);
  return tokens;
}
