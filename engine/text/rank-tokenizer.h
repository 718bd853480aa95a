/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer-private.h"

G_BEGIN_DECLS

/**
 * The tokenizer that tiktoken and Tekken files describe (docs/formats/tokenizers.md, section 5.2):
 * a text is split at special tokens, then by a pattern. A piece that is not a token is merged from
 * bytes; the token with the lowest id is merged first.
 *
 * @vocabulary: taken over. Pieces of text are PT_NAMES_TEXT with their bytes as names, special
 * tokens PT_NAMES_RESERVED. @bos, @eos: ids or -1.
 */
PtTokenizer *pt_rank_tokenizer_new (PtVocabulary *vocabulary, const char *pattern,
                                    gsize pattern_length, gint32 bos, gint32 eos, GError **error);

G_END_DECLS
