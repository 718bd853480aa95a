/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/added-tokens.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/characters.h"

typedef struct {
  char *content; /* as it is searched */
  gsize length;
  gint32 id;
  gboolean special, single_word, lstrip, rstrip;
} Added;

/* Tokens sorted by content, with a table of their first bytes. */
typedef struct {
  GArray *tokens; /* Added */
  guint8 first[256];
} Table;

struct _PtAddedTokens {
  Table raw, normalized;
};

static void
clear_added (gpointer data)
{
  g_free (((Added *) data)->content);
}

static int
compare_bytes (const char *a, gsize a_length, const char *b, gsize b_length)
{
  int order = memcmp (a, b, MIN (a_length, b_length));

  return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int
compare_added (gconstpointer a, gconstpointer b)
{
  const Added *x = a, *y = b;

  return compare_bytes (x->content, x->length, y->content, y->length);
}

static void
table_init (Table *table)
{
  table->tokens = g_array_new (FALSE, FALSE, sizeof (Added));
  g_array_set_clear_func (table->tokens, clear_added);
}

static void
table_sort (Table *table)
{
  g_array_sort (table->tokens, compare_added);
  for (guint i = 0; i < table->tokens->len; i++)
    table->first[(guint8) g_array_index (table->tokens, Added, i).content[0]] = 1;
}

/** Returns the normalised content of a "normalized" token. */
static gboolean
normalize_content (const PtNormalizer *normalizer, Added *added, GError **error)
{
  g_autoptr (GString) text = g_string_new_len (added->content, (gssize) added->length);
  g_autoptr (PtMatcher) matcher = pt_matcher_new (text->len, error);

  if (matcher == NULL || !pt_normalizer_apply (normalizer, matcher, text, error))
    return FALSE;
  g_free (added->content);
  added->length = text->len;
  added->content = g_string_free (g_steal_pointer (&text), FALSE);
  return TRUE;
}

static gboolean
read_token (PtAddedTokens *self, const json_t *json, const PtNormalizer *normalizer,
            PtVocabulary *vocabulary, GError **error)
{
  const json_t *content = json_object_get (json, "content");
  const json_t *number = json_object_get (json, "id");
  Table *table = &self->raw;
  Added added = { 0 };

  if (!json_is_string (content) || !json_is_integer (number))
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "An added token of the tokenizer has no content or no id.");
  if (!pt_vocabulary_add (vocabulary, json_integer_value (number), json_string_value (content),
                          json_string_length (content), TRUE, error))
    return FALSE;
  added.id = (gint32) json_integer_value (number);
  added.special = pt_json_bool (json, "special", FALSE);
  added.single_word = pt_json_bool (json, "single_word", FALSE);
  added.lstrip = pt_json_bool (json, "lstrip", FALSE);
  added.rstrip = pt_json_bool (json, "rstrip", FALSE);
  pt_vocabulary_set_bytes (vocabulary, added.id, json_string_value (content),
                           json_string_length (content));
  pt_vocabulary_set_flags (vocabulary, added.id, added.special ? PT_TOKEN_SPECIAL : 0);

  added.length = json_string_length (content);
  added.content = g_memdup2 (json_string_value (content), added.length + 1);
  if (pt_json_bool (json, "normalized", !added.special)) {
    table = &self->normalized;
    if (!normalize_content (normalizer, &added, error)) {
      g_free (added.content);
      return FALSE;
    }
  }
  if (added.length == 0)
    g_free (added.content);
  else
    g_array_append_val (table->tokens, added);
  return TRUE;
}

PtAddedTokens *
pt_added_tokens_new (const json_t *json, const PtNormalizer *normalizer, PtVocabulary *vocabulary,
                     GError **error)
{
  g_autoptr (PtAddedTokens) self = g_new0 (PtAddedTokens, 1);

  table_init (&self->raw);
  table_init (&self->normalized);
  for (gsize i = 0; i < json_array_size (json); i++)
    if (!read_token (self, json_array_get (json, i), normalizer, vocabulary, error))
      return NULL;
  table_sort (&self->raw);
  table_sort (&self->normalized);
  return g_steal_pointer (&self);
}

PtAddedTokens *
pt_added_tokens_new_special (const PtVocabulary *vocabulary)
{
  PtAddedTokens *self = g_new0 (PtAddedTokens, 1);

  table_init (&self->raw);
  table_init (&self->normalized);
  for (guint id = 0; id < pt_vocabulary_n_ids (vocabulary); id++) {
    const PtToken *token = pt_vocabulary_token (vocabulary, (gint32) id);
    Added added = { .id = (gint32) id, .special = TRUE };

    if (token == NULL || token->names != PT_NAMES_RESERVED ||
        (token->flags & PT_TOKEN_SPECIAL) == 0 || token->name_length == 0)
      continue;
    added.length = token->name_length;
    added.content = g_memdup2 (token->name, token->name_length);
    g_array_append_val (self->raw.tokens, added);
  }
  table_sort (&self->raw);
  return self;
}

void
pt_added_tokens_free (PtAddedTokens *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->raw.tokens);
  g_array_unref (self->normalized.tokens);
  g_free (self);
}

/* ---- searching ---- */

gboolean
pt_trust_covers (const PtTrust *trust, gsize begin, gsize end)
{
  guint low = 0, high = trust->n;

  /* Finds the last span that begins at or before @begin. */
  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (trust->spans[middle].begin <= begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && end <= trust->spans[low - 1].end;
}

/** Finds the first token in [low, high) whose byte at @depth is at least @byte. Shorter tokens come
 * first. */
static guint
lower_bound (const Added *tokens, guint low, guint high, gsize depth, int byte)
{
  while (low < high) {
    guint middle = low + (high - low) / 2;
    int found = depth < tokens[middle].length ? (guint8) tokens[middle].content[depth] : -1;

    if (found < byte)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean
is_word (gunichar c)
{
  return c == '_' || g_unichar_isalnum (c) || g_unichar_ismark (c);
}

static gboolean
stands_alone (const char *text, gsize length, gsize begin, gsize end)
{
  if (begin > 0 && is_word (g_utf8_get_char (g_utf8_prev_char (text + begin))))
    return FALSE;
  return end >= length || !is_word (g_utf8_get_char (text + end));
}

/** Finds the longest token at @at: narrows the sorted list byte by byte. */
static const Added *
longest_at (const Table *table, const char *text, gsize length, gsize at)
{
  const Added *tokens = (const Added *) (gconstpointer) table->tokens->data;
  const Added *best = NULL;
  guint low = 0, high = table->tokens->len;

  for (gsize depth = 0; low < high; depth++) {
    int byte;

    if (tokens[low].length == depth)
      best = &tokens[low];
    if (at + depth >= length)
      break;
    byte = (guint8) text[at + depth];
    low = lower_bound (tokens, low, high, depth, byte);
    high = lower_bound (tokens, low, high, depth, byte + 1);
  }
  return best;
}

static void
swallow_spaces (const Added *added, const char *text, gsize length, gsize from, PtAddedMatch *match)
{
  while (added->lstrip && match->begin > from) {
    const char *previous = g_utf8_prev_char (text + match->begin);

    if (!pt_is_white (g_utf8_get_char (previous)))
      break;
    match->begin = (gsize) (previous - text);
  }
  while (added->rstrip && match->end < length && pt_is_white (g_utf8_get_char (text + match->end)))
    match->end = (gsize) (g_utf8_next_char (text + match->end) - text);
}

gboolean
pt_added_tokens_next (const PtAddedTokens *self, const char *text, gsize length, gsize from,
                      gboolean normalized, const PtTrust *trust, PtAddedMatch *match)
{
  const Table *table = normalized ? &self->normalized : &self->raw;

  if (table->tokens->len == 0)
    return FALSE;
  for (gsize at = from; at < length; at++) {
    const Added *added;

    if (!table->first[(guint8) text[at]])
      continue;
    added = longest_at (table, text, length, at);
    if (added == NULL)
      continue;
    match->begin = at;
    match->end = at + added->length;
    match->id = added->id;
    if ((added->special && !pt_trust_covers (trust, match->begin, match->end)) ||
        (added->single_word && !stands_alone (text, length, match->begin, match->end))) {
      /* An untrusted match stays text, as in the reference: no other token may begin inside it. */
      at = match->end - 1;
      continue;
    }
    swallow_spaces (added, text, length, from, match);
    return TRUE;
  }
  return FALSE;
}
