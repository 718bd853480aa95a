/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/real-fft.h"

#include <math.h>

/*
 * One pass: in each of @count interleaved groups, RADIX parts of @length numbers become one
 * spectrum. The first number of a part is real, and each following pair is a complex number.
 */
typedef struct {
  gsize length, count;
  const float *turns; /* length - 1 twiddle numbers for each part but the first */
} Pass;

/* The address of number @i of part @c of group @k, before and after the pass. */
#define IN(i, k, c) in[(i) + n * ((k) + p->count * (c))]
#define OUT(i, c, k) out[(i) + n * ((c) + RADIX * (k))]

static inline void
add_and_subtract (PtFour a, PtFour b, PtFour *sum, PtFour *difference)
{
  *sum = a + b;
  *difference = a - b;
}

/* (re, im) times the conjugate of the twiddle factor of part @c at @i. */
static inline void
turn (const Pass *p, guint c, gsize i, PtFour re, PtFour im, PtFour *out_re, PtFour *out_im)
{
  const float *w = p->turns + (c - 1) * (p->length - 1) + i - 2;

  *out_re = w[0] * re + w[1] * im;
  *out_im = w[0] * im - w[1] * re;
}

/* Sums and differences of two complex numbers; (re2, im2) is i times the difference. */
static inline void
cross (PtFour *re1, PtFour *im1, PtFour *re2, PtFour *im2)
{
  PtFour re = *re1 + *re2, difference = *re2 - *re1, im = *im1 + *im2, other = *im1 - *im2;

  *re1 = re;
  *im1 = im;
  *re2 = other;
  *im2 = difference;
}

#define RADIX 2
static void
pass_2 (const Pass *p, const PtFour *restrict in, PtFour *restrict out)
{
  gsize n = p->length;

  for (gsize k = 0; k < p->count; k++) {
    add_and_subtract (IN (0, k, 0), IN (0, k, 1), &OUT (0, 0, k), &OUT (n - 1, 1, k));
    for (gsize i = 2; i < n; i += 2) {
      PtFour re, im;

      turn (p, 1, i, IN (i - 1, k, 1), IN (i, k, 1), &re, &im);
      add_and_subtract (IN (i - 1, k, 0), re, &OUT (i - 1, 0, k), &OUT (n - i - 1, 1, k));
      add_and_subtract (im, IN (i, k, 0), &OUT (i, 0, k), &OUT (n - i, 1, k));
    }
    if (n % 2 == 0) {
      OUT (0, 1, k) = -IN (n - 1, k, 1);
      OUT (n - 1, 0, k) = IN (n - 1, k, 0);
    }
  }
}
#undef RADIX

#define RADIX 3
static void
pass_3 (const Pass *p, const PtFour *restrict in, PtFour *restrict out)
{
  const float cosine = -0.5f, sine = 0.86602540378443865f;
  gsize n = p->length;

  for (gsize k = 0; k < p->count; k++) {
    PtFour sum = IN (0, k, 1) + IN (0, k, 2);

    OUT (0, 0, k) = IN (0, k, 0) + sum;
    OUT (0, 2, k) = sine * (IN (0, k, 2) - IN (0, k, 1));
    OUT (n - 1, 1, k) = IN (0, k, 0) + cosine * sum;
    for (gsize i = 2; i < n; i += 2) {
      PtFour re1, im1, re2, im2, re, im;

      turn (p, 1, i, IN (i - 1, k, 1), IN (i, k, 1), &re1, &im1);
      turn (p, 2, i, IN (i - 1, k, 2), IN (i, k, 2), &re2, &im2);
      cross (&re1, &im1, &re2, &im2);
      OUT (i - 1, 0, k) = IN (i - 1, k, 0) + re1;
      OUT (i, 0, k) = IN (i, k, 0) + im1;
      re = IN (i - 1, k, 0) + cosine * re1;
      im = IN (i, k, 0) + cosine * im1;
      add_and_subtract (re, sine * re2, &OUT (i - 1, 2, k), &OUT (n - i - 1, 1, k));
      add_and_subtract (sine * im2, im, &OUT (i, 2, k), &OUT (n - i, 1, k));
    }
  }
}
#undef RADIX

#define RADIX 4
/* The last numbers of the parts, which are real, too, when the length is even. */
static void
end_4 (const Pass *p, gsize k, const PtFour *restrict in, PtFour *restrict out)
{
  const float half = 0.70710678118654752f;
  gsize n = p->length, i = n - 1;
  PtFour im = -half * (IN (i, k, 1) + IN (i, k, 3)), re = half * (IN (i, k, 1) - IN (i, k, 3));

  add_and_subtract (IN (i, k, 0), re, &OUT (i, 0, k), &OUT (i, 2, k));
  add_and_subtract (im, IN (i, k, 2), &OUT (0, 3, k), &OUT (0, 1, k));
}

static void
pass_4 (const Pass *p, const PtFour *restrict in, PtFour *restrict out)
{
  gsize n = p->length;

  for (gsize k = 0; k < p->count; k++) {
    PtFour odd, even;

    add_and_subtract (IN (0, k, 3), IN (0, k, 1), &odd, &OUT (0, 2, k));
    add_and_subtract (IN (0, k, 0), IN (0, k, 2), &even, &OUT (n - 1, 1, k));
    add_and_subtract (even, odd, &OUT (0, 0, k), &OUT (n - 1, 3, k));
    for (gsize i = 2; i < n; i += 2) {
      PtFour re1, im1, re2, im2, re3, im3, sr, si, dr, di, tr, ti, ur, ui;

      turn (p, 1, i, IN (i - 1, k, 1), IN (i, k, 1), &re1, &im1);
      turn (p, 2, i, IN (i - 1, k, 2), IN (i, k, 2), &re2, &im2);
      turn (p, 3, i, IN (i - 1, k, 3), IN (i, k, 3), &re3, &im3);
      add_and_subtract (re3, re1, &sr, &dr);
      add_and_subtract (im1, im3, &si, &di);
      add_and_subtract (IN (i - 1, k, 0), re2, &tr, &ur);
      add_and_subtract (IN (i, k, 0), im2, &ti, &ui);
      add_and_subtract (tr, sr, &OUT (i - 1, 0, k), &OUT (n - i - 1, 3, k));
      add_and_subtract (si, ti, &OUT (i, 0, k), &OUT (n - i, 3, k));
      add_and_subtract (ur, di, &OUT (i - 1, 2, k), &OUT (n - i - 1, 1, k));
      add_and_subtract (dr, ui, &OUT (i, 2, k), &OUT (n - i, 1, k));
    }
    if (n % 2 == 0)
      end_4 (p, k, in, out);
  }
}
#undef RADIX

#define RADIX 5
/* Cosines and sines of 72 and 144 degrees. */
static const float C1 = 0.30901699437494742f, S1 = 0.95105651629515357f;
static const float C2 = -0.80901699437494742f, S2 = 0.58778525229247313f;

static void
begin_5 (const Pass *p, gsize k, const PtFour *restrict in, PtFour *restrict out)
{
  gsize n = p->length;
  PtFour sum1, difference1, sum2, difference2, first = IN (0, k, 0);

  add_and_subtract (IN (0, k, 4), IN (0, k, 1), &sum1, &difference1);
  add_and_subtract (IN (0, k, 3), IN (0, k, 2), &sum2, &difference2);
  OUT (0, 0, k) = first + sum1 + sum2;
  OUT (n - 1, 1, k) = first + C1 * sum1 + C2 * sum2;
  OUT (0, 2, k) = S1 * difference1 + S2 * difference2;
  OUT (n - 1, 3, k) = first + C2 * sum1 + C1 * sum2;
  OUT (0, 4, k) = S2 * difference1 - S1 * difference2;
}

static void
pass_5 (const Pass *p, const PtFour *restrict in, PtFour *restrict out)
{
  gsize n = p->length;

  for (gsize k = 0; k < p->count; k++) {
    begin_5 (p, k, in, out);
    for (gsize i = 2; i < n; i += 2) {
      PtFour re1, im1, re2, im2, re3, im3, re4, im4, re = IN (i - 1, k, 0), im = IN (i, k, 0);

      turn (p, 1, i, IN (i - 1, k, 1), IN (i, k, 1), &re1, &im1);
      turn (p, 2, i, IN (i - 1, k, 2), IN (i, k, 2), &re2, &im2);
      turn (p, 3, i, IN (i - 1, k, 3), IN (i, k, 3), &re3, &im3);
      turn (p, 4, i, IN (i - 1, k, 4), IN (i, k, 4), &re4, &im4);
      cross (&re1, &im1, &re4, &im4);
      cross (&re2, &im2, &re3, &im3);
      OUT (i - 1, 0, k) = re + re1 + re2;
      OUT (i, 0, k) = im + im1 + im2;
      add_and_subtract (re + C1 * re1 + C2 * re2, S1 * re4 + S2 * re3, &OUT (i - 1, 2, k),
                        &OUT (n - i - 1, 1, k));
      add_and_subtract (S1 * im4 + S2 * im3, im + C1 * im1 + C2 * im2, &OUT (i, 2, k),
                        &OUT (n - i, 1, k));
      add_and_subtract (re + C2 * re1 + C1 * re2, S2 * re4 - S1 * re3, &OUT (i - 1, 4, k),
                        &OUT (n - i - 1, 3, k));
      add_and_subtract (S2 * im4 - S1 * im3, im + C2 * im1 + C1 * im2, &OUT (i, 4, k),
                        &OUT (n - i, 3, k));
    }
  }
}
#undef RADIX

/* The order of factors: a 2, then the 4s, then odd factors. */
static gboolean
factor (PtRealFft *self)
{
  gsize rest = self->n;

  for (; rest % 4 == 0; rest /= 4)
    self->radices[self->n_stages++] = 4;
  if (rest % 2 == 0) {
    rest /= 2;
    self->radices[self->n_stages++] = 2;
    self->radices[self->n_stages - 1] = self->radices[0];
    self->radices[0] = 2;
  }
  for (guint radix = 3; radix <= 5; radix += 2)
    for (; rest % radix == 0; rest /= radix)
      self->radices[self->n_stages++] = radix;
  return rest == 1;
}

/* The number of twiddle numbers of a stage. @before: the product of the radices before it. */
static gsize
count_turns (gsize n, guint radix, gsize before)
{
  return (radix - 1) * (n / (before * radix) - 1);
}

gboolean
pt_real_fft_init (PtRealFft *self, gsize n, float *turns)
{
  *self = (PtRealFft){ .n = n, .turns = turns };
  if (n == 0 || !factor (self))
    return FALSE;
  for (gsize stage = 0, before = 1; stage + 1 < self->n_stages; stage++) {
    guint radix = self->radices[stage];
    gsize length = n / (before * radix);

    for (gsize c = 1; c < radix; c++)
      for (gsize i = 1; i <= (length - 1) / 2; i++) {
        double angle = 2 * G_PI * (double) (c * before * i) / (double) n;

        turns[(c - 1) * (length - 1) + 2 * i - 2] = (float) cos (angle);
        turns[(c - 1) * (length - 1) + 2 * i - 1] = (float) sin (angle);
      }
    turns += count_turns (n, radix, before);
    before *= radix;
  }
  return TRUE;
}

PtFour *
pt_real_fft_run (const PtRealFft *self, PtFour *a, PtFour *b)
{
  const float *turns = self->turns;
  gsize before = 1;

  for (guint stage = 0; stage + 1 < self->n_stages; stage++) {
    turns += count_turns (self->n, self->radices[stage], before);
    before *= self->radices[stage];
  }
  /* The last stage is done first: it goes from single numbers to spectra. */
  for (guint stage = self->n_stages; stage-- > 0;) {
    guint radix = self->radices[stage];
    const Pass pass = { self->n / (before * radix), before, turns };
    PtFour *from = a;

    switch (radix) {
    case 2: pass_2 (&pass, a, b); break;
    case 3: pass_3 (&pass, a, b); break;
    case 4: pass_4 (&pass, a, b); break;
    default: pass_5 (&pass, a, b); break;
    }
    a = b;
    b = from;
    if (stage == 0)
      break;
    before /= self->radices[stage - 1];
    turns -= count_turns (self->n, self->radices[stage - 1], before);
  }
  return a;
}

static inline PtFour
power_of (PtFour re, PtFour im)
{
  PtFour square = re * re + im * im;

  for (guint l = 0; l < 4; l++)
    square[l] = sqrtf (square[l]);
  return square * square;
}

void
pt_real_fft_powers (gsize n, const PtFour *spectrum, PtFour *powers)
{
  const PtFour zero = { 0 };

  powers[0] = power_of (spectrum[0], zero);
  for (gsize k = 1; 2 * k < n; k++)
    powers[k] = power_of (spectrum[2 * k - 1], spectrum[2 * k]);
  if (n % 2 == 0)
    powers[n / 2] = power_of (spectrum[n - 1], zero);
}

typedef double FourDoubles __attribute__ ((vector_size (32)));

/* A product of two floats is exact in double. */
void
pt_real_fft_add_products (gsize n, const float *weights, const PtFour *powers, PtFour *sum)
{
  PtFour result = *sum;

  for (gsize k = 0; k < n; k++) {
    FourDoubles exact = (double) weights[k] * __builtin_convertvector(powers[k], FourDoubles) +
                        __builtin_convertvector(result, FourDoubles);

    result = __builtin_convertvector(exact, PtFour);
  }
  *sum = result;
}
