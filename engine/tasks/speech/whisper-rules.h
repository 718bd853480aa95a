/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-tokens.h"

G_BEGIN_DECLS

/*
 * Decides which tokens may come next in a transcript (docs/formats/protocols.md, section 5.5), and
 * chooses one. Nothing here allocates.
 */

/**
 * Set to minus infinity what must not follow @sampled, the @n ids since the prompt.
 *
 * @logits: [tokens->n_ids].
 */
void pt_whisper_filter (const PtWhisperTokens *tokens, const gint32 *sampled, guint n,
                        float *logits);

/**
 * The likeliest id, the first of equals, and the logarithm of its probability. @fallback
 * when there is no number among the logits.
 */
gint32 pt_whisper_pick (const float *logits, guint n_ids, gint32 fallback, double *log_probability);

/**
 * A random id at @temperature > 0; the probability is that at temperature 1.
 *
 * @probabilities: scratch, [n_ids].
 * @random: uniform in [0, 1).
 */
gint32 pt_whisper_sample (const float *logits, guint n_ids, gint32 fallback, double temperature,
                          double random, float *probabilities, double *log_probability);

/** log (sum (exp (x))) without overflow; minus infinity when all are. */
double pt_whisper_log_sum_exp (const float *x, gsize n);

/**
 * Does the text go round in circles at its end? Returns how many of the @n ids to keep (the first
 * round), or @n when it does not: at least 20 ids, of 3 (long) to 20 (single ids) rounds of the
 * same 1 to 64 ids.
 */
guint pt_whisper_find_loop (const gint32 *text, guint n);

G_END_DECLS
