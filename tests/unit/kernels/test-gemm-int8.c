/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm.h"

#include "engine/kernels/vector.h"
#include "tests/unit/kernels/support.h"

/* Products with 8- and 4-bit weights are exact: all levels give the same bits as the formulas. */

typedef struct {
  gsize m, n, k;
} Shape;

static const Shape shapes[] = {
  { 1, 1, 1 },      { 1, 3, 17 },    { 1, 17, 31 },   { 1, 33, 33 },   { 1, 576, 576 },
  { 1, 192, 576 },  { 1, 50, 1536 }, { 1, 257, 64 },  { 2, 5, 100 },   { 3, 31, 63 },
  { 4, 64, 65 },    { 5, 7, 129 },   { 7, 35, 200 },  { 8, 1, 3 },     { 9, 33, 31 },
  { 13, 47, 576 },  { 14, 32, 64 },  { 15, 65, 127 }, { 28, 96, 260 }, { 29, 31, 67 },
  { 40, 70, 96 },   { 33, 300, 33 }, { 17, 16, 1 },   { 1, 1, 5000 },  { 40, 2, 4099 },
  { 12, 9, 40000 },
};

static PtPool *pool;

typedef struct {
  PtQuantizedRows rows;
  Guarded q;
} Rows;

static void
rows_init (Rows *rows, gsize m, gsize k)
{
  gsize stride = pt_quantized_stride (k);
  gint8 *q = guarded_new (&rows->q, m * stride);

  rows->rows = (PtQuantizedRows){ q, stride, g_new (float, m), g_new (gint32, m) };
  memset (q, 0, m * stride);
  for (gsize i = 0; i < m; i++) {
    fill_bytes (q + i * stride, k);
    rows->rows.scale[i] = random_float () + 1.5f;
    rows->rows.zero[i] = i == 0 ? -128 : i == 1 ? 127 : (gint32) (random_bits () % 256) - 128;
  }
}

static void
rows_clear (Rows *rows)
{
  guarded_clear (&rows->q);
  g_free (rows->rows.scale);
  g_free (rows->rows.zero);
}

static float *
new_floats (gsize n)
{
  float *x = g_new (float, n);

  fill_floats (x, n);
  return x;
}

/* y = ((float) d * r) * scale + bias, as XNNPACK computes it (docs/formats/xnnpack.md). */
static float
expected_qc8 (const Shape *s, const Rows *x, const PtWeightsQc8 *w, const PtEpilogue *e, gsize i,
              gsize j)
{
  gint64 d = 0;
  float y;

  for (gsize p = 0; p < s->k; p++)
    d += (x->rows.q[i * x->rows.stride + p] - x->rows.zero[i]) * w->weights[j * s->k + p];
  y = (float) (gint32) d * x->rows.scale[i];
  y = y * w->scales[j];
  y = e->bias ? y + e->bias[j] : y;
  return CLAMP (y, e->min, e->max);
}

static void
check_qc8 (const Shape *s, gboolean with_bias, gboolean with_clamp)
{
  gsize ldc = s->n + 3;
  g_auto (Guarded) guarded = { 0 };
  gint8 *weights = guarded_new (&guarded, s->n * s->k);
  g_autofree float *scales = new_floats (s->n), *bias = new_floats (s->n);
  g_autofree gint32 *sums = g_new (gint32, s->n);
  g_autofree float *c = g_new0 (float, s->m *ldc);
  PtWeightsQc8 w = { weights, scales, sums };
  PtEpilogue e = { with_bias ? bias : NULL, with_clamp ? -50.0f : -INFINITY,
                   with_clamp ? 100.0f : INFINITY };
  Rows x;

  rows_init (&x, s->m, s->k);
  fill_bytes (weights, s->n * s->k);
  pt_row_sums_i8 (pool, s->n, s->k, weights, s->k, sums);
  pt_gemm_qd8_qc8 (pool, s->m, s->n, s->k, &x.rows, &w, &e, c, ldc);
  for (gsize i = 0; i < s->m; i++) {
    for (gsize j = 0; j < s->n; j++)
      g_assert_cmpfloat (c[i * ldc + j], ==, expected_qc8 (s, &x, &w, &e, i, j));
    g_assert_cmpfloat (c[i * ldc + s->n], ==, 0.0f);
  }
  rows_clear (&x);
}

static void
each_qc8 (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    check_qc8 (&shapes[i], i % 3 != 0, i % 5 == 0);
}

static void
test_qc8 (void)
{
  for_each_level (each_qc8);
}

/* The extremes: nothing may saturate on the way. */
static void
each_extreme (void)
{
  const gsize k = 1536, n = 33;

  for (gsize m = 1; m <= 16; m += 15)
    for (guint sign = 0; sign < 4; sign++) {
      g_autofree gint8 *weights = g_malloc (n * k), *q = g_malloc (m * k);
      g_autofree float *c = g_new (float, m *n);
      gint32 sums[33], zero[16];
      float scales[33], scale[16];
      PtWeightsQc8 w = { weights, scales, sums };
      PtQuantizedRows x = { q, k, scale, zero };
      double expected = (double) k * (sign & 1 ? -128 : 127) * (sign & 2 ? -255 : 255);

      memset (weights, sign & 1 ? -128 : 127, n * k);
      memset (q, sign & 2 ? -128 : 127, m * k);
      for (gsize i = 0; i < 16; i++) {
        zero[i] = sign & 2 ? 127 : -128;
        scale[i] = 1.0f;
      }
      for (gsize j = 0; j < n; j++)
        scales[j] = 1.0f;
      pt_row_sums_i8 (pool, n, k, weights, k, sums);
      pt_gemm_qd8_qc8 (pool, m, n, k, &x, &w, NULL, c, n);
      for (gsize i = 0; i < m * n; i++)
        g_assert_cmpfloat (c[i], ==, (float) expected);
    }
}

static void
test_extremes (void)
{
  for_each_level (each_extreme);
}

static gint32
nibble (const PtWeightsQ4 *w, gsize k, gsize j, gsize p)
{
  guint8 pair = w->weights[j * ((k + 1) / 2) + p / 2];

  return (p % 2 ? pair >> 4 : pair & 15) - 8;
}

static gint32
sum_q4 (const Shape *s, const Rows *x, const PtWeightsQ4 *w, gsize i, gsize j, gsize begin,
        gsize end)
{
  gint32 d = 0;

  for (gsize p = begin; p < end; p++)
    d += (x->rows.q[i * x->rows.stride + p] - x->rows.zero[i]) * nibble (w, s->k, j, p);
  return d;
}

static float
expected_q4 (const Shape *s, const Rows *x, const PtWeightsQ4 *w, const float *bias, gsize i,
             gsize j)
{
  float acc = 0.0f;

  if (w->group == 0) {
    acc = (float) sum_q4 (s, x, w, i, j, 0, s->k) * x->rows.scale[i];
    acc = acc * w->scales_f32[j];
    return bias ? acc + bias[j] : acc;
  }
  for (gsize g = 0; g < s->k / w->group; g++) {
    float d = (float) sum_q4 (s, x, w, i, j, g * w->group, (g + 1) * w->group);

    d = d * pt_bf16_to_f32 (w->scales[j * (s->k / w->group) + g]);
    acc = acc + d;
  }
  acc = acc * x->rows.scale[i];
  return bias ? acc + bias[j] : acc;
}

static void
check_q4 (const Shape *s, gsize group, gboolean with_bias)
{
  gsize n_scales = group ? s->n * (s->k / group) : 1, ldc = s->n + 1;
  g_auto (Guarded) guarded = { 0 }, guarded_scales = { 0 };
  guint8 *weights = guarded_new (&guarded, s->n * ((s->k + 1) / 2));
  guint16 *scales = guarded_new (&guarded_scales, n_scales * sizeof *scales);
  g_autofree float *scales_f32 = new_floats (s->n), *bias = new_floats (s->n);
  g_autofree float *c = g_new0 (float, s->m *ldc);
  PtWeightsQ4 w = { weights, scales, group ? NULL : scales_f32, group };
  PtEpilogue e = { with_bias ? bias : NULL, -INFINITY, INFINITY };
  Rows x;

  rows_init (&x, s->m, s->k);
  fill_bytes (weights, s->n * ((s->k + 1) / 2));
  for (gsize i = 0; i < n_scales; i++)
    scales[i] = pt_f32_to_bf16 (random_float ());
  pt_gemm_qd8_q4 (pool, s->m, s->n, s->k, &x.rows, &w, &e, c, ldc);
  for (gsize i = 0; i < s->m; i++) {
    for (gsize j = 0; j < s->n; j++)
      g_assert_cmpfloat (c[i * ldc + j], ==, expected_q4 (s, &x, &w, e.bias, i, j));
    g_assert_cmpfloat (c[i * ldc + s->n], ==, 0.0f);
  }
  rows_clear (&x);
}

static void
each_q4 (void)
{
  const gsize groups[] = { 32, 64, 96, 128, 256 };
  const Shape grouped[] = { { 1, 1, 1 }, { 1, 31, 3 }, { 3, 33, 2 }, { 9, 37, 3 }, { 29, 64, 5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    check_q4 (&shapes[i], 0, i % 2);
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (grouped); j++) {
      Shape s = grouped[j];

      s.k *= groups[i];
      check_q4 (&s, groups[i], j % 2);
    }
  /* More than is packed at a time. */
  check_q4 (&(Shape){ 11, 35, 8192 + 64 }, 32, TRUE);
  check_q4 (&(Shape){ 11, 35, 8192 + 256 }, 256, FALSE);
}

static void
test_q4 (void)
{
  for_each_level (each_q4);
}

static gint8
expected_qs8 (const Shape *s, const gint8 *x, gsize ldx, const PtWeightsQs8 *w, gsize i, gsize j)
{
  gint32 d = w->bias ? w->bias[j] : 0;
  float f;

  for (gsize p = 0; p < s->k; p++)
    d += (x[i * ldx + p] - w->x_zero) * w->weights[j * s->k + p];
  f = (float) d * w->scale[j];
  f = CLAMP (f, (float) (w->y_min - w->y_zero), (float) (w->y_max - w->y_zero));
  return (gint8) (lrintf (f) + w->y_zero);
}

static void
check_qs8 (const Shape *s, gboolean with_bias)
{
  gsize ldx = s->k + 5, ldy = s->n + 2;
  g_auto (Guarded) guarded = { 0 }, guarded_x = { 0 };
  gint8 *weights = guarded_new (&guarded, s->n * s->k);
  gint8 *x = guarded_new (&guarded_x, (s->m - 1) * ldx + s->k);
  g_autofree float *scale = new_floats (s->n);
  g_autofree gint32 *bias = g_new (gint32, s->n);
  g_autofree gint8 *y = g_malloc0 (s->m * ldy);
  PtWeightsQs8 w = { weights, with_bias ? bias : NULL, scale, -7, 5, -100, 127 };

  fill_bytes (weights, s->n * s->k);
  fill_bytes (x, (s->m - 1) * ldx + s->k);
  for (gsize j = 0; j < s->n; j++) {
    scale[j] = (scale[j] + 1.0f) * 1e-3f;
    bias[j] = (gint32) (random_bits () % 100000) - 50000;
  }
  pt_gemm_qs8 (pool, s->m, s->n, s->k, x, ldx, &w, y, ldy);
  for (gsize i = 0; i < s->m; i++) {
    for (gsize j = 0; j < s->n; j++)
      g_assert_cmpint (y[i * ldy + j], ==, expected_qs8 (s, x, ldx, &w, i, j));
    g_assert_cmpint (y[i * ldy + s->n], ==, 0);
  }
}

static void
each_qs8 (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    check_qs8 (&shapes[i], i % 2);
}

static void
test_qs8 (void)
{
  for_each_level (each_qs8);
}

/* XNNPACK's quantisation of a row, step by step (docs/formats/xnnpack.md). */
static void
check_quantized (gsize k, const float *x, const PtQuantizedRows *out, gsize row)
{
  float lo = 0, hi = 0, s, a, b, z;
  gint32 zero;

  for (gsize i = 0; i < k; i++) {
    lo = MIN (lo, x[i]);
    hi = MAX (hi, x[i]);
  }
  s = lo == hi ? 1.0f : 255.0f / (hi - lo);
  a = lo * s;
  b = hi * s;
  z = (-128.0f + a) + (127.0f + b) > 0.0f ? -128.0f - a : 127.0f - b;
  zero = (gint32) lrintf (CLAMP (z, -128.0f, 127.0f));
  g_assert_cmpint (out->zero[row], ==, zero);
  g_assert_cmpfloat (out->scale[row], ==, 1.0f / s);
  for (gsize i = 0; i < k; i++) {
    gint32 q = (gint32) lrintf (x[i] * s) + zero;

    g_assert_cmpint (out->q[row * out->stride + i], ==, CLAMP (q, -128, 127));
  }
  for (gsize i = k; i < out->stride; i++)
    g_assert_cmpint (out->q[row * out->stride + i], ==, 0);
}

static void
quantize (gsize m, gsize k, const float *x, gsize ldx)
{
  gsize stride = pt_quantized_stride (k);
  g_autofree gint8 *q = g_malloc (m * stride);
  g_autofree float *scale = g_new (float, m);
  g_autofree gint32 *zero = g_new (gint32, m);
  PtQuantizedRows out = { q, stride, scale, zero };

  memset (q, 0x55, m * stride);
  pt_quantize_rows (pool, m, k, x, ldx, &out);
  for (gsize i = 0; i < m; i++)
    check_quantized (k, x + i * ldx, &out, i);
}

static void
each_quantize (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    gsize m = shapes[i].m, k = shapes[i].k, ldx = k + 1;
    g_auto (Guarded) guarded = { 0 };
    float *x = guarded_new (&guarded, ((m - 1) * ldx + k) * sizeof *x);

    fill_floats (x, (m - 1) * ldx + k);
    quantize (m, k, x, ldx);
    for (gsize j = 0; j < (m - 1) * ldx + k; j++) /* one-sided rows: zero points at the ends */
      x[j] = i % 2 ? fabsf (x[j]) * 100.0f : -fabsf (x[j]) * 1e-6f;
    quantize (m, k, x, ldx);
    memset (x, 0, ((m - 1) * ldx + k) * sizeof *x);
    quantize (m, k, x, ldx);
  }
}

static void
test_quantize (void)
{
  for_each_level (each_quantize);
}

/* Rounding of halves, and values that are no numbers: any result, but the same at all levels. */
static void
test_quantize_strange (void)
{
  const float rows[4][20] = {
    { 127.5f, -127.5f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 3.5f, 126.5f, -126.5f, 0.49999997f },
    { INFINITY, 1.0f, -1.0f, -INFINITY },
    { NAN, 1.0f, -2.0f, 0.25f, NAN },
    { 1e-45f, -1e-45f, 1e-40f, 3e38f, -3e38f },
  };
  gint8 first[4 * 64], other[4 * 64];
  float scale[2][4];
  gint32 zero[2][4];
  PtCpuLevel best = pt_cpu_level ();

  quantize (1, 20, rows[0], 20);
  for (PtCpuLevel level = PT_CPU_PORTABLE; level <= best; level++) {
    gboolean is_first = pt_cpu_set_level (level) == PT_CPU_PORTABLE;
    PtQuantizedRows out = { is_first ? first : other, 64, scale[!is_first], zero[!is_first] };

    pt_quantize_rows (pool, 4, 20, rows[0], 20, &out);
    if (is_first)
      continue;
    g_assert_cmpmem (first, sizeof first, other, sizeof other);
    g_assert_cmpmem (zero[0], sizeof zero[0], zero[1], sizeof zero[1]);
    for (guint i = 0; i < 4; i++)
      g_assert_true (scale[0][i] == scale[1][i] || (isnan (scale[0][i]) && isnan (scale[1][i])));
  }
  pt_cpu_set_level (best);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pool = pt_pool_new (3);
  g_test_add_func ("/gemm-int8/qc8", test_qc8);
  g_test_add_func ("/gemm-int8/extremes", test_extremes);
  g_test_add_func ("/gemm-int8/q4", test_q4);
  g_test_add_func ("/gemm-int8/qs8", test_qs8);
  g_test_add_func ("/gemm-int8/quantize", test_quantize);
  g_test_add_func ("/gemm-int8/quantize-strange", test_quantize_strange);
  result = g_test_run ();
  pt_pool_free (pool);
  return result;
}
