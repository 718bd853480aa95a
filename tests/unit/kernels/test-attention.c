/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/attention.h"

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/lane-dot.h"

#include "tests/unit/kernels/support.h"

static PtPool *pool;

typedef struct {
  gsize batch, heads, kv_heads, n_queries, n_keys, head_dim, value_dim;
  gboolean causal;
  gsize start_pos;
  gboolean mask;
  gboolean heads_first; /* [B, H, S, D], else [B, S, H, D] */
} Case;

static void
expect_row (const PtAttention *a, gsize batch, gsize head, gsize query, double *out)
{
  gsize kv_head = head / (a->heads / a->kv_heads);
  const float *q =
      a->q + batch * a->q_batch_stride + head * a->q_head_stride + query * a->q_row_stride;
  const float *k =
      (const float *) a->k.data + batch * a->k.batch_stride + kv_head * a->k.head_stride;
  const float *v =
      (const float *) a->v.data + batch * a->v.batch_stride + kv_head * a->v.head_stride;
  g_autofree double *scores = g_new (double, a->n_keys + 1);
  double max = -INFINITY, sum = 0;

  for (gsize j = 0; j < a->n_keys; j++) {
    scores[j] = 0;
    for (gsize p = 0; p < a->head_dim; p++)
      scores[j] += (double) q[p] * k[j * a->k.row_stride + p];
    scores[j] *= a->scale;
    if (a->mask)
      scores[j] += a->mask[batch * a->mask_batch_stride + head * a->mask_head_stride +
                           query * a->mask_row_stride + j];
    if (a->causal && j > a->start_pos + query)
      scores[j] = -INFINITY;
    max = MAX (max, scores[j]);
  }
  memset (out, 0, a->value_dim * sizeof *out);
  for (gsize j = 0; j < a->n_keys; j++) {
    double weight = scores[j] == -INFINITY ? 0 : exp (scores[j] - max);

    sum += weight;
    for (gsize p = 0; p < a->value_dim; p++)
      out[p] += weight * v[j * a->v.row_stride + p];
  }
  for (gsize p = 0; p < a->value_dim; p++)
    out[p] /= sum;
}

static void
set_strides (const Case *c, gsize heads, gsize rows, gsize dim, gsize *batch, gsize *head,
             gsize *row)
{
  *batch = heads * rows * dim;
  *head = c->heads_first ? rows * dim : dim;
  *row = c->heads_first ? dim : heads * dim;
}

static float *
new_floats (Guarded *guarded, gsize n)
{
  float *x = guarded_new (guarded, n * sizeof *x);

  fill_floats (x, n);
  return x;
}

/* The bits of a call for each query, with the keys that there are then. */
static void
check_one_by_one (PtAttention a, gsize n_out)
{
  g_autofree float *together = g_new (float, n_out), *apart = g_new (float, n_out);

  a.one_by_one = TRUE;
  a.out = together;
  pt_attention_f32 (pool, &a);
  for (gsize i = 0; i < a.n_queries; i++) {
    PtAttention one = a;

    one.n_queries = 1;
    one.q += i * a.q_row_stride;
    one.out = apart + i * a.out_row_stride;
    one.start_pos += i;
    one.mask = a.mask != NULL ? a.mask + i * a.mask_row_stride : NULL;
    if (a.causal)
      one.n_keys = MIN (a.n_keys, a.start_pos + i + 1);
    pt_attention_f32 (pool, &one);
  }
  g_assert_cmpmem (together, n_out * sizeof *together, apart, n_out * sizeof *apart);
}

/* Keys or values of @type, and the floats that they stand for. */
typedef struct {
  Guarded numbers, floats, zeros, scales;
} Typed;

static void
clear_typed (Typed *typed)
{
  guarded_clear (&typed->numbers);
  guarded_clear (&typed->floats);
  guarded_clear (&typed->zeros);
  guarded_clear (&typed->scales);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Typed, clear_typed)

static void
fill_halves (PtRowType type, gsize n, guint16 *numbers, float *floats)
{
  fill_floats (floats, n);
  for (gsize i = 0; i < n; i++) {
    numbers[i] = type == PT_ROWS_F16 ? pt_f32_to_f16 (floats[i]) : pt_f32_to_bf16 (floats[i]);
    floats[i] = type == PT_ROWS_F16 ? pt_f16_to_f32 (numbers[i]) : pt_bf16_to_f32 (numbers[i]);
  }
}

/* @n_rows rows with the layout of @rows, whose numbers are of @type. Sets @rows to them. */
static void
make_typed (Typed *typed, PtRowType type, gsize n_rows, gsize dim, PtAttentionRows *rows,
            PtAttentionRows *floats)
{
  gsize n = n_rows * dim;
  float *expected = guarded_new (&typed->floats, n * sizeof *expected);

  rows->type = type;
  if (type != PT_ROWS_I8) {
    guint16 *numbers = guarded_new (&typed->numbers, n * sizeof *numbers);

    fill_halves (type, n, numbers, expected);
    rows->data = numbers;
  } else {
    gint8 *numbers = guarded_new (&typed->numbers, n), *zeros = guarded_new (&typed->zeros, n_rows);
    float *scales = guarded_new (&typed->scales, n_rows * sizeof *scales);

    for (gsize i = 0; i < n; i++) {
      gsize row = i / dim;

      numbers[i] = (gint8) (i * 37 % 256 - 128);
      zeros[row] = (gint8) (row * 11 % 256 - 128);
      scales[row] = 0.001f * (float) (1 + row % 7);
      expected[i] = (float) (numbers[i] - zeros[row]) * scales[row];
    }
    rows->data = numbers;
    rows->zeros = (PtRowNumbers){ zeros, rows->batch_stride / dim, rows->head_stride / dim,
                                  rows->row_stride / dim };
    rows->scales = rows->zeros;
    rows->scales.data = scales;
  }
  *floats = *rows;
  floats->type = PT_ROWS_F32;
  floats->data = expected;
}

/* Keys and values that are no floats give the bits of the floats that they stand for. */
static void
check_types (PtAttention a, const Case *c, gsize n_out)
{
  g_autofree float *got = g_new (float, n_out), *expected = g_new (float, n_out);
  gsize n_rows = c->batch * c->kv_heads * c->n_keys;

  for (PtRowType type = PT_ROWS_F16; type <= PT_ROWS_I8; type++) {
    PtAttention b = a;
    g_auto (Typed) k = { 0 }, v = { 0 };

    make_typed (&k, type, n_rows, c->head_dim, &a.k, &b.k);
    make_typed (&v, type, n_rows, c->value_dim, &a.v, &b.v);
    a.out = got;
    b.out = expected;
    pt_attention_f32 (pool, &a);
    pt_attention_f32 (pool, &b);
    g_assert_cmpmem (got, n_out * sizeof *got, expected, n_out * sizeof *expected);
  }
}

static void
check (const Case *c)
{
  g_auto (Guarded) q = { 0 }, k = { 0 }, v = { 0 }, mask = { 0 }, out = { 0 };
  g_autofree double *expected = g_new (double, c->value_dim);
  gsize n_out = c->batch * c->heads * c->n_queries * c->value_dim;
  PtAttention a = {
    .q = new_floats (&q, c->batch * c->heads * c->n_queries * c->head_dim),
    .k.data = new_floats (&k, c->batch * c->kv_heads * c->n_keys * c->head_dim),
    .v.data = new_floats (&v, c->batch * c->kv_heads * c->n_keys * c->value_dim),
    .out = new_floats (&out, n_out),
    .batch = c->batch,
    .heads = c->heads,
    .kv_heads = c->kv_heads,
    .n_queries = c->n_queries,
    .n_keys = c->n_keys,
    .head_dim = c->head_dim,
    .value_dim = c->value_dim,
    .scale = 3.0f / sqrtf ((float) c->head_dim),
    .causal = c->causal,
    .start_pos = c->start_pos,
  };

  set_strides (c, c->heads, c->n_queries, c->head_dim, &a.q_batch_stride, &a.q_head_stride,
               &a.q_row_stride);
  set_strides (c, c->kv_heads, c->n_keys, c->head_dim, &a.k.batch_stride, &a.k.head_stride,
               &a.k.row_stride);
  set_strides (c, c->kv_heads, c->n_keys, c->value_dim, &a.v.batch_stride, &a.v.head_stride,
               &a.v.row_stride);
  set_strides (c, c->heads, c->n_queries, c->value_dim, &a.out_batch_stride, &a.out_head_stride,
               &a.out_row_stride);
  if (c->mask) {
    float *values = new_floats (&mask, c->n_queries * c->n_keys);

    for (gsize i = 0; i < c->n_queries * c->n_keys; i += 3)
      values[i] = -INFINITY;
    a.mask = values;
    a.mask_row_stride = c->n_keys;
  }
  pt_attention_f32 (pool, &a);
  for (gsize b = 0; b < c->batch; b++)
    for (gsize h = 0; h < c->heads; h++)
      for (gsize i = 0; i < c->n_queries; i++) {
        expect_row (&a, b, h, i, expected);
        for (gsize p = 0; p < c->value_dim; p++)
          assert_close (
              a.out[b * a.out_batch_stride + h * a.out_head_stride + i * a.out_row_stride + p],
              expected[p], 3e-6);
      }
  if (c->n_keys > 0)
    check_one_by_one (a, n_out);
  if (c->n_keys > 0 && MAX (c->head_dim, c->value_dim) <= PT_ATTENTION_MAX_TYPED_DIM)
    check_types (a, c, n_out);
}

static const Case cases[] = {
  { 1, 1, 1, 1, 1, 1, 1, FALSE, 0, FALSE, FALSE },
  { 1, 9, 3, 1, 1, 64, 64, TRUE, 0, FALSE, FALSE },
  { 1, 9, 3, 1, 77, 64, 64, TRUE, 76, FALSE, FALSE },
  { 1, 9, 3, 1, 700, 64, 64, TRUE, 699, FALSE, FALSE },
  { 1, 9, 3, 1, 300, 64, 64, FALSE, 0, TRUE, FALSE },
  { 1, 40, 2, 1, 150, 32, 32, FALSE, 0, FALSE, TRUE },
  { 1, 9, 3, 31, 31, 64, 64, TRUE, 0, FALSE, FALSE },
  { 1, 9, 3, 50, 200, 64, 64, TRUE, 150, FALSE, FALSE },
  { 1, 2, 2, 129, 257, 64, 64, FALSE, 0, FALSE, TRUE },
  { 2, 4, 2, 33, 130, 17, 35, TRUE, 97, FALSE, TRUE },
  { 2, 3, 3, 40, 140, 20, 8, FALSE, 0, TRUE, TRUE },
  { 1, 2, 1, 5, 400, 64, 64, TRUE, 100, FALSE, FALSE },
  { 1, 1, 1, 3, 9, 5000, 7, FALSE, 0, FALSE, FALSE },
  { 1, 1, 1, 20, 9, 5000, 7, FALSE, 0, FALSE, FALSE },
  { 1, 34, 1, 20, 33, 8, 8, TRUE, 5, FALSE, FALSE },
  { 1, 9, 3, 38, 38, 64, 64, TRUE, 0, FALSE, FALSE },
  { 1, 9, 3, 65, 600, 64, 64, TRUE, 535, FALSE, FALSE },
  { 1, 4, 4, 201, 521, 16, 24, FALSE, 0, FALSE, FALSE },
  { 2, 600, 300, 2, 520, 4, 3, TRUE, 518, FALSE, FALSE },
  { 1, 6, 2, 1, 2600, 16, 24, TRUE, 2599, FALSE, FALSE },
  { 1, 8, 8, 2, 2100, 8, 8, TRUE, 2048, FALSE, FALSE },
  { 1, 8, 8, 1, 4097, 8, 12, FALSE, 0, TRUE, TRUE },
  { 1, 2, 1, 40, 300, 256, 256, TRUE, 260, FALSE, FALSE },
  { 1, 4, 2, 1, 70, 255, 130, TRUE, 69, FALSE, TRUE },
  { 1, 2, 2, 20, 0, 8, 8, FALSE, 0, FALSE, FALSE },
  { 1, 2, 2, 1, 0, 8, 8, FALSE, 0, FALSE, FALSE },
};

static void
each_case (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check (&cases[i]);
}

static void
test_cases (void)
{
  for_each_level (each_case);
}

/* A row whose mask hides all keys is 0/0; its neighbours are not harmed. */
static void
each_hidden (void)
{
  enum { QUERIES = 30, KEYS = 150, DIM = 16 };
  g_autofree float *data = g_new (float, (QUERIES + 2 * KEYS) * DIM);
  g_autofree float *mask = g_new0 (float, QUERIES *KEYS), *out = g_new (float, QUERIES *DIM);
  PtAttention a = { .q = data,
                    .k.data = data + QUERIES * DIM,
                    .v.data = data + (QUERIES + KEYS) * DIM,
                    .out = out,
                    .batch = 1,
                    .heads = 1,
                    .kv_heads = 1,
                    .n_queries = QUERIES,
                    .n_keys = KEYS,
                    .head_dim = DIM,
                    .value_dim = DIM,
                    .q_row_stride = DIM,
                    .k.row_stride = DIM,
                    .v.row_stride = DIM,
                    .out_row_stride = DIM,
                    .scale = 1.0f,
                    .mask = mask,
                    .mask_row_stride = KEYS };

  fill_floats (data, (QUERIES + 2 * KEYS) * DIM);
  for (gsize j = 0; j < KEYS; j++)
    mask[3 * KEYS + j] = mask[QUERIES * KEYS - KEYS + j] = -INFINITY;
  for (gsize j = 0; j < 140; j++)
    mask[5 * KEYS + j] = -INFINITY; /* only the last block of keys has a visible one */
  for (a.n_queries = 1; a.n_queries <= QUERIES; a.n_queries += QUERIES - 1) {
    a.mask = a.n_queries == 1 ? mask + 3 * KEYS : mask;
    pt_attention_f32 (pool, &a);
    for (gsize i = 0; i < a.n_queries * DIM; i++) {
      gboolean hidden = a.n_queries == 1 || i / DIM == 3 || i / DIM == QUERIES - 1;

      g_assert_true (hidden ? isnan (out[i]) : isfinite (out[i]));
    }
  }
}

static void
test_hidden (void)
{
  for_each_level (each_hidden);
}

/* Sums have one order at all levels, to the bit. */
static void
each_order (void)
{
  enum { ROWS = 11, MAX_K = 67, COLUMNS = 70 };
  const PtF32Kernels *kernels = pt_f32_kernels ();
  float a[PT_DOT_ROWS * MAX_K], b[ROWS * COLUMNS], c[PT_DOT_ROWS * ROWS];
  float y[PT_DOT_ROWS * COLUMNS];

  fill_floats (a, G_N_ELEMENTS (a));
  fill_floats (b, G_N_ELEMENTS (b));
  for (gsize k = 0; k <= MAX_K; k++)
    for (gsize n = 1; n <= ROWS; n++)
      for (gsize m = 1; m <= PT_DOT_ROWS; m++) {
        PtAhead ahead = { (guintptr) b, (guintptr) b + 64, 64, 64 };
        gboolean lead = (k + n + m) % 2 == 0;

        kernels->lane_dots (m, n, k, lead, a, MAX_K, b, COLUMNS, k % 2 == 0 ? &ahead : NULL, c,
                            ROWS);
        for (gsize i = 0; i < m; i++)
          for (gsize j = 0; j < n; j++) {
            gsize lanes = j < n - n % 4 ? 4 : !lead || (j % 4) != 1 ? 8 : 4;
            float expected =
                pt_lane_dot (lanes, j < n - n % 4 ? 4 : 8, lead, k, a + i * MAX_K, b + j * COLUMNS);

            g_assert_cmpmem (&c[i * ROWS + j], 4, &expected, 4);
          }
      }
  for (gsize n = 1; n <= COLUMNS; n++)
    for (gsize m = 1; m <= PT_DOT_ROWS; m++) {
      PtAhead ahead = { (guintptr) b, (guintptr) b + 64, 64, 64 };

      memset (y, 0, sizeof y);
      kernels->add_rows (m, n, ROWS, a, MAX_K, b, COLUMNS, m % 2 == 0 ? &ahead : NULL, y, COLUMNS);
      for (gsize i = 0; i < m; i++)
        for (gsize j = 0; j < n; j++) {
          float expected = 0;

          for (gsize p = 0; p < ROWS; p++)
            expected += a[i * MAX_K + p] * b[p * COLUMNS + j];
          g_assert_cmpmem (&y[i * COLUMNS + j], 4, &expected, 4);
        }
    }
}

static void
test_order (void)
{
  for_each_level (each_order);
}

/* Lines are prefetched row after row; one that a row fills in part is a line, too. */
static void
test_ahead (void)
{
  static const gsize lines[] = { 128, 1000, 1064, 1128, 2000, 2064 };
  PtAhead ahead = { 128, 150, 150, 1000 };

  g_assert_cmpuint (pt_lines (0), ==, 0);
  g_assert_cmpuint (pt_lines (64), ==, 1);
  g_assert_cmpuint (pt_lines (65), ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    g_assert_cmpuint ((guintptr) pt_next_line (&ahead), ==, lines[i]);
}

/* Rows of 16 and 8 bits become dense rows with the bits of the single functions. */
static void
each_typed_rows (void)
{
  enum { ROWS = 3, STRIDE = 150 };
  const PtVectorKernels *vectors = pt_vector_kernels ();
  static const gint8 zeros[] = { -128, 99, 3, 99, 127 };
  static const float scales[] = { 0.25f, 3.0f, -0.1f };
  guint16 halves[ROWS * STRIDE];
  gint8 bytes[ROWS * STRIDE];
  float y[ROWS * STRIDE], expected[STRIDE];

  for (gsize i = 0; i < ROWS * STRIDE; i++) {
    halves[i] = (guint16) (i * 523 % 0x7c00);
    bytes[i] = (gint8) (i * 37 % 256 - 128);
  }
  for (gsize n = 0; n <= 140; n++) {
    PtTypedRows rows = { halves, ROWS, n, STRIDE, zeros, scales, 2, 1 };
    PtAhead ahead = { (guintptr) bytes, (guintptr) bytes + 64, 64, 64 }, *next = &ahead;

    for (guint type = 0; type < 3; type++, next = NULL) {
      rows.x = type == 2 ? (gconstpointer) bytes : halves;
      if (type == 2)
        vectors->i8_rows_to_f32 (&rows, next, y);
      else
        vectors->half_rows_to_f32 (&rows, type == 1, next, y);
      for (gsize i = 0; i < ROWS; i++) {
        if (type == 0)
          vectors->f16_to_f32 (n, halves + i * STRIDE, expected);
        else if (type == 1)
          vectors->bf16_to_f32 (n, halves + i * STRIDE, expected);
        else
          vectors->i8_to_f32 (n, bytes + i * STRIDE, zeros[2 * i], scales[i], expected);
        g_assert_cmpmem (y + i * n, n * sizeof *y, expected, n * sizeof *y);
      }
    }
  }
}

static void
test_typed_rows (void)
{
  for_each_level (each_typed_rows);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pool = pt_pool_new (3);
  g_test_add_func ("/attention/cases", test_cases);
  g_test_add_func ("/attention/hidden-rows", test_hidden);
  g_test_add_func ("/attention/order", test_order);
  g_test_add_func ("/attention/ahead", test_ahead);
  g_test_add_func ("/attention/typed-rows", test_typed_rows);
  result = g_test_run ();
  pt_pool_free (pool);
  return result;
}
