/* SPDX-License-Identifier: BSD-3-Clause */
/* Affine quantisation of tensors, channels and tokens (docs/formats/operators.md, section 19). */
#include <math.h>

#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

#define QUANTIZED \
  (PT_BIT (U8) | PT_BIT (I8) | PT_BIT (I16) | PT_BIT (I32) | PT_BIT (U16) | PT_BITS16)
#define PT_BITS16 (1u << 22)
#define FLOATING (PT_BIT (F16) | PT_BIT (F32) | PT_BIT (F64))
#define SCALES (PT_BIT (F32) | PT_BIT (F64))

/* Elements lie as [outer, channels, inner], with one scale and zero point for each channel. */
typedef struct {
  PtView in, out; /* dense */
  gsize channels, inner;
  PtView scales; /* f32 or f64 */
  PtView zeros;  /* i64, or i32; numel 0: all zero */
  gint64 min, max;
} Quantization;

static gboolean
is_u16 (PtDType dtype)
{
  return dtype == PT_DTYPE_U16 || (1u << dtype) == PT_BITS16;
}

static double
scale_at (const Quantization *q, gsize channel)
{
  double scale;

  pt_load (q->scales.dtype, PT_COMPUTE_F64, 1, pt_view_at (&q->scales, (gint64) channel), 1,
           &scale);
  return scale;
}

static gint64
zero_at (const Quantization *q, gsize channel)
{
  gint64 zero = 0;

  if (q->zeros.numel > 0)
    pt_load (q->zeros.dtype, PT_COMPUTE_I64, 1, pt_view_at (&q->zeros, (gint64) channel), 1, &zero);
  return zero;
}

static inline gint64
quantize (double x, float inverse, gint64 zero, gint64 min, gint64 max)
{
  float q = (float) zero + nearbyintf ((float) ((double) inverse * x));

  /* NaN takes this branch, too. */
  if (!(q > (float) min))
    return min;
  return q >= (float) max ? max : pt_truncate ((double) q);
}

static void
quantize_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Quantization *q = data;
  gsize in_size = pt_dtype_size (q->in.dtype), out_size = pt_dtype_size (q->out.dtype);
  double numbers[256];
  gint64 integers[256];

  for (gsize row = begin; row < end; row++) {
    float inverse = 1.0f / (float) scale_at (q, row % q->channels);
    gint64 zero = zero_at (q, row % q->channels);

    for (gsize i = 0; i < q->inner; i += G_N_ELEMENTS (numbers)) {
      gsize at = row * q->inner + i, n = MIN (G_N_ELEMENTS (numbers), q->inner - i);
      guint8 *out = q->out.data + at * out_size;

      pt_load (q->in.dtype, PT_COMPUTE_F64, n, q->in.data + at * in_size, 1, numbers);
      for (gsize j = 0; j < n; j++)
        integers[j] = quantize (numbers[j], inverse, zero, q->min, q->max);
      if (is_u16 (q->out.dtype))
        for (gsize j = 0; j < n; j++)
          ((guint16 *) out)[j] = (guint16) integers[j];
      else
        pt_store (q->out.dtype, PT_COMPUTE_I64, n, integers, out, 1);
    }
  }
}

static void
dequantize_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Quantization *q = data;
  gsize in_size = pt_dtype_size (q->in.dtype), out_size = pt_dtype_size (q->out.dtype);
  gint64 integers[256];
  float numbers[256];

  for (gsize row = begin; row < end; row++) {
    float scale = (float) scale_at (q, row % q->channels);
    gint32 zero = (gint32) zero_at (q, row % q->channels);

    for (gsize i = 0; i < q->inner; i += G_N_ELEMENTS (numbers)) {
      gsize at = row * q->inner + i, n = MIN (G_N_ELEMENTS (numbers), q->inner - i);
      const guint8 *in = q->in.data + at * in_size;

      if (is_u16 (q->in.dtype))
        for (gsize j = 0; j < n; j++)
          integers[j] = ((const guint16 *) in)[j];
      else
        pt_load (q->in.dtype, PT_COMPUTE_I64, n, in, 1, integers);
      for (gsize j = 0; j < n; j++)
        numbers[j] = (float) (integers[j] - zero) * scale;
      pt_store (q->out.dtype, PT_COMPUTE_F32, n, numbers, q->out.data + at * out_size, 1);
    }
  }
}

/* Reads quant_min, quant_max and dtype, from args[0] on. The dtype must be @quantized. */
static gboolean
arg_limits (PtValue *const *args, PtDType quantized, Quantization *q, GError **error)
{
  gint64 dtype;

  if (!pt_value_int (args[0], "quant_min", &q->min, error) ||
      !pt_value_int (args[1], "quant_max", &q->max, error) ||
      !pt_value_int (args[2], "dtype", &dtype, error))
    return FALSE;
  PT_CHECK (dtype == (gint64) quantized, "'dtype' is not the dtype of the quantised tensor.");
  return TRUE;
}

static gboolean
check_limits (const Quantization *q, PtDType dtype, GError **error)
{
  gint64 low, high;

  switch (dtype) {
  case PT_DTYPE_U8: low = 0, high = G_MAXUINT8; break;
  case PT_DTYPE_I8: low = G_MININT8, high = G_MAXINT8; break;
  case PT_DTYPE_I16: low = G_MININT16, high = G_MAXINT16; break;
  case PT_DTYPE_I32: low = G_MININT32, high = G_MAXINT32; break;
  default: low = 0, high = G_MAXUINT16; break;
  }
  PT_CHECK (q->min <= q->max && q->min >= low && q->max <= high,
            "The limits of a quantisation do not fit dtype %s.", pt_dtype_name (dtype));
  return TRUE;
}

/* Makes views of a scale and a zero point that are numbers. */
static void
set_constants (Quantization *q, double *scale, gint64 *zero)
{
  pt_view_init (&q->scales, PT_DTYPE_F64, 0, NULL, scale);
  pt_view_init (&q->zeros, PT_DTYPE_I64, 0, NULL, zero);
  q->channels = 1;
}

static gboolean
arg_parameters (PtExecution *execution, const PtValue *scales, const PtValue *zeros, gsize count,
                Quantization *q, GError **error)
{
  gboolean present;

  if (!pt_arg_view (scales, "scale", SCALES, &q->scales, error) ||
      !pt_arg_optional_view (zeros, "zero_point", PT_INT, &q->zeros, &present, error))
    return FALSE;
  if (!present)
    q->zeros.numel = 0;
  PT_CHECK (q->scales.numel == count && (!present || q->zeros.numel == count),
            "A quantisation needs %" G_GSIZE_FORMAT " scales and zero points.", count);
  q->channels = MAX (count, 1);
  return pt_make_dense (execution, q->scales.dtype, &q->scales, error) &&
         (!present || pt_make_dense (execution, q->zeros.dtype, &q->zeros, error));
}

/* Runs @task over the rows of q->in. @inner: elements in a row, which share a scale. */
static gboolean
run (PtExecution *execution, Quantization *q, PtPoolTask task, gsize inner,
     const PtValue *out_value, PtDTypeSet out_dtypes, GError **error)
{
  PtView out;

  q->inner = inner;
  if (!pt_arg_out (out_value, out_dtypes, q->in.rank, q->in.sizes, &out, error) ||
      !pt_make_dense (execution, q->in.dtype, &q->in, error) ||
      !pt_make_work (execution, out.dtype, &out, &q->out, error))
    return FALSE;
  if (out.numel > 0)
    pt_pool_run (pt_execution_pool (execution), out.numel / inner, MAX (1, 8192 / inner), task, q);
  return pt_finish_work (execution, &out, &q->out, error);
}

/* Per tensor: the parameters are numbers, or tensors of one element. */

static gboolean
arg_tensor_parameters (PtExecution *execution, PtValue *const *args, gboolean tensors,
                       double *scale, gint64 *zero, Quantization *q, GError **error)
{
  if (tensors)
    return arg_parameters (execution, args[0], args[1], 1, q, error);
  if (!pt_value_double (args[0], "scale", scale, error) ||
      !pt_value_int (args[1], "zero_point", zero, error))
    return FALSE;
  set_constants (q, scale, zero);
  return TRUE;
}

/*
 * All rows of a tensor have the same parameters. The tensor is divided into rows only to give the
 * pool pieces.
 */
static gsize
last_size (const PtView *view)
{
  return view->rank == 0 ? 1 : MAX ((gsize) view->sizes[view->rank - 1], 1);
}

static gboolean
quantize_per_tensor (PtExecution *execution, PtValue *const *args, gboolean tensors, GError **error)
{
  Quantization q;
  double scale;
  gint64 zero;
  PtDType dtype;

  return pt_arg_view (args[0], "input", FLOATING, &q.in, error) &&
         arg_tensor_parameters (execution, args + 1, tensors, &scale, &zero, &q, error) &&
         pt_arg_out_dtype (args[6], QUANTIZED, &dtype, error) &&
         arg_limits (args + 3, dtype, &q, error) && check_limits (&q, dtype, error) &&
         run (execution, &q, quantize_range, last_size (&q.in), args[6], QUANTIZED, error);
}

PT_KERNEL (quantize_per_tensor_out)
{
  return quantize_per_tensor (execution, args, FALSE, error);
}

PT_KERNEL (quantize_per_tensor_tensor_out)
{
  return quantize_per_tensor (execution, args, TRUE, error);
}

static gboolean
check_out_dtype (const PtValue *value, const PtValue *out_value, GError **error)
{
  PtDType dtype;
  gint64 wanted;

  if (!pt_arg_out_dtype (out_value, FLOATING | PT_BIT (BF16), &dtype, error) ||
      !pt_value_optional_int (value, "out_dtype", dtype, &wanted, error))
    return FALSE;
  PT_CHECK (wanted == (gint64) dtype, "'out_dtype' is not the dtype of the result.");
  return TRUE;
}

static gboolean
dequantize_per_tensor (PtExecution *execution, PtValue *const *args, gboolean tensors,
                       GError **error)
{
  Quantization q;
  double scale;
  gint64 zero;

  return pt_arg_view (args[0], "input", QUANTIZED, &q.in, error) &&
         arg_tensor_parameters (execution, args + 1, tensors, &scale, &zero, &q, error) &&
         arg_limits (args + 3, q.in.dtype, &q, error) &&
         check_out_dtype (args[6], args[7], error) &&
         run (execution, &q, dequantize_range, last_size (&q.in), args[7], FLOATING, error);
}

PT_KERNEL (dequantize_per_tensor_out)
{
  return dequantize_per_tensor (execution, args, FALSE, error);
}

PT_KERNEL (dequantize_per_tensor_tensor_out)
{
  return dequantize_per_tensor (execution, args, TRUE, error);
}

/* Per channel: one pair of parameters for each index along an axis. */

static gboolean
arg_channels (PtExecution *execution, PtValue *const *args, Quantization *q, gsize *inner,
              GError **error)
{
  guint axis;

  if (!pt_arg_dim (args[2], q->in.rank, &axis, error))
    return FALSE;
  PT_CHECK (q->in.rank > 0, "A number has no channels.");
  *inner = MAX (pt_view_count (&q->in, axis + 1, q->in.rank), 1);
  return arg_parameters (execution, args[0], args[1], (gsize) q->in.sizes[axis], q, error);
}

PT_KERNEL (quantize_per_channel_out)
{
  Quantization q;
  gsize inner = 1;
  PtDType dtype;

  return pt_arg_view (args[0], "input", FLOATING, &q.in, error) &&
         arg_channels (execution, args + 1, &q, &inner, error) &&
         pt_arg_out_dtype (args[7], QUANTIZED, &dtype, error) &&
         arg_limits (args + 4, dtype, &q, error) && check_limits (&q, dtype, error) &&
         run (execution, &q, quantize_range, inner, args[7], QUANTIZED, error);
}

PT_KERNEL (dequantize_per_channel_out)
{
  Quantization q;
  gsize inner = 1;

  return pt_arg_view (args[0], "input", QUANTIZED, &q.in, error) &&
         arg_channels (execution, args + 1, &q, &inner, error) &&
         arg_limits (args + 4, q.in.dtype, &q, error) &&
         check_out_dtype (args[7], args[8], error) &&
         run (execution, &q, dequantize_range, inner, args[8], FLOATING, error);
}

/* Per token: one pair of parameters for each row. */

static gsize
row_count (const PtView *view)
{
  return view->rank == 0 ? 1 : pt_view_count (view, 0, view->rank - 1);
}

PT_KERNEL (quantize_per_token_out)
{
  Quantization q;
  PtDType dtype;

  return pt_arg_view (args[0], "input", FLOATING, &q.in, error) &&
         arg_parameters (execution, args[1], args[2], row_count (&q.in), &q, error) &&
         pt_arg_out_dtype (args[6], QUANTIZED, &dtype, error) &&
         arg_limits (args + 3, dtype, &q, error) && check_limits (&q, dtype, error) &&
         run (execution, &q, quantize_range, last_size (&q.in), args[6], QUANTIZED, error);
}

PT_KERNEL (dequantize_per_token_out)
{
  Quantization q;

  return pt_arg_view (args[0], "input", QUANTIZED, &q.in, error) &&
         arg_parameters (execution, args[1], args[2], row_count (&q.in), &q, error) &&
         arg_limits (args + 3, q.in.dtype, &q, error) &&
         check_out_dtype (args[6], args[7], error) &&
         run (execution, &q, dequantize_range, last_size (&q.in), args[7], FLOATING, error);
}

/* Scale and zero point for numbers from @min to @max (docs/formats/operators.md, section 19.1). */
static void
choose_parameters (float min, float max, gint64 q_min, gint64 q_max, double *scale_out,
                   gint64 *zero_out)
{
  const float smallest = 6.1e-5f;
  double low = (double) q_min, high = (double) q_max, scale, zero_low, zero_high, zero;

  min = MIN (min, 0);
  max = MAX (max, 0);
  scale = ((double) max - (double) min) / (high - low);
  if ((float) scale == 0 || isinf (1.0f / (float) scale))
    scale = 0.1;
  if (scale < (double) smallest) {
    float old = (float) scale;

    scale = (double) smallest;
    if (min == 0) {
      max = smallest * (float) (high - low);
    } else if (max == 0) {
      min = -smallest * (float) (high - low);
    } else {
      min *= smallest / old;
      max *= smallest / old;
    }
  }
  zero_low = low - (double) min / scale;
  zero_high = high - (double) max / scale;
  zero = fabs (low) - fabs ((double) min / scale) < fabs (high) - fabs ((double) max / scale)
             ? zero_low
             : zero_high;
  *scale_out = scale;
  *zero_out = zero < low ? q_min : zero > high ? q_max : pt_truncate (nearbyintf ((float) zero));
}

static void
choose_for_row (const float *x, gsize n, gint64 q_min, gint64 q_max, double *scale, gint64 *zero)
{
  float min = x[0], max = x[0];

  for (gsize i = 1; i < n; i++) {
    min = x[i] < min ? x[i] : min;
    max = x[i] > max ? x[i] : max;
  }
  choose_parameters (min, max, q_min, q_max, scale, zero);
}

PT_KERNEL (choose_qparams_tensor_out)
{
  PtView in, scale, zero;
  gint64 q_min, q_max;

  if (!pt_arg_view (args[0], "input", PT_BIT (F32), &in, error) ||
      !pt_value_int (args[1], "quant_min", &q_min, error) ||
      !pt_value_int (args[2], "quant_max", &q_max, error))
    return FALSE;
  PT_CHECK (in.numel > 0 && q_min < q_max, "Nothing has no quantisation parameters.");
  if (!pt_arg_out_single (args[5], PT_BIT (F64), &scale, error) ||
      !pt_arg_out_single (args[6], PT_BIT (I64), &zero, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &in, error))
    return FALSE;
  choose_for_row ((const float *) in.data, in.numel, q_min, q_max, (double *) scale.data,
                  (gint64 *) zero.data);
  return TRUE;
}

typedef struct {
  const float *x;
  gsize n;
  double *scales;
  gint64 *zeros;
} Choice;

static void
choose_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Choice *job = data;

  for (gsize row = begin; row < end; row++)
    choose_for_row (job->x + row * job->n, job->n, -128, 127, &job->scales[row], &job->zeros[row]);
}

PT_KERNEL (choose_qparams_per_token_asymmetric_out)
{
  PtView in, scales, zeros, scale_work, zero_work;
  gint64 sizes[PT_MAX_RANK];
  Choice job;

  if (!pt_arg_view (args[0], "input", PT_BIT (F32), &in, error))
    return FALSE;
  PT_CHECK (in.rank > 0 && in.sizes[in.rank - 1] > 0, "Empty rows have no parameters.");
  for (guint i = 0; i < in.rank; i++)
    sizes[i] = i + 1 < in.rank ? in.sizes[i] : 1;
  if (!pt_arg_out (args[2], PT_BIT (F64), in.rank, sizes, &scales, error) ||
      !pt_arg_out (args[3], PT_BIT (I64), in.rank, sizes, &zeros, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &in, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, &scales, &scale_work, error) ||
      !pt_make_work (execution, PT_DTYPE_I64, &zeros, &zero_work, error))
    return FALSE;
  job = (Choice){ (const float *) in.data, (gsize) in.sizes[in.rank - 1],
                  (double *) scale_work.data, (gint64 *) zero_work.data };
  pt_pool_run (pt_execution_pool (execution), scales.numel, MAX (1, 16384 / job.n), choose_range,
               &job);
  return pt_finish_work (execution, &scales, &scale_work, error) &&
         pt_finish_work (execution, &zeros, &zero_work, error);
}

static const PtOperator operators[] = {
  { "quantized_decomposed::choose_qparams.Tensor_out", choose_qparams_tensor_out, 8, 5, 2 },
  { "quantized_decomposed::choose_qparams_per_token_asymmetric.out",
    choose_qparams_per_token_asymmetric_out, 5, 2, 2 },
  { "quantized_decomposed::dequantize_per_channel.out", dequantize_per_channel_out, 10, 8, 1 },
  { "quantized_decomposed::dequantize_per_tensor.Tensor_out", dequantize_per_tensor_tensor_out, 9,
    7, 1 },
  { "quantized_decomposed::dequantize_per_tensor.out", dequantize_per_tensor_out, 9, 7, 1 },
  { "quantized_decomposed::dequantize_per_token.out", dequantize_per_token_out, 9, 7, 1 },
  { "quantized_decomposed::quantize_per_channel.out", quantize_per_channel_out, 9, 7, 1 },
  { "quantized_decomposed::quantize_per_tensor.Tensor_out", quantize_per_tensor_tensor_out, 8, 6,
    1 },
  { "quantized_decomposed::quantize_per_tensor.out", quantize_per_tensor_out, 8, 6, 1 },
  { "quantized_decomposed::quantize_per_token.out", quantize_per_token_out, 8, 6, 1 },
};

const PtOperatorFamily pt_quantized_family = { operators, G_N_ELEMENTS (operators) };
