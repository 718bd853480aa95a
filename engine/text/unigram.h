/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/trie.h"

G_BEGIN_DECLS

/**
 * PtUnigram: finds the segmentation of a text with the highest sum of scores
 * (docs/formats/tokenizers.md, section 7.5). Immutable.
 */
typedef struct _PtUnigram PtUnigram;

/**
 * @words: the pieces with their ids; may be sorted. @scores: by id; must outlive the PtUnigram.
 * @always: by id, pieces that always win; must outlive the PtUnigram; or NULL. @lowest: the lowest
 * score of a piece; unknown characters score 10 less.
 */
PtUnigram *pt_unigram_new (PtTrieWord *words, guint n, const float *scores, const guint8 *always,
                           float lowest, GError **error);
/** The same with sums of scores in double precision. */
PtUnigram *pt_unigram_new_exact (PtTrieWord *words, guint n, const double *scores, double lowest,
                                 GError **error);
void pt_unigram_free (PtUnigram *unigram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtUnigram, pt_unigram_free)

/** A piece; it ends at @end and begins where the previous one ends. */
typedef struct {
  guint32 end;
  gint32 id; /* -1: an unknown character */
} PtUnigramPiece;

/** Working memory and the running sum, for one text and thread. Initialise with zeros. */
typedef struct {
  gpointer best;
  gsize allocated;
  double sum;
} PtUnigramScratch;
void pt_unigram_scratch_clear (PtUnigramScratch *scratch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtUnigramScratch, pt_unigram_scratch_clear)

/**
 * Segment @text (below 4 GB) into @pieces (GArray of PtUnigramPiece). A text may be passed in parts
 * if no piece crosses their borders: the sum continues, so that it rounds as for the whole text.
 */
gboolean pt_unigram_encode (const PtUnigram *unigram, const char *text, gsize length,
                            PtUnigramScratch *scratch, GArray *pieces, GError **error);

G_END_DECLS
