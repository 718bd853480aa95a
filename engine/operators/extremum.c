/* SPDX-License-Identifier: BSD-3-Clause */
/* Maxima and minima with their indices (docs/formats/operators.md, section 12.3). */
#include <math.h>

#include "engine/operators/families.h"
#include "engine/operators/move.h"
#include "engine/operators/reduce.h"

/*
 * Finds the first extremum and its index; the first NaN wins. @better compares element v[i] with
 * the best so far.
 */
#define DEFINE_BEST(name, T, field, better)                 \
  static void name (PtFold *fold, gsize n, gconstpointer x) \
  {                                                         \
    const T *v = x;                                         \
    T best = (T) fold->field;                               \
                                                            \
    for (gsize i = 0; i < n; i++)                           \
      if (better) {                                         \
        best = v[i];                                        \
        fold->index = fold->seen + (gint64) i;              \
      }                                                     \
    fold->field = best;                                     \
    fold->seen += (gint64) n;                               \
  }

/* The first element is always taken: the index starts at -1. */
#define FIRST (fold->index < 0)
#define NAN_FIRST(relation) (FIRST || (best == best && !(v[i] relation best)))

/* clang-format off */
DEFINE_BEST (max_i64, gint64, i64, FIRST || v[i] > best)
DEFINE_BEST (max_f32, float, f32, NAN_FIRST (<=))
DEFINE_BEST (max_f64, double, f64, NAN_FIRST (<=))
DEFINE_BEST (min_i64, gint64, i64, FIRST || v[i] < best)
DEFINE_BEST (min_f32, float, f32, NAN_FIRST (>=))
DEFINE_BEST (min_f64, double, f64, NAN_FIRST (>=))
/* clang-format on */

static const PtReducer max_reducer = { .start = { .index = -1 },
                                       .add = { max_i64, max_f32, max_f64 } };
static const PtReducer min_reducer = { .start = { .index = -1 },
                                       .add = { min_i64, min_f32, min_f64 } };

static gboolean
check_not_empty (const PtView *in, guint mask, GError **error)
{
  PT_CHECK (pt_reduced_count (in, mask) > 0, "Nothing has no largest or smallest element.");
  return TRUE;
}

static gboolean
amax_or_amin (PtExecution *execution, PtValue *const *args, const PtReducer *reducer,
              GError **error)
{
  PtReduction reduction = { .reducer = reducer };
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  gboolean keepdim;
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_dims (args[1], in.rank, &reduction.mask, NULL, error) ||
      !pt_value_bool (args[2], "keepdim", &keepdim, error))
    return FALSE;
  if (reduction.mask == 0)
    reduction.mask = pt_all_dims (in.rank);
  if (!check_not_empty (&in, reduction.mask, error))
    return FALSE;
  reduction.in = &in;
  reduction.compute = pt_compute_of (in.dtype);
  pt_reduced_shape (&in, reduction.mask, keepdim, &rank, sizes);
  return pt_arg_out (args[3], 1u << in.dtype, rank, sizes, &reduction.out, error) &&
         pt_reduce (execution, &reduction, error);
}

PT_KERNEL (amax_out)
{
  return amax_or_amin (execution, args, &max_reducer, error);
}

PT_KERNEL (amin_out)
{
  return amax_or_amin (execution, args, &min_reducer, error);
}

/* The value of @dtype that loses against all others. */
static gint64
weakest (PtDType dtype, gboolean largest)
{
  guint bits = 8 * (guint) pt_dtype_size (dtype);

  if (dtype == PT_DTYPE_BOOL || dtype == PT_DTYPE_U8)
    return largest ? 0 : dtype == PT_DTYPE_BOOL ? 1 : G_MAXUINT8;
  return largest ? G_MININT64 >> (64 - bits) : G_MAXINT64 >> (64 - bits);
}

/* Over all elements. An empty tensor gives the value that loses against all others. */
static gboolean
over_all (PtExecution *execution, PtValue *const *args, gboolean largest, GError **error)
{
  PtReducer reducer = largest ? max_reducer : min_reducer;
  PtReduction reduction = { .reducer = &reducer };
  PtDType dtype;
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_out_dtype (args[1], PT_RHB, &dtype, error))
    return FALSE;
  PT_CHECK (pt_can_cast (in.dtype, dtype), "A result of dtype %s cannot be stored as %s.",
            pt_dtype_name (in.dtype), pt_dtype_name (dtype));
  reducer.start.f32 = largest ? -INFINITY : INFINITY;
  reducer.start.f64 = largest ? -INFINITY : INFINITY;
  reducer.start.i64 = weakest (dtype, largest);
  reduction.in = &in;
  reduction.mask = pt_all_dims (in.rank);
  reduction.compute = pt_compute_of (dtype);
  return pt_arg_out (args[1], PT_RHB, 0, NULL, &reduction.out, error) &&
         pt_reduce (execution, &reduction, error);
}

PT_KERNEL (max_unary_out)
{
  return over_all (execution, args, TRUE, error);
}

PT_KERNEL (min_unary_out)
{
  return over_all (execution, args, FALSE, error);
}

/* Finds values and indices along one dimension. Indices are written to a contiguous array first. */
static gboolean
along_dim (PtExecution *execution, PtValue *const *args, const PtReducer *reducer, GError **error)
{
  PtReduction reduction = { .reducer = reducer };
  gint64 sizes[PT_MAX_RANK];
  guint rank, dim;
  gboolean keepdim;
  PtView in, indices, work;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_value_bool (args[2], "keepdim", &keepdim, error) ||
      !check_not_empty (&in, 1u << dim, error))
    return FALSE;
  reduction.in = &in;
  reduction.mask = 1u << dim;
  reduction.compute = pt_compute_of (in.dtype);
  pt_reduced_shape (&in, reduction.mask, keepdim, &rank, sizes);
  if (!pt_arg_out (args[3], 1u << in.dtype, rank, sizes, &reduction.out, error) ||
      !pt_arg_out (args[4], PT_BIT (I64), rank, sizes, &indices, error) ||
      !pt_make_work (execution, PT_DTYPE_I64, &indices, &work, error))
    return FALSE;
  reduction.indices = (gint64 *) work.data;
  return pt_reduce (execution, &reduction, error) &&
         pt_finish_work (execution, &indices, &work, error);
}

PT_KERNEL (max_dim_out)
{
  return along_dim (execution, args, &max_reducer, error);
}

PT_KERNEL (min_dim_out)
{
  return along_dim (execution, args, &min_reducer, error);
}

/* Finds only indices: the values go to scratch memory. */
static gboolean
argument (PtExecution *execution, PtValue *const *args, const PtReducer *reducer, GError **error)
{
  PtReduction reduction = { .reducer = reducer };
  gint64 sizes[PT_MAX_RANK];
  guint rank, dim;
  gboolean keepdim;
  PtView in, out, work;

  if (!pt_arg_view (args[0], "self", PT_RH, &in, error) ||
      !pt_value_bool (args[2], "keepdim", &keepdim, error))
    return FALSE;
  reduction.mask = pt_all_dims (in.rank);
  if (!pt_value_is_none (args[1])) {
    if (!pt_arg_dim (args[1], in.rank, &dim, error))
      return FALSE;
    reduction.mask = 1u << dim;
  }
  if (!check_not_empty (&in, reduction.mask, error))
    return FALSE;
  reduction.in = &in;
  reduction.compute = pt_compute_of (in.dtype);
  pt_reduced_shape (&in, reduction.mask, keepdim, &rank, sizes);
  if (!pt_arg_out (args[3], PT_BIT (I64), rank, sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_I64, &out, &work, error) ||
      !pt_scratch_view (execution, pt_compute_dtype (reduction.compute), rank, sizes,
                        &reduction.out, error))
    return FALSE;
  reduction.indices = (gint64 *) work.data;
  return pt_reduce (execution, &reduction, error) && pt_finish_work (execution, &out, &work, error);
}

PT_KERNEL (argmax_out)
{
  return argument (execution, args, &max_reducer, error);
}

PT_KERNEL (argmin_out)
{
  return argument (execution, args, &min_reducer, error);
}

static const PtOperator operators[] = {
  { "aten::amax.out", amax_out, 5, 3, 1 },       { "aten::amin.out", amin_out, 5, 3, 1 },
  { "aten::argmax.out", argmax_out, 5, 3, 1 },   { "aten::argmin.out", argmin_out, 5, 3, 1 },
  { "aten::max.dim_max", max_dim_out, 6, 3, 2 }, { "aten::max.unary_out", max_unary_out, 3, 1, 1 },
  { "aten::min.dim_min", min_dim_out, 6, 3, 2 }, { "aten::min.unary_out", min_unary_out, 3, 1, 1 },
};

const PtOperatorFamily pt_extremum_family = { operators, G_N_ELEMENTS (operators) };
