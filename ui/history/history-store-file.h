/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sqlite3.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Opens the history's file (history-store.c) and limits its cost. The file may be damaged or come
 * from elsewhere. It must have exactly the tables of its version. Memory of SQLite, length of
 * values, and CPU time of each piece of work (in proportion to the file) are limited. Any thread.
 */

/** Memory limit of SQLite; it normally uses a few MB, but damaged pages may request any amount. */
#define PTERIS_STORE_MAX_HEAP ((gint64) 96 * 1024 * 1024)

/** Longest text in bytes; the texts that we write are shorter. */
#define PTERIS_STORE_MAX_TEXT (16 * 1024 * 1024)

/**
 * Open the file and upgrade it to this version, or create it. A damaged file is renamed, and
 * @notice is set to a sentence about it (free with g_free()), else to NULL. @forget: a database in
 * memory.
 */
sqlite3 *_pteris_store_open_writer (gboolean forget, char **notice, GError **error);

/** After the writer. */
sqlite3 *_pteris_store_open_reader (gboolean forget, GError **error);

/**
 * Start the limit of CPU time for the next queries of the calling thread. @bytes: of text that it
 * passes; each adds a microsecond.
 */
void _pteris_store_begin_work (gint64 bytes);

/** The most bytes that one query may return: rows are not repeated. */
gint64 _pteris_store_get_max_bytes (void);

/**
 * Set @error from SQLite's last error and return FALSE. If the file turns out to be damaged, it is
 * marked and put aside at the next start; until then readable parts are shown.
 */
gboolean _pteris_store_fail (sqlite3 *db, GError **error);

gboolean _pteris_store_run (sqlite3 *db, const char *sql, GError **error);

/** Whether SQLite's last error is damage of the search index, which can be rebuilt. */
gboolean _pteris_store_words_are_bad (sqlite3 *db);

#define PTERIS_STORE_MEND_WORDS "INSERT INTO words (words) VALUES ('rebuild')"

/** Make the words anew. */
gboolean _pteris_store_mend_words (sqlite3 *db, GError **error);

G_END_DECLS
