/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/hit.h"

/* Of reciprocal rank fusion; the usual value. */
#define RANK_OFFSET 60.0

PterisHit *
pteris_hit_new (gint64 owner, gint64 place, const char *passage, double score)
{
  PterisHit *hit = g_new (PterisHit, 1);

  *hit = (PterisHit){ owner, place, g_strdup (passage), score };
  return hit;
}

void
pteris_hit_free (PterisHit *hit)
{
  if (hit != NULL)
    g_free (hit->passage);
  g_free (hit);
}

GPtrArray *
pteris_hits_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_hit_free);
}

PterisHit *
pteris_hits_find (GPtrArray *hits, gint64 owner)
{
  for (guint i = 0; i < hits->len; i++)
    if (((PterisHit *) hits->pdata[i])->owner == owner)
      return hits->pdata[i];
  return NULL;
}

/* ---- merging ---- */

typedef struct {
  PterisHit *hit;
  double weight;
  guint number; /* keeps the order of equals */
} Ranked;

static int
compare (gconstpointer a, gconstpointer b)
{
  const Ranked *first = a, *second = b;

  if (first->weight != second->weight)
    return first->weight > second->weight ? -1 : 1;
  return first->number < second->number ? -1 : 1;
}

/* Moves the hits of @list to @all, which knows the places of owners there. */
static void
take (GPtrArray *list, GArray *all, GHashTable *places)
{
  for (guint i = 0; i < list->len; i++) {
    PterisHit *hit = g_steal_pointer (&list->pdata[i]);
    guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &hit->owner));
    Ranked ranked = { hit, 1 / (RANK_OFFSET + i + 1), all->len };
    Ranked *there;

    if (place == 0) {
      g_array_append_val (all, ranked);
      g_hash_table_insert (places, &hit->owner, GUINT_TO_POINTER (all->len));
      continue;
    }
    there = &g_array_index (all, Ranked, place - 1);
    there->weight += ranked.weight;
    there->hit->score = MAX (there->hit->score, hit->score);
    if (there->hit->passage == NULL) {
      there->hit->place = hit->place;
      there->hit->passage = g_steal_pointer (&hit->passage);
    }
    pteris_hit_free (hit);
  }
  g_ptr_array_set_size (list, 0);
}

GPtrArray *
pteris_hits_merge (GPtrArray *exact, GPtrArray *by_meaning)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Ranked));
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  GPtrArray *hits = pteris_hits_new ();

  take (exact, all, places);
  take (by_meaning, all, places);
  g_array_sort (all, compare);
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (hits, g_array_index (all, Ranked, i).hit);
  return hits;
}
