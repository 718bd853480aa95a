/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtLexicon: the phonemes of known words, from a lexicon.json (docs/formats/protocols.md, section
 * 17.5). Immutable.
 */
typedef struct _PtLexicon PtLexicon;

/** Read the lexicon at @path. NULL with PT_ERROR_FILE, PT_ERROR_FORMAT or PT_ERROR_MEMORY. */
PtLexicon *pt_lexicon_read (const char *path, GError **error);
void pt_lexicon_free (PtLexicon *lexicon);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLexicon, pt_lexicon_free)

/** The phonemes of @word as it is written, else in lower case; NULL: it is not in the lexicon.
 * Belongs to @lexicon. */
const char *pt_lexicon_find (const PtLexicon *lexicon, const char *word);

G_END_DECLS
