/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * Logarithms of the probabilities of tokens: logits minus the logarithm of the sum of their
 * exponentials (docs/formats/protocols.md, section 14.4).
 */

/** A token and the natural logarithm of its probability. */
typedef struct {
  gint32 id;
  double logprob;
} PtRankedToken;

/**
 * The logarithm of the probability of token @id by @n logits of @dtype (f32, f16 or bf16); NaN
 * counts as minus infinity.
 *
 * @scratch: room for @n numbers.
 * @top: room for @n_top tokens: the likeliest first, of equals the one with the lower id.
 * @n_top: set to how many there are, which is less where there are fewer logits.
 */
double pt_logprobs_rank (gconstpointer logits, PtDType dtype, gsize n, gint32 id, float *scratch,
                         PtRankedToken *top, guint *n_top);

G_END_DECLS
