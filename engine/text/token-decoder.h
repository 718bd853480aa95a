/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/**
 * Set the bytes of every token of @vocabulary by the "decoder" member of a tokenizer.json
 * (section 12.3.8). Call before special tokens are added: those stand for their own name.
 *
 * @strip_space: set when one space at the very start of a text is not part of it.
 */
gboolean pt_token_decoder_apply (const json_t *decoder, PtVocabulary *vocabulary,
                                 gboolean *strip_space, GError **error);

G_END_DECLS
