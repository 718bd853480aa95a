/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtCharsMap: the table of characters by which SentencePiece normalises a text
 * (docs/formats/tokenizers.md, section 7.3): a trie of sequences of characters, as a double array,
 * and the texts that replace them. Immutable.
 */
typedef struct _PtCharsMap PtCharsMap;

/** @blob: the "precompiled_charsmap" of a model; copied. */
PtCharsMap *pt_chars_map_new (const char *blob, gsize size, GError **error);
void pt_chars_map_free (PtCharsMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCharsMap, pt_chars_map_free)

/**
 * The longest sequence that @text begins with and that is replaced: returns how many bytes it has
 * and sets @replacement (may be empty). 0: nothing is.
 */
gsize pt_chars_map_match (const PtCharsMap *map, const char *text, gsize length,
                          const char **replacement, gsize *replacement_length);
/** The same for the shortest one. */
gsize pt_chars_map_first (const PtCharsMap *map, const char *text, gsize length,
                          const char **replacement, gsize *replacement_length);

G_END_DECLS
