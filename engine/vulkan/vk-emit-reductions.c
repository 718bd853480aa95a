/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of reductions and norms (docs/formats/vulkan.md, section 8.4). */
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* The range of neighbouring dimensions that @bits names, as [outer, n, inner]. FALSE: they are not
 * neighbours; dimensions of size 1 do not count. */
static gboolean
split_shape (const PtVkShape *shape, guint bits, gsize *outer, gsize *n, gsize *inner)
{
  guint part = 0; /* 0: before, 1: in, 2: behind */

  *outer = *n = *inner = 1;
  for (guint i = 0; i < shape->rank; i++) {
    gboolean is_in = (bits >> i & 1) != 0;

    if (shape->sizes[i] == 1)
      continue;
    if (is_in && part == 2)
      return FALSE;
    part = is_in ? 1 : part == 1 ? 2 : part;
    *(part == 0 ? outer : part == 1 ? n : inner) *= (gsize) shape->sizes[i];
  }
  return TRUE;
}

PT_VK_EMIT (reduce)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  gboolean is_place =
      call->op->code == PT_VK_REDUCE_ARGMAX || call->op->code == PT_VK_REDUCE_ARGMIN;
  gsize outer, n, inner;
  guint bits;
  PtVkDispatch *d;

  if (!pt_vk_reduced (emitter->graph, call, 1, &bits, error))
    return PT_VK_FAILED;
  if (in->stored != PT_DTYPE_F32 ||
      !pt_vk_out_is (emitter, 0, is_place ? PT_DTYPE_I32 : PT_DTYPE_F32) || in->numel == 0 ||
      !split_shape (&in->shape, bits, &outer, &n, &inner))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, is_place ? PT_VK_SHADER_reduce_place : PT_VK_SHADER_reduce);
  pt_vk_constant (d, call->op->code);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) (outer * inner));
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) inner);
  pt_vk_groups (emitter, d, outer * inner, 1);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (softmax)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  gsize outer, n, inner;
  guint dim;
  PtVkDispatch *d;

  if (!pt_vk_dim (pt_vk_baked_int (emitter, 1, 0), in->shape.rank, &dim, error))
    return PT_VK_FAILED;
  if (in->stored != PT_DTYPE_F32 || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32))
    return PT_VK_DECLINED;
  split_shape (&in->shape, 1u << dim, &outer, &n, &inner);
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_softmax);
  pt_vk_constant (d, call->op->code);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  /* Where the dimension has size 1, all of the tensor came before it. */
  if (in->shape.rank > 0 && in->shape.sizes[dim] == 1) {
    outer *= inner;
    inner = 1;
  }
  pt_vk_push (d, (guint32) (outer * inner));
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) inner);
  pt_vk_groups (emitter, d, outer * inner, 1);
  return PT_VK_EMITTED;
}

/* ---- Norms ---- */

typedef struct {
  guint weight, bias; /* arguments; PT_VK_NONE: there is none */
  gsize rows, n, inner, channels, groups;
  double epsilon;
  gboolean is_rms;
} Norm;

/* Binds argument @arg, or the input in the place of what is not there. */
static gboolean
bind_optional (PtVkEmitter *emitter, PtVkDispatch *d, guint arg, gboolean is_there, GError **error)
{
  return pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, is_there ? arg : 0), error);
}

static gboolean
is_float_or_none (const PtVkEmitter *emitter, guint arg)
{
  return arg == PT_VK_NONE || pt_vk_in_value (emitter, arg)->kind == PT_VK_NULL ||
         pt_vk_is (emitter, arg, PT_DTYPE_F32);
}

static PtVkEmitted
emit_norm (PtVkEmitter *emitter, const Norm *norm, GError **error)
{
  gboolean has_weight =
      norm->weight != PT_VK_NONE && pt_vk_in_value (emitter, norm->weight)->kind == PT_VK_TENSOR;
  gboolean has_bias =
      norm->bias != PT_VK_NONE && pt_vk_in_value (emitter, norm->bias)->kind == PT_VK_TENSOR;
  gboolean has_mean = pt_vk_n_outs (emitter->graph, emitter->call) > 2;
  PtVkDispatch *d;

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) ||
      !is_float_or_none (emitter, norm->weight) || !is_float_or_none (emitter, norm->bias) ||
      (has_mean &&
       (!pt_vk_out_is (emitter, 1, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 2, PT_DTYPE_F32))))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_norm);
  pt_vk_constant (d, has_weight);
  pt_vk_constant (d, has_bias);
  pt_vk_constant (d, has_mean);
  pt_vk_constant (d, norm->is_rms);
  if (!bind_optional (emitter, d, 0, TRUE, error) ||
      !bind_optional (emitter, d, norm->weight, has_weight, error) ||
      !bind_optional (emitter, d, norm->bias, has_bias, error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, has_mean ? 1 : 0));
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, has_mean ? 2 : 0));
  pt_vk_push (d, (guint32) norm->rows);
  pt_vk_push (d, (guint32) norm->n);
  pt_vk_push (d, (guint32) norm->inner);
  pt_vk_push (d, (guint32) norm->channels);
  pt_vk_push (d, (guint32) norm->groups);
  pt_vk_push_float (d, norm->epsilon);
  pt_vk_groups (emitter, d, norm->rows, 1);
  return PT_VK_EMITTED;
}

/* Whether argument @arg is missing, or has @n elements. */
static gboolean
has_size (const PtVkEmitter *emitter, guint arg, gsize n)
{
  const PtVkValue *value = pt_vk_in_value (emitter, arg);

  return value->kind != PT_VK_TENSOR || value->numel == n;
}

PT_VK_EMIT (layer_norm)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  gint64 sizes[PT_VK_MAX_RANK];
  guint rank = pt_vk_ints (emitter->graph, call, 1, sizes, PT_VK_MAX_RANK);
  Norm norm = { .weight = 2, .bias = 3, .n = 1, .inner = 1, .groups = 1 };

  for (guint i = 0; i < rank; i++)
    norm.n *= (gsize) sizes[i];
  if (norm.n == 0 || !has_size (emitter, 2, norm.n) || !has_size (emitter, 3, norm.n))
    return PT_VK_DECLINED;
  norm.rows = in->numel / norm.n;
  norm.epsilon = pt_vk_double (emitter->graph, call, 4, 0);
  return emit_norm (emitter, &norm, error);
}

PT_VK_EMIT (group_norm)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  gsize channels = (gsize) in->shape.sizes[1];
  Norm norm = { .weight = 1, .bias = 2 };

  norm.groups = (gsize) pt_vk_baked_int (emitter, 6, 1);
  norm.channels = channels / norm.groups;
  norm.rows = (gsize) in->shape.sizes[0] * norm.groups;
  if (in->numel == 0 || !has_size (emitter, 1, channels) || !has_size (emitter, 2, channels))
    return PT_VK_DECLINED;
  norm.n = in->numel / norm.rows;
  norm.inner = norm.n / norm.channels;
  norm.epsilon = pt_vk_double (emitter->graph, call, 7, 0);
  return emit_norm (emitter, &norm, error);
}

PT_VK_EMIT (rms_norm)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  Norm norm = { .weight = 1, .bias = PT_VK_NONE, .inner = 1, .groups = 1, .is_rms = TRUE };

  if (in->shape.rank == 0 || in->numel == 0)
    return PT_VK_DECLINED;
  norm.n = (gsize) in->shape.sizes[in->shape.rank - 1];
  if (!has_size (emitter, 1, norm.n))
    return PT_VK_DECLINED;
  norm.rows = in->numel / norm.n;
  norm.epsilon = pt_vk_double (emitter->graph, call, 2, 0);
  return emit_norm (emitter, &norm, error);
}

PT_VK_EMIT (batch_norm)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  PtVkDispatch *d;

  for (guint i = 0; i <= 4; i++)
    if (!pt_vk_is (emitter, i, PT_DTYPE_F32))
      return PT_VK_DECLINED;
  if (!pt_vk_out_is (emitter, 0, PT_DTYPE_F32))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_batch_norm);
  for (guint i = 0; i <= 4; i++)
    if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, i), error))
      return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) in->numel);
  pt_vk_push (d, (guint32) pt_vk_stride_of (&in->shape, 1));
  pt_vk_push (d, (guint32) in->shape.sizes[1]);
  pt_vk_push_float (d, pt_vk_double (emitter->graph, call, 6, 0));
  pt_vk_groups (emitter, d, in->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
