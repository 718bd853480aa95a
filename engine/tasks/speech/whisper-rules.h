/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-tokens.h"

G_BEGIN_DECLS

/*
 * Decides which tokens may come next in a transcript (docs/formats/protocols.md, section 5.5), and
 * chooses one. Nothing here allocates.
 */

/**
 * Set the logits of tokens that must not follow @sampled, the @n ids since the prompt, to minus
 * infinity. @logits: [tokens->n_ids].
 */
void pt_whisper_filter (const PtWhisperTokens *tokens, const gint32 *sampled, guint n,
                        float *logits);

/**
 * Choose the likeliest id, the first of equals, and its log probability. @fallback: returned if all
 * logits are NaN.
 */
gint32 pt_whisper_pick (const float *logits, guint n_ids, gint32 fallback, double *log_probability);

/**
 * Sample an id at @temperature > 0; the probability is that at temperature 1.
 *
 * @probabilities: scratch, [n_ids].
 * @random: uniform in [0, 1).
 */
gint32 pt_whisper_sample (const float *logits, guint n_ids, gint32 fallback, double temperature,
                          double random, float *probabilities, double *log_probability);

/** log (sum (exp (x))) without overflow; minus infinity when all are. */
double pt_whisper_log_sum_exp (const float *x, gsize n);

/**
 * Find a loop at the end of the text. Returns the number of ids to keep, up to the first
 * repetition, or @n without a loop. A loop has at least 20 ids: 3 (long) to 20 (single ids)
 * repetitions of 1 to 64 ids.
 */
guint pt_whisper_find_loop (const gint32 *text, guint n);

G_END_DECLS
