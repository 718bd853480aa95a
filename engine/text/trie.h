/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtTrie: which of many words a text begins with, found byte by byte. Immutable.
 */
typedef struct _PtTrie PtTrie;

typedef struct {
  const char *bytes; /* need not live longer than pt_trie_new() */
  guint32 length;    /* at least 1 */
  gint32 value;      /* at least 0 */
} PtTrieWord;

/** @words: sorted by this function; no two are equal. NULL with PT_ERROR_MEMORY. */
PtTrie *pt_trie_new (PtTrieWord *words, guint n, GError **error);
void pt_trie_free (PtTrie *trie);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTrie, pt_trie_free)

/** From @node (0: the beginning) on by @byte: the next node, or 0 when no word goes on so. */
guint32 pt_trie_step (const PtTrie *trie, guint32 node, guint8 byte);
/** The value of the word that ends at @node, or -1. */
gint32 pt_trie_value (const PtTrie *trie, guint32 node);

/** The longest word that @text begins with: how many bytes it has, or 0. */
gsize pt_trie_longest (const PtTrie *trie, const char *text, gsize length, gint32 *value);

G_END_DECLS
