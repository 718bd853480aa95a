/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/init.h"
#include "engine/runtime/execution.h"
#include "vulkan-maker.h"

/*
 * Two delegates, of which the second one reads an output of the first: it stays on the GPU. Beside
 * the same two on the CPU.
 */

#define ROWS 5
#define WIDTH 48
#define WRONG 1e9f /* what the host has of a tensor that it was not given */

typedef struct {
  VulkanMaker *makers[2];
  PtVkDelegate *gpu[2], *cpu[2];
} Pair;

static gboolean
skip (void)
{
  if (vulkan_maker_has_gpu ())
    return FALSE;
  g_test_skip ("no GPU");
  return TRUE;
}

static PtVkDelegate *
load (VulkanMaker *maker, gboolean on_cpu)
{
  g_autoptr (GError) error = NULL;
  PtVkDelegate *delegate;

  if (on_cpu)
    g_setenv ("PTERIS_VULKAN", "cpu", TRUE);
  delegate = vulkan_maker_try_load (maker, &error);
  g_assert_no_error (error);
  g_unsetenv ("PTERIS_VULKAN");
  return delegate;
}

/* Input x; outputs a, which the second delegate reads, and b, which the host reads. */
static VulkanMaker *
make_first (void)
{
  VulkanMaker *maker = vulkan_maker_new ();
  guint32 x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
  guint32 a = vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));

  CALL (maker, "aten.linear.default", x,
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (WIDTH, WIDTH), NULL),
        vulkan_maker_null (maker), a);
  CALL (maker, "aten.sigmoid.default", a,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH)));
  return maker;
}

/* Inputs a and x; output a . w * x. @on_cpu: a call on the CPU reads a, too. */
static VulkanMaker *
make_second (gboolean on_cpu)
{
  VulkanMaker *maker = vulkan_maker_new ();
  guint32 a = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
  guint32 x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
  guint32 y = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
  guint32 null = vulkan_maker_null (maker), z = y, least, bytes, scale, zero;

  CALL (maker, "aten.linear.default", a,
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (WIDTH, WIDTH), NULL), null, y);
  if (on_cpu) {
    const float step = 0.01f;

    /* No shader quantises by tensors of scales. */
    scale = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (1), &step);
    zero = vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (1), (gint32[]){ 3 });
    bytes = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (ROWS, WIDTH));
    least = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
    z = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH));
    CALL (maker, "quantized_decomposed.quantize_per_tensor.tensor", a, scale, zero,
          vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, bytes);
    CALL (maker, "quantized_decomposed.dequantize_per_tensor.tensor", bytes, scale, zero,
          vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, null, least);
    CALL (maker, "aten.add.Tensor", y, least, vulkan_maker_int (maker, 1), z);
  }
  CALL (maker, "aten.mul.Tensor", z, x,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH)));
  return maker;
}

static void
load_pair (Pair *pair, gboolean on_cpu)
{
  pair->makers[0] = make_first ();
  pair->makers[1] = make_second (on_cpu);
  for (guint i = 0; i < 2; i++) {
    pair->gpu[i] = load (pair->makers[i], FALSE);
    pair->cpu[i] = load (pair->makers[i], TRUE);
  }
}

static void
free_pair (Pair *pair)
{
  for (guint i = 0; i < 2; i++) {
    pt_vk_delegate_free (pair->gpu[i]);
    pt_vk_delegate_free (pair->cpu[i]);
    vulkan_maker_free (pair->makers[i]);
  }
}

/* x, a, b, y */
typedef struct {
  float data[4][ROWS * WIDTH];
  PtTensor tensors[4];
  PtValue values[4];
} Tensors;

static void
start (Tensors *t, gint64 rows, const float *x, gboolean stays)
{
  const gint64 sizes[] = { ROWS, WIDTH };

  for (guint i = 0; i < 4; i++) {
    for (guint k = 0; k < ROWS * WIDTH; k++)
      t->data[i][k] = i == 0 ? x[k] : WRONG;
    g_assert_true (pt_tensor_init (&t->tensors[i], PT_DTYPE_F32, 2, sizes, NULL, t->data[i], NULL));
    t->tensors[i].dynamism = PT_DYNAMISM_BOUND;
    t->values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &t->tensors[i] };
  }
  g_assert_true (pt_tensor_resize (&t->tensors[0], 2, (gint64[]){ rows, WIDTH }, NULL));
  t->tensors[1].stays_on_device = stays;
}

static gboolean
call (PtVkDelegate *delegate, PtValue **args, guint n, GError **error)
{
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, error);

  return execution != NULL && pt_vk_delegate_execute (delegate, execution, args, n, error);
}

static void
run (PtVkDelegate *const *delegates, Tensors *t)
{
  PtValue *first[] = { &t->values[0], &t->values[1], &t->values[2] };
  PtValue *second[] = { &t->values[1], &t->values[0], &t->values[3] };
  g_autoptr (GError) error = NULL;

  call (delegates[0], first, 3, &error);
  g_assert_no_error (error);
  call (delegates[1], second, 3, &error);
  g_assert_no_error (error);
}

static void
compare (const Tensors *got, const Tensors *wanted, guint i)
{
  g_assert_cmpuint (got->tensors[i].numel, ==, wanted->tensors[i].numel);
  for (gsize k = 0; k < got->tensors[i].numel; k++)
    g_assert_cmpfloat (fabsf (got->data[i][k] - wanted->data[i][k]), <,
                       1e-5f * MAX (1, fabsf (wanted->data[i][k])));
}

/* Runs both pairs with @rows of new numbers. */
static void
check (const Pair *pair, gint64 rows, gboolean stays)
{
  g_autofree Tensors *got = g_new0 (Tensors, 1), *wanted = g_new0 (Tensors, 1);
  float x[ROWS * WIDTH];

  for (guint k = 0; k < ROWS * WIDTH; k++)
    x[k] = vulkan_random ();
  start (got, rows, x, stays);
  start (wanted, rows, x, stays);
  run (pair->gpu, got);
  run (pair->cpu, wanted);
  g_assert_null (wanted->tensors[1].handed);
  compare (got, wanted, 2);
  compare (got, wanted, 3);
  g_assert_true ((got->tensors[1].handed != NULL) == stays);
  if (!stays)
    compare (got, wanted, 1);
  for (guint k = 0; stays && k < ROWS * WIDTH; k++)
    g_assert_cmpfloat (got->data[1][k], ==, WRONG);
}

/* Several calls, fewer rows and more, and a host that reads it now and then. */
static void
test_handover (gconstpointer data)
{
  Pair pair;

  if (skip ())
    return;
  load_pair (&pair, GPOINTER_TO_INT (data));
  check (&pair, ROWS, TRUE);
  check (&pair, ROWS, TRUE);
  check (&pair, 2, TRUE);
  check (&pair, 2, TRUE);
  check (&pair, ROWS, FALSE);
  check (&pair, ROWS, TRUE);
  check (&pair, 3, FALSE);
  check (&pair, 3, TRUE);
  g_assert_cmpuint (pt_vk_delegate_n_cpu_calls (pair.gpu[1]), ==, data != NULL ? 2 : 0);
  free_pair (&pair);
}

/* What was handed over is gone when the first delegate has made another plan. */
static void
test_gone (gconstpointer data)
{
  g_autofree Tensors *t = g_new0 (Tensors, 1), *other = g_new0 (Tensors, 1);
  PtValue *second[] = { &t->values[1], &t->values[0], &t->values[3] };
  PtValue *first[] = { &other->values[0], &other->values[1], &other->values[2] };
  float x[ROWS * WIDTH] = { 1 };
  g_autoptr (GError) error = NULL;
  Pair pair;

  if (skip ())
    return;
  load_pair (&pair, FALSE);
  start (t, ROWS, x, TRUE);
  run (pair.gpu, t);
  start (other, ROWS, x, FALSE);
  call (pair.gpu[0], first, 3, &error);
  g_assert_no_error (error);
  g_assert_false (call (pair.gpu[1], second, 3, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  free_pair (&pair);
}

/* Delegates without a GPU hand nothing over, and one does not read what is on a GPU. */
static void
test_without_gpu (gconstpointer data)
{
  g_autofree Tensors *t = g_new0 (Tensors, 1);
  PtValue *second[] = { &t->values[1], &t->values[0], &t->values[3] };
  float x[ROWS * WIDTH] = { 1 };
  g_autoptr (GError) error = NULL;
  Pair pair;

  if (skip ())
    return;
  load_pair (&pair, FALSE);
  start (t, ROWS, x, TRUE);
  run (pair.gpu, t);
  g_assert_false (call (pair.cpu[1], second, 3, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  free_pair (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_data_func ("/vulkan/handover/gpu", GINT_TO_POINTER (FALSE), test_handover);
  g_test_add_data_func ("/vulkan/handover/cpu-call", GINT_TO_POINTER (TRUE), test_handover);
  g_test_add_data_func ("/vulkan/handover/gone", NULL, test_gone);
  g_test_add_data_func ("/vulkan/handover/without-gpu", NULL, test_without_gpu);
  return g_test_run ();
}
