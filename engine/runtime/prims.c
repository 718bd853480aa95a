/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/prims.h"

#include <math.h>

#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/runtime/prims-tensor.h"

/*
 * Arithmetic on scalar values (docs/formats/operators.md, section 22.1). The result is the last
 * argument; its slot takes the kind of the result. Upstream traps on a division by zero and wraps
 * on overflow. Here both are errors, because the numbers become sizes.
 */

static gboolean
is_number (const PtValue *value)
{
  return value->kind == PT_VALUE_INT || value->kind == PT_VALUE_DOUBLE;
}

static double
to_double (const PtValue *value)
{
  return value->kind == PT_VALUE_INT ? (double) value->as_int : value->as_double;
}

static gboolean
fail_kinds (const PtValue *a, const PtValue *b, GError **error)
{
  return pt_fail (error, PT_ERROR_TYPE,
                  "Values of kind %s and %s do not go together here (ExecuTorch error 0x13).",
                  pt_value_kind_name (a->kind), pt_value_kind_name (b->kind));
}

static gboolean
fail_range (GError **error)
{
  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "The result of an integer operation is not a 64-bit number "
                  "(ExecuTorch error 0x12).");
}

static gboolean
set_int (PtValue *out, gint64 result)
{
  out->kind = PT_VALUE_INT;
  out->as_int = result;
  return TRUE;
}

static gboolean
set_double (PtValue *out, double result)
{
  out->kind = PT_VALUE_DOUBLE;
  out->as_double = result;
  return TRUE;
}

static gboolean
set_bool (PtValue *out, gboolean result)
{
  out->kind = PT_VALUE_BOOL;
  out->as_bool = result;
  return TRUE;
}

static gboolean
two_ints (PtValue *const *args, GError **error)
{
  if (args[0]->kind == PT_VALUE_INT && args[1]->kind == PT_VALUE_INT)
    return TRUE;
  return fail_kinds (args[0], args[1], error);
}

static gboolean
two_numbers (PtValue *const *args, GError **error)
{
  if (is_number (args[0]) && is_number (args[1]))
    return TRUE;
  return fail_kinds (args[0], args[1], error);
}

/* Two Ints give an Int; all other numbers are computed as Doubles. */
#define ARITHMETIC(name, checked, operation)                                               \
  static gboolean prim_##name (PtExecution *execution, PtValue *const *args, guint n_args, \
                               GError **error)                                             \
  {                                                                                        \
    gint64 result;                                                                         \
                                                                                           \
    if (!two_numbers (args, error))                                                        \
      return FALSE;                                                                        \
    if (args[0]->kind != PT_VALUE_INT || args[1]->kind != PT_VALUE_INT)                    \
      return set_double (args[2], to_double (args[0]) operation to_double (args[1]));      \
    if (checked (args[0]->as_int, args[1]->as_int, &result))                               \
      return fail_range (error);                                                           \
    return set_int (args[2], result);                                                      \
  }

ARITHMETIC (add, __builtin_add_overflow, +)
ARITHMETIC (sub, __builtin_sub_overflow, -)
ARITHMETIC (mul, __builtin_mul_overflow, *)

/* Fails when the quotient of @a and @b does not exist or does not fit 64 bits. */
static gboolean
check_divisor (gint64 a, gint64 b, GError **error)
{
  if (b == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The program divides an integer by zero (ExecuTorch error 0x12).");
  if (a == G_MININT64 && b == -1)
    return fail_range (error);
  return TRUE;
}

static double
floor_divide (double a, double b)
{
  double remainder, quotient;

  if (b == 0.0)
    return signbit (a) ? -INFINITY : INFINITY;
  remainder = fmod (a, b);
  quotient = (a - remainder) / b;
  if (remainder != 0.0 && (signbit (remainder) != 0) != (signbit (b) != 0))
    quotient -= 1.0;
  return quotient;
}

static gboolean
prim_floordiv (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  gint64 a, b, quotient;

  if (!two_numbers (args, error))
    return FALSE;
  if (args[0]->kind != PT_VALUE_INT || args[1]->kind != PT_VALUE_INT)
    return set_double (args[2], floor_divide (to_double (args[0]), to_double (args[1])));
  a = args[0]->as_int;
  b = args[1]->as_int;
  if (!check_divisor (a, b, error))
    return FALSE;
  quotient = a / b;
  if (a % b != 0 && (a < 0) != (b < 0))
    quotient--;
  return set_int (args[2], quotient);
}

static gboolean
prim_floordiv_int (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  if (!two_ints (args, error) || !check_divisor (args[0]->as_int, args[1]->as_int, error))
    return FALSE;
  return set_int (args[2], args[0]->as_int / args[1]->as_int);
}

static gboolean
prim_mod (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  if (!two_ints (args, error) || !check_divisor (args[0]->as_int, args[1]->as_int, error))
    return FALSE;
  return set_int (args[2], args[0]->as_int % args[1]->as_int);
}

static gboolean
prim_truediv (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  if (!two_numbers (args, error))
    return FALSE;
  return set_double (args[2], to_double (args[0]) / to_double (args[1]));
}

/* Ints are compared exactly, mixed numbers as Doubles, two Bools as 0 and 1. */
#define COMPARISON(name, operation)                                                        \
  static gboolean prim_##name (PtExecution *execution, PtValue *const *args, guint n_args, \
                               GError **error)                                             \
  {                                                                                        \
    const PtValue *a = args[0], *b = args[1];                                              \
                                                                                           \
    if (a->kind == PT_VALUE_BOOL && b->kind == PT_VALUE_BOOL)                              \
      return set_bool (args[2], !!a->as_bool operation !!b->as_bool);                      \
    if (!two_numbers (args, error))                                                        \
      return FALSE;                                                                        \
    if (a->kind == PT_VALUE_INT && b->kind == PT_VALUE_INT)                                \
      return set_bool (args[2], a->as_int operation b->as_int);                            \
    return set_bool (args[2], to_double (a) operation to_double (b));                      \
  }

COMPARISON (eq, ==)
COMPARISON (gt, >)
COMPARISON (lt, <)
COMPARISON (ge, >=)
COMPARISON (le, <=)

static gboolean
prim_sym_max (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return two_ints (args, error) && set_int (args[2], MAX (args[0]->as_int, args[1]->as_int));
}

static gboolean
prim_sym_min (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return two_ints (args, error) && set_int (args[2], MIN (args[0]->as_int, args[1]->as_int));
}

static gboolean
prim_neg (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  double number;

  if (args[0]->kind == PT_VALUE_INT) {
    if (args[0]->as_int == G_MININT64)
      return fail_range (error);
    return set_int (args[1], -args[0]->as_int);
  }
  if (args[0]->kind != PT_VALUE_DOUBLE)
    return fail_kinds (args[0], args[0], error);
  number = args[0]->as_double;
  return set_double (args[1], -number);
}

static gboolean
prim_sym_float (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  double number;

  return pt_value_double (args[0], "the number", &number, error) && set_double (args[1], number);
}

static gboolean
prim_sym_not (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  gboolean flag;

  return pt_value_bool (args[0], "the condition", &flag, error) && set_bool (args[1], !flag);
}

static gboolean
prim_sym_ite (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  const PtValue *chosen;
  gboolean condition;

  if (!pt_value_bool (args[0], "the condition", &condition, error))
    return FALSE;
  chosen = condition ? args[1] : args[2];
  if (!is_number (chosen) && chosen->kind != PT_VALUE_BOOL)
    return fail_kinds (chosen, chosen, error);
  *args[3] = *chosen;
  return TRUE;
}

/* Rounds a Double to an Int by @rounding; an Int stays. */
static gboolean
to_int (PtValue *const *args, double (*rounding) (double), GError **error)
{
  double number;

  if (args[0]->kind == PT_VALUE_INT)
    return set_int (args[1], args[0]->as_int);
  if (args[0]->kind != PT_VALUE_DOUBLE)
    return fail_kinds (args[0], args[0], error);
  number = rounding (args[0]->as_double);
  if (!(number >= -0x1p63 && number < 0x1p63))
    return fail_range (error);
  return set_int (args[1], (gint64) number);
}

static gboolean
prim_ceil (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return to_int (args, ceil, error);
}

static gboolean
prim_round (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return to_int (args, rint, error); /* half to even */
}

static gboolean
prim_trunc (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return to_int (args, trunc, error);
}

static gboolean
prim_sym_int (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  if (args[0]->kind == PT_VALUE_BOOL)
    return set_int (args[1], args[0]->as_bool ? 1 : 0);
  return to_int (args, trunc, error);
}

static const PtOperator operators[] = {
  { "executorch_prim::add.Scalar", prim_add, 3, 2, 0 },
  { "executorch_prim::sub.Scalar", prim_sub, 3, 2, 0 },
  { "executorch_prim::mul.Scalar", prim_mul, 3, 2, 0 },
  { "executorch_prim::floordiv.Scalar", prim_floordiv, 3, 2, 0 },
  { "executorch_prim::floordiv.int", prim_floordiv_int, 3, 2, 0 },
  { "executorch_prim::mod.Scalar", prim_mod, 3, 2, 0 },
  { "executorch_prim::mod.int", prim_mod, 3, 2, 0 },
  { "executorch_prim::truediv.Scalar", prim_truediv, 3, 2, 0 },
  { "executorch_prim::eq.Scalar", prim_eq, 3, 2, 0 },
  { "executorch_prim::gt.Scalar", prim_gt, 3, 2, 0 },
  { "executorch_prim::lt.Scalar", prim_lt, 3, 2, 0 },
  { "executorch_prim::ge.Scalar", prim_ge, 3, 2, 0 },
  { "executorch_prim::le.Scalar", prim_le, 3, 2, 0 },
  { "executorch_prim::sym_max.Scalar", prim_sym_max, 3, 2, 0 },
  { "executorch_prim::sym_min.Scalar", prim_sym_min, 3, 2, 0 },
  { "executorch_prim::neg.Scalar", prim_neg, 2, 1, 0 },
  { "executorch_prim::sym_float.Scalar", prim_sym_float, 2, 1, 0 },
  { "executorch_prim::sym_int.Scalar", prim_sym_int, 2, 1, 0 },
  { "executorch_prim::sym_not.Scalar", prim_sym_not, 2, 1, 0 },
  { "executorch_prim::sym_ite.Scalar", prim_sym_ite, 4, 3, 0 },
  { "executorch_prim::ceil.Scalar", prim_ceil, 2, 1, 0 },
  { "executorch_prim::round.Scalar", prim_round, 2, 1, 0 },
  { "executorch_prim::trunc.Scalar", prim_trunc, 2, 1, 0 },
};

void
pt_prims_register (void)
{
  pt_operators_register (operators, G_N_ELEMENTS (operators));
  pt_prims_tensor_register ();
}
