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

/* Source of the product's left factor: in memory, generated, or read tap by tap. */
typedef enum { WHOLE, MADE, BY_TAPS } Left;

static void
multiply (Left kind, gsize m, const float *a, const gsize *offsets, const PtPackedF32 *packed,
          const PtEpilogue *e, float *c)
{
  Rows rows = { a, packed->k };
  PtLeftRows left = { .a = a, .lda = packed->k };
  PtCut cut = pt_packed_f32_cut (pool, m, packed, kind == MADE);

  if (kind == MADE)
    left = (PtLeftRows){ .make = copy_rows, .data = &rows };
  if (kind == BY_TAPS)
    pt_gemm_f32_packed_taps (m, a, packed->k, offsets, packed, e, c, packed->n);
  else
    pt_gemm_f32_packed (pool, m, &left, packed, &cut, e, c, packed->n);
}

static void
check_product (gsize m, gsize n, gsize k, Left kind)
{
  g_auto (Guarded) guard_a = { 0 }, guard_b = { 0 }, guard_p = { 0 }, guard_c = { 0 };
  float *a = guarded_new (&guard_a, m * k * sizeof *a), *b = guarded_new (&guard_b, n * k * 4);
  float *c = guarded_new (&guard_c, m * n * sizeof *c);
  PtPackedF32 packed = { n, k, guarded_new (&guard_p, pt_packed_f32_size (n, k)) };
  g_autofree float *bias = g_new (float, n);
  g_autofree gsize *offsets = g_new (gsize, k);
  PtEpilogue e = { bias, -1.0f, 1.5f };

  for (gsize p = 0; p < k; p++)
    offsets[p] = kind == BY_TAPS ? k - 1 - p : p;
  fill_floats (a, m * k);
  fill_floats (b, n * k);
  fill_floats (bias, n);
  pt_pack_f32 (pool, b, k, &packed);
  multiply (kind, m, a, offsets, &packed, &e, c);
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++) {
      double sum = bias[j];

      for (gsize p = 0; p < k; p++)
        sum += (double) a[i * k + offsets[p]] * b[j * k + p];
      assert_close (c[i * n + j], CLAMP (sum, e.min, e.max), 4e-6 * (2.0 + sqrt ((double) k)));
    }
}

static void
each_product (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (products); i++)
    for (Left kind = WHOLE; kind <= BY_TAPS; kind++)
      check_product (products[i][0], products[i][1], products[i][2], kind);
  /* Narrow panels, and some of a vector and a half. */
  for (gsize n = 1; n <= 34; n++)
    for (gsize m = 1; m <= 60; m += n % 3 + 1)
      check_product (m, n, 1 + (m * 7 + n) % 40, (Left) ((m + n) % 3));
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

/* A row of an image and the rows of taps on it. */
typedef struct {
  gsize channels, in_w, rows, columns, stride, dilation, pad, out_w;
} Window;

/* The expected output of row @y; taps outside of the input add nothing. */
static double
sum_taps (const PtDepthwise *d, gsize y, gsize o, gsize c)
{
  double sum = d->bias[c];

  for (gsize row = 0; row < d->rows; row++)
    for (gsize k = 0; k < d->columns; k++) {
      gssize at = (gssize) (o * d->stride + k * d->dilation) - (gssize) d->pad;
      const float *x = d->x[y * d->rows + row];

      if (at >= 0 && at < (gssize) d->in_w)
        sum += (double) x[(gsize) at * d->x_step + c] * d->w[row][k * d->w_step + c];
    }
  return CLAMP (sum, -1.0, 1.5);
}

#define ROWS 3

/* Outputs [@first, @first + @n) of some rows; the others stay as they were. Between the channels of
 * one pixel and the next, and one row and the next, is what must not matter. */
static void
check_depthwise (const Window *window, gsize gap, gsize first, gsize n)
{
  gsize step = window->channels + gap, row_x = window->in_w * step + gap;
  gsize row_y = window->out_w * step + gap, rows_in = ROWS + MAX (window->rows, 1) - 1;
  gsize n_x = (rows_in - 1) * row_x + (window->in_w - 1) * step + window->channels;
  gsize n_w = (window->columns - 1) * step + window->channels;
  gsize n_y = (ROWS - 1) * row_y + (window->out_w - 1) * step + window->channels;
  g_auto (Guarded) guard_x = { 0 }, guard_w = { 0 }, guard_y = { 0 };
  float *x = guarded_new (&guard_x, n_x * sizeof *x), *w = guarded_new (&guard_w, n_w * sizeof *w);
  float *y = guarded_new (&guard_y, n_y * sizeof *y);
  g_autofree float *bias = g_new (float, window->channels);
  const float *inputs[ROWS * 8], *filters[8];
  PtDepthwise d = { .channels = window->channels,
                    .in_w = window->in_w,
                    .stride = window->stride,
                    .dilation = window->dilation,
                    .pad = window->pad,
                    .rows = window->rows,
                    .columns = window->columns,
                    .n_rows = ROWS,
                    .x = inputs,
                    .w = filters,
                    .bias = bias,
                    .min = -1.0f,
                    .max = 1.5f,
                    .y = y,
                    .x_step = step,
                    .w_step = step,
                    .y_step = step,
                    .y_row = row_y };

  fill_floats (x, n_x);
  fill_floats (w, n_w);
  fill_floats (bias, window->channels);
  for (gsize i = 0; i < n_y; i++)
    y[i] = 7.0f;
  for (gsize row = 0; row < window->rows; row++) {
    filters[row] = w;
    for (gsize i = 0; i < ROWS; i++)
      inputs[i * window->rows + row] = x + (i + row) * row_x;
  }
  pt_depthwise_f32 (&d, first, n);
  for (gsize i = 0; i < n_y; i++) {
    gsize row = i / row_y, o = i % row_y / step, c = i % row_y % step;

    if (o < first || o >= first + n || c >= window->channels)
      g_assert_cmpfloat (y[i], ==, 7.0f);
    else
      assert_close (y[i], sum_taps (&d, row, o, c), 1e-5);
  }
}

static void
each_depthwise (void)
{
  static const Window windows[] = {
    { 1, 1, 1, 1, 1, 1, 0, 1 },    { 16, 9, 3, 3, 1, 1, 1, 9 },   { 33, 30, 3, 3, 1, 1, 1, 30 },
    { 33, 31, 3, 3, 2, 1, 1, 16 }, { 48, 14, 3, 3, 2, 1, 0, 7 },  { 32, 7, 3, 3, 1, 1, 1, 7 },
    { 17, 20, 2, 3, 1, 1, 1, 20 }, { 24, 18, 5, 5, 1, 1, 2, 18 }, { 40, 25, 3, 3, 1, 2, 2, 25 },
    { 40, 25, 3, 3, 3, 1, 1, 9 },  { 7, 3, 0, 3, 1, 1, 1, 3 },    { 64, 2, 3, 3, 1, 1, 1, 2 },
    { 16, 4, 3, 3, 1, 1, 3, 8 },   { 16, 23, 1, 7, 2, 1, 3, 12 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (windows); i++) {
    const Window *w = &windows[i];

    for (gsize gap = 0; gap <= 5; gap += 5) {
      check_depthwise (w, gap, 0, w->out_w);
      check_depthwise (w, gap, w->out_w / 2, w->out_w - w->out_w / 2);
      check_depthwise (w, gap, 0, w->out_w / 3);
    }
  }
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
