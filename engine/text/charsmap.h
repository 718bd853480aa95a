/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtCharsMap: SentencePiece's table of replacements for normalisation (docs/formats/tokenizers.md,
 * section 7.3): a trie of sequences of characters, as a double array, and the texts that replace
 * them. Immutable.
 */
typedef struct _PtCharsMap PtCharsMap;

/** @blob: the "precompiled_charsmap" of a model; copied. */
PtCharsMap *pt_chars_map_new (const char *blob, gsize size, GError **error);
void pt_chars_map_free (PtCharsMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCharsMap, pt_chars_map_free)

/**
 * Find the longest sequence at the start of @text that has a replacement. Returns its length in
 * bytes and sets @replacement (may be empty); 0: none.
 */
gsize pt_chars_map_match (const PtCharsMap *map, const char *text, gsize length,
                          const char **replacement, gsize *replacement_length);
/** The same for the shortest sequence. */
gsize pt_chars_map_first (const PtCharsMap *map, const char *text, gsize length,
                          const char **replacement, gsize *replacement_length);

G_END_DECLS
