/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/error.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/**
 * The contents of a regular file of at most @max_bytes, with a zero behind them; anything else is
 * refused before it is read. All of it, or PT_ERROR_FILE. Free with g_free().
 */
char *pt_text_load (const char *path, gsize max_bytes, gsize *length, GError **error);

/**
 * Read a JSON file. Files above @max_bytes and things that are no regular file are refused
 * before anything is read, and values that would fill the memory before they are made. Free with
 * json_decref().
 */
json_t *pt_json_load (const char *path, gsize max_bytes, GError **error);
/** The same for what has been read; @path: for errors. */
json_t *pt_json_parse (const char *path, const char *text, gsize length, GError **error);

/* Reading members of objects that may be anything: the fallback for a wrong type or no member. */

/** The text of @key (zero-terminated), or NULL. Belongs to @object. */
const char *pt_json_string (const json_t *object, const char *key);
gboolean pt_json_bool (const json_t *object, const char *key, gboolean fallback);
/** Whole numbers only. */
gint64 pt_json_int (const json_t *object, const char *key, gint64 fallback);
/** Any number. */
double pt_json_double (const json_t *object, const char *key, double fallback);

/** One line of JSON; consumes the reference to @json. Free with g_free(). */
char *pt_json_steal_text (json_t *json);

/** @text as a JSON string, made valid UTF-8 where it is not; NULL gives null. */
json_t *pt_json_text (const char *text);

G_END_DECLS
