/* SPDX-License-Identifier: BSD-3-Clause */
/* Element-wise functions of one tensor (docs/formats/operators.md, section 4). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"
#include "engine/operators/fast-path.h"

/* Real to floating (section 4.1): computed in double for double input, else in float. */

static gboolean
to_floating (PtExecution *execution, PtValue *const *args, const PtLoops *loops, GError **error)
{
  PtElementwise op = { .loops = loops, .rule = PT_OUT_FLOATING, .is_slow = TRUE };
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error))
    return FALSE;
  op.common = in.dtype == PT_DTYPE_F64 ? PT_DTYPE_F64 : PT_DTYPE_F32;
  op.compute = pt_compute_of (op.common);
  return pt_elementwise (execution, &op, 1, &in, args[1], error);
}

#define DEFINE_FLOATING_LOOPS(name)                                  \
  static const PtLoops name##_loops = {                              \
    { [PT_COMPUTE_F32] = name##_f32, [PT_COMPUTE_F64] = name##_f64 } \
  };

#define DEFINE_FLOATING_KERNEL(name)                            \
  DEFINE_FLOATING_LOOPS (name)                                  \
  PT_KERNEL (name##_out)                                        \
  {                                                             \
    return to_floating (execution, args, &name##_loops, error); \
  }

/* Functions of libm, float and double. */
#define DEFINE_LIBM(name, float_function, double_function) \
  PT_DEFINE_LOOP (name##_f32, float, float_function (a))   \
  PT_DEFINE_LOOP (name##_f64, double, double_function (a)) \
  DEFINE_FLOATING_KERNEL (name)

/* Functions that have a vector kernel for float. */
#define DEFINE_VECTOR(name, kernel, expression)                                         \
  static void name##_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p) \
  {                                                                                     \
    pt_vector_unary (kernel, n, x[0], y);                                               \
  }                                                                                     \
  PT_DEFINE_LOOP (name##_f64, double, expression)                                       \
  DEFINE_FLOATING_LOOPS (name)                                                          \
  PT_KERNEL (name##_out)                                                                \
  {                                                                                     \
    return pt_fast_unary (kernel, args[0], args[1]) ||                                  \
           to_floating (execution, args, &name##_loops, error);                         \
  }

/* clang-format off */
DEFINE_LIBM (acos, acosf, acos)
DEFINE_LIBM (acosh, acoshf, acosh)
DEFINE_LIBM (asin, asinf, asin)
DEFINE_LIBM (asinh, asinhf, asinh)
DEFINE_LIBM (atan, atanf, atan)
DEFINE_LIBM (atanh, atanhf, atanh)
DEFINE_LIBM (cosh, coshf, cosh)
DEFINE_LIBM (erf, erff, erf)
DEFINE_LIBM (expm1, expm1f, expm1)
DEFINE_LIBM (log10, log10f, log10)
DEFINE_LIBM (log1p, log1pf, log1p)
DEFINE_LIBM (log2, log2f, log2)
DEFINE_LIBM (sinh, sinhf, sinh)
DEFINE_LIBM (tan, tanf, tan)
DEFINE_LIBM (reciprocal, 1.0 /, 1.0 /)
DEFINE_VECTOR (cos, PT_UNARY_COS, cos (a))
DEFINE_VECTOR (exp, PT_UNARY_EXP, exp (a))
DEFINE_VECTOR (log, PT_UNARY_LOG, log (a))
DEFINE_VECTOR (rsqrt, PT_UNARY_RSQRT, 1.0 / sqrt (a))
DEFINE_VECTOR (sigmoid, PT_UNARY_SIGMOID, 1.0 / (1.0 + exp (-a)))
DEFINE_VECTOR (sin, PT_UNARY_SIN, sin (a))
DEFINE_VECTOR (sqrt, PT_UNARY_SQRT, sqrt (a))
DEFINE_VECTOR (tanh, PT_UNARY_TANH, tanh (a))
/* clang-format on */

/* Same dtype in and out (section 4.2). */

static gboolean
same_dtype (PtExecution *execution, PtValue *const *args, PtDTypeSet dtypes, const PtLoops *loops,
            gconstpointer params, const PtValue *out, GError **error)
{
  PtElementwise op = { .loops = loops, .params = params, .rule = PT_OUT_SAME };
  PtView in;
  PtDType dtype;

  if (!pt_arg_view (args[0], "self", dtypes, &in, error) ||
      !pt_arg_out_dtype (out, 1u << in.dtype, &dtype, error))
    return FALSE;
  op.common = in.dtype;
  op.compute = pt_compute_of (in.dtype);
  return pt_elementwise (execution, &op, 1, &in, out, error);
}

#define DEFINE_SAME(name, dtypes, i64, f32, f64)                                      \
  PT_DEFINE_LOOP (name##_i64, gint64, i64)                                            \
  PT_DEFINE_LOOP (name##_f32, float, f32)                                             \
  PT_DEFINE_LOOP (name##_f64, double, f64)                                            \
  static const PtLoops name##_loops = { { name##_i64, name##_f32, name##_f64 } };     \
  PT_KERNEL (name##_out)                                                              \
  {                                                                                   \
    return same_dtype (execution, args, dtypes, &name##_loops, NULL, args[1], error); \
  }

/* clang-format off */
DEFINE_SAME (neg, PT_RH, (gint64) -(guint64) a, -a, -a)
DEFINE_SAME (relu, PT_RH, MAX (a, 0), a < 0 ? 0 : a, a < 0 ? 0 : a)
/* Integers pass through float, as upstream's do. */
DEFINE_SAME (ceil, PT_RH, (gint64) ceilf ((float) a), ceilf (a), ceil (a))
DEFINE_SAME (floor, PT_RH, (gint64) floorf ((float) a), floorf (a), floor (a))
DEFINE_SAME (trunc, PT_RH, (gint64) truncf ((float) a), truncf (a), trunc (a))
DEFINE_SAME (round, PT_RH, a, rintf (a), rint (a))
DEFINE_SAME (sign, PT_RHB, (a > 0) - (a < 0), a != a ? a : (float) ((a > 0) - (a < 0)),
             a != a ? a : (double) ((a > 0) - (a < 0)))
DEFINE_SAME (abs_real, PT_RH, a < 0 ? (gint64) -(guint64) a : a, a < 0 ? -a : a, a < 0 ? -a : a)
/* clang-format on */

static void
abs_c128 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const PtComplex *a = x[0];
  PtComplex *out = y;

  for (gsize i = 0; i < n; i++)
    out[i] = (PtComplex){ sqrt (a[i].re * a[i].re + a[i].im * a[i].im), 0.0 };
}

/*
 * Each step computes in float like upstream, because the last bits of a spectrogram depend on it.
 */
static void
abs_c64 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const PtComplex *a = x[0];
  PtComplex *out = y;

  for (gsize i = 0; i < n; i++) {
    float re = (float) a[i].re, im = (float) a[i].im;

    out[i] = (PtComplex){ (double) sqrtf (re * re + im * im), 0.0 };
  }
}

/* The absolute value of a complex number is real. */
PT_KERNEL (abs_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_C128] = abs_c128 } };
  static const PtLoops short_loops = { { [PT_COMPUTE_C128] = abs_c64 } };
  PtElementwise op = { .loops = &loops, .compute = PT_COMPUTE_C128, .rule = PT_OUT_FLOATING };
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_RH | PT_CPX, &in, error))
    return FALSE;
  if (!pt_dtype_in (in.dtype, PT_CPX))
    return abs_real_out (execution, args, n_args, error);
  op.common = in.dtype;
  if (in.dtype == PT_DTYPE_C64)
    op.loops = &short_loops;
  return pt_elementwise (execution, &op, 1, &in, args[1], error);
}

static void
conj_c128 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const PtComplex *a = x[0];
  PtComplex *out = y;

  for (gsize i = 0; i < n; i++)
    out[i] = (PtComplex){ a[i].re, -a[i].im };
}

PT_KERNEL (conj_physical_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_C128] = conj_c128 } };

  return same_dtype (execution, args, PT_CPX, &loops, NULL, args[1], error);
}

PT_DEFINE_LOOP (bitwise_not_i64, gint64, ~a)
PT_DEFINE_LOOP (is_zero_i64, gint64, a == 0)

PT_KERNEL (bitwise_not_out)
{
  static const PtLoops of_int = { { bitwise_not_i64 } }, of_bool = { { is_zero_i64 } };
  PtDType dtype;

  if (!pt_arg_out_dtype (args[1], PT_INTB, &dtype, error))
    return FALSE;
  return same_dtype (execution, args, PT_INTB, dtype == PT_DTYPE_BOOL ? &of_bool : &of_int, NULL,
                     args[1], error);
}

/* Predicates (section 4.3): 0 or 1 in the compute type, whatever the out dtype. */

static gboolean
predicate (PtExecution *execution, PtValue *const *args, PtDTypeSet out_dtypes,
           const PtLoops *loops, GError **error)
{
  PtElementwise op = { .loops = loops, .rule = PT_OUT_ANY };
  PtView in;
  PtDType dtype;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_out_dtype (args[1], out_dtypes, &dtype, error))
    return FALSE;
  op.common = in.dtype;
  op.compute = pt_compute_of (in.dtype);
  return pt_elementwise (execution, &op, 1, &in, args[1], error);
}

#define DEFINE_PREDICATE(name, out_dtypes, i64, f32, f64)                         \
  PT_DEFINE_LOOP (name##_i64, gint64, i64)                                        \
  PT_DEFINE_LOOP (name##_f32, float, f32)                                         \
  PT_DEFINE_LOOP (name##_f64, double, f64)                                        \
  static const PtLoops name##_loops = { { name##_i64, name##_f32, name##_f64 } }; \
  PT_KERNEL (name##_out)                                                          \
  {                                                                               \
    return predicate (execution, args, out_dtypes, &name##_loops, error);         \
  }

/* clang-format off */
DEFINE_PREDICATE (logical_not, PT_RHB, a == 0, a == 0, a == 0)
DEFINE_PREDICATE (isinf, PT_BIT (BOOL), ((void) a, 0), isinf (a) != 0, isinf (a) != 0)
DEFINE_PREDICATE (isnan, PT_BIT (BOOL), ((void) a, 0), a != a, a != a)
/* clang-format on */

/* Activations (section 4.4). */

typedef struct {
  double alpha, scale, input_scale;
} Elu;

PT_DEFINE_LOOP (elu_f64, double,
                a <= 0 ? expm1 (a * ((const Elu *) p)->input_scale) *
                             (((const Elu *) p)->alpha * ((const Elu *) p)->scale)
                       : a * ((const Elu *) p)->scale)

static void
elu_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  const Elu *elu = p;
  const float *a = x[0];
  float scale = (float) elu->scale, input_scale = (float) elu->input_scale;
  float negative = (float) elu->alpha * scale;
  float *out = y;

  for (gsize i = 0; i < n; i++)
    out[i] = a[i] <= 0 ? expm1f (a[i] * input_scale) * negative : a[i] * scale;
}

PT_KERNEL (elu_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_F32] = elu_f32, [PT_COMPUTE_F64] = elu_f64 } };
  PtScalar alpha, scale, input_scale;
  Elu elu;

  if (!pt_arg_scalar (args[1], "alpha", &alpha, error) ||
      !pt_arg_scalar (args[2], "scale", &scale, error) ||
      !pt_arg_scalar (args[3], "input_scale", &input_scale, error))
    return FALSE;
  elu = (Elu){ alpha.d, scale.d, input_scale.d };
  return same_dtype (execution, args, PT_FL, &loops, &elu, args[4], error);
}

PT_DEFINE_LOOP (leaky_relu_f32, float, a >= 0 ? a : a * *(const float *) p)
PT_DEFINE_LOOP (leaky_relu_f64, double, a >= 0 ? a : a * *(const double *) p)

PT_KERNEL (leaky_relu_out)
{
  static const PtLoops loops = {
    { [PT_COMPUTE_F32] = leaky_relu_f32, [PT_COMPUTE_F64] = leaky_relu_f64 }
  };
  PtScalar slope;
  PtScalarBytes bytes;
  PtDType dtype;
  PtView view;

  if (!pt_arg_scalar (args[1], "negative_slope", &slope, error) ||
      !pt_arg_out_dtype (args[2], PT_FL, &dtype, error))
    return FALSE;
  PT_CHECK (pt_scalar_fits (&slope, dtype), "'negative_slope' does not fit the dtype.");
  pt_scalar_view (&slope, dtype, &bytes, &view);
  return same_dtype (execution, args, PT_FL, &loops, &bytes, args[2], error);
}

/* At minus infinity the product would be infinity times zero; the function is 0 there. */
static void
gelu_by (PtUnary kernel, gsize n, const float *x, float *y)
{
  for (gsize i = 0; i < n; i += 256) {
    gsize m = MIN (256, n - i);
    float piece[256];

    for (gsize j = 0; j < m; j++)
      piece[j] = x[i + j] < -1e4f ? -1e4f : x[i + j];
    pt_vector_unary (kernel, m, piece, y + i);
  }
}

static void
gelu_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  gelu_by (PT_UNARY_GELU, n, x[0], y);
}

static void
gelu_tanh_f32 (gsize n, gconstpointer const *x, gpointer y, gconstpointer p)
{
  gelu_by (PT_UNARY_GELU_TANH, n, x[0], y);
}

PT_DEFINE_LOOP (gelu_f64, double,
                a == -INFINITY ? 0.0 : 0.5 * a * (1.0 + erf (a * 0.70710678118654752440)))
PT_DEFINE_LOOP (gelu_tanh_f64, double,
                a == -INFINITY
                    ? 0.0
                    : 0.5 * a * (1.0 + tanh (0.79788456080286535588 * (a + 0.044715 * a * a * a))))

PT_KERNEL (gelu_out)
{
  static const PtLoops exact = { { [PT_COMPUTE_F32] = gelu_f32, [PT_COMPUTE_F64] = gelu_f64 } };
  static const PtLoops approximate = {
    { [PT_COMPUTE_F32] = gelu_tanh_f32, [PT_COMPUTE_F64] = gelu_tanh_f64 }
  };
  const PtLoops *loops;

  if (pt_arg_string_is (args[1], "none"))
    loops = &exact;
  else if (pt_arg_string_is (args[1], "tanh"))
    loops = &approximate;
  else
    return pt_fail (error, PT_ERROR_ARGUMENT, "gelu knows no such approximation.");
  return same_dtype (execution, args, PT_FL, loops, NULL, args[2], error);
}

PT_DEFINE_LOOP2 (glu_f32, float, a *(1.0f / (1.0f + expf (-b))))
PT_DEFINE_LOOP2 (glu_f64, double, a *(1.0 / (1.0 + exp (-b))))

PT_KERNEL (glu_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_F32] = glu_f32, [PT_COMPUTE_F64] = glu_f64 } };
  PtElementwise op = { .loops = &loops, .rule = PT_OUT_FLOATING, .is_slow = TRUE };
  PtView halves[2];
  guint dim;
  gint64 length;

  if (!pt_arg_view (args[0], "self", PT_FL, &halves[0], error) ||
      !pt_arg_dim (args[1], halves[0].rank, &dim, error))
    return FALSE;
  PT_CHECK (halves[0].rank > 0 && halves[0].sizes[dim] % 2 == 0,
            "glu needs a dimension of even size.");
  halves[1] = halves[0];
  length = halves[0].sizes[dim] / 2;
  pt_view_slice (&halves[0], dim, 0, length, 1);
  pt_view_slice (&halves[1], dim, length, length, 1);
  op.common = halves[0].dtype;
  op.compute = pt_compute_of (op.common);
  return pt_elementwise (execution, &op, 2, halves, args[2], error);
}

PT_DEFINE_LOOP (logit_f32, float,
                (a = MIN (MAX (a, ((const float *) p)[0]), ((const float *) p)[1]),
                 logf (a / (1 - a))))
PT_DEFINE_LOOP (logit_f64, double,
                (a = MIN (MAX (a, ((const double *) p)[0]), ((const double *) p)[1]),
                 log (a / (1 - a))))

PT_KERNEL (logit_out)
{
  static const PtLoops loops = { { [PT_COMPUTE_F32] = logit_f32, [PT_COMPUTE_F64] = logit_f64 } };
  PtElementwise op = { .loops = &loops, .rule = PT_OUT_SAME, .is_slow = TRUE };
  double bounds[2] = { -INFINITY, INFINITY };
  float float_bounds[2];
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_out_dtype (args[2], PT_BIT (F32) | PT_BIT (F64), &op.common, error))
    return FALSE;
  if (!pt_value_is_none (args[1])) {
    if (!pt_value_double (args[1], "eps", &bounds[0], error))
      return FALSE;
    bounds[1] = 1.0 - bounds[0];
  }
  float_bounds[0] = (float) bounds[0];
  float_bounds[1] = 1.0f - float_bounds[0];
  if (pt_value_is_none (args[1]))
    float_bounds[1] = INFINITY;
  op.compute = pt_compute_of (op.common);
  op.params = op.compute == PT_COMPUTE_F32 ? (gconstpointer) float_bounds : bounds;
  return pt_elementwise (execution, &op, 1, &in, args[2], error);
}

#define UNARY(name)                            \
  {                                            \
    "aten::" #name ".out", name##_out, 3, 1, 1 \
  }

static const PtOperator operators[] = {
  UNARY (abs),
  UNARY (acos),
  UNARY (acosh),
  UNARY (asin),
  UNARY (asinh),
  UNARY (atan),
  UNARY (atanh),
  UNARY (bitwise_not),
  UNARY (ceil),
  UNARY (cos),
  UNARY (cosh),
  UNARY (erf),
  UNARY (exp),
  UNARY (expm1),
  UNARY (floor),
  UNARY (isinf),
  UNARY (isnan),
  UNARY (log),
  UNARY (log10),
  UNARY (log1p),
  UNARY (log2),
  UNARY (logical_not),
  UNARY (neg),
  UNARY (reciprocal),
  UNARY (relu),
  UNARY (round),
  UNARY (rsqrt),
  UNARY (sigmoid),
  UNARY (sign),
  UNARY (sin),
  UNARY (sinh),
  UNARY (sqrt),
  UNARY (tan),
  UNARY (tanh),
  UNARY (trunc),
  { "aten::_conj_physical.out", conj_physical_out, 3, 1, 1 },
  { "aten::elu.out", elu_out, 6, 4, 1 },
  { "aten::gelu.out", gelu_out, 4, 2, 1 },
  { "aten::glu.out", glu_out, 4, 2, 1 },
  { "aten::leaky_relu.out", leaky_relu_out, 4, 2, 1 },
  { "aten::logit.out", logit_out, 4, 2, 1 },
};

const PtOperatorFamily pt_unary_family = { operators, G_N_ELEMENTS (operators) };
