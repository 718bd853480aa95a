/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/error.h>

#include "engine/kernels/vector.h"
#include "graph-builder.h"

/* Types, sizes and places that exporters write rarely: each does what its plain sibling does. */

enum {
  F32 = PT_XNN_F32,
  F16 = PT_XNN_F16,
  BF16 = PT_XNN_BF16,
  QI8 = PT_XNN_QI8,
  QU8 = PT_XNN_QU8,
  QC8 = PT_XNN_QC8,
  QD8 = PT_XNN_QD8
};
enum {
  TAG_ADD = 1,
  TAG_FC = 2,
  TAG_CONV = 7,
  TAG_RESIZE = 9,
  TAG_MAXIMUM_POOL = 14,
  TAG_CONVERT = 18,
  TAG_GLOBAL_AVERAGE = 19,
  TAG_ARGMAX = 21,
  TAG_NEGATE = 27,
  TAG_MATMUL = 37,
  TAG_CONV_TRANSPOSE = 39
};

static const gint8 weights[64] = { 1, -2, 3, 4, 5, -6, 7, 8, -9, 10, 11, 12, 13, -14, 15, 16 };
static const float scales[8] = { 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f };

static guint32
add_filter (Builder *b, guint rank, const guint32 *dims, gsize size)
{
  Value value = {
    .type = QC8, .rank = rank, .data = weights, .size = size, .scales = scales, .n_scales = dims[0]
  };

  memcpy (value.dims, dims, rank * sizeof *dims);
  return builder_value (b, value);
}

static PtDType
dtype_of (int type)
{
  return type == F16 ? PT_DTYPE_F16 : type == BF16 ? PT_DTYPE_BF16 : PT_DTYPE_F32;
}

static void
narrow (int type, gsize n, const float *x, guint16 *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = type == F16 ? pt_f32_to_f16 (x[i]) : pt_f32_to_bf16 (x[i]);
}

static void
widen (int type, gsize n, const guint16 *x, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = type == F16 ? pt_f16_to_f32 (x[i]) : pt_bf16_to_f32 (x[i]);
}

/* x -> quantised rows -> product, from floats of @type. */
static void
run_product (int type, gpointer x, gsize width, float *y)
{
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, type, 2, DIMS (5, 8), INPUT);
  guint32 q =
      builder_value (b, (Value){ .type = QD8, .rank = 2, .dims = { 5, 8 }, .n_nonbatch = 1 });
  guint32 w = add_filter (b, 2, DIMS (4, 8), 32);
  guint32 vy = builder_tensor (b, F32, 2, DIMS (5, 4), OUTPUT);
  PtTensor tx = make_tensor (dtype_of (type), 2, SIZES (5, 8), x, 40 * width);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (5, 4), y, 80);

  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ vx, q });
  builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, vy, 0 });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
}

/* Rows of half floats are quantised as the floats that they are. */
static void
test_half_rows (void)
{
  for (guint t = 0; t < 2; t++) {
    int type = t == 0 ? F16 : BF16;
    float x[40], got[20], want[20];
    guint16 hx[40];

    fill_random (x, 40, 3);
    narrow (type, 40, x, hx);
    widen (type, 40, hx, x);
    run_product (F32, x, 4, want);
    run_product (type, hx, 2, got);
    g_assert_cmpmem (got, sizeof got, want, sizeof want);
  }
}

/* Between equal types a conversion is a copy. */
static void
test_convert_same (void)
{
  static const int types[] = { F32, F16, BF16 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    float x[30], y[30] = { 0 };
    gsize nbytes = types[t] == F32 ? 120 : 60;
    g_autoptr (Builder) b = builder_new ();
    guint32 vx = builder_tensor (b, types[t], 2, DIMS (5, 6), INPUT);
    guint32 vy = builder_tensor (b, types[t], 2, DIMS (5, 6), OUTPUT);
    PtTensor tx = make_tensor (dtype_of (types[t]), 2, SIZES (5, 6), x, nbytes);
    PtTensor ty = make_tensor (dtype_of (types[t]), 2, SIZES (5, 6), y, nbytes);

    fill_random (x, 30, 4);
    builder_simple (b, TAG_CONVERT, 2, (guint32[]){ vx, vy });
    run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
    g_assert_cmpmem (y, nbytes, x, nbytes);
  }
}

/* x -> quantised images -> convolution to @type. */
static void
run_conv (guint8 tag, int type, float *x, gpointer y, gsize capacity)
{
  guint32 size = tag == TAG_CONV ? 3 : 5;
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 4, DIMS (2, 4, 4, 2), INPUT);
  guint32 q =
      builder_value (b, (Value){ .type = QD8, .rank = 4, .dims = { 2, 4, 4, 2 }, .n_nonbatch = 3 });
  guint32 w = add_filter (b, 4, DIMS (3, 2, 2, 2), 24);
  guint32 vy = builder_tensor (b, type, 4, DIMS (2, size, size, 3), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 4, SIZES (2, 4, 4, 2), x, 256);
  PtTensor ty = make_tensor (dtype_of (type), 4, SIZES (2, size, size, 3), y, capacity);

  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ vx, q });
  builder_simple (b, tag, 19,
                  (guint32[]){ 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 2, 3, 1, 0, 0, q, w, NONE, vy });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
}

/* A convolution to half floats gives its floats, rounded. */
static void
test_half_conv (void)
{
  static const guint8 tags[] = { TAG_CONV, TAG_CONV_TRANSPOSE };

  for (guint t = 0; t < 4; t++) {
    int type = t % 2 == 0 ? F16 : BF16;
    float x[64], want[150];
    guint16 half[150], got[150];

    fill_random (x, 64, 5);
    memset (want, 0, sizeof want);
    memset (got, 0, sizeof got);
    run_conv (tags[t / 2], F32, x, want, sizeof want);
    run_conv (tags[t / 2], type, x, got, sizeof got);
    narrow (type, 150, want, half);
    g_assert_cmpmem (got, sizeof got, half, sizeof half);
  }
}

/* Resized bytes lie where resized numbers do. More channels than are worked on at a time. */
static void
test_resize_q8 (void)
{
  enum { C = 300 };

  for (guint t = 0; t < 2; t++)
    for (guint corners = 0; corners < 2; corners++) {
      int type = t == 0 ? QI8 : QU8;
      gint32 zero = t == 0 ? -7 : 120;
      PtDType dtype = t == 0 ? PT_DTYPE_I8 : PT_DTYPE_U8;
      g_autofree float *x = g_new (float, 6 * C), *y = g_new (float, 20 * C);
      g_autofree guint8 *qx = g_malloc (6 * C), *qy = g_malloc (20 * C);
      g_autoptr (Builder) b = builder_new ();
      g_autoptr (Builder) f = builder_new ();
      PtTensor tx = make_tensor (dtype, 4, SIZES (1, 2, 3, C), qx, 6 * C);
      PtTensor ty = make_tensor (dtype, 4, SIZES (1, 5, 4, C), qy, 20 * C);
      PtTensor fx = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 2, 3, C), x, 24 * C);
      PtTensor fy = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 5, 4, C), y, 80 * C);
      const guint32 slots[] = { 5, 4, 0, 1, corners ? 8 : 0 };

      for (guint i = 0; i < 6 * C; i++) {
        qx[i] = (guint8) (i * 37 + i / 7);
        x[i] = 0.25f * (float) ((t == 0 ? (gint8) qx[i] : qx[i]) - zero);
      }
      builder_quantized (b, type, 4, DIMS (1, 2, 3, C), INPUT, 0, 0.25f, zero);
      builder_quantized (b, type, 4, DIMS (1, 5, 4, C), OUTPUT, 1, 0.25f, zero);
      builder_tensor (f, F32, 4, DIMS (1, 2, 3, C), INPUT);
      builder_tensor (f, F32, 4, DIMS (1, 5, 4, C), OUTPUT);
      builder_simple (b, TAG_RESIZE, 5, slots);
      builder_simple (f, TAG_RESIZE, 5, slots);
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      run_graph (f, (PtTensor *[]){ &fx, &fy }, 2);
      for (guint i = 0; i < 20 * C; i++)
        g_assert_cmpfloat_with_epsilon (0.25f * (float) ((t == 0 ? (gint8) qy[i] : qy[i]) - zero),
                                        y[i], 0.1251f);
    }
}

/* ---- sizes ---- */

/* Runs the graph of @b, whose first external value is in and whose second is out, on no rows. */
static void
run_empty (Builder *b, PtDType dtype, guint rank, const gint64 *in, guint out_rank,
           const gint64 *out)
{
  guint8 x[8], y[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  const guint8 before[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  PtTensor tx = make_tensor (dtype, rank, in, x, sizeof x);
  PtTensor ty = make_tensor (dtype, out_rank, out, y, sizeof y);

  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  g_assert_cmpmem (y, sizeof y, before, sizeof before);
  for (guint i = 0; i < out_rank; i++)
    g_assert_cmpint (ty.sizes[i], ==, out[i]);
}

/* No images at all: nothing is read or written, and the sizes are right. */
static void
test_no_images (void)
{
  static const float filter[24];
  static const guint32 conv[] = { 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 2, 3, 1, 0, 0, 0, 1, NONE, 2 };
  static const guint32 pool[] = { 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 0, 1 };
  g_autoptr (Builder) f32 = builder_new ();
  g_autoptr (Builder) q8 = builder_new ();
  g_autoptr (Builder) qd8 = builder_new ();
  g_autoptr (Builder) pooled = builder_new ();
  g_autoptr (Builder) average = builder_new ();
  g_autoptr (Builder) resized = builder_new ();
  guint32 conv_qd8[G_N_ELEMENTS (conv)];

  builder_tensor (f32, F32, 4, DIMS (1, 4, 4, 2), INPUT);
  builder_constant (f32, F32, 4, DIMS (3, 2, 2, 2), filter, sizeof filter);
  builder_tensor (f32, F32, 4, DIMS (1, 3, 3, 3), OUTPUT);
  builder_simple (f32, TAG_CONV, G_N_ELEMENTS (conv), conv);
  run_empty (f32, PT_DTYPE_F32, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 3, 3, 3));

  builder_quantized (q8, QI8, 4, DIMS (1, 4, 4, 2), INPUT, 0, 0.5f, 1);
  add_filter (q8, 4, DIMS (3, 2, 2, 2), 24);
  builder_quantized (q8, QI8, 4, DIMS (1, 3, 3, 3), OUTPUT, 1, 0.5f, 1);
  builder_simple (q8, TAG_CONV, G_N_ELEMENTS (conv), conv);
  run_empty (q8, PT_DTYPE_I8, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 3, 3, 3));

  memcpy (conv_qd8, conv, sizeof conv);
  conv_qd8[15] = 3;
  builder_tensor (qd8, F32, 4, DIMS (1, 4, 4, 2), INPUT);
  add_filter (qd8, 4, DIMS (3, 2, 2, 2), 24);
  builder_tensor (qd8, F32, 4, DIMS (1, 3, 3, 3), OUTPUT);
  builder_value (qd8, (Value){ .type = QD8, .rank = 4, .dims = { 1, 4, 4, 2 }, .n_nonbatch = 3 });
  builder_simple (qd8, TAG_CONVERT, 2, (guint32[]){ 0, 3 });
  builder_simple (qd8, TAG_CONV, G_N_ELEMENTS (conv), conv_qd8);
  run_empty (qd8, PT_DTYPE_F32, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 3, 3, 3));

  builder_tensor (pooled, F32, 4, DIMS (1, 4, 4, 2), INPUT);
  builder_tensor (pooled, F32, 4, DIMS (1, 3, 3, 2), OUTPUT);
  builder_simple (pooled, TAG_MAXIMUM_POOL, G_N_ELEMENTS (pool), pool);
  run_empty (pooled, PT_DTYPE_F32, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 3, 3, 2));

  builder_tensor (average, F32, 4, DIMS (1, 4, 4, 2), INPUT);
  builder_tensor (average, F32, 4, DIMS (1, 1, 1, 2), OUTPUT);
  builder_simple (average, TAG_GLOBAL_AVERAGE, 2, (guint32[]){ 0, 1 });
  run_empty (average, PT_DTYPE_F32, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 1, 1, 2));

  builder_tensor (resized, F32, 4, DIMS (1, 4, 4, 2), INPUT);
  builder_tensor (resized, F32, 4, DIMS (1, 5, 5, 2), OUTPUT);
  builder_simple (resized, TAG_RESIZE, 4, (guint32[]){ 5, 5, 0, 1 });
  run_empty (resized, PT_DTYPE_F32, 4, SIZES (0, 4, 4, 2), 4, SIZES (0, 5, 5, 2));
}

/* Products of nothing; and of matrices without an inner dimension, which are zero. */
static void
test_no_rows (void)
{
  float y[6] = { 1, 2, 3, 4, 5, 6 };
  float x[1];
  g_autoptr (Builder) b = builder_new ();
  PtTensor empty = make_tensor (PT_DTYPE_F32, 2, SIZES (0, 3), x, 0);
  PtTensor right = make_tensor (PT_DTYPE_F32, 2, SIZES (3, 2), y, sizeof y);
  PtTensor out = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 2), y, sizeof y);
  PtTensor thin = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 0), x, 0);
  PtTensor flat = make_tensor (PT_DTYPE_F32, 2, SIZES (0, 3), x, 0);
  PtTensor zero = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), y, sizeof y);

  builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  builder_tensor (b, F32, 2, DIMS (3, 2), INPUT);
  builder_tensor (b, F32, 2, DIMS (2, 2), OUTPUT);
  builder_simple (b, TAG_MATMUL, 3, (guint32[]){ 0, 1, 2 });
  run_graph (b, (PtTensor *[]){ &empty, &right, &out }, 3);
  g_assert_cmpint (out.sizes[0], ==, 0);
  g_assert_cmpfloat (y[0], ==, 1);
  run_graph (b, (PtTensor *[]){ &thin, &flat, &zero }, 3);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (y[i], ==, 0);
}

/* Thousands of values that are all in use: their memory is no longer packed, but right. */
static void
test_many_values (void)
{
  enum { N = 2200 };
  float x[3] = { 1, -2, 0.5f }, y[3];
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 1, DIMS (3), INPUT), sum = vx;
  PtTensor tx = make_tensor (PT_DTYPE_F32, 1, SIZES (3), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 1, SIZES (3), y, sizeof y);
  guint32 negative[N];

  for (guint i = 0; i < N; i++) {
    negative[i] = builder_tensor (b, F32, 1, DIMS (3), 0);
    builder_simple (b, TAG_NEGATE, 2, (guint32[]){ vx, negative[i] });
  }
  for (guint i = 0; i < N; i++) {
    guint32 next = builder_tensor (b, F32, 1, DIMS (3), i + 1 < N ? 0 : OUTPUT);

    builder_simple (b, TAG_ADD, 3, (guint32[]){ sum, negative[i], next });
    sum = next;
  }
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (y[i], ==, x[i] * (1.0f - N));
}

/* Pads to @n values of about 2^@log elements each, all needed at once. */
static Builder *
make_huge (guint n, guint log)
{
  Builder *b = builder_new ();
  guint32 x = builder_tensor (b, F32, 2, DIMS (1, 1), INPUT), last = x;
  guint32 padded[32];

  for (guint i = 0; i < n; i++) {
    padded[i] = builder_tensor (b, F32, 2, DIMS (1, 1), 0);
    builder_node (b, (Node){ .tag = 10,
                             .n_slots = 5,
                             .slots = { 0, 0, 0, x, padded[i] },
                             .n_lists = 2,
                             .list_slots = { 0, 1 },
                             .list_sizes = { 2, 2 },
                             .lists = { { 0, 0 }, { (1 << (log / 2)) - 1, (1 << (log / 2)) } } });
  }
  for (guint i = 0; i < n; i++) {
    guint32 sum = builder_tensor (b, F32, 2, DIMS (1, 1), i + 1 < n ? 0 : OUTPUT);

    builder_simple (b, TAG_ADD, 3, (guint32[]){ last, padded[i], sum });
    last = sum;
  }
  return b;
}

/* Intermediate results that no machine has room for. */
static void
test_too_large (void)
{
  static const struct {
    guint n, log;
    const char *words;
  } cases[] = {
    { 2, 36, "not enough memory for the intermediate results" },
    { 24, 58, "needs too much memory" },
    { 1, 60, "too large" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Builder) b = make_huge (cases[i].n, cases[i].log);
    g_autoptr (GBytes) payload = builder_finish (b, TRUE);
    g_autoptr (GError) error = NULL;
    float x = 1, y = 0;
    PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 1), &x, 4);
    PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 1), &y, 4);
    gpointer delegate = delegate_new (payload, &error);

    g_assert_no_error (error);
    g_assert_false (delegate_run (delegate, (PtTensor *[]){ &tx, &ty }, 2, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
    if (strstr (error->message, cases[i].words) == NULL)
      g_error ("case %u: %s", i, error->message);
    delegate_free (delegate);
  }
}

/* ---- places ---- */

/* Constants that do not lie on the boundaries of their elements. */
static void
test_misaligned_payload (void)
{
  static const float filter[6] = { 1, 2, 3, 4, 5, 6 };
  float x[6] = { 1, 0, -1, 0.5f, 2, 3 }, want[4], got[4];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autofree guint8 *copy = NULL;
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 2), want, sizeof want);
  gsize size;

  builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  builder_constant (b, F32, 2, DIMS (2, 3), filter, sizeof filter);
  builder_tensor (b, F32, 2, DIMS (2, 2), OUTPUT);
  builder_simple (b, TAG_FC, 5, (guint32[]){ 0, 1, NONE, 2, 0 });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  payload = builder_finish (b, TRUE);
  size = g_bytes_get_size (payload);
  copy = g_malloc (size + 16);
  ty.data = got;
  for (guint shift = 0; shift < 16; shift++) {
    g_autoptr (GBytes) shifted = g_bytes_new_static (copy + shift, size);
    g_autoptr (GError) error = NULL;
    gpointer delegate;

    memcpy (copy + shift, g_bytes_get_data (payload, NULL), size);
    delegate = delegate_new (shifted, &error);
    g_assert_no_error (error);
    g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty }, 2, &error));
    g_assert_cmpmem (got, sizeof got, want, sizeof want);
    delegate_free (delegate);
  }
}

/* An argument that no value has, beside an index that becomes wider. */
static void
test_unused_argument (void)
{
  float x[4] = { 1, 5, 2, 0 }, y, unused = 7;
  gint64 index = -1;
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 4, DIMS (1, 2, 2, 1), INPUT);
  guint32 vy = builder_value (
      b, (Value){ .type = F32, .rank = 4, .dims = { 1, 1, 1, 1 }, .flags = OUTPUT, .external = 2 });
  guint32 vi = builder_value (
      b,
      (Value){
          .type = PT_XNN_I32, .rank = 4, .dims = { 1, 1, 1, 1 }, .flags = OUTPUT, .external = 3 });
  PtTensor tx = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 2, 2, 1), x, sizeof x);
  PtTensor tu = make_tensor (PT_DTYPE_F32, 1, SIZES (1), &unused, sizeof unused);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 1, 1, 1), &y, sizeof y);
  PtTensor ti = make_tensor (PT_DTYPE_I64, 4, SIZES (1, 1, 1, 1), &index, sizeof index);

  builder_simple (b, TAG_ARGMAX, 10, (guint32[]){ 0, 0, 0, 0, 2, 2, vx, vy, vi, 0 });
  run_graph (b, (PtTensor *[]){ &tx, &tu, &ty, &ti }, 4);
  g_assert_cmpfloat (y, ==, 5);
  g_assert_cmpint (index, ==, 1);
  g_assert_cmpfloat (unused, ==, 7);
}

/* The last row alone is only asked for where there is one: not of several batches. */
static void
test_last_row_of_batches (void)
{
  float x[24], all[48], out[48];
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  guint32 vx = builder_tensor (b, F32, 3, DIMS (2, 3, 4), INPUT);
  guint32 q =
      builder_value (b, (Value){ .type = QD8, .rank = 3, .dims = { 2, 3, 4 }, .n_nonbatch = 1 });
  guint32 w = add_filter (b, 2, DIMS (8, 4), 32);
  guint32 vy = builder_tensor (b, F32, 3, DIMS (2, 3, 8), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 3, SIZES (2, 3, 4), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 3, SIZES (2, 3, 8), all, sizeof all);
  gpointer delegate;

  fill_random (x, 24, 8);
  builder_simple (b, TAG_CONVERT, 2, (guint32[]){ vx, q });
  builder_simple (b, TAG_FC, 5, (guint32[]){ q, w, NONE, vy, 0 });
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, NULL);
  g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty }, 2, NULL));
  g_assert_true (delegate_backend ()->set_last_rows (delegate, 1, 1));
  ty.data = out;
  g_assert_true (delegate_run (delegate, (PtTensor *[]){ &tx, &ty }, 2, NULL));
  g_assert_cmpmem (out, sizeof out, all, sizeof all);
  delegate_free (delegate);
}

static void
test_cancelled (void)
{
  float x[3] = { 1, 2, 3 }, y[3] = { 0 };
  g_autoptr (Builder) b = builder_new ();
  g_autoptr (GBytes) payload = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);
  g_autoptr (GError) error = NULL;
  PtTensor tx = make_tensor (PT_DTYPE_F32, 1, SIZES (3), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 1, SIZES (3), y, sizeof y);
  PtValue slots[2] = { { .kind = PT_VALUE_TENSOR, .as_tensor = &tx },
                       { .kind = PT_VALUE_TENSOR, .as_tensor = &ty } };
  PtValue *const args[2] = { &slots[0], &slots[1] };
  gpointer delegate;

  builder_tensor (b, F32, 1, DIMS (3), INPUT);
  builder_tensor (b, F32, 1, DIMS (3), OUTPUT);
  builder_simple (b, TAG_NEGATE, 2, (guint32[]){ 0, 1 });
  payload = builder_finish (b, TRUE);
  delegate = delegate_new (payload, NULL);
  execution->cancellable = cancellable;
  g_cancellable_cancel (cancellable);
  g_assert_false (delegate_backend ()->execute (delegate, execution, args, 2, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_assert_cmpfloat (y[0], ==, 0);
  g_cancellable_reset (cancellable);
  g_clear_error (&error);
  g_assert_true (delegate_backend ()->execute (delegate, execution, args, 2, &error));
  g_assert_cmpfloat (y[2], ==, -3);
  delegate_free (delegate);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/variants/half-rows", test_half_rows);
  g_test_add_func ("/xnnpack/variants/convert-same", test_convert_same);
  g_test_add_func ("/xnnpack/variants/half-conv", test_half_conv);
  g_test_add_func ("/xnnpack/variants/resize-q8", test_resize_q8);
  g_test_add_func ("/xnnpack/variants/no-images", test_no_images);
  g_test_add_func ("/xnnpack/variants/no-rows", test_no_rows);
  g_test_add_func ("/xnnpack/variants/many-values", test_many_values);
  g_test_add_func ("/xnnpack/variants/too-large", test_too_large);
  g_test_add_func ("/xnnpack/variants/misaligned-payload", test_misaligned_payload);
  g_test_add_func ("/xnnpack/variants/unused-argument", test_unused_argument);
  g_test_add_func ("/xnnpack/variants/last-row-of-batches", test_last_row_of_batches);
  g_test_add_func ("/xnnpack/variants/cancelled", test_cancelled);
  return g_test_run ();
}
