/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/grammar/json-schema.h"
#include "engine/text/grammar/json-text.h"

G_BEGIN_DECLS

/** Types of values, as bits. Whole numbers are also numbers. */
typedef enum {
  PT_TYPE_NULL = 1 << 0,
  PT_TYPE_BOOLEAN = 1 << 1,
  PT_TYPE_INTEGER = 1 << 2,
  PT_TYPE_NUMBER = 1 << 3,
  PT_TYPE_STRING = 1 << 4,
  PT_TYPE_ARRAY = 1 << 5,
  PT_TYPE_OBJECT = 1 << 6,
  PT_TYPE_ALL = (1 << 7) - 1,
} PtJsonType;

/** What a keyword is about. */
typedef enum {
  PT_KEYWORD_UNKNOWN,
  PT_KEYWORD_NOTE, /* for people, or a place for schemas that are used elsewhere
                    */
  PT_KEYWORD_CORE,
  PT_KEYWORD_LITERAL, /* enum, const */
  PT_KEYWORD_NUMBER,
  PT_KEYWORD_STRING,
  PT_KEYWORD_ARRAY,
  PT_KEYWORD_OBJECT,
} PtKeywordKind;

/** A schema that is being compiled. */
typedef struct {
  PtGrammar *grammar;
  const json_t *root;
  GHashTable *rules; /* number of the rule, plus 1, by the schema that a $ref
                        leads to */
  GArray *pending;   /* PendingRule: rules whose schema was not compiled yet */
  GPtrArray *owned;  /* json_t: schemas that were made of others */
  GString *path;     /* of the current schema: "#/properties/name" */
  guint depth;
  guint work;                /* schemas and members that were looked at */
  guint any_rule, pair_rule; /* of any value, and of any property; 0: not there
                                yet, else plus 1 */
  GError **error;
  gboolean failed;
} PtSchema;

/** Set the error, with the place in the schema behind it. Returns
 * PT_NODE_NEVER, also when an error was set before. */
PtNode pt_schema_fail (PtSchema *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** The same for a keyword that has a wrong value. */
PtNode pt_schema_fail_value (PtSchema *self, const char *keyword, const char *expected);

/** Go to a part of the current schema for messages: pt_schema_leave() with the
 * result goes back. */
gsize pt_schema_enter (PtSchema *self, const char *keyword, const char *name);
gsize pt_schema_enter_at (PtSchema *self, const char *keyword, gsize index);
void pt_schema_leave (PtSchema *self, gsize path_length);

/** Count @n steps of work. FALSE with an error when it is too much. */
gboolean pt_schema_work (PtSchema *self, gsize n);

PtKeywordKind pt_schema_keyword (const char *name);

/** A value of the schema @json in front of @next (json-schema.c). */
PtNode pt_schema_value (PtSchema *self, const json_t *json, PtNode next);
/** Any value. */
PtNode pt_schema_any (PtSchema *self, PtNode next);
/** A rule for @json. */
guint pt_schema_rule (PtSchema *self, const json_t *json);

/** Types that @json allows by its "type"; all without it; 0 with an error
 * (schema-merge.c). */
guint pt_schema_types (PtSchema *self, const json_t *json);
/** Values that "enum" and "const" leave over, as a list; NULL: neither is
 * there, or an error. Free with json_decref(). */
json_t *pt_schema_literals (PtSchema *self, const json_t *json);
/** A whole number that is not negative, or @fallback (json-schema.c). */
gboolean pt_schema_count (PtSchema *self, const json_t *json, const char *keyword, guint32 *count);

/** What "$ref" of @json leads to, or NULL with an error (schema-merge.c). */
const json_t *pt_schema_resolve (PtSchema *self, const json_t *json);
/** A schema for what both accept; owned by @self. NULL with an error: it cannot
 * be made. */
const json_t *pt_schema_merge (PtSchema *self, const json_t *a, const json_t *b);
/** @json without "$ref" and "allOf", which are merged into it. NULL with an
 * error. */
const json_t *pt_schema_expand (PtSchema *self, const json_t *json);
/** @json without the member @keyword. */
const json_t *pt_schema_without (PtSchema *self, const json_t *json, const char *keyword);
/** Whether @json has a member that is no note. */
gboolean pt_schema_says_something (const json_t *json);
/** Whether no value can satisfy both, as far as that is easily seen. */
gboolean pt_schema_are_apart (PtSchema *self, const json_t *a, const json_t *b, guint depth);

/* Values of a type (schema-types.c). */
PtNode pt_schema_number (PtSchema *self, const json_t *json, gboolean is_whole, PtNode next);
PtNode pt_schema_string (PtSchema *self, const json_t *json, PtNode next);
PtNode pt_schema_array (PtSchema *self, const json_t *json, PtNode next);
PtNode pt_schema_object (PtSchema *self, const json_t *json, PtNode next);

G_END_DECLS
