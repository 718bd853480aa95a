/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/trie.h"

G_BEGIN_DECLS

/**
 * PtUnigram: finds, of all ways to cut a text into pieces, the one with the highest sum of scores
 * (docs/formats/tokenizers.md, section 7.5). Immutable.
 */
typedef struct _PtUnigram PtUnigram;

/**
 * @words: the pieces with their ids; may be sorted. @scores: by id; must outlive the PtUnigram.
 * @always: by id, pieces that always win; likewise, or NULL. @lowest: the lowest score of a piece;
 * characters that no piece has get 10 less.
 */
PtUnigram *pt_unigram_new (PtTrieWord *words, guint n, const float *scores, const guint8 *always,
                           float lowest, GError **error);
/** The same with scores that are summed up without rounding to float in between. */
PtUnigram *pt_unigram_new_exact (PtTrieWord *words, guint n, const double *scores, double lowest,
                                 GError **error);
void pt_unigram_free (PtUnigram *unigram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtUnigram, pt_unigram_free)

/** A piece of a text: it ends at @end and begins where the one before it ended. */
typedef struct {
  guint32 end;
  gint32 id; /* -1: a character that no piece has */
} PtUnigramPiece;

/** Working memory and the sum so far; one for each text and thread. Begin with zeros. */
typedef struct {
  gpointer best;
  gsize allocated;
  double sum;
} PtUnigramScratch;
void pt_unigram_scratch_clear (PtUnigramScratch *scratch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtUnigramScratch, pt_unigram_scratch_clear)

/**
 * Set @pieces (GArray of PtUnigramPiece) to those of @text, below 4 GB. Texts may be given part by
 * part where no piece goes over the cut: sums go on, so that they round as those of the whole.
 */
gboolean pt_unigram_encode (const PtUnigram *unigram, const char *text, gsize length,
                            PtUnigramScratch *scratch, GArray *pieces, GError **error);

G_END_DECLS
