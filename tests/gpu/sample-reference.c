/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/gpu/sample-reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/reference.h"

PtSampling
sample_case_how (const SampleCase *c)
{
  return (PtSampling){ .temperature = c->temperature,
                       .top_k = c->top_k,
                       .top_p = c->top_p > 0 ? c->top_p : 1,
                       .min_p = c->min_p,
                       .repetition_penalty = c->repetition > 0 ? c->repetition : 1,
                       .repetition_window = -1,
                       .presence_penalty = c->presence,
                       .frequency_penalty = c->frequency };
}

/* Some tokens, some of them often; one that no model has. */
void
sample_case_say (const SampleCase *c, PtSampler *sampler)
{
  for (gint i = 0; i < 60; i++)
    pt_sampler_accept (sampler, (i * 97 + (i % 4 == 0 ? i * i : 0)) % c->n);
  for (gint i = 0; i < 5; i++)
    pt_sampler_accept (sampler, c->n / 2);
}

gpointer
sample_case_logits (const SampleCase *c, guint64 *state)
{
  g_autofree float *x = g_new (float, (gsize) c->n);
  guint16 *narrow = g_new (guint16, (gsize) c->n * 2);

  for (gint i = 0; i < c->n; i++) {
    float sum = 0;

    for (guint j = 0; j < 4; j++)
      sum += reference_uniform (state);
    x[i] = sum * c->spread;
    if (i % 101 == 7)
      x[i] = i % 2 != 0 ? -INFINITY : NAN;
    if (c->dtype == PT_DTYPE_F16) /* any number that is one */
      narrow[i] = (guint16) (reference_random (state) & 0xb7ff);
    else if (c->dtype == PT_DTYPE_BF16)
      narrow[i] = reference_to_bf16 ((double) x[i]);
  }
  if (c->dtype == PT_DTYPE_F32)
    memcpy (narrow, x, (gsize) c->n * 4);
  return narrow;
}

/* ---- What rounding may choose ---- */

void
sample_weights_clear (SampleWeights *x)
{
  g_free (x->weights);
  g_free (x->errors);
}
static double
logit_at (const SampleCase *c, gconstpointer logits, gint i)
{
  if (c->dtype == PT_DTYPE_F32)
    return (double) ((const float *) logits)[i];
  return (double) (c->dtype == PT_DTYPE_F16 ? reference_from_f16 (((const guint16 *) logits)[i])
                                            : reference_from_bf16 (((const guint16 *) logits)[i]));
}

static int
compare_falling (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x < y) - (x > y);
}

/* Tokens whose weights are too near to that of the last of the top k to tell are an error more. */
static void
cut_top_k (SampleWeights *x, guint top_k)
{
  g_autofree double *sorted = g_memdup2 (x->weights, (gsize) x->n * sizeof (double));
  double last;

  qsort (sorted, (gsize) x->n, sizeof *sorted, compare_falling);
  last = sorted[top_k - 1];
  x->total = x->error = 0;
  for (gint i = 0; i < x->n; i++) {
    double off = x->weights[i] - last, open = 2 * x->errors[i];

    if (off < -open)
      x->weights[i] = x->errors[i] = 0;
    x->total += x->weights[i];
    x->error += x->errors[i];
    if (off < open && off > -open && (off < 0 || off > 0))
      x->error += x->weights[i];
  }
}

/* Applies the penalties to the logits. */
static double *
penalised (const SampleCase *c, gconstpointer logits, const PtSampler *sampler)
{
  double *values = g_new (double, (gsize) c->n);
  const PtSampling how = sample_case_how (c);
  guint n;
  const PtSaid *said = pt_sampler_said (sampler, &n);

  for (gint i = 0; i < c->n; i++)
    values[i] = logit_at (c, logits, i);
  for (guint i = 0; i < n; i++)
    values[said[i].id] =
        (double) pt_sampling_penalise (&how, (float) values[said[i].id], said[i].count);
  return values;
}

void
sample_weights_make (SampleWeights *x, const SampleCase *c, gconstpointer logits,
                     const PtSampler *sampler)
{
  g_autofree double *values = penalised (c, logits, sampler);
  double max = -INFINITY;

  *x = (SampleWeights){ g_new (double, (gsize) c->n), g_new (double, (gsize) c->n), 0, 0, c->n };
  for (gint i = 0; i < c->n; i++)
    max = fmax (max, values[i]);
  for (gint i = 0; i < c->n; i++) {
    double power = (values[i] - max) / c->temperature;
    gboolean is_some = power > -100; /* neither not-a-number nor next to nothing */

    x->weights[i] = is_some ? exp (power) : 0;
    x->errors[i] = is_some ? x->weights[i] * ldexp (4 - power, -23) : 0;
    x->total += x->weights[i];
    x->error += x->errors[i];
  }
  if (c->top_k > 0 && (gint) c->top_k < c->n)
    cut_top_k (x, c->top_k);
}

/* The sum of the largest weights as soon as it is more than @goal, of those from @least on. */
static double
kept_of (const SampleWeights *x, double goal, double least)
{
  g_autofree double *sorted = g_memdup2 (x->weights, (gsize) x->n * sizeof (double));
  double sum = 0;

  qsort (sorted, (gsize) x->n, sizeof *sorted, compare_falling);
  for (gint i = 0; i < x->n && sum <= goal && sorted[i] >= least; i++)
    sum += sorted[i];
  return sum;
}

gboolean
sample_may_choose (const SampleCase *c, const SampleWeights *x, double coin, gint32 id)
{
  gboolean is_top_p = c->top_p > 0 && c->top_p < 1, cuts = is_top_p || c->top_k > 0 || c->min_p > 0;
  double goal = is_top_p ? c->top_p * x->total : INFINITY, near = ldexp (c->min_p, -18);
  double least = x->total, most = x->total, before = 0, within = 0;

  if (id < 0 || id >= x->n || (cuts && x->weights[id] <= 0) || x->weights[id] < c->min_p - near)
    return FALSE;
  if (cuts) {
    least = kept_of (x, goal - x->error, c->min_p + near);
    most = kept_of (x, goal + x->error, c->min_p - near);
  }
  for (gint i = 0; i < x->n; i++) {
    double more = x->weights[i] - x->weights[id], open = x->errors[i] + x->errors[id];

    if (cuts ? more > open : i < id)
      before += x->weights[i];
    else if (cuts ? more >= -open : i == id)
      within += x->weights[i];
  }
  return before - x->error <= coin * (most + x->error) &&
         before + within + x->error >= coin * (least - x->error);
}
