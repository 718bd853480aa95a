/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/mel.h"

#include <math.h>
#include <string.h>

#define N_FFT 400
#define HALF (N_FFT / 2) /* also the length of the complex transform */
#define N_BINS (HALF + 1)
/* Frames that are transformed side by side, one in each lane of the innermost loops. */
#define LANES 16
/* Blocks of LANES frames that a worker takes at a time. */
#define GRAIN 4
#define MIN_POWER 1e-10f
#define DECADES 8.0f

typedef struct {
  guint first, n; /* bins */
  float *weights;
} Band;

struct _PtMel {
  guint n_bands;
  Band *bands;
  float *weights;       /* of all bands */
  float window[N_FFT];  /* periodic Hann */
  float cosines[N_FFT]; /* cos (2 pi k / 400) */
  float sines[N_FFT];   /* -sin (2 pi k / 400) */
};

/* One value of each frame of a block. */
typedef struct {
  float v[LANES];
} Lanes;

typedef struct {
  Lanes re[HALF], im[HALF];
} Spectrum;

/* What a worker needs: two spectra to go back and forth between, and the powers. */
typedef struct {
  Spectrum a, b;
  Lanes power[N_BINS];
} Scratch;

G_STATIC_ASSERT (sizeof (Scratch) <= PT_POOL_SCRATCH);

/* Slaney's scale: linear below 1 kHz, then 27 steps for each factor of 6.4. */
static double
hz_from_mel (double mel)
{
  return mel < 15 ? mel * 200 / 3 : 1000 * exp (log (6.4) * (mel - 15) / 27);
}

static double
band_edge (guint i, guint n_bands)
{
  double highest = 15 + 27 * log (8.0) / log (6.4); /* 8000 Hz */

  return hz_from_mel (highest * i / (n_bands + 1));
}

/* Triangles over neighbouring edges, of equal area. */
static void
make_bands (PtMel *self)
{
  const double step = (double) PT_MEL_RATE / N_FFT;
  float *weights = self->weights = g_new0 (float, 2 * N_BINS + self->n_bands);
  guint i, k;

  self->bands = g_new0 (Band, self->n_bands);
  for (i = 0; i < self->n_bands; i++) {
    double low = band_edge (i, self->n_bands);
    double centre = band_edge (i + 1, self->n_bands);
    double high = band_edge (i + 2, self->n_bands);
    Band *band = &self->bands[i];

    band->first = (guint) ceil (low / step);
    band->weights = weights;
    for (k = band->first; k < N_BINS && k * step < high; k++) {
      double up = (k * step - low) / (centre - low);
      double down = (high - k * step) / (high - centre);

      band->weights[band->n++] = (float) (MAX (0.0, MIN (up, down)) * 2 / (high - low));
    }
    weights += band->n;
  }
}

PtMel *
pt_mel_new (guint n_bands)
{
  PtMel *self;
  guint i;

  g_return_val_if_fail (n_bands >= 1 && n_bands <= N_BINS, NULL);
  self = g_new0 (PtMel, 1);
  self->n_bands = n_bands;
  for (i = 0; i < N_FFT; i++) {
    double angle = 2 * G_PI * i / N_FFT;

    self->window[i] = (float) (0.5 * (1 - cos (angle)));
    self->cosines[i] = (float) cos (angle);
    self->sines[i] = (float) -sin (angle);
  }
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

/*
 * One step of a Stockham transform of 200 = 2 * 4 * 5 * 5 points, which sorts itself: @n points are
 * left in each of @stride interleaved transforms. The factor of y[..j..] is w^(p j), w = exp(-2 pi
 * i / n).
 */
static void
step2 (const PtMel *mel, guint n, guint stride, const Spectrum *restrict x, Spectrum *restrict y)
{
  guint m = n / 2;
  guint p, q, l;

  for (p = 0; p < m; p++) {
    float wr = mel->cosines[p * (N_FFT / n)], wi = mel->sines[p * (N_FFT / n)];

    for (q = 0; q < stride; q++) {
      guint i = q + stride * p, o = q + stride * 2 * p;

      for (l = 0; l < LANES; l++) {
        float ar = x->re[i].v[l], ai = x->im[i].v[l];
        float br = x->re[i + stride * m].v[l], bi = x->im[i + stride * m].v[l];
        float dr = ar - br, di = ai - bi;

        y->re[o].v[l] = ar + br;
        y->im[o].v[l] = ai + bi;
        y->re[o + stride].v[l] = dr * wr - di * wi;
        y->im[o + stride].v[l] = dr * wi + di * wr;
      }
    }
  }
}

static void
step4 (const PtMel *mel, guint n, guint stride, const Spectrum *restrict x, Spectrum *restrict y)
{
  guint m = n / 4;
  guint p, q, l;

  for (p = 0; p < m; p++) {
    guint t = p * (N_FFT / n);
    float w1r = mel->cosines[t], w1i = mel->sines[t];
    float w2r = mel->cosines[2 * t], w2i = mel->sines[2 * t];
    float w3r = mel->cosines[3 * t], w3i = mel->sines[3 * t];

    for (q = 0; q < stride; q++) {
      guint i = q + stride * p, o = q + stride * 4 * p, d = stride * m;

      for (l = 0; l < LANES; l++) {
        float sr = x->re[i].v[l] + x->re[i + 2 * d].v[l];
        float si = x->im[i].v[l] + x->im[i + 2 * d].v[l];
        float dr = x->re[i].v[l] - x->re[i + 2 * d].v[l];
        float di = x->im[i].v[l] - x->im[i + 2 * d].v[l];
        float ur = x->re[i + d].v[l] + x->re[i + 3 * d].v[l];
        float ui = x->im[i + d].v[l] + x->im[i + 3 * d].v[l];
        float vr = x->im[i + d].v[l] - x->im[i + 3 * d].v[l]; /* -i (b - d) */
        float vi = x->re[i + 3 * d].v[l] - x->re[i + d].v[l];
        float b1r = dr + vr, b1i = di + vi, b2r = sr - ur, b2i = si - ui;
        float b3r = dr - vr, b3i = di - vi;

        y->re[o].v[l] = sr + ur;
        y->im[o].v[l] = si + ui;
        y->re[o + stride].v[l] = b1r * w1r - b1i * w1i;
        y->im[o + stride].v[l] = b1r * w1i + b1i * w1r;
        y->re[o + 2 * stride].v[l] = b2r * w2r - b2i * w2i;
        y->im[o + 2 * stride].v[l] = b2r * w2i + b2i * w2r;
        y->re[o + 3 * stride].v[l] = b3r * w3r - b3i * w3i;
        y->im[o + 3 * stride].v[l] = b3r * w3i + b3i * w3r;
      }
    }
  }
}

static void
step5 (const PtMel *mel, guint n, guint stride, const Spectrum *restrict x, Spectrum *restrict y)
{
  const float c1 = 0.30901699437494742f, c2 = -0.80901699437494742f; /* cos 72, cos 144 degrees */
  const float s1 = 0.95105651629515357f, s2 = 0.58778525229247313f;  /* sin 72, sin 144 degrees */
  guint m = n / 5;
  guint p, q, l;

  for (p = 0; p < m; p++) {
    guint t = p * (N_FFT / n);
    const float *wr = mel->cosines, *wi = mel->sines;

    for (q = 0; q < stride; q++) {
      guint i = q + stride * p, o = q + stride * 5 * p, d = stride * m;

      for (l = 0; l < LANES; l++) {
        float ar = x->re[i].v[l], ai = x->im[i].v[l];
        float s14r = x->re[i + d].v[l] + x->re[i + 4 * d].v[l];
        float s14i = x->im[i + d].v[l] + x->im[i + 4 * d].v[l];
        float d14r = x->re[i + d].v[l] - x->re[i + 4 * d].v[l];
        float d14i = x->im[i + d].v[l] - x->im[i + 4 * d].v[l];
        float s23r = x->re[i + 2 * d].v[l] + x->re[i + 3 * d].v[l];
        float s23i = x->im[i + 2 * d].v[l] + x->im[i + 3 * d].v[l];
        float d23r = x->re[i + 2 * d].v[l] - x->re[i + 3 * d].v[l];
        float d23i = x->im[i + 2 * d].v[l] - x->im[i + 3 * d].v[l];
        float ur = ar + c1 * s14r + c2 * s23r, ui = ai + c1 * s14i + c2 * s23i;
        float vr = ar + c2 * s14r + c1 * s23r, vi = ai + c2 * s14i + c1 * s23i;
        float er = s1 * d14i + s2 * d23i, ei = -(s1 * d14r + s2 * d23r); /* -i (..) */
        float fr = s2 * d14i - s1 * d23i, fi = -(s2 * d14r - s1 * d23r);
        float b1r = ur + er, b1i = ui + ei, b4r = ur - er, b4i = ui - ei;
        float b2r = vr + fr, b2i = vi + fi, b3r = vr - fr, b3i = vi - fi;

        y->re[o].v[l] = ar + s14r + s23r;
        y->im[o].v[l] = ai + s14i + s23i;
        y->re[o + stride].v[l] = b1r * wr[t] - b1i * wi[t];
        y->im[o + stride].v[l] = b1r * wi[t] + b1i * wr[t];
        y->re[o + 2 * stride].v[l] = b2r * wr[2 * t] - b2i * wi[2 * t];
        y->im[o + 2 * stride].v[l] = b2r * wi[2 * t] + b2i * wr[2 * t];
        y->re[o + 3 * stride].v[l] = b3r * wr[3 * t] - b3i * wi[3 * t];
        y->im[o + 3 * stride].v[l] = b3r * wi[3 * t] + b3i * wr[3 * t];
        y->re[o + 4 * stride].v[l] = b4r * wr[4 * t] - b4i * wi[4 * t];
        y->im[o + 4 * stride].v[l] = b4r * wi[4 * t] + b4i * wr[4 * t];
      }
    }
  }
}

/* |X[k]|^2 of a real signal from the transform of its even + i odd samples. */
static void
powers (const PtMel *mel, const Spectrum *z, Lanes *power)
{
  guint k, l;

  for (k = 0; k <= HALF; k++) {
    guint a = k == HALF ? 0 : k, b = k == 0 ? 0 : HALF - k;
    float wr = mel->cosines[k], wi = mel->sines[k];

    for (l = 0; l < LANES; l++) {
      float er = 0.5f * (z->re[a].v[l] + z->re[b].v[l]);
      float ei = 0.5f * (z->im[a].v[l] - z->im[b].v[l]);
      float or = 0.5f * (z->im[a].v[l] + z->im[b].v[l]);
      float oi = 0.5f * (z->re[b].v[l] - z->re[a].v[l]);
      float re = er + or *wr - oi * wi;
      float im = ei + or *wi + oi * wr;

      power[k].v[l] = re * re + im * im;
    }
  }
}

typedef struct {
  const PtMel *mel;
  const float *samples;
  gsize n, n_padded;
  gsize n_frames;
  float *out;
} Job;

/* Sample @i of the signal, which is mirrored at both ends. */
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

/* Frame @frame, windowed, into lane @lane: even samples are real parts, odd ones imaginary. */
static void
load_frame (const Job *job, gsize frame, guint lane, Spectrum *x)
{
  gssize start = (gssize) (frame * PT_MEL_HOP) - HALF;
  const float *window = job->mel->window;
  guint t;

  if (start >= 0 && (gsize) start + N_FFT <= job->n) {
    const float *s = job->samples + start;

    for (t = 0; t < HALF; t++) {
      x->re[t].v[lane] = s[2 * t] * window[2 * t];
      x->im[t].v[lane] = s[2 * t + 1] * window[2 * t + 1];
    }
    return;
  }
  for (t = 0; t < HALF; t++) {
    x->re[t].v[lane] = sample_at (job, start + 2 * (gssize) t) * window[2 * t];
    x->im[t].v[lane] = sample_at (job, start + 2 * (gssize) t + 1) * window[2 * t + 1];
  }
}

static void
store_bands (const Job *job, gsize frame, guint count, const Lanes *power)
{
  guint b, k, l;

  for (b = 0; b < job->mel->n_bands; b++) {
    const Band *band = &job->mel->bands[b];
    float *out = job->out + b * job->n_frames + frame;
    Lanes sum = { { 0 } };

    for (k = 0; k < band->n; k++) {
      for (l = 0; l < LANES; l++)
        sum.v[l] += band->weights[k] * power[band->first + k].v[l];
    }
    for (l = 0; l < count; l++)
      out[l] = log10f (MAX (sum.v[l], MIN_POWER));
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
    memset (&scratch->a, 0, sizeof scratch->a);
  for (l = 0; l < count; l++)
    load_frame (job, frame + l, l, &scratch->a);
  step5 (job->mel, 200, 1, &scratch->a, &scratch->b);
  step5 (job->mel, 40, 5, &scratch->b, &scratch->a);
  step4 (job->mel, 8, 25, &scratch->a, &scratch->b);
  step2 (job->mel, 2, 100, &scratch->b, &scratch->a);
  powers (job->mel, &scratch->a, scratch->power);
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

/* Keep the 8 decades below @highest, and scale. */
static void
normalise (float *out, gsize n, float highest)
{
  float lowest = highest - DECADES;

  for (gsize i = 0; i < n; i++)
    out[i] = (MAX (out[i], lowest) + 4.0f) * 0.25f;
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
