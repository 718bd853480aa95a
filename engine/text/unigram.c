/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/unigram.h"

#include "engine/base/allocate.h"

#define UNKNOWN_PENALTY 10.0
/* Score of each byte but one of a piece that always wins. */
#define BONUS 0.1f

struct _PtUnigram {
  PtTrie *trie;
  const float *scores; /* exact scores, or NULL: sums of @scores are rounded to float each time */
  const double *exact;
  const guint8 *always;
  double unknown;
};

/* The best segmentation up to a position: its last piece and its sum. */
typedef struct {
  gint32 id;
  guint32 begin; /* NOWHERE: not reached yet */
  double sum;
} Best;

#define NOWHERE G_MAXUINT32

PtUnigram *
pt_unigram_new (PtTrieWord *words, guint n, const float *scores, const guint8 *always, float lowest,
                GError **error)
{
  g_autoptr (PtUnigram) self = g_new0 (PtUnigram, 1);

  self->scores = scores;
  self->always = always;
  self->unknown = (float) (lowest - UNKNOWN_PENALTY);
  self->trie = pt_trie_new (words, n, error);
  return self->trie != NULL ? g_steal_pointer (&self) : NULL;
}

PtUnigram *
pt_unigram_new_exact (PtTrieWord *words, guint n, const double *scores, double lowest,
                      GError **error)
{
  g_autoptr (PtUnigram) self = g_new0 (PtUnigram, 1);

  self->exact = scores;
  self->unknown = lowest - UNKNOWN_PENALTY;
  self->trie = pt_trie_new (words, n, error);
  return self->trie != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_unigram_free (PtUnigram *self)
{
  if (self == NULL)
    return;
  pt_trie_free (self->trie);
  g_free (self);
}

void
pt_unigram_scratch_clear (PtUnigramScratch *scratch)
{
  g_clear_pointer (&scratch->best, g_free);
}

static gboolean
reserve (PtUnigramScratch *scratch, gsize length, GError **error)
{
  gsize wanted = MAX (2 * length, 256);

  if (length < scratch->allocated)
    return TRUE;
  g_free (scratch->best);
  scratch->allocated = 0;
  scratch->best = pt_allocate (wanted, sizeof (Best), error);
  if (scratch->best == NULL)
    return FALSE;
  scratch->allocated = wanted;
  return TRUE;
}

/* Of segmentations with equal sums the first one is kept. */
static inline void
offer (Best *best, guint32 begin, gint32 id, double sum)
{
  if (best->begin == NOWHERE || sum > best->sum)
    *best = (Best){ id, begin, sum };
}

/** Adds the score of piece @id, or of an unknown character (-1). */
static inline double
add_score (const PtUnigram *self, gint32 id, double sum)
{
  double score = id < 0 ? self->unknown : self->exact != NULL ? self->exact[id] : self->scores[id];

  return self->exact != NULL ? score + sum : (double) (float) (score + sum);
}

/** Extends the segmentation from @begin, whose character has @size bytes, by every matching piece.
 * */
static void
extend (const PtUnigram *self, const char *text, guint32 begin, guint32 size, guint32 length,
        Best *best)
{
  double sum = best[begin].sum;
  gboolean whole = FALSE; /* the character is a piece */
  guint32 node = 0;

  for (guint32 end = begin + 1; end <= length; end++) {
    gint32 id;

    node = pt_trie_step (self->trie, node, (guint8) text[end - 1]);
    if (node == 0)
      break;
    id = pt_trie_value (self->trie, node);
    if (id < 0)
      continue;
    if (self->always != NULL && self->always[id])
      offer (&best[end], begin, id, (float) (end - begin) * BONUS - BONUS + (float) sum);
    else
      offer (&best[end], begin, id, add_score (self, id, sum));
    whole = whole || end - begin == size;
  }
  if (!whole)
    offer (&best[begin + size], begin, -1, add_score (self, -1, sum));
}

gboolean
pt_unigram_encode (const PtUnigram *self, const char *text, gsize length, PtUnigramScratch *scratch,
                   GArray *pieces, GError **error)
{
  guint32 n = (guint32) length;
  Best *best;
  guint count = 0;

  g_array_set_size (pieces, 0);
  if (!reserve (scratch, length + 1, error))
    return FALSE;
  best = scratch->best;
  best[0].sum = scratch->sum;
  for (guint32 i = 1; i <= n; i++)
    best[i].begin = NOWHERE;
  for (guint32 i = 0, size; i < n; i += size) {
    size = MIN ((guint32) g_utf8_skip[(guint8) text[i]], n - i);
    extend (self, text, i, size, n, best);
  }
  scratch->sum = best[n].sum;
  for (guint32 end = n; end > 0; end = best[end].begin)
    count++;
  g_array_set_size (pieces, count);
  for (guint32 end = n; end > 0; end = best[end].begin)
    g_array_index (pieces, PtUnigramPiece, --count) = (PtUnigramPiece){ end, best[end].id };
  return TRUE;
}
