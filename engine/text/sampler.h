/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/error.h"
#include "engine/program/dtype.h"

G_BEGIN_DECLS

/**
 * PtRandom: xorshift64* with coins of 24 bits, upstream's generator (runners, sections 14.1
 * and 18.1). Plain data.
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
 * sampling. One thread.
 */
typedef struct _PtSampler PtSampler;

/** @width: the most logits that will come. */
PtSampler *pt_sampler_new (gsize width, GError **error);
void pt_sampler_free (PtSampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSampler, pt_sampler_free)

void pt_sampler_seed (PtSampler *sampler, guint64 seed);

/**
 * @temperature: 0 is greedy (the first maximum).
 * @top_p: only the most probable tokens that together have this probability; off outside (0, 1).
 */
void pt_sampler_configure (PtSampler *sampler, double temperature, double top_p);

/** What was configured, for who chooses elsewhere, and a number in [0, 1) to choose with. */
double pt_sampler_temperature (const PtSampler *sampler);
double pt_sampler_top_p (const PtSampler *sampler);
float pt_sampler_coin (PtSampler *sampler);

/**
 * Choose one of @n logits of @dtype (f32, f16 or bf16), which stay as they are. -1 when none of
 * them is a number: the model is damaged.
 */
gint32 pt_sampler_sample (PtSampler *sampler, gconstpointer logits, PtDType dtype, gsize n);

G_END_DECLS
