/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of convolution, pooling and resampling (docs/formats/vulkan.md, section 8.5). */
#include <math.h>

#include "engine/vulkan/vk-emit-matrices.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* Of shaders/conv2d.comp: places of one group. */
#define PLACES 128
/* Of shaders/conv-tile.comp: channels and places of a tile; and what fills one at least. */
#define TILE 32
#define LEAST_CHANNELS 8
#define LEAST_PRODUCTS 32
/* Larger tiles, of shaders/matmul.comp, are faster from this number of elements on. */
#define MANY_ELEMENTS (64 * 64 * 100)

/* ---- Convolution ---- */

/* Argument @arg as numbers that do not change from call to call. */
static gboolean
are_floats (const PtVkEmitter *emitter, guint n)
{
  for (guint i = 0; i < n; i++)
    if (pt_vk_in_value (emitter, i)->kind == PT_VK_TENSOR && !pt_vk_is (emitter, i, PT_DTYPE_F32))
      return FALSE;
  return pt_vk_out_is (emitter, 0, PT_DTYPE_F32);
}

static gboolean
is_pointwise (const PtVkConvolution *c)
{
  for (guint k = 0; k < 2; k++)
    if (c->kernel[k] != 1 || c->stride[k] != 1 || c->padding[k] != 0 || c->output_padding[k] != 0)
      return FALSE;
  return c->groups == 1 && c->batch == 1 && !c->transposed;
}

/* y [O, places] = w [O, C] . x [C, places] + bias */
static PtVkEmitted
emit_pointwise (PtVkEmitter *emitter, const PtVkConvolution *c, double least, double most,
                GError **error)
{
  PtVkProduct p = pt_vk_product ();

  p.kind = PT_VK_WEIGHT_ROWS;
  p.m = (gsize) c->out_channels;
  p.k = (gsize) c->in_channels;
  p.n = p.stride = (gsize) (c->out[0] * c->out[1]);
  p.a = pt_vk_in_index (emitter, 1);
  p.b = pt_vk_in_index (emitter, 0);
  p.y = pt_vk_out_index (emitter, 0);
  if (pt_vk_in_value (emitter, 2)->kind == PT_VK_TENSOR) {
    p.bias = pt_vk_in_index (emitter, 2);
    p.bias_row = 1;
  }
  p.least = least;
  p.most = most;
  return pt_vk_emit_product (emitter, &p, error);
}

static void
push_convolution (PtVkDispatch *d, const PtVkConvolution *c)
{
  pt_vk_push (d, (guint32) (c->in_channels / c->groups));
  pt_vk_push (d, (guint32) (c->out_channels / c->groups));
  pt_vk_push (d, (guint32) c->groups);
  pt_vk_push (d, (guint32) c->in[0]);
  pt_vk_push (d, (guint32) c->in[1]);
  pt_vk_push (d, (guint32) c->out[0]);
  pt_vk_push (d, (guint32) c->out[1]);
  pt_vk_push (d, (guint32) c->kernel[0]);
  pt_vk_push (d, (guint32) c->kernel[1]);
  pt_vk_push (d, (guint32) c->stride[0]);
  pt_vk_push (d, (guint32) c->stride[1]);
  pt_vk_push (d, (guint32) c->padding[0]);
  pt_vk_push (d, (guint32) c->padding[1]);
  pt_vk_push (d, (guint32) c->dilation[0]);
  pt_vk_push (d, (guint32) c->dilation[1]);
}

static double
work_of (const PtVkConvolution *c)
{
  return (double) (c->batch * c->out_channels * c->out[0]) * (double) c->out[1] *
         (double) (c->in_channels / c->groups) * (double) (c->kernel[0] * c->kernel[1]);
}

/* Whether a channel of the output is the sum of enough products, and there are enough channels, for
 * tiles. */
static gboolean
fills_tiles (const PtVkConvolution *c)
{
  gint64 products = c->in_channels / c->groups * c->kernel[0] * c->kernel[1];

  return !c->transposed && c->out_channels / c->groups >= LEAST_CHANNELS &&
         products >= LEAST_PRODUCTS;
}

/* Specialisation constants and groups: of tiles, or of neighbouring channels, which share what they
 * read. FALSE: too many groups. */
static gboolean
complete_convolution (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkConvolution *c)
{
  gboolean by_tiles = fills_tiles (c);
  gsize places = (gsize) (c->out[0] * c->out[1]), in_group = (gsize) (c->out_channels / c->groups);
  gsize channels = by_tiles ? TILE : MIN (in_group, 8), width = by_tiles ? TILE : PLACES;

  d->shader = by_tiles ? PT_VK_SHADER_conv_tile : PT_VK_SHADER_conv2d;
  pt_vk_constant (d, (guint32) (by_tiles ? c->kernel[0] : c->transposed));
  pt_vk_constant (d, (guint32) (by_tiles ? (gsize) c->kernel[1] : channels));
  return pt_vk_groups_3d (emitter, d, (places + width - 1) / width,
                          (gsize) c->groups * ((in_group + channels - 1) / channels),
                          (gsize) c->batch);
}

PT_VK_EMIT (convolution)
{
  double least =
      call->op->code != 0 ? pt_vk_double (emitter->graph, call, 9, -HUGE_VAL) : -HUGE_VAL;
  double most = call->op->code != 0 ? pt_vk_double (emitter->graph, call, 10, HUGE_VAL) : HUGE_VAL;
  gboolean has_bias = pt_vk_in_value (emitter, 2)->kind == PT_VK_TENSOR;
  PtVkConvolution c;
  PtVkDispatch *d;

  if (!pt_vk_convolution_of (emitter->graph, call, &c, error))
    return PT_VK_FAILED;
  if (!are_floats (emitter, 3))
    return PT_VK_DECLINED;
  if (is_pointwise (&c) &&
      (!fills_tiles (&c) || c.out_channels * c.out[0] * c.out[1] >= MANY_ELEMENTS))
    return emit_pointwise (emitter, &c, least, most, error);
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_conv2d);
  pt_vk_constant (d, has_bias);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 1), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, has_bias ? 2 : 1), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  push_convolution (d, &c);
  pt_vk_push_float (d, least);
  pt_vk_push_float (d, most);
  if (!complete_convolution (emitter, d, &c))
    return PT_VK_DECLINED;
  d->work = work_of (&c);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (q8_convolution)
{
  gboolean has_bias = pt_vk_in_value (emitter, 8)->kind == PT_VK_TENSOR;
  const PtVkShape *weight = &pt_vk_in_value (emitter, 3)->shape;
  PtVkConvolution c;
  PtVkDispatch *d;

  if (!pt_vk_q8_convolution_of (emitter->graph, call, &c, error))
    return PT_VK_FAILED;
  if (!pt_vk_is (emitter, 0, PT_DTYPE_I8) || !pt_vk_is (emitter, 3, PT_DTYPE_I8) ||
      !pt_vk_is (emitter, 5, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_I8) ||
      (has_bias && !pt_vk_is (emitter, 8, PT_DTYPE_F32)) ||
      pt_vk_in_value (emitter, 5)->numel < (gsize) c.out_channels ||
      (has_bias && pt_vk_in_value (emitter, 8)->numel < (gsize) c.out_channels))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_q8_conv2d);
  pt_vk_constant (d, has_bias);
  pt_vk_constant (d, weight->rank == 3);
  pt_vk_constant (d, pt_vk_is_text (emitter->graph, call, 14, "relu"));
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 3), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 5), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, has_bias ? 8 : 5), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  push_convolution (d, &c);
  pt_vk_push (d, (guint32) weight->sizes[weight->rank - 1]);
  pt_vk_push (d, (guint32) (gint32) CLAMP (pt_vk_int (emitter->graph, call, 2, 0), -128, 127));
  pt_vk_push_float (d, pt_vk_double (emitter->graph, call, 1, 1));
  pt_vk_push_float (d, 1 / pt_vk_double (emitter->graph, call, 6, 1));
  pt_vk_push_float (d, (double) pt_vk_int (emitter->graph, call, 7, 0));
  if (!pt_vk_groups_3d (emitter, d, ((gsize) (c.out[0] * c.out[1]) + PLACES - 1) / PLACES,
                        (gsize) c.out_channels, (gsize) c.batch))
    return PT_VK_DECLINED;
  d->work = work_of (&c);
  return PT_VK_EMITTED;
}

/* ---- Pooling and resampling ---- */

static PtVkEmitted
emit_pool (PtVkEmitter *emitter, gboolean is_average, GError **error)
{
  gboolean has_places = pt_vk_n_outs (emitter->graph, emitter->call) > 1;
  gsize n = pt_vk_out_value (emitter, 0)->numel;
  PtVkPooling p;
  PtVkDispatch *d;

  if (!pt_vk_pooling_of (emitter->graph, emitter->call, is_average, &p, error))
    return PT_VK_FAILED;
  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) ||
      (has_places && !pt_vk_out_is (emitter, 1, PT_DTYPE_I32)) || p.divisor < 0 ||
      p.divisor > G_MAXINT32)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_pool);
  pt_vk_constant (d, is_average);
  pt_vk_constant (d, has_places);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, has_places ? 1 : 0));
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) p.in[0]);
  pt_vk_push (d, (guint32) p.in[1]);
  pt_vk_push (d, (guint32) p.out[0]);
  pt_vk_push (d, (guint32) p.out[1]);
  for (guint k = 0; k < 2; k++)
    pt_vk_push (d, (guint32) p.kernel[k]);
  for (guint k = 0; k < 2; k++)
    pt_vk_push (d, (guint32) p.stride[k]);
  for (guint k = 0; k < 2; k++)
    pt_vk_push (d, (guint32) p.padding[k]);
  for (guint k = 0; k < 2; k++)
    pt_vk_push (d, (guint32) p.dilation[k]);
  pt_vk_push (d, p.count_padding);
  pt_vk_push (d, (guint32) p.divisor);
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (max_pool)
{
  return emit_pool (emitter, FALSE, error);
}

PT_VK_EMIT (avg_pool)
{
  return emit_pool (emitter, TRUE, error);
}

/* The step in the input for a step in the output. */
static double
step_of (PtVkEmitter *emitter, guint k, gboolean aligns)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;
  guint scale_arg = 2 + emitter->call->op->code;
  double scales[2] = { 0 };
  double from = (double) in->sizes[2 + k], to = (double) out->sizes[2 + k];

  if (aligns)
    return to > 1 ? (from - 1) / (to - 1) : 0;
  if (pt_vk_doubles (emitter->graph, emitter->call, scale_arg, scales, 2) == 2 && scales[k] > 0)
    return 1 / scales[k];
  return from / to;
}

PT_VK_EMIT (upsample)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;
  gboolean is_bilinear = call->op->code != 0;
  gboolean aligns = is_bilinear && pt_vk_bool (emitter->graph, call, 2);
  gsize n = pt_vk_out_value (emitter, 0)->numel;
  PtVkDispatch *d;

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32))
    return PT_VK_DECLINED;
  pt_vk_bake_list (emitter, 1);
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_upsample);
  pt_vk_constant (d, is_bilinear);
  pt_vk_constant (d, aligns);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) in->sizes[2]);
  pt_vk_push (d, (guint32) in->sizes[3]);
  pt_vk_push (d, (guint32) out->sizes[2]);
  pt_vk_push (d, (guint32) out->sizes[3]);
  pt_vk_push_float (d, step_of (emitter, 0, aligns));
  pt_vk_push_float (d, step_of (emitter, 1, aligns));
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
