/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

typedef struct {
  gboolean strip_space;  /* drop one space at the very start of a text */
  gboolean spaces_words; /* drop one space at the very end of a text */
  gboolean collapses;    /* merge repeated tokens (CTC) */
} PtDecoding;

/**
 * Set the bytes of every token of @vocabulary by the "decoder" member of a tokenizer.json
 * (docs/formats/tokenizers.md, section 3.8). Call before added tokens are added, which stand for
 * their content.
 *
 * @how: set to what does not depend on one token alone.
 */
gboolean pt_token_decoder_apply (const json_t *decoder, PtVocabulary *vocabulary, PtDecoding *how,
                                 GError **error);

G_END_DECLS
