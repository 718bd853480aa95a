/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>
#include <pteris/sampling.h>

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/**
 * PtRandom: upstream's random generator, xorshift64* with coins of 24 bits
 * (docs/formats/protocols.md, section 14.1). Plain data.
 */
typedef struct {
  guint64 state;
} PtRandom;

/** @seed: 0 means one from the system. */
void pt_random_init (PtRandom *random, guint64 seed);
guint32 pt_random_u32 (PtRandom *random);
/** In [0, 1). */
float pt_random_coin (PtRandom *random);

/**
 * PtSampler: from logits to a token. Seeded once a conversation; allocates nothing while
 * sampling, but for what was said, which grows as an array does. One thread.
 *
 * The order is that of Hugging Face transformers; llama.cpp's is the same, but has the temperature
 * last:
 *
 *   1. Penalties, of each token among the last @repetition_window that were said:
 *      repetition: a logit above 0 is divided by the penalty, another one multiplied with it;
 *      then frequency, times how often it is there, and presence are subtracted.
 *   2. Temperature: logits are divided by it. 0 takes the first maximum, and the rest is skipped.
 *   3. Top-k: the k likeliest, and what is as likely as the last of them.
 *   4. Top-p: the fewest of these, the likeliest first, that have more than p of their probability.
 *   5. Min-p: those of them that are at least min_p times as likely as the likeliest.
 *   6. One by chance, in proportion to what is left: where nothing was left out in the order of
 * ids, else the likelier first, of equals the lower id.
 */
typedef struct _PtSampler PtSampler;

/** A token that was said, and how often. */
typedef struct {
  gint32 id;
  guint32 count;
} PtSaid;

/** @width: the most logits that will come. Greedy at first. */
PtSampler *pt_sampler_new (gsize width, GError **error);
void pt_sampler_free (PtSampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSampler, pt_sampler_free)

void pt_sampler_seed (PtSampler *sampler, guint64 seed);

/** @how: nothing in it may be unset. What was said is forgotten. */
void pt_sampler_configure (PtSampler *sampler, const PtSampling *how);

/** @id has been said: penalties know it from now on. What is no token (below 0) is passed over. */
void pt_sampler_accept (PtSampler *sampler, gint32 id);

/**
 * For who chooses elsewhere: what was configured; a number in [0, 1) to choose with; and what
 * penalties are for, in no order, until the next call. None where no penalty is in use.
 */
const PtSampling *pt_sampler_how (const PtSampler *sampler);
float pt_sampler_coin (PtSampler *sampler);
const PtSaid *pt_sampler_said (const PtSampler *sampler, guint *n);

/** A logit of what was said @count times, behind the penalties of @how. */
static inline float
pt_sampling_penalise (const PtSampling *how, float logit, guint32 count)
{
  float factor = (float) how->repetition_penalty;

  logit = logit > 0 ? logit / factor : logit * factor;
  return logit - ((float) count * (float) how->frequency_penalty + (float) how->presence_penalty);
}

/**
 * Choose one of @n logits of @dtype (f32, f16 or bf16), which stay as they are. -1 when none of
 * them is a number: the model is damaged.
 */
gint32 pt_sampler_sample (PtSampler *sampler, gconstpointer logits, PtDType dtype, gsize n);

G_END_DECLS
