/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums, products, means, variances and any() (docs/formats/operators.md, section 12.2). */
#include "engine/operators/reduce.h"

#include <math.h>

#include "engine/kernels/vector.h"
#include "engine/operators/convert.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

#define DEFINE_FOLD(name, T, field, statement)              \
  static void name (PtFold *fold, gsize n, gconstpointer x) \
  {                                                         \
    const T *v = x;                                         \
    T sum = (T) fold->field;                                \
                                                            \
    for (gsize i = 0; i < n; i++)                           \
      statement;                                            \
    fold->field = sum;                                      \
  }

/* clang-format off */
DEFINE_FOLD (sum_i64, gint64, i64, sum = (gint64) ((guint64) sum + (guint64) v[i]))
DEFINE_FOLD (sum_f64, double, f64, sum += v[i])
DEFINE_FOLD (prod_i64, gint64, i64, sum = (gint64) ((guint64) sum * (guint64) v[i]))
DEFINE_FOLD (prod_f32, float, f32, sum *= v[i])
DEFINE_FOLD (prod_f64, double, f64, sum *= v[i])
DEFINE_FOLD (any_i64, gint64, i64, sum |= v[i] != 0)
/* clang-format on */

/* Adds elements one by one like upstream, so that the results have the same bits. */
DEFINE_FOLD (sum_f32, float, f32, sum += v[i])

static void
sum_rows_f32 (PtFold *folds, gsize n, gconstpointer x)
{
  const float *v = x;
  float sums[PT_FOLD_ROWS];

  for (gsize row = 0; row < PT_FOLD_ROWS; row++)
    sums[row] = folds[row].f32;
  for (gsize i = 0; i < n; i++)
    for (gsize row = 0; row < PT_FOLD_ROWS; row++)
      sums[row] += v[row * n + i];
  for (gsize row = 0; row < PT_FOLD_ROWS; row++)
    folds[row].f32 = sums[row];
}

static void
sum_c128 (PtFold *fold, gsize n, gconstpointer x)
{
  const PtComplex *v = x;

  for (gsize i = 0; i < n; i++) {
    fold->f64 += v[i].re;
    fold->mean += v[i].im;
  }
}

static void
any_f32 (PtFold *fold, gsize n, gconstpointer x)
{
  const float *v = x;

  for (gsize i = 0; i < n; i++)
    fold->f32 = v[i] != 0 ? 1 : fold->f32;
}

static void
any_f64 (PtFold *fold, gsize n, gconstpointer x)
{
  const double *v = x;

  for (gsize i = 0; i < n; i++)
    fold->f64 = v[i] != 0 ? 1 : fold->f64;
}

static void
finish_sum (const PtFold *fold, PtCompute compute, gsize count, gconstpointer params, gpointer out)
{
  if (compute == PT_COMPUTE_I64)
    *(gint64 *) out = fold->i64;
  else if (compute == PT_COMPUTE_F32)
    *(float *) out = fold->f32;
  else if (compute == PT_COMPUTE_F64)
    *(double *) out = fold->f64;
  else
    *(PtComplex *) out = (PtComplex){ fold->f64, fold->mean };
}

static void
finish_mean (const PtFold *fold, PtCompute compute, gsize count, gconstpointer params, gpointer out)
{
  if (compute == PT_COMPUTE_F32)
    *(float *) out = fold->f32 / (float) count;
  else
    *(double *) out = fold->f64 / (double) (float) count;
}

static void
between_variance (PtFold *fold, gsize count)
{
  fold->mean = (fold->f64 + (double) fold->f32) / (double) count;
  fold->f64 = 0;
  fold->f32 = 0;
}

static void
variance_f32 (PtFold *fold, gsize n, gconstpointer x)
{
  const float *v = x;
  float mean = (float) fold->mean, sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (v[i] - mean) * (v[i] - mean);
  fold->f32 += sum;
}

static void
variance_f64 (PtFold *fold, gsize n, gconstpointer x)
{
  const double *v = x;

  for (gsize i = 0; i < n; i++)
    fold->f64 += (v[i] - fold->mean) * (v[i] - fold->mean);
}

/* @params: the correction, a double. */
static void
finish_variance (const PtFold *fold, PtCompute compute, gsize count, gconstpointer params,
                 gpointer out)
{
  double denominator = (double) count - *(const double *) params;
  gboolean undefined = count == 0 || denominator <= 0;

  if (compute == PT_COMPUTE_F32)
    *(float *) out = undefined ? NAN : fold->f32 / (float) denominator;
  else
    *(double *) out = undefined ? NAN : fold->f64 / denominator;
}

static const PtReducer sum_reducer = { .add = { sum_i64, sum_f32, sum_f64, sum_c128 },
                                       .add_rows = { NULL, sum_rows_f32 },
                                       .finish = finish_sum };
static const PtReducer mean_reducer = { .add = { NULL, sum_f32, sum_f64 },
                                        .add_rows = { NULL, sum_rows_f32 },
                                        .finish = finish_mean };
static const PtReducer prod_reducer = { .start = { .i64 = 1, .f32 = 1, .f64 = 1 },
                                        .add = { prod_i64, prod_f32, prod_f64 } };
static const PtReducer any_reducer = { .add = { any_i64, any_f32, any_f64 } };
static const PtReducer variance_reducer = { .add = { NULL, sum_f32, sum_f64 },
                                            .second = { NULL, variance_f32, variance_f64 },
                                            .between = between_variance,
                                            .finish = finish_variance };

/* Reads a list of dimensions. A missing list means all dimensions. */
static gboolean
arg_reduced_dims (const PtValue *value, guint rank, guint *mask, GError **error)
{
  if (!pt_arg_dims (value, rank, mask, NULL, error))
    return FALSE;
  if (*mask == 0)
    *mask = pt_all_dims (rank);
  return TRUE;
}

/* Checks an optional dtype, which must be that of the out tensor. */
static gboolean
check_dtype_argument (const PtValue *value, PtDType out, GError **error)
{
  gint64 dtype;

  if (!pt_value_optional_int (value, "dtype", out, &dtype, error))
    return FALSE;
  PT_CHECK (dtype == (gint64) out, "'dtype' is not the dtype of the result.");
  return TRUE;
}

/* Sizes the out tensor in @out_value and reduces @in to it. */
static gboolean
reduce_to (PtExecution *execution, const PtReducer *reducer, gconstpointer params,
           PtCompute compute, const PtView *in, guint mask, gboolean keepdim,
           const PtValue *out_value, GError **error)
{
  PtReduction reduction = { reducer, params, compute, in, mask };
  gint64 sizes[PT_MAX_RANK];
  guint rank;

  PT_CHECK ((compute == PT_COMPUTE_C128) == pt_dtype_in (in->dtype, PT_CPX),
            "Complex and real tensors do not mix here.");
  pt_reduced_shape (in, mask, keepdim, &rank, sizes);
  return pt_arg_out (out_value, PT_ANY, rank, sizes, &reduction.out, error) &&
         pt_reduce (execution, &reduction, error);
}

PT_KERNEL (sum_out)
{
  PtView in;
  guint mask;
  gboolean keepdim;
  PtDType dtype;

  if (!pt_arg_view (args[0], "self", PT_RHB | PT_CPX, &in, error) ||
      !arg_reduced_dims (args[1], in.rank, &mask, error) ||
      !pt_value_bool (args[2], "keepdim", &keepdim, error) ||
      !pt_arg_out_dtype (args[4], PT_RHB | PT_CPX, &dtype, error) ||
      !check_dtype_argument (args[3], dtype, error))
    return FALSE;
  return reduce_to (execution, dtype == PT_DTYPE_BOOL ? &any_reducer : &sum_reducer, NULL,
                    dtype == PT_DTYPE_BOOL ? pt_compute_of (in.dtype) : pt_compute_of (dtype), &in,
                    mask, keepdim, args[4], error);
}

static gboolean
mean (PtExecution *execution, const PtView *in, guint mask, gboolean keepdim,
      const PtValue *dtype_value, const PtValue *out_value, GError **error)
{
  PtDType dtype;

  if (!pt_arg_out_dtype (out_value, PT_FL, &dtype, error) ||
      !check_dtype_argument (dtype_value, dtype, error))
    return FALSE;
  PT_CHECK (!pt_value_is_none (dtype_value) || pt_dtype_in (in->dtype, PT_FL),
            "The mean of integers needs a dtype.");
  return reduce_to (execution, &mean_reducer, NULL, pt_compute_of (dtype), in, mask, keepdim,
                    out_value, error);
}

PT_KERNEL (mean_out)
{
  PtView in;
  guint mask;
  gboolean keepdim;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         arg_reduced_dims (args[1], in.rank, &mask, error) &&
         pt_value_bool (args[2], "keepdim", &keepdim, error) &&
         mean (execution, &in, mask, keepdim, args[3], args[4], error);
}

PT_KERNEL (mean_dtype_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         mean (execution, &in, pt_all_dims (in.rank), FALSE, args[1], args[2], error);
}

static gboolean
prod (PtExecution *execution, const PtView *in, guint mask, gboolean keepdim,
      const PtValue *dtype_value, const PtValue *out_value, GError **error)
{
  PtDType dtype;

  if (!pt_arg_out_dtype (out_value, PT_RHB, &dtype, error) ||
      !check_dtype_argument (dtype_value, dtype, error))
    return FALSE;
  return reduce_to (execution, &prod_reducer, NULL, pt_compute_of (dtype), in, mask, keepdim,
                    out_value, error);
}

PT_KERNEL (prod_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         prod (execution, &in, pt_all_dims (in.rank), FALSE, args[1], args[2], error);
}

PT_KERNEL (prod_int_out)
{
  PtView in;
  guint dim;
  gboolean keepdim;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         pt_arg_dim (args[1], in.rank, &dim, error) &&
         pt_value_bool (args[2], "keepdim", &keepdim, error) &&
         prod (execution, &in, 1u << dim, keepdim, args[3], args[4], error);
}

static gboolean
any (PtExecution *execution, const PtView *in, guint mask, gboolean keepdim,
     const PtValue *out_value, GError **error)
{
  PtDType dtype;

  return pt_arg_out_dtype (out_value, PT_BIT (BOOL) | PT_BIT (U8), &dtype, error) &&
         reduce_to (execution, &any_reducer, NULL, pt_compute_of (in->dtype), in, mask, keepdim,
                    out_value, error);
}

PT_KERNEL (any_out)
{
  PtView in;
  guint dim;
  gboolean keepdim;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         pt_arg_dim (args[1], in.rank, &dim, error) &&
         pt_value_bool (args[2], "keepdim", &keepdim, error) &&
         any (execution, &in, 1u << dim, keepdim, args[3], error);
}

/* Here an empty list means no dimensions, and None means all. */
PT_KERNEL (any_dims_out)
{
  PtView in;
  guint mask;
  gboolean keepdim;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_dims (args[1], in.rank, &mask, NULL, error) ||
      !pt_value_bool (args[2], "keepdim", &keepdim, error))
    return FALSE;
  if (pt_value_is_none (args[1]))
    mask = pt_all_dims (in.rank);
  return any (execution, &in, mask, keepdim, args[3], error);
}

PT_KERNEL (any_all_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_RHB, &in, error) &&
         any (execution, &in, pt_all_dims (in.rank), FALSE, args[1], error);
}

static gboolean
variance (PtExecution *execution, const PtView *in, const PtValue *dims, double correction,
          gboolean keepdim, const PtValue *var_value, const PtValue *mean_value, GError **error)
{
  guint mask;
  PtDType dtype;

  if (!arg_reduced_dims (dims, in->rank, &mask, error) ||
      !pt_arg_out_dtype (var_value, PT_FL, &dtype, error) ||
      (mean_value != NULL && !pt_arg_out_dtype (mean_value, PT_FL, &dtype, error)))
    return FALSE;
  if (mean_value != NULL && !reduce_to (execution, &mean_reducer, NULL, pt_compute_of (dtype), in,
                                        mask, keepdim, mean_value, error))
    return FALSE;
  return pt_arg_out_dtype (var_value, PT_FL, &dtype, error) &&
         reduce_to (execution, &variance_reducer, &correction, pt_compute_of (dtype), in, mask,
                    keepdim, var_value, error);
}

PT_KERNEL (var_out)
{
  PtView in;
  gboolean unbiased, keepdim;

  return pt_arg_view (args[0], "self", PT_FL, &in, error) &&
         pt_value_bool (args[2], "unbiased", &unbiased, error) &&
         pt_value_bool (args[3], "keepdim", &keepdim, error) &&
         variance (execution, &in, args[1], unbiased ? 1 : 0, keepdim, args[4], NULL, error);
}

static gboolean
variance_with_correction (PtExecution *execution, PtValue *const *args, const PtValue *var_value,
                          const PtValue *mean_value, GError **error)
{
  PtScalar correction = { PT_VALUE_INT, 1, 1.0 };
  gboolean keepdim;
  PtView in;

  if (!pt_value_is_none (args[2]) && !pt_arg_scalar (args[2], "correction", &correction, error))
    return FALSE;
  return pt_arg_view (args[0], "self", PT_FL, &in, error) &&
         pt_value_bool (args[3], "keepdim", &keepdim, error) &&
         variance (execution, &in, args[1], correction.d, keepdim, var_value, mean_value, error);
}

PT_KERNEL (var_correction_out)
{
  return variance_with_correction (execution, args, args[4], NULL, error);
}

PT_KERNEL (var_mean_correction_out)
{
  return variance_with_correction (execution, args, args[4], args[5], error);
}

static const PtOperator operators[] = {
  { "aten::any.all_out", any_all_out, 3, 1, 1 },
  { "aten::any.dims_out", any_dims_out, 5, 3, 1 },
  { "aten::any.out", any_out, 5, 3, 1 },
  { "aten::mean.dtype_out", mean_dtype_out, 4, 2, 1 },
  { "aten::mean.out", mean_out, 6, 4, 1 },
  { "aten::prod.int_out", prod_int_out, 6, 4, 1 },
  { "aten::prod.out", prod_out, 4, 2, 1 },
  { "aten::sum.IntList_out", sum_out, 6, 4, 1 },
  { "aten::var.correction_out", var_correction_out, 6, 4, 1 },
  { "aten::var.out", var_out, 6, 4, 1 },
  { "aten::var_mean.correction_out", var_mean_correction_out, 7, 4, 2 },
};

const PtOperatorFamily pt_reduce_family = { operators, G_N_ELEMENTS (operators) };
