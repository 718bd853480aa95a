/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/grammar/grammar.h"

G_BEGIN_DECLS

/*
 * Pieces of JSON texts as nodes of a grammar (docs/formats/grammar.md,
 * section 2.2). As everywhere, a piece is put in front of @next.
 */

/** Nothing, a space, or a line break with up to 16 spaces or tabs. */
PtNode pt_json_space (PtGrammar *grammar, PtNode next);

/** A character of a string from @set, sorted code points, in the one form that
 * it has here: quotes, backslashes and control characters are escaped, all
 * others are not. */
PtNode pt_json_characters (PtGrammar *grammar, const GArray *set, PtNode next);

/** A whole string of @least to @most characters, with any escapes but that of
 * U+0000. */
PtNode pt_json_string_of (PtGrammar *grammar, guint32 least, guint32 most, PtNode next);

/** The key of a property, with the colon and the space behind it. @key: UTF-8.
 */
PtNode pt_json_key (PtGrammar *grammar, const char *key, PtNode next);
/** The same for any key without a backslash that is none of @keys. */
PtNode pt_json_other_key (PtGrammar *grammar, const char *const *keys, guint n, PtNode next);

/** A whole number of at most 15 digits. */
PtNode pt_json_integer (PtGrammar *grammar, PtNode next);
/** A whole number from @low to @high. */
PtNode pt_json_integer_between (PtGrammar *grammar, gint64 low, gint64 high, PtNode next);
/** A number from @low to @high millionths, both below 10^18, with up to 6
 * digits behind the point. */
PtNode pt_json_decimal_between (PtGrammar *grammar, gint64 low, gint64 high, PtNode next);
/** A number of at most 15 digits before and 16 behind the point, and a small
 * exponent. */
PtNode pt_json_number (PtGrammar *grammar, PtNode next);

/** Any of @literals, sorted texts without duplicates; those with a common
 * beginning share nodes. */
PtNode pt_json_literals (PtGrammar *grammar, const char *const *literals, guint n, PtNode next);

G_END_DECLS
