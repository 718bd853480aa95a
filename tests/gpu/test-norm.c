/* SPDX-License-Identifier: BSD-3-Clause */

/* RMSNorm of sums. */

#include <math.h>
#include <string.h>

#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

#define ROWS 3
#define EPSILON 1e-5

typedef struct {
  gint64 n;
  guint n_inputs;
  gboolean has_token;
  int sum; /* -1: none; else the input that it replaces, or n_inputs: a tensor of its own */
  gboolean is_in_place; /* the result replaces input 0 */
} Shape;

typedef struct {
  guint16 *inputs[PT_CUDA_NORM_INPUTS], *table, *weights;
  double *sum; /* expected, as bf16 */
  double factor;
} Numbers;

static double
rounded (double x)
{
  return (double) reference_from_bf16 (reference_to_bf16 (x));
}

static void
fill (const Shape *shape, gint64 token, Numbers *numbers, guint64 *state)
{
  gsize n = (gsize) shape->n;
  double squares = 0;

  for (guint i = 0; i < shape->n_inputs; i++)
    numbers->inputs[i] = reference_random_bf16 (n, 2, state);
  numbers->table = reference_random_bf16 (ROWS * n, 1, state);
  numbers->weights = reference_random_bf16 (n, 1, state);
  numbers->sum = g_new (double, n);
  for (gsize i = 0; i < n; i++) {
    double x =
        shape->has_token ? (double) reference_from_bf16 (numbers->table[(gsize) token * n + i]) : 0;

    for (guint k = 0; k < shape->n_inputs; k++)
      x = rounded (x + (double) reference_from_bf16 (numbers->inputs[k][i]));
    numbers->sum[i] = x;
    squares += x * x;
  }
  numbers->factor = 1 / sqrt (squares / (double) n + EPSILON);
}

static void
clear (Numbers *numbers)
{
  for (guint i = 0; i < PT_CUDA_NORM_INPUTS; i++)
    g_free (numbers->inputs[i]);
  g_free (numbers->table);
  g_free (numbers->weights);
  g_free (numbers->sum);
}

/* Each result is rounded twice, and the factor has an error of its own. */
static void
compare (const Shape *shape, const Numbers *numbers, const guint16 *output, const guint16 *sum)
{
  for (gint64 i = 0; i < shape->n; i++) {
    double expected =
        numbers->sum[i] * numbers->factor * (double) reference_from_bf16 (numbers->weights[i]);
    double got = (double) reference_from_bf16 (output[i]);

    if (!(fabs (got - expected) <= fabs (expected) / 100 + 1e-6)) {
      gpu_fail ("n %d inputs %u: result %d is %g, should be %g", (int) shape->n, shape->n_inputs,
                (int) i, got, expected);
      return;
    }
    if (sum != NULL && (double) reference_from_bf16 (sum[i]) != numbers->sum[i]) {
      gpu_fail ("n %d inputs %u: sum %d is %g, should be %g", (int) shape->n, shape->n_inputs,
                (int) i, (double) reference_from_bf16 (sum[i]), numbers->sum[i]);
      return;
    }
  }
}

static void
run (const Shape *shape, gint64 token)
{
  guint64 state = 3;
  gsize bytes = (gsize) shape->n * 2;
  Numbers numbers = { 0 };
  PtCudaNorm norm = {
    .n_inputs = shape->n_inputs, .rows = ROWS, .n = shape->n, .epsilon = EPSILON
  };
  g_autofree guint16 *output = NULL, *sum = NULL;
  GError *error = NULL;

  fill (shape, token < 0 ? token + ROWS : token, &numbers, &state);
  if (shape->has_token) {
    norm.token = gpu_new (&token, sizeof token);
    norm.table = gpu_new (numbers.table, ROWS * bytes);
  }
  for (guint i = 0; i < shape->n_inputs; i++)
    norm.inputs[i] = gpu_new (numbers.inputs[i], bytes);
  norm.weights = gpu_new (numbers.weights, bytes);
  norm.output = shape->is_in_place ? norm.inputs[0] : gpu_new (NULL, bytes);
  if (shape->sum >= 0)
    norm.sum = shape->sum < (int) shape->n_inputs ? norm.inputs[shape->sum] : gpu_new (NULL, bytes);
  gpu_check (pt_cuda_kernel_norm (gpu, &norm, &error), error);
  output = gpu_read (norm.output);
  if (norm.sum != 0)
    sum = gpu_read (norm.sum);
  compare (shape, &numbers, output, sum);
  gpu_free_all ();
  clear (&numbers);
}

static void
test_norm (void)
{
  static const Shape shapes[] = {
    { 8, 1, FALSE, -1, FALSE },   { 64, 0, TRUE, -1, FALSE },   { 264, 2, FALSE, 2, FALSE },
    { 1024, 5, FALSE, 0, FALSE }, { 2048, 3, TRUE, 0, FALSE },  { 4096, 2, FALSE, -1, TRUE },
    { 4096, 6, TRUE, 5, FALSE },  { 8192, 1, TRUE, -1, FALSE }, { 8200, 2, FALSE, 1, FALSE },
    { 16384, 4, TRUE, 4, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes) && !g_test_failed (); i++)
    run (&shapes[i], i % 2 != 0 ? 2 : -2);
}

/* Nothing is read outside of the table. */
static void
test_norm_token (void)
{
  static const gint64 tokens[] = { ROWS, -ROWS - 1, G_MAXINT64, G_MININT64 };
  guint64 state = 3;
  g_autofree guint16 *table = reference_random_bf16 (ROWS * 64, 1, &state);

  for (guint i = 0; i < G_N_ELEMENTS (tokens); i++) {
    PtCudaNorm norm = { .rows = ROWS, .n = 64 };
    g_autofree guint16 *output = NULL;
    GError *error = NULL;

    norm.token = gpu_new (&tokens[i], sizeof tokens[i]);
    norm.table = gpu_new (table, ROWS * 64 * 2);
    norm.weights = gpu_new (table, 64 * 2);
    norm.output = gpu_new (NULL, 64 * 2);
    gpu_check (pt_cuda_kernel_norm (gpu, &norm, &error), error);
    output = gpu_read (norm.output);
    for (guint k = 0; k < 64; k++)
      g_assert_true (isnan (reference_from_bf16 (output[k])));
    gpu_free_all ();
  }
}

static void
test_norm_refuses (void)
{
  const PtCudaNorm good = { .inputs = { 16 }, .n_inputs = 1, .weights = 16, .output = 16, .n = 8 };
  PtCudaNorm norm = good;
  g_autoptr (GError) shape = NULL, alignment = NULL;

  g_assert_true (pt_cuda_norm_fits (&norm));
  norm.inputs[0] = 8;
  g_assert_false (pt_cuda_kernel_norm (gpu, &norm, &alignment));
  g_assert_error (alignment, PT_ERROR, PT_ERROR_ARGUMENT);
  norm.inputs[0] = 0;
  g_assert_false (pt_cuda_kernel_norm (gpu, &norm, &shape));
  g_assert_error (shape, PT_ERROR, PT_ERROR_UNSUPPORTED);
  norm = good;
  norm.n_inputs = 0;
  g_assert_false (pt_cuda_norm_fits (&norm));
  norm.token = norm.table = 16;
  g_assert_false (pt_cuda_norm_fits (&norm));
  norm.rows = G_MAXINT64 / 8;
  g_assert_false (pt_cuda_norm_fits (&norm));
  norm.rows = 1;
  g_assert_true (pt_cuda_norm_fits (&norm));
  norm.n = 16392;
  g_assert_false (pt_cuda_norm_fits (&norm));
  norm = good;
  norm.epsilon = NAN;
  g_assert_false (pt_cuda_norm_fits (&norm));
}

static void
test_gate (void)
{
  static const gint64 sizes[] = { 8, 1032, 14336 };
  guint64 state = 4;

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    gsize n = (gsize) sizes[k];
    g_autofree guint16 *gate = reference_random_bf16 (n, 9, &state),
                       *input = reference_random_bf16 (n, 1, &state), *output = NULL;
    PtCudaGate work = { .n = sizes[k] };
    GError *error = NULL;

    work.gate = gpu_new (gate, n * 2);
    work.input = gpu_new (input, n * 2);
    work.output = k == 0 ? gpu_new (NULL, n * 2) : k == 1 ? work.gate : work.input;
    gpu_check (pt_cuda_kernel_gate (gpu, &work, &error), error);
    output = gpu_read (work.output);
    for (gsize i = 0; i < n; i++) {
      double x = (double) reference_from_bf16 (gate[i]);
      double expected = x / (1 + exp (-x)) * (double) reference_from_bf16 (input[i]);

      g_assert_cmpfloat_with_epsilon ((double) reference_from_bf16 (output[i]), expected,
                                      fabs (expected) / 100 + 1e-6);
    }
    gpu_free_all ();
  }
}

static void
test_gate_refuses (void)
{
  PtCudaGate gate = { 16, 16, 16, 8 };
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_cuda_gate_fits (&gate));
  gate.output = 8;
  g_assert_false (pt_cuda_kernel_gate (gpu, &gate, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  gate.n = 12;
  g_assert_false (pt_cuda_gate_fits (&gate));
}

void
add_norm_tests (void)
{
  g_test_add_func ("/kernels/gate", test_gate);
  g_test_add_func ("/kernels/gate/refuses", test_gate_refuses);
  g_test_add_func ("/kernels/norm", test_norm);
  g_test_add_func ("/kernels/norm/token", test_norm_token);
  g_test_add_func ("/kernels/norm/refuses", test_norm_refuses);
}
