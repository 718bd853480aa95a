/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/init.h"
#include "engine/runtime/execution.h"

static PtExecution *execution;

static PtValue
an_int (gint64 number)
{
  return (PtValue){ .kind = PT_VALUE_INT, .as_int = number };
}

static PtValue
a_double (double number)
{
  return (PtValue){ .kind = PT_VALUE_DOUBLE, .as_double = number };
}

static PtValue
a_bool (gboolean flag)
{
  return (PtValue){ .kind = PT_VALUE_BOOL, .as_bool = flag };
}

/* Calls @name with @n values; the last one is the result. */
static gboolean
call (const char *name, PtValue *values, guint n, GError **error)
{
  const PtOperator *operator= pt_operator_find (name);
  PtValue *args[8];
  guint i;

  g_assert_nonnull (operator);
  g_assert_cmpuint (operator->n_args, ==, n);
  for (i = 0; i < n; i++)
    args[i] = &values[i];
  return operator->kernel (execution, args, n, error);
}

static PtValue
call2 (const char *op, PtValue a, PtValue b)
{
  g_autofree char *name = g_strconcat ("executorch_prim::", op, NULL);
  PtValue values[] = { a, b, { .kind = PT_VALUE_NONE } };
  GError *error = NULL;

  call (name, values, 3, &error);
  g_assert_no_error (error);
  return values[2];
}

static PtValue
call1 (const char *op, PtValue a)
{
  g_autofree char *name = g_strconcat ("executorch_prim::", op, NULL);
  PtValue values[] = { a, { .kind = PT_VALUE_NONE } };
  GError *error = NULL;

  call (name, values, 2, &error);
  g_assert_no_error (error);
  return values[1];
}

static void
fails2 (const char *op, PtValue a, PtValue b, PtError code)
{
  g_autofree char *name = g_strconcat ("executorch_prim::", op, NULL);
  PtValue values[] = { a, b, { .kind = PT_VALUE_NONE } };
  g_autoptr (GError) error = NULL;

  g_assert_false (call (name, values, 3, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_cmpint (values[2].kind, ==, PT_VALUE_NONE);
}

static void
fails1 (const char *op, PtValue a, PtError code)
{
  g_autofree char *name = g_strconcat ("executorch_prim::", op, NULL);
  PtValue values[] = { a, { .kind = PT_VALUE_NONE } };
  g_autoptr (GError) error = NULL;

  g_assert_false (call (name, values, 2, &error));
  g_assert_error (error, PT_ERROR, (int) code);
}

static void
assert_int (PtValue value, gint64 expected)
{
  g_assert_cmpint (value.kind, ==, PT_VALUE_INT);
  g_assert_cmpint (value.as_int, ==, expected);
}

static void
assert_double (PtValue value, double expected)
{
  g_assert_cmpint (value.kind, ==, PT_VALUE_DOUBLE);
  g_assert_cmpfloat (value.as_double, ==, expected);
}

static void
assert_bool (PtValue value, gboolean expected)
{
  g_assert_cmpint (value.kind, ==, PT_VALUE_BOOL);
  g_assert_cmpint (value.as_bool, ==, expected);
}

static void
test_arithmetic (void)
{
  assert_int (call2 ("add.Scalar", an_int (2), an_int (3)), 5);
  assert_double (call2 ("add.Scalar", an_int (2), a_double (0.5)), 2.5);
  assert_int (call2 ("sub.Scalar", an_int (2), an_int (3)), -1);
  assert_double (call2 ("mul.Scalar", a_double (2), an_int (3)), 6);
  assert_double (call2 ("truediv.Scalar", an_int (1), an_int (4)), 0.25);
  assert_int (call1 ("neg.Scalar", an_int (7)), -7);
  assert_double (call1 ("neg.Scalar", a_double (7)), -7);
  fails2 ("add.Scalar", an_int (G_MAXINT64), an_int (1), PT_ERROR_ARGUMENT);
  fails2 ("sub.Scalar", an_int (G_MININT64), an_int (1), PT_ERROR_ARGUMENT);
  fails2 ("mul.Scalar", an_int (G_MAXINT64), an_int (2), PT_ERROR_ARGUMENT);
  fails2 ("add.Scalar", an_int (1), a_bool (TRUE), PT_ERROR_TYPE);
  fails1 ("neg.Scalar", an_int (G_MININT64), PT_ERROR_ARGUMENT);
}

static void
test_division (void)
{
  assert_int (call2 ("floordiv.Scalar", an_int (-7), an_int (2)), -4);
  assert_int (call2 ("floordiv.Scalar", an_int (7), an_int (-2)), -4);
  assert_int (call2 ("floordiv.Scalar", an_int (-8), an_int (2)), -4);
  assert_double (call2 ("floordiv.Scalar", a_double (-7), an_int (2)), -4);
  assert_double (call2 ("floordiv.Scalar", a_double (-1), an_int (0)), -(double) INFINITY);
  assert_double (call2 ("floordiv.Scalar", an_int (1), a_double (0)), (double) INFINITY);
  assert_int (call2 ("floordiv.int", an_int (-7), an_int (2)), -3);
  assert_int (call2 ("mod.Scalar", an_int (-7), an_int (2)), -1);
  assert_int (call2 ("mod.int", an_int (7), an_int (3)), 1);
  fails2 ("floordiv.Scalar", an_int (1), an_int (0), PT_ERROR_ARGUMENT);
  fails2 ("floordiv.int", an_int (1), an_int (0), PT_ERROR_ARGUMENT);
  fails2 ("mod.int", an_int (1), an_int (0), PT_ERROR_ARGUMENT);
  fails2 ("mod.Scalar", an_int (G_MININT64), an_int (-1), PT_ERROR_ARGUMENT);
  fails2 ("floordiv.Scalar", an_int (G_MININT64), an_int (-1), PT_ERROR_ARGUMENT);
  fails2 ("mod.int", a_double (1), an_int (1), PT_ERROR_TYPE);
}

static void
test_comparison (void)
{
  assert_bool (call2 ("eq.Scalar", an_int (2), a_double (2)), TRUE);
  assert_bool (call2 ("gt.Scalar", an_int (2), an_int (2)), FALSE);
  assert_bool (call2 ("ge.Scalar", an_int (2), an_int (2)), TRUE);
  assert_bool (call2 ("lt.Scalar", a_bool (FALSE), a_bool (TRUE)), TRUE);
  assert_bool (call2 ("le.Scalar", a_double (3), an_int (2)), FALSE);
  fails2 ("eq.Scalar", an_int (1), a_bool (TRUE), PT_ERROR_TYPE);
  assert_int (call2 ("sym_max.Scalar", an_int (2), an_int (-3)), 2);
  assert_int (call2 ("sym_min.Scalar", an_int (2), an_int (-3)), -3);
}

static void
test_conversion (void)
{
  PtValue choice[] = { a_bool (FALSE), an_int (1), a_double (2), { .kind = PT_VALUE_NONE } };

  assert_double (call1 ("sym_float.Scalar", an_int (3)), 3);
  assert_int (call1 ("sym_int.Scalar", a_double (-3.9)), -3);
  assert_int (call1 ("ceil.Scalar", a_double (2.1)), 3);
  assert_int (call1 ("round.Scalar", a_double (2.5)), 2);
  assert_int (call1 ("round.Scalar", a_double (3.5)), 4);
  assert_int (call1 ("trunc.Scalar", a_double (-2.7)), -2);
  assert_bool (call1 ("sym_not.Scalar", a_bool (TRUE)), FALSE);
  fails1 ("round.Scalar", a_double ((double) NAN), PT_ERROR_ARGUMENT);
  fails1 ("trunc.Scalar", a_double (1e30), PT_ERROR_ARGUMENT);
  fails1 ("sym_not.Scalar", an_int (1), PT_ERROR_TYPE);
  g_assert_true (call ("executorch_prim::sym_ite.Scalar", choice, 4, NULL));
  assert_double (choice[3], 2);
}

static PtValue
a_tensor (PtTensor *tensor, PtDType dtype, guint rank, const gint64 *sizes, gpointer data)
{
  GError *error = NULL;

  pt_tensor_init (tensor, dtype, rank, sizes, NULL, data, &error);
  g_assert_no_error (error);
  return (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = tensor };
}

static void
test_tensor_numbers (void)
{
  const gint64 sizes[] = { 2, 3 };
  gint16 numbers[] = { -5, 1, 2, 3, 4, 5 };
  PtTensor tensor;
  PtValue self = a_tensor (&tensor, PT_DTYPE_I16, 2, sizes, numbers);
  PtValue size[] = { self, an_int (1), an_int (0) };
  PtValue bad_size[] = { self, an_int (2), an_int (0) };
  PtValue numel[] = { self, an_int (0) };
  PtValue first[] = { self, an_int (0) };

  g_assert_true (call ("aten::sym_size.int", size, 3, NULL));
  assert_int (size[2], 3);
  g_assert_false (call ("aten::sym_size.int", bad_size, 3, NULL));
  g_assert_true (call ("aten::sym_numel", numel, 2, NULL));
  assert_int (numel[1], 6);
  g_assert_true (call ("aten::_local_scalar_dense", first, 2, NULL));
  assert_int (first[1], -5);
  tensor.numel = 0;
  g_assert_false (call ("aten::_local_scalar_dense", first, 2, NULL));
}

static void
test_view (void)
{
  const gint64 sizes[] = { 2, 6 }, out_sizes[] = { 4, 9 };
  float numbers[12] = { 0 };
  PtTensor tensor, view;
  PtValue dims[] = { an_int (-1), an_int (3) };
  PtValue *items[] = { &dims[0], &dims[1] };
  PtValue values[] = {
    a_tensor (&tensor, PT_DTYPE_F32, 2, sizes, numbers),
    { .kind = PT_VALUE_INT_LIST, .as_values = { items, 2 } },
    a_tensor (&view, PT_DTYPE_F32, 2, out_sizes, NULL),
  };
  GError *error = NULL;

  view.dynamism = PT_DYNAMISM_BOUND;
  tensor.is_constant = TRUE;
  call ("executorch_prim::et_view.default", values, 3, &error);
  g_assert_no_error (error);
  g_assert_true (view.data == numbers);
  g_assert_true (view.is_constant);
  g_assert_cmpint (view.sizes[0], ==, 4);
  g_assert_cmpint (view.sizes[1], ==, 3);

  dims[1].as_int = 5; /* does not divide 12 */
  g_assert_false (call ("executorch_prim::et_view.default", values, 3, NULL));
  dims[1].as_int = 0;
  g_assert_false (call ("executorch_prim::et_view.default", values, 3, NULL));
  dims[1].as_int = -1; /* two open sizes */
  g_assert_false (call ("executorch_prim::et_view.default", values, 3, NULL));
  view.dtype = PT_DTYPE_I32;
  dims[1].as_int = 3;
  g_assert_false (call ("executorch_prim::et_view.default", values, 3, NULL));
}

static void
test_copy_index (void)
{
  const gint64 to_sizes[] = { 3, 2 }, from_sizes[] = { 2 };
  gint32 to_numbers[6] = { 0 }, from_numbers[] = { 7, 8 };
  PtTensor to, from;
  PtValue values[] = {
    a_tensor (&to, PT_DTYPE_I32, 2, to_sizes, to_numbers),
    a_tensor (&from, PT_DTYPE_I32, 1, from_sizes, from_numbers),
    an_int (1),
  };
  GError *error = NULL;

  to.dynamism = PT_DYNAMISM_BOUND;
  call ("executorch_prim::et_copy_index.tensor", values, 3, &error);
  g_assert_no_error (error);
  g_assert_cmpint (to.sizes[0], ==, 2);
  g_assert_cmpint (to_numbers[2], ==, 7);
  g_assert_cmpint (to_numbers[3], ==, 8);

  values[2].as_int = 3; /* past the upper bound */
  g_assert_false (call ("executorch_prim::et_copy_index.tensor", values, 3, NULL));
  values[2].as_int = -1;
  g_assert_false (call ("executorch_prim::et_copy_index.tensor", values, 3, NULL));
  values[2].as_int = G_MAXINT64;
  g_assert_false (call ("executorch_prim::et_copy_index.tensor", values, 3, NULL));
  values[2].as_int = 0;
  to.is_constant = TRUE;
  g_assert_false (call ("executorch_prim::et_copy_index.tensor", values, 3, NULL));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  execution = pt_execution_new (NULL, NULL);
  g_test_add_func ("/runtime/prims/arithmetic", test_arithmetic);
  g_test_add_func ("/runtime/prims/division", test_division);
  g_test_add_func ("/runtime/prims/comparison", test_comparison);
  g_test_add_func ("/runtime/prims/conversion", test_conversion);
  g_test_add_func ("/runtime/prims/tensor-numbers", test_tensor_numbers);
  g_test_add_func ("/runtime/prims/view", test_view);
  g_test_add_func ("/runtime/prims/copy-index", test_copy_index);
  result = g_test_run ();
  pt_execution_free (execution);
  return result;
}
