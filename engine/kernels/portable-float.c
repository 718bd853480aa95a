/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/lane-dot.h"
#include "engine/kernels/typed-rows.h"

/*
 * The kernels in plain C for every CPU, with functions of libm. They define what the vector kernels
 * compute.
 */

static float
gelu (float x)
{
  return (float) (0.5 * x * (1.0 + erf (x * 0.70710678118654752440)));
}

static float
gelu_tanh (float x)
{
  double v = x;

  return (float) (0.5 * v * (1.0 + tanh (0.79788456080286535588 * (v + 0.044715 * v * v * v))));
}

static float
sigmoid (float x)
{
  return (float) (1.0 / (1.0 + exp (-(double) x)));
}

static float
silu (float x)
{
  return (float) (x / (1.0 + exp (-(double) x)));
}

static float
hardswish (float x)
{
  return x * (pt_clamp_f32 (x + 3.0f, 0.0f, 6.0f) / 6.0f);
}

#define UNARY_CASE(NAME, EXPRESSION) \
  case NAME:                         \
    for (gsize i = 0; i < n; i++)    \
      y[i] = (EXPRESSION);           \
    break

static void
unary (PtUnary op, gsize n, const float *x, float *y)
{
  switch (op) {
    UNARY_CASE (PT_UNARY_ABS, fabsf (x[i]));
    UNARY_CASE (PT_UNARY_NEGATE, -x[i]);
    UNARY_CASE (PT_UNARY_SQUARE, x[i] * x[i]);
    UNARY_CASE (PT_UNARY_SQRT, sqrtf (x[i]));
    UNARY_CASE (PT_UNARY_RSQRT, 1.0f / sqrtf (x[i]));
    UNARY_CASE (PT_UNARY_FLOOR, floorf (x[i]));
    UNARY_CASE (PT_UNARY_CEIL, ceilf (x[i]));
    UNARY_CASE (PT_UNARY_EXP, expf (x[i]));
    UNARY_CASE (PT_UNARY_LOG, logf (x[i]));
    UNARY_CASE (PT_UNARY_SIN, sinf (x[i]));
    UNARY_CASE (PT_UNARY_COS, cosf (x[i]));
    UNARY_CASE (PT_UNARY_TANH, tanhf (x[i]));
    UNARY_CASE (PT_UNARY_SIGMOID, sigmoid (x[i]));
    UNARY_CASE (PT_UNARY_GELU, gelu (x[i]));
    UNARY_CASE (PT_UNARY_GELU_TANH, gelu_tanh (x[i]));
    UNARY_CASE (PT_UNARY_HARDSWISH, hardswish (x[i]));
    UNARY_CASE (PT_UNARY_SILU, silu (x[i]));
    UNARY_CASE (PT_UNARY_XNN_RSQRT, 1.0f / sqrtf (x[i]));
    UNARY_CASE (PT_UNARY_XNN_SIN, sinf (x[i]));
    UNARY_CASE (PT_UNARY_XNN_COS, cosf (x[i]));
    UNARY_CASE (PT_UNARY_XNN_GELU, gelu (x[i]));
    UNARY_CASE (PT_UNARY_XNN_SIGMOID, sigmoid (x[i]));
  case PT_N_UNARY: g_assert_not_reached ();
  }
}

/* A NaN in either operand gives NaN. */
static inline float
min_f32 (float a, float b)
{
  return a < b || a != a ? a : b;
}

static inline float
max_f32 (float a, float b)
{
  return a > b || a != a ? a : b;
}

#define BINARY_CASE(NAME, EXPRESSION)               \
  case NAME:                                        \
    for (gsize i = 0; i < n; i++)                   \
      y[i] = pt_clamp_f32 ((EXPRESSION), min, max); \
    break

static void
binary (PtBinary op, gsize n, const float *a, const float *b, float min, float max, float *y)
{
  switch (op) {
    BINARY_CASE (PT_BINARY_ADD, a[i] + b[i]);
    BINARY_CASE (PT_BINARY_SUB, a[i] - b[i]);
    BINARY_CASE (PT_BINARY_MUL, a[i] * b[i]);
    BINARY_CASE (PT_BINARY_DIV, a[i] / b[i]);
    BINARY_CASE (PT_BINARY_MIN, min_f32 (a[i], b[i]));
    BINARY_CASE (PT_BINARY_MAX, max_f32 (a[i], b[i]));
  case PT_N_BINARY: g_assert_not_reached ();
  }
}

static void
binary_scalar_reversed (PtBinary op, gsize n, const float *a, float b, float min, float max,
                        float *y)
{
  switch (op) {
    BINARY_CASE (PT_BINARY_SUB, b - a[i]);
    BINARY_CASE (PT_BINARY_DIV, b / a[i]);
  default: g_assert_not_reached ();
  }
}

static void
binary_scalar (PtBinary op, gsize n, const float *a, float b, gboolean reversed, float min,
               float max, float *y)
{
  if (reversed && (op == PT_BINARY_SUB || op == PT_BINARY_DIV)) {
    binary_scalar_reversed (op, n, a, b, min, max, y);
    return;
  }
  switch (op) {
    BINARY_CASE (PT_BINARY_ADD, a[i] + b);
    BINARY_CASE (PT_BINARY_SUB, a[i] - b);
    BINARY_CASE (PT_BINARY_MUL, a[i] * b);
    BINARY_CASE (PT_BINARY_DIV, a[i] / b);
    BINARY_CASE (PT_BINARY_MIN, min_f32 (a[i], b));
    BINARY_CASE (PT_BINARY_MAX, max_f32 (a[i], b));
  case PT_N_BINARY: g_assert_not_reached ();
  }
}

static void
clamp (gsize n, const float *x, float lo, float hi, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = pt_clamp_f32 (x[i], lo, hi);
}

static void
scale (gsize n, const float *x, float factor, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * factor;
}

static float
max (gsize n, const float *x)
{
  float m = -INFINITY;

  for (gsize i = 0; i < n; i++)
    m = max_f32 (m, x[i]);
  return m;
}

static void
softmax (gsize n, const float *x, float *y)
{
  float m = max (n, x), factor;
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    y[i] = expf (x[i] - m);
    sum += y[i];
  }
  factor = (float) (1.0 / sum);
  for (gsize i = 0; i < n; i++)
    y[i] *= factor;
}

static float
softmax_step (gsize n, gsize block, float *x, float factor_in, const float *mask, float *max_inout,
              float *sum_inout)
{
  gsize whole = MIN (n, block - block % 16);
  float m, factor, sums[16] = { 0 }, total = 0.0f;

  for (gsize i = 0; i < n; i++)
    x[i] = mask ? x[i] * factor_in + mask[i] : x[i] * factor_in;
  m = max_f32 (*max_inout, max (n, x));
  if (m == -INFINITY) {
    memset (x, 0, n * sizeof *x);
    return 1.0f;
  }
  factor = expf (*max_inout - m);
  for (gsize i = 0; i < whole; i++) {
    x[i] = expf (x[i] - m);
    sums[i % 16] += x[i];
  }
  for (gsize i = 0; i < 16; i++)
    total += sums[i];
  pt_softmax_rest (n - whole, x + whole, m, &total);
  *sum_inout = total + factor * *sum_inout;
  *max_inout = m;
  return factor;
}

static float
sum (gsize n, const float *x)
{
  double total = 0;

  for (gsize i = 0; i < n; i++)
    total += x[i];
  return (float) total;
}

static float
dot (gsize n, const float *a, const float *b)
{
  double total = 0;

  for (gsize i = 0; i < n; i++)
    total += (double) a[i] * b[i];
  return (float) total;
}

static float
sum_squares (gsize n, const float *x)
{
  return dot (n, x, x);
}

static void
layer_norm (gsize n, const float *x, const float *weight, const float *bias, float eps, float *y,
            float *mean_out, float *rstd_out)
{
  double mean = 0, variance = 0, rstd;

  for (gsize i = 0; i < n; i++)
    mean += x[i];
  mean /= (double) n;
  for (gsize i = 0; i < n; i++)
    variance += (x[i] - mean) * (x[i] - mean);
  rstd = 1.0 / sqrt (variance / (double) n + eps);
  for (gsize i = 0; i < n; i++) {
    double v = (x[i] - mean) * rstd;

    v = weight ? v * weight[i] : v;
    y[i] = (float) (bias ? v + bias[i] : v);
  }
  if (mean_out)
    *mean_out = (float) mean;
  if (rstd_out)
    *rstd_out = (float) rstd;
}

static void
f16_to_f32 (gsize n, const guint16 *x, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = pt_f16_to_f32 (x[i]);
}

static void
f32_to_f16 (gsize n, const float *x, guint16 *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = pt_f32_to_f16 (x[i]);
}

static void
bf16_to_f32 (gsize n, const guint16 *x, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = pt_bf16_to_f32 (x[i]);
}

static void
f32_to_bf16 (gsize n, const float *x, guint16 *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = pt_f32_to_bf16 (x[i]);
}

static void
i8_to_f32 (gsize n, const gint8 *x, float zero, float factor, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = ((float) x[i] - zero) * factor;
}

/*
 * Rounds a value to the nearest integer, ties to even, after limiting it to [-512, 512]. NaN
 * becomes the lower limit.
 */
static inline gint32
round_limited (float v)
{
  v = v > -512.0f ? v : -512.0f;
  v = v < 512.0f ? v : 512.0f;
  return (gint32) lrintf (v);
}

static void
quantize_row (gsize k, const float *x, gint8 *q, gsize stride, float *scale_out, gint32 *zero_out)
{
  float lo = 0, hi = 0, s, a, b, z;
  gint32 zero;

  for (gsize i = 0; i < k; i++) {
    lo = x[i] < lo ? x[i] : lo;
    hi = x[i] > hi ? x[i] : hi;
  }
  s = lo == hi ? 1.0f : 255.0f / (hi - lo);
  a = lo * s;
  b = hi * s;
  z = (-128.0f + a) + (127.0f + b) > 0.0f ? -128.0f - a : 127.0f - b;
  z = z > -128.0f ? z : -128.0f;
  zero = (gint32) lrintf (z < 127.0f ? z : 127.0f);
  for (gsize i = 0; i < k; i++)
    q[i] = (gint8) CLAMP (round_limited (x[i] * s) + zero, -128, 127);
  memset (q + k, 0, stride - k);
  *scale_out = 1.0f / s;
  *zero_out = zero;
}

static void
finish_qd8 (gsize n, const gint32 *sums, const PtQd8Ends *ends, float *y)
{
  for (gsize i = 0; i < n; i++) {
    float v = (float) pt_corrected_sum (sums[i], ends->zero, ends->row_sums[i]) * ends->scale;

    v = v * ends->scales[i];
    v = ends->bias ? v + ends->bias[i] : v;
    y[i] = pt_clamp_f32 (v, ends->min, ends->max);
  }
}

static void
finish_qs8 (gsize n, const gint32 *sums, const PtQs8Ends *ends, gint8 *y)
{
  float lo = (float) (ends->y_min - ends->y_zero), hi = (float) (ends->y_max - ends->y_zero);

  for (gsize i = 0; i < n; i++) {
    guint32 bias = ends->bias ? (guint32) ends->bias[i] : 0;
    gint32 d = pt_corrected_sum (sums[i], ends->x_zero, ends->row_sums[i]);
    float v = (float) (gint32) ((guint32) d + bias) * ends->scale[i];

    v = v > lo ? v : lo;
    v = v < hi ? v : hi;
    y[i] = (gint8) ((gint32) lrintf (v) + ends->y_zero);
  }
}

/* @n <= 8 numbers from number @at of @b on, as floats: in place, or in @room. */
static const float *
floats_of (PtFloatType type, gconstpointer b, gsize at, gsize n, float room[8])
{
  if (type == PT_FLOAT_F32)
    return (const float *) b + at;
  pt_vector_to_f32 (type, n, (const guint16 *) b + at, room);
  return room;
}

static float
dot_of_row (PtFloatType type, gsize k, const float *a, gconstpointer b, gsize at)
{
  float part[8] = { 0 }, total = 0, room[8];
  const float *bs;
  gsize p = 0;

  for (; p + 8 <= k; p += 8) {
    bs = floats_of (type, b, at + p, 8, room);
    for (gsize l = 0; l < 8; l++)
      part[l] += a[p + l] * bs[l];
  }
  bs = floats_of (type, b, at + p, k - p, room);
  for (gsize l = 0; p + l < k; l++)
    total += a[p + l] * bs[l];
  for (gsize l = 0; l < 8; l++)
    total += part[l];
  return total;
}

static void
dot_rows (PtFloatType type, gsize m, gsize n, gsize k, const float *a, gsize lda, gconstpointer b,
          gsize ldb, float *c, gsize ldc)
{
  for (gsize j = 0; j < n; j++)
    for (gsize i = 0; i < m; i++)
      c[i * ldc + j] = dot_of_row (type, k, a + i * lda, b, j * ldb);
}

static void
lane_dots (gsize m, gsize n, gsize k, gboolean lead, const float *a, gsize lda, const float *b,
           gsize ldb, PtAhead *ahead, float *c, gsize ldc)
{
  for (gsize i = 0; i < m; i++) {
    gsize j = 0;

    for (; j < n - n % 4; j++)
      c[i * ldc + j] = pt_lane_dot (4, 4, lead, k, a + i * lda, b + j * ldb);
    pt_lane_dots_rest (n - j, k, lead, a + i * lda, b + j * ldb, ldb, c + i * ldc + j);
  }
}

static void
add_rows (gsize m, gsize n, gsize k, const float *w, gsize ldw, const float *b, gsize ldb,
          PtAhead *ahead, float *c, gsize ldc)
{
  for (gsize p = 0; p < k; p++)
    for (gsize i = 0; i < m; i++)
      for (gsize j = 0; j < n; j++)
        c[i * ldc + j] += w[i * ldw + p] * b[p * ldb + j];
}

#define MR 4
#define NR 8

static void
tile (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
      const PtTileEnds *ends, float *c, gsize ldc)
{
  float acc[MR][NR] = { { 0 } };

  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++)
      acc[i][j] = ends->accumulate ? c[i * ldc + j] : ends->bias ? ends->bias[j] : 0.0f;
  for (gsize p = 0; p < k; p++) {
    const float *row = a + (ends->offsets != NULL ? ends->offsets[p] : p);

    for (gsize i = 0; i < m; i++) {
      float v = row[i * lda];

      for (gsize j = 0; j < n; j++)
        acc[i][j] += v * panel[p * ldp + j];
    }
  }
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++)
      c[i * ldc + j] =
          pt_clamp_f32 (ends->add ? c[i * ldc + j] + acc[i][j] : acc[i][j], ends->min, ends->max);
}

static void
pack_transposed (gsize n, gsize k, const float *b, gsize ldb, float *panel)
{
  for (gsize p = 0; p < k; p++)
    for (gsize j = 0; j < NR; j++)
      panel[p * NR + j] = j < n ? b[j * ldb + p] : 0.0f;
}

const PtVectorKernels pt_vector_kernels_portable = {
  .unary = unary,
  .binary = binary,
  .binary_scalar = binary_scalar,
  .clamp = clamp,
  .scale = scale,
  .softmax = softmax,
  .sum = sum,
  .max = max,
  .dot = dot,
  .sum_squares = sum_squares,
  .layer_norm = layer_norm,
  .f16_to_f32 = f16_to_f32,
  .f32_to_f16 = f32_to_f16,
  .bf16_to_f32 = bf16_to_f32,
  .f32_to_bf16 = f32_to_bf16,
  .i8_to_f32 = i8_to_f32,
  .half_rows_to_f32 = half_rows_to_f32,
  .i8_rows_to_f32 = i8_rows_to_f32,
  .softmax_step = softmax_step,
  .quantize_row = quantize_row,
  .finish_qd8 = finish_qd8,
  .finish_qs8 = finish_qs8,
};

const PtF32Kernels pt_f32_kernels_portable = {
  .dot_rows = dot_rows,
  .lane_dots = lane_dots,
  .add_rows = add_rows,
  .mr = MR,
  .nr = NR,
  .narrow_m = MR,
  .narrow_n = NR,
  .tile = tile,
  .pack_transposed = pack_transposed,
};
