/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradients of a convolution, for programs that train (docs/formats/operators.md, section 8.2). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* All tensors are dense and in double. Index 0 is height, 1 is width. */
typedef struct {
  gint64 n, in_channels, out_channels, groups;
  gint64 in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
  const double *grad, *x, *w;
  double *grad_x, *grad_w, *grad_b; /* NULL: this gradient is not requested */
} Backward;

/*
 * Adds the contribution of the gradient @g of one output to the gradients of its inputs and
 * weights.
 */
static void
spread (const Backward *b, gint64 n, gint64 oc, gint64 oy, gint64 ox, double g)
{
  gint64 in_group = b->in_channels / b->groups, group = oc / (b->out_channels / b->groups);

  for (gint64 i = 0; i < in_group; i++)
    for (gint64 ky = 0; ky < b->kernel[0]; ky++) {
      gint64 iy = oy * b->stride[0] + ky * b->dilation[0] - b->padding[0];

      if (iy < 0 || iy >= b->in[0])
        continue;
      for (gint64 kx = 0; kx < b->kernel[1]; kx++) {
        gint64 ix = ox * b->stride[1] + kx * b->dilation[1] - b->padding[1], x, w;

        if (ix < 0 || ix >= b->in[1])
          continue;
        x = ((n * b->in_channels + group * in_group + i) * b->in[0] + iy) * b->in[1] + ix;
        w = ((oc * in_group + i) * b->kernel[0] + ky) * b->kernel[1] + kx;
        if (b->grad_x != NULL)
          b->grad_x[x] += g * b->w[w];
        if (b->grad_w != NULL)
          b->grad_w[w] += g * b->x[x];
      }
    }
}

static void
run_backward (const Backward *b)
{
  const double *g = b->grad;

  for (gint64 n = 0; n < b->n; n++)
    for (gint64 oc = 0; oc < b->out_channels; oc++)
      for (gint64 oy = 0; oy < b->out[0]; oy++)
        for (gint64 ox = 0; ox < b->out[1]; ox++, g++) {
          spread (b, n, oc, oy, ox, *g);
          if (b->grad_b != NULL)
            b->grad_b[oc] += *g;
        }
}

static gboolean
arg_numbers (const PtValue *value, const char *what, gint64 min, gint64 *out, GError **error)
{
  if (!pt_arg_ints_n (value, what, out, 2, error))
    return FALSE;
  PT_CHECK (out[0] >= min && out[1] >= min && out[0] <= G_MAXINT32 && out[1] <= G_MAXINT32,
            "'%s' has an impossible number.", what);
  return TRUE;
}

static gboolean
plan_backward (PtValue *const *args, const PtView *grad, const PtView *in, const PtView *weight,
               Backward *b, GError **error)
{
  if (!arg_numbers (args[4], "stride", 1, b->stride, error) ||
      !arg_numbers (args[5], "padding", 0, b->padding, error) ||
      !arg_numbers (args[6], "dilation", 1, b->dilation, error) ||
      !pt_arg_false (args[7], "transposed", error) ||
      !pt_value_int (args[9], "groups", &b->groups, error))
    return FALSE;
  PT_CHECK (grad->rank == 4 && in->rank == 4 && weight->rank == 4 && b->groups > 0 &&
                weight->sizes[0] % b->groups == 0 && in->sizes[1] % b->groups == 0 &&
                in->sizes[1] / b->groups == weight->sizes[1] && grad->sizes[0] == in->sizes[0] &&
                grad->sizes[1] == weight->sizes[0],
            "The gradients of a convolution do not fit it.");
  b->n = in->sizes[0];
  b->in_channels = in->sizes[1];
  b->out_channels = weight->sizes[0];
  for (guint i = 0; i < 2; i++) {
    gint64 reach;

    b->in[i] = in->sizes[i + 2];
    b->kernel[i] = weight->sizes[i + 2];
    b->out[i] = grad->sizes[i + 2];
    reach = b->in[i] + 2 * b->padding[i] - b->dilation[i] * (b->kernel[i] - 1) - 1;
    PT_CHECK (reach >= 0 && reach / b->stride[i] + 1 == b->out[i],
              "The gradients of a convolution do not fit it.");
  }
  return TRUE;
}

/* Sizes the output of a requested gradient, and allocates zeroed memory to sum it in. */
static gboolean
take_gradient (PtExecution *execution, const PtValue *value, PtDType dtype, guint rank,
               const gint64 *sizes, PtView *out, PtView *work, double **data, GError **error)
{
  if (!pt_arg_out (value, 1u << dtype, rank, sizes, out, error) ||
      !pt_scratch_view (execution, PT_DTYPE_F64, rank, sizes, work, error))
    return FALSE;
  *data = (double *) work->data;
  memset (work->data, 0, work->numel * sizeof (double));
  return TRUE;
}

PT_KERNEL (convolution_backward_out)
{
  Backward b = { 0 };
  PtView grad, in, weight, outs[3], works[3];
  double **gradients[3] = { &b.grad_x, &b.grad_w, &b.grad_b };
  const gint64 *sizes[3];
  static const guint ranks[3] = { 4, 4, 1 };

  if (!pt_arg_view (args[0], "grad_output", PT_FL, &grad, error) ||
      !pt_arg_view (args[1], "input", 1u << grad.dtype, &in, error) ||
      !pt_arg_view (args[2], "weight", 1u << grad.dtype, &weight, error) ||
      !plan_backward (args, &grad, &in, &weight, &b, error))
    return FALSE;
  if (args[10]->kind != PT_VALUE_BOOL_LIST || args[10]->as_bools.count != 3)
    return pt_fail (error, PT_ERROR_TYPE, "'output_mask' must be three flags.");
  sizes[0] = in.sizes, sizes[1] = weight.sizes, sizes[2] = &b.out_channels;
  for (guint i = 0; i < 3; i++)
    if (args[10]->as_bools.items[i] &&
        !take_gradient (execution, args[11 + i], grad.dtype, ranks[i], sizes[i], &outs[i],
                        &works[i], gradients[i], error))
      return FALSE;
  if (!pt_make_dense (execution, PT_DTYPE_F64, &grad, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &in, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &weight, error))
    return FALSE;
  b.grad = (const double *) grad.data;
  b.x = (const double *) in.data;
  b.w = (const double *) weight.data;
  run_backward (&b);
  for (guint i = 0; i < 3; i++)
    if (*gradients[i] != NULL && !pt_finish_work (execution, &outs[i], &works[i], error))
      return FALSE;
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::convolution_backward.out", convolution_backward_out, 15, 11, 3 },
};

const PtOperatorFamily pt_convolution_backward_family = { operators, G_N_ELEMENTS (operators) };
