/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/depthwise.h"
#include "engine/kernels/packed-f32.h"
#include "engine/kernels/winograd.h"

#include "tests/unit/kernels/support.h"

static PtPool *pool;

/* ---- Packed products, rows in place and made ones alike ---- */

static const gsize products[][3] = {
  { 5, 1, 1 },     { 14, 32, 256 }, { 15, 33, 257 },  { 49, 70, 600 },
  { 300, 16, 40 }, { 28, 100, 3 },  { 1, 64, 100 },   { 400, 130, 64 },
  { 7, 5, 0 },     { 99, 5, 300 },  { 60, 520, 300 },
};

typedef struct {
  const float *a;
  gsize k;
} Rows;

static void
copy_rows (gconstpointer data, gsize row, gsize count, float *out)
{
  const Rows *rows = data;

  memcpy (out, rows->a + row * rows->k, count * rows->k * sizeof *out);
}

static void
check_product (gsize m, gsize n, gsize k, gboolean made)
{
  g_auto (Guarded) guard_a = { 0 }, guard_b = { 0 }, guard_p = { 0 }, guard_c = { 0 };
  float *a = guarded_new (&guard_a, m * k * sizeof *a), *b = guarded_new (&guard_b, n * k * 4);
  float *c = guarded_new (&guard_c, m * n * sizeof *c);
  PtPackedF32 packed = { n, k, guarded_new (&guard_p, pt_packed_f32_size (n, k)) };
  Rows rows = { a, k };
  PtLeftRows left = { .a = a, .lda = k };
  g_autofree float *bias = g_new (float, n);
  PtEpilogue e = { bias, -1.0f, 1.5f };

  if (made)
    left = (PtLeftRows){ .make = copy_rows, .data = &rows };
  fill_floats (a, m * k);
  fill_floats (b, n * k);
  fill_floats (bias, n);
  pt_pack_f32 (pool, b, k, &packed);
  pt_gemm_f32_packed (pool, m, &left, &packed, &e, c, n);
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++) {
      double sum = bias[j];

      for (gsize p = 0; p < k; p++)
        sum += (double) a[i * k + p] * b[j * k + p];
      assert_close (c[i * n + j], CLAMP (sum, e.min, e.max), 4e-6 * (2.0 + sqrt ((double) k)));
    }
}

static void
each_product (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (products); i++) {
    check_product (products[i][0], products[i][1], products[i][2], FALSE);
    check_product (products[i][0], products[i][1], products[i][2], TRUE);
  }
  g_assert_cmpuint (pt_packed_f32_size (G_MAXSIZE / 16, 1024), ==, 0);
}

static void
test_products (void)
{
  for_each_level (each_product);
}

/* ---- Winograd ---- */

typedef struct {
  gsize batch, in_h, in_w, k, n, pad_top, pad_left, pad_bottom, pad_right;
} Shape;

static const Shape shapes[] = {
  { 1, 7, 7, 16, 16, 1, 1, 1, 1 },   { 2, 5, 8, 17, 33, 1, 1, 1, 1 },
  { 1, 3, 3, 40, 20, 0, 0, 0, 0 },   { 1, 14, 14, 64, 48, 1, 1, 1, 1 },
  { 3, 30, 29, 16, 19, 2, 0, 0, 2 }, { 1, 1, 1, 32, 32, 1, 1, 1, 1 },
};

static double
convolve (const Shape *s, const float *x, const float *w, gsize oy, gsize ox)
{
  double sum = 0;

  for (gsize ky = 0; ky < 3; ky++)
    for (gsize kx = 0; kx < 3; kx++) {
      gsize iy = oy + ky - s->pad_top, ix = ox + kx - s->pad_left;

      for (gsize c = 0; iy < s->in_h && ix < s->in_w && c < s->k; c++)
        sum += (double) x[(iy * s->in_w + ix) * s->k + c] * w[(ky * 3 + kx) * s->k + c];
    }
  return sum;
}

static void
check_winograd (const Shape *s)
{
  gsize out_h = s->in_h + s->pad_top + s->pad_bottom - 2;
  gsize out_w = s->in_w + s->pad_left + s->pad_right - 2;
  gsize image = s->in_h * s->in_w * s->k, n_out = s->batch * out_h * out_w * s->n;
  g_auto (Guarded) guard_x = { 0 }, guard_y = { 0 }, guard_p = { 0 };
  float *x = guarded_new (&guard_x, s->batch * image * sizeof *x);
  float *y = guarded_new (&guard_y, n_out * sizeof *y);
  g_autofree float *w = g_new (float, s->n * 9 * s->k), *bias = g_new (float, s->n);
  PtWinograd winograd = { s->n, s->k, guarded_new (&guard_p, pt_winograd_size (s->n, s->k)) };
  PtImages images = { x, y, s->batch, s->in_h, s->in_w, out_h, out_w, s->pad_top, s->pad_left };
  PtEpilogue e = { bias, -4.0f, 5.0f };

  fill_floats (x, s->batch * image);
  fill_floats (w, s->n * 9 * s->k);
  fill_floats (bias, s->n);
  g_assert_true (pt_winograd_pack (pool, w, &winograd));
  pt_winograd_run (pool, &winograd, &images, &e);
  for (gsize i = 0; i < n_out; i++) {
    gsize c = i % s->n, ox = i / s->n % out_w, oy = i / s->n / out_w % out_h;
    double sum = convolve (s, x + i / s->n / out_w / out_h * image, w + c * 9 * s->k, oy, ox);

    assert_close (y[i], CLAMP (sum + bias[c], e.min, e.max), 3e-5);
  }
}

static void
each_winograd (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    check_winograd (&shapes[i]);
  g_assert_cmpuint (pt_winograd_size (8, 64), ==, 0);
  g_assert_cmpuint (pt_winograd_size (512, 512), ==, 0);
}

static void
test_winograd (void)
{
  for_each_level (each_winograd);
}

/* ---- Depthwise ---- */

static void
check_depthwise (gsize channels, gsize taps, gsize pixels, gsize stride)
{
  gsize n_in = (stride * (pixels - 1) + taps) * channels;
  g_auto (Guarded) guard_x = { 0 }, guard_w = { 0 }, guard_y = { 0 };
  float *x = guarded_new (&guard_x, n_in * sizeof *x);
  float *w = guarded_new (&guard_w, taps * channels * sizeof *w);
  float *y = guarded_new (&guard_y, pixels * channels * sizeof *y);
  g_autofree float *bias = g_new (float, channels);
  const float *inputs[32], *filters[32];
  PtDepthwise d = { channels, taps, inputs, stride * channels, filters, bias, -1.0f, 1.5f, y };

  fill_floats (x, n_in);
  fill_floats (w, taps * channels);
  fill_floats (bias, channels);
  for (gsize t = 0; t < taps; t++) {
    inputs[t] = x + t * channels;
    filters[t] = w + t * channels;
  }
  pt_depthwise_f32 (&d, pixels);
  for (gsize i = 0; i < pixels * channels; i++) {
    double sum = bias[i % channels];

    for (gsize t = 0; t < taps; t++)
      sum += (double) inputs[t][i / channels * stride * channels + i % channels] *
             filters[t][i % channels];
    assert_close (y[i], CLAMP (sum, -1.0, 1.5), 1e-5);
  }
}

static void
each_depthwise (void)
{
  check_depthwise (1, 1, 1, 1);
  check_depthwise (16, 9, 7, 1);
  check_depthwise (33, 9, 4, 2);
  check_depthwise (24, 25, 9, 1);
  check_depthwise (7, 0, 3, 1);
}

static void
test_depthwise (void)
{
  for_each_level (each_depthwise);
}

/* ---- The largest of several pixels ---- */

static void
check_largest (gsize n, gsize taps)
{
  g_auto (Guarded) guard_x = { 0 }, guard_y = { 0 };
  float *x = guarded_new (&guard_x, taps * n * sizeof *x),
        *y = guarded_new (&guard_y, n * sizeof *y);
  g_autofree const float **inputs = g_new (const float *, taps + 1);

  fill_floats (x, taps * n);
  for (gsize t = 0; t < taps; t++)
    inputs[t] = x + t * n;
  x[0] = NAN;
  pt_largest_f32 (n, taps, inputs, -0.5f, 0.75f, y);
  for (gsize c = 0; c < n; c++) {
    float best = x[c];

    for (gsize t = 1; t < taps; t++)
      best = best > x[t * n + c] ? best : x[t * n + c];
    if (isnan (best))
      g_assert_true (isnan (y[c]));
    else
      g_assert_cmpfloat (y[c], ==, CLAMP (best, -0.5f, 0.75f));
  }
  /* Together with what is there. */
  for (gsize c = 0; c < n; c++)
    y[c] = 0.25f;
  inputs[0] = y;
  pt_largest_f32 (n, taps, inputs, -INFINITY, INFINITY, y);
  for (gsize c = 0; c < n; c++)
    g_assert_cmpfloat (y[c], >=, 0.25f);
}

static void
each_largest (void)
{
  check_largest (1, 1);
  check_largest (16, 9);
  check_largest (37, 2);
}

static void
test_largest (void)
{
  for_each_level (each_largest);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pool = pt_pool_new (3);
  g_test_add_func ("/conv/packed", test_products);
  g_test_add_func ("/conv/winograd", test_winograd);
  g_test_add_func ("/conv/depthwise", test_depthwise);
  g_test_add_func ("/conv/largest", test_largest);
  result = g_test_run ();
  pt_pool_free (pool);
  return result;
}
