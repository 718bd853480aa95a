/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/grammar/grammar.h"

G_BEGIN_DECLS

/**
 * Put a JSON string in front of @next whose characters match @pattern, a
 * regular expression of ECMA-262 (docs/formats/grammar.md, section 2.4). As in
 * JSON Schema it may match anywhere in the text unless it has ^ and $.
 * PT_NODE_NEVER with PT_ERROR_ARGUMENT: it is faulty, or has what is not
 * regular or not supported.
 */
PtNode pt_string_pattern (PtGrammar *grammar, const char *pattern, PtNode next, GError **error);

/** The pattern of a format of JSON Schema ("date", "uuid"), or NULL. */
const char *pt_format_pattern (const char *format);

G_END_DECLS
