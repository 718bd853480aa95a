/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/grammar/grammar.h"
#include "engine/text/grammar/token-trie.h"

G_BEGIN_DECLS

/**
 * PtConstraint: says which tokens may come next, so that a text belongs to a
 * grammar (docs/formats/grammar.md, section 3). What was found for a place of
 * the grammar is kept for the next time, also for the next text. One thread.
 */
typedef struct _PtConstraint PtConstraint;

/** @grammar: finished; owned from now on. @trie: must outlive the constraint.
 * PT_ERROR_ARGUMENT: the grammar takes too much memory or time. */
PtConstraint *pt_constraint_new (PtGrammar *grammar, const PtTokenTrie *trie, GError **error);
void pt_constraint_free (PtConstraint *constraint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtConstraint, pt_constraint_free)

/** Begin a new text. */
gboolean pt_constraint_restart (PtConstraint *constraint, GError **error);

/**
 * The tokens that may come next, one bit for each id below the trie's n_ids, the lowest bit first;
 * valid until the next call. Tokens that end a text are among them where it may end. NULL with
 * PT_ERROR_ARGUMENT: the grammar takes too much memory or time here, or the tokenizer has no token
 * for what must follow.
 */
const guint32 *pt_constraint_mask (PtConstraint *constraint, GError **error);

/** The text goes on with token @id. FALSE with PT_ERROR_INTERNAL: it may not.
 */
gboolean pt_constraint_accept (PtConstraint *constraint, const PtTokenizer *tokenizer, gint32 id,
                               GError **error);

/** The text goes on with @text; @length -1: up to the zero. FALSE: no text of
 * the grammar does; the constraint has to be restarted. */
gboolean pt_constraint_accept_text (PtConstraint *constraint, const char *text, gssize length);

/** Whether the text may end here, and whether it must. */
gboolean pt_constraint_may_end (const PtConstraint *constraint);
gboolean pt_constraint_must_end (const PtConstraint *constraint);

G_END_DECLS
