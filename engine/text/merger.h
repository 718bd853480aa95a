/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/*
 * Byte-pair merging, which all formats of BPE share (docs/formats/tokenizers.md, section 4): a text
 * is a list of symbols. The adjacent pair with the lowest rank, the leftmost of equals, is merged
 * until no pair can be merged. O(n log n) for n symbols.
 */

/** PtMergeTable: an explicit table of pairs of tokens that merge. */
typedef struct _PtMergeTable PtMergeTable;

/** @n: the most pairs that will be added. NULL with PT_ERROR_MEMORY. */
PtMergeTable *pt_merge_table_new (gsize n, GError **error);
void pt_merge_table_free (PtMergeTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMergeTable, pt_merge_table_free)
/** Add a pair; an existing pair gets the new rank. */
void pt_merge_table_add (PtMergeTable *table, gint32 left, gint32 right, guint32 rank,
                         gint32 merged);

/** The rank of a token that no merge produces. */
#define PT_NO_RANK G_MAXUINT32

/** Rules of merging: the pairs of a table; without a table, any two symbols whose joined bytes are
 * a token. */
typedef struct {
  const PtMergeTable *table;
  const PtVocabulary *vocabulary;
  const guint32 *ranks; /* by id */
} PtMergeRules;

/**
 * Ranks of tokens from finite scores: the highest score has the lowest rank; equal scores have
 * equal ranks. @counts: by id, whether merges may produce the token. Free with g_free(); NULL with
 * PT_ERROR_MEMORY.
 */
guint32 *pt_ranks_from_scores (const float *scores, const guint8 *counts, guint n, GError **error);

typedef struct {
  gint32 id; /* -1: of no token */
  gint32 previous, next;
  guint32 begin;   /* byte offset; it ends where the next symbol begins */
  gboolean frozen; /* never merges */
} PtSymbol;

/** PtMerger: working memory. One for each thread. */
typedef struct _PtMerger PtMerger;

PtMerger *pt_merger_new (void);
void pt_merger_free (PtMerger *merger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMerger, pt_merger_free)

/** Begin a list of symbols. */
void pt_merger_clear (PtMerger *merger);
/** Append a symbol at the byte offset @begin, which must not decrease; below 4 GB. */
void pt_merger_add (PtMerger *merger, gint32 id, gsize begin, gboolean frozen);
/** Merge the symbols; the last one ends at the end of @text (@length bytes). */
void pt_merger_run (PtMerger *merger, const PtMergeRules *rules, const char *text, gsize length);

/** Iterate over the symbols after pt_merger_run(): start with @at 0; NULL: the end. */
const PtSymbol *pt_merger_next (const PtMerger *merger, gint32 *at, gsize *end);

/**
 * Record the two parts of each token marked in @unused (by id), since the caller splits these
 * tokens again (docs/formats/tokenizers.md, section 7.4). NULL: none. pt_merger_clear() clears the
 * record.
 */
void pt_merger_remember (PtMerger *merger, const guint8 *unused);
/** The number of bytes of the left part of token @id; 0: not recorded. */
guint32 pt_merger_recall (const PtMerger *merger, gint32 id);

G_END_DECLS
