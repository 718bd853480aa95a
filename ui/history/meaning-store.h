/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/history/history-store.h"
#include "ui/history/passages.h"
#include "ui/history/vectors.h"

G_BEGIN_DECLS

/*
 * Vectors of what is in the history, for the search by meaning. A unit is what gets its vectors at
 * once: a message, or a transcript with all its segments. A row of the table `meaning` has all
 * vectors of a unit (vectors.h), so a killed program leaves whole units. Vectors of another model
 * do not count; they are replaced unit by unit.
 */

/** The number of a model in the database, from a text that says which files it is. */
gint64 pteris_meaning_model (const char *identity);

/** A unit without vectors. */
typedef struct {
  gint64 id, owner;
  const char *kind; /* "chat" or "transcript" */
  GPtrArray *texts; /* char *: of the passages */
  GArray *passages; /* PterisPassage, as PterisRecord has it */
  GArray *places;   /* gint64 */
} PterisUnit;

void pteris_unit_free (PterisUnit *unit);

/** At most @most units that have no vectors of @model, the newest first: of PterisUnit. Blocks.
 * Free with g_ptr_array_unref(); NULL with @error. */
GPtrArray *pteris_meaning_read (gint64 model, guint most, GError **error);

/** How many units there are, and how many of them have vectors of @model. Blocks. */
gboolean pteris_meaning_count (gint64 model, guint *n_done, guint *n_units, GError **error);

/** Queue writing the vectors of @unit: records of @width numbers; an empty unit has none. UI
 * thread.
 */
void pteris_meaning_write (const PterisUnit *unit, gint64 model, guint width, GBytes *records);

/** Queue deleting the vectors of a unit whose text has changed or is gone. */
void pteris_meaning_forget (gint64 unit);
/** The same for all units of a conversation or transcript, and for all. */
void pteris_meaning_forget_owner (gint64 owner);
void pteris_meaning_forget_all (void);
/** Say that a unit is new or has changed without pteris_meaning_forget(). */
void pteris_meaning_touch (void);

/** How often any text has changed; any thread. Vectors of texts that were read at another number
 * must not be written. */
guint pteris_meaning_get_changes (void);

/** Set the function that is called on the UI thread after changes; NULL: none. */
void pteris_meaning_set_listener (void (*func) (gpointer user_data), gpointer user_data);

/**
 * The passages whose vectors of @model are nearest to @query, in conversations (@kind "chat") or
 * transcripts ("transcript"): PterisHits, one for each owner, the best first. All vectors are
 * compared. A passage counts from a cosine of 0.25 on, and among many also only when it stands out
 * from their mean by two standard deviations. Blocks. Free with g_ptr_array_unref(); NULL with
 * @error.
 */
GPtrArray *pteris_meaning_search (const PterisQuery *query, gint64 model, const char *kind,
                                  GError **error);

G_END_DECLS
