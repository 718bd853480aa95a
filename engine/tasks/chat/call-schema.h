/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * A JSON Schema, as text, of an answer that calls one of @tools (a JSON list as chat templates take
 * it): {"name": …, "arguments": …}. @only: the name of the tool, or NULL: any. @answer: a JSON
 * Schema of answers that are no calls and are allowed, too, or NULL. References ("$ref": "#/…") of
 * parameters and of @answer lead to their own parts as before. Free with g_free(). NULL with
 * PT_ERROR_ARGUMENT: no tool has the name @only, or one of the texts is no JSON. Any thread.
 */
char *pt_call_schema (const char *tools, const char *only, const char *answer, GError **error);

/** Whether a tool of @tools has "strict": true: then calls of it have to fit its parameters. */
gboolean pt_tools_are_strict (const char *tools);

/**
 * A JSON Schema, as text, of calls of @tools: {"name": …, "arguments": …}, or a list of these. The
 * arguments of a tool with "strict": true fit its parameters; those of others are any object. Free
 * with g_free(). NULL with PT_ERROR_ARGUMENT: no tool has a name. Any thread.
 */
char *pt_strict_calls_schema (const char *tools, GError **error);

/** Whether @tools has a tool with this name. */
gboolean pt_tools_have (const char *tools, const char *name);

G_END_DECLS
