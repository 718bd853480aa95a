/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/constraint.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/grammar/automaton.h"

/* Masks and states that are kept from one token to the next. */
#define MAX_KEPT (24 * 1024 * 1024)

struct _PtConstraint {
  PtGrammar *grammar;
  const PtTokenTrie *trie;
  PtAutomaton *automaton;
  PtState now;
  GPtrArray *masks; /* guint32: by state; NULL: not known yet */
  gsize n_masks;
  PtState *path; /* states on the way to a node of the trie, by depth */
};

PtConstraint *
pt_constraint_new (PtGrammar *grammar, const PtTokenTrie *trie, GError **error)
{
  g_autoptr (PtConstraint) self = g_new0 (PtConstraint, 1);

  self->grammar = grammar;
  self->trie = trie;
  self->automaton = pt_automaton_new (grammar);
  self->masks = g_ptr_array_new_with_free_func (g_free);
  self->path = g_new (PtState, trie->all.depth + 1);
  return pt_constraint_restart (self, error) ? g_steal_pointer (&self) : NULL;
}

void
pt_constraint_free (PtConstraint *self)
{
  if (self == NULL)
    return;
  pt_automaton_free (self->automaton);
  pt_grammar_free (self->grammar);
  g_ptr_array_unref (self->masks);
  g_free (self->path);
  g_free (self);
}

static gboolean
is_lost (GError **error)
{
  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "The schema is too complex here: too many of its parts could "
                  "be meant. Use fewer "
                  "alternatives, or simpler patterns.");
}

gboolean
pt_constraint_restart (PtConstraint *self, GError **error)
{
  pt_automaton_begin (self->automaton);
  self->now = pt_automaton_start (self->automaton);
  return self->now != PT_STATE_LOST || is_lost (error);
}

/* ---- masks ---- */

/* Adds the tokens of @nodes that may follow the state at the beginning of the
 * path. */
static gboolean
add_tokens (PtConstraint *self, const PtTokenNodes *nodes, guint32 *mask)
{
  const PtTokenNode *all = (const PtTokenNode *) (gconstpointer) nodes->nodes->data;
  const gint32 *tokens = (const gint32 *) (gconstpointer) nodes->tokens->data;
  guint n = nodes->nodes->len;

  for (guint i = 0; i < n;) {
    const PtTokenNode *node = &all[i];
    PtState state = pt_automaton_step (self->automaton, self->path[node->depth - 1], node->byte);

    if (state == PT_STATE_LOST)
      return FALSE;
    if (state == PT_STATE_DEAD) {
      i = node->skip;
      continue;
    }
    self->path[node->depth] = state;
    for (guint j = 0; j < node->n; j++)
      pt_mask_add (mask, tokens[node->first + j]);
    i++;
  }
  return TRUE;
}

static gboolean
is_empty (const guint32 *mask, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (mask[i] != 0)
      return FALSE;
  return TRUE;
}

/* The plain tokens of the trie are added at once where a string has room for
 * all of them. */
static guint32 *
make_mask (PtConstraint *self, GError **error)
{
  gsize words = pt_mask_words (self->trie->n_ids);
  g_autofree guint32 *mask = g_new0 (guint32, words);
  PtStateInfo info = pt_automaton_info (self->automaton, self->now);
  gboolean takes_plain = info.room >= PT_PLAIN_CHARACTERS;

  if (takes_plain)
    memcpy (mask, self->trie->plain, words * sizeof *mask);
  self->path[0] = self->now;
  if (!add_tokens (self, takes_plain ? &self->trie->others : &self->trie->all, mask)) {
    is_lost (error);
    return NULL;
  }
  if (!info.may_end && is_empty (mask, words)) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "The tokenizer of this model has no token for what the schema "
             "wants here.");
    return NULL;
  }
  for (guint i = 0; i < self->trie->ends->len && info.may_end; i++)
    pt_mask_add (mask, g_array_index (self->trie->ends, gint32, i));
  return g_steal_pointer (&mask);
}

static void
forget_old (PtConstraint *self)
{
  gsize size = self->n_masks * pt_mask_words (self->trie->n_ids) * sizeof (guint32);

  if (size + pt_automaton_memory (self->automaton) <= MAX_KEPT)
    return;
  g_ptr_array_set_size (self->masks, 0);
  self->n_masks = 0;
  self->now = pt_automaton_forget (self->automaton, self->now);
}

const guint32 *
pt_constraint_mask (PtConstraint *self, GError **error)
{
  guint32 *mask;

  if (self->now < self->masks->len && self->masks->pdata[self->now] != NULL)
    return self->masks->pdata[self->now];
  forget_old (self);
  pt_automaton_begin (self->automaton);
  mask = make_mask (self, error);
  if (mask == NULL)
    return NULL;
  if (self->masks->len <= self->now)
    g_ptr_array_set_size (self->masks, (int) self->now + 1);
  self->masks->pdata[self->now] = mask;
  self->n_masks++;
  return mask;
}

/* ---- the text ---- */

gboolean
pt_constraint_accept_text (PtConstraint *self, const char *text, gssize length)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  PtState state = self->now;

  pt_automaton_begin (self->automaton);
  for (gsize i = 0; i < n && state != PT_STATE_DEAD && state != PT_STATE_LOST; i++)
    state = pt_automaton_step (self->automaton, state, (guint8) text[i]);
  if (state == PT_STATE_DEAD || state == PT_STATE_LOST)
    return FALSE;
  self->now = state;
  return TRUE;
}

gboolean
pt_constraint_accept (PtConstraint *self, const PtTokenizer *tokenizer, gint32 id, GError **error)
{
  gsize length = 0;
  const char *bytes = pt_tokenizer_bytes (tokenizer, id, &length);

  if (bytes != NULL && length > 0 && pt_constraint_accept_text (self, bytes, (gssize) length))
    return TRUE;
  return pt_fail (error, PT_ERROR_INTERNAL, "Token %d does not belong to the schema.", id);
}

gboolean
pt_constraint_may_end (const PtConstraint *self)
{
  return pt_automaton_info (self->automaton, self->now).may_end;
}

gboolean
pt_constraint_must_end (const PtConstraint *self)
{
  return pt_automaton_info (self->automaton, self->now).must_end;
}
