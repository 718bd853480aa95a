/* SPDX-License-Identifier: BSD-3-Clause */

/* A row of bf16 times a matrix of bf16. */

#include <math.h>
#include <string.h>

#include "engine/cuda/cuda-kernels-private.h"
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

/* ---- launches as graphs change them ---- */

static PtCudaRow
make_row (PtCudaRowEnd end, gint64 n, gint64 k, guint64 seed)
{
  g_autofree guint16 *x = reference_random_bf16 ((gsize) k, 1, &seed),
                     *w = reference_random_bf16 ((gsize) (n * k), 1, &seed),
                     *other = reference_random_bf16 ((gsize) n, 1, &seed);
  PtCudaRow row = { .end = end, .n = n, .k = k };

  row.input = gpu_new (x, (gsize) k * 2);
  row.weights = gpu_new (w, (gsize) (n * k) * 2);
  row.other = end != PT_CUDA_ROW_PLAIN ? gpu_new (other, (gsize) n * 2) : 0;
  row.output = gpu_new (NULL, (gsize) n * 2);
  return row;
}

/* Launches, and compares with what @expected are. */
static void
check_launch (const PtKernelLaunch *launch, const PtCudaRow *row, const guint16 *expected)
{
  gsize size = (gsize) row->n * 2;
  g_autofree guint16 *got = NULL;
  GError *error = NULL;

  gpu->cu->cuMemsetD8Async (row->output, GPU_JUNK, size, gpu->stream);
  gpu_check (pt_kernel_launch (gpu, launch->kernel, &launch->shape, &launch->row, &error), error);
  got = gpu_read (row->output);
  if (memcmp (got, expected, size) != 0)
    gpu_fail ("n %d k %d: a changed launch gives other bits", (int) row->n, (int) row->k);
}

/* Weights that are read before the kernel waits give the same. */
static void
test_early (void)
{
  static const Shape shapes[] = { { 40, 2048, PT_CUDA_ROW_ADD },
                                  { 9, 8200, PT_CUDA_ROW_SILU },
                                  { 1000, 64, PT_CUDA_ROW_PLAIN },
                                  { 8192, 2048, PT_CUDA_ROW_PLAIN } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    PtCudaRow row;
    PtKernelLaunch launch;
    g_autofree guint16 *expected = NULL;
    GError *error = NULL;

    if (gpu_is_quick && shapes[i].n > 1000)
      continue;
    row = make_row (shapes[i].end, shapes[i].n, shapes[i].k, 12);
    gpu_check (pt_cuda_kernel_row (gpu, &row, &error), error);
    expected = gpu_read (row.output);
    gpu_check (pt_kernel_prepare_row (gpu, &row, &launch, &error), error);
    launch.row.is_constant = 1;
    check_launch (&launch, &row, expected);
    gpu_free_all ();
  }
}

/* A gate, and what is multiplied by its SiLU, as one launch and as two. */
static void
run_pair (gint64 n, gint64 k)
{
  PtCudaRow gate = make_row (PT_CUDA_ROW_PLAIN, n, k, 13);
  PtCudaRow up = make_row (PT_CUDA_ROW_SILU, n, k, 14);
  g_autofree guint16 *gates = NULL, *ups = NULL;
  PtKernelLaunch first, second, both;
  GError *error = NULL;

  up.input = gate.input;
  up.other = gate.output;
  gpu_check (pt_cuda_kernel_row (gpu, &gate, &error), error);
  gpu_check (pt_cuda_kernel_row (gpu, &up, &error), error);
  gates = gpu_read (gate.output);
  ups = gpu_read (up.output);
  gpu_check (pt_kernel_prepare_row (gpu, &gate, &first, &error), error);
  gpu_check (pt_kernel_prepare_row (gpu, &up, &second, &error), error);
  g_assert_true (pt_kernel_pair_rows (gpu, &first, &second, &both));
  for (gint32 is_constant = 0; is_constant < 2; is_constant++) {
    both.row.is_constant = is_constant;
    check_launch (&both, &gate, gates);
    check_launch (&both, &up, ups);
  }
  gpu_free_all ();
}

static void
test_pair (void)
{
  static const gint64 shapes[][2] = { { 1, 8 },       { 41, 2048 },   { 33, 8200 },   { 999, 64 },
                                      { 3072, 1024 }, { 8192, 2048 }, { 14336, 4096 } };

  for (guint i = 0; i < G_N_ELEMENTS (shapes) && !g_test_failed (); i++)
    if (!gpu_is_quick || shapes[i][0] < 1024)
      run_pair (shapes[i][0], shapes[i][1]);
}

/* What a pair is not. */
static void
test_no_pair (void)
{
  const PtCudaRow gate = { .n = 8, .k = 64, .input = 1024, .weights = 2048, .output = 4096 };
  const PtCudaRow up = { PT_CUDA_ROW_SILU, 1024, 2048, 4096, 8192, 8, 64 };
  PtCudaRow others[] = { up, up, up, up, gate };
  PtKernelLaunch first, second, both, again;

  others[0].input = 512;
  others[1].other = 16384;
  others[2].end = PT_CUDA_ROW_ADD;
  others[3].n = 7;
  g_assert_true (pt_kernel_prepare_row (gpu, &gate, &first, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_assert_true (pt_kernel_prepare_row (gpu, &others[i], &second, NULL));
    g_assert_false (pt_kernel_pair_rows (gpu, &first, &second, &both));
  }
  g_assert_true (pt_kernel_prepare_row (gpu, &up, &second, NULL));
  g_assert_false (pt_kernel_pair_rows (gpu, &second, &first, &both));
  g_assert_true (pt_kernel_pair_rows (gpu, &first, &second, &both));
  g_assert_false (pt_kernel_pair_rows (gpu, &first, &both, &again));
}

void
add_row_product_tests (void)
{
  g_test_add_func ("/kernels/row/early", test_early);
  g_test_add_func ("/kernels/row/pair", test_pair);
  g_test_add_func ("/kernels/row/no-pair", test_no_pair);
  g_test_add_func ("/kernels/row", test_row);
  g_test_add_func ("/kernels/row/refuses", test_row_refuses);
}
