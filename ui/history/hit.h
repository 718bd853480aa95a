/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Something that a search in the history has found. Plain data that owns its text. */
typedef struct {
  gint64 owner;  /* id of the conversation or transcript */
  gint64 place;  /* id of the message or segment; 0: the title was found */
  char *passage; /* the text there; NULL with the title */
  double score;  /* by meaning: the cosine of the angle to the query; else 0 */
} PterisHit;

PterisHit *pteris_hit_new (gint64 owner, gint64 place, const char *passage, double score);
void pteris_hit_free (PterisHit *hit);

/** A list of hits; free with g_ptr_array_unref(). */
GPtrArray *pteris_hits_new (void);

/** The hit of @owner in @hits, or NULL. Not a copy. */
PterisHit *pteris_hits_find (GPtrArray *hits, gint64 owner);

/**
 * One list from two, each the best first and with one hit for each owner: the sum of 1 / (60 +
 * rank) in both lists decides. An owner in both keeps the hit of @exact, unless that is a title.
 * The hits move out of both lists.
 */
GPtrArray *pteris_hits_merge (GPtrArray *exact, GPtrArray *by_meaning);

G_END_DECLS
