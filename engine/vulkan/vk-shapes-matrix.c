/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of products, convolutions, pooling, resampling, language models and symbols. */
#include <string.h>

#include "engine/vulkan/vk-shapes.h"

static const PtVkShape *
shape_of (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return &pt_vk_arg (graph, call, i)->shape;
}

static gboolean
set_out (const PtVkGraph *graph, const PtVkCall *call, const PtVkShape *shape, GError **error)
{
  return pt_vk_set_shape (graph, pt_vk_out (graph, call, 0), shape, error);
}

/* ---- Products ---- */

static gboolean
set_product (const PtVkGraph *graph, const PtVkCall *call, guint first, GError **error)
{
  const PtVkShape *a = shape_of (graph, call, first), *b = shape_of (graph, call, first + 1);
  PtVkShape shape = *a;
  guint n = a->rank;

  if (n != b->rank || n < 2 || n > 3 || a->sizes[n - 1] != b->sizes[n - 2] ||
      (n == 3 && a->sizes[0] != b->sizes[0]))
    return pt_vk_misfit (call, "matrices of different sizes are multiplied", error);
  shape.sizes[n - 1] = b->sizes[n - 1];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (matmul)
{
  return set_product (graph, call, 0, error);
}

PT_VK_SHAPE (addmm)
{
  const PtVkShape *out;
  PtVkShape both;

  if (!set_product (graph, call, 1, error))
    return FALSE;
  out = &graph->values[pt_vk_out (graph, call, 0)].shape;
  if (!pt_vk_broadcast (out, shape_of (graph, call, 0), &both, error))
    return FALSE;
  return memcmp (&both, out, sizeof both) == 0 ||
         pt_vk_misfit (call, "a bias is larger than its product", error);
}

static gboolean
set_rows (const PtVkGraph *graph, const PtVkCall *call, gint64 k, gint64 n, GError **error)
{
  PtVkShape shape = *shape_of (graph, call, 0);

  if (shape.rank == 0 || shape.sizes[shape.rank - 1] != k)
    return pt_vk_misfit (call, "a linear layer has another width than its input", error);
  shape.sizes[shape.rank - 1] = n;
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (linear)
{
  const PtVkShape *weight = shape_of (graph, call, 1);
  const PtVkValue *bias = pt_vk_tensor (graph, call, 2);

  if (weight->rank != 2 ||
      (bias != NULL && (bias->shape.rank != 1 || bias->shape.sizes[0] != weight->sizes[0])))
    return pt_vk_misfit (call, "a linear layer has a weight or bias of the wrong size", error);
  return set_rows (graph, call, weight->sizes[1], weight->sizes[0], error);
}

/* The weight may have padding: the number of columns is that of the input, the number of rows that
 * of the output. */
PT_VK_SHAPE (quant_linear)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  const PtVkValue *out = &graph->values[pt_vk_out (graph, call, 0)];
  const PtVkShape *weight = shape_of (graph, call, call->op->code & 15);
  gint64 columns;

  if (shape.rank == 0 || weight->rank != 2 || out->bound.rank != shape.rank)
    return pt_vk_misfit (call, "a linear layer has a weight of the wrong rank", error);
  /* Bit 4 of the operator's code: two columns in one byte. */
  columns = (call->op->code & 16) != 0 ? weight->sizes[1] * 2 : weight->sizes[1];
  if (columns < shape.sizes[shape.rank - 1] || weight->sizes[0] < out->bound.sizes[shape.rank - 1])
    return pt_vk_misfit (call, "a linear layer has a smaller weight than its input", error);
  shape.sizes[shape.rank - 1] = out->bound.sizes[shape.rank - 1];
  return set_out (graph, call, &shape, error);
}

/* ---- Convolution ---- */

/* Two numbers of a list of none (@fallback), one, or two. With one dimension, the first is
 * @fallback. */
static gboolean
read_pair (const PtVkGraph *graph, const PtVkCall *call, guint i, guint n_dims, gint64 fallback,
           gint64 least, gint64 *out, GError **error)
{
  gint64 items[2] = { fallback, fallback };
  guint n = pt_vk_ints (graph, call, i, items, 2);

  if (n > 2 || (n_dims == 1 && n > 1))
    return pt_vk_misfit (call, "a window has too many sizes", error);
  if (n == 1)
    items[1] = items[0];
  if (n_dims == 1)
    items[0] = fallback;
  for (guint k = 0; k < 2; k++) {
    if (items[k] < least || items[k] > G_MAXINT16)
      return pt_vk_misfit (call, "a window has a size below 1 or a very large one", error);
    out[k] = items[k];
  }
  return TRUE;
}

/* The number of places of a window; -1: none */
static gint64
places (gint64 in, gint64 kernel, gint64 stride, gint64 padding, gint64 dilation)
{
  gint64 room = in + 2 * padding - dilation * (kernel - 1) - 1;

  return room < 0 ? -1 : room / stride + 1;
}

static gboolean
finish_convolution (const PtVkCall *call, PtVkConvolution *c, GError **error)
{
  for (guint k = 0; k < 2; k++) {
    if (c->kernel[k] < 1 || c->kernel[k] > G_MAXINT16)
      return pt_vk_misfit (call, "a convolution has a window without size", error);
    c->out[k] = c->transposed
                    ? (c->in[k] - 1) * c->stride[k] - 2 * c->padding[k] +
                          c->dilation[k] * (c->kernel[k] - 1) + c->output_padding[k] + 1
                    : places (c->in[k], c->kernel[k], c->stride[k], c->padding[k], c->dilation[k]);
    if (c->out[k] < 1)
      return pt_vk_misfit (call, "a convolution has a window larger than its input", error);
  }
  return TRUE;
}

static void
read_input (const PtVkShape *in, PtVkConvolution *c)
{
  c->n_dims = in->rank - 2;
  c->batch = in->sizes[0];
  c->in_channels = in->sizes[1];
  c->in[0] = in->rank == 4 ? in->sizes[2] : 1;
  c->in[1] = in->sizes[in->rank - 1];
}

gboolean
pt_vk_convolution_of (const PtVkGraph *graph, const PtVkCall *call, PtVkConvolution *c,
                      GError **error)
{
  const PtVkShape *in = shape_of (graph, call, 0), *weight = shape_of (graph, call, 1);
  const PtVkValue *bias = pt_vk_tensor (graph, call, 2);

  *c = (PtVkConvolution){ .transposed = pt_vk_bool (graph, call, 6) };
  if ((in->rank != 4 && in->rank != 3) || weight->rank != in->rank)
    return pt_vk_misfit (call, "a convolution has no one or two dimensions", error);
  read_input (in, c);
  c->groups = pt_vk_int (graph, call, 8, 1);
  if (!read_pair (graph, call, 3, c->n_dims, 1, 1, c->stride, error) ||
      !read_pair (graph, call, 4, c->n_dims, 0, 0, c->padding, error) ||
      !read_pair (graph, call, 5, c->n_dims, 1, 1, c->dilation, error) ||
      !read_pair (graph, call, 7, c->n_dims, 0, 0, c->output_padding, error))
    return FALSE;
  if (c->groups < 1 || c->groups > G_MAXINT32)
    return pt_vk_misfit (call, "a convolution has no groups", error);
  c->kernel[0] = in->rank == 4 ? weight->sizes[2] : 1;
  c->kernel[1] = weight->sizes[in->rank - 1];
  c->out_channels = c->transposed ? weight->sizes[1] * c->groups : weight->sizes[0];
  if (c->in_channels % c->groups != 0 || c->out_channels % c->groups != 0 ||
      (c->transposed ? weight->sizes[0] != c->in_channels
                     : weight->sizes[1] != c->in_channels / c->groups) ||
      (bias != NULL && (bias->shape.rank != 1 || bias->shape.sizes[0] != c->out_channels)))
    return pt_vk_misfit (call, "a convolution has a weight or bias of the wrong size", error);
  return finish_convolution (call, c, error);
}

gboolean
pt_vk_q8_convolution_of (const PtVkGraph *graph, const PtVkCall *call, PtVkConvolution *c,
                         GError **error)
{
  const PtVkShape *in = shape_of (graph, call, 0), *weight = shape_of (graph, call, 3);
  const PtVkValue *out = &graph->values[pt_vk_out (graph, call, 0)];
  /* A transposed one has output_padding before dilation. */
  guint shift = call->op->code;

  *c = (PtVkConvolution){ .transposed = shift != 0 };
  if (in->rank != 4 || out->bound.rank != 4)
    return pt_vk_misfit (call, "a quantised convolution has no two dimensions", error);
  read_input (in, c);
  c->groups = pt_vk_int (graph, call, 13 + shift, 1);
  c->out_channels = out->bound.sizes[1];
  if (!read_pair (graph, call, 9, 2, 1, 1, c->kernel, error) ||
      !read_pair (graph, call, 10, 2, 1, 1, c->stride, error) ||
      !read_pair (graph, call, 11, 2, 0, 0, c->padding, error) ||
      !read_pair (graph, call, 12 + shift, 2, 1, 1, c->dilation, error) ||
      (shift != 0 && !read_pair (graph, call, 12, 2, 0, 0, c->output_padding, error)))
    return FALSE;
  if (c->groups < 1 || c->groups > G_MAXINT32 || c->in_channels % c->groups != 0 ||
      c->out_channels % c->groups != 0)
    return pt_vk_misfit (call, "a convolution has groups that do not fit", error);
  if (weight->rank == 3
          ? weight->sizes[0] != c->kernel[0] || weight->sizes[1] != c->kernel[1] ||
                weight->sizes[2] < c->out_channels || c->groups != c->in_channels ||
                c->groups != c->out_channels
          : weight->rank != 2 || weight->sizes[0] < c->out_channels ||
                weight->sizes[1] < c->kernel[0] * c->kernel[1] * (c->in_channels / c->groups))
    return pt_vk_misfit (call, "a convolution has a weight of the wrong size", error);
  return finish_convolution (call, c, error);
}

static gboolean
set_convolved (const PtVkGraph *graph, const PtVkCall *call, const PtVkConvolution *c,
               GError **error)
{
  PtVkShape shape = { .rank = c->n_dims + 2, .sizes = { c->batch, c->out_channels } };

  if (c->n_dims == 2)
    shape.sizes[2] = c->out[0];
  shape.sizes[c->n_dims + 1] = c->out[1];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (convolution)
{
  PtVkConvolution c;

  return pt_vk_convolution_of (graph, call, &c, error) && set_convolved (graph, call, &c, error);
}

PT_VK_SHAPE (q8_convolution)
{
  PtVkConvolution c;

  return pt_vk_q8_convolution_of (graph, call, &c, error) && set_convolved (graph, call, &c, error);
}

/* ---- Pooling and resampling ---- */

/* A last window that begins in the padding behind the input is left out. */
static gint64
pooled (const PtVkPooling *p, guint k, gboolean rounds_up)
{
  gint64 room = p->in[k] + 2 * p->padding[k] - p->dilation[k] * (p->kernel[k] - 1) - 1;
  gint64 n;

  if (room < 0)
    return -1;
  n = (room + (rounds_up ? p->stride[k] - 1 : 0)) / p->stride[k] + 1;
  return rounds_up && (n - 1) * p->stride[k] >= p->in[k] + p->padding[k] ? n - 1 : n;
}

gboolean
pt_vk_pooling_of (const PtVkGraph *graph, const PtVkCall *call, gboolean is_average, PtVkPooling *p,
                  GError **error)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gint64 strides[2];

  *p = (PtVkPooling){ .dilation = { 1, 1 }, .planes = 1 };
  if (in->rank != 3 && in->rank != 4)
    return pt_vk_misfit (call, "pooling has no two dimensions", error);
  for (guint i = 0; i < in->rank - 2; i++)
    p->planes *= in->sizes[i];
  p->in[0] = in->sizes[in->rank - 2];
  p->in[1] = in->sizes[in->rank - 1];
  if (!read_pair (graph, call, 1, 2, 1, 1, p->kernel, error) ||
      !read_pair (graph, call, 2, 2, 1, 1, p->stride, error) ||
      !read_pair (graph, call, 3, 2, 0, 0, p->padding, error) ||
      (!is_average && !read_pair (graph, call, 4, 2, 1, 1, p->dilation, error)))
    return FALSE;
  if (pt_vk_ints (graph, call, 2, strides, 2) == 0)
    memcpy (p->stride, p->kernel, sizeof p->stride);
  if (is_average) {
    p->count_padding = pt_vk_bool (graph, call, 5);
    p->divisor = pt_vk_int (graph, call, 6, 0);
  }
  for (guint k = 0; k < 2; k++) {
    p->out[k] = pooled (p, k, pt_vk_bool (graph, call, is_average ? 4 : 5));
    if (p->out[k] < 1 || p->padding[k] > p->kernel[k] / 2)
      return pt_vk_misfit (call, "pooling has a window or padding of the wrong size", error);
  }
  return TRUE;
}

static gboolean
set_pooled (const PtVkGraph *graph, const PtVkCall *call, gboolean is_average, GError **error)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  PtVkPooling p;

  if (!pt_vk_pooling_of (graph, call, is_average, &p, error))
    return FALSE;
  shape.sizes[shape.rank - 2] = p.out[0];
  shape.sizes[shape.rank - 1] = p.out[1];
  for (guint k = 0; k < pt_vk_n_outs (graph, call); k++)
    if (!pt_vk_set_shape (graph, pt_vk_out (graph, call, k), &shape, error))
      return FALSE;
  return TRUE;
}

PT_VK_SHAPE (max_pool)
{
  return set_pooled (graph, call, FALSE, error);
}

PT_VK_SHAPE (avg_pool)
{
  return set_pooled (graph, call, TRUE, error);
}

/* Code 1: the scales are argument 3 (bilinear), else argument 2. */
PT_VK_SHAPE (upsample)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  guint scale_arg = 2 + call->op->code;
  gint64 sizes[2];
  double scales[2];
  guint n = pt_vk_ints (graph, call, 1, sizes, 2);

  if (shape.rank != 4 || (n != 0 && n != 2))
    return pt_vk_misfit (call, "a picture that is resized has no four dimensions", error);
  if (n == 0) {
    if (pt_vk_doubles (graph, call, scale_arg, scales, 2) != 2)
      return pt_vk_misfit (call, "a picture is resized to no size", error);
    for (guint k = 0; k < 2; k++) {
      double size = (double) shape.sizes[2 + k] * scales[k];

      if (!(size >= 0 && size < G_MAXINT32))
        return pt_vk_misfit (call, "a picture is resized by a wrong factor", error);
      sizes[k] = (gint64) size;
    }
  }
  if (shape.sizes[2] < 1 || shape.sizes[3] < 1)
    return pt_vk_misfit (call, "an empty picture is resized", error);
  shape.sizes[2] = sizes[0];
  shape.sizes[3] = sizes[1];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (grid_sample)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  const PtVkShape *grid = shape_of (graph, call, 1);

  if (shape.rank != 4 || grid->rank != 4 || grid->sizes[0] != shape.sizes[0] || grid->sizes[3] != 2)
    return pt_vk_misfit (call, "a grid does not fit its picture", error);
  shape.sizes[2] = grid->sizes[1];
  shape.sizes[3] = grid->sizes[2];
  return set_out (graph, call, &shape, error);
}

/* ---- Language models ---- */

PT_VK_SHAPE (rotary)
{
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *x = shape_of (graph, call, k);

    if (x->rank != 4 || x->sizes[3] % 2 != 0)
      return pt_vk_misfit (call, "rotary embedding has no four dimensions", error);
    if (pt_vk_n_outs (graph, call) != 2)
      return pt_vk_misfit (call, "rotary embedding has no two outputs", error);
    if (!pt_vk_set_shape (graph, pt_vk_out (graph, call, k), x, error))
      return FALSE;
  }
  return TRUE;
}

/* The query and its heads give the shape; the last dimension is that of the values. */
PT_VK_SHAPE (attention)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  const PtVkShape *values = shape_of (graph, call, 2);

  if (shape.rank != 4 || values->rank != 4 || shape_of (graph, call, 1)->rank != 4)
    return pt_vk_misfit (call, "attention has no four dimensions", error);
  shape.sizes[3] = values->sizes[3];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (choose_qparams)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  const PtVkValue *scale;

  if (pt_vk_n_outs (graph, call) != 2 || shape.rank == 0)
    return pt_vk_misfit (call, "the choice of a scale has no two outputs", error);
  scale = &graph->values[pt_vk_out (graph, call, 0)];
  if (scale->bound.rank == shape.rank)
    shape.sizes[shape.rank - 1] = 1; /* the dimension is kept */
  else
    shape.rank--;
  if (shape.rank < PT_VK_MAX_RANK && scale->bound.rank != shape.rank)
    return pt_vk_misfit (call, "the scales of rows have a shape that does not fit", error);
  for (guint i = shape.rank; i < PT_VK_MAX_RANK; i++)
    shape.sizes[i] = 0;
  return pt_vk_set_shape (graph, pt_vk_out (graph, call, 0), &shape, error) &&
         pt_vk_set_shape (graph, pt_vk_out (graph, call, 1), &shape, error);
}

/* One scale and one zero point of the whole tensor. */
PT_VK_SHAPE (choose_tensor)
{
  if (pt_vk_n_outs (graph, call) != 2 || pt_vk_arg (graph, call, 0)->numel == 0)
    return pt_vk_misfit (call, "the choice of a scale has no two outputs", error);
  for (guint k = 0; k < 2; k++) {
    PtVkValue *out = &graph->values[pt_vk_out (graph, call, k)];

    if (!pt_vk_set_shape (graph, pt_vk_out (graph, call, k), &out->bound, error))
      return FALSE;
    if (out->numel != 1)
      return pt_vk_misfit (call, "the scale of a tensor is not one number", error);
  }
  return TRUE;
}

PT_VK_SHAPE (embedding_q4)
{
  const PtVkShape *weight = shape_of (graph, call, 0), *scales = shape_of (graph, call, 1);
  PtVkShape shape = *shape_of (graph, call, 3);
  gint64 group = pt_vk_int (graph, call, 2, 0);

  if (weight->rank != 2 || scales->rank != 2 || shape.rank >= PT_VK_MAX_RANK || group < 1 ||
      scales->sizes[0] < weight->sizes[0] || weight->sizes[1] * 2 % group != 0 ||
      scales->sizes[1] < weight->sizes[1] * 2 / group)
    return pt_vk_misfit (call, "an embedding has scales that do not fit", error);
  shape.sizes[shape.rank++] = weight->sizes[1] * 2;
  return set_out (graph, call, &shape, error);
}

/* ---- Symbolic integers (docs/formats/vulkan.md, section 7) ---- */

static PtVkValue *
symbol_of (const PtVkGraph *graph, const PtVkCall *call)
{
  return pt_vk_arg (graph, call, call->n_args - 1);
}

PT_VK_SHAPE (sym_size)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  guint dim;

  if (in->rank == 0)
    return pt_vk_misfit (call, "the size of a scalar is asked for", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->rank, &dim, error))
    return FALSE;
  symbol_of (graph, call)->as_int = in->sizes[dim];
  return TRUE;
}

PT_VK_SHAPE (sym_arithmetic)
{
  gint64 a = pt_vk_int (graph, call, 0, 0), b = pt_vk_int (graph, call, 1, 0), result = 0;
  gboolean wraps = FALSE;

  switch (call->op->code) {
  case '+': wraps = __builtin_add_overflow (a, b, &result); break;
  case '-': wraps = __builtin_sub_overflow (a, b, &result); break;
  case '*': wraps = __builtin_mul_overflow (a, b, &result); break;
  default:
    wraps = b == 0 || (a == G_MININT64 && b == -1);
    if (!wraps)
      result = a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  if (wraps)
    return pt_vk_misfit (call, "a symbolic size is too large, or divided by 0", error);
  symbol_of (graph, call)->as_int = result;
  return TRUE;
}

/* Reads one element of an input of the delegate, such as the position of a token. */
PT_VK_SHAPE (select_as_symint)
{
  const PtVkValue *in = pt_vk_arg (graph, call, 0), *source = &graph->values[in->source];
  gint64 index = pt_vk_int (graph, call, 2, 0);
  gconstpointer data = source->is_input ? source->given : source->constant;
  PtDType dtype = source->is_input ? source->given_dtype : source->declared;
  gint64 stride = 1;
  guint dim;

  if (!source->is_input && (source->constant == NULL || source->is_state))
    return pt_vk_misfit (call, "a symbolic integer is read from a tensor that is no input", error);
  if (in->shape.rank == 0 || in->numel == 0)
    return pt_vk_misfit (call, "a symbolic integer is read from an empty tensor", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->shape.rank, &dim, error))
    return FALSE;
  if (index < -in->shape.sizes[dim] || index >= in->shape.sizes[dim])
    return pt_vk_misfit (call, "an index lies outside its dimension", error);
  for (guint i = dim + 1; i < in->shape.rank; i++)
    stride *= in->shape.sizes[i];
  index = (index < 0 ? index + in->shape.sizes[dim] : index) * stride;
  if (data == NULL)
    symbol_of (graph, call)->as_int = 0; /* at load, inputs have no elements yet */
  else if (dtype == PT_DTYPE_I64)
    memcpy (&symbol_of (graph, call)->as_int, (const gint64 *) data + index, sizeof (gint64));
  else if (dtype == PT_DTYPE_I32) {
    gint32 item;

    memcpy (&item, (const gint32 *) data + index, sizeof item);
    symbol_of (graph, call)->as_int = item;
  } else
    return pt_vk_misfit (call, "a symbolic integer is read from a tensor without integers", error);
  return TRUE;
}
