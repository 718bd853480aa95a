/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparisons, logic and bits (docs/formats/operators.md, section 6). */
#include "engine/operators/binary.h"
#include "engine/operators/families.h"

static gboolean
compare (PtExecution *execution, PtValue *const *args, gboolean is_scalar, const PtLoops *loops,
         GError **error)
{
  PtElementwise op = { .loops = loops, .rule = PT_OUT_ANY };
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], is_scalar, PT_RHB, &pair, error))
    return FALSE;
  op.common = pair.common;
  /* Floating numbers of different dtypes are compared as float. */
  if (!is_scalar && pt_dtype_in (op.common, PT_FL) && pair.views[0].dtype != pair.views[1].dtype)
    op.common = PT_DTYPE_F32;
  op.compute = pt_compute_of (op.common);
  return pt_pair_run (execution, &pair, &op, args[2], error);
}

#define DEFINE_COMPARE(name, operator)                                            \
  PT_DEFINE_LOOP2 (name##_i64, gint64, a operator b)                              \
  PT_DEFINE_LOOP2 (name##_f32, float, a operator b)                               \
  PT_DEFINE_LOOP2 (name##_f64, double, a operator b)                              \
  static const PtLoops name##_loops = { { name##_i64, name##_f32, name##_f64 } }; \
  PT_KERNEL (name##_tensor_out)                                                   \
  {                                                                               \
    return compare (execution, args, FALSE, &name##_loops, error);                \
  }                                                                               \
  PT_KERNEL (name##_scalar_out)                                                   \
  {                                                                               \
    return compare (execution, args, TRUE, &name##_loops, error);                 \
  }

/* clang-format off */
DEFINE_COMPARE (eq, ==)
DEFINE_COMPARE (ne, !=)
DEFINE_COMPARE (lt, <)
DEFINE_COMPARE (le, <=)
DEFINE_COMPARE (gt, >)
DEFINE_COMPARE (ge, >=)
/* clang-format on */

/*
 * Logic: each operand is true or false. Loops get the operands in the compute type of the common
 * dtype, which keeps small nonzero values (a double that is compared with a half stays a double).
 */
static gboolean
logical (PtExecution *execution, PtValue *const *args, const PtLoops *loops, GError **error)
{
  PtElementwise op = { .loops = loops, .rule = PT_OUT_ANY };
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], FALSE, PT_RHB, &pair, error))
    return FALSE;
  op.common = pair.common;
  op.compute = pt_compute_of (pair.common);
  return pt_pair_run (execution, &pair, &op, args[2], error);
}

#define DEFINE_LOGICAL(name, expression)                                     \
  PT_DEFINE_LOOP2 (name##_i64, gint64, expression)                           \
  PT_DEFINE_LOOP2 (name##_f32, float, expression)                            \
  PT_DEFINE_LOOP2 (name##_f64, double, expression)                           \
  PT_KERNEL (name##_out)                                                     \
  {                                                                          \
    static const PtLoops loops = { { name##_i64, name##_f32, name##_f64 } }; \
                                                                             \
    return logical (execution, args, &loops, error);                         \
  }

/* clang-format off */
DEFINE_LOGICAL (logical_and, (a != 0) & (b != 0))
DEFINE_LOGICAL (logical_or, (a != 0) | (b != 0))
DEFINE_LOGICAL (logical_xor, (a != 0) ^ (b != 0))
/* clang-format on */

static gboolean
bitwise (PtExecution *execution, PtValue *const *args, gboolean is_scalar, const PtLoops *loops,
         GError **error)
{
  PtElementwise op = { .loops = loops, .compute = PT_COMPUTE_I64, .rule = PT_OUT_ACCEPTS };
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], is_scalar, PT_INTB, &pair, error))
    return FALSE;
  PT_CHECK (pt_dtype_in (pair.common, PT_INTB), "Bits need integers or bools.");
  op.common = pair.common;
  op.params = &pair.common;
  return pt_pair_run (execution, &pair, &op, args[2], error);
}

/*
 * Shifts by a negative number or by more than 63 bits, which are undefined in C, shift out all
 * bits.
 */
static inline gint64
shift_left (gint64 a, gint64 b, gconstpointer p)
{
  return b < 0 || b > 63 ? 0 : (gint64) ((guint64) a << b);
}

static inline gint64
shift_right (gint64 a, gint64 b, gconstpointer p)
{
  return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
}

#define DEFINE_BITWISE(name, expression)                           \
  PT_DEFINE_LOOP2 (name##_i64, gint64, expression)                 \
  static const PtLoops name##_loops = { { name##_i64 } };          \
  PT_KERNEL (name##_tensor_out)                                    \
  {                                                                \
    return bitwise (execution, args, FALSE, &name##_loops, error); \
  }                                                                \
  PT_KERNEL (name##_scalar_out)                                    \
  {                                                                \
    return bitwise (execution, args, TRUE, &name##_loops, error);  \
  }

/* clang-format off */
DEFINE_BITWISE (bitwise_and, a & b)
DEFINE_BITWISE (bitwise_or, a | b)
DEFINE_BITWISE (bitwise_xor, a ^ b)
DEFINE_BITWISE (bitwise_left_shift, shift_left (a, b, p))
DEFINE_BITWISE (bitwise_right_shift, shift_right (a, b, p))
/* clang-format on */

#define BOTH(name)                                              \
  { "aten::" #name ".Tensor_out", name##_tensor_out, 4, 2, 1 }, \
  {                                                             \
    "aten::" #name ".Scalar_out", name##_scalar_out, 4, 2, 1    \
  }

static const PtOperator operators[] = {
  BOTH (eq),
  BOTH (ne),
  BOTH (lt),
  BOTH (le),
  BOTH (gt),
  BOTH (ge),
  BOTH (bitwise_and),
  BOTH (bitwise_or),
  BOTH (bitwise_xor),
  { "aten::bitwise_left_shift.Tensor_out", bitwise_left_shift_tensor_out, 4, 2, 1 },
  { "aten::bitwise_left_shift.Tensor_Scalar_out", bitwise_left_shift_scalar_out, 4, 2, 1 },
  { "aten::bitwise_right_shift.Tensor_out", bitwise_right_shift_tensor_out, 4, 2, 1 },
  { "aten::bitwise_right_shift.Tensor_Scalar_out", bitwise_right_shift_scalar_out, 4, 2, 1 },
  { "aten::logical_and.out", logical_and_out, 4, 2, 1 },
  { "aten::logical_or.out", logical_or_out, 4, 2, 1 },
  { "aten::logical_xor.out", logical_xor_out, 4, 2, 1 },
};

const PtOperatorFamily pt_compare_family = { operators, G_N_ELEMENTS (operators) };
