/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/*
 * Byte-pair merging, which all formats of BPE share (docs/formats/tokenizers.md, section 4): a text
 * is a list of symbols; of all neighbours that may merge, the pair with the lowest rank does, the
 * leftmost of equals, until none may. O(n log n) for n symbols.
 */

/** PtMergeTable: which pairs of tokens merge, when they are listed one by one. */
typedef struct _PtMergeTable PtMergeTable;

/** @n: how many pairs will be added at most. NULL with PT_ERROR_MEMORY. */
PtMergeTable *pt_merge_table_new (gsize n, GError **error);
void pt_merge_table_free (PtMergeTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMergeTable, pt_merge_table_free)
/** A pair that is there already gets the new rank. */
void pt_merge_table_add (PtMergeTable *table, gint32 left, gint32 right, guint32 rank,
                         gint32 merged);

/** A token that nothing merges to. */
#define PT_NO_RANK G_MAXUINT32

/** What may merge: the pairs of a table, or without one any two whose bytes are a token's name. */
typedef struct {
  const PtMergeTable *table;
  const PtVocabulary *vocabulary;
  const guint32 *ranks; /* by id */
} PtMergeRules;

/**
 * Ranks for tokens that have scores, which are finite: the highest first, equal ones alike.
 * @counts: by id, whether anything merges to the token. Free with g_free(); NULL with
 * PT_ERROR_MEMORY.
 */
guint32 *pt_ranks_from_scores (const float *scores, const guint8 *counts, guint n, GError **error);

typedef struct {
  gint32 id; /* -1: of no token */
  gint32 previous, next;
  guint32 begin;   /* in the text; it ends where the next one begins */
  gboolean frozen; /* never merges */
} PtSymbol;

/** PtMerger: working memory. One for each thread. */
typedef struct _PtMerger PtMerger;

PtMerger *pt_merger_new (void);
void pt_merger_free (PtMerger *merger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMerger, pt_merger_free)

/** Begin a list of symbols. */
void pt_merger_clear (PtMerger *merger);
/** Append a symbol that begins at @begin, which never decreases; below 4 GB. */
void pt_merger_add (PtMerger *merger, gint32 id, gsize begin, gboolean frozen);
/** Merge the symbols, which end where @text, of @length bytes, ends. */
void pt_merger_run (PtMerger *merger, const PtMergeRules *rules, const char *text, gsize length);

/** The symbols that are left after pt_merger_run(): start with @at 0, until NULL. */
const PtSymbol *pt_merger_next (const PtMerger *merger, gint32 *at, gsize *end);

/**
 * Also remember which two symbols each token was made of that is marked in @unused, by id: the
 * caller splits such tokens again (docs/formats/tokenizers.md, section 7.4). NULL: none.
 * pt_merger_clear() forgets them.
 */
void pt_merger_remember (PtMerger *merger, const guint8 *unused);
/** How many bytes the left part of token @id had, or 0. */
guint32 pt_merger_recall (const PtMerger *merger, gint32 id);

G_END_DECLS
