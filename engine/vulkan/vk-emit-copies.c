/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of copies and of tensors from nothing (docs/formats/vulkan.md, sections 8.2, 8.3). */
#include <string.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* ---- Copies with strides ---- */

/*
 * A copy of elements: tensor 0 of the strides is the input, from @first_x on, tensor 1 the output,
 * from @first_y on. With @symbol, that symbolic integer times @symbol_stride is added to the first
 * place of the input; it is limited to 0 .. @symbol_size.
 */
typedef struct {
  PtVkStrides s;
  gint64 first_x, first_y;
  guint32 symbol;
  gint64 symbol_stride, symbol_size;
} Copy;

static void
start_copy (Copy *copy, const PtVkShape *loop)
{
  memset (copy, 0, sizeof *copy);
  pt_vk_strides_start (&copy->s, loop, 2);
  copy->symbol = PT_VK_NONE;
}

static PtVkEmitted
emit_copy (PtVkEmitter *emitter, Copy *copy, guint32 in, guint32 out, GError **error)
{
  const PtVkValue *x = &emitter->graph->values[in], *y = &emitter->graph->values[out];
  gboolean has_symbol = copy->symbol != PT_VK_NONE;
  gsize n = 1;
  PtVkDispatch *d;

  for (guint i = 0; i < copy->s.rank; i++)
    n *= (gsize) copy->s.size[i];
  if (n == 0)
    return PT_VK_EMITTED;
  pt_vk_strides_collapse (&copy->s);
  if (x->stored != y->stored || copy->s.rank > PT_VK_MAX_RANK)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter,
                      pt_dtype_size (x->stored) == 4 ? PT_VK_SHADER_copy_32 : PT_VK_SHADER_copy_8);
  pt_vk_constant (d, copy->s.rank);
  pt_vk_constant (d, has_symbol);
  if (!pt_vk_bind_in (emitter, d, in, error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, out);
  pt_vk_bind_symbols (emitter, d);
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) (gint32) copy->first_x);
  pt_vk_push (d, (guint32) copy->first_y);
  pt_vk_push (d, has_symbol ? pt_vk_symbol (emitter, copy->symbol) : 0);
  pt_vk_push (d, (guint32) (gint32) copy->symbol_stride);
  pt_vk_push (d, (guint32) copy->symbol_size);
  pt_vk_strides_push (&copy->s, d, PT_VK_MAX_RANK);
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

/* Sets the strides of the contiguous output, of the same shape as the loop. */
static void
set_out_strides (Copy *copy, const PtVkShape *out)
{
  for (guint i = 0; i < out->rank; i++)
    copy->s.stride[1][i] = pt_vk_stride_of (out, out->rank - 1 - i);
}

/* The whole output, with the strides of the input still to be set. */
static const PtVkShape *
start_whole (PtVkEmitter *emitter, Copy *copy)
{
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;

  start_copy (copy, out);
  set_out_strides (copy, out);
  return out;
}

static PtVkEmitted
emit_whole (PtVkEmitter *emitter, Copy *copy, GError **error)
{
  return emit_copy (emitter, copy, pt_vk_in_index (emitter, 0), pt_vk_out_index (emitter, 0),
                    error);
}

/* The stride of the loop's dimension @dim, counted from the outermost, in the input. */
static gint64 *
in_stride (Copy *copy, guint dim)
{
  return &copy->s.stride[0][copy->s.rank - 1 - dim];
}

PT_VK_EMIT (permute)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gint64 dims[PT_VK_MAX_RANK];
  Copy copy;

  start_whole (emitter, &copy);
  pt_vk_ints (emitter->graph, call, 1, dims, PT_VK_MAX_RANK);
  for (guint i = 0; i < in->rank; i++) {
    guint dim = (guint) (dims[i] < 0 ? dims[i] + in->rank : dims[i]);

    *in_stride (&copy, i) = pt_vk_stride_of (in, dim);
  }
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (transpose)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  Copy copy;

  start_whole (emitter, &copy);
  for (guint i = 0; i < in->rank; i++)
    *in_stride (&copy, i) = pt_vk_stride_of (in, in->rank - 1 - i);
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (select)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gint64 index = pt_vk_baked_int (emitter, 2, 0);
  guint dim;
  Copy copy;

  start_whole (emitter, &copy);
  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), in->rank, &dim, error))
    return PT_VK_FAILED;
  copy.first_x = (index < 0 ? index + in->sizes[dim] : index) * pt_vk_stride_of (in, dim);
  for (guint i = 0; i + 1 < in->rank; i++)
    *in_stride (&copy, i) = pt_vk_stride_of (in, i < dim ? i : i + 1);
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (slice)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gboolean is_symbolic = pt_vk_in_value (emitter, 2)->kind == PT_VK_SYMINT;
  PtVkSlice slice;
  Copy copy;

  start_whole (emitter, &copy);
  if (!pt_vk_slice_of (emitter->graph, call, &slice, error))
    return PT_VK_FAILED;
  for (guint i = 0; i < in->rank; i++)
    *in_stride (&copy, i) = pt_vk_stride_of (in, i) * (i == slice.dim ? slice.step : 1);
  /* The end changes with the start, or the shape does. The room is that behind the start. */
  if (is_symbolic) {
    copy.symbol = pt_vk_in_index (emitter, 2);
    copy.symbol_stride = pt_vk_stride_of (in, slice.dim);
    copy.symbol_size = in->sizes[slice.dim] - MAX (slice.count - 1, 0) * slice.step - 1;
  } else {
    copy.first_x = slice.start * pt_vk_stride_of (in, slice.dim);
  }
  if (is_symbolic && pt_vk_int (emitter->graph, call, 2, 0) < 0)
    return PT_VK_DECLINED;
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (split)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gint64 start = 0;
  guint dim;

  if (!pt_vk_dim (pt_vk_baked_int (emitter, 2, 0), in->rank, &dim, error))
    return PT_VK_FAILED;
  for (guint k = 0; k < pt_vk_n_outs (emitter->graph, call); k++) {
    const PtVkShape *out = &pt_vk_out_value (emitter, k)->shape;
    PtVkEmitted emitted;
    Copy copy;

    start_copy (&copy, out);
    set_out_strides (&copy, out);
    for (guint i = 0; i < in->rank; i++)
      *in_stride (&copy, i) = pt_vk_stride_of (in, i);
    copy.first_x = start * pt_vk_stride_of (in, dim);
    start += out->sizes[dim];
    emitted = emit_copy (emitter, &copy, pt_vk_in_index (emitter, 0), pt_vk_out_index (emitter, k),
                         error);
    if (emitted != PT_VK_EMITTED)
      return emitted;
  }
  return PT_VK_EMITTED;
}

PT_VK_EMIT (cat)
{
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;
  gint64 start = 0;
  guint dim;

  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), out->rank, &dim, error))
    return PT_VK_FAILED;
  for (guint k = 0; k < pt_vk_list_length (emitter->graph, call, 0); k++) {
    guint32 item = pt_vk_list_item (emitter->graph, call, 0, k);
    const PtVkShape *in = &emitter->graph->values[item].shape;
    PtVkEmitted emitted;
    Copy copy;

    if (emitter->graph->values[item].numel == 0)
      continue;
    start_copy (&copy, in);
    set_out_strides (&copy, out);
    for (guint i = 0; i < in->rank; i++)
      *in_stride (&copy, i) = pt_vk_stride_of (in, i);
    copy.first_y = start * pt_vk_stride_of (out, dim);
    start += in->sizes[dim];
    emitted = emit_copy (emitter, &copy, item, pt_vk_out_index (emitter, 0), error);
    if (emitted != PT_VK_EMITTED)
      return emitted;
  }
  return PT_VK_EMITTED;
}

PT_VK_EMIT (expand)
{
  Copy copy;

  start_whole (emitter, &copy);
  pt_vk_strides_broadcast (&copy.s, 0, &pt_vk_in_value (emitter, 0)->shape);
  return emit_whole (emitter, &copy, error);
}

/* Each dimension becomes two: the repetitions, and the elements. */
PT_VK_EMIT (repeat)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;
  PtVkStrides *s;
  Copy copy;

  start_copy (&copy, out);
  s = &copy.s;
  s->rank = 0;
  for (guint i = 0; i < out->rank; i++) {
    guint from = out->rank - 1 - i;
    gint64 size = i < in->rank ? in->sizes[in->rank - 1 - i] : 1;

    if (size == 0)
      return PT_VK_DECLINED;
    s->size[s->rank] = size;
    s->stride[0][s->rank] = i < in->rank ? pt_vk_stride_of (in, in->rank - 1 - i) : 0;
    s->stride[1][s->rank++] = pt_vk_stride_of (out, from);
    s->size[s->rank] = out->sizes[from] / size;
    s->stride[0][s->rank] = 0;
    s->stride[1][s->rank++] = pt_vk_stride_of (out, from) * size;
  }
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (flip)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  guint bits;
  Copy copy;

  start_whole (emitter, &copy);
  if (pt_vk_in_value (emitter, 1)->count == 0)
    bits = 0;
  else if (!pt_vk_reduced (emitter->graph, call, 1, &bits, error))
    return PT_VK_FAILED;
  for (guint i = 0; i < in->rank; i++) {
    gint64 stride = pt_vk_stride_of (in, i);

    *in_stride (&copy, i) = (bits >> i & 1) != 0 ? -stride : stride;
    if ((bits >> i & 1) != 0)
      copy.first_x += (in->sizes[i] - 1) * stride;
  }
  return emit_whole (emitter, &copy, error);
}

/* [.., C f f, H, W] -> [.., C, H f, W f]: a permutation. */
PT_VK_EMIT (pixel_shuffle)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gint64 f = pt_vk_baked_int (emitter, call->op->code, 1);
  gint64 width = in->sizes[in->rank - 1], height = in->sizes[in->rank - 2], planes = 1;
  Copy copy;

  for (guint i = 0; i + 2 < in->rank; i++)
    planes *= in->sizes[i];
  start_copy (&copy, in);
  copy.s.rank = 5;
  memcpy (copy.s.size, (const gint64[5]){ f, width, f, height, planes / (f * f) },
          5 * sizeof (gint64));
  memcpy (copy.s.stride[0],
          (const gint64[5]){ width * height, 1, width * height * f, width, width * height * f * f },
          5 * sizeof (gint64));
  memcpy (copy.s.stride[1],
          (const gint64[5]){ 1, f, width * f, width * f * f, width * height * f * f },
          5 * sizeof (gint64));
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (unfold)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gint64 step = pt_vk_baked_int (emitter, 3, 1);
  guint dim;
  Copy copy;

  start_whole (emitter, &copy);
  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), in->rank, &dim, error))
    return PT_VK_FAILED;
  for (guint i = 0; i < in->rank; i++)
    *in_stride (&copy, i) = pt_vk_stride_of (in, i) * (i == dim ? step : 1);
  *in_stride (&copy, in->rank) = pt_vk_stride_of (in, dim);
  return emit_whole (emitter, &copy, error);
}

/* ---- Fills ---- */

static PtVkEmitted
emit_fill (PtVkEmitter *emitter, double number)
{
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  gboolean is_word = pt_dtype_size (out->stored) == 4;
  PtVkDispatch *d = pt_vk_dispatch (emitter, is_word ? PT_VK_SHADER_fill_32 : PT_VK_SHADER_fill_8);

  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  if (out->stored == PT_DTYPE_F32)
    pt_vk_push_float (d, number);
  else
    pt_vk_push (d, out->stored == PT_DTYPE_BOOL
                       ? number != 0
                       : (guint32) (gint32) CLAMP (number, G_MININT32, G_MAXINT32));
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (fill)
{
  guint code = call->op->code;

  if ((code & PT_VK_FILL_ARGUMENT) == 0)
    return emit_fill (emitter, code);
  pt_vk_baked_int (emitter, code & 1, 0);
  return emit_fill (emitter, pt_vk_double (emitter->graph, call, code & 1, 0));
}

/* The padding everywhere, then the tensor into its middle. */
PT_VK_EMIT (pad)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *out = &pt_vk_out_value (emitter, 0)->shape;
  gint64 pads[2 * PT_VK_MAX_RANK] = { 0 };
  guint n = pt_vk_ints (emitter->graph, call, 1, pads, G_N_ELEMENTS (pads));
  PtVkShape inner = *in;
  Copy copy;

  pt_vk_bake_list (emitter, 1);
  if (emit_fill (emitter, pt_vk_double (emitter->graph, call, 2, 0)) != PT_VK_EMITTED)
    return PT_VK_FAILED;
  for (guint i = 0; i < n / 2; i++)
    inner.sizes[in->rank - 1 - i] += MIN (pads[2 * i], 0) + MIN (pads[2 * i + 1], 0);
  for (guint i = 0; i < in->rank; i++)
    if (inner.sizes[i] <= 0)
      return PT_VK_EMITTED;
  start_copy (&copy, &inner);
  set_out_strides (&copy, out);
  for (guint i = 0; i < in->rank; i++) {
    guint at = in->rank - 1 - i;
    gint64 before = at < n / 2 ? pads[2 * at] : 0;

    *in_stride (&copy, i) = pt_vk_stride_of (in, i);
    copy.first_x += MAX (-before, 0) * pt_vk_stride_of (in, i);
    copy.first_y += MAX (before, 0) * pt_vk_stride_of (out, i);
  }
  return emit_whole (emitter, &copy, error);
}

PT_VK_EMIT (arange)
{
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  double start = pt_vk_double (emitter->graph, call, 0, 0);
  double step = pt_vk_double (emitter->graph, call, 2, 1);
  gboolean is_float = out->stored == PT_DTYPE_F32;
  PtVkDispatch *d;

  pt_vk_baked_int (emitter, 0, 0);
  pt_vk_baked_int (emitter, 2, 1);
  if (!is_float && (out->stored != PT_DTYPE_I32 || start != (gint32) CLAMP (start, -1e9, 1e9) ||
                    step != (gint32) CLAMP (step, -1e9, 1e9)))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, is_float ? PT_VK_SHADER_arange_f32 : PT_VK_SHADER_arange_i32);
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  if (is_float) {
    pt_vk_push_float (d, start);
    pt_vk_push_float (d, step);
  } else {
    pt_vk_push (d, (guint32) (gint32) start);
    pt_vk_push (d, (guint32) (gint32) step);
  }
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (grid_priors)
{
  const PtVkShape *in = &pt_vk_in_value (emitter, 0)->shape;
  gsize n = pt_vk_out_value (emitter, 0)->numel / 2;
  PtVkDispatch *d;

  if (!pt_vk_out_is (emitter, 0, PT_DTYPE_F32))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_grid_priors);
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) in->sizes[in->rank - 1]);
  pt_vk_push_float (d, pt_vk_double (emitter->graph, call, 1, 1));
  pt_vk_push_float (d, pt_vk_double (emitter->graph, call, 2, 0));
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

/* ---- Conversion ---- */

/* Returns: PT_VK_N_SHADERS: none */
static PtVkShader
conversion (PtDType from, PtDType to)
{
  gboolean to_byte = pt_dtype_size (to) == 1;

  switch (from) {
  case PT_DTYPE_F32: return to_byte ? PT_VK_SHADER_convert_f32_8 : PT_VK_SHADER_convert_f32_i32;
  case PT_DTYPE_I32: return to_byte ? PT_VK_SHADER_convert_i32_8 : PT_VK_SHADER_convert_i32_f32;
  case PT_DTYPE_I8:
    return to == PT_DTYPE_F32   ? PT_VK_SHADER_convert_i8_f32
           : to == PT_DTYPE_I32 ? PT_VK_SHADER_convert_i8_i32
                                : PT_VK_N_SHADERS;
  default:
    return to == PT_DTYPE_F32   ? PT_VK_SHADER_convert_u8_f32
           : to == PT_DTYPE_I32 ? PT_VK_SHADER_convert_u8_i32
                                : PT_VK_N_SHADERS;
  }
}

PT_VK_EMIT (convert)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0), *out = pt_vk_out_value (emitter, 0);
  const PtVkShape flat = { .rank = 1, .sizes = { (gint64) out->numel } };
  PtVkShader shader;
  PtVkDispatch *d;
  Copy copy;

  if (in->stored == out->stored) {
    start_copy (&copy, &flat);
    copy.s.stride[0][0] = copy.s.stride[1][0] = 1;
    return emit_whole (emitter, &copy, error);
  }
  shader = conversion (in->stored, out->stored);
  if (shader == PT_VK_N_SHADERS)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, shader);
  pt_vk_constant (d, out->stored == PT_DTYPE_BOOL);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
