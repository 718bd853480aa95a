/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Fourier transforms of real numbers, four rows side by side, with the order of additions and
 * multiplications of FFTPACK, which upstream's runtime uses. A spectrogram that differs in the last
 * bits makes a quantised encoder round differently.
 */

/** An element of each of four rows. */
typedef float PtFour __attribute__ ((vector_size (16)));

/**
 * The maximum of factors of a length: a number of 64 bits has at most this many factors of 2 and 4
 * and above.
 */
#define PT_REAL_FFT_STAGES 40

/** A plan. Immutable; any thread may use it. */
typedef struct {
  gsize n;
  guint n_stages;
  guint radices[PT_REAL_FFT_STAGES];
  const float *turns; /* twiddle factors of each stage; the last stage has none */
} PtRealFft;

/**
 * Make a plan. @turns: memory for 2 @n numbers, which the plan uses as long as it lives. FALSE: @n
 * is 0 or has a prime factor above 5.
 */
gboolean pt_real_fft_init (PtRealFft *fft, gsize n, float *turns);

/**
 * Transform n elements in @a. The n elements in @a and in @b are overwritten. Returns the array
 * with the spectrum, @a or @b: the real part of element 0, then real and imaginary parts of
 * elements up to (n - 1) / 2, then, if n is even, the real part of element n / 2.
 */
PtFour *pt_real_fft_run (const PtRealFft *fft, PtFour *a, PtFour *b);

/** Compute |X|^2 for elements 0 to n / 2 with upstream's rounding: as the square of the root. */
void pt_real_fft_powers (gsize n, const PtFour *spectrum, PtFour *powers);

/** Add the products of @weights and @powers to @sum, one after the other, with one rounding each.
 */
void pt_real_fft_add_products (gsize n, const float *weights, const PtFour *powers, PtFour *sum);

G_END_DECLS
