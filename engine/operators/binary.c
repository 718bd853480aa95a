/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of two tensors, or of a tensor and a number (docs/formats/operators.md, section 5). */
#include "engine/operators/binary.h"

#include <math.h>

#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/operators/families.h"
#include "engine/operators/fast-path.h"

gboolean
pt_arg_pair (const PtValue *self, const PtValue *other, gboolean is_scalar, PtDTypeSet dtypes,
             PtPair *pair, GError **error)
{
  pair->is_scalar = is_scalar;
  if (!pt_arg_view (self, "self", dtypes, &pair->views[0], error))
    return FALSE;
  if (is_scalar) {
    if (!pt_arg_scalar (other, "other", &pair->scalar, error))
      return FALSE;
    pair->common = pt_promote_scalar (pair->views[0].dtype, &pair->scalar);
  } else {
    if (!pt_arg_view (other, "other", dtypes, &pair->views[1], error))
      return FALSE;
    pair->common = pt_promote (pair->views[0].dtype, pair->views[1].dtype);
  }
  return TRUE;
}

void
pt_pair_set_scalar (PtPair *pair, PtDType common)
{
  if (pair->is_scalar)
    pt_scalar_view (&pair->scalar, common, &pair->bytes, &pair->views[1]);
}

gboolean
pt_pair_run (PtExecution *execution, PtPair *pair, PtElementwise *op, const PtValue *out,
             GError **error)
{
  pt_pair_set_scalar (pair, op->common);
  return pt_elementwise (execution, op, 2, pair->views, out, error);
}

/* add, sub, rsub: a + alpha * b. */

/* The number alpha in every compute type. */
typedef struct {
  gint64 i64;
  float f32;
  double f64;
} Alpha;

#define ALPHA ((const Alpha *) p)

PT_DEFINE_LOOP2 (add_i64, gint64, (gint64) ((guint64) a + (guint64) ALPHA->i64 * (guint64) b))
PT_DEFINE_LOOP2 (add_f64, double, a + ALPHA->f64 * b)
PT_DEFINE_LOOP2 (sub_i64, gint64, (gint64) ((guint64) a - (guint64) ALPHA->i64 * (guint64) b))
PT_DEFINE_LOOP2 (sub_f64, double, a - ALPHA->f64 * b)
PT_DEFINE_LOOP2 (rsub_i64, gint64, (gint64) ((guint64) b - (guint64) ALPHA->i64 * (guint64) a))
PT_DEFINE_LOOP2 (rsub_f64, double, b - ALPHA->f64 * a)

static void
add_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const float *a = x[0], *b = x[1];
  float alpha = ALPHA->f32;
  float *out = y;

  if (alpha == 1.0f)
    pt_vector_binary (PT_BINARY_ADD, n, a, b, -INFINITY, INFINITY, out);
  else
    for (gsize i = 0; i < n; i++)
      out[i] = a[i] + alpha * b[i];
}

static void
sub_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const float *a = x[0], *b = x[1];
  float alpha = ALPHA->f32;
  float *out = y;

  if (alpha == 1.0f)
    pt_vector_binary (PT_BINARY_SUB, n, a, b, -INFINITY, INFINITY, out);
  else
    for (gsize i = 0; i < n; i++)
      out[i] = a[i] - alpha * b[i];
}

PT_DEFINE_LOOP2 (rsub_f32, float, b - ALPHA->f32 * a)

#define DEFINE_COMPLEX_LOOP(name, real, imaginary)                                \
  static void name (gsize n, gconstpointer const *x, gpointer y, gconstpointer p) \
  {                                                                               \
    const PtComplex *xa = x[0], *xb = x[1];                                       \
    PtComplex *out = y;                                                           \
                                                                                  \
    for (gsize i = 0; i < n; i++) {                                               \
      PtComplex a = xa[i], b = xb[i];                                             \
                                                                                  \
      out[i] = (PtComplex){ real, imaginary };                                    \
    }                                                                             \
  }

/* clang-format off */
DEFINE_COMPLEX_LOOP (add_c128, a.re + ALPHA->f64 * b.re, a.im + ALPHA->f64 * b.im)
DEFINE_COMPLEX_LOOP (mul_c128, a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
DEFINE_COMPLEX_LOOP (div_c128, (a.re * b.re + a.im * b.im) / (b.re * b.re + b.im * b.im),
                     (a.im * b.re - a.re * b.im) / (b.re * b.re + b.im * b.im))
/* clang-format on */

static const PtLoops add_loops = { { add_i64, add_f32, add_f64, add_c128 } };
static const PtLoops sub_loops = { { sub_i64, sub_f32, sub_f64 } };
static const PtLoops rsub_loops = { { rsub_i64, rsub_f32, rsub_f64 } };

/* The differences between the forms of add and sub. */
typedef struct {
  const PtLoops *loops;
  PtDTypeSet dtypes;
  gboolean is_scalar;
  gboolean is_add; /* alpha must fit the common dtype; in sub it need not */
} AddForm;

static gboolean
check_alpha (const AddForm *form, const PtScalar *alpha, PtDType common, GError **error)
{
  gboolean is_real = alpha->kind == PT_VALUE_DOUBLE;

  PT_CHECK (!is_real || !pt_dtype_in (common, PT_INTB),
            "'alpha' must be an integer for integer tensors.");
  PT_CHECK (alpha->kind != PT_VALUE_BOOL || form->is_add, "'alpha' must not be a bool here.");
  PT_CHECK (!form->is_add || pt_scalar_fits (alpha, common), "'alpha' does not fit dtype %s.",
            pt_dtype_name (common));
  return TRUE;
}

static gboolean
add_or_sub (PtExecution *execution, PtValue *const *args, const AddForm *form, GError **error)
{
  PtElementwise op = { .loops = form->loops };
  PtScalar alpha;
  Alpha params;
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], form->is_scalar, form->dtypes, &pair, error) ||
      !pt_arg_scalar (args[2], "alpha", &alpha, error) ||
      !check_alpha (form, &alpha, pair.common, error))
    return FALSE;
  PT_CHECK (form->dtypes & PT_BIT (BOOL) || pair.common != PT_DTYPE_BOOL,
            "Bool tensors cannot be subtracted.");
  params = (Alpha){ alpha.i, (float) alpha.d, alpha.d };
  op.params = &params;
  op.common = pair.common;
  op.compute = pt_compute_of (pair.common);
  op.rule = form->is_scalar ? PT_OUT_SAME : PT_OUT_ACCEPTS;
  return pt_pair_run (execution, &pair, &op, args[3], error);
}

PT_KERNEL (add_out)
{
  static const AddForm form = { &add_loops, PT_RHB | PT_CPX, FALSE, TRUE };

  if (pt_value_is_one (args[2]) && pt_fast_binary (PT_BINARY_ADD, args[0], args[1], args[3]))
    return TRUE;
  return add_or_sub (execution, args, &form, error);
}

PT_KERNEL (add_scalar_out)
{
  static const AddForm form = { &add_loops, PT_RHB, TRUE, TRUE };

  return add_or_sub (execution, args, &form, error);
}

PT_KERNEL (sub_out)
{
  static const AddForm form = { &sub_loops, PT_RH, FALSE, FALSE };

  if (pt_value_is_one (args[2]) && pt_fast_binary (PT_BINARY_SUB, args[0], args[1], args[3]))
    return TRUE;
  return add_or_sub (execution, args, &form, error);
}

PT_KERNEL (sub_scalar_out)
{
  static const AddForm form = { &sub_loops, PT_RH, TRUE, FALSE };

  return add_or_sub (execution, args, &form, error);
}

PT_KERNEL (rsub_scalar_out)
{
  static const AddForm form = { &rsub_loops, PT_RH, TRUE, FALSE };

  return add_or_sub (execution, args, &form, error);
}

/* Operators whose result has the common dtype. */

static gboolean
plain (PtExecution *execution, PtValue *const *args, gboolean is_scalar, PtDTypeSet dtypes,
       const PtLoops *loops, GError **error)
{
  PtElementwise op = { .loops = loops, .rule = is_scalar ? PT_OUT_SAME : PT_OUT_ACCEPTS };
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], is_scalar, dtypes, &pair, error))
    return FALSE;
  op.common = pair.common;
  op.compute = pt_compute_of (pair.common);
  return pt_pair_run (execution, &pair, &op, args[2], error);
}

static void
mul_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  pt_vector_binary (PT_BINARY_MUL, n, x[0], x[1], -INFINITY, INFINITY, y);
}

PT_DEFINE_LOOP2 (mul_i64, gint64, (gint64) ((guint64) a *(guint64) b))
PT_DEFINE_LOOP2 (mul_f64, double, a *b)

static const PtLoops mul_loops = { { mul_i64, mul_f32, mul_f64, mul_c128 } };

PT_KERNEL (mul_out)
{
  return pt_fast_binary (PT_BINARY_MUL, args[0], args[1], args[2]) ||
         plain (execution, args, FALSE, PT_RHB | PT_CPX, &mul_loops, error);
}

PT_KERNEL (mul_scalar_out)
{
  return plain (execution, args, TRUE, PT_RHB, &mul_loops, error);
}

/* A NaN on either side wins. */
PT_DEFINE_LOOP2 (maximum_i64, gint64, MAX (a, b))
PT_DEFINE_LOOP2 (maximum_f32, float, a != a || a > b ? a : b)
PT_DEFINE_LOOP2 (maximum_f64, double, a != a || a > b ? a : b)
PT_DEFINE_LOOP2 (minimum_i64, gint64, MIN (a, b))
PT_DEFINE_LOOP2 (minimum_f32, float, a != a || a < b ? a : b)
PT_DEFINE_LOOP2 (minimum_f64, double, a != a || a < b ? a : b)

PT_KERNEL (maximum_out)
{
  static const PtLoops loops = { { maximum_i64, maximum_f32, maximum_f64 } };

  return plain (execution, args, FALSE, PT_RHB, &loops, error);
}

PT_KERNEL (minimum_out)
{
  static const PtLoops loops = { { minimum_i64, minimum_f32, minimum_f64 } };

  return plain (execution, args, FALSE, PT_RHB, &loops, error);
}

/* True division: the quotient is floating whatever the operands are. */

static void
div_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  pt_vector_binary (PT_BINARY_DIV, n, x[0], x[1], -INFINITY, INFINITY, y);
}

PT_DEFINE_LOOP2 (div_f64, double, a / b)

static const PtLoops div_loops = {
  { [PT_COMPUTE_F32] = div_f32, [PT_COMPUTE_F64] = div_f64, [PT_COMPUTE_C128] = div_c128 }
};

static PtDType
quotient_dtype (const PtPair *pair)
{
  PtDType a = pair->views[0].dtype, b = pair->is_scalar ? a : pair->views[1].dtype;

  if (pt_dtype_in (a, PT_FL | PT_CPX) && pt_dtype_in (b, PT_FL | PT_CPX))
    return pt_promote (a, b);
  if (pt_dtype_in (a, PT_FL | PT_CPX))
    return a;
  return pt_dtype_in (b, PT_FL | PT_CPX) ? b : PT_DTYPE_F32;
}

static gboolean
true_division (PtExecution *execution, PtValue *const *args, gboolean is_scalar,
               const PtLoops *loops, const PtValue *out, GError **error)
{
  PtElementwise op = { .loops = loops, .rule = is_scalar ? PT_OUT_SAME : PT_OUT_FLOATING };
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], is_scalar, is_scalar ? PT_RHB : PT_RHB | PT_CPX, &pair,
                    error))
    return FALSE;
  op.common = quotient_dtype (&pair);
  op.compute = pt_compute_of (op.common);
  if (op.compute == PT_COMPUTE_C128)
    op.rule = PT_OUT_SAME;
  return pt_pair_run (execution, &pair, &op, out, error);
}

PT_KERNEL (div_out)
{
  return pt_fast_binary (PT_BINARY_DIV, args[0], args[1], args[2]) ||
         true_division (execution, args, FALSE, &div_loops, args[2], error);
}

PT_KERNEL (div_scalar_out)
{
  return true_division (execution, args, TRUE, &div_loops, args[2], error);
}

PT_DEFINE_LOOP2 (atan2_f32, float, atan2f (a, b))
PT_DEFINE_LOOP2 (atan2_f64, double, atan2 (a, b))

PT_KERNEL (atan2_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_F32] = atan2_f32, [PT_COMPUTE_F64] = atan2_f64 } };

  return true_division (execution, args, FALSE, &loops, args[2], error);
}

/*
 * Divisions whose integer divisor may be zero: the loop sets a flag and continues, and the operator
 * fails at the end. Several threads may set the flag at once.
 */
typedef struct {
  gint *saw_zero;
} Division;

static inline void
note_zero (gconstpointer p)
{
  g_atomic_int_set (((const Division *) p)->saw_zero, 1);
}

static inline gint64
trunc_div_i64 (gint64 a, gint64 b, gconstpointer p)
{
  if (b == 0) {
    note_zero (p);
    return 0;
  }
  /* The smallest integer divided by -1 overflows, so it wraps. */
  return b == -1 ? (gint64) - (guint64) a : a / b;
}

static inline gint64
floor_div_i64 (gint64 a, gint64 b, gconstpointer p)
{
  gint64 quotient = trunc_div_i64 (a, b, p);

  return b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static inline gint64
remainder_i64 (gint64 a, gint64 b, gconstpointer p)
{
  if (b == 0)
    note_zero (p);
  return b == 0 || b == -1 ? 0 : a % b;
}

static inline double
floor_div_f64 (double a, double b)
{
  double rest, quotient;

  if (b == 0)
    return signbit (a) ? -INFINITY : INFINITY;
  rest = fmod (a, b);
  quotient = (a - rest) / b;
  return rest != 0 && signbit (rest) != signbit (b) ? quotient - 1 : quotient;
}

static inline float
floor_div_f32 (float a, float b)
{
  float rest, quotient;

  if (b == 0)
    return signbit (a) ? -INFINITY : INFINITY;
  rest = fmodf (a, b);
  quotient = (a - rest) / b;
  return rest != 0 && signbit (rest) != signbit (b) ? quotient - 1 : quotient;
}

/* The remainder is stored as float even for double, as upstream does. */
static inline float
remainder_f (double a, double b)
{
  float rest = (float) fmod (a, b);

  return rest != 0 && (a < 0) != (b < 0) ? (float) (rest + b) : rest;
}

PT_DEFINE_LOOP2 (trunc_i64_loop, gint64, trunc_div_i64 (a, b, p))
PT_DEFINE_LOOP2 (trunc_f32_loop, float, truncf (a / b))
PT_DEFINE_LOOP2 (trunc_f64_loop, double, trunc (a / b))
PT_DEFINE_LOOP2 (floor_i64_loop, gint64, floor_div_i64 (a, b, p))
PT_DEFINE_LOOP2 (floor_f32_loop, float, floor_div_f32 (a, b))
PT_DEFINE_LOOP2 (floor_f64_loop, double, floor_div_f64 (a, b))
PT_DEFINE_LOOP2 (remainder_i64_loop, gint64, remainder_i64 (a, b, p))
PT_DEFINE_LOOP2 (remainder_f32_loop, float, remainder_f (a, b))
PT_DEFINE_LOOP2 (remainder_f64_loop, double, remainder_f (a, b))
PT_DEFINE_LOOP2 (fmod_f32_loop, float, fmodf (a, b))
PT_DEFINE_LOOP2 (fmod_f64_loop, double, fmod (a, b))
PT_DEFINE_LOOP2 (pow_f32_loop, float, powf (a, b))
PT_DEFINE_LOOP2 (pow_f64_loop, double, pow (a, b))

static const PtLoops trunc_loops = { { trunc_i64_loop, trunc_f32_loop, trunc_f64_loop } };
static const PtLoops floor_loops = { { floor_i64_loop, floor_f32_loop, floor_f64_loop } };
static const PtLoops remainder_loops = { { remainder_i64_loop, remainder_f32_loop,
                                           remainder_f64_loop } };
static const PtLoops fmod_loops = { { NULL, fmod_f32_loop, fmod_f64_loop } };
static const PtLoops pow_loops = { { NULL, pow_f32_loop, pow_f64_loop } };

/* For all common dtypes except bool; integers compute in the type @integers_as. */
static gboolean
not_bool (PtExecution *execution, PtPair *pair, const PtLoops *loops, PtCompute integers_as,
          const PtValue *out, GError **error)
{
  gint saw_zero = 0;
  Division division = { &saw_zero };
  PtElementwise op = {
    .loops = loops, .params = &division, .rule = PT_OUT_ACCEPTS, .is_slow = TRUE
  };
  PtDType dtype;

  PT_CHECK (pair->common != PT_DTYPE_BOOL, "This operator does not work on bool tensors.");
  if (!pt_arg_out_dtype (out, PT_RH, &dtype, error) ||
      !pt_check_out_rule (PT_OUT_ACCEPTS, pair->common, dtype, error))
    return FALSE;
  op.common = pair->common;
  op.compute = pt_compute_of (pair->common);
  if (op.compute == PT_COMPUTE_I64 && integers_as != PT_COMPUTE_I64) {
    op.compute = integers_as;
    op.common = pt_compute_dtype (integers_as);
    op.rule = PT_OUT_ANY;
  }
  if (!pt_pair_run (execution, pair, &op, out, error))
    return FALSE;
  PT_CHECK (!saw_zero, "An integer was divided by zero.");
  return TRUE;
}

static gboolean
division_in_mode (PtExecution *execution, PtValue *const *args, gboolean is_scalar, GError **error)
{
  PtPair pair;
  const PtLoops *loops;

  if (pt_value_is_none (args[2]))
    return true_division (execution, args, is_scalar, &div_loops, args[3], error);
  if (pt_arg_string_is (args[2], "trunc"))
    loops = &trunc_loops;
  else if (pt_arg_string_is (args[2], "floor"))
    loops = &floor_loops;
  else
    return pt_fail (error, PT_ERROR_ARGUMENT, "div knows no such rounding mode.");
  return pt_arg_pair (args[0], args[1], is_scalar, PT_RHB, &pair, error) &&
         not_bool (execution, &pair, loops, PT_COMPUTE_I64, args[3], error);
}

PT_KERNEL (div_mode_out)
{
  return division_in_mode (execution, args, FALSE, error);
}

PT_KERNEL (div_scalar_mode_out)
{
  return division_in_mode (execution, args, TRUE, error);
}

#define DEFINE_NOT_BOOL(name, is_scalar, loops, integers_as)                  \
  PT_KERNEL (name)                                                            \
  {                                                                           \
    PtPair pair;                                                              \
                                                                              \
    return pt_arg_pair (args[0], args[1], is_scalar, PT_RHB, &pair, error) && \
           not_bool (execution, &pair, &loops, integers_as, args[2], error);  \
  }

/* clang-format off */
DEFINE_NOT_BOOL (floor_divide_out, FALSE, floor_loops, PT_COMPUTE_I64)
DEFINE_NOT_BOOL (remainder_out, FALSE, remainder_loops, PT_COMPUTE_I64)
DEFINE_NOT_BOOL (remainder_scalar_out, TRUE, remainder_loops, PT_COMPUTE_I64)
DEFINE_NOT_BOOL (fmod_out, FALSE, fmod_loops, PT_COMPUTE_F64)
DEFINE_NOT_BOOL (pow_out, FALSE, pow_loops, PT_COMPUTE_F64)
DEFINE_NOT_BOOL (pow_tensor_scalar_out, TRUE, pow_loops, PT_COMPUTE_F64)
/* clang-format on */

PT_KERNEL (fmod_scalar_out)
{
  PtPair pair;

  if (!pt_arg_pair (args[0], args[1], TRUE, PT_RHB, &pair, error))
    return FALSE;
  PT_CHECK (!pt_dtype_in (pair.common, PT_INT) || pair.scalar.i != 0,
            "An integer was divided by zero.");
  return not_bool (execution, &pair, &fmod_loops, PT_COMPUTE_F64, args[2], error);
}

/* The scalar is the base, but the loops get it as their second operand. */
PT_DEFINE_LOOP2 (rpow_f32_loop, float, powf (b, a))
PT_DEFINE_LOOP2 (rpow_f64_loop, double, pow (b, a))

PT_KERNEL (pow_scalar_out)
{
  static const PtLoops loops = { { NULL, rpow_f32_loop, rpow_f64_loop } };
  PtPair pair;

  return pt_arg_pair (args[1], args[0], TRUE, PT_RHB, &pair, error) &&
         not_bool (execution, &pair, &loops, PT_COMPUTE_F64, args[2], error);
}

static const PtOperator operators[] = {
  { "aten::add.out", add_out, 5, 3, 1 },
  { "aten::add.Scalar_out", add_scalar_out, 5, 3, 1 },
  { "aten::atan2.out", atan2_out, 4, 2, 1 },
  { "aten::div.out", div_out, 4, 2, 1 },
  { "aten::div.out_mode", div_mode_out, 5, 3, 1 },
  { "aten::div.Scalar_mode_out", div_scalar_mode_out, 5, 3, 1 },
  { "aten::div.Scalar_out", div_scalar_out, 4, 2, 1 },
  { "aten::floor_divide.out", floor_divide_out, 4, 2, 1 },
  { "aten::fmod.Scalar_out", fmod_scalar_out, 4, 2, 1 },
  { "aten::fmod.Tensor_out", fmod_out, 4, 2, 1 },
  { "aten::maximum.out", maximum_out, 4, 2, 1 },
  { "aten::minimum.out", minimum_out, 4, 2, 1 },
  { "aten::mul.out", mul_out, 4, 2, 1 },
  { "aten::mul.Scalar_out", mul_scalar_out, 4, 2, 1 },
  { "aten::pow.Scalar_out", pow_scalar_out, 4, 2, 1 },
  { "aten::pow.Tensor_Scalar_out", pow_tensor_scalar_out, 4, 2, 1 },
  { "aten::pow.Tensor_Tensor_out", pow_out, 4, 2, 1 },
  { "aten::remainder.Scalar_out", remainder_scalar_out, 4, 2, 1 },
  { "aten::remainder.Tensor_out", remainder_out, 4, 2, 1 },
  { "aten::rsub.Scalar_out", rsub_scalar_out, 5, 3, 1 },
  { "aten::sub.out", sub_out, 5, 3, 1 },
  { "aten::sub.Scalar_out", sub_scalar_out, 5, 3, 1 },
};

const PtOperatorFamily pt_binary_family = { operators, G_N_ELEMENTS (operators) };
