/* SPDX-License-Identifier: BSD-3-Clause */
/* Creating tensors: ranges, constants, random numbers (docs/formats/operators.md, section 16). */
#include <math.h>

#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/*
 * Sizes the out tensor and fills it with @value. @checked: fail when the value does not fit the
 * dtype.
 */
static gboolean
fill (PtExecution *execution, guint rank, const gint64 *sizes, const PtScalar *value,
      gboolean checked, const PtValue *out_value, GError **error)
{
  PtScalarBytes bytes;
  PtView out, number;
  PtDType dtype;

  if (!pt_arg_out_dtype (out_value, PT_RHB, &dtype, error))
    return FALSE;
  PT_CHECK (!checked || pt_scalar_fits (value, dtype), "The value does not fit dtype %s.",
            pt_dtype_name (dtype));
  if (!pt_arg_out (out_value, PT_RHB, rank, sizes, &out, error))
    return FALSE;
  pt_scalar_put (value, dtype, &bytes);
  pt_view_init (&number, dtype, 0, NULL, &bytes);
  pt_move (execution, &out, &number);
  return TRUE;
}

PT_KERNEL (full_out)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtScalar value;

  return pt_arg_sizes (args[0], sizes, &rank, error) &&
         pt_arg_scalar (args[1], "fill_value", &value, error) &&
         fill (execution, rank, sizes, &value, TRUE, args[2], error);
}

PT_KERNEL (full_like_out)
{
  PtScalar value;
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_scalar (args[1], "fill_value", &value, error) &&
         pt_arg_memory_format (args[2], error) &&
         fill (execution, in.rank, in.sizes, &value, TRUE, args[3], error);
}

PT_KERNEL (fill_scalar_out)
{
  PtScalar value;
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_scalar (args[1], "value", &value, error) &&
         fill (execution, in.rank, in.sizes, &value, TRUE, args[2], error);
}

PT_KERNEL (fill_tensor_out)
{
  PtView in, value, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_view (args[1], "value", PT_RHB, &value, error))
    return FALSE;
  PT_CHECK (value.numel == 1, "'value' must have one element.");
  value.rank = 0;
  return pt_arg_out (args[2], PT_RHB, in.rank, in.sizes, &out, error) &&
         pt_move_convert (execution, &out, &value, error);
}

PT_KERNEL (scalar_tensor_out)
{
  PtScalar value;

  return pt_arg_scalar (args[0], "s", &value, error) &&
         fill (execution, 0, NULL, &value, TRUE, args[1], error);
}

static gboolean
fill_with_int (PtExecution *execution, PtValue *const *args, gint64 number, GError **error)
{
  PtScalar value = { PT_VALUE_INT, number, (double) number };
  gint64 sizes[PT_MAX_RANK];
  guint rank;

  return pt_arg_sizes (args[0], sizes, &rank, error) &&
         fill (execution, rank, sizes, &value, FALSE, args[1], error);
}

PT_KERNEL (ones_out)
{
  return fill_with_int (execution, args, 1, error);
}

PT_KERNEL (zeros_out)
{
  return fill_with_int (execution, args, 0, error);
}

PT_KERNEL (empty_out)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtView out;

  return pt_arg_sizes (args[0], sizes, &rank, error) && pt_arg_memory_format (args[1], error) &&
         pt_arg_out (args[2], PT_ANY, rank, sizes, &out, error);
}

PT_KERNEL (empty_dim_order_out)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtView out;

  return pt_arg_sizes (args[0], sizes, &rank, error) &&
         pt_arg_dim_order (args[1], args[2], error) &&
         pt_arg_out (args[2], PT_ANY, rank, sizes, &out, error);
}

static gboolean
arange (double start, double end, double step, const PtValue *out_value, GError **error)
{
  double count, block[256];
  gint64 n;
  PtView out;

  PT_CHECK (isfinite (start) && isfinite (end) && isfinite (step),
            "The numbers of a range must be finite.");
  PT_CHECK ((step > 0 && end >= start) || (step < 0 && end <= start),
            "A step of %g does not lead from %g to %g.", step, start, end);
  count = ceil ((end - start) / step);
  PT_CHECK (count >= 0 && count <= G_MAXINT32, "A range is too long.");
  n = (gint64) count;
  if (!pt_arg_out (out_value, PT_RH, 1, &n, &out, error))
    return FALSE;
  for (gint64 i = 0; i < n; i += (gint64) G_N_ELEMENTS (block)) {
    gint64 m = MIN ((gint64) G_N_ELEMENTS (block), n - i);

    for (gint64 j = 0; j < m; j++)
      block[j] = start + (double) (i + j) * step;
    pt_store (out.dtype, PT_COMPUTE_F64, (gsize) m, block, pt_view_at (&out, i), 1);
  }
  return TRUE;
}

PT_KERNEL (arange_out)
{
  PtScalar end;

  return pt_arg_scalar (args[0], "end", &end, error) && arange (0, end.d, 1, args[1], error);
}

PT_KERNEL (arange_start_out)
{
  PtScalar start, end, step;

  return pt_arg_scalar (args[0], "start", &start, error) &&
         pt_arg_scalar (args[1], "end", &end, error) &&
         pt_arg_scalar (args[2], "step", &step, error) &&
         arange (start.d, end.d, step.d, args[3], error);
}

/* A number uniform in [0, 1), with the 53 bits of a double. */
static double
uniform (void)
{
  return (double) (((guint64) g_random_int () << 21) ^ g_random_int ()) * 0x1p-53;
}

static double
normal (void)
{
  return sqrt (-2.0 * log (1.0 - uniform ())) * cos (2.0 * G_PI * uniform ());
}

static gboolean
random_numbers (PtValue *const *args, double (*next) (void), GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtView out;

  if (!pt_arg_sizes (args[0], sizes, &rank, error) ||
      !pt_arg_out (args[1], PT_FL, rank, sizes, &out, error))
    return FALSE;
  for (gsize i = 0; i < out.numel; i++) {
    double number = next ();

    pt_store (out.dtype, PT_COMPUTE_F64, 1, &number, pt_view_at (&out, (gint64) i), 1);
  }
  return TRUE;
}

PT_KERNEL (rand_out)
{
  return random_numbers (args, uniform, error);
}

PT_KERNEL (randn_out)
{
  return random_numbers (args, normal, error);
}

/*
 * In inference mode all elements are kept. A dropout that was exported in training mode draws
 * random numbers.
 */
PT_KERNEL (native_dropout_out)
{
  double p;
  gboolean train = TRUE;
  PtView in, out, mask;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_value_double (args[1], "p", &p, error))
    return FALSE;
  if (!pt_value_is_none (args[2]) && !pt_value_bool (args[2], "train", &train, error))
    return FALSE;
  PT_CHECK (p >= 0 && p <= 1, "'p' must lie between 0 and 1.");
  if (!pt_arg_out (args[3], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_arg_out (args[4], PT_BIT (BOOL), in.rank, in.sizes, &mask, error))
    return FALSE;
  PT_CHECK (pt_view_is_contiguous (&out) && pt_view_is_contiguous (&mask),
            "dropout needs the default layout.");
  pt_move (execution, &out, &in);
  for (gsize i = 0; i < mask.numel; i++)
    mask.data[i] = !train || p == 0 || uniform () >= p;
  for (gsize i = 0; i < out.numel; i++)
    if (!mask.data[i])
      pt_store (out.dtype, PT_COMPUTE_F64, 1, &(double){ 0 }, pt_view_at (&out, (gint64) i), 1);
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::arange.out", arange_out, 3, 1, 1 },
  { "aten::arange.start_out", arange_start_out, 5, 3, 1 },
  { "aten::empty.out", empty_out, 4, 2, 1 },
  { "aten::fill.Scalar_out", fill_scalar_out, 4, 2, 1 },
  { "aten::fill.Tensor_out", fill_tensor_out, 4, 2, 1 },
  { "aten::full.out", full_out, 4, 2, 1 },
  { "aten::full_like.out", full_like_out, 5, 3, 1 },
  { "aten::native_dropout.out", native_dropout_out, 6, 3, 2 },
  { "aten::ones.out", ones_out, 3, 1, 1 },
  { "aten::rand.out", rand_out, 3, 1, 1 },
  { "aten::randn.out", randn_out, 3, 1, 1 },
  { "aten::scalar_tensor.out", scalar_tensor_out, 3, 1, 1 },
  { "aten::zeros.out", zeros_out, 3, 1, 1 },
  { "dim_order_ops::_empty_dim_order.out", empty_dim_order_out, 4, 2, 1 },
};

const PtOperatorFamily pt_create_family = { operators, G_N_ELEMENTS (operators) };
