/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic on quantised tensors (docs/formats/operators.md, section 19.3). */
#include <math.h>
#include <string.h>

#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

#define QUANTIZED (PT_BIT (U8) | PT_BIT (I8) | PT_BIT (I16) | PT_BIT (I32))

typedef struct {
  float scale;
  gint32 zero;
  gint64 min, max;
} Affine;

/* Reads scale, zero_point, quant_min and quant_max. */
static gboolean
arg_affine (PtValue *const *args, Affine *affine, GError **error)
{
  double scale;
  gint64 zero;

  if (!pt_value_double (args[0], "scale", &scale, error) ||
      !pt_value_int (args[1], "zero_point", &zero, error) ||
      !pt_value_int (args[2], "quant_min", &affine->min, error) ||
      !pt_value_int (args[3], "quant_max", &affine->max, error))
    return FALSE;
  PT_CHECK (zero >= G_MININT32 && zero <= G_MAXINT32 && affine->min >= G_MININT32 &&
                affine->max <= G_MAXINT32 && affine->min <= affine->max,
            "The numbers of a quantisation are out of range.");
  affine->scale = (float) scale;
  affine->zero = (gint32) zero;
  return TRUE;
}

static inline float
real_of (gint64 q, const Affine *affine)
{
  return (float) (q - affine->zero) * affine->scale;
}

PT_KERNEL (quantized_add_out)
{
  PtView a, b, out, y;
  Affine forms[3];

  if (!pt_arg_view (args[0], "a", QUANTIZED, &a, error) ||
      !arg_affine (args + 1, &forms[0], error) ||
      !pt_arg_view (args[5], "b", 1u << a.dtype, &b, error) ||
      !arg_affine (args + 6, &forms[1], error) || !arg_affine (args + 10, &forms[2], error))
    return FALSE;
  PT_CHECK (pt_view_same_shape (&a, &b), "Quantised tensors to add must have equal shapes.");
  if (!pt_arg_out (args[14], 1u << a.dtype, a.rank, a.sizes, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_I64, &a, error) ||
      !pt_make_dense (execution, PT_DTYPE_I64, &b, error) ||
      !pt_make_work (execution, PT_DTYPE_I64, &out, &y, error))
    return FALSE;
  for (gsize i = 0; i < a.numel; i++) {
    float sum = real_of (((const gint64 *) a.data)[i], &forms[0]) +
                real_of (((const gint64 *) b.data)[i], &forms[1]);
    double q = forms[2].zero + (double) nearbyintf ((1.0f / forms[2].scale) * sum);

    ((gint64 *) y.data)[i] = !(q > (double) forms[2].min) ? forms[2].min
                             : q >= (double) forms[2].max ? forms[2].max
                                                          : (gint64) q;
  }
  return pt_finish_work (execution, &out, &y, error);
}

/* out[m, p] = input[m, n] . weight[n, p]; row k of the weights is multiplied by scales[k]. */
PT_KERNEL (mixed_mm_out)
{
  PtView x, w, scales, out, y;
  gint64 sizes[2];

  if (!pt_arg_view (args[0], "input", PT_BIT (F32) | PT_BIT (F16), &x, error) ||
      !pt_arg_view (args[1], "weight", PT_BIT (I8), &w, error) ||
      !pt_arg_view (args[2], "weight_scales", 1u << x.dtype, &scales, error))
    return FALSE;
  PT_CHECK (pt_value_is_none (args[3]), "Zero points of weights are not supported here.");
  PT_CHECK (x.rank == 2 && w.rank == 2 && x.sizes[1] == w.sizes[0] && scales.rank == 1 &&
                scales.sizes[0] == w.sizes[0],
            "These matrices cannot be multiplied.");
  sizes[0] = x.sizes[0], sizes[1] = w.sizes[1];
  if (!pt_arg_out (args[4], 1u << x.dtype, 2, sizes, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &x, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &w, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &scales, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error))
    return FALSE;
  for (gint64 i = 0; i < sizes[0]; i++) {
    float *to = (float *) y.data + i * sizes[1];

    for (gint64 j = 0; j < sizes[1]; j++)
      to[j] = 0;
    for (gint64 k = 0; k < w.sizes[0]; k++) {
      const float *row = (const float *) w.data + k * sizes[1];
      float factor = ((const float *) x.data)[i * w.sizes[0] + k];
      float scale = ((const float *) scales.data)[k];

      for (gint64 j = 0; j < sizes[1]; j++)
        to[j] += factor * row[j] * scale;
    }
  }
  return pt_finish_work (execution, &out, &y, error);
}

/* out[m, p] = input[m, n] . weight[p, n]; each group of a row of weights has a scale. */
PT_KERNEL (mixed_linear_out)
{
  PtView x, w, scales, out, y;
  gint64 sizes[2], n, groups, group, dtype;
  PtDType out_dtype;

  if (!pt_arg_view (args[0], "input", PT_BIT (F32) | PT_BIT (F16), &x, error) ||
      !pt_arg_view (args[1], "weight", PT_BIT (I8), &w, error) ||
      !pt_arg_view (args[2], "weight_scales", 1u << x.dtype, &scales, error) ||
      !pt_arg_out_dtype (args[5], PT_BIT (F32) | PT_BIT (F16), &out_dtype, error) ||
      !pt_value_optional_int (args[4], "dtype", out_dtype, &dtype, error))
    return FALSE;
  PT_CHECK (pt_value_is_none (args[3]), "Zero points of weights are not supported here.");
  PT_CHECK (dtype == (gint64) out_dtype, "'dtype' is not the dtype of the result.");
  PT_CHECK (x.rank == 2 && w.rank == 2 && x.sizes[1] == w.sizes[1] &&
                (scales.rank == 1 || scales.rank == 2) && scales.sizes[0] == w.sizes[0],
            "These matrices cannot be multiplied.");
  n = w.sizes[1];
  groups = scales.rank == 2 ? scales.sizes[1] : 1;
  PT_CHECK (groups > 0, "Weights need scales.");
  group = MAX ((n + groups - 1) / groups, 1);
  sizes[0] = x.sizes[0], sizes[1] = w.sizes[0];
  if (!pt_arg_out (args[5], 1u << out_dtype, 2, sizes, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &x, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &w, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &scales, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error))
    return FALSE;
  for (gint64 i = 0; i < sizes[0]; i++)
    for (gint64 j = 0; j < sizes[1]; j++) {
      const float *a = (const float *) x.data + i * n, *b = (const float *) w.data + j * n;
      float sum = 0;

      for (gint64 g = 0; g * group < n; g++) {
        float part = 0;

        for (gint64 k = g * group; k < MIN (n, (g + 1) * group); k++)
          part += a[k] * b[k];
        sum += part * ((const float *) scales.data)[j * groups + g];
      }
      ((float *) y.data)[i * sizes[1] + j] = sum;
    }
  return pt_finish_work (execution, &out, &y, error);
}

static const PtOperator operators[] = {
  { "quantized_decomposed::add.out", quantized_add_out, 16, 14, 1 },
  { "quantized_decomposed::mixed_linear.out", mixed_linear_out, 7, 5, 1 },
  { "quantized_decomposed::mixed_mm.out", mixed_mm_out, 6, 4, 1 },
};

const PtOperatorFamily pt_quantized_math_family = { operators, G_N_ELEMENTS (operators) };
