/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/winograd-q8.h"

#include "tests/unit/kernels/support.h"

/*
 * Static 8-bit convolutions and loops: at every level the bits of the formula of PtWeightsQs8,
 * which is written here once more, one number at a time.
 */

static PtPool *pool;

static gint8
random_byte (void)
{
  return (gint8) random_bits ();
}

/* rne (clamp (x, lo - zero, hi - zero)) + zero; NaN gives lo. */
static gint8
to_byte (float x, gint32 zero, gint32 lo, gint32 hi)
{
  x = x > (float) (lo - zero) ? x : (float) (lo - zero);
  x = x < (float) (hi - zero) ? x : (float) (hi - zero);
  return (gint8) ((gint32) rintf (x) + zero);
}

/* ---- Weights ---- */

typedef struct {
  PtWeightsQs8 w;
  Guarded weights;
  gint32 *bias;
  float *scale;
} Filter;

static void
filter_clear (Filter *filter)
{
  guarded_clear (&filter->weights);
  g_free (filter->bias);
  g_free (filter->scale);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Filter, filter_clear)

/* @n channels of @k weights each. @turn: other zero points, bounds and scales, also absurd ones. */
static void
filter_init (Filter *filter, gsize n, gsize k, guint turn)
{
  static const float scales[] = { 1e-3f, 2e-5f, 3e8f, INFINITY, NAN };

  *filter = (Filter){ .bias = g_new (gint32, n), .scale = g_new (float, n) };
  fill_bytes (guarded_new (&filter->weights, n * k), n * k);
  for (gsize i = 0; i < n; i++) {
    filter->bias[i] = (gint32) (random_bits () << 9);
    filter->scale[i] = turn % 4 == 3 ? scales[i % G_N_ELEMENTS (scales)] : 1e-8f * (float) (i + 1);
  }
  filter->w = (PtWeightsQs8){ .weights = filter->weights.data,
                              .bias = turn % 3 != 0 ? filter->bias : NULL,
                              .scale = filter->scale,
                              .x_zero = turn % 5 == 0 ? -128 : random_byte (),
                              .y_zero = turn % 5 == 1 ? 127 : random_byte (),
                              .y_min = turn % 2 == 0 ? -128 : -100,
                              .y_max = turn % 2 == 0 ? 127 : 99 };
  if (turn % 4 != 3 && turn % 2 == 0)
    for (gsize i = 0; i < n; i++)
      filter->bias[i] /= 4096;
}

static gint8
finish (const PtWeightsQs8 *w, gsize channel, guint32 sum)
{
  sum += w->bias != NULL ? (guint32) w->bias[channel] : 0;
  return to_byte ((float) (gint32) sum * w->scale[channel], w->y_zero, w->y_min, w->y_max);
}

/* ---- Products ---- */

static void
check_product (gsize m, gsize n, gsize k, guint turn)
{
  g_auto (Guarded) guard_x = { 0 }, guard_p = { 0 }, guard_y = { 0 };
  g_auto (Filter) filter = { 0 };
  gsize size = pt_packed_q8_size (n, 1, k);
  gint8 *x = guarded_new (&guard_x, m * k), *y = guarded_new (&guard_y, m * n);
  PtPackedQ8 packed = { n, 1, k, guarded_new (&guard_p, size) };

  if (size == 0) /* no kernels at this level */
    return;
  filter_init (&filter, n, k, turn);
  fill_bytes (x, m * k);
  pt_pack_q8 (pool, &filter.w, &packed);
  pt_gemm_q8_packed (pool, m, x, k, &packed, y, n);
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < n; j++) {
      guint32 sum = 0;

      for (gsize p = 0; p < k; p++)
        sum += (guint32) ((x[i * k + p] - filter.w.x_zero) * filter.w.weights[j * k + p]);
      g_assert_cmpint (y[i * n + j], ==, finish (&filter.w, j, sum));
    }
}

static void
each_product (void)
{
  static const gsize shapes[][3] = { { 1, 1, 1 },     { 14, 32, 64 },  { 15, 33, 65 },
                                     { 49, 70, 600 }, { 6, 16, 4096 }, { 3, 17, 5000 },
                                     { 28, 100, 3 },  { 200, 24, 96 } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint turn = 0; turn < 4; turn++)
      check_product (shapes[i][0], shapes[i][1], shapes[i][2], 5 * i + turn);
  for (guint n = 1; n <= 40; n++)
    check_product (1 + n * 7 % 31, n, 1 + n * 11 % 70, n);
  g_assert_cmpuint (pt_packed_q8_size (G_MAXSIZE / 16, 1, 1024), ==, 0);
  g_assert_cmpuint (pt_packed_q8_size (16, 1, G_MAXSIZE), ==, 0);
  g_assert_cmpuint (pt_packed_q8_size (16, PT_PACKED_Q8_MAX_RUNS + 1, 1), ==, 0);
}

static void
test_products (void)
{
  for_each_level (each_product);
}

/* ---- Convolutions ---- */

/* The sum of output @o of an image, of one channel; padding is zero points. */
static guint32
sum_patch (const PtConvQ8 *s, const PtWeightsQs8 *w, const gint8 *image, gsize o, gsize channel)
{
  const gint8 *weights = w->weights + channel * s->kernel_h * s->kernel_w * s->in_c;
  guint32 sum = 0;

  for (gsize ky = 0; ky < s->kernel_h; ky++)
    for (gsize kx = 0; kx < s->kernel_w; kx++) {
      gsize row = o / s->out_w * s->stride_h + ky * s->dilation_h - s->pad_top;
      gsize column = o % s->out_w * s->stride_w + kx * s->dilation_w - s->pad_left;

      for (gsize c = 0; c < s->in_c; c++, weights++)
        if (row < s->in_h && column < s->in_w)
          sum += (guint32) ((image[(row * s->in_w + column) * s->in_c + c] - w->x_zero) * *weights);
    }
  return sum;
}

/* All @n channels of the outputs @y of the images @x. */
static void
check_outputs (const PtConvQ8 *s, const PtWeightsQs8 *w, gsize n, const gint8 *x, const gint8 *y)
{
  gsize image = s->in_h * s->in_w * s->in_c, pixels = s->out_h * s->out_w;

  for (gsize i = 0; i < s->batch * pixels; i++)
    for (gsize j = 0; j < n; j++)
      g_assert_cmpint (y[i * n + j], ==,
                       finish (w, j, sum_patch (s, w, x + i / pixels * image, i % pixels, j)));
}

static void
check_conv (const PtConvQ8 *s, gsize n, guint turn)
{
  g_auto (Guarded) guard_x = { 0 }, guard_p = { 0 }, guard_y = { 0 }, guard_s = { 0 };
  g_auto (Filter) filter = { 0 };
  gsize image = s->in_h * s->in_w * s->in_c, pixels = s->out_h * s->out_w, size, scratch;
  PtPackedQ8 packed = { .n = n };
  gint8 *x, *y;

  pt_conv_q8_runs (s, &packed);
  size = pt_packed_q8_size (n, packed.runs, packed.k);
  if (size == 0) /* no kernels at this level */
    return;
  packed.panels = guarded_new (&guard_p, size);
  x = guarded_new (&guard_x, s->batch * image);
  y = guarded_new (&guard_y, s->batch * pixels * n);
  scratch = pt_conv_q8_scratch (s);
  g_assert_cmpuint (scratch, >, 0);
  filter_init (&filter, n, packed.runs * packed.k, turn);
  fill_bytes (x, s->batch * image);
  pt_pack_q8 (pool, &filter.w, &packed);
  pt_conv_q8 (pool, s, &packed, x, y,
              scratch > PT_POOL_SCRATCH ? guarded_new (&guard_s, pt_pool_n_workers (pool) * scratch)
                                        : NULL);
  check_outputs (s, &filter.w, n, x, y);
}

static void
each_conv (void)
{
  /* batch; in_h, in_w, in_c; out_h, out_w; kernel, stride, dilation, pad: top or height first */
  static const PtConvQ8 convs[] = {
    { 1, 30, 31, 3, 15, 15, 3, 3, 2, 2, 1, 1, 1, 1 },
    { 2, 9, 7, 16, 9, 7, 3, 3, 1, 1, 1, 1, 1, 1 },
    { 1, 8, 9, 5, 4, 5, 1, 1, 2, 2, 1, 1, 0, 0 },
    { 1, 20, 20, 4, 20, 20, 3, 3, 1, 1, 2, 2, 2, 2 },
    { 3, 6, 40, 7, 4, 33, 3, 8, 1, 1, 1, 1, 0, 0 },
    { 1, 5, 5, 3, 9, 9, 3, 3, 1, 1, 1, 1, 3, 3 },
    { 1, 16, 3, 9, 3, 1, 7, 7, 5, 5, 1, 1, 2, 2 },
    { 1, 1, 1, 130, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1 },
    { 1, 4, 3000, 128, 2, 2, 3, 3, 1, 1000, 1, 1, 0, 0 },
    { 1, 4, 4, 2, 6, 6, 2, 2, 9, 9, 1, 3, 7, 7 },
    { 2, 7, 7, 20, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1 }, /* rows of the output by twos */
    { 1, 14, 13, 9, 7, 6, 3, 5, 2, 2, 1, 1, 1, 1 },
    { 1, 11, 5, 70, 11, 3, 3, 3, 1, 1, 2, 1, 2, 0 },
    { 1, 6, 8, 12, 4, 4, 3, 3, 1, 2, 1, 1, 0, 1 },
  };
  PtConvQ8 large = convs[0];

  for (guint i = 0; i < G_N_ELEMENTS (convs); i++)
    for (guint turn = 0; turn < 4; turn++)
      check_conv (&convs[i], 1 + (i * 29 + turn * 17) % 70, 3 * i + turn);
  large.in_w = large.in_c = (gsize) 1 << 31;
  if (pt_packed_q8_size (1, 1, 1) > 0)
    g_assert_cmpuint (pt_conv_q8_scratch (&large), ==, 0);
}

static void
test_convs (void)
{
  for_each_level (each_conv);
}

/* ---- Winograd ---- */

static void
check_winograd (const PtConvQ8 *s, gsize n, guint turn)
{
  g_auto (Guarded) guard_x = { 0 }, guard_p = { 0 }, guard_y = { 0 };
  g_auto (Filter) filter = { 0 };
  gsize image = s->in_h * s->in_w * s->in_c, pixels = s->out_h * s->out_w, size;
  gint8 *x = guarded_new (&guard_x, s->batch * image);
  gint8 *y = guarded_new (&guard_y, s->batch * pixels * n);
  PtImagesQ8 images = { x,        y,        s->batch,   s->in_h,    s->in_w,
                        s->out_h, s->out_w, s->pad_top, s->pad_left };
  PtWinogradQ8 winograd = { .n = n, .k = s->in_c };

  if (pt_winograd_q8_kernels () == NULL)
    return;
  filter_init (&filter, n, 9 * s->in_c, turn);
  fill_bytes (x, s->batch * image);
  if (turn % 3 == 2) { /* the largest numbers */
    memset (x, turn % 2 == 0 ? -128 : 127, s->batch * image);
    filter.w.x_zero = turn % 2 == 0 ? 127 : -128;
    for (gsize i = 0; i < n * 9 * s->in_c; i++)
      ((gint8 *) filter.weights.data)[i] = turn == 5 || i % 2 == 0 ? 127 : -128;
  }
  size = pt_winograd_q8_size (n, s->in_c, &filter.w);
  g_assert_cmpuint (size, >, 0);
  winograd.panels = guarded_new (&guard_p, size);
  pt_winograd_q8_pack (pool, &filter.w, &winograd);
  pt_winograd_q8_run (pool, &winograd, &images);
  check_outputs (s, &filter.w, n, x, y);
}

static void
each_winograd (void)
{
  static const PtConvQ8 convs[] = {
    { 1, 8, 8, 32, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1 },
    { 2, 9, 7, 37, 9, 7, 3, 3, 1, 1, 1, 1, 1, 1 },
    { 1, 20, 21, 64, 18, 19, 3, 3, 1, 1, 1, 1, 0, 0 },
    { 1, 1, 1, 100, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1 },
    { 3, 5, 2, 45, 9, 6, 3, 3, 1, 1, 1, 1, 3, 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (convs); i++)
    for (guint turn = 0; turn < 6; turn++)
      check_winograd (&convs[i], 32 + (i * 29 + turn * 17) % 70, turn);
}

static void
test_winograd (void)
{
  for_each_level (each_winograd);
}

/* Where sums may not fit, or other kernels are faster, there are no panels. */
static void
test_winograd_limits (void)
{
  const gsize k = 128;
  g_autofree gint8 *weights = g_new0 (gint8, 32 * 9 * k);
  g_autofree gint32 *zeros = g_new0 (gint32, 32);
  g_autofree float *scale = g_new0 (float, 32);
  PtWeightsQs8 w = { .weights = weights, .bias = zeros, .scale = scale, .x_zero = -128 };

  if (pt_winograd_q8_kernels () == NULL) {
    g_test_skip ("no kernels at this level");
    return;
  }
  g_assert_cmpuint (pt_winograd_q8_size (32, k, &w), >, 0);
  memset (weights + 31 * 9 * k, 114, 9 * k); /* 114 * 1152 * 255 < 2^25 <= 115 * 1152 * 255 */
  g_assert_cmpuint (pt_winograd_q8_size (32, k, &w), >, 0);
  memset (weights + 31 * 9 * k, -115, 9 * k);
  g_assert_cmpuint (pt_winograd_q8_size (32, k, &w), ==, 0);
  w.x_zero = 0; /* 115 * 1152 * 128 */
  g_assert_cmpuint (pt_winograd_q8_size (32, k, &w), >, 0);
  w.w_zero = 1;
  g_assert_cmpuint (pt_winograd_q8_size (32, k, &w), ==, 0);
  w.w_zero = 0;
  g_assert_cmpuint (pt_winograd_q8_size (1, k, &w), ==, 0);
  g_assert_cmpuint (pt_winograd_q8_size (G_MAXSIZE, G_MAXSIZE, &w), ==, 0);
}

/* ---- Depthwise ---- */

typedef struct {
  gsize channels, rows, columns, in_w, stride, dilation, pad;
} Window;

static guint32
sum_window (const Window *s, const PtWeightsQs8 *w, const gint8 *const *x, gsize o, gsize c)
{
  guint32 sum = 0;

  for (gsize ky = 0; ky < s->rows; ky++)
    for (gsize kx = 0; kx < s->columns; kx++) {
      gsize column = o * s->stride + kx * s->dilation - s->pad;
      gint8 weight = w->weights[(ky * s->columns + kx) * s->channels + c];

      if (x[ky] != NULL && column < s->in_w)
        sum += (guint32) ((x[ky][column * s->channels + c] - w->x_zero) * weight);
    }
  return sum;
}

static void
check_depthwise (const Window *s, guint turn)
{
  g_auto (Guarded) guard_x = { 0 }, guard_p = { 0 }, guard_y = { 0 };
  g_auto (Filter) filter = { 0 };
  gsize row = s->in_w * s->channels, n = (s->in_w + 2 * s->pad) / s->stride + 1;
  gsize size = pt_packed_depthwise_q8_size (s->channels, s->rows, s->columns);
  gint8 *image = guarded_new (&guard_x, s->rows * row);
  gint8 *y = guarded_new (&guard_y, n * s->channels);
  const gint8 *x[PT_DEPTHWISE_Q8_MAX_ROWS];
  PtPackedDepthwiseQ8 packed = { s->channels, s->rows, s->columns, guarded_new (&guard_p, size) };
  PtDepthwiseQ8 d = { &packed, s->in_w, s->stride, s->dilation, s->pad, x, y };

  if (size == 0)
    return;
  memset (packed.blocks, 0, size);
  filter_init (&filter, s->channels, s->rows * s->columns, turn);
  fill_bytes (image, s->rows * row);
  for (gsize ky = 0; ky < s->rows; ky++)
    x[ky] = (turn + ky) % 4 == 3 ? NULL : image + ky * row;
  pt_pack_depthwise_q8 (&filter.w, &packed);
  pt_depthwise_q8 (&d, n, pt_pool_scratch (pool, 0));
  for (gsize o = 0; o < n; o++)
    for (gsize c = 0; c < s->channels; c++)
      g_assert_cmpint (y[o * s->channels + c], ==,
                       finish (&filter.w, c, sum_window (s, &filter.w, x, o, c)));
}

static void
each_depthwise (void)
{
  static const Window windows[] = {
    { 64, 3, 3, 30, 1, 1, 1 },  { 32, 3, 3, 29, 2, 1, 1 },  { 100, 5, 5, 14, 1, 1, 2 },
    { 17, 5, 5, 15, 2, 1, 2 },  { 130, 3, 3, 9, 1, 2, 2 },  { 1, 1, 1, 5, 1, 1, 0 },
    { 70, 16, 2, 4, 3, 1, 0 },  { 33, 7, 7, 40, 1, 1, 3 },  { 64, 2, 9, 300, 1, 7, 5 },
    { 960, 3, 3, 7, 1, 1, 1 },  { 48, 1, 64, 70, 1, 1, 9 }, { 65, 4, 1, 1, 1, 1, 4 },
    { 16, 3, 3, 1, 2, 40, 41 }, { 96, 3, 3, 11, 2, 1, 0 },  { 97, 3, 3, 8, 3, 1, 1 },
    { 144, 3, 3, 3, 1, 1, 3 },  { 40, 3, 3, 6, 2, 2, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (windows); i++)
    for (guint turn = 0; turn < 4; turn++)
      check_depthwise (&windows[i], 3 * i + turn);
  g_assert_cmpuint (pt_packed_depthwise_q8_size (16, PT_DEPTHWISE_Q8_MAX_ROWS + 1, 1), ==, 0);
  g_assert_cmpuint (pt_packed_depthwise_q8_size (16, 1, PT_DEPTHWISE_Q8_MAX_SPAN + 1), ==, 0);
  g_assert_cmpuint (pt_packed_depthwise_q8_size (G_MAXSIZE - 1, 3, 3), ==, 0);
}

static void
test_depthwise (void)
{
  for_each_level (each_depthwise);
}

/* ---- Loops ---- */

#define N 333 /* no whole number of vectors */

static void
check_bytes (const PtQ8Loops *loops, guint8 flip)
{
  const PtQ8Loops *plain = &pt_q8_loops_portable;
  const PtSumQ8 sum = { 1 << 19, 1400000, -700123, 20, 3, -90, 127, flip, 0x80, flip };
  guint8 a[N], b[N], y[N], wanted[N];

  fill_bytes (a, N);
  fill_bytes (b, N);
  loops->clamp (N, a, flip, -50, 60, y);
  for (gsize i = 0; i < N; i++)
    g_assert_cmpint ((gint8) (y[i] ^ flip), ==, CLAMP ((gint8) (a[i] ^ flip), -50, 60));
  memcpy (y, b, N);
  loops->largest (N, a, flip, y);
  for (gsize i = 0; i < N; i++)
    g_assert_cmpint ((gint8) (y[i] ^ flip), ==, MAX ((gint8) (a[i] ^ flip), (gint8) (b[i] ^ flip)));
  loops->flip (N, a, y);
  g_assert_cmpint (y[N - 1], ==, a[N - 1] ^ 0x80);
  loops->add (&sum, N, a, b, y);
  for (gsize i = 0; i < N; i++) {
    gint64 total = sum.start + (gint64) sum.a_factor * (gint8) (a[i] ^ flip) +
                   (gint64) sum.b_factor * (gint8) (b[i] ^ 0x80);

    g_assert_cmpint ((gint8) (y[i] ^ flip), ==, CLAMP ((total >> 20) + 3, -90, 127));
  }
  for (gsize n = 0; n < N; n += 37) {
    guint8 table[256], three[3 * N + 1];

    fill_bytes (table, sizeof table);
    y[n] = three[3 * n] = 99;
    loops->look_up (n, table, a, y);
    loops->join_three (n, a, b, y, three);
    for (gsize i = 0; i < n; i++) {
      const guint8 pixel[] = { a[i], b[i], table[a[i]] };

      g_assert_cmpint (y[i], ==, table[a[i]]);
      g_assert_cmpmem (three + 3 * i, 3, pixel, 3);
    }
    g_assert_cmpint (y[n], ==, 99);
    g_assert_cmpint (three[3 * n], ==, 99);
  }
  for (gsize step = 0; step < 2; step++) {
    const PtProductQ8 product = { { 0.013f, -7, -120, 127, flip }, 11, -3, 0x80, flip };

    loops->multiply (&product, N, a, 1, b, step, y);
    plain->multiply (&product, N, a, 1, b, step, wanted);
    g_assert_cmpmem (y, N, wanted, N);
    g_assert_cmpint (
        (gint8) (y[5] ^ flip), ==,
        to_byte ((float) (((gint8) (a[5] ^ 0x80) - 11) * ((gint8) (b[5 * step] ^ flip) + 3)) *
                     0.013f,
                 -7, -120, 127));
  }
}

static void
check_numbers (const PtQ8Loops *loops, guint8 flip)
{
  const PtToQ8 to = { 3.0f, 5, -128, 120, flip };
  float x[N], reals[N];
  gint32 sums[N];
  guint8 y[N];

  for (gsize i = 0; i < N; i++)
    x[i] = random_float () * 60.0f;
  x[0] = NAN;
  x[1] = INFINITY;
  x[2] = -INFINITY;
  x[3] = 3e38f;
  x[4] = 0.5f;
  loops->quantize (&to, N, x, y);
  for (gsize i = 0; i < N; i++)
    g_assert_cmpint ((gint8) (y[i] ^ flip), ==, to_byte (x[i] * 3.0f, 5, -128, 120));
  loops->dequantize (N, y, flip, 5, 0.25f, reals);
  for (gsize i = 0; i < N; i++) {
    g_assert_cmpfloat (reals[i], ==, (float) ((gint8) (y[i] ^ flip) - 5) * 0.25f);
    sums[i] = (gint32) i;
  }
  loops->sum (N, y, flip, 5, sums);
  for (gsize i = 0; i < N; i++)
    g_assert_cmpint (sums[i], ==, (gint32) i + (gint8) (y[i] ^ flip) - 5);
  loops->quantize_sums (&to, N, sums, y);
  for (gsize i = 0; i < N; i++)
    g_assert_cmpint ((gint8) (y[i] ^ flip), ==, to_byte ((float) sums[i] * 3.0f, 5, -128, 120));
}

static void
each_loop (void)
{
  for (guint flip = 0; flip <= 0x80; flip += 0x80) {
    check_bytes (pt_q8_loops (), (guint8) flip);
    check_numbers (pt_q8_loops (), (guint8) flip);
  }
}

static void
test_loops (void)
{
  for_each_level (each_loop);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pool = pt_pool_new (3);
  g_test_add_func ("/q8/products", test_products);
  g_test_add_func ("/q8/convolutions", test_convs);
  g_test_add_func ("/q8/winograd", test_winograd);
  g_test_add_func ("/q8/winograd-limits", test_winograd_limits);
  g_test_add_func ("/q8/depthwise", test_depthwise);
  g_test_add_func ("/q8/loops", test_loops);
  result = g_test_run ();
  pt_pool_free (pool);
  return result;
}
