/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/error.h>

#include "ui/history/hit.h"

G_BEGIN_DECLS

/*
 * The history: PTERIS_DATA/history.db, an SQLite file (not encrypted) with every conversation and
 * transcript.
 *
 * One background thread writes in order; queued statements are joined to one transaction. A program
 * that is killed loses at most what is still queued: milliseconds, unless the disk is slow. A
 * damaged file is renamed, and a new one is created.
 */

/** A new row id: above all earlier ones; it is the time in microseconds. Any thread. */
gint64 pteris_store_new_id (void);

/**
 * Queue a statement. UI thread; never blocks.
 *
 * @sql: must be static
 * @types: of the arguments: 'i' gint64, 'd' double, 's' UTF-8 text or NULL, 'b' GBytes
 */
void pteris_store_write (const char *sql, const char *types, ...);

typedef struct _PterisRow PterisRow;

gint64 pteris_row_int (const PterisRow *row, int column);
double pteris_row_double (const PterisRow *row, int column);
/** Valid during the call; NULL for a column without a value. */
const char *pteris_row_text (const PterisRow *row, int column);

/** Valid during the call; NULL for a column that holds something else. */
gconstpointer pteris_row_bytes (const PterisRow *row, int column, gsize *size);

typedef void (*PterisRowFunc) (const PterisRow *row, gpointer user_data);

/**
 * Call @func for every row of @sql, after all that was queued before has been written. Blocks: not
 * on the UI thread.
 */
gboolean pteris_store_read (GError **error, PterisRowFunc func, gpointer user_data, const char *sql,
                            const char *types, ...);

/**
 * Search for texts with all words of @query, or words that begin with them, in conversations (@kind
 * "chat") or transcripts ("transcript"). Returns PterisHits, one for each owner, the best first.
 * Blocks. Free with g_ptr_array_unref(); NULL with @error.
 */
GPtrArray *pteris_store_search (const char *query, const char *kind, GError **error);

/** Wait until the queue is written. */
void pteris_store_flush (void);

/**
 * Whether to keep the history on disk, else in memory. Call it before any other function. An
 * existing file is not deleted.
 */
void pteris_store_set_keep (gboolean keep);

/**
 * Set the function that is called on the UI thread with sentences for the user: a damaged history
 * was put aside, or nothing can be saved. NULL: none.
 */
typedef void (*PterisStoreListener) (const char *sentence, gpointer user_data);
void pteris_store_set_listener (PterisStoreListener listener, gpointer user_data);

/** The sentence why nothing can be saved; or NULL. Free with g_free(). Any thread. */
char *pteris_store_get_error (void);

/** Flush, and close the file. */
void pteris_store_close (void);

G_END_DECLS
