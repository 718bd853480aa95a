/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtTrie: finds the words that a text begins with, byte by byte. Immutable.
 */
typedef struct _PtTrie PtTrie;

typedef struct {
  const char *bytes; /* only used by pt_trie_new() */
  guint32 length;    /* at least 1 */
  gint32 value;      /* at least 0 */
} PtTrieWord;

/** @words: sorted by this function; no two are equal. NULL with PT_ERROR_MEMORY. */
PtTrie *pt_trie_new (PtTrieWord *words, guint n, GError **error);
void pt_trie_free (PtTrie *trie);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTrie, pt_trie_free)

/** The child of @node (0: the root) for @byte; 0: there is none. */
guint32 pt_trie_step (const PtTrie *trie, guint32 node, guint8 byte);
/** The value of the word that ends at @node, or -1. */
gint32 pt_trie_value (const PtTrie *trie, guint32 node);

/** The length of the longest word that @text begins with, or 0. */
gsize pt_trie_longest (const PtTrie *trie, const char *text, gsize length, gint32 *value);

G_END_DECLS
