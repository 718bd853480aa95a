/* SPDX-License-Identifier: BSD-3-Clause */

/* Attention of one query for each head. */

#include <math.h>

#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

typedef struct {
  gint64 heads, kv_heads, length, dim;
  gint64
      valid; /* the mask leaves the first of this many keys, without every seventh; -1: no mask */
  gint64 offset; /* of the mask, in bytes from an aligned address */
} Shape;

static gboolean
is_valid (const Shape *shape, gint64 key)
{
  return shape->valid < 0 || (key < shape->valid && key % 7 != 3);
}

/* The exact value of a result, and the sum of the absolute values of its terms. */
static ReferenceSum
exact (const Shape *shape, const guint16 *q, const guint16 *k, const guint16 *v, double scale,
       gint64 column)
{
  ReferenceSum sum = { 0, 0 };
  double total = 0;

  for (gint64 key = 0; key < shape->length; key++) {
    double score = 0;

    if (!is_valid (shape, key))
      continue;
    for (gint64 i = 0; i < shape->dim; i++)
      score += (double) reference_from_bf16 (q[i]) *
               (double) reference_from_bf16 (k[key * shape->dim + i]);
    score = exp (score * scale);
    total += score;
    sum.value += score * (double) reference_from_bf16 (v[key * shape->dim + column]);
    sum.magnitude += fabs (score * (double) reference_from_bf16 (v[key * shape->dim + column]));
  }
  if (total > 0) {
    sum.value /= total;
    sum.magnitude /= total;
  }
  return sum;
}

static void
compare (const Shape *shape, const guint16 *q, const guint16 *k, const guint16 *v, double scale,
         const guint16 *output)
{
  gint64 step = shape->length > 1000 ? 17 : 1;

  for (gint64 head = 0; head < shape->heads; head++)
    for (gint64 column = head % step; column < shape->dim; column += step) {
      gint64 first = head / (shape->heads / shape->kv_heads) * shape->length * shape->dim;
      ReferenceSum sum = exact (shape, q + head * shape->dim, k + first, v + first, scale, column);
      double got = (double) reference_from_bf16 (output[head * shape->dim + column]);

      /* Weights are off by the rounding of scores: a few units of the last place of a float. */
      if (fabs (got - sum.value) <= fabs (sum.value) / 250 + sum.magnitude * 1e-4)
        continue;
      gpu_fail ("%d heads, %d of keys, %d keys, dim %d, %d valid: head %d column %d is %g, should "
                "be %g",
                (int) shape->heads, (int) shape->kv_heads, (int) shape->length, (int) shape->dim,
                (int) shape->valid, (int) head, (int) column, got, sum.value);
      return;
    }
}

static void
run (const Shape *shape)
{
  guint64 state = (guint64) (shape->heads * 131 + shape->length * 7 + shape->valid);
  gsize n_q = (gsize) (shape->heads * shape->dim);
  gsize n_k = (gsize) (shape->kv_heads * shape->length * shape->dim);
  g_autofree guint16 *q = reference_random_bf16 (n_q, 1, &state),
                     *k = reference_random_bf16 (n_k, 1, &state);
  g_autofree guint16 *v = reference_random_bf16 (n_k, 1, &state), *output = NULL;
  g_autofree guint8 *mask = g_new (guint8, (gsize) (shape->length + shape->offset));
  GError *error = NULL;
  PtCudaAttention attention = { .heads = shape->heads,
                                .kv_heads = shape->kv_heads,
                                .length = shape->length,
                                .dim = shape->dim,
                                .query_head = shape->dim,
                                .output_head = shape->dim,
                                .key_head = shape->length * shape->dim,
                                .key_row = shape->dim,
                                .value_head = shape->length * shape->dim,
                                .value_row = shape->dim,
                                .scale = 1 / sqrt ((double) shape->dim) };
  g_autofree guint8 *zeros = g_malloc0 (pt_cuda_attention_scratch (&attention));
  PtCuPointer scratch = gpu_new (zeros, pt_cuda_attention_scratch (&attention));

  for (gint64 i = 0; i < shape->length; i++)
    mask[i + shape->offset] = is_valid (shape, i);
  attention.queries = gpu_new (q, n_q * 2);
  attention.keys = gpu_new (k, n_k * 2);
  attention.values = gpu_new (v, n_k * 2);
  attention.output = gpu_new (NULL, n_q * 2);
  if (shape->valid >= 0)
    attention.mask = gpu_new (mask, (gsize) (shape->length + shape->offset)) + shape->offset;
  /* The second time with what the first one has left. */
  for (guint i = 0; i < 2; i++) {
    gpu_check (pt_cuda_kernel_attention (gpu, &attention, scratch, &error), error);
    g_free (output);
    output = gpu_read (attention.output);
    compare (shape, q, k, v, attention.scale, output);
  }
  g_free (gpu_read (scratch));
  gpu_free_all ();
}

static void
test_attention (void)
{
  static const Shape shapes[] = {
    { 1, 1, 1, 64, -1, 0 },        { 4, 4, 5, 128, -1, 0 },     { 8, 2, 64, 64, 64, 0 },
    { 8, 2, 100, 128, 57, 0 },     { 6, 2, 130, 64, 129, 3 },   { 16, 1, 257, 128, 200, 0 },
    { 12, 1, 96, 64, 96, 0 },      { 14, 2, 1024, 64, 700, 0 }, { 32, 8, 1024, 128, 513, 0 },
    { 16, 8, 2048, 128, 2048, 0 }, { 2, 2, 48, 64, 0, 0 },      { 3, 1, 2050, 128, 1999, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes) && !g_test_failed (); i++)
    if (!gpu_is_quick || shapes[i].length < 1000)
      run (&shapes[i]);
}

static void
test_attention_refuses (void)
{
  PtCudaAttention attention = { .heads = 4, .kv_heads = 2, .length = 8, .dim = 64, .scale = 1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_cuda_attention_fits (&attention));
  attention.dim = 96;
  g_assert_false (pt_cuda_attention_fits (&attention));
  g_assert_cmpuint (pt_cuda_attention_scratch (&attention), ==, 0);
  attention.dim = 64;
  attention.kv_heads = 3;
  g_assert_false (pt_cuda_attention_fits (&attention));
  attention.kv_heads = 2;
  attention.key_row = 65;
  g_assert_false (pt_cuda_kernel_attention (gpu, &attention, 0, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

void
add_attention_tests (void)
{
  g_test_add_func ("/kernels/attention", test_attention);
  g_test_add_func ("/kernels/attention/refuses", test_attention_refuses);
}
