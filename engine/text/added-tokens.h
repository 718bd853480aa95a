/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/normalizer.h"
#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/**
 * PtAddedTokens: tokens that are matched before a text is split (docs/formats/tokenizers.md,
 * section 3.1). The leftmost, longest match wins. Immutable.
 */
typedef struct _PtAddedTokens PtAddedTokens;

/** A match. [begin, end) includes spaces that the token strips. */
typedef struct {
  gsize begin, end;
  gint32 id;
} PtAddedMatch;

/**
 * From the "added_tokens" member of a tokenizer.json. Adds them to @vocabulary.
 *
 * @normalizer: applied to the content of "normalized" tokens.
 */
PtAddedTokens *pt_added_tokens_new (const json_t *json, const PtNormalizer *normalizer,
                                    PtVocabulary *vocabulary, GError **error);
/** The special tokens among the reserved names of @vocabulary, matched by name. */
PtAddedTokens *pt_added_tokens_new_special (const PtVocabulary *vocabulary);
void pt_added_tokens_free (PtAddedTokens *tokens);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAddedTokens, pt_added_tokens_free)

/** Ordered, disjoint spans of a text in which special tokens are recognised. Elsewhere they are
 * text. */
typedef struct {
  const PtSpan *spans;
  guint n;
} PtTrust;

/** Whether [begin, end) lies within one span. */
gboolean pt_trust_covers (const PtTrust *trust, gsize begin, gsize end);

/**
 * Find the next token in @text at or behind @from.
 *
 * @normalized: search the "normalized" tokens, else the others. @trust: the trusted spans of @text.
 */
gboolean pt_added_tokens_next (const PtAddedTokens *tokens, const char *text, gsize length,
                               gsize from, gboolean normalized, const PtTrust *trust,
                               PtAddedMatch *match);

G_END_DECLS
