/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>
#include <pteris/error.h>

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/**
 * PtRandom: upstream's random generator, xorshift64* with coins of 24 bits
 * (docs/formats/protocols.md, section 14.1). Plain data.
 */
typedef struct {
  guint64 state;
} PtRandom;

/** @seed: 0: a random seed from the system. */
void pt_random_init (PtRandom *random, guint64 seed);
guint32 pt_random_u32 (PtRandom *random);
/** In [0, 1). */
float pt_random_coin (PtRandom *random);

/**
 * PtSampler: samples a token from logits. Seeded once for each conversation. Only the list of
 * accepted tokens allocates memory. One thread.
 *
 * The order is that of Hugging Face transformers; llama.cpp's is the same, but has the temperature
 * last:
 *
 *   0. Mask: other tokens are left out. Logit bias: added to the logits of the tokens that it
 * names.
 *   1. Penalties for each of the last @repetition_window accepted tokens: repetition: a logit above
 * 0 is divided by the penalty, another one multiplied with it; then frequency times the count of
 *      the token, and presence, are subtracted.
 *   2. Temperature: logits are divided by it. 0 takes the first maximum, and the rest is skipped.
 *   3. Top-k: the k likeliest tokens, and those as likely as the last of them.
 *   4. Top-p: the fewest of these, the likeliest first, whose probabilities add up to more than p.
 *   5. Min-p: those of them that are at least min_p times as likely as the likeliest.
 *   6. A random one in proportion to the probabilities. The order is that of ids if no token was
 *      left out, else by probability, of equals by id.
 */
typedef struct _PtSampler PtSampler;

/** An accepted token and its count. */
typedef struct {
  gint32 id;
  guint32 count;
} PtSaid;

/** @width: the most logits of a call. Greedy at first. */
PtSampler *pt_sampler_new (gsize width, GError **error);
void pt_sampler_free (PtSampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSampler, pt_sampler_free)

void pt_sampler_seed (PtSampler *sampler, guint64 seed);

/** @how: no member may be unset. Clears the accepted tokens, the logit bias and the mask. */
void pt_sampler_configure (PtSampler *sampler, const PtSampling *how);

/** Add @bias, which is copied, to the logits. Its ids are below the sampler's width. */
void pt_sampler_set_bias (PtSampler *sampler, const PtLogitBias *bias, guint n);
/** Choose only ids below @n whose bit in @mask is set, the lowest bit first; NULL: any. @mask is
 * borrowed until it is replaced. */
void pt_sampler_set_mask (PtSampler *sampler, const guint32 *mask, gsize n);
/** Whether there is something that only pt_sampler_sample() does: a device must not choose. */
gboolean pt_sampler_needs_host (const PtSampler *sampler);

/** Record @id as accepted, for the penalties. Ids below 0 are ignored. */
void pt_sampler_accept (PtSampler *sampler, gint32 id);

/**
 * For sampling on a device: the configuration; a random number in [0, 1); and the accepted tokens
 * with their counts, unordered, valid until the next call; none without penalties.
 */
const PtSampling *pt_sampler_how (const PtSampler *sampler);
float pt_sampler_coin (PtSampler *sampler);
const PtSaid *pt_sampler_said (const PtSampler *sampler, guint *n);

/** Applies the penalties of @how to the logit of a token that was accepted @count times. */
static inline float
pt_sampling_penalise (const PtSampling *how, float logit, guint32 count)
{
  float factor = (float) how->repetition_penalty;

  logit = logit > 0 ? logit / factor : logit * factor;
  return logit - ((float) count * (float) how->frequency_penalty + (float) how->presence_penalty);
}

/**
 * Choose one of @n logits of @dtype (f32, f16 or bf16), which stay as they are. -1 if all that the
 * mask allows are NaN: the model is damaged.
 */
gint32 pt_sampler_sample (PtSampler *sampler, gconstpointer logits, PtDType dtype, gsize n);

G_END_DECLS
