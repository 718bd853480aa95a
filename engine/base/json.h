/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/error.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/**
 * Read all of a regular file of at most @max_bytes and append a zero byte. Other kinds of file and
 * larger ones fail before anything is read. On failure NULL with PT_ERROR_FILE or PT_ERROR_MEMORY.
 * Free with g_free().
 */
char *pt_text_load (const char *path, gsize max_bytes, gsize *length, GError **error);

/**
 * Read a JSON file. Files above @max_bytes and files that are not regular fail before anything is
 * read. Texts with too many values fail before memory is allocated for the values. Free with
 * json_decref().
 */
json_t *pt_json_load (const char *path, gsize max_bytes, GError **error);
/** Parse JSON text that is in memory. @path: only for messages. */
json_t *pt_json_parse (const char *path, const char *text, gsize length, GError **error);

/*
 * Members of @object by key. A missing member or a wrong type gives @fallback. @object may be of
 * any type.
 */

/** The text of @key (zero-terminated), or NULL. Belongs to @object. */
const char *pt_json_string (const json_t *object, const char *key);
gboolean pt_json_bool (const json_t *object, const char *key, gboolean fallback);
/** Accepts whole numbers only. */
gint64 pt_json_int (const json_t *object, const char *key, gint64 fallback);
/** Accepts any number. */
double pt_json_double (const json_t *object, const char *key, double fallback);

/** Serialise @json to one line, and release the caller's reference. Free with g_free(). */
char *pt_json_steal_text (json_t *json);
/** The same with line breaks, for reports that people read, too. */
char *pt_json_steal_lines (json_t *json);

/** Make a JSON string of @text; invalid UTF-8 is repaired. NULL gives JSON null. */
json_t *pt_json_text (const char *text);

G_END_DECLS
