/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads tiktoken's lines of base64 and rank, with the special tokens and the pattern of Llama 3
 * (docs/formats/tokenizers.md, section 5). */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/base64.h"
#include "engine/text/rank-tokenizer.h"

#define PATTERN                                                                                   \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[" \
  "\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

#define N_SPECIAL 256
#define BOS 0
#define EOS 1

/* The file does not list special tokens; those not named here are reserved. */
static const char *const special_names[] = {
  "<|begin_of_text|>",
  "<|end_of_text|>",
  "<|reserved_special_token_0|>",
  "<|reserved_special_token_1|>",
  "<|finetune_right_pad_id|>",
  "<|step_id|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eom_id|>",
  "<|eot_id|>",
  "<|python_tag|>",
};

static gboolean
is_base64 (char c)
{
  return g_ascii_isalnum (c) || c == '+' || c == '/' || c == '=';
}

gboolean
pt_tiktoken_sniff (const char *data, gsize size)
{
  gsize i = 0;

  while (i < size && is_base64 (data[i]))
    i++;
  return i > 0 && i + 1 < size && data[i] == ' ' && g_ascii_isdigit (data[i + 1]);
}

/** "base64 rank". */
static gboolean
read_line (const char *line, gsize length, PtVocabulary *vocabulary, guint number, GString *bytes,
           GError **error)
{
  const char *space = memchr (line, ' ', length);
  gint64 rank = 0;

  g_string_truncate (bytes, 0);
  if (space == NULL || space == line || space + 1 == line + length ||
      !pt_base64_decode (line, (gsize) (space - line), bytes))
    return pt_fail (error, PT_ERROR_TOKENIZER, "Line %u is not a token and its rank.", number);
  for (const char *p = space + 1; p < line + length; p++) {
    if (!g_ascii_isdigit (*p))
      return pt_fail (error, PT_ERROR_TOKENIZER, "Line %u is not a token and its rank.", number);
    rank = MIN (rank * 10 + (*p - '0'), PT_MAX_TOKENS);
  }
  return pt_vocabulary_add (vocabulary, rank, bytes->str, bytes->len, FALSE, error);
}

static gboolean
read_lines (const char *data, gsize size, PtVocabulary *vocabulary, guint *n, GError **error)
{
  g_autoptr (GString) bytes = g_string_new (NULL);
  const char *p = data, *end = data + size;

  *n = 0;
  for (guint number = 1; p < end; number++) {
    const char *newline = memchr (p, '\n', (gsize) (end - p));
    const char *stop = newline != NULL ? newline : end;
    gsize length = (gsize) (stop - p);

    if (length > 0 && p[length - 1] == '\r')
      length--;
    if (length > 0) {
      if (!read_line (p, length, vocabulary, number, bytes, error))
        return FALSE;
      (*n)++;
    }
    p = newline != NULL ? newline + 1 : end;
  }
  return TRUE;
}

static gboolean
add_special (PtVocabulary *vocabulary, guint first, GError **error)
{
  guint n_named = G_N_ELEMENTS (special_names);

  for (guint i = 0; i < N_SPECIAL; i++) {
    g_autofree char *reserved = g_strdup_printf ("<|reserved_special_token_%u|>", i - n_named + 2);
    const char *name = i < n_named ? special_names[i] : reserved;

    if (!pt_vocabulary_add_to (vocabulary, PT_NAMES_RESERVED, first + i, name, strlen (name),
                               error))
      return FALSE;
    pt_vocabulary_set_flags (vocabulary, (gint32) (first + i), PT_TOKEN_SPECIAL);
  }
  return TRUE;
}

PtTokenizer *
pt_tiktoken_new (const char *data, gsize size, GError **error)
{
  /* A line has about 14 bytes. */
  g_autoptr (PtVocabulary) vocabulary =
      pt_vocabulary_new ((guint) MIN (size / 12, PT_MAX_TOKENS) + N_SPECIAL, error);
  guint n = 0;

  if (vocabulary == NULL || !read_lines (data, size, vocabulary, &n, error) ||
      !add_special (vocabulary, n, error))
    return NULL;
  return pt_rank_tokenizer_new (g_steal_pointer (&vocabulary), PATTERN, strlen (PATTERN),
                                (gint32) n + BOS, (gint32) n + EOS, error);
}
