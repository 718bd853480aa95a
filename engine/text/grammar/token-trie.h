/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtTokenTrie: the tokens of a vocabulary by their bytes, so that those with a
 * common beginning are looked at together (docs/formats/grammar.md,
 * section 3.3). Special tokens and tokens without bytes are left out.
 * Immutable: any thread.
 */

/** A beginning of tokens. The nodes are in the order of a search to the depth,
 * so that everything that begins with the bytes of a node lies between it and
 * @skip. */
typedef struct {
  guint32 first, n; /* tokens that end here: a range of PtTokenTrie.tokens */
  guint32 skip;     /* the next node that is not below this one */
  guint16 depth;    /* bytes, @byte included */
  guint8 byte;
} PtTokenNode;

typedef struct {
  GArray *nodes;  /* PtTokenNode */
  GArray *tokens; /* gint32: ids */
  guint depth;    /* of the deepest node */
} PtTokenNodes;

/** A plain token is 1 to this many characters that a JSON string may have as
 * they are. */
#define PT_PLAIN_CHARACTERS 12

typedef struct {
  guint n_ids;
  GArray *ends; /* gint32: tokens below @n_ids that end a text */
  PtTokenNodes all;
  PtTokenNodes others; /* all but the plain tokens */
  guint32 *plain;      /* [pt_mask_words (n_ids)]: the plain tokens */
} PtTokenTrie;

/**
 * NULL with PT_ERROR_MEMORY, or with PT_ERROR_UNSUPPORTED: what tokens mean depends on their
 * neighbours.
 *
 * @n_ids: ids from here on do not count. @ends: gint32: tokens that end a text, which are left out.
 */
PtTokenTrie *pt_token_trie_new (const PtTokenizer *tokenizer, guint n_ids, const GArray *ends,
                                GError **error);
void pt_token_trie_free (PtTokenTrie *trie);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTokenTrie, pt_token_trie_free)

/* Sets of tokens, one bit for each. */

static inline gsize
pt_mask_words (guint n_ids)
{
  return ((gsize) n_ids + 31) / 32;
}

static inline void
pt_mask_add (guint32 *mask, gint32 id)
{
  mask[id / 32] |= 1u << (id % 32);
}

G_END_DECLS
