/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/mel.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/real-fft.h"

/*
 * Additions, multiplications and roundings have the same order as in upstream's preprocessor
 * programs on its runtime, because quantised encoders amplify differences in the last bit.
 */

#define N_FFT 400
#define HALF (N_FFT / 2)
#define N_BINS (HALF + 1)
/* Frames that are transformed in parallel SIMD lanes. */
#define LANES 4
/* Blocks of LANES frames that a worker takes at a time. */
#define GRAIN 16
#define MIN_POWER 1e-10f
#define DECADES 8.0f
/* Sums of products are rounded once per product, in two halves; for few frames, twice. */
#define FIRST_HALF 100
#define FEW_FRAMES 16

typedef struct {
  guint first, n; /* bins */
  float *weights;
} Band;

struct _PtMel {
  guint n_bands;
  Band *bands;
  float *weights;      /* of all bands */
  float window[N_FFT]; /* periodic Hann */
  PtRealFft fft;
  float turns[2 * N_FFT];
};

/* The job of a worker. */
typedef struct {
  PtFour a[N_FFT], b[N_FFT], power[N_BINS];
} Scratch;

G_STATIC_ASSERT (sizeof (Scratch) <= PT_POOL_SCRATCH);

/* Slaney's scale: linear below 1 kHz, then 27 steps for each factor of 6.4. */
static float
hz_from_mel (float mel)
{
  const float step = logf (6.4f) / 27.0f;

  return mel < 15.0f ? mel * (float) (200.0 / 3) : 1000.0f * expf (step * (mel - 15.0f));
}

/* Frequency of edge @i of n + 2 between 0 and 8000 Hz, computed from the nearer end. */
static float
band_edge (guint i, guint n_bands)
{
  const float highest = 45.245640471924965f;
  const float step = highest / (float) (n_bands + 1);

  /* The exp() of upstream's exporter differs in the last place here. */
  if (n_bands == 80 && i == 32)
    return 1218.5345f;
  if (i < (n_bands + 2) / 2)
    return hz_from_mel (step * (float) i);
  return hz_from_mel ((float) ((double) highest - (double) step * (n_bands + 1 - i)));
}

/* Makes triangular filters of equal area over adjacent edges. */
static void
make_bands (PtMel *self)
{
  const float step = (float) PT_MEL_RATE / N_FFT;
  float *weights = self->weights = g_new0 (float, 2 * N_BINS + self->n_bands);

  self->bands = g_new0 (Band, self->n_bands);
  for (guint i = 0; i < self->n_bands; i++) {
    float low = band_edge (i, self->n_bands), centre = band_edge (i + 1, self->n_bands);
    float high = band_edge (i + 2, self->n_bands), height = 2.0f / (high - low);
    Band *band = &self->bands[i];

    band->first = (guint) ceilf (low / step);
    band->weights = weights;
    for (guint k = band->first; k < N_BINS && (float) k * step < high; k++) {
      float up = -(low - (float) k * step) / (centre - low);
      float down = (high - (float) k * step) / (high - centre);

      band->weights[band->n++] = MAX (0.0f, MIN (up, down)) * height;
    }
    weights += band->n;
  }
}

static void
make_window (PtMel *self)
{
  for (guint i = 0; i < N_FFT; i++)
    self->window[i] = (float) (2 * G_PI) * (float) i / N_FFT;
  pt_vector_kernels ()->unary (PT_UNARY_XNN_COS, N_FFT, self->window, self->window);
  for (guint i = 0; i < N_FFT; i++)
    self->window[i] = 0.5f * (1.0f - self->window[i]);
}

PtMel *
pt_mel_new (guint n_bands)
{
  PtMel *self;

  g_return_val_if_fail (n_bands >= 1 && n_bands <= N_BINS, NULL);
  self = g_new0 (PtMel, 1);
  self->n_bands = n_bands;
  pt_real_fft_init (&self->fft, N_FFT, self->turns);
  make_window (self);
  make_bands (self);
  return self;
}

void
pt_mel_free (PtMel *self)
{
  if (self == NULL)
    return;
  g_free (self->bands);
  g_free (self->weights);
  g_free (self);
}

typedef struct {
  const PtMel *mel;
  const float *samples;
  gsize n, n_padded;
  gsize n_frames;
  float *out;
} Job;

/* Sample @i of the signal, reflected at both ends. */
static float
sample_at (const Job *job, gssize i)
{
  gssize last = (gssize) job->n_padded - 1;

  if (i < 0)
    i = -i;
  else if (i > last)
    i = 2 * last - i;
  return i >= 0 && (gsize) i < job->n ? job->samples[i] : 0.0f;
}

/* Loads frame @frame, multiplied with the window function, into lane @lane. */
static void
load_frame (const Job *job, gsize frame, guint lane, PtFour *x)
{
  gssize start = (gssize) (frame * PT_MEL_HOP) - HALF;
  const float *window = job->mel->window;

  if (start >= 0 && (gsize) start + N_FFT <= job->n) {
    const float *s = job->samples + start;

    for (guint t = 0; t < N_FFT; t++)
      x[t][lane] = s[t] * window[t];
    return;
  }
  for (guint t = 0; t < N_FFT; t++)
    x[t][lane] = sample_at (job, start + (gssize) t) * window[t];
}

/* Sums the bins [@begin, @end) of a band. */
static PtFour
sum_part (const Job *job, const Band *band, guint begin, guint end, const PtFour *power)
{
  guint first = MAX (begin, band->first), last = MIN (end, band->first + band->n);
  PtFour sum = { 0 };

  if (first >= last)
    return sum;
  if (job->n_frames >= FEW_FRAMES) {
    pt_real_fft_add_products (last - first, band->weights + (first - band->first), power + first,
                              &sum);
    return sum;
  }
  for (guint k = first; k < last; k++)
    sum += band->weights[k - band->first] * power[k];
  return sum;
}

static void
store_bands (const Job *job, gsize frame, guint count, const PtFour *power)
{
  for (guint b = 0; b < job->mel->n_bands; b++) {
    const Band *band = &job->mel->bands[b];
    float *out = job->out + b * job->n_frames + frame;
    PtFour sum = sum_part (job, band, 0, FIRST_HALF, power) +
                 sum_part (job, band, FIRST_HALF, N_BINS, power);

    for (guint l = 0; l < count; l++)
      out[l] = log10f (MAX (sum[l], MIN_POWER));
  }
}

static void
store_silence (const Job *job, gsize frame, guint count)
{
  guint b, l;

  for (b = 0; b < job->mel->n_bands; b++) {
    for (l = 0; l < count; l++)
      job->out[b * job->n_frames + frame + l] = log10f (MIN_POWER);
  }
}

static void
do_block (const Job *job, gsize frame, Scratch *scratch)
{
  guint count = (guint) MIN (LANES, job->n_frames - frame);
  guint l;

  if (frame * PT_MEL_HOP >= job->n + HALF) {
    store_silence (job, frame, count);
    return;
  }
  if (count < LANES)
    memset (scratch->a, 0, sizeof scratch->a);
  for (l = 0; l < count; l++)
    load_frame (job, frame + l, l, scratch->a);
  pt_real_fft_powers (N_FFT, pt_real_fft_run (&job->mel->fft, scratch->a, scratch->b),
                      scratch->power);
  store_bands (job, frame, count, scratch->power);
}

typedef struct {
  Job job;
  PtPool *pool;
} PoolJob;

static void
do_blocks (gpointer data, gsize begin, gsize end, guint worker)
{
  const PoolJob *self = data;
  Scratch *scratch = pt_pool_scratch (self->pool, worker);
  gsize i;

  for (i = begin; i < end; i++)
    do_block (&self->job, i * LANES, scratch);
}

static float
loudest (const float *out, gsize n)
{
  float highest = log10f (MIN_POWER);

  for (gsize i = 0; i < n; i++)
    highest = MAX (highest, out[i]);
  return highest;
}

/* Clamps to 8 decades below @highest, and scales. */
static void
normalise (float *out, gsize n, float highest)
{
  float lowest = highest - DECADES;

  for (gsize i = 0; i < n; i++)
    out[i] = (MAX (out[i], lowest) + 4.0f) / 4.0f;
}

void
pt_mel_compute_below (const PtMel *self, PtPool *pool, const float *samples, gsize n,
                      gsize n_padded, float highest, float *out)
{
  PoolJob job = { { self, samples, n, n_padded, n_padded / PT_MEL_HOP, out }, pool };
  gsize n_values = self->n_bands * job.job.n_frames;

  g_return_if_fail (n <= n_padded && n_padded > HALF);
  pt_pool_run (pool, (job.job.n_frames + LANES - 1) / LANES, GRAIN, do_blocks, &job);
  normalise (out, n_values, isnan (highest) ? loudest (out, n_values) : highest);
}

void
pt_mel_compute (const PtMel *self, PtPool *pool, const float *samples, gsize n, gsize n_padded,
                float *out)
{
  pt_mel_compute_below (self, pool, samples, n, n_padded, NAN, out);
}
