/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/kernels/real-fft.h"

#define N PT_SPECTRUM_N_FFT
#define BINS PT_SPECTRUM_N_BINS
#define LANES 4

gsize
pt_spectrum_n_frames (gsize n)
{
  return n < N ? 0 : 1 + (n - N) / PT_SPECTRUM_HOP;
}

static float
decibels (float re, float im)
{
  return 20.0f * log10f (sqrtf (re * re + im * im) * (1.0f / N) + FLT_EPSILON);
}

/* Elements of @spectrum: the real part of bin 0, then both parts of each further bin. */
static void
store (const PtFour *spectrum, guint lane, float *out)
{
  out[0] = decibels (spectrum[0][lane], 0);
  for (guint k = 1; k < BINS; k++)
    out[k] = decibels (spectrum[2 * k - 1][lane], spectrum[2 * k][lane]);
}

void
pt_spectrum_compute (const float *samples, gsize n, float *out)
{
  gsize n_frames = pt_spectrum_n_frames (n);
  float window[N], turns[2 * N];
  PtFour a[N], b[N];
  PtRealFft fft;

  for (guint i = 0; i < N; i++)
    window[i] = (float) (0.5 * (1 - cos (2 * G_PI * i / N)));
  pt_real_fft_init (&fft, N, turns);
  for (gsize frame = 0; frame < n_frames; frame += LANES) {
    guint count = (guint) MIN (LANES, n_frames - frame);
    const PtFour *spectrum;

    memset (a, 0, sizeof a);
    for (guint lane = 0; lane < count; lane++)
      for (guint i = 0; i < N; i++)
        a[i][lane] = samples[(frame + lane) * PT_SPECTRUM_HOP + i] * window[i];
    spectrum = pt_real_fft_run (&fft, a, b);
    for (guint lane = 0; lane < count; lane++)
      store (spectrum, lane, out + (frame + lane) * BINS);
  }
}
