/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/token-trie.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/text/tokenizer-private.h"

/* Longer tokens are never chosen: none of a real vocabulary is. */
#define MAX_LENGTH 512

/* A token, while the tries are made. */
typedef struct {
  const guint8 *bytes;
  guint32 length;
  gint32 id;
  gboolean is_plain;
} Word;

static int
compare_words (gconstpointer a, gconstpointer b)
{
  const Word *x = a, *y = b;
  int order = memcmp (x->bytes, y->bytes, MIN (x->length, y->length));

  if (order != 0)
    return order;
  if (x->length != y->length)
    return x->length < y->length ? -1 : 1;
  return x->id < y->id ? -1 : 1;
}

static gboolean
is_plain (const guint8 *bytes, guint32 length)
{
  guint characters = 0;

  if (!g_utf8_validate ((const char *) bytes, length, NULL))
    return FALSE;
  for (guint32 i = 0; i < length; i++) {
    if (bytes[i] < 0x20 || bytes[i] == '"' || bytes[i] == '\\')
      return FALSE;
    characters += (bytes[i] & 0xC0) != 0x80;
  }
  return characters <= PT_PLAIN_CHARACTERS;
}

static gboolean
ends_text (const PtTokenTrie *self, gint32 id)
{
  for (guint i = 0; i < self->ends->len; i++)
    if (g_array_index (self->ends, gint32, i) == id)
      return TRUE;
  return FALSE;
}

/* The tokens that can be part of a text, sorted by their bytes. */
static GArray *
list_words (const PtTokenTrie *self, const PtTokenizer *tokenizer)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));

  for (guint id = 0; id < self->n_ids; id++) {
    const PtToken *token = pt_vocabulary_token (tokenizer->vocabulary, (gint32) id);
    Word word = { .id = (gint32) id };

    if (token == NULL || (token->flags & (PT_TOKEN_SPECIAL | PT_TOKEN_UNKNOWN)) != 0 ||
        token->length == 0 || token->length > MAX_LENGTH || ends_text (self, (gint32) id))
      continue;
    word.bytes = (const guint8 *) token->bytes;
    word.length = token->length;
    word.is_plain = is_plain (word.bytes, word.length);
    g_array_append_val (words, word);
  }
  g_array_sort (words, compare_words);
  return words;
}

/* Ends the nodes that are deeper than @depth: what follows is not below them.
 */
static void
close_nodes (PtTokenNodes *self, guint32 *open, guint from, guint depth)
{
  for (guint i = depth; i < from; i++)
    g_array_index (self->nodes, PtTokenNode, open[i]).skip = self->nodes->len;
}

static void
add_nodes (PtTokenNodes *self, const GArray *words, gboolean with_plain)
{
  guint32 open[MAX_LENGTH]; /* the nodes on the way to the last word */
  const Word *last = NULL;

  self->nodes = g_array_new (FALSE, FALSE, sizeof (PtTokenNode));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint i = 0; i < words->len; i++) {
    const Word *word = &g_array_index (words, Word, i);
    guint common = 0, before = last != NULL ? last->length : 0;

    if (word->is_plain && !with_plain)
      continue;
    while (common < before && common < word->length && last->bytes[common] == word->bytes[common])
      common++;
    close_nodes (self, open, before, common);
    for (guint depth = common; depth < word->length; depth++) {
      PtTokenNode node = { .first = self->tokens->len,
                           .depth = (guint16) (depth + 1),
                           .byte = word->bytes[depth] };

      open[depth] = self->nodes->len;
      g_array_append_val (self->nodes, node);
    }
    g_array_index (self->nodes, PtTokenNode, open[word->length - 1]).n++;
    g_array_append_val (self->tokens, word->id);
    self->depth = MAX (self->depth, word->length);
    last = word;
  }
  if (last != NULL)
    close_nodes (self, open, last->length, 0);
}

PtTokenTrie *
pt_token_trie_new (const PtTokenizer *tokenizer, guint n_ids, const GArray *ends, GError **error)
{
  g_autoptr (PtTokenTrie) self = g_new0 (PtTokenTrie, 1);
  g_autoptr (GArray) words = NULL;

  if (tokenizer->collapses || tokenizer->spaces_words) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The tokens of this model change with their neighbours: its "
             "answers cannot be bound "
             "to a JSON schema.");
    return NULL;
  }
  self->n_ids = MIN (n_ids, pt_tokenizer_n_ids (tokenizer));
  self->plain = pt_allocate (pt_mask_words (self->n_ids), sizeof (guint32), error);
  if (self->plain == NULL)
    return NULL;
  self->ends = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (guint i = 0; i < ends->len; i++) {
    gint32 id = g_array_index (ends, gint32, i);

    if (id >= 0 && (guint) id < self->n_ids)
      g_array_append_val (self->ends, id);
  }
  words = list_words (self, tokenizer);
  for (guint i = 0; i < words->len; i++)
    if (g_array_index (words, Word, i).is_plain)
      pt_mask_add (self->plain, g_array_index (words, Word, i).id);
  add_nodes (&self->all, words, TRUE);
  add_nodes (&self->others, words, FALSE);
  return g_steal_pointer (&self);
}

void
pt_token_trie_free (PtTokenTrie *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->ends, g_array_unref);
  g_clear_pointer (&self->all.nodes, g_array_unref);
  g_clear_pointer (&self->all.tokens, g_array_unref);
  g_clear_pointer (&self->others.nodes, g_array_unref);
  g_clear_pointer (&self->others.tokens, g_array_unref);
  g_free (self->plain);
  g_free (self);
}
