/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/pattern.h"

G_BEGIN_DECLS

/**
 * PtNormalizer: changes a text before it is split (docs/formats/tokenizers.md, section 3.2).
 * Immutable.
 */
typedef struct _PtNormalizer PtNormalizer;

/** From the "normalizer" member of a tokenizer.json; null gives the identity. */
PtNormalizer *pt_normalizer_new (const json_t *json, GError **error);
void pt_normalizer_free (PtNormalizer *normalizer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtNormalizer, pt_normalizer_free)

/** Normalise @text, valid UTF-8, in place. */
gboolean pt_normalizer_apply (const PtNormalizer *normalizer, PtMatcher *matcher, GString *text,
                              GError **error);

G_END_DECLS
