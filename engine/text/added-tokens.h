/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/normalizer.h"
#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/**
 * PtAddedTokens: tokens that are searched in a text before it is split (docs/formats/tokenizers.md,
 * section 3.1). The leftmost match counts, of several at one place the longest. Immutable.
 */
typedef struct _PtAddedTokens PtAddedTokens;

/** Where one was found. [begin, end) includes spaces that the token swallows. */
typedef struct {
  gsize begin, end;
  gint32 id;
} PtAddedMatch;

/**
 * From the "added_tokens" member of a tokenizer.json. Adds them to @vocabulary.
 *
 * @normalizer: tokens of the kind "normalized" are searched as it makes them.
 */
PtAddedTokens *pt_added_tokens_new (const json_t *json, const PtNormalizer *normalizer,
                                    PtVocabulary *vocabulary, GError **error);
/** The special tokens among the reserved names of @vocabulary, searched as they are written. */
PtAddedTokens *pt_added_tokens_new_special (const PtVocabulary *vocabulary);
void pt_added_tokens_free (PtAddedTokens *tokens);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAddedTokens, pt_added_tokens_free)

/** Where in a text special tokens count, which elsewhere are text: spans in order, apart. */
typedef struct {
  const PtSpan *spans;
  guint n;
} PtTrust;

/** Whether [begin, end) lies in one of the spans. */
gboolean pt_trust_covers (const PtTrust *trust, gsize begin, gsize end);

/**
 * Find the next token in @text at or behind @from.
 *
 * @normalized: search the tokens that are looked for in normalised text, else the others.
 * @trust: of @text.
 */
gboolean pt_added_tokens_next (const PtAddedTokens *tokens, const char *text, gsize length,
                               gsize from, gboolean normalized, const PtTrust *trust,
                               PtAddedMatch *match);

G_END_DECLS
