/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Fourier transforms of real numbers, four rows side by side, in FFTPACK's order of additions and
 * multiplications: upstream's runtime transforms so, and a spectrogram that differs from its own in
 * last bits makes a quantised encoder round otherwise.
 */

/** An element of each of four rows. */
typedef float PtFour __attribute__ ((vector_size (16)));

/* A length of 64 bits has at most so many factors of 2 and 4 and above. */
#define PT_REAL_FFT_STAGES 40

/** A plan. Immutable: any thread. */
typedef struct {
  gsize n;
  guint n_stages;
  guint radices[PT_REAL_FFT_STAGES];
  const float *turns; /* twiddle factors of the first stage, then the next; the last has none */
} PtRealFft;

/**
 * @turns: room for 2 @n numbers, which belong to the plan. FALSE: @n is 0 or has a prime factor
 * above 5.
 */
gboolean pt_real_fft_init (PtRealFft *fft, gsize n, float *turns);

/**
 * Transform n elements in @a; they and n in @b are overwritten. Returns which of the two holds the
 * spectrum: the real part of element 0, then real and imaginary part of each to (n - 1) / 2, then,
 * if n is even, the real part of element n / 2.
 */
PtFour *pt_real_fft_run (const PtRealFft *fft, PtFour *a, PtFour *b);

/** Compute |X|^2 for elements 0 to n / 2 as upstream does: as the square of a root. */
void pt_real_fft_powers (gsize n, const PtFour *spectrum, PtFour *powers);

/** Add the products of @weights and @powers to @sum, one after the other, with one rounding each.
 */
void pt_real_fft_add_products (gsize n, const float *weights, const PtFour *powers, PtFour *sum);

G_END_DECLS
