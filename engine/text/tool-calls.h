/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <glib.h>

G_BEGIN_DECLS

/*
 * Calls of tools in the answers of models, in the form of each family
 * (docs/formats/tokenizers.md, section 10.8). Any thread.
 */

/** A call that a model asks for. */
typedef struct {
  char *name;
  json_t *arguments; /* an object */
} PtToolCall;

/**
 * Find the calls in @text, an answer with its special tokens: PtToolCall, in order; empty if there
 * are none. Incomplete calls are left out. Free with g_ptr_array_unref().
 */
GPtrArray *pt_tool_calls_parse (const char *text);

/** Find the calls in @text as the JSON list that chat templates and other programs use:
 * {"name", "arguments"}. Free with json_decref(). */
json_t *pt_tool_calls_json (const char *text);

/** Bytes of the longest mark of a call. */
#define PT_TOOL_CALLS_MAX_MARK 20

/** The text behind the first mark of a call in @text ("<tool_call>"…); NULL: there is no mark. */
const char *pt_tool_calls_find_mark (const char *text);

G_END_DECLS
