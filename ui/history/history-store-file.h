/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sqlite3.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * The file behind the history (history-store.c): opening it, and what it may cost.
 *
 * It may be damaged, or somebody else's. It must have the tables of its version and nothing else;
 * SQLite gets a limited memory, values a limited length, and each piece of work a limited time of
 * the processor, in proportion to the file. For any thread.
 */

/** What SQLite may take, of which it uses a few MB: damaged pages ask for what they like. */
#define PTERIS_STORE_MAX_HEAP ((gint64) 96 * 1024 * 1024)

/** Bytes; no text that we write is longer. */
#define PTERIS_STORE_MAX_TEXT (16 * 1024 * 1024)

/**
 * Open the file and bring it to this version, or begin a new one. One that is damaged is put aside,
 * which @notice says in a sentence (free with g_free()); otherwise it is NULL. @forget: in memory.
 */
sqlite3 *_pteris_store_open_writer (gboolean forget, char **notice, GError **error);

/** After the writer. */
sqlite3 *_pteris_store_open_reader (gboolean forget, GError **error);

/**
 * From here on, what the calling thread asks of the file may take so much time, and no more.
 * @bytes: of text that it brings with it, each of which may take a microsecond.
 */
void _pteris_store_begin_work (gint64 bytes);

/** How many bytes one question may bring: no row is there twice. */
gint64 _pteris_store_get_max_bytes (void);

/**
 * Set @error to what SQLite said last. A file that shows its damage only now is marked, so that it
 * is put aside at the next start: until then what can be read is shown. Returns FALSE.
 */
gboolean _pteris_store_fail (sqlite3 *db, GError **error);

gboolean _pteris_store_run (sqlite3 *db, const char *sql, GError **error);

/** Whether what SQLite said last is that the words to search for, all found elsewhere, are bad. */
gboolean _pteris_store_words_are_bad (sqlite3 *db);

#define PTERIS_STORE_MEND_WORDS "INSERT INTO words (words) VALUES ('rebuild')"

/** Make the words anew. */
gboolean _pteris_store_mend_words (sqlite3 *db, GError **error);

G_END_DECLS
