/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sqlite3.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Chats and transcripts of version 0.1, which were files of JSON lines: pteris/chats/STAMP.jsonl
 * and pteris/transcripts/STAMP.jsonl in the user's data folder, where STAMP is the time of the
 * first line (UTC) and a number, "20261121-174512-000000-0001".
 */

/**
 * Take them into the history @db, which has the tables of this version. Then the folders are
 * renamed to chats.old and transcripts.old. A file that is not of this form is left out. What a
 * crash interrupted is gone on with at the next start, and nothing is taken twice. FALSE with
 * PT_ERROR_FILE: nothing can be written now; the folders stay. Blocks; any thread.
 */
gboolean _pteris_store_take_journals (sqlite3 *db, GError **error);

G_END_DECLS
