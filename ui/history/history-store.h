/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * The history: PTERIS_DATA/history.db, an SQLite file (not encrypted) with every conversation and
 * transcript.
 *
 * One background thread writes, in order, as things happen; what has queued up meanwhile goes into
 * one transaction. A program that is killed loses nothing that it had shown. A file that is damaged
 * is put aside and a new one begun.
 */

/** A number for a new row: above every earlier one, and its time in microseconds. Any thread. */
gint64 pteris_store_new_id (void);

/**
 * Queue a statement. UI thread; never blocks.
 *
 * @sql: must be static
 * @types: of the arguments: 'i' gint64, 'd' double, 's' UTF-8 text or NULL
 */
void pteris_store_write (const char *sql, const char *types, ...);

typedef struct _PterisRow PterisRow;

gint64 pteris_row_int (const PterisRow *row, int column);
double pteris_row_double (const PterisRow *row, int column);
/** Valid during the call; NULL for a column without a value. */
const char *pteris_row_text (const PterisRow *row, int column);

typedef void (*PterisRowFunc) (const PterisRow *row, gpointer user_data);

/**
 * Call @func for every row of @sql, after all that was queued before has been written. Blocks: not
 * on the UI thread.
 */
gboolean pteris_store_read (GError **error, PterisRowFunc func, gpointer user_data, const char *sql,
                            const char *types, ...);

/**
 * What has all words of @query, or words that begin like them, in one of its texts, best first: ids
 * of conversations (@kind "chat") or transcripts ("transcript"). Blocks. Free with
 * g_array_unref(); NULL with @error.
 */
GArray *pteris_store_search (const char *query, const char *kind, GError **error);

/** Wait until all that was queued is written. */
void pteris_store_flush (void);

/**
 * Whether to keep the history on disk; otherwise it is forgotten at the end. To be said before
 * anything else; what is on disk stays there.
 */
void pteris_store_set_keep (gboolean keep);

/**
 * Have @listener called, on the UI thread, with each sentence that the user should read: that a
 * damaged history was put aside, or why nothing can be kept. NULL: nobody.
 */
typedef void (*PterisStoreListener) (const char *sentence, gpointer user_data);
void pteris_store_set_listener (PterisStoreListener listener, gpointer user_data);

/** Why nothing can be kept, a sentence; or NULL. Free with g_free(). Any thread. */
char *pteris_store_get_error (void);

/** Flush, and close the file. */
void pteris_store_close (void);

G_END_DECLS
