/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/sampler.h"

#include <math.h>

#include "engine/allocate.h"
#include "engine/kernels/vector.h"

typedef struct {
  float probability;
  gint32 id;
} Candidate;

struct _PtSampler {
  PtRandom random;
  double temperature, top_p;
  gsize width;
  float *values;
  Candidate *candidates;
};

void
pt_random_init (PtRandom *random, guint64 seed)
{
  /* 0 would stay 0 for ever. */
  while (seed == 0)
    seed = (guint64) g_random_int () << 32 | g_random_int ();
  random->state = seed;
}

guint32
pt_random_u32 (PtRandom *random)
{
  guint64 s = random->state;

  s ^= s >> 12;
  s ^= s << 25;
  s ^= s >> 27;
  random->state = s;
  return (guint32) ((s * G_GUINT64_CONSTANT (0x2545F4914F6CDD1D)) >> 32);
}

float
pt_random_coin (PtRandom *random)
{
  return (float) (pt_random_u32 (random) >> 8) / 16777216.0f;
}

PtSampler *
pt_sampler_new (gsize width, GError **error)
{
  g_autoptr (PtSampler) self = g_new0 (PtSampler, 1);

  self->width = width;
  self->values = pt_allocate (width, sizeof (float), error);
  if (self->values == NULL)
    return NULL;
  self->candidates = pt_allocate (width, sizeof (Candidate), error);
  if (self->candidates == NULL)
    return NULL;
  self->top_p = 1;
  pt_random_init (&self->random, 0);
  return g_steal_pointer (&self);
}

void
pt_sampler_free (PtSampler *self)
{
  if (self == NULL)
    return;
  g_free (self->values);
  g_free (self->candidates);
  g_free (self);
}

void
pt_sampler_seed (PtSampler *self, guint64 seed)
{
  pt_random_init (&self->random, seed);
}

void
pt_sampler_configure (PtSampler *self, double temperature, double top_p)
{
  self->temperature = temperature;
  self->top_p = top_p;
}

double
pt_sampler_temperature (const PtSampler *self)
{
  return self->temperature;
}

double
pt_sampler_top_p (const PtSampler *self)
{
  return self->top_p;
}

float
pt_sampler_coin (PtSampler *self)
{
  return pt_random_coin (&self->random);
}

static gint32
first_maximum (const float *values, gsize n)
{
  gint32 best = -1;

  for (gsize i = 0; i < n; i++)
    if (best < 0 ? !isnan (values[i]) : values[i] > values[best])
      best = (gint32) i;
  return best;
}

/** exp ((x - max) / T) in place; returns the sum. Not-a-number counts as impossible. */
static double
exponentiate (float *values, gsize n, float max, double temperature)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    double e = isnan (values[i]) ? 0 : exp (((double) values[i] - max) / temperature);

    values[i] = (float) e;
    sum += e;
  }
  return sum;
}

static gint32
pick_any (const float *weights, gsize n, double target)
{
  double sum = 0;
  gint32 last = 0;

  for (gsize i = 0; i < n; i++) {
    if (weights[i] <= 0)
      continue;
    sum += weights[i];
    last = (gint32) i;
    if (sum > target)
      break;
  }
  return last;
}

/** More probable first; of equals the lower id, so that a seed always gives the same text. */
static inline gboolean
comes_before (const Candidate *a, const Candidate *b)
{
  return a->probability != b->probability ? a->probability > b->probability : a->id < b->id;
}

static void
sift_down (Candidate *heap, gsize n, gsize i)
{
  Candidate item = heap[i];

  for (;;) {
    gsize child = 2 * i + 1;

    if (child >= n)
      break;
    if (child + 1 < n && comes_before (&heap[child + 1], &heap[child]))
      child++;
    if (!comes_before (&heap[child], &item))
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

/**
 * The shortest prefix, most probable first, whose probability exceeds top_p: a heap gives them out
 * one by one, and the few that are kept gather at the end of the array.
 */
static gint32
pick_top_p (PtSampler *self, gsize n, double sum, double coin)
{
  Candidate *heap = self->candidates;
  /* What lies below this cannot be in the prefix. */
  double cutoff = n > 1 ? sum * (1 - self->top_p) / (double) (n - 1) : 0;
  gsize count = 0, left;
  double kept = 0, reached = 0;

  for (gsize i = 0; i < n; i++)
    if (self->values[i] >= cutoff && self->values[i] > 0)
      heap[count++] = (Candidate){ self->values[i], (gint32) i };
  for (gsize i = count / 2; i-- > 0;)
    sift_down (heap, count, i);
  for (left = count; left > 0 && kept <= self->top_p * sum;) {
    Candidate top = heap[0];

    heap[0] = heap[--left];
    sift_down (heap, left, 0);
    heap[left] = top;
    kept += top.probability;
  }
  for (gsize i = count; i-- > left;) {
    reached += heap[i].probability;
    if (reached > coin * kept)
      return heap[i].id;
  }
  return heap[left].id;
}

gint32
pt_sampler_sample (PtSampler *self, gconstpointer logits, PtDType dtype, gsize n)
{
  const float *values = logits;
  gint32 best;
  double sum;
  float max;

  g_return_val_if_fail (n <= self->width && n > 0, -1);
  if (dtype == PT_DTYPE_F16) {
    pt_vector_f16_to_f32 (n, logits, self->values);
    values = self->values;
  } else if (dtype == PT_DTYPE_BF16) {
    pt_vector_bf16_to_f32 (n, logits, self->values);
    values = self->values;
  }
  best = first_maximum (values, n);
  if (best < 0 || isinf (values[best]) || self->temperature <= 0)
    return best;

  max = values[best];
  if (values != self->values)
    for (gsize i = 0; i < n; i++)
      self->values[i] = values[i];
  sum = exponentiate (self->values, n, max, self->temperature);
  if (self->top_p <= 0 || self->top_p >= 1)
    return pick_any (self->values, n, pt_random_coin (&self->random) * sum);
  return pick_top_p (self, n, sum, pt_random_coin (&self->random));
}
