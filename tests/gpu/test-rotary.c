/* SPDX-License-Identifier: BSD-3-Clause */

/* Heads that are turned by the angles of their position. */

#include <math.h>
#include <string.h>

#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

#define LENGTH 700
#define EPSILON 1e-6

typedef struct {
  PtCudaRotaryLayout layout;
  gint64 heads, dim, length, position;
  gboolean has_weights, has_values, has_mask, is_part;
} Shape;

typedef struct {
  guint16 *input, *weights, *values;
  float *angles;
} Numbers;

static double
at (const guint16 *numbers, gint64 i)
{
  return (double) reference_from_bf16 (numbers[i]);
}

/* What a head is before it is turned. */
static void
norm_head (const Shape *shape, const Numbers *numbers, gint64 head, double *x)
{
  double squares = 0;

  for (gint64 i = 0; i < shape->dim; i++) {
    x[i] = at (numbers->input, head * shape->dim + i);
    squares += x[i] * x[i];
  }
  for (gint64 i = 0; shape->has_weights && i < shape->dim; i++)
    x[i] *= at (numbers->weights, i) / sqrt (squares / (double) shape->dim + EPSILON);
}

static gint64
place (const Shape *shape, gint64 head, gint64 i)
{
  if (shape->layout == PT_CUDA_ROTARY_CACHE)
    return (head * shape->length + shape->position) * shape->dim + i;
  return shape->layout == PT_CUDA_ROTARY_NUMBERS ? i * shape->heads + head : head * shape->dim + i;
}

static gboolean
check_head (const Shape *shape, const Numbers *numbers, gint64 head, const guint16 *output)
{
  gint64 half = shape->dim / 2;
  double x[256];

  norm_head (shape, numbers, head, x);
  for (gint64 i = 0; i < shape->dim; i++) {
    double angle = (double) numbers->angles[i % half],
           other = i < half ? -x[i + half] : x[i - half];
    double expected = (shape->is_part ? 0 : x[i] * cos (angle)) + other * sin (angle);
    double got = at (output, place (shape, head, i));

    if (fabs (got - expected) <= (fabs (x[i]) + fabs (other)) / 64)
      continue;
    gpu_fail ("heads %d dim %d: number %d of head %d is %g, should be %g", (int) shape->heads,
              (int) shape->dim, (int) i, (int) head, got, expected);
    return FALSE;
  }
  return TRUE;
}

/* Everything else of a cache stays junk. */
static void
check_rest (const Shape *shape, const guint16 *output)
{
  guint n = 0;

  for (gint64 i = 0; i < shape->heads * shape->length * shape->dim; i++)
    n += output[i] != 0xffff;
  g_assert_cmpuint (n, ==, shape->heads * shape->dim);
}

static void
check (const Shape *shape, const Numbers *numbers, const PtCudaRotary *rotary)
{
  g_autofree guint16 *output = gpu_read (rotary->output);

  for (gint64 head = 0; head < shape->heads; head++)
    if (!check_head (shape, numbers, head, output))
      return;
  if (shape->layout == PT_CUDA_ROTARY_CACHE)
    check_rest (shape, output);
  if (shape->has_values) {
    g_autofree guint16 *copied = gpu_read (rotary->value_output);

    for (gint64 i = 0; i < shape->heads * shape->dim; i++)
      g_assert_cmpuint (copied[place (shape, i / shape->dim, i % shape->dim)], ==,
                        numbers->values[i]);
    check_rest (shape, copied);
  }
  if (shape->has_mask) {
    g_autofree guint8 *mask = gpu_read (rotary->mask);

    for (gint64 i = 0; i < shape->length; i++)
      g_assert_cmpuint (mask[i], ==, i <= shape->position);
  }
}

static void
fill (const Shape *shape, Numbers *numbers, guint64 *state)
{
  gsize n = (gsize) (shape->heads * shape->dim);

  numbers->input = reference_random_bf16 (n, 4, state);
  numbers->weights = reference_random_bf16 ((gsize) shape->dim, 2, state);
  numbers->values = reference_random_bf16 (n, 1, state);
  numbers->angles = g_new (float, (gsize) shape->dim / 2);
  /* Up to where a float's sine needs more digits of pi. */
  for (gint64 i = 0; i < shape->dim / 2; i++)
    numbers->angles[i] = reference_uniform (state) * (i % 3 == 0 ? 200000.0f : 500.0f);
}

static void
run (const Shape *shape)
{
  guint64 state = 9;
  gboolean is_cache = shape->layout == PT_CUDA_ROTARY_CACHE;
  gsize bytes = (gsize) (shape->heads * shape->dim * (is_cache ? shape->length : 1)) * 2;
  gsize head = (gsize) (shape->heads * shape->dim) * 2;
  PtCudaRotary rotary = { .layout = shape->layout,
                          .is_part = shape->is_part,
                          .heads = shape->heads,
                          .dim = shape->dim,
                          .length = shape->length,
                          .epsilon = EPSILON };
  Numbers numbers;
  GError *error = NULL;

  fill (shape, &numbers, &state);
  rotary.input = gpu_new (numbers.input, head);
  rotary.angles = gpu_new (numbers.angles, (gsize) shape->dim * 2);
  rotary.output = gpu_new (NULL, bytes);
  if (shape->has_weights)
    rotary.weights = gpu_new (numbers.weights, (gsize) shape->dim * 2);
  if (is_cache)
    rotary.position = gpu_new (&shape->position, sizeof shape->position);
  if (shape->has_values) {
    rotary.values = gpu_new (numbers.values, head);
    rotary.value_output = gpu_new (NULL, bytes);
  }
  if (shape->has_mask)
    rotary.mask = gpu_new (NULL, (gsize) shape->length);
  gpu_check (pt_cuda_kernel_rotary (gpu, &rotary, &error), error);
  check (shape, &numbers, &rotary);
  gpu_free_all ();
  g_free (numbers.input);
  g_free (numbers.weights);
  g_free (numbers.values);
  g_free (numbers.angles);
}

static void
test_rotary (void)
{
  static const Shape shapes[] = {
    { PT_CUDA_ROTARY_HEADS, 3, 64, 0, 0, FALSE, FALSE, FALSE },
    { PT_CUDA_ROTARY_HEADS, 16, 128, 0, 0, TRUE, FALSE, FALSE },
    { PT_CUDA_ROTARY_NUMBERS, 32, 128, 0, 0, FALSE, FALSE, FALSE },
    { PT_CUDA_ROTARY_NUMBERS, 5, 80, 0, 0, TRUE, FALSE, FALSE },
    { PT_CUDA_ROTARY_HEADS, 1, 256, 0, 0, TRUE, FALSE, FALSE },
    { PT_CUDA_ROTARY_HEADS, 2, 2, 0, 0, FALSE, FALSE, FALSE },
    { PT_CUDA_ROTARY_HEADS, 3, 64, 0, 0, FALSE, FALSE, FALSE, .is_part = TRUE },
    { PT_CUDA_ROTARY_NUMBERS, 32, 128, 0, 0, FALSE, FALSE, FALSE, .is_part = TRUE },
    { PT_CUDA_ROTARY_CACHE, 8, 64, LENGTH, 0, FALSE, FALSE, FALSE },
    { PT_CUDA_ROTARY_CACHE, 2, 128, LENGTH, LENGTH - 1, TRUE, TRUE, TRUE },
    { PT_CUDA_ROTARY_CACHE, 4, 96, 512, 100, FALSE, TRUE, FALSE },
    { PT_CUDA_ROTARY_CACHE, 3, 64, 513, 511, TRUE, FALSE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes) && !g_test_failed (); i++)
    run (&shapes[i]);
}

/* A row that the cache does not have is not written; negative ones count from its end. */
static void
test_rotary_position (void)
{
  static const gint64 positions[] = { 40, -41, G_MAXINT64, G_MININT64, -40 };
  guint64 state = 9;
  g_autofree guint16 *numbers = reference_random_bf16 (64, 1, &state);

  for (guint i = 0; i < G_N_ELEMENTS (positions); i++) {
    PtCudaRotary rotary = { .layout = PT_CUDA_ROTARY_CACHE, .heads = 1, .dim = 32, .length = 40 };
    g_autofree guint16 *output = NULL;
    GError *error = NULL;
    guint n = 0;

    rotary.input = rotary.angles = gpu_new (numbers, 64 * 2);
    rotary.position = gpu_new (&positions[i], sizeof positions[i]);
    rotary.output = gpu_new (NULL, 40 * 32 * 2);
    gpu_check (pt_cuda_kernel_rotary (gpu, &rotary, &error), error);
    output = gpu_read (rotary.output);
    for (guint k = 0; k < 40 * 32; k++)
      n += output[k] != 0xffff;
    g_assert_cmpuint (n, ==, positions[i] == -40 ? 32 : 0);
    gpu_free_all ();
  }
}

static void
test_rotary_refuses (void)
{
  const PtCudaRotary good = { .input = 16, .angles = 16, .output = 16, .heads = 1, .dim = 64 };
  PtCudaRotary rotary = good;
  g_autoptr (GError) shape = NULL, alignment = NULL;

  g_assert_true (pt_cuda_rotary_fits (&rotary));
  rotary.angles = 18;
  g_assert_false (pt_cuda_kernel_rotary (gpu, &rotary, &alignment));
  g_assert_error (alignment, PT_ERROR, PT_ERROR_ARGUMENT);
  rotary.dim = 258;
  g_assert_false (pt_cuda_kernel_rotary (gpu, &rotary, &shape));
  g_assert_error (shape, PT_ERROR, PT_ERROR_UNSUPPORTED);
  rotary = good;
  rotary.is_part = TRUE;
  g_assert_true (pt_cuda_rotary_fits (&rotary));
  rotary.layout = PT_CUDA_ROTARY_CACHE;
  rotary.position = 16;
  rotary.length = 10;
  g_assert_false (pt_cuda_rotary_fits (&rotary));
  rotary = good;
  rotary.values = 16;
  g_assert_false (pt_cuda_rotary_fits (&rotary));
  rotary = good;
  rotary.mask = rotary.position = 16;
  rotary.length = 10;
  g_assert_false (pt_cuda_rotary_fits (&rotary));
  rotary.layout = PT_CUDA_ROTARY_CACHE;
  g_assert_true (pt_cuda_rotary_fits (&rotary));
  rotary.position = 0;
  g_assert_false (pt_cuda_rotary_fits (&rotary));
}

void
add_rotary_tests (void)
{
  g_test_add_func ("/kernels/rotary", test_rotary);
  g_test_add_func ("/kernels/rotary/position", test_rotary_position);
  g_test_add_func ("/kernels/rotary/refuses", test_rotary_refuses);
}
