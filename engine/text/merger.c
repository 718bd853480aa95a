/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/merger.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/allocate.h"

/* ---- pairs ---- */

typedef struct {
  gint32 left, right; /* left < 0: a free slot */
  guint32 rank;
  gint32 merged;
} Merge;

struct _PtMergeTable {
  Merge *merges; /* open addressing, at most half full */
  guint32 mask;
  guint32 seed;
};

PtMergeTable *
pt_merge_table_new (gsize n, GError **error)
{
  g_autoptr (PtMergeTable) self = g_new0 (PtMergeTable, 1);
  guint32 slots = 1024;

  while (slots < 2 * n)
    slots *= 2;
  self->mask = slots - 1;
  self->seed = g_random_int ();
  self->merges = pt_allocate (slots, sizeof (Merge), error);
  if (self->merges == NULL)
    return NULL;
  memset (self->merges, 0xFF, slots * sizeof (Merge));
  return g_steal_pointer (&self);
}

void
pt_merge_table_free (PtMergeTable *self)
{
  if (self == NULL)
    return;
  g_free (self->merges);
  g_free (self);
}

/** Finds the slot of the pair, or the free slot for it. */
static inline Merge *
find_merge (const PtMergeTable *self, gint32 left, gint32 right)
{
  guint64 key = ((guint64) (guint32) left << 32 | (guint32) right) ^ self->seed;
  guint32 slot;

  key *= G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  key ^= key >> 32;
  key *= G_GUINT64_CONSTANT (0xFF51AFD7ED558CCD);
  slot = (guint32) (key >> 32) & self->mask;
  for (;; slot = (slot + 1) & self->mask) {
    Merge *merge = &self->merges[slot];

    if (merge->left < 0 || (merge->left == left && merge->right == right))
      return merge;
  }
}

void
pt_merge_table_add (PtMergeTable *self, gint32 left, gint32 right, guint32 rank, gint32 merged)
{
  *find_merge (self, left, right) = (Merge){ left, right, rank, merged };
}

/* ---- ranks ---- */

typedef struct {
  float score;
  guint id;
} Scored;

static int
compare_scored (const void *a, const void *b)
{
  float x = ((const Scored *) a)->score, y = ((const Scored *) b)->score;

  return (x < y) - (x > y);
}

guint32 *
pt_ranks_from_scores (const float *scores, const guint8 *counts, guint n, GError **error)
{
  g_autofree Scored *scored = pt_allocate (n, sizeof (Scored), error);
  guint32 *ranks = scored != NULL ? pt_allocate (n, sizeof (guint32), error) : NULL;
  guint32 rank = 0;
  guint used = 0;

  if (ranks == NULL)
    return NULL;
  for (guint id = 0; id < n; id++) {
    ranks[id] = PT_NO_RANK;
    if (counts[id])
      scored[used++] = (Scored){ scores[id], id };
  }
  qsort (scored, used, sizeof *scored, compare_scored);
  for (guint i = 0; i < used; i++) {
    if (i > 0 && scored[i].score < scored[i - 1].score)
      rank++;
    ranks[scored[i].id] = rank;
  }
  return ranks;
}

/* ---- working memory ---- */

#define GONE G_MAXUINT32 /* begin of the symbol that was merged into the one before */

/* Two adjacent symbols that may merge: bytes from the begin of the left one over @middle to @end.
 */
typedef struct {
  guint32 rank;
  gint32 position; /* of the left symbol */
  guint32 middle, end;
  gint32 merged;
} Pair;

struct _PtMerger {
  GArray *symbols;      /* PtSymbol */
  GArray *heap;         /* Pair */
  const guint8 *unused; /* or NULL */
  GHashTable *lefts;    /* id to length; or NULL */
  gsize length;         /* of the text */
};

PtMerger *
pt_merger_new (void)
{
  PtMerger *self = g_new0 (PtMerger, 1);

  self->symbols = g_array_new (FALSE, FALSE, sizeof (PtSymbol));
  self->heap = g_array_new (FALSE, FALSE, sizeof (Pair));
  return self;
}

void
pt_merger_free (PtMerger *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->symbols);
  g_array_unref (self->heap);
  g_clear_pointer (&self->lefts, g_hash_table_unref);
  g_free (self);
}

void
pt_merger_clear (PtMerger *self)
{
  g_array_set_size (self->symbols, 0);
  self->unused = NULL;
}

void
pt_merger_add (PtMerger *self, gint32 id, gsize begin, gboolean frozen)
{
  PtSymbol symbol = { id, (gint32) self->symbols->len - 1, (gint32) self->symbols->len + 1,
                      (guint32) begin, frozen };

  g_array_append_val (self->symbols, symbol);
}

const PtSymbol *
pt_merger_next (const PtMerger *self, gint32 *at, gsize *end)
{
  const PtSymbol *symbols = (const PtSymbol *) (gconstpointer) self->symbols->data;
  const PtSymbol *symbol;

  if ((guint) *at >= self->symbols->len)
    return NULL;
  symbol = &symbols[*at];
  *at = symbol->next;
  *end = (guint) symbol->next < self->symbols->len ? symbols[symbol->next].begin : self->length;
  return symbol;
}

void
pt_merger_remember (PtMerger *self, const guint8 *unused)
{
  self->unused = unused;
  if (unused == NULL)
    return;
  if (self->lefts == NULL)
    self->lefts = g_hash_table_new (NULL, NULL);
  g_hash_table_remove_all (self->lefts);
}

guint32
pt_merger_recall (const PtMerger *self, gint32 id)
{
  if (self->unused == NULL)
    return 0;
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->lefts, GINT_TO_POINTER (id)));
}

/* ---- the heap ---- */

static inline gboolean
pair_before (const Pair *a, const Pair *b)
{
  return a->rank != b->rank ? a->rank < b->rank : a->position < b->position;
}

static void
heap_push (GArray *heap, Pair pair)
{
  Pair *pairs;
  guint i = heap->len;

  g_array_append_val (heap, pair);
  pairs = (Pair *) (gpointer) heap->data;
  while (i > 0 && pair_before (&pair, &pairs[(i - 1) / 2])) {
    pairs[i] = pairs[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  pairs[i] = pair;
}

static Pair
heap_pop (GArray *heap)
{
  Pair *pairs = (Pair *) (gpointer) heap->data;
  Pair top = pairs[0], last = pairs[heap->len - 1];
  guint n = heap->len - 1, i = 0;

  g_array_set_size (heap, n);
  for (;;) {
    guint child = 2 * i + 1;

    if (child >= n)
      break;
    if (child + 1 < n && pair_before (&pairs[child + 1], &pairs[child]))
      child++;
    if (!pair_before (&pairs[child], &last))
      break;
    pairs[i] = pairs[child];
    i = child;
  }
  if (n > 0)
    pairs[i] = last;
  return top;
}

/* ---- merging ---- */

typedef struct {
  PtMerger *merger;
  const PtMergeRules *rules;
  PtSymbol *symbols;
  guint n;
  const char *text;
  guint32 length;
} Run;

static inline guint32
end_of (const Run *run, const PtSymbol *symbol)
{
  return (guint) symbol->next < run->n ? run->symbols[symbol->next].begin : run->length;
}

/** Looks up the merge of two symbols; FALSE: they do not merge. */
static inline gboolean
find_pair (const Run *run, const PtSymbol *left, const PtSymbol *right, Pair *pair)
{
  const PtMergeRules *rules = run->rules;

  if (rules->table != NULL) {
    const Merge *merge = find_merge (rules->table, left->id, right->id);

    pair->rank = merge->rank;
    pair->merged = merge->merged;
    return merge->left >= 0;
  }
  pair->merged =
      pt_vocabulary_find (rules->vocabulary, run->text + left->begin, pair->end - left->begin);
  if (pair->merged < 0)
    return FALSE;
  pair->rank = rules->ranks[pair->merged];
  return pair->rank != PT_NO_RANK;
}

static void
consider (const Run *run, gint32 position)
{
  const PtSymbol *left, *right;
  PtMerger *merger = run->merger;
  Pair pair;

  if (position < 0)
    return;
  left = &run->symbols[position];
  if ((guint) left->next >= run->n)
    return;
  right = &run->symbols[left->next];
  if (left->frozen || right->frozen)
    return;
  pair.position = position;
  pair.middle = right->begin;
  pair.end = end_of (run, right);
  if (!find_pair (run, left, right, &pair))
    return;
  heap_push (merger->heap, pair);
  if (merger->unused != NULL && merger->unused[pair.merged])
    g_hash_table_insert (merger->lefts, GINT_TO_POINTER (pair.merged),
                         GUINT_TO_POINTER (right->begin - left->begin));
}

/** Whether one of the two symbols has been merged since. */
static gboolean
is_stale (const Run *run, const Pair *pair)
{
  const PtSymbol *left = &run->symbols[pair->position];
  const PtSymbol *right;

  if (left->begin == GONE || (guint) left->next >= run->n)
    return TRUE;
  right = &run->symbols[left->next];
  return right->begin != pair->middle || end_of (run, right) != pair->end;
}

void
pt_merger_run (PtMerger *self, const PtMergeRules *rules, const char *text, gsize length)
{
  Run run = {
    self, rules,           (PtSymbol *) (gpointer) self->symbols->data, self->symbols->len,
    text, (guint32) length
  };

  self->length = length;
  g_array_set_size (self->heap, 0);
  for (guint i = 0; i + 1 < run.n; i++)
    consider (&run, (gint32) i);
  while (self->heap->len > 0) {
    Pair pair = heap_pop (self->heap);
    PtSymbol *left = &run.symbols[pair.position];
    PtSymbol *right;

    if (is_stale (&run, &pair))
      continue;
    right = &run.symbols[left->next];
    left->id = pair.merged;
    left->next = right->next;
    right->begin = GONE;
    if ((guint) left->next < run.n)
      run.symbols[left->next].previous = pair.position;
    consider (&run, left->previous);
    consider (&run, pair.position);
  }
}
