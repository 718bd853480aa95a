/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/vector.h"

#include <float.h>

#include "tests/unit/kernels/support.h"

/* Every loop, at every level, against libm in double precision. */

static double
reference (PtUnary op, double x)
{
  switch (op) {
  case PT_UNARY_ABS: return fabs (x);
  case PT_UNARY_NEGATE: return -x;
  case PT_UNARY_SQUARE: return x * x;
  case PT_UNARY_SQRT: return sqrt (x);
  case PT_UNARY_XNN_RSQRT:
  case PT_UNARY_RSQRT: return 1 / sqrt (x);
  case PT_UNARY_FLOOR: return floor (x);
  case PT_UNARY_CEIL: return ceil (x);
  case PT_UNARY_EXP: return exp (x);
  case PT_UNARY_LOG: return log (x);
  case PT_UNARY_XNN_SIN:
  case PT_UNARY_SIN: return sin (x);
  case PT_UNARY_XNN_COS:
  case PT_UNARY_COS: return cos (x);
  case PT_UNARY_TANH: return tanh (x);
  case PT_UNARY_XNN_SIGMOID:
  case PT_UNARY_SIGMOID: return 1 / (1 + exp (-x));
  case PT_UNARY_XNN_GELU:
  case PT_UNARY_GELU: return 0.5 * x * (1 + erf (x / sqrt (2)));
  case PT_UNARY_GELU_TANH:
    return 0.5 * x * (1 + tanh (sqrt (2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  case PT_UNARY_HARDSWISH: return x * fmin (fmax (x + 3, 0), 6) / 6;
  case PT_UNARY_SILU: return x / (1 + exp (-x));
  case PT_N_UNARY: break;
  }
  return NAN;
}

/* XNNPACK's sine and cosine mean nothing beyond. */
#define MAX_XNN_ANGLE 2e5f

/* Distance of floats at @x. */
static double
ulp (double x)
{
  float f = (float) fmin (fabs (x), FLT_MAX);

  return fmax ((double) nextafterf (f, INFINITY) - f, 0x1p-149);
}

static double
tolerance (PtUnary op, double x, double y)
{
  switch (op) {
  case PT_UNARY_XNN_SIN:
  case PT_UNARY_XNN_COS: return 5e-7 + 1e-9 * fabs (x);
  case PT_UNARY_XNN_GELU: return 7e-7 + 4 * ulp (y); /* 0 below -5.16 */
  case PT_UNARY_GELU:
  case PT_UNARY_GELU_TANH: return 3e-7 + 2 * ulp (y);
  case PT_UNARY_XNN_SIGMOID: return 4 * ulp (y) + 1e-38;
  case PT_UNARY_SILU: return 3 * ulp (y) + 1e-38; /* x times a subnormal */
  case PT_UNARY_HARDSWISH: return 3 * ulp (y);
  default: return 2.5 * ulp (y);
  }
}

static void
check_unary (PtUnary op, gsize n, const float *x, const float *y)
{
  for (gsize i = 0; i < n; i++) {
    double expected = reference (op, x[i]);

    if ((op == PT_UNARY_XNN_SIN || op == PT_UNARY_XNN_COS) && fabsf (x[i]) > MAX_XNN_ANGLE)
      continue;
    if (isinf ((float) expected) && !isinf (expected)) /* rounds to infinity, or nearly */
      expected = copysign (INFINITY, expected);
    if (isnan (expected) || isinf (expected)
            ? !(isnan (expected) ? isnan (y[i]) : y[i] == expected)
            : !(fabs (y[i] - expected) <= tolerance (op, x[i], expected)))
      g_error ("function %d of %.9g is %.9g, not %.9g", (int) op, x[i], y[i], expected);
  }
}

static const float special[] = {
  0.0f,   -0.0f,       1.0f,   -1.0f,   INFINITY, -INFINITY, NAN,    FLT_MIN,     -FLT_MIN,
  1e-45f, -1e-45f,     1e-40f, -1e-40f, 0.5f,     -0.5f,     1.5f,   -1.5f,       2.5f,
  88.7f,  88.8f,       -87.3f, -87.4f,  -103.9f,  -104.5f,   127.0f, 3.14159274f, 1e5f,
  -1e5f,  123456.789f, 1e7f,   1e8f,    1e10f,    3e38f,     -3e38f, 16777216.0f, 8388607.5f,
};

static void
sweep (PtUnary op, float from, float to, gsize n)
{
  g_autofree float *x = g_new (float, n), *y = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    x[i] = from + (to - from) * (float) i / (float) n;
  pt_vector_unary (op, n, x, y);
  check_unary (op, n, x, y);
}

static void
each_unary (void)
{
  enum { N = 1021 };
  float y[G_N_ELEMENTS (special)];

  for (PtUnary op = 0; op < PT_N_UNARY; op++) {
    gsize n = G_N_ELEMENTS (special);

    pt_vector_unary (op, n, special, y);
    check_unary (op, n, special, y);
    sweep (op, -1.0f, 1.0f, 20011);
    sweep (op, -12.0f, 12.0f, 20011);
    sweep (op, -110.0f, 110.0f, 20011);
    sweep (op, -1e5f, 1e5f, 20011);
    sweep (op, 1e-39f, 1e-36f, N);
  }
}

static void
test_unary (void)
{
  for_each_level (each_unary);
}

/* Lengths of all kinds; nothing outside is read or written; x and y may be the same. */
static void
each_length (void)
{
  for (gsize n = 0; n < 70; n++)
    for (PtUnary op = 0; op < PT_N_UNARY; op++) {
      g_auto (Guarded) guarded = { 0 };
      float *x = guarded_new (&guarded, n * sizeof *x), before[70];

      fill_floats (x, n);
      memcpy (before, x, n * sizeof *x);
      pt_vector_unary (op, n, x, x);
      check_unary (op, n, before, x);
    }
}

static void
test_lengths (void)
{
  for_each_level (each_length);
}

static float
reference_binary (PtBinary op, float a, float b)
{
  switch (op) {
  case PT_BINARY_ADD: return a + b;
  case PT_BINARY_SUB: return a - b;
  case PT_BINARY_MUL: return a * b;
  case PT_BINARY_DIV: return a / b;
  case PT_BINARY_MIN: return isnan (a) || isnan (b) ? NAN : fminf (a, b);
  case PT_BINARY_MAX: return isnan (a) || isnan (b) ? NAN : fmaxf (a, b);
  case PT_N_BINARY: break;
  }
  return NAN;
}

static void
assert_same (float a, float b)
{
  if (!(a == b || (isnan (a) && isnan (b))))
    g_error ("%.9g is not %.9g", a, b);
}

static float
clamped (float x, float lo, float hi)
{
  return isnan (x) ? x : fminf (fmaxf (x, lo), hi);
}

static void
each_binary (void)
{
  for (gsize n = 1; n < 60; n++)
    for (PtBinary op = 0; op < PT_N_BINARY; op++) {
      g_auto (Guarded) ga = { 0 }, gb = { 0 }, gy = { 0 };
      float *a = guarded_new (&ga, n * sizeof *a), *b = guarded_new (&gb, n * sizeof *b);
      float *y = guarded_new (&gy, n * sizeof *y), scalar = n % 9 ? 0.3f : NAN;
      float lo = n % 2 ? -0.5f : -INFINITY, hi = n % 3 ? INFINITY : 0.6f;

      fill_floats (a, n);
      fill_floats (b, n);
      a[n / 2] = special[n % G_N_ELEMENTS (special)];
      b[n / 3] = special[n * 7 % G_N_ELEMENTS (special)];
      pt_vector_binary (op, n, a, b, lo, hi, y);
      for (gsize i = 0; i < n; i++)
        assert_same (y[i], clamped (reference_binary (op, a[i], b[i]), lo, hi));
      pt_vector_binary_scalar (op, n, a, scalar, FALSE, lo, hi, y);
      for (gsize i = 0; i < n; i++)
        assert_same (y[i], clamped (reference_binary (op, a[i], scalar), lo, hi));
      pt_vector_binary_scalar (op, n, a, scalar, TRUE, lo, hi, y);
      for (gsize i = 0; i < n; i++)
        assert_same (y[i], clamped (reference_binary (op, scalar, a[i]), lo, hi));
      pt_vector_clamp (n, a, -0.25f, 0.25f, y);
      for (gsize i = 0; i < n; i++)
        assert_same (y[i], clamped (a[i], -0.25f, 0.25f));
    }
}

static void
test_binary (void)
{
  for_each_level (each_binary);
}

static void
check_rows (gsize n)
{
  g_auto (Guarded) gx = { 0 }, gw = { 0 };
  float *x = guarded_new (&gx, n * sizeof *x), *w = guarded_new (&gw, n * sizeof *w);
  g_autofree float *y = g_new (float, n);
  double sum = 0, squares = 0, dot = 0, max = -INFINITY, exps = 0, variance = 0;
  float mean, rstd;

  fill_floats (x, n);
  fill_floats (w, n);
  for (gsize i = 0; i < n; i++) {
    sum += x[i];
    squares += (double) x[i] * x[i];
    dot += (double) x[i] * w[i];
    max = fmax (max, x[i]);
    exps += exp (x[i]);
  }
  for (gsize i = 0; i < n; i++)
    variance += (x[i] - sum / (double) n) * (x[i] - sum / (double) n);
  variance /= (double) n;
  assert_close (pt_vector_sum (n, x), sum, 1e-5);
  assert_close (pt_vector_sum_squares (n, x), squares, 1e-6 * squares + 1e-7);
  assert_close (pt_vector_dot (n, x, w), dot, 1e-5);
  assert_close (pt_vector_max (n, x), max, 0);
  pt_vector_softmax (n, x, y);
  for (gsize i = 0; i < n; i++)
    assert_close (y[i], exp (x[i]) / exps, 1e-6 * exp (x[i]) / exps);
  pt_vector_layer_norm (n, x, w, n % 2 ? x : NULL, 1e-5f, y, &mean, &rstd);
  assert_close (mean, sum / (double) n, 1e-6);
  assert_close (rstd, 1 / sqrt (variance + 1e-5), 1e-5 / sqrt (variance + 1e-5));
  for (gsize i = 0; i < n; i++)
    assert_close (
        y[i], (x[i] - sum / (double) n) / sqrt (variance + 1e-5) * w[i] + (n % 2 ? x[i] : 0), 2e-5);
}

static void
each_row (void)
{
  const float nan_row[] = { 1, 2, NAN, 3 }, hidden[] = { -INFINITY, -INFINITY };
  float y[4];

  for (gsize n = 1; n < 150; n++)
    check_rows (n);
  check_rows (1500);
  g_assert_true (isnan (pt_vector_max (4, nan_row)));
  g_assert_cmpfloat (pt_vector_sum (0, nan_row), ==, 0.0f);
  pt_vector_softmax (4, nan_row, y);
  g_assert_true (isnan (y[0]));
  pt_vector_softmax (2, hidden, y);
  g_assert_true (isnan (y[0]));
}

static void
test_rows (void)
{
  for_each_level (each_row);
}

/* All 65536 halves there and back, and the rounding of floats between them. */
static void
each_half (void)
{
  enum { N = 65536 };
  g_autofree guint16 *h = g_new (guint16, N), *back = g_new (guint16, N);
  g_autofree float *f = g_new (float, N);

  for (guint i = 0; i < N; i++)
    h[i] = (guint16) i;
  pt_vector_f16_to_f32 (N - 3, h, f);
  pt_vector_f32_to_f16 (N - 3, f, back);
  for (guint i = 0; i < N - 3; i++) {
    gboolean is_nan = (i & 0x7fff) > 0x7c00;

    g_assert_cmphex (back[i], ==, is_nan ? i | 0x200 : i);
    if (!is_nan && (i & 0x7c00) != 0x7c00)
      g_assert_cmpfloat (fabsf (f[i]), ==,
                         ldexpf ((float) ((i & 0x7c00 ? 0x400 : 0) | (i & 0x3ff)),
                                 MAX ((int) (i >> 10 & 31), 1) - 25));
  }
  for (guint i = 0; i < 0x7c00; i++) { /* between a half and the next: ties to even, else nearest */
    float a = pt_f16_to_f32 ((guint16) i),
          b = i == 0x7bff ? 65536.0f : pt_f16_to_f32 ((guint16) (i + 1));
    float x[3] = { (a + b) / 2, nextafterf ((a + b) / 2, a), nextafterf ((a + b) / 2, b) };
    guint16 y[3];

    pt_vector_f32_to_f16 (3, x, y);
    g_assert_cmphex (y[0], ==, i + (i & 1));
    g_assert_cmphex (y[1], ==, i);
    g_assert_cmphex (y[2], ==, i + 1);
  }
}

static void
each_conversion (void)
{
  gint8 bytes[256];
  guint16 b[200];
  float f[256];

  for (gsize i = 0; i < 200; i++) {
    guint32 bits = random_bits () << 8 | random_bits ();

    memcpy (&f[i], &bits, sizeof bits);
  }
  f[3] = NAN;
  pt_vector_f32_to_bf16 (200, f, b);
  for (gsize i = 0; i < 200; i++)
    g_assert_cmphex (b[i], ==, pt_f32_to_bf16 (f[i]));
  pt_vector_bf16_to_f32 (200, b, f);
  for (gsize i = 0; i < 200; i++)
    assert_same (f[i], pt_bf16_to_f32 (b[i]));
  for (gint i = 0; i < 256; i++)
    bytes[i] = (gint8) (i - 128);
  pt_vector_i8_to_f32 (255, bytes, 3.0f, 0.25f, f);
  for (gint i = 0; i < 255; i++)
    g_assert_cmpfloat (f[i], ==, (float) (i - 128 - 3) * 0.25f);
}

static void
test_halves (void)
{
  for_each_level (each_half);
  for_each_level (each_conversion);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vector/unary", test_unary);
  g_test_add_func ("/vector/lengths", test_lengths);
  g_test_add_func ("/vector/binary", test_binary);
  g_test_add_func ("/vector/rows", test_rows);
  g_test_add_func ("/vector/conversions", test_halves);
  return g_test_run ();
}
