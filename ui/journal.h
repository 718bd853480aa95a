/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <glib.h>

G_BEGIN_DECLS

/*
 * Journals: files of JSON lines that grow as things happen, so that a killed program loses nothing.
 * All writing happens in one background thread, in order. A line that is cut short is left out when
 * reading.
 */

/** PTERIS_DATA/@kind/STAMP.jsonl, a name that sorts by time and is not in use. Free with g_free().
 */
char *pteris_journal_new_path (const char *kind);

/** The journals of @kind, newest first: file paths. Free with g_strfreev(). Blocking. */
char **pteris_journal_list (const char *kind);

/** Append @record (taken) to @path; the folder is made when missing. */
void pteris_journal_append (const char *path, json_t *record);

/** Delete @path, after what was appended before. */
void pteris_journal_delete (const char *path);

/** Wait until everything is written. */
void pteris_journal_flush (void);

/** The records of @path: an array of json_t; empty when it cannot be read. Blocking. */
GPtrArray *pteris_journal_read (const char *path);

G_END_DECLS
