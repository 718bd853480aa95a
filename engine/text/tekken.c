/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads Mistral's tekken.json (docs/formats/tokenizers.md, section 6). */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/base64.h"
#include "engine/text/rank-tokenizer.h"

#define PATTERN                                                                                \
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|" \
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|" \
  "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

#define DEFAULT_SPECIAL 1000
/* Unlisted special tokens get generated names; the limit is far above any real file. */
#define MAX_SPECIAL (1 << 16)

/* Special tokens of files that do not list them. */
static const char *const special_names[] = {
  "<unk>",
  "<s>",
  "</s>",
  "[INST]",
  "[/INST]",
  "[AVAILABLE_TOOLS]",
  "[/AVAILABLE_TOOLS]",
  "[TOOL_RESULTS]",
  "[/TOOL_RESULTS]",
  "[TOOL_CALLS]",
  "[IMG]",
  "<pad>",
  "[IMG_BREAK]",
  "[IMG_END]",
  "[PREFIX]",
  "[MIDDLE]",
  "[SUFFIX]",
  "[SYSTEM_PROMPT]",
  "[/SYSTEM_PROMPT]",
  "[TOOL_CONTENT]",
};

gboolean
pt_tekken_sniff (const json_t *json)
{
  return json_is_object (json_object_get (json, "config")) &&
         json_is_array (json_object_get (json, "vocab"));
}

static gboolean
add_special (PtVocabulary *vocabulary, gint64 id, const char *name, gsize length, GError **error)
{
  if (!pt_vocabulary_add_to (vocabulary, PT_NAMES_RESERVED, id, name, length, error))
    return FALSE;
  pt_vocabulary_set_flags (vocabulary, (gint32) id, PT_TOKEN_SPECIAL);
  return TRUE;
}

static gboolean
read_listed (const json_t *list, guint n_special, PtVocabulary *vocabulary, GError **error)
{
  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *name = json_object_get (item, "token_str");
    gint64 rank = pt_json_int (item, "rank", -1);

    if (!json_is_string (name) || rank < 0 || rank >= n_special)
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "Special token %zu has no name, or a rank out of range.", i);
    if (!add_special (vocabulary, rank, json_string_value (name), json_string_length (name), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_special (const json_t *list, guint n_special, PtVocabulary *vocabulary, GError **error)
{
  if (json_is_array (list)) {
    if (!read_listed (list, n_special, vocabulary, error))
      return FALSE;
  } else {
    for (guint i = 0; i < MIN (n_special, G_N_ELEMENTS (special_names)); i++)
      if (!add_special (vocabulary, i, special_names[i], strlen (special_names[i]), error))
        return FALSE;
  }
  for (guint i = 0; i < n_special; i++) {
    g_autofree char *name = NULL;

    if (pt_vocabulary_token (vocabulary, (gint32) i) != NULL)
      continue;
    name = g_strdup_printf ("<SPECIAL_%u>", i);
    if (!add_special (vocabulary, i, name, strlen (name), error))
      return FALSE;
  }
  return TRUE;
}

/** Only ranks below @n_text are used. */
static gboolean
read_text (const json_t *list, guint n_special, guint n_text, PtVocabulary *vocabulary,
           GError **error)
{
  g_autoptr (GString) bytes = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *text = json_object_get (item, "token_bytes");
    gint64 rank = pt_json_int (item, "rank", -1);

    g_string_truncate (bytes, 0);
    if (rank < 0 || !json_is_string (text) ||
        !pt_base64_decode (json_string_value (text), json_string_length (text), bytes) ||
        bytes->len == 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "Token %zu has no rank or no bytes.", i);
    if (rank < n_text &&
        !pt_vocabulary_add (vocabulary, n_special + rank, bytes->str, bytes->len, FALSE, error))
      return FALSE;
  }
  return TRUE;
}

PtTokenizer *
pt_tekken_new (const json_t *json, GError **error)
{
  const json_t *config = json_object_get (json, "config");
  const json_t *vocab = json_object_get (json, "vocab");
  const char *pattern = pt_json_string (config, "pattern");
  gint64 n_special = pt_json_int (config, "default_num_special_tokens", DEFAULT_SPECIAL);
  gint64 n_all = pt_json_int (config, "default_vocab_size", PT_MAX_TOKENS);
  g_autoptr (PtVocabulary) vocabulary = NULL;
  gint32 bos, eos;

  if (n_special < 0 || n_special > MIN (n_all, MAX_SPECIAL) || n_all > PT_MAX_TOKENS) {
    pt_fail (error, PT_ERROR_TOKENIZER, "Its numbers of tokens are invalid.");
    return NULL;
  }
  vocabulary = pt_vocabulary_new (
      (guint) MIN (json_array_size (vocab) + (gsize) n_special, PT_MAX_TOKENS), error);
  if (vocabulary == NULL ||
      !read_special (json_object_get (json, "special_tokens"), (guint) n_special, vocabulary,
                     error) ||
      !read_text (vocab, (guint) n_special, (guint) (n_all - n_special), vocabulary, error))
    return NULL;
  if (pattern == NULL)
    pattern = PATTERN;
  bos = pt_vocabulary_find_in (vocabulary, PT_NAMES_RESERVED, "<s>", 3);
  eos = pt_vocabulary_find_in (vocabulary, PT_NAMES_RESERVED, "</s>", 4);
  return pt_rank_tokenizer_new (g_steal_pointer (&vocabulary), pattern, strlen (pattern), bos, eos,
                                error);
}
