/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of Fourier transforms for the type REAL. fft.c includes this file once for float
 * and once for double. Complex numbers are stored as two arrays, real and imaginary parts. Element
 * i of row l of a group is at [i * LANES + l], so that every loop over lanes becomes vector
 * instructions.
 *
 * The algorithm is Stockham's. A stage of radix r takes x[q + s (p + m k)] for k < r, where n = r m
 * is the length that is left to transform and s = length / n. It transforms these r numbers,
 * multiplies result j by e^(-2 pi i j p / n), and stores it at y[q + s (r p + j)]. No bit reversal
 * is needed.
 */

static void
NAME (fill_twiddles) (const Transform *t)
{
  REAL *cosines = t->twiddles, *sines = cosines + t->n;

  for (gsize k = 0; k < t->n; k++) {
    double angle = -2.0 * G_PI * (double) k / (double) t->n;

    cosines[k] = (REAL) cos (angle);
    sines[k] = (REAL) sin (angle);
  }
}

/* The positions of the inputs and outputs of a butterfly; steps are in numbers. */
typedef struct {
  const REAL *xr, *xi; /* input k is at k * step */
  REAL *yr, *yi;       /* output j is at j * out_step */
  gsize step, out_step;
} NAME (Butterfly);

/* Multiply lanes of (re, im) by w and store them as output @j. */
static inline void
NAME (put) (const NAME (Butterfly) * b, gsize j, REAL wr, REAL wi, const REAL *re, const REAL *im)
{
  REAL *yr = b->yr + j * b->out_step, *yi = b->yi + j * b->out_step;

  for (guint l = 0; l < LANES; l++) {
    REAL r = re[l], i = im[l];

    yr[l] = r * wr - i * wi;
    yi[l] = r * wi + i * wr;
  }
}

/* One twiddle factor for each output; w[0] is 1. */
static inline void
NAME (radix2) (const NAME (Butterfly) * b, const REAL *wr, const REAL *wi)
{
  const REAL *ar = b->xr, *ai = b->xi, *br = b->xr + b->step, *bi = b->xi + b->step;
  REAL *yr = b->yr, *yi = b->yi, *zr = yr + b->out_step, *zi = yi + b->out_step;

  for (guint l = 0; l < LANES; l++) {
    REAL dr = ar[l] - br[l], di = ai[l] - bi[l];

    yr[l] = ar[l] + br[l];
    yi[l] = ai[l] + bi[l];
    zr[l] = dr * wr[1] - di * wi[1];
    zi[l] = dr * wi[1] + di * wr[1];
  }
}

static inline void
NAME (radix4) (const NAME (Butterfly) * b, const REAL *wr, const REAL *wi)
{
  REAL re[4][LANES], im[4][LANES];

  for (guint l = 0; l < LANES; l++) {
    const REAL *xr = b->xr + l, *xi = b->xi + l;
    REAL sr = xr[0] + xr[2 * b->step], si = xi[0] + xi[2 * b->step];
    REAL dr = xr[0] - xr[2 * b->step], di = xi[0] - xi[2 * b->step];
    REAL tr = xr[b->step] + xr[3 * b->step], ti = xi[b->step] + xi[3 * b->step];
    REAL er = xr[b->step] - xr[3 * b->step], ei = xi[b->step] - xi[3 * b->step];

    re[0][l] = sr + tr, im[0][l] = si + ti;
    re[1][l] = dr + ei, im[1][l] = di - er;
    re[2][l] = sr - tr, im[2][l] = si - ti;
    re[3][l] = dr - ei, im[3][l] = di + er;
  }
  for (guint j = 0; j < 4; j++)
    NAME (put) (b, j, wr[j], wi[j], re[j], im[j]);
}

static inline void
NAME (radix3) (const NAME (Butterfly) * b, const REAL *wr, const REAL *wi)
{
  const REAL half = (REAL) 0.5, sine = (REAL) 0.86602540378443864676;
  REAL re[3][LANES], im[3][LANES];

  for (guint l = 0; l < LANES; l++) {
    const REAL *xr = b->xr + l, *xi = b->xi + l;
    REAL sr = xr[b->step] + xr[2 * b->step], si = xi[b->step] + xi[2 * b->step];
    REAL dr = (xr[b->step] - xr[2 * b->step]) * sine, di = (xi[b->step] - xi[2 * b->step]) * sine;
    REAL cr = xr[0] - half * sr, ci = xi[0] - half * si;

    re[0][l] = xr[0] + sr, im[0][l] = xi[0] + si;
    re[1][l] = cr + di, im[1][l] = ci - dr;
    re[2][l] = cr - di, im[2][l] = ci + dr;
  }
  for (guint j = 0; j < 3; j++)
    NAME (put) (b, j, wr[j], wi[j], re[j], im[j]);
}

static inline void
NAME (radix5) (const NAME (Butterfly) * b, const REAL *wr, const REAL *wi)
{
  const REAL c1 = (REAL) 0.30901699437494742410, s1 = (REAL) 0.95105651629515357212;
  const REAL c2 = (REAL) -0.80901699437494742410, s2 = (REAL) 0.58778525229247312917;
  REAL re[5][LANES], im[5][LANES];

  for (guint l = 0; l < LANES; l++) {
    const REAL *xr = b->xr + l, *xi = b->xi + l;
    gsize s = b->step;
    REAL pr = xr[s] + xr[4 * s], pi = xi[s] + xi[4 * s];
    REAL qr = xr[2 * s] + xr[3 * s], qi = xi[2 * s] + xi[3 * s];
    REAL ur = xr[s] - xr[4 * s], ui = xi[s] - xi[4 * s];
    REAL vr = xr[2 * s] - xr[3 * s], vi = xi[2 * s] - xi[3 * s];
    REAL ar = xr[0] + c1 * pr + c2 * qr, ai = xi[0] + c1 * pi + c2 * qi;
    REAL br = xr[0] + c2 * pr + c1 * qr, bi = xi[0] + c2 * pi + c1 * qi;
    REAL cr = s1 * ur + s2 * vr, ci = s1 * ui + s2 * vi;
    REAL dr = s2 * ur - s1 * vr, di = s2 * ui - s1 * vi;

    re[0][l] = xr[0] + pr + qr, im[0][l] = xi[0] + pi + qi;
    re[1][l] = ar + ci, im[1][l] = ai - cr;
    re[2][l] = br + di, im[2][l] = bi - dr;
    re[3][l] = br - di, im[3][l] = bi + dr;
    re[4][l] = ar - ci, im[4][l] = ai + cr;
  }
  for (guint j = 0; j < 5; j++)
    NAME (put) (b, j, wr[j], wi[j], re[j], im[j]);
}

/*
 * Any other radix, by the definition of the transform. @unit: the number of table steps for e^(-2
 * pi i / radix).
 */
static void
NAME (radix_any) (const Transform *t, const NAME (Butterfly) * b, gsize radix, gsize unit,
                  gsize turn)
{
  const REAL *cosines = t->twiddles, *sines = cosines + t->n;

  for (gsize j = 0; j < radix; j++) {
    REAL re[LANES] = { 0 }, im[LANES] = { 0 };

    for (gsize k = 0, at = 0; k < radix; k++, at = (at + j) % radix) {
      REAL wr = cosines[at * unit], wi = sines[at * unit];
      const REAL *xr = b->xr + k * b->step, *xi = b->xi + k * b->step;

      for (guint l = 0; l < LANES; l++) {
        re[l] += xr[l] * wr - xi[l] * wi;
        im[l] += xr[l] * wi + xi[l] * wr;
      }
    }
    NAME (put) (b, j, cosines[j * turn], sines[j * turn], re, im);
  }
}

/* One butterfly. @turn: the number of table steps between the twiddle factors of its outputs. */
static inline void
NAME (butterfly) (const Transform *t, const NAME (Butterfly) * b, guint radix, gsize turn)
{
  const REAL *cosines = t->twiddles, *sines = cosines + t->n;
  REAL wr[5], wi[5];

  if (radix > 5) {
    NAME (radix_any) (t, b, radix, t->n / radix, turn);
    return;
  }
  for (guint j = 0; j < radix; j++) {
    wr[j] = cosines[j * turn];
    wi[j] = sines[j * turn];
  }
  switch (radix) {
  case 2: NAME (radix2) (b, wr, wi); break;
  case 3: NAME (radix3) (b, wr, wi); break;
  case 4: NAME (radix4) (b, wr, wi); break;
  default: NAME (radix5) (b, wr, wi); break;
  }
}

/* The complex transform of LANES rows. Returns the array, of the two, that contains the result. */
static guint
NAME (fft) (const Transform *t, REAL *const re[2], REAL *const im[2])
{
  gsize n = t->length, s = 1, unit = t->n / t->length;
  guint from = 0;

  for (guint stage = 0; stage < t->n_stages; stage++) {
    guint radix = t->radices[stage];
    gsize m = n / radix;

    for (gsize p = 0; p < m; p++)
      for (gsize q = 0; q < s; q++) {
        NAME (Butterfly)
        b = { re[from] + (q + s * p) * LANES,
              im[from] + (q + s * p) * LANES,
              re[1 - from] + (q + s * radix * p) * LANES,
              im[1 - from] + (q + s * radix * p) * LANES,
              s * m * LANES,
              s * LANES };

        NAME (butterfly) (t, &b, radix, p * s * unit);
      }
    from = 1 - from;
    n = m;
    s *= radix;
  }
  return from;
}

/* Loads row @lane, whose first number is at @x. */
static void
NAME (load_row) (const Transform *t, const REAL *x, REAL *re, REAL *im)
{
  gint64 stride = t->in_stride;
  gboolean halved = t->length != t->n;

  if (t->kind == FFT_REAL_TO_COMPLEX) {
    for (gsize i = 0; i < t->length; i++) {
      re[i * LANES] = x[(gint64) (halved ? 2 * i : i) * stride];
      im[i * LANES] = halved ? x[(gint64) (2 * i + 1) * stride] : 0;
    }
    return;
  }
  for (gsize i = 0; i < t->length; i++) {
    gboolean mirrored = t->kind == FFT_COMPLEX_TO_REAL && i > t->n / 2;
    const REAL *z = x + 2 * (gint64) (mirrored ? t->n - i : i) * stride;
    /* The ends of a half spectrum are real by definition. */
    gboolean is_end = t->kind == FFT_COMPLEX_TO_REAL && (i == 0 || 2 * i == t->n);
    REAL imaginary = is_end ? 0 : mirrored ? -z[1] : z[1];

    re[i * LANES] = z[0];
    im[i * LANES] = t->inverse ? -imaginary : imaginary;
  }
}

/*
 * Computes the spectrum of 2 h real numbers from the spectrum of h complex ones, whose real parts
 * are the even-numbered and whose imaginary parts are the odd-numbered inputs.
 */
static void
NAME (store_halved) (const Transform *t, const REAL *re, const REAL *im, REAL *y)
{
  const REAL *cosines = t->twiddles, *sines = cosines + t->n;
  const REAL scale = (REAL) t->scale, half = (REAL) 0.5;
  gsize h = t->length;

  for (gsize k = 0; k <= h; k++) {
    gsize a = k % h * LANES, b = (h - k) % h * LANES;
    REAL even_r = (re[a] + re[b]) * half, even_i = (im[a] - im[b]) * half;
    REAL odd_r = (im[a] + im[b]) * half, odd_i = (re[b] - re[a]) * half;
    REAL *z = y + 2 * (gint64) k * t->out_stride;

    z[0] = (even_r + odd_r * cosines[k] - odd_i * sines[k]) * scale;
    z[1] = (even_i + odd_r * sines[k] + odd_i * cosines[k]) * scale;
  }
}

static void
NAME (store_row) (const Transform *t, const REAL *re, const REAL *im, REAL *y)
{
  const REAL scale = (REAL) t->scale;

  if (t->kind == FFT_COMPLEX_TO_REAL) {
    for (gsize i = 0; i < t->n; i++)
      y[(gint64) i * t->out_stride] = re[i * LANES] * scale;
    return;
  }
  if (t->length != t->n) {
    NAME (store_halved) (t, re, im, y);
    return;
  }
  for (gsize i = 0, n = t->kind == FFT_COMPLEX ? t->n : t->n / 2 + 1; i < n; i++) {
    REAL *z = y + 2 * (gint64) i * t->out_stride;

    z[0] = re[i * LANES] * scale;
    z[1] = (t->inverse ? -im[i * LANES] : im[i * LANES]) * scale;
  }
}

/* Transforms groups [@begin, @end) of LANES rows. */
static void
NAME (rows) (gpointer data, gsize begin, gsize end, guint worker)
{
  const Transform *t = data;
  gsize array = t->length * LANES;
  REAL *scratch = (REAL *) (t->scratch + worker * t->scratch_size);
  REAL *const re[2] = { scratch, scratch + array };
  REAL *const im[2] = { scratch + 2 * array, scratch + 3 * array };
  PtCursor cursor, first;

  pt_loop_nest_seek (&t->nest, begin * LANES, &cursor);
  for (gsize group = begin; group < end; group++) {
    guint lanes = (guint) MIN (LANES, t->nest.numel - group * LANES), result;

    first = cursor;
    if (lanes < LANES) {
      memset (re[0], 0, array * sizeof (REAL));
      memset (im[0], 0, array * sizeof (REAL));
    }
    for (guint l = 0; l < lanes; l++) {
      NAME (load_row) (t, pt_view_at (&t->in, cursor.offsets[1]), re[0] + l, im[0] + l);
      pt_loop_nest_advance (&t->nest, 1, &cursor);
    }
    result = NAME (fft) (t, re, im);
    for (guint l = 0; l < lanes; l++) {
      NAME (store_row) (t, re[result] + l, im[result] + l, pt_view_at (&t->out, first.offsets[0]));
      pt_loop_nest_advance (&t->nest, 1, &first);
    }
  }
}
