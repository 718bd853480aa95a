/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm.h"

#include "tests/unit/kernels/support.h"

typedef struct {
  gsize m, n, k;
} Shape;

static const Shape shapes[] = {
  { 1, 1, 1 },       { 1, 17, 33 },   { 1, 300, 576 }, { 1, 5, 0 },     { 2, 3, 31 },
  { 3, 33, 17 },     { 4, 64, 64 },   { 5, 31, 3 },    { 6, 16, 100 },  { 7, 47, 65 },
  { 13, 65, 31 },    { 14, 32, 7 },   { 15, 1, 40 },   { 28, 100, 64 }, { 40, 33, 576 },
  { 31, 129, 1030 }, { 64, 70, 130 },
};

static PtPool *pool;

static void
check (const Shape *s, gboolean transposed, gboolean serial, gboolean with_ends)
{
  gsize lda = s->k + 2, ldb = (transposed ? s->k : s->n) + 1, ldc = s->n + 3;
  gsize b_rows = transposed ? s->n : s->k, a_size = s->m * lda - 2, b_size = b_rows * ldb;
  g_auto (Guarded) guarded_a = { 0 }, guarded_b = { 0 };
  float *a = guarded_new (&guarded_a, a_size * sizeof *a);
  float *b = guarded_new (&guarded_b, (b_size ? b_size - 1 : 0) * sizeof *b);
  g_autofree float *bias = g_new (float, s->n), *c = g_new0 (float, s->m *ldc);
  PtEpilogue e = { bias, -1.0f, 1.5f };

  fill_floats (a, a_size);
  fill_floats (b, b_size ? b_size - 1 : 0);
  fill_floats (bias, s->n);
  if (serial)
    pt_gemm_f32_serial (s->m, s->n, s->k, a, lda, b, ldb, transposed, with_ends ? &e : NULL, c, ldc,
                        pt_pool_scratch (pool, 0));
  else
    pt_gemm_f32 (pool, s->m, s->n, s->k, a, lda, b, ldb, transposed, with_ends ? &e : NULL, c, ldc);
  for (gsize i = 0; i < s->m; i++) {
    for (gsize j = 0; j < s->n; j++) {
      double sum = with_ends ? bias[j] : 0.0;

      for (gsize p = 0; p < s->k; p++)
        sum += (double) a[i * lda + p] * b[transposed ? j * ldb + p : p * ldb + j];
      assert_close (c[i * ldc + j], with_ends ? CLAMP (sum, e.min, e.max) : sum,
                    4e-6 * (2.0 + sqrt ((double) s->k)));
    }
    for (gsize j = s->n; j < ldc; j++)
      g_assert_cmpfloat (c[i * ldc + j], ==, 0.0f);
  }
}

static void
each_shape (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint way = 0; way < 8; way++)
      check (&shapes[i], way & 1, way & 2, way & 4);
}

/* Halves of b give what floats of the same value give, to the bit. */
static void
check_halves (const Shape *s, PtFloatType type, gboolean transposed)
{
  gsize lda = s->k + 2, ldb = (transposed ? s->k : s->n) + 1, a_size = s->m * lda - 2;
  gsize b_size = MAX ((transposed ? s->n : s->k) * ldb, 1) - 1;
  g_auto (Guarded) guarded_b = { 0 };
  guint16 *b = guarded_new (&guarded_b, b_size * sizeof *b);
  g_autofree float *a = g_new (float, a_size), *b_floats = g_new (float, b_size + 1);
  g_autofree float *c = g_new0 (float, s->m * s->n), *expected = g_new0 (float, s->m * s->n);

  fill_floats (a, a_size);
  fill_floats (b_floats, b_size);
  if (type == PT_FLOAT_F16)
    pt_vector_f32_to_f16 (b_size, b_floats, b);
  else
    pt_vector_f32_to_bf16 (b_size, b_floats, b);
  pt_vector_to_f32 (type, b_size, b, b_floats);
  pt_gemm_typed (pool, s->m, s->n, s->k, a, lda, PT_FLOAT_F32, b_floats, ldb, transposed, NULL,
                 expected, s->n);
  pt_gemm_typed (pool, s->m, s->n, s->k, a, lda, type, b, ldb, transposed, NULL, c, s->n);
  g_assert_cmpmem (c, s->m * s->n * sizeof *c, expected, s->m * s->n * sizeof *c);
}

static void
each_half (void)
{
  static const Shape large = { 4, 1000, 3001 }; /* several workers */

  for (guint way = 0; way < 4; way++) {
    for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
      check_halves (&shapes[i], way & 1 ? PT_FLOAT_F16 : PT_FLOAT_BF16, way & 2);
    check_halves (&large, way & 1 ? PT_FLOAT_F16 : PT_FLOAT_BF16, way & 2);
  }
}

static void
test_halves (void)
{
  for_each_level (each_half);
}

static void
test_shapes (void)
{
  for_each_level (each_shape);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pool = pt_pool_new (3);
  g_test_add_func ("/gemm-f32/shapes", test_shapes);
  g_test_add_func ("/gemm-f32/halves", test_halves);
  result = g_test_run ();
  pt_pool_free (pool);
  return result;
}
