/* SPDX-License-Identifier: BSD-3-Clause */
/* Pooling over two dimensions (docs/formats/operators.md, section 9). */
#include <math.h>

#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* Dense planes; index 0 is height, 1 is width. */
typedef struct {
  gsize planes;
  gint64 in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
  gboolean count_padding;
  gint64 divisor; /* divisor; 0: the number of elements */
  gconstpointer x;
  gpointer y;
  gint64 *indices;
} Pool;

/* Visits windows tap by tap and skips taps in the padding. Item: one plane. */

#define DEFINE_MAX_POOL(name, T)                                                   \
  static void name (gpointer data, gsize begin, gsize end, guint worker)           \
  {                                                                                \
    const Pool *p = data;                                                          \
                                                                                   \
    for (gsize plane = begin; plane < end; plane++) {                              \
      const T *x = (const T *) p->x + plane * (gsize) (p->in[0] * p->in[1]);       \
      gsize at = plane * (gsize) (p->out[0] * p->out[1]);                          \
                                                                                   \
      for (gint64 oy = 0; oy < p->out[0]; oy++)                                    \
        for (gint64 ox = 0; ox < p->out[1]; ox++, at++) {                          \
          gint64 best_index = -1;                                                  \
          T best = 0;                                                              \
                                                                                   \
          for (gint64 ky = 0; ky < p->kernel[0]; ky++) {                           \
            gint64 iy = oy * p->stride[0] + ky * p->dilation[0] - p->padding[0];   \
                                                                                   \
            if (iy < 0 || iy >= p->in[0])                                          \
              continue;                                                            \
            for (gint64 kx = 0; kx < p->kernel[1]; kx++) {                         \
              gint64 ix = ox * p->stride[1] + kx * p->dilation[1] - p->padding[1]; \
              T v;                                                                 \
                                                                                   \
              if (ix < 0 || ix >= p->in[1])                                        \
                continue;                                                          \
              v = x[iy * p->in[1] + ix];                                           \
              if (best_index < 0 || v > best) {                                    \
                best = v;                                                          \
                best_index = iy * p->in[1] + ix;                                   \
              }                                                                    \
            }                                                                      \
          }                                                                        \
          ((T *) p->y)[at] = best;                                                 \
          p->indices[at] = MAX (best_index, 0);                                    \
        }                                                                          \
    }                                                                              \
  }

#define DEFINE_AVG_POOL(name, T)                                                                 \
  static void name (gpointer data, gsize begin, gsize end, guint worker)                         \
  {                                                                                              \
    const Pool *p = data;                                                                        \
                                                                                                 \
    for (gsize plane = begin; plane < end; plane++) {                                            \
      const T *x = (const T *) p->x + plane * (gsize) (p->in[0] * p->in[1]);                     \
      gsize at = plane * (gsize) (p->out[0] * p->out[1]);                                        \
                                                                                                 \
      for (gint64 oy = 0; oy < p->out[0]; oy++)                                                  \
        for (gint64 ox = 0; ox < p->out[1]; ox++, at++) {                                        \
          gint64 y0 = oy * p->stride[0] - p->padding[0], x0 = ox * p->stride[1] - p->padding[1]; \
          gint64 y1 = MIN (y0 + p->kernel[0], p->in[0] + p->padding[0]);                         \
          gint64 x1 = MIN (x0 + p->kernel[1], p->in[1] + p->padding[1]);                         \
          gint64 area = (y1 - y0) * (x1 - x0), divisor;                                          \
          T sum = 0;                                                                             \
                                                                                                 \
          y0 = MAX (y0, 0), x0 = MAX (x0, 0), y1 = MIN (y1, p->in[0]), x1 = MIN (x1, p->in[1]);  \
          for (gint64 iy = y0; iy < y1; iy++)                                                    \
            for (gint64 ix = x0; ix < x1; ix++)                                                  \
              sum += x[iy * p->in[1] + ix];                                                      \
          divisor = p->divisor != 0    ? p->divisor                                              \
                    : p->count_padding ? area                                                    \
                                       : MAX (y1 - y0, 0) * MAX (x1 - x0, 0);                    \
          ((T *) p->y)[at] = y1 > y0 && x1 > x0 && divisor != 0 ? sum / (T) divisor : 0;         \
        }                                                                                        \
    }                                                                                            \
  }

#define DEFINE_ADAPTIVE_POOL(name, T)                                            \
  static void name (gpointer data, gsize begin, gsize end, guint worker)         \
  {                                                                              \
    const Pool *p = data;                                                        \
                                                                                 \
    for (gsize plane = begin; plane < end; plane++) {                            \
      const T *x = (const T *) p->x + plane * (gsize) (p->in[0] * p->in[1]);     \
      gsize at = plane * (gsize) (p->out[0] * p->out[1]);                        \
                                                                                 \
      for (gint64 oy = 0; oy < p->out[0]; oy++)                                  \
        for (gint64 ox = 0; ox < p->out[1]; ox++, at++) {                        \
          gint64 y0 = oy * p->in[0] / p->out[0], x0 = ox * p->in[1] / p->out[1]; \
          gint64 y1 = ((oy + 1) * p->in[0] + p->out[0] - 1) / p->out[0];         \
          gint64 x1 = ((ox + 1) * p->in[1] + p->out[1] - 1) / p->out[1];         \
          float sum = 0;                                                         \
                                                                                 \
          for (gint64 iy = y0; iy < y1; iy++)                                    \
            for (gint64 ix = x0; ix < x1; ix++)                                  \
              sum += (float) x[iy * p->in[1] + ix];                              \
          ((T *) p->y)[at] = (T) (sum / (float) ((y1 - y0) * (x1 - x0)));        \
        }                                                                        \
    }                                                                            \
  }

/* clang-format off */
DEFINE_MAX_POOL (max_f32, float)
DEFINE_MAX_POOL (max_f64, double)
DEFINE_MAX_POOL (max_i64, gint64)
DEFINE_AVG_POOL (avg_f32, float)
DEFINE_AVG_POOL (avg_f64, double)
DEFINE_AVG_POOL (avg_i64, gint64)
DEFINE_ADAPTIVE_POOL (adaptive_f32, float)
DEFINE_ADAPTIVE_POOL (adaptive_f64, double)
DEFINE_ADAPTIVE_POOL (adaptive_i64, gint64)
/* clang-format on */

static gboolean
arg_pair_of (const PtValue *value, const char *what, gint64 min, gint64 *out, GError **error)
{
  if (!pt_arg_ints_n (value, what, out, 2, error))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    PT_CHECK (out[i] >= min && out[i] <= G_MAXINT32, "'%s' has an impossible number.", what);
  return TRUE;
}

/* Reads kernel, stride and padding, from args[0] on. An empty stride means the kernel's size. */
static gboolean
arg_window (PtValue *const *args, Pool *p, GError **error)
{
  if (!arg_pair_of (args[0], "kernel_size", 1, p->kernel, error))
    return FALSE;
  if (args[1]->kind == PT_VALUE_INT_LIST && args[1]->as_values.count == 0) {
    p->stride[0] = p->kernel[0], p->stride[1] = p->kernel[1];
  } else if (!arg_pair_of (args[1], "stride", 1, p->stride, error)) {
    return FALSE;
  }
  if (!arg_pair_of (args[2], "padding", 0, p->padding, error))
    return FALSE;
  PT_CHECK (p->padding[0] <= p->kernel[0] / 2 && p->padding[1] <= p->kernel[1] / 2,
            "The padding of a pool is at most half its kernel.");
  return TRUE;
}

static gboolean
set_planes (const PtView *in, Pool *p, GError **error)
{
  PT_CHECK (in->rank == 3 || in->rank == 4, "A pool needs pictures.");
  for (guint i = in->rank - 3; i < in->rank; i++)
    PT_CHECK (in->sizes[i] > 0, "A pool needs pictures that are not empty.");
  p->in[0] = in->sizes[in->rank - 2];
  p->in[1] = in->sizes[in->rank - 1];
  p->planes = pt_view_count (in, 0, in->rank - 2);
  return TRUE;
}

static gboolean
plan_pool (const PtView *in, gboolean ceil_mode, Pool *p, gint64 *sizes, GError **error)
{
  if (!set_planes (in, p, error))
    return FALSE;
  for (guint i = 0; i < in->rank - 2; i++)
    sizes[i] = in->sizes[i];
  for (guint i = 0; i < 2; i++) {
    gint64 reach = p->in[i] + 2 * p->padding[i] - p->dilation[i] * (p->kernel[i] - 1) - 1;
    gint64 out;

    PT_CHECK (reach + (ceil_mode ? p->stride[i] - 1 : 0) >= 0, "A pool would have no output.");
    out = (reach + (ceil_mode ? p->stride[i] - 1 : 0)) / p->stride[i] + 1;
    if (ceil_mode && (out - 1) * p->stride[i] >= p->in[i] + p->padding[i])
      out--;
    p->out[i] = out;
    sizes[in->rank - 2 + i] = out;
  }
  return TRUE;
}

/* Makes all tensors dense and runs the pool. @indices may be NULL. */
static gboolean
run_pool (PtExecution *execution, Pool *p, const PtPoolTask *tasks, PtView *in, const PtView *out,
          const PtView *indices, GError **error)
{
  PtCompute compute = pt_compute_of (in->dtype);
  PtDType dtype = pt_compute_dtype (compute);
  PtView y, index_work;

  if (!pt_make_dense (execution, dtype, in, error) ||
      !pt_make_work (execution, dtype, out, &y, error) ||
      (indices != NULL && !pt_make_work (execution, PT_DTYPE_I64, indices, &index_work, error)))
    return FALSE;
  p->x = in->data;
  p->y = y.data;
  p->indices = indices != NULL ? (gint64 *) index_work.data : NULL;
  if (out->numel > 0)
    pt_pool_run (pt_execution_pool (execution), p->planes,
                 (gsize) MAX (1, 8192 / (p->in[0] * p->in[1])), tasks[compute], p);
  return pt_finish_work (execution, out, &y, error) &&
         (indices == NULL || pt_finish_work (execution, indices, &index_work, error));
}

PT_KERNEL (max_pool2d_with_indices_out)
{
  static const PtPoolTask tasks[PT_N_COMPUTES] = { max_i64, max_f32, max_f64 };
  Pool p = { 0 };
  PtView in, out, indices;
  gint64 sizes[4];
  gboolean ceil_mode;

  return pt_arg_view (args[0], "self", PT_RH, &in, error) && arg_window (args + 1, &p, error) &&
         arg_pair_of (args[4], "dilation", 1, p.dilation, error) &&
         pt_value_bool (args[5], "ceil_mode", &ceil_mode, error) &&
         plan_pool (&in, ceil_mode, &p, sizes, error) &&
         pt_arg_out (args[6], 1u << in.dtype, in.rank, sizes, &out, error) &&
         pt_arg_out (args[7], PT_BIT (I64), in.rank, sizes, &indices, error) &&
         run_pool (execution, &p, tasks, &in, &out, &indices, error);
}

static const PtDTypeSet averaged = PT_FL | PT_BIT (I64);

PT_KERNEL (avg_pool2d_out)
{
  static const PtPoolTask tasks[PT_N_COMPUTES] = { avg_i64, avg_f32, avg_f64 };
  Pool p = { .dilation = { 1, 1 } };
  PtView in, out;
  gint64 sizes[4];
  gboolean ceil_mode;

  if (!pt_arg_view (args[0], "self", averaged, &in, error) || !arg_window (args + 1, &p, error) ||
      !pt_value_bool (args[4], "ceil_mode", &ceil_mode, error) ||
      !pt_value_bool (args[5], "count_include_pad", &p.count_padding, error) ||
      !pt_value_optional_int (args[6], "divisor_override", 0, &p.divisor, error))
    return FALSE;
  PT_CHECK (pt_value_is_none (args[6]) || p.divisor != 0, "A sum cannot be divided by zero.");
  return plan_pool (&in, ceil_mode, &p, sizes, error) &&
         pt_arg_out (args[7], 1u << in.dtype, in.rank, sizes, &out, error) &&
         run_pool (execution, &p, tasks, &in, &out, NULL, error);
}

PT_KERNEL (adaptive_avg_pool2d_out)
{
  static const PtPoolTask tasks[PT_N_COMPUTES] = { adaptive_i64, adaptive_f32, adaptive_f64 };
  Pool p = { 0 };
  PtView in, out;
  gint64 sizes[4];

  if (!pt_arg_view (args[0], "self", averaged, &in, error) || !set_planes (&in, &p, error) ||
      !arg_pair_of (args[1], "output_size", 0, p.out, error))
    return FALSE;
  for (guint i = 0; i < in.rank - 2; i++)
    sizes[i] = in.sizes[i];
  sizes[in.rank - 2] = p.out[0], sizes[in.rank - 1] = p.out[1];
  return pt_arg_out (args[2], 1u << in.dtype, in.rank, sizes, &out, error) &&
         run_pool (execution, &p, tasks, &in, &out, NULL, error);
}

/* The gradient of max pooling: gradients are added at the positions of the maxima. */
PT_KERNEL (max_pool2d_backward_grad_input)
{
  PtView grad, in, indices, out, work;
  gsize planes, outputs, inputs;

  if (!pt_arg_view (args[0], "grad_output", PT_FL, &grad, error) ||
      !pt_arg_view (args[1], "self", 1u << grad.dtype, &in, error) ||
      !pt_arg_view (args[7], "indices", PT_BIT (I64), &indices, error))
    return FALSE;
  PT_CHECK ((in.rank == 3 || in.rank == 4) && grad.rank == in.rank &&
                pt_view_same_shape (&grad, &indices),
            "The gradients of a pool do not fit its indices.");
  for (guint i = 0; i < in.rank - 2; i++)
    PT_CHECK (grad.sizes[i] == in.sizes[i], "The gradients of a pool do not fit its input.");
  if (!pt_arg_out (args[8], 1u << grad.dtype, in.rank, in.sizes, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &grad, error) ||
      !pt_make_dense (execution, PT_DTYPE_I64, &indices, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, &out, &work, error))
    return FALSE;
  planes = pt_view_count (&in, 0, in.rank - 2);
  outputs = pt_view_count (&grad, in.rank - 2, in.rank);
  inputs = pt_view_count (&in, in.rank - 2, in.rank);
  for (gsize i = 0; i < work.numel; i++)
    ((double *) work.data)[i] = 0;
  for (gsize plane = 0; plane < planes; plane++)
    for (gsize i = 0; i < outputs; i++) {
      gint64 at = ((const gint64 *) indices.data)[plane * outputs + i];

      PT_CHECK (at >= 0 && (gsize) at < inputs, "An index of a pool is out of range.");
      ((double *) work.data)[plane * inputs + (gsize) at] +=
          ((const double *) grad.data)[plane * outputs + i];
    }
  return pt_finish_work (execution, &out, &work, error);
}

static const PtOperator operators[] = {
  { "aten::_adaptive_avg_pool2d.out", adaptive_avg_pool2d_out, 4, 2, 1 },
  { "aten::avg_pool2d.out", avg_pool2d_out, 9, 7, 1 },
  { "aten::max_pool2d_with_indices.out", max_pool2d_with_indices_out, 9, 6, 2 },
  { "aten::max_pool2d_with_indices_backward.grad_input", max_pool2d_backward_grad_input, 10, 8, 1 },
};

const PtOperatorFamily pt_pool_family = { operators, G_N_ELEMENTS (operators) };
