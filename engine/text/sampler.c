/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/sampler.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/kernels/vector.h"

typedef struct {
  float probability;
  gint32 id;
} Candidate;

/* Count of a token within the window, and its index in the list of these tokens. */
typedef struct {
  guint32 count, place;
} Tally;

struct _PtSampler {
  PtRandom random;
  PtSampling how;
  gsize width;
  float *values;
  Candidate *candidates;

  GArray *history; /* gint32: all accepted tokens */
  GArray *said;    /* PtSaid: tokens within the window */
  Tally *tallies;  /* [width] */
  GArray *bias;    /* PtLogitBias */

  const guint32 *mask; /* of the tokens that may be chosen; NULL: all */
  gsize masked;        /* number of bits in it */
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
  self->how = (PtSampling) PT_SAMPLING_GREEDY;
  self->history = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->said = g_array_new (FALSE, FALSE, sizeof (PtSaid));
  self->bias = g_array_new (FALSE, FALSE, sizeof (PtLogitBias));
  self->values = pt_allocate (width, sizeof (float), error);
  if (self->values == NULL)
    return NULL;
  self->candidates = pt_allocate (width, sizeof (Candidate), error);
  if (self->candidates == NULL)
    return NULL;
  self->tallies = pt_allocate (width, sizeof (Tally), error);
  if (self->tallies == NULL)
    return NULL;
  pt_random_init (&self->random, 0);
  return g_steal_pointer (&self);
}

void
pt_sampler_free (PtSampler *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->history);
  g_array_unref (self->said);
  g_array_unref (self->bias);
  g_free (self->values);
  g_free (self->candidates);
  g_free (self->tallies);
  g_free (self);
}

void
pt_sampler_seed (PtSampler *self, guint64 seed)
{
  pt_random_init (&self->random, seed);
}

const PtSampling *
pt_sampler_how (const PtSampler *self)
{
  return &self->how;
}

float
pt_sampler_coin (PtSampler *self)
{
  return pt_random_coin (&self->random);
}

/* ---- what was said ---- */

static gboolean
has_penalty (const PtSampling *how)
{
  return how->repetition_window != 0 && (how->repetition_penalty != 1 ||
                                         how->presence_penalty != 0 || how->frequency_penalty != 0);
}

void
pt_sampler_configure (PtSampler *self, const PtSampling *how)
{
  for (guint i = 0; i < self->said->len; i++)
    self->tallies[g_array_index (self->said, PtSaid, i).id] = (Tally){ 0, 0 };
  g_array_set_size (self->said, 0);
  g_array_set_size (self->history, 0);
  g_array_set_size (self->bias, 0);
  self->mask = NULL;
  self->how = *how;
}

void
pt_sampler_set_bias (PtSampler *self, const PtLogitBias *bias, guint n)
{
  g_array_set_size (self->bias, 0);
  g_array_append_vals (self->bias, bias, n);
}

void
pt_sampler_set_mask (PtSampler *self, const guint32 *mask, gsize n)
{
  self->mask = mask;
  self->masked = n;
}

gboolean
pt_sampler_needs_host (const PtSampler *self)
{
  return self->bias->len > 0 || self->mask != NULL;
}

static void
count_in (PtSampler *self, gint32 id)
{
  Tally *tally = &self->tallies[id];
  PtSaid said = { id, 1 };

  if (tally->count++ > 0) {
    g_array_index (self->said, PtSaid, tally->place).count++;
    return;
  }
  tally->place = self->said->len;
  g_array_append_val (self->said, said);
}

/* The last item of the list takes the place of the removed one. */
static void
count_out (PtSampler *self, gint32 id)
{
  Tally *tally = &self->tallies[id];
  PtSaid *said = &g_array_index (self->said, PtSaid, tally->place);

  said->count--;
  if (--tally->count > 0)
    return;
  *said = g_array_index (self->said, PtSaid, self->said->len - 1);
  self->tallies[said->id].place = tally->place;
  g_array_set_size (self->said, self->said->len - 1);
}

void
pt_sampler_accept (PtSampler *self, gint32 id)
{
  double window = self->how.repetition_window;

  if (id < 0 || (gsize) id >= self->width || !has_penalty (&self->how))
    return;
  g_array_append_val (self->history, id);
  count_in (self, id);
  if (window >= 0 && self->history->len > window)
    count_out (self,
               g_array_index (self->history, gint32, self->history->len - 1 - (guint) window));
}

const PtSaid *
pt_sampler_said (const PtSampler *self, guint *n)
{
  *n = self->said->len;
  return (const PtSaid *) (gconstpointer) self->said->data;
}

static void
add_bias (PtSampler *self, gsize n)
{
  for (guint i = 0; i < self->bias->len; i++) {
    PtLogitBias bias = g_array_index (self->bias, PtLogitBias, i);

    if ((gsize) bias.id < n)
      self->values[bias.id] += (float) bias.bias;
  }
}

/* Tokens that may not be chosen become NaN, which is never chosen. */
static void
apply_mask (PtSampler *self, gsize n)
{
  gsize known = MIN (n, self->masked);

  for (gsize i = 0; i < known; i += 32) {
    guint32 bits = self->mask[i / 32];
    gsize end = MIN (i + 32, known);

    if (bits == 0) {
      for (gsize j = i; j < end; j++)
        self->values[j] = NAN;
      continue;
    }
    for (gsize j = i; j < end && bits != G_MAXUINT32; j++, bits = bits >> 1 | 1u << 31)
      if ((bits & 1) == 0)
        self->values[j] = NAN;
  }
  for (gsize i = known; i < n; i++)
    self->values[i] = NAN;
}

static void
penalise (PtSampler *self, gsize n)
{
  for (guint i = 0; i < self->said->len; i++) {
    PtSaid said = g_array_index (self->said, PtSaid, i);

    if ((gsize) said.id < n)
      self->values[said.id] = pt_sampling_penalise (&self->how, self->values[said.id], said.count);
  }
}

/* ---- choosing ---- */

static gint32
first_maximum (const float *values, gsize n)
{
  gint32 best = -1;

  for (gsize i = 0; i < n; i++)
    if (best < 0 ? !isnan (values[i]) : values[i] > values[best])
      best = (gint32) i;
  return best;
}

static float
weigh (const PtSampler *self, float logit, float max)
{
  return (float) exp (((double) logit - max) / self->how.temperature);
}

/** Computes exp ((x - max) / T) in place and returns the sum. NaN gives 0. */
static double
exponentiate (PtSampler *self, gsize n, float max)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    self->values[i] = isnan (self->values[i]) ? 0 : weigh (self, self->values[i], max);
    sum += self->values[i];
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

/** Orders by probability, then by id, so that a seed always gives the same text. */
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

/** Restores the min-heap of the @count largest values from index @i down. */
static void
sink (float *heap, gsize count, gsize i)
{
  float item = heap[i];

  for (;;) {
    gsize child = 2 * i + 1;

    if (child >= count)
      break;
    if (child + 1 < count && heap[child + 1] < heap[child])
      child++;
    if (heap[child] >= item)
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

/** The @k-th largest value; minus infinity if there are fewer numbers. */
static float
find_kth (PtSampler *self, gsize n, gsize k)
{
  float *heap =
      (float *) (gpointer) self->candidates; /* this array is not in use yet, and larger */
  gsize count = 0, i = 0;

  for (; i < n && count < k; i++)
    if (!isnan (self->values[i]))
      heap[count++] = self->values[i];
  if (count < k)
    return -INFINITY;
  for (gsize j = count / 2; j-- > 0;)
    sink (heap, count, j);
  for (; i < n; i++)
    if (self->values[i] > heap[0]) {
      heap[0] = self->values[i];
      sink (heap, count, 0);
    }
  return heap[0];
}

/** Collects the top-k candidates and their weights; returns their number. */
static gsize
gather_top_k (PtSampler *self, gsize n, float max, double *sum)
{
  float least = find_kth (self, n, (gsize) self->how.top_k);
  gsize count = 0;

  *sum = 0;
  for (gsize i = 0; i < n; i++)
    if (self->values[i] >= least) {
      Candidate candidate = { weigh (self, self->values[i], max), (gint32) i };

      *sum += candidate.probability;
      self->candidates[count++] = candidate;
    }
  return count;
}

/** Collects all candidates that top-p and min-p may keep, with their weights; returns their number.
 * */
static gsize
gather_all (PtSampler *self, gsize n, float max, double *sum)
{
  double cutoff = (double) (float) self->how.min_p;
  gsize count = 0;

  *sum = exponentiate (self, n, max);
  /* Tokens below this weight cannot be in the top-p set. */
  if (self->how.top_p < 1 && n > 1)
    cutoff = MAX (cutoff, *sum * (1 - self->how.top_p) / (double) (n - 1));
  for (gsize i = 0; i < n; i++)
    if (self->values[i] >= cutoff && self->values[i] > 0)
      self->candidates[count++] = (Candidate){ self->values[i], (gint32) i };
  return count;
}

/**
 * Samples from @count candidates. @sum: total weight of all tokens, also of those left out before.
 * A heap yields the candidates by weight; those that top-p and min-p keep are collected at the end
 * of the array.
 */
static gint32
pick_likely (PtSampler *self, gsize count, double sum, double coin)
{
  Candidate *heap = self->candidates;
  double goal = self->how.top_p < 1 ? self->how.top_p * sum : INFINITY, kept = 0, reached = 0;
  gsize left;

  for (gsize i = count / 2; i-- > 0;)
    sift_down (heap, count, i);
  for (left = count; left > 0 && kept <= goal;) {
    Candidate top = heap[0];

    if (left < count && top.probability < (float) self->how.min_p)
      break;
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

/** Converts the logits to float32 and applies mask, bias and penalties. The result is in
 * self->values unless the logits can be used unchanged. */
static const float *
prepare (PtSampler *self, gconstpointer logits, PtDType dtype, gsize n)
{
  if (dtype == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (n, logits, self->values);
  else if (dtype == PT_DTYPE_BF16)
    pt_vector_bf16_to_f32 (n, logits, self->values);
  else if (self->said->len == 0 && !pt_sampler_needs_host (self) && self->how.temperature <= 0)
    return logits;
  else
    memcpy (self->values, logits, n * sizeof (float));
  if (self->mask != NULL)
    apply_mask (self, n);
  add_bias (self, n);
  penalise (self, n);
  return self->values;
}

gint32
pt_sampler_sample (PtSampler *self, gconstpointer logits, PtDType dtype, gsize n)
{
  const PtSampling *how = &self->how;
  const float *values;
  double sum, coin;
  gboolean cuts_k;
  gsize count;
  gint32 best;

  g_return_val_if_fail (n <= self->width && n > 0, -1);
  values = prepare (self, logits, dtype, n);
  best = first_maximum (values, n);
  if (best < 0 || isinf (values[best]) || how->temperature <= 0)
    return best;

  coin = (double) pt_random_coin (&self->random);
  cuts_k = how->top_k > 0 && how->top_k < (double) n;
  if (!cuts_k && how->top_p >= 1 && how->min_p <= 0) {
    sum = exponentiate (self, n, values[best]);
    return pick_any (self->values, n, coin * sum);
  }
  if (cuts_k)
    count = gather_top_k (self, n, values[best], &sum);
  else
    count = gather_all (self, n, values[best], &sum);
  return pick_likely (self, count, sum, coin);
}
