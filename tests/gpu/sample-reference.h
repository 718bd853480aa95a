/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/sampler.h"

/*
 * Tests of samplers on GPUs against that of the CPU: cases, logits, and which tokens rounding may
 * choose.
 */

typedef struct {
  PtDType dtype;
  gint n;
  double temperature, top_p;
  float spread; /* of logits */
  guint top_k;
  double min_p;
  double repetition, presence, frequency; /* penalties; 0: none at all */
} SampleCase;

PtSampling sample_case_how (const SampleCase *c);
/** Has @sampler accept some tokens, some of them often. */
void sample_case_say (const SampleCase *c, PtSampler *sampler);
/** @c->n logits, some of them no numbers; the same on all machines for the same @state. Free with
 * g_free(). */
gpointer sample_case_logits (const SampleCase *c, guint64 *state);

/*
 * SampleWeights are exp ((logit - max) / temperature), which the CPU rounds to a float at the end
 * and the kernels at every step: by 2 units in the last place in expf(), and by half of one of its
 * argument, twice. So the order of tokens whose weights are so near to each other is open, and
 * which of two neighbours a number falls on that is so near to the border between them.
 */
typedef struct {
  double *weights, *errors; /* [n]: exact, and how far off they may be; 0: top-k leaves it out */
  double total, error;
  gint n;
} SampleWeights;

void sample_weights_make (SampleWeights *x, const SampleCase *c, gconstpointer logits,
                          const PtSampler *sampler);
void sample_weights_clear (SampleWeights *x);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SampleWeights, sample_weights_clear)

/** Whether @coin may choose token @id. */
gboolean sample_may_choose (const SampleCase *c, const SampleWeights *x, double coin, gint32 id);
