/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "graph-builder.h"

/* Nodes other than products, against plain loops or results worked out by hand. */

enum { F32 = PT_XNN_F32, F16 = PT_XNN_F16, QI8 = PT_XNN_QI8, QU8 = PT_XNN_QU8 };

static void
check (const float *got, const float *want, gsize n, float tolerance)
{
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (got[i], want[i], tolerance * (1.0f + fabsf (want[i])) + 1e-30f);
}

/* ---- Broadcasting ---- */

typedef struct {
  guint a_rank, b_rank, y_rank;
  guint32 a[6], b[6], y[6];
} Shapes;

static const Shapes shapes[] = {
  { 2, 2, 2, { 3, 5 }, { 3, 5 }, { 3, 5 } },
  { 2, 1, 2, { 3, 5 }, { 5 }, { 3, 5 } },
  { 2, 2, 2, { 3, 5 }, { 3, 1 }, { 3, 5 } },
  { 2, 2, 2, { 3, 1 }, { 1, 5 }, { 3, 5 } },
  { 1, 3, 3, { 1 }, { 2, 3, 4 }, { 2, 3, 4 } },
  { 4, 3, 4, { 2, 1, 3, 1 }, { 4, 1, 5 }, { 2, 4, 3, 5 } },
  { 6, 6, 6, { 2, 1, 2, 1, 3, 1 }, { 1, 3, 1, 2, 1, 2 }, { 2, 3, 2, 2, 3, 2 } },
  { 3, 3, 3, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } },
};

static gsize
count (guint rank, const guint32 *dims)
{
  gsize n = 1;

  for (guint i = 0; i < rank; i++)
    n *= dims[i];
  return n;
}

/* The element of an operand under element @index of the result. */
static gsize
source (const Shapes *s, gsize index, guint rank, const guint32 *dims)
{
  gsize at = 0, step = 1;

  for (guint i = 0; i < s->y_rank; i++) {
    gsize position = index % s->y[s->y_rank - 1 - i];

    index /= s->y[s->y_rank - 1 - i];
    if (i < rank) {
      at += dims[rank - 1 - i] == 1 ? 0 : position * step;
      step *= dims[rank - 1 - i];
    }
  }
  return at;
}

static float
apply (guint8 tag, float a, float b)
{
  switch (tag) {
  case 1: return a + b;
  case 8: return a / b;
  case 12: return MIN (a, b);
  case 15: return a * b;
  case 16: return a - b;
  default: return MAX (a, b);
  }
}

static void
to_sizes (guint rank, const guint32 *dims, gint64 *sizes)
{
  for (guint i = 0; i < rank; i++)
    sizes[i] = dims[i];
}

static void
run_binary (guint8 tag, int type, const Shapes *s)
{
  float a[256], b[256], got[256];
  guint16 ha[256], hb[256], hy[256];
  gint64 as[6], bs[6], ys[6];
  PtDType dtype = type == F16 ? PT_DTYPE_F16 : PT_DTYPE_F32;
  g_autoptr (Builder) g = builder_new ();
  guint32 slots[3] = { builder_tensor (g, type, s->a_rank, s->a, INPUT),
                       builder_tensor (g, type, s->b_rank, s->b, INPUT),
                       builder_tensor (g, type, s->y_rank, s->y, OUTPUT) };
  gsize n = count (s->y_rank, s->y);
  PtTensor ta, tb, ty;

  fill_random (a, 256, 1);
  fill_random (b, 256, 2);
  pt_vector_f32_to_f16 (256, a, ha);
  pt_vector_f32_to_f16 (256, b, hb);
  to_sizes (s->a_rank, s->a, as);
  to_sizes (s->b_rank, s->b, bs);
  to_sizes (s->y_rank, s->y, ys);
  ta = make_tensor (dtype, s->a_rank, as, type == F16 ? (gpointer) ha : a, sizeof ha);
  tb = make_tensor (dtype, s->b_rank, bs, type == F16 ? (gpointer) hb : b, sizeof hb);
  ty = make_tensor (dtype, s->y_rank, ys, type == F16 ? (gpointer) hy : got, sizeof hy);
  if (type == F32)
    ta.capacity = tb.capacity = ty.capacity = sizeof got;
  builder_node (g, (Node){ .tag = tag,
                           .n_slots = 3,
                           .slots = { slots[0], slots[1], slots[2] },
                           .clamped = TRUE,
                           .min = -2.0f,
                           .max = 2.5f });
  run_graph (g, (PtTensor *[]){ &ta, &tb, &ty }, 3);
  if (type == F16)
    pt_vector_f16_to_f32 (n, hy, got);
  for (gsize i = 0; i < n; i++) {
    float x = apply (tag, a[source (s, i, s->a_rank, s->a)], b[source (s, i, s->b_rank, s->b)]);

    if (tag != 12 && tag != 26)
      x = CLAMP (x, -2.0f, 2.5f);
    g_assert_cmpfloat_with_epsilon (got[i], x, type == F16 ? 0.02f : 1e-30f);
  }
}

static void
test_binary (void)
{
  static const guint8 tags[] = { 1, 8, 12, 15, 16, 26 };

  for (guint t = 0; t < G_N_ELEMENTS (tags); t++)
    for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
      run_binary (tags[t], F32, &shapes[i]);
      if (tags[t] != 8) /* quotients leave the range of halves */
        run_binary (tags[t], F16, &shapes[i]);
    }
}

/* x . slope for x < 0; one slope, and one for each channel. */
static void
test_prelu (void)
{
  for (guint n = 1; n <= 3; n += 2) {
    float slopes[3] = { 0.5f, -1.0f, 2.0f }, x[6] = { -1, -2, -3, 1, 2, -4 }, y[6];
    const float want[2][6] = { { -0.5f, -1, -1.5f, 1, 2, -2 }, { -0.5f, 2, -6, 1, 2, -8 } };
    g_autoptr (Builder) b = builder_new ();
    guint32 slots[3] = { builder_tensor (b, F32, 2, DIMS (2, 3), INPUT),
                         builder_constant (b, F32, 1, DIMS (n), slopes, n * 4),
                         builder_tensor (b, F32, 2, DIMS (2, 3), OUTPUT) };
    PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), x, sizeof x);
    PtTensor ty = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), y, sizeof y);

    builder_simple (b, 31, 3, slots);
    run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
    check (y, want[n / 2], 6, 0.0f);
  }
}

/* ---- One input ---- */

static float
unary (guint8 tag, float x)
{
  switch (tag) {
  case 4: return 1.0f / (1.0f + expf (-x));
  case 6: return CLAMP (x, -0.5f, 1.25f);
  case 17: return floorf (x);
  case 22: return sqrtf (x);
  case 23: return ceilf (x);
  case 24: return x * CLAMP (x + 3.0f, 0.0f, 6.0f) / 6.0f;
  case 25: return x < 0.0f ? x * 0.25f : x;
  case 27: return -x;
  case 28: return x * x;
  case 29: return x < 0.0f ? 0.25f * expm1f (x) : x;
  case 30: return fabsf (x);
  case 40: return 1.0f / sqrtf (x);
  case 41: return logf (x);
  case 42: return 0.5f * x * (1.0f + erff (x * 0.70710678f));
  case 43: return tanhf (x);
  case 44: return expf (x);
  case 45: return sinf (x);
  case 46: return x;
  default: return cosf (x);
  }
}

static const guint8 unary_tags[] = { 4,  6,  17, 22, 23, 24, 25, 27, 28, 29,
                                     30, 40, 41, 42, 43, 44, 45, 46, 47 };

static Node
unary_node (guint8 tag, guint32 x, guint32 y)
{
  Node node = {
    .tag = tag, .n_slots = 2, .slots = { x, y }, .clamped = tag == 6, .min = -0.5f, .max = 1.25f
  };

  if (tag == 25 || tag == 29) {
    node.n_slots = 3;
    node.slots[0] = float_bits (0.25f);
    node.slots[1] = x;
    node.slots[2] = y;
  }
  return node;
}

static void
test_unary (void)
{
  enum { N = 1000 };

  for (guint t = 0; t < G_N_ELEMENTS (unary_tags); t++) {
    guint8 tag = unary_tags[t];
    gboolean positive = tag == 22 || tag == 40 || tag == 41;
    float x[N], y[N], want[N];
    guint16 hx[N], hy[N];

    fill_random (x, N, 7);
    for (guint i = 0; i < N; i++)
      x[i] = positive ? fabsf (x[i]) + 0.01f : x[i];
    for (guint half = 0; half < 2; half++) {
      g_autoptr (Builder) b = builder_new ();
      guint32 vx = builder_tensor (b, half ? F16 : F32, 1, DIMS (N), INPUT);
      guint32 vy = builder_tensor (b, half ? F16 : F32, 1, DIMS (N), OUTPUT);
      PtDType dtype = half ? PT_DTYPE_F16 : PT_DTYPE_F32;
      PtTensor tx, ty;

      if (half) {
        pt_vector_f32_to_f16 (N, x, hx);
        pt_vector_f16_to_f32 (N, hx, x);
      }
      tx = make_tensor (dtype, 1, SIZES (N), half ? (gpointer) hx : x, sizeof hx);
      ty = make_tensor (dtype, 1, SIZES (N), half ? (gpointer) hy : y, sizeof hy);
      if (!half)
        tx.capacity = ty.capacity = sizeof y;
      builder_node (b, unary_node (tag, vx, vy));
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      if (half)
        pt_vector_f16_to_f32 (N, hy, y);
      for (guint i = 0; i < N; i++)
        want[i] = unary (tag, x[i]);
      check (y, want, N, half ? 1e-3f : 1e-6f);
    }
  }
}

/* ---- Static 8 bits ---- */

#define SX 0.05f
#define SY 0.04f

static void
check_unary_q8 (float sy, gboolean same)
{
  static const guint8 tags[] = { 4, 6, 24, 25, 29, 30, 42, 43 };

  for (guint t = 0; t < G_N_ELEMENTS (tags); t++)
    for (int type = QI8; type <= QU8; type++) {
      int zx = type == QI8 ? -5 : 120, lo = type == QI8 ? -128 : 0;
      int zy = same ? zx : zx + 15;
      guint8 x[256], y[256];
      g_autoptr (Builder) b = builder_new ();
      guint32 vx = builder_quantized (b, type, 1, DIMS (256), INPUT, 0, SX, zx);
      guint32 vy = builder_quantized (b, type, 1, DIMS (256), OUTPUT, 1, sy, zy);
      PtDType dtype = type == QI8 ? PT_DTYPE_I8 : PT_DTYPE_U8;
      PtTensor tx = make_tensor (dtype, 1, SIZES (256), x, 256);
      PtTensor ty = make_tensor (dtype, 1, SIZES (256), y, 256);

      for (guint i = 0; i < 256; i++)
        x[i] = (guint8) i;
      builder_node (b, unary_node (tags[t], vx, vy));
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      for (guint i = 0; i < 256; i++) {
        int stored = type == QI8 ? (gint8) x[i] : x[i];
        int got = type == QI8 ? (gint8) y[i] : y[i];
        float real = unary (tags[t], (float) (stored - zx) * SX);
        int want = (int) CLAMP (rintf (real / sy) + (float) zy, (float) lo, (float) (lo + 255));

        /* One step where the exact value lies on an edge. */
        g_assert_cmpint (ABS (got - want), <=, 1);
      }
    }
}

static void
test_unary_q8 (void)
{
  check_unary_q8 (SY, FALSE);
  check_unary_q8 (SX, TRUE);
}

static void
test_binary_q8 (void)
{
  static const guint8 tags[] = { 1, 15, 16 };

  for (guint t = 0; t < G_N_ELEMENTS (tags); t++)
    for (int type = QI8; type <= QU8; type++) {
      int za = type == QI8 ? -5 : 120, zb = type == QI8 ? 10 : 130, lo = type == QI8 ? -128 : 0;
      guint8 a[256], b[4] = { 3, 130, 200, 77 }, y[1024];
      g_autoptr (Builder) g = builder_new ();
      guint32 va = builder_quantized (g, type, 2, DIMS (256, 1), INPUT, 0, 0.05f, za);
      guint32 vb = builder_quantized (g, type, 1, DIMS (4), INPUT, 1, 0.02f, zb);
      guint32 vy = builder_quantized (g, type, 2, DIMS (256, 4), OUTPUT, 2, 0.06f, za);
      PtDType dtype = type == QI8 ? PT_DTYPE_I8 : PT_DTYPE_U8;
      PtTensor ta = make_tensor (dtype, 2, SIZES (256, 1), a, 256);
      PtTensor tb = make_tensor (dtype, 1, SIZES (4), b, 4);
      PtTensor ty = make_tensor (dtype, 2, SIZES (256, 4), y, 1024);

      for (guint i = 0; i < 256; i++)
        a[i] = (guint8) i;
      builder_node (g, (Node){ .tag = tags[t],
                               .n_slots = 3,
                               .slots = { va, vb, vy },
                               .clamped = TRUE,
                               .min = -4.0f,
                               .max = 5.0f });
      run_graph (g, (PtTensor *[]){ &ta, &tb, &ty }, 3);
      for (guint i = 0; i < 1024; i++) {
        int sa = type == QI8 ? (gint8) a[i / 4] : a[i / 4],
            sb = type == QI8 ? (gint8) b[i % 4] : b[i % 4];
        int got = type == QI8 ? (gint8) y[i] : y[i];
        float real = apply (tags[t], (float) (sa - za) * 0.05f, (float) (sb - zb) * 0.02f);
        float q = rintf (CLAMP (real, -4.0f, 5.0f) / 0.06f) + (float) za;

        g_assert_cmpint (ABS (got - (int) CLAMP (q, (float) lo, (float) lo + 255.0f)), <=, 1);
      }
    }
}

/* @rows of n numbers, times one number for each of their n places; @swap: the other way round. */
static void
multiply_rows_q8 (guint32 rows, guint32 n, gboolean swap)
{
  const int za = 7, zb = -3, zy = 2;
  const float scale = (0.05f * 0.02f) / 0.06f;
  g_autofree gint8 *a = g_malloc (rows * n), *b = g_malloc (n), *y = g_malloc (rows * n);
  g_autoptr (Builder) g = builder_new ();
  guint32 va = builder_quantized (g, QI8, 2, DIMS (rows, n), INPUT, 0, 0.05f, za);
  guint32 vb = builder_quantized (g, QI8, 1, DIMS (n), INPUT, 1, 0.02f, zb);
  guint32 vy = builder_quantized (g, QI8, 2, DIMS (rows, n), OUTPUT, 2, 0.06f, zy);
  PtTensor ta = make_tensor (PT_DTYPE_I8, 2, SIZES (rows, n), a, rows * n);
  PtTensor tb = make_tensor (PT_DTYPE_I8, 1, SIZES (n), b, n);
  PtTensor ty = make_tensor (PT_DTYPE_I8, 2, SIZES (rows, n), y, rows * n);

  for (guint32 i = 0; i < rows * n; i++)
    a[i] = (gint8) (i * 37 % 251 - 125);
  for (guint32 i = 0; i < n; i++)
    b[i] = (gint8) (i * 53 % 241 - 120);
  builder_simple (g, 15, 3, swap ? (guint32[]){ vb, va, vy } : (guint32[]){ va, vb, vy });
  run_graph (g, (PtTensor *[]){ &ta, &tb, &ty }, 3);
  for (guint32 i = 0; i < rows * n; i++) {
    float q = rintf ((float) ((a[i] - za) * (b[i % n] - zb)) * scale) + (float) zy;

    g_assert_cmpint (y[i], ==, (int) CLAMP (q, -128.0f, 127.0f));
  }
}

/* Rows of all lengths; several pieces, most of which begin within a row. */
static void
test_multiply_rows_q8 (void)
{
  static const guint32 lengths[] = { 2, 3, 16, 24, 33, 72, 255, 256, 257, 960, 3000 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    multiply_rows_q8 (150000 / lengths[i], lengths[i], i % 2 == 0);
    multiply_rows_q8 (2, lengths[i], i % 2 == 1);
  }
}

/* fp32 -> qint8 -> qint8 of other parameters -> fp32 */
static void
test_convert_q8 (void)
{
  float x[64], y[64];
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 1, DIMS (64), INPUT);
  guint32 q = builder_quantized (b, QI8, 1, DIMS (64), 0, 0, 0.03f, 4);
  guint32 r = builder_quantized (b, QU8, 1, DIMS (64), 0, 0, 0.05f, 99);
  guint32 vy = builder_tensor (b, F32, 1, DIMS (64), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 1, SIZES (64), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 1, SIZES (64), y, sizeof y);

  fill_random (x, 64, 11);
  builder_simple (b, 18, 2, (guint32[]){ vx, q });
  builder_simple (b, 18, 2, (guint32[]){ q, r });
  builder_simple (b, 18, 2, (guint32[]){ r, vy });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  for (guint i = 0; i < 64; i++)
    g_assert_cmpfloat_with_epsilon (y[i], x[i], 0.041f);
}

static void
test_convert_half (void)
{
  float x[700], y[700];
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 1, DIMS (700), INPUT);
  guint32 h = builder_tensor (b, F16, 1, DIMS (700), 0);
  guint32 q = builder_quantized (b, QI8, 1, DIMS (700), 0, 0, 0.03f, 4);
  guint32 i = builder_tensor (b, F16, 1, DIMS (700), 0);
  guint32 vy = builder_tensor (b, F32, 1, DIMS (700), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 1, SIZES (700), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 1, SIZES (700), y, sizeof y);

  fill_random (x, 700, 12);
  builder_simple (b, 18, 2, (guint32[]){ vx, h });
  builder_simple (b, 18, 2, (guint32[]){ h, q });
  builder_simple (b, 18, 2, (guint32[]){ q, i });
  builder_simple (b, 18, 2, (guint32[]){ i, vy });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  for (guint k = 0; k < 700; k++)
    g_assert_cmpfloat_with_epsilon (y[k], x[k], 0.02f);
}

/* ---- Moving elements ---- */

static void
test_transpose (void)
{
  static const gint64 orders[][4] = { { 0, 1, 2, 3 }, { 0, 2, 1, 3 }, { 0, 2, 3, 1 },
                                      { 3, 2, 1, 0 }, { 1, 0, 3, 2 }, { 0, 1, 3, 2 } };
  static const struct {
    int type;
    PtDType dtype;
    gsize width;
  } types[] = { { F32, PT_DTYPE_F32, 4 }, { F16, PT_DTYPE_F16, 2 }, { QI8, PT_DTYPE_I8, 1 } };
  const gsize d[4] = { 2, 19, 5, 34 }, n = 2 * 19 * 5 * 34;
  g_autofree guint8 *x = g_malloc (n * 4), *y = g_malloc (n * 4);

  for (guint i = 0; i < n * 4; i++)
    x[i] = (guint8) (i * 7 + i / 256);
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint o = 0; o < G_N_ELEMENTS (orders); o++) {
      const gint64 *p = orders[o];
      gint64 out[4] = { (gint64) d[p[0]], (gint64) d[p[1]], (gint64) d[p[2]], (gint64) d[p[3]] };
      g_autoptr (Builder) b = builder_new ();
      float scale = types[t].type == QI8 ? 1.0f : 0.0f;
      guint32 vx = builder_quantized (b, types[t].type, 4, DIMS (2, 19, 5, 34), INPUT, 0, scale, 0);
      guint32 vy =
          builder_quantized (b, types[t].type, 4, DIMS (2, 19, 5, 34), OUTPUT, 1, scale, 0);
      PtTensor tx = make_tensor (types[t].dtype, 4, SIZES (2, 19, 5, 34), x, n * 4);
      PtTensor ty = make_tensor (types[t].dtype, 4, out, y, n * 4);
      Node node = { .tag = 5,
                    .n_slots = 4,
                    .slots = { 4, 0, vx, vy },
                    .n_lists = 1,
                    .list_slots = { 1 },
                    .list_sizes = { 4 } };

      memcpy (node.lists[0], p, 4 * sizeof *p);
      builder_node (b, node);
      memset (y, 0xee, n * 4);
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      for (gsize i = 0; i < n; i++) {
        gsize at[4], rest = i;

        for (guint k = 4; k-- > 0; rest /= (gsize) out[k])
          at[p[k]] = rest % (gsize) out[k];
        g_assert_cmpmem (y + i * types[t].width, types[t].width,
                         x + (((at[0] * d[1] + at[1]) * d[2] + at[2]) * d[3] + at[3]) *
                                 types[t].width,
                         types[t].width);
      }
    }
}

/* Pad, then cut the middle out again; join with what was padded. */
static void
test_slice_pad_concat (void)
{
  float x[6] = { 1, 2, 3, 4, 5, 6 }, padded[20], cut[6], joined[26 - 14];
  const float want_padded[20] = { 9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9, 9 };
  const float want_joined[12] = { 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 };
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 2, DIMS (2, 3), INPUT);
  guint32 vp = builder_tensor (b, F32, 2, DIMS (4, 5), OUTPUT);
  guint32 vc = builder_tensor (b, F32, 2, DIMS (2, 3), OUTPUT);
  guint32 vj = builder_tensor (b, F32, 2, DIMS (2, 6), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), x, sizeof x);
  PtTensor tp = make_tensor (PT_DTYPE_F32, 2, SIZES (4, 5), padded, sizeof padded);
  PtTensor tc = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 3), cut, sizeof cut);
  PtTensor tj = make_tensor (PT_DTYPE_F32, 2, SIZES (2, 6), joined, sizeof joined);

  builder_node (b, (Node){ .tag = 10,
                           .n_slots = 5,
                           .slots = { 0, 0, float_bits (9.0f), vx, vp },
                           .n_lists = 2,
                           .list_slots = { 0, 1 },
                           .list_sizes = { 2, 2 },
                           .lists = { { 1, 1 }, { 1, 1 } } });
  builder_node (b, (Node){ .tag = 35,
                           .n_slots = 5,
                           .slots = { 2, 0, 0, vp, vc },
                           .n_lists = 2,
                           .list_slots = { 1, 2 },
                           .list_sizes = { 2, 2 },
                           .lists = { { 1, 1 }, { 2, 3 } } });
  builder_simple (b, 32, 6, (guint32[]){ 1, vx, vc, 0, 0, vj });
  run_graph (b, (PtTensor *[]){ &tx, &tp, &tc, &tj }, 4);
  check (padded, want_padded, 20, 0.0f);
  check (cut, x, 6, 0.0f);
  check (joined, want_joined, 12, 0.0f);
}

static void
test_concat (void)
{
  for (guint n = 2; n <= 5; n++) {
    float x[5][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 } }, y[10];
    static const guint8 tags[] = { 0, 0, 32, 33, 34, 38 };
    Node node = { .tag = tags[n], .n_slots = 8 };
    g_autoptr (Builder) b = builder_new ();
    PtTensor tensors[6];
    PtTensor *args[6];

    for (guint i = 0; i < n; i++) {
      node.slots[i < 4 ? i + 1 : 7] = builder_tensor (b, F32, 2, DIMS (1, 2), INPUT);
      tensors[i] = make_tensor (PT_DTYPE_F32, 2, SIZES (1, 2), x[i], sizeof x[i]);
      args[i] = &tensors[i];
    }
    node.slots[5] = builder_tensor (b, F32, 2, DIMS (n, 2), OUTPUT);
    tensors[n] = make_tensor (PT_DTYPE_F32, 2, SIZES (n, 2), y, sizeof y);
    args[n] = &tensors[n];
    builder_node (b, node);
    run_graph (b, args, n + 1);
    for (guint i = 0; i < 2 * n; i++)
      g_assert_cmpfloat (y[i], ==, (float) (i + 1));
  }
}

/* ---- Matrices, softmax ---- */

static void
test_matmul (void)
{
  for (guint half = 0; half < 2; half++)
    for (guint transposed = 0; transposed < 2; transposed++) {
      enum { B = 6, M = 3, K = 5, N = 4 };
      float a[B * M * K], c[3 * K * N], y[B * M * N], want[B * M * N];
      guint16 ha[B * M * K], hc[3 * K * N], hy[B * M * N];
      g_autoptr (Builder) b = builder_new ();
      int type = half ? F16 : F32;
      PtDType dtype = half ? PT_DTYPE_F16 : PT_DTYPE_F32;
      guint32 va = builder_tensor (b, type, 4, DIMS (2, 3, M, K), INPUT);
      guint32 vc = builder_tensor (b, type, 3, transposed ? DIMS (3, N, K) : DIMS (3, K, N), INPUT);
      guint32 vy = builder_tensor (b, type, 4, DIMS (2, 3, M, N), OUTPUT);
      PtTensor ta = make_tensor (dtype, 4, SIZES (2, 3, M, K), half ? (gpointer) ha : a, sizeof a);
      PtTensor tc = make_tensor (dtype, 3, transposed ? SIZES (3, N, K) : SIZES (3, K, N),
                                 half ? (gpointer) hc : c, sizeof c);
      PtTensor ty = make_tensor (dtype, 4, SIZES (2, 3, M, N), half ? (gpointer) hy : y, sizeof y);

      fill_random (a, B * M * K, 21);
      fill_random (c, 3 * K * N, 22);
      pt_vector_f32_to_f16 (B * M * K, a, ha);
      pt_vector_f32_to_f16 (3 * K * N, c, hc);
      for (guint i = 0; i < B * M * N; i++) {
        guint batch = i / (M * N), row = i / N % M, column = i % N;
        double sum = 0.0;

        for (guint k = 0; k < K; k++)
          sum += (double) a[(batch * M + row) * K + k] *
                 (double) c[batch % 3 * K * N + (transposed ? column * K + k : k * N + column)];
        want[i] = (float) sum;
      }
      builder_simple (b, 37, 4, (guint32[]){ va, vc, vy, transposed });
      run_graph (b, (PtTensor *[]){ &ta, &tc, &ty }, 3);
      if (half)
        pt_vector_f16_to_f32 (B * M * N, hy, y);
      check (y, want, B * M * N, half ? 1e-2f : 1e-5f);
    }
}

static void
test_softmax (void)
{
  for (guint half = 0; half < 2; half++) {
    float x[21], y[21];
    guint16 hx[21], hy[21];
    g_autoptr (Builder) b = builder_new ();
    int type = half ? F16 : F32;
    PtDType dtype = half ? PT_DTYPE_F16 : PT_DTYPE_F32;
    guint32 vx = builder_tensor (b, type, 2, DIMS (3, 7), INPUT);
    guint32 vy = builder_tensor (b, type, 2, DIMS (3, 7), OUTPUT);
    PtTensor tx = make_tensor (dtype, 2, SIZES (3, 7), half ? (gpointer) hx : x, sizeof x);
    PtTensor ty = make_tensor (dtype, 2, SIZES (3, 7), half ? (gpointer) hy : y, sizeof y);

    fill_random (x, 21, 31);
    pt_vector_f32_to_f16 (21, x, hx);
    builder_simple (b, 3, 2, (guint32[]){ vx, vy });
    run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
    if (half)
      pt_vector_f16_to_f32 (21, hy, y);
    for (guint r = 0; r < 3; r++) {
      double sum = 0.0;

      for (guint i = 0; i < 7; i++)
        sum += exp ((double) x[r * 7 + i]);
      for (guint i = 0; i < 7; i++)
        g_assert_cmpfloat_with_epsilon (y[r * 7 + i], exp ((double) x[r * 7 + i]) / sum,
                                        half ? 1e-3 : 1e-6);
    }
  }
}

/* ---- Images ---- */

/* [1, 5, 6, 2], windows of 3 x 2 with steps of 2, dilation 1 x 2, padding on two sides. */
static void
test_pools (void)
{
  static const int types[] = { F32, F16, QI8, QU8 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint average = 0; average < 2; average++) {
      enum { H = 5, W = 6, C = 2, OH = 2, OW = 3 };
      int type = types[t];
      gboolean q8 = type == QI8 || type == QU8;
      guint dilation = average ? 1 : 2;
      float x[H * W * C], y[OH * OW * C];
      guint8 bx[H * W * C * 2], by[OH * OW * C * 2];
      PtDType dtype = type == F32   ? PT_DTYPE_F32
                      : type == F16 ? PT_DTYPE_F16
                      : type == QI8 ? PT_DTYPE_I8
                                    : PT_DTYPE_U8;
      g_autoptr (Builder) b = builder_new ();
      int zero = type == QU8 ? 128 : 0;
      guint32 vx =
          builder_quantized (b, type, 4, DIMS (1, H, W, C), INPUT, 0, q8 ? 0.05f : 0.0f, zero);
      guint32 vy =
          builder_quantized (b, type, 4, DIMS (1, OH, OW, C), OUTPUT, 1, q8 ? 0.05f : 0.0f, zero);
      PtTensor tx = make_tensor (dtype, 4, SIZES (1, H, W, C), type == F32 ? (gpointer) x : bx,
                                 type == F32 ? sizeof x : sizeof bx);
      PtTensor ty = make_tensor (dtype, 4, SIZES (1, OH, OW, C), type == F32 ? (gpointer) y : by,
                                 type == F32 ? sizeof y : sizeof by);

      fill_random (x, H * W * C, 41);
      for (guint i = 0; i < H * W * C; i++) {
        if (q8)
          bx[i] = (guint8) ((int) lrintf (x[i] / 0.05f) + zero);
        if (type == F16)
          ((guint16 *) bx)[i] = pt_f32_to_f16 (x[i]);
      }
      builder_node (b, (Node){ .tag = average ? 11 : 14,
                               .n_slots = 13,
                               .slots = { 1, 0, 0, 1, 3, 2, 2, 2, 1, dilation, vx, vy, 0 },
                               .clamped = TRUE,
                               .min = -1.0f,
                               .max = 2.0f });
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      for (guint i = 0; i < OH * OW * C; i++) {
        int c = (int) i % C, ox = (int) i / C % OW, oy = (int) i / C / OW, n = 0;
        float best = -INFINITY, sum = 0.0f, got, want;

        for (int ky = 0; ky < 3; ky++)
          for (int kx = 0; kx < 2; kx++) {
            int iy = oy * 2 + ky - 1, ix = ox * 2 + kx * (int) dilation - 1;

            if (iy < 0 || iy >= H || ix < 0 || ix >= W)
              continue;
            best = MAX (best, x[(iy * W + ix) * C + c]);
            sum += x[(iy * W + ix) * C + c];
            n++;
          }
        want = CLAMP (average ? sum / (float) n : best, -1.0f, 2.0f);
        got = type == F32   ? y[i]
              : type == F16 ? pt_f16_to_f32 (((guint16 *) by)[i])
              : type == QI8 ? (float) (gint8) by[i] * 0.05f
                            : (float) (by[i] - zero) * 0.05f;
        g_assert_cmpfloat_with_epsilon (got, want, q8 ? 0.051f : type == F16 ? 2e-3f : 1e-6f);
      }
    }
}

/* A window of many pixels, the largest at its end and at its beginning. */
static void
test_large_pool (void)
{
  enum { SIDE = 5, C = 3 };
  float x[SIDE * SIDE * C], y[C];
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 4, DIMS (1, SIDE, SIDE, C), INPUT);
  guint32 vy = builder_tensor (b, F32, 4, DIMS (1, 1, 1, C), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 4, SIZES (1, SIDE, SIDE, C), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 1, 1, C), y, sizeof y);

  fill_random (x, SIDE * SIDE * C, 43);
  x[0] = 7.0f;
  x[SIDE * SIDE * C - 2] = 8.0f;
  x[17 * C + 2] = 9.0f;
  builder_node (b, (Node){ .tag = 14,
                           .n_slots = 13,
                           .slots = { 0, 0, 0, 0, SIDE, SIDE, 1, 1, 1, 1, vx, vy, 0 } });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  g_assert_cmpfloat (y[0], ==, 7.0f);
  g_assert_cmpfloat (y[1], ==, 8.0f);
  g_assert_cmpfloat (y[2], ==, 9.0f);
}

static void
test_global_average (void)
{
  static const int types[] = { F32, F16, QI8 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    float x[12] = { 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6 }, y[4];
    const float want[4] = { 2, -2, 5, -5 };
    gint8 qx[12], qy[4];
    guint16 hx[12], hy[4];
    gpointer in = types[t] == F32 ? (gpointer) x : types[t] == F16 ? (gpointer) hx : qx;
    gpointer out = types[t] == F32 ? (gpointer) y : types[t] == F16 ? (gpointer) hy : qy;
    PtDType dtype = types[t] == F32 ? PT_DTYPE_F32 : types[t] == F16 ? PT_DTYPE_F16 : PT_DTYPE_I8;
    g_autoptr (Builder) b = builder_new ();
    float scale = types[t] == QI8 ? 0.25f : 0.0f;
    guint32 vx = builder_quantized (b, types[t], 4, DIMS (2, 1, 3, 2), INPUT, 0, scale, 1);
    guint32 vy = builder_quantized (b, types[t], 4, DIMS (2, 1, 1, 2), OUTPUT, 1, scale, -3);
    PtTensor tx = make_tensor (dtype, 4, SIZES (2, 1, 3, 2), in, 12);
    PtTensor ty = make_tensor (dtype, 4, SIZES (2, 1, 1, 2), out, 4);

    tx.capacity = 12 * pt_dtype_size (dtype);
    ty.capacity = 4 * pt_dtype_size (dtype);
    for (guint i = 0; i < 12; i++) {
      qx[i] = (gint8) (x[i] * 4.0f + 1.0f);
      hx[i] = pt_f32_to_f16 (x[i]);
    }
    builder_simple (b, 19, 3, (guint32[]){ vx, vy, 0x40 });
    run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
    for (guint i = 0; i < 4; i++) {
      if (types[t] == QI8)
        y[i] = (float) (qy[i] + 3) * 0.25f;
      if (types[t] == F16)
        y[i] = pt_f16_to_f32 (hy[i]);
    }
    check (y, want, 4, 0.0f);
  }
}

/* More channels than one worker takes at a time. */
static void
test_global_average_wide (void)
{
  enum { IMAGES = 2, CELLS = 6, C = 777, N_X = IMAGES * CELLS * C, N_Y = IMAGES * C };
  g_autofree float *x = g_new (float, N_X), *y = g_new (float, N_Y), *want = g_new0 (float, N_Y);
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 4, DIMS (IMAGES, 2, 3, C), INPUT);
  guint32 vy = builder_tensor (b, F32, 4, DIMS (IMAGES, 1, 1, C), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 4, SIZES (IMAGES, 2, 3, C), x, N_X * sizeof *x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 4, SIZES (IMAGES, 1, 1, C), y, N_Y * sizeof *y);

  fill_random (x, N_X, 5);
  for (gsize i = 0; i < N_X; i++)
    want[i / CELLS / C * C + i % C] += x[i] / CELLS;
  builder_simple (b, 19, 3, (guint32[]){ vx, vy, 0x40 });
  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
  check (y, want, N_Y, 1e-5f);
}

/* The index is int32 in the graph and int64 in the program. */
static void
test_argmax (void)
{
  float x[16] = { 1, 5, 2, 0, 3, 4, 9, 8, -1, -2, -3, -4, -1, -7, -3, -3 }, y[4];
  const float want[4] = { 5, 9, -1, -3 };
  const gint64 want_index[4] = { 1, 2, 0, 0 };
  gint64 index[4];
  g_autoptr (Builder) b = builder_new ();
  guint32 vx = builder_tensor (b, F32, 4, DIMS (1, 4, 4, 1), INPUT);
  guint32 vy = builder_tensor (b, F32, 4, DIMS (1, 2, 2, 1), OUTPUT);
  guint32 vi = builder_tensor (b, PT_XNN_I32, 4, DIMS (1, 2, 2, 1), OUTPUT);
  PtTensor tx = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 4, 4, 1), x, sizeof x);
  PtTensor ty = make_tensor (PT_DTYPE_F32, 4, SIZES (1, 2, 2, 1), y, sizeof y);
  PtTensor ti = make_tensor (PT_DTYPE_I64, 4, SIZES (1, 2, 2, 1), index, sizeof index);

  builder_simple (b, 21, 10, (guint32[]){ 0, 0, 0, 0, 2, 2, vx, vy, vi, 0 });
  run_graph (b, (PtTensor *[]){ &tx, &ty, &ti }, 3);
  check (y, want, 4, 0.0f);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (index[i], ==, want_index[i]);
}

static void
test_resize (void)
{
  for (guint corners = 0; corners < 2; corners++)
    for (guint half = 0; half < 2; half++) {
      float x[8] = { 0, 10, 1, 11, 2, 12, 3, 13 }, y[24];
      guint16 hx[8], hy[24];
      g_autoptr (Builder) b = builder_new ();
      int type = half ? F16 : F32;
      PtDType dtype = half ? PT_DTYPE_F16 : PT_DTYPE_F32;
      guint32 vx = builder_tensor (b, type, 4, DIMS (1, 2, 2, 2), INPUT);
      guint32 vy = builder_tensor (b, type, 4, DIMS (1, 3, 4, 2), OUTPUT);
      PtTensor tx = make_tensor (dtype, 4, SIZES (1, 2, 2, 2), half ? (gpointer) hx : x, sizeof x);
      PtTensor ty = make_tensor (dtype, 4, SIZES (1, 3, 4, 2), half ? (gpointer) hy : y, sizeof y);

      pt_vector_f32_to_f16 (8, x, hx);
      builder_simple (b, 9, 5, (guint32[]){ 3, 4, vx, vy, corners ? 8 : 0 });
      run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
      if (half)
        pt_vector_f16_to_f32 (24, hy, y);
      for (guint i = 0; i < 24; i++) {
        float oy = (float) (i / 8), ox = (float) (i / 2 % 4);
        float py = corners ? oy * 0.5f : CLAMP ((oy + 0.5f) * (2.0f / 3.0f) - 0.5f, 0.0f, 1.0f);
        float px = corners ? ox / 3.0f : CLAMP ((ox + 0.5f) * 0.5f - 0.5f, 0.0f, 1.0f);

        /* The image is a plane: 2 y + x. */
        g_assert_cmpfloat_with_epsilon (y[i], 2.0f * py + px + (i % 2 ? 10.0f : 0.0f),
                                        half ? 1e-2f : 1e-5f);
      }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/nodes/binary", test_binary);
  g_test_add_func ("/xnnpack/nodes/prelu", test_prelu);
  g_test_add_func ("/xnnpack/nodes/unary", test_unary);
  g_test_add_func ("/xnnpack/nodes/unary-q8", test_unary_q8);
  g_test_add_func ("/xnnpack/nodes/binary-q8", test_binary_q8);
  g_test_add_func ("/xnnpack/nodes/multiply-rows-q8", test_multiply_rows_q8);
  g_test_add_func ("/xnnpack/nodes/convert-q8", test_convert_q8);
  g_test_add_func ("/xnnpack/nodes/convert-half", test_convert_half);
  g_test_add_func ("/xnnpack/nodes/transpose", test_transpose);
  g_test_add_func ("/xnnpack/nodes/slice-pad-concat", test_slice_pad_concat);
  g_test_add_func ("/xnnpack/nodes/concat", test_concat);
  g_test_add_func ("/xnnpack/nodes/matmul", test_matmul);
  g_test_add_func ("/xnnpack/nodes/softmax", test_softmax);
  g_test_add_func ("/xnnpack/nodes/pools", test_pools);
  g_test_add_func ("/xnnpack/nodes/large-pool", test_large_pool);
  g_test_add_func ("/xnnpack/nodes/global-average", test_global_average);
  g_test_add_func ("/xnnpack/nodes/global-average-wide", test_global_average_wide);
  g_test_add_func ("/xnnpack/nodes/argmax", test_argmax);
  g_test_add_func ("/xnnpack/nodes/resize", test_resize);
  return g_test_run ();
}
