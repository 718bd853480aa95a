/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/pattern.h"

G_BEGIN_DECLS

/**
 * PtPreTokenizer: splits a text into pieces (docs/formats/tokenizers.md, section 3.3). No token
 * crosses the border between two pieces. Immutable.
 */
typedef struct _PtPreTokenizer PtPreTokenizer;

/** From the "pre_tokenizer" member of a tokenizer.json; null: one piece. */
PtPreTokenizer *pt_pre_tokenizer_new (const json_t *json, GError **error);
void pt_pre_tokenizer_free (PtPreTokenizer *pre_tokenizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPreTokenizer, pt_pre_tokenizer_free)

/**
 * Whether pieces are sequences of bytes, for which the vocabulary has letters
 * (docs/formats/tokenizers.md, section 3.5).
 */
gboolean pt_pre_tokenizer_is_byte_level (const PtPreTokenizer *pre_tokenizer);

/**
 * Split @text into @pieces (GArray of PtSpan). Spaces in @text may be inserted or replaced.
 *
 * @at_start: @text begins where the whole input begins.
 */
gboolean pt_pre_tokenizer_split (const PtPreTokenizer *pre_tokenizer, PtMatcher *matcher,
                                 GString *text, gboolean at_start, GArray *pieces, GError **error);

G_END_DECLS
