/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/partition.h"

#include "engine/tasks/speak/phonemes.h"

/* The cost of ending a piece at a character, as in react-native-executorch. */
static const guint32 COSTS[] = {
  [PT_BREAK_NONE] = 100000,
  [PT_BREAK_SENTENCE] = 1,
  [PT_BREAK_PAUSE] = 3,
  [PT_BREAK_SPACE] = 1000,
};

#define NO_END G_MAXSIZE

/* The best way to end a piece behind a phoneme. */
typedef struct {
  guint64 cost;
  gsize previous; /* the last phoneme of the piece before, or NO_END */
} Best;

/* Tries to end a piece behind each phoneme of kind @kind before @i. */
static void
try_kind (Best *best, const gunichar *phonemes, gsize i, guint limit, PtBreak kind)
{
  for (gsize k = i > limit ? i - limit : 1; k < i; k++) {
    guint64 cost = best[k].cost + COSTS[kind];

    if (pt_phoneme_break (phonemes[k]) == kind && cost < best[i].cost) {
      best[i].cost = cost;
      best[i].previous = k;
    }
  }
}

static int
compare_ends (gconstpointer a, gconstpointer b)
{
  gsize x = *(const gsize *) a, y = *(const gsize *) b;

  return x < y ? -1 : x > y;
}

GArray *
pt_partition (const gunichar *phonemes, gsize n, guint limit)
{
  static const PtBreak KINDS[] = { PT_BREAK_SENTENCE, PT_BREAK_PAUSE, PT_BREAK_SPACE };
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autofree Best *best = g_new (Best, n);

  for (gsize i = 0; i < n; i++) {
    best[i] = (Best){ i + 1 <= limit ? 0 : G_MAXUINT64, NO_END };
    for (guint k = 0; best[i].cost > 0 && k < G_N_ELEMENTS (KINDS); k++)
      try_kind (best, phonemes, i, limit, KINDS[k]);
    if (i >= limit && best[i - limit].cost + COSTS[PT_BREAK_NONE] < best[i].cost)
      best[i] = (Best){ best[i - limit].cost + COSTS[PT_BREAK_NONE], i - limit };
  }
  for (gsize i = n > 0 ? n - 1 : NO_END; i != NO_END; i = best[i].previous) {
    gsize end = i + 1;

    g_array_append_val (ends, end);
  }
  g_array_sort (ends, compare_ends);
  return ends;
}
