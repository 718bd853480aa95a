/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * Compute the probability of each word of a segment.
 *
 * @ids, @chances: n ids of text and their log probabilities
 * @text: what they say, without spaces around it
 * @words: PtWord, emptied first. Words are separated by spaces; its probability is the geometric
 * mean of its ids'.
 */
void pt_whisper_words (const PtTokenizer *tokenizer, const gint32 *ids, const float *chances,
                       guint n, const char *text, GArray *words);

G_END_DECLS
