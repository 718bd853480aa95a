/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selecting values: where, clamp, hardtanh, masked_fill (docs/formats/operators.md, section 6.3).
 */
#include <math.h>

#include "engine/operators/elementwise.h"
#include "engine/operators/families.h"

PT_DEFINE_LOOP3 (where_i64, gint64, a != 0 ? b : c)
PT_DEFINE_LOOP3 (where_f32, float, a != 0 ? b : c)
PT_DEFINE_LOOP3 (where_f64, double, a != 0 ? b : c)

static const PtLoops where_loops = { { where_i64, where_f32, where_f64 } };

PT_KERNEL (where_out)
{
  PtElementwise op = { .loops = &where_loops, .rule = PT_OUT_SAME };
  PtView in[3];

  if (!pt_arg_view (args[0], "condition", PT_BIT (BOOL) | PT_BIT (U8), &in[0], error) ||
      !pt_arg_view (args[1], "self", PT_RHB, &in[1], error) ||
      !pt_arg_view (args[2], "other", PT_RHB, &in[2], error))
    return FALSE;
  op.common = pt_promote (in[1].dtype, in[2].dtype);
  op.compute = pt_compute_of (op.common);
  return pt_elementwise (execution, &op, 3, in, args[3], error);
}

PT_KERNEL (masked_fill_out)
{
  PtElementwise op = { .loops = &where_loops, .rule = PT_OUT_SAME };
  PtScalar value;
  PtScalarBytes bytes;
  PtView in[3];
  PtDType dtype;

  if (!pt_arg_view (args[1], "mask", PT_BIT (BOOL), &in[0], error) ||
      !pt_arg_scalar (args[2], "value", &value, error) ||
      !pt_arg_view (args[0], "self", PT_RHB, &in[2], error) ||
      !pt_arg_out_dtype (args[3], 1u << in[2].dtype, &dtype, error))
    return FALSE;
  op.common = in[2].dtype;
  op.compute = pt_compute_of (op.common);
  pt_scalar_view (&value, op.common, &bytes, &in[1]);
  return pt_elementwise (execution, &op, 3, in, args[3], error);
}

/* Clamping: a is the number, b the lower and c the upper bound. NaN in any of them gives NaN. */
PT_DEFINE_LOOP3 (clamp_i64, gint64, MIN (MAX (a, b), c))
PT_DEFINE_LOOP3 (clamp_f32, float, (a = a != a || a > b ? a : b, a != a || a < c ? a : c))
PT_DEFINE_LOOP3 (clamp_f64, double, (a = a != a || a > b ? a : b, a != a || a < c ? a : c))

static const PtLoops clamp_loops = { { clamp_i64, clamp_f32, clamp_f64 } };

/* The value of a bound that has no effect. */
static void
set_unbounded (gboolean upper, PtDType common, PtScalarBytes *bytes, PtView *view)
{
  PtScalar scalar = { PT_VALUE_DOUBLE, 0, upper ? INFINITY : -INFINITY };

  if (pt_compute_of (common) == PT_COMPUTE_I64) {
    scalar = (PtScalar){ PT_VALUE_INT, upper ? G_MAXINT64 : G_MININT64, 0 };
    common = PT_DTYPE_I64;
  }
  pt_scalar_view (&scalar, common, bytes, view);
}

static gboolean
clamp_by_scalars (PtExecution *execution, PtView *in, const PtScalar *const *bounds,
                  const PtValue *out, PtDType common, GError **error)
{
  PtElementwise op = { .loops = &clamp_loops, .common = common, .rule = PT_OUT_SAME };
  PtScalarBytes bytes[2];
  PtView views[3] = { *in };
  PtDType dtype;

  if (!pt_arg_out_dtype (out, 1u << common, &dtype, error))
    return FALSE;
  for (guint k = 0; k < 2; k++)
    if (bounds[k] == NULL) {
      set_unbounded (k == 1, common, &bytes[k], &views[k + 1]);
    } else {
      PT_CHECK (pt_scalar_fits (bounds[k], common), "A bound does not fit dtype %s.",
                pt_dtype_name (common));
      pt_scalar_view (bounds[k], common, &bytes[k], &views[k + 1]);
    }
  op.compute = pt_compute_of (common);
  return pt_elementwise (execution, &op, 3, views, out, error);
}

PT_KERNEL (clamp_out)
{
  PtScalar numbers[2];
  const PtScalar *bounds[2] = { NULL, NULL };
  PtView in;
  PtDType common;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error))
    return FALSE;
  common = in.dtype;
  for (guint k = 0; k < 2; k++)
    if (!pt_value_is_none (args[k + 1])) {
      if (!pt_arg_scalar (args[k + 1], k == 0 ? "min" : "max", &numbers[k], error))
        return FALSE;
      bounds[k] = &numbers[k];
      common = pt_promote_scalar (common, &numbers[k]);
    }
  PT_CHECK (bounds[0] != NULL || bounds[1] != NULL, "clamp needs at least one bound.");
  return clamp_by_scalars (execution, &in, bounds, args[3], common, error);
}

PT_KERNEL (hardtanh_out)
{
  PtScalar low, high;
  const PtScalar *bounds[2] = { &low, &high };
  PtView in;

  return pt_arg_view (args[0], "self", PT_RH, &in, error) &&
         pt_arg_scalar (args[1], "min_val", &low, error) &&
         pt_arg_scalar (args[2], "max_val", &high, error) &&
         clamp_by_scalars (execution, &in, bounds, args[3], in.dtype, error);
}

PT_KERNEL (clamp_tensor_out)
{
  PtElementwise op = { .loops = &clamp_loops, .rule = PT_OUT_ACCEPTS };
  gboolean present[3] = { TRUE };
  PtScalarBytes bytes[2];
  PtView in[3];

  if (!pt_arg_view (args[0], "self", PT_RHB, &in[0], error) ||
      !pt_arg_optional_view (args[1], "min", PT_RHB, &in[1], &present[1], error) ||
      !pt_arg_optional_view (args[2], "max", PT_RHB, &in[2], &present[2], error))
    return FALSE;
  PT_CHECK (present[1] || present[2], "clamp needs at least one bound.");
  op.common = in[0].dtype;
  for (guint k = 1; k < 3; k++)
    if (present[k])
      op.common = pt_promote (op.common, in[k].dtype);
  for (guint k = 1; k < 3; k++)
    if (!present[k])
      set_unbounded (k == 2, op.common, &bytes[k - 1], &in[k]);
  op.compute = pt_compute_of (op.common);
  return pt_elementwise (execution, &op, 3, in, args[3], error);
}

static const PtOperator operators[] = {
  { "aten::clamp.out", clamp_out, 5, 3, 1 },
  { "aten::clamp.Tensor_out", clamp_tensor_out, 5, 3, 1 },
  { "aten::hardtanh.out", hardtanh_out, 5, 3, 1 },
  { "aten::masked_fill.Scalar_out", masked_fill_out, 5, 3, 1 },
  { "aten::where.self_out", where_out, 5, 3, 1 },
};

const PtOperatorFamily pt_select_family = { operators, G_N_ELEMENTS (operators) };
