/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/aloud/sentences.h"

#include <string.h>

#include "ui/markdown/markdown.h"

/* Shorter ones are read together with the next one. */
#define SHORT_BYTES 16
/* Longer ones are cut at a space. */
#define LONG_BYTES 400

/* ---- plain text ---- */

static gboolean
is_said (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (g_unichar_isalnum (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

/* Takes the sentence that @out holds. */
static void
finish (GPtrArray *sentences, GString *out)
{
  while (out->len > 0 && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  if (is_said (out->str))
    g_ptr_array_add (sentences, g_strdup (out->str));
  g_string_truncate (out, 0);
}

/* Whether the full stop at the end of @text belongs to its last word: "Dr.", "e.g.", "J.". */
static gboolean
is_shortened (const GString *text)
{
  static const char *const WORDS[] = { "Dr.",  "Mr.",  "Mrs.", "Ms.",    "Prof.", "St.",
                                       "e.g.", "i.e.", "z.B.", "bzw.",   "usw.",  "ca.",
                                       "Nr.",  "vs.",  "No.",  "approx." };
  const char *word = strrchr (text->str, ' ');
  gsize n;

  word = word != NULL ? word + 1 : text->str;
  n = strlen (word);
  if (n < 2 || word[n - 1] != '.')
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (WORDS); i++)
    if (g_str_equal (word, WORDS[i]))
      return TRUE;
  return g_utf8_strlen (word, -1) == 2 && g_unichar_isalpha (g_utf8_get_char (word));
}

static gboolean
ends_sentence (gunichar c)
{
  return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x3002 || c == 0xff01 ||
         c == 0xff1f || c == 0x0964;
}

/* Brackets and quotes behind the mark belong to the sentence. */
static gboolean
closes (gunichar c)
{
  return c == '"' || c == '\'' || c == ')' || c == ']' || c == 0x201d || c == 0x2019 || c == 0xbb;
}

/* Cuts a long @out behind its last comma, else at its last space. */
static void
cut (GPtrArray *sentences, GString *out)
{
  char *at = g_strrstr_len (out->str, (gssize) out->len, ", ");
  g_autofree char *rest = NULL;

  if (at == NULL || at - out->str < LONG_BYTES / 2)
    at = strrchr (out->str, ' ');
  else
    at++;
  if (at == NULL || at == out->str)
    at = out->str + out->len;
  rest = g_strdup (*at == ' ' ? at + 1 : at);
  g_string_truncate (out, (gsize) (at - out->str));
  finish (sentences, out);
  g_string_assign (out, rest);
}

GPtrArray *
pteris_sentences_of_text (const char *text)
{
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean ended = FALSE;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (c == '\n' && p[1] == '\n')
      finish (sentences, out);
    else if (!g_unichar_isspace (c))
      g_string_append_unichar (out, c);
    else if (ended && out->len >= SHORT_BYTES && !is_shortened (out))
      finish (sentences, out);
    else if (out->len > 0 && out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
    if (out->len >= LONG_BYTES && (g_unichar_isspace (c) || out->len >= 2 * LONG_BYTES))
      cut (sentences, out);
    ended = ends_sentence (c) || (ended && closes (c));
    /* No spaces follow. */
    if (ended && c >= 0x3000)
      finish (sentences, out);
  }
  finish (sentences, out);
  return sentences;
}

/* ---- Markdown ---- */

static void
append_entity (GString *out, const char *entity, gsize n)
{
  static const struct {
    const char *name;
    char c;
  } ENTITIES[] = { { "lt", '<' },   { "gt", '>' },    { "amp", '&' },
                   { "quot", '"' }, { "apos", '\'' }, { "#39", '\'' } };

  for (guint i = 0; i < G_N_ELEMENTS (ENTITIES); i++)
    if (strlen (ENTITIES[i].name) == n && strncmp (ENTITIES[i].name, entity, n) == 0)
      g_string_append_c (out, ENTITIES[i].c);
}

/* The text of well-formed @markup. */
static void
append_plain (GString *out, const char *markup)
{
  for (const char *p = markup; *p != '\0'; p++) {
    const char *end = *p == '<' ? strchr (p, '>') : *p == '&' ? strchr (p, ';') : NULL;

    if (end == NULL) {
      g_string_append_c (out, *p);
      continue;
    }
    if (*p == '&')
      append_entity (out, p + 1, (gsize) (end - p - 1));
    p = end;
  }
}

static void
append_rows (GString *out, const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    const GPtrArray *cells = rows->pdata[i];

    for (guint k = 0; k < cells->len; k++) {
      if (k > 0)
        g_string_append (out, ", ");
      append_plain (out, cells->pdata[k]);
    }
    g_string_append (out, ".\n\n");
  }
}

GPtrArray *
pteris_sentences_of_markdown (const char *text)
{
  g_autoptr (GPtrArray) blocks = pteris_markdown_parse (text, FALSE);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < blocks->len; i++) {
    const PterisBlock *block = blocks->pdata[i];

    if (block->kind == PTERIS_BLOCK_TABLE)
      append_rows (out, block->rows);
    if (block->kind != PTERIS_BLOCK_PARAGRAPH && block->kind != PTERIS_BLOCK_HEADING)
      continue;
    if (block->marker != NULL && g_ascii_isdigit (block->marker[0]))
      g_string_append_printf (out, "%s ", block->marker);
    append_plain (out, block->text);
    g_string_append (out, "\n\n");
  }
  return pteris_sentences_of_text (out->str);
}
