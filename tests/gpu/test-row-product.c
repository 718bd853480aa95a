/* SPDX-License-Identifier: BSD-3-Clause */

/* A row of bf16 times a matrix of bf16. */

#include <math.h>

#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

#define CANARY 0x1234

typedef struct {
  gint64 n, k;
  PtCudaRowEnd end;
} Shape;

static void
combine (PtCudaRowEnd end, double other, ReferenceSum *sum)
{
  double factor = other / (1 + exp (-other));

  if (end == PT_CUDA_ROW_ADD) {
    sum->value += other;
    sum->magnitude += fabs (other);
  }
  if (end == PT_CUDA_ROW_SILU) {
    sum->value *= factor;
    sum->magnitude *= fabs (factor);
  }
}

static void
compare (const Shape *shape, const guint16 *x, const guint16 *w, const guint16 *other,
         const guint16 *output)
{
  g_autofree float *row = g_new (float, (gsize) shape->k);
  gint64 step = shape->n * shape->k > 1000000 ? 13 : 1;

  for (gint64 i = 0; i < shape->n; i += step) {
    ReferenceSum sum;

    for (gint64 j = 0; j < shape->k; j++)
      row[j] = reference_from_bf16 (w[i * shape->k + j]);
    sum = reference_product (x, row, shape->k, 0, 0);
    combine (shape->end, (double) reference_from_bf16 (other[i]), &sum);
    if (reference_accepts (sum, output[i]))
      continue;
    gpu_fail ("n %d k %d: output %d is %g, should be %g", (int) shape->n, (int) shape->k, (int) i,
              (double) reference_from_bf16 (output[i]), sum.value);
    return;
  }
  if (output[shape->n] != CANARY)
    gpu_fail ("n %d k %d: wrote behind the output", (int) shape->n, (int) shape->k);
}

static void
run (const Shape *shape)
{
  guint64 state = 11;
  gsize n = (gsize) shape->n, k = (gsize) shape->k;
  g_autofree guint16 *x = reference_random_bf16 (k, 1, &state),
                     *w = reference_random_bf16 (n * k, 1, &state);
  g_autofree guint16 *other = reference_random_bf16 (n, 1, &state),
                     *output = reference_random_bf16 (n + 1, 1, &state);
  PtCudaRow row = { .end = shape->end, .n = shape->n, .k = shape->k };
  g_autofree guint16 *got = NULL;
  GError *error = NULL;

  output[n] = CANARY;
  row.input = gpu_new (x, k * 2);
  row.weights = gpu_new (w, n * k * 2);
  row.other = shape->end != PT_CUDA_ROW_PLAIN ? gpu_new (other, n * 2) : 0;
  row.output = gpu_new (output, (n + 1) * 2);
  gpu_check (pt_cuda_kernel_row (gpu, &row, &error), error);
  got = gpu_read (row.output);
  compare (shape, x, w, other, got);
  gpu_free_all ();
}

/* The last shapes have several rows for a warp on a GPU of few, and of many multiprocessors. */
static void
test_row (void)
{
  static const Shape shapes[] = {
    { 1, 8, PT_CUDA_ROW_PLAIN },       { 3, 264, PT_CUDA_ROW_ADD },
    { 9, 1032, PT_CUDA_ROW_SILU },     { 64, 2048, PT_CUDA_ROW_ADD },
    { 33, 4096, PT_CUDA_ROW_PLAIN },   { 17, 8200, PT_CUDA_ROW_SILU },
    { 512, 2048, PT_CUDA_ROW_PLAIN },  { 1000, 64, PT_CUDA_ROW_ADD },
    { 7001, 256, PT_CUDA_ROW_PLAIN },  { 9999, 128, PT_CUDA_ROW_SILU },
    { 26000, 136, PT_CUDA_ROW_PLAIN }, { 70001, 64, PT_CUDA_ROW_ADD },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes) && !g_test_failed (); i++)
    if (!gpu_is_quick || shapes[i].n < 8000)
      run (&shapes[i]);
}

static void
test_row_refuses (void)
{
  PtCudaRow row = { .n = 4, .k = 64, .input = 16, .weights = 16, .output = 16 };
  g_autoptr (GError) shape = NULL, alignment = NULL;

  g_assert_true (pt_cuda_row_fits (&row));
  row.weights = 8;
  g_assert_false (pt_cuda_kernel_row (gpu, &row, &alignment));
  g_assert_nonnull (alignment);
  row.k = 60;
  g_assert_false (pt_cuda_kernel_row (gpu, &row, &shape));
  g_assert_error (shape, PT_ERROR, PT_ERROR_UNSUPPORTED);
  row.k = G_MAXINT64 - 7;
  g_assert_false (pt_cuda_row_fits (&row));
  row.k = 64;
  row.n = 0;
  g_assert_false (pt_cuda_row_fits (&row));
}

void
add_row_product_tests (void)
{
  g_test_add_func ("/kernels/row", test_row);
  g_test_add_func ("/kernels/row/refuses", test_row_refuses);
}
