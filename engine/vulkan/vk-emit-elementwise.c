/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of elementwise operators (docs/formats/vulkan.md, section 8.1). */
#include <math.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* ---- One input ---- */

static gboolean
is_int_code (guint code)
{
  return code == PT_VK_UNARY_ABS || code == PT_VK_UNARY_NEG || code == PT_VK_UNARY_RELU ||
         code == PT_VK_UNARY_NOT || code == PT_VK_UNARY_CLAMP;
}

/* y = f (x), with two parameters. */
static PtVkEmitted
emit_unary (PtVkEmitter *emitter, guint code, double a, double b, GError **error)
{
  gboolean is_float = pt_vk_is (emitter, 0, PT_DTYPE_F32);
  PtDType dtype = is_float ? PT_DTYPE_F32 : PT_DTYPE_I32;
  gsize n = pt_vk_out_value (emitter, 0)->numel;
  PtVkDispatch *d;

  if (!pt_vk_is (emitter, 0, dtype) || !pt_vk_out_is (emitter, 0, dtype) ||
      (is_float ? code == PT_VK_UNARY_NOT : !is_int_code (code)))
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, is_float ? PT_VK_SHADER_unary_f32 : PT_VK_SHADER_unary_i32);
  pt_vk_constant (d, code);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) n);
  if (is_float) {
    pt_vk_push_float (d, a);
    pt_vk_push_float (d, b);
  } else {
    pt_vk_push (d, (guint32) (gint32) CLAMP (a, G_MININT32, G_MAXINT32));
    pt_vk_push (d, (guint32) (gint32) CLAMP (b, G_MININT32, G_MAXINT32));
  }
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (unary)
{
  double a = call->n_args > 2 ? pt_vk_double (emitter->graph, call, 1, 0) : 0;

  return emit_unary (emitter, call->op->code, a, 0, error);
}

PT_VK_EMIT (gelu)
{
  gboolean is_tanh = pt_vk_is_text (emitter->graph, call, 1, "tanh");

  return emit_unary (emitter, is_tanh ? PT_VK_UNARY_GELU_TANH : PT_VK_UNARY_GELU, 0, 0, error);
}

PT_VK_EMIT (clamp)
{
  return emit_unary (emitter, PT_VK_UNARY_CLAMP, pt_vk_double (emitter->graph, call, 1, -HUGE_VAL),
                     pt_vk_double (emitter->graph, call, 2, HUGE_VAL), error);
}

/* ---- Two inputs ---- */

/* Returns: PT_VK_N_SHADERS: none */
static PtVkShader
binary_shader (PtVkEmitter *emitter, guint code, gboolean has_scalar)
{
  const PtVkValue *a = pt_vk_in_value (emitter, 0);
  const PtVkValue *b = has_scalar ? a : pt_vk_in_value (emitter, 1);
  PtDType out = pt_vk_out_value (emitter, 0)->stored;
  gboolean is_bytes = a->stored == PT_DTYPE_BOOL || a->stored == PT_DTYPE_U8;

  if (a->stored != b->stored)
    return PT_VK_N_SHADERS;
  if (out == PT_DTYPE_BOOL && code >= PT_VK_BINARY_EQ && code != PT_VK_BINARY_AND &&
      code != PT_VK_BINARY_OR)
    return a->stored == PT_DTYPE_F32   ? PT_VK_SHADER_compare_f32
           : a->stored == PT_DTYPE_I32 ? PT_VK_SHADER_compare_i32
           : is_bytes                  ? PT_VK_SHADER_compare_u8
                                       : PT_VK_N_SHADERS;
  if (out != a->stored)
    return PT_VK_N_SHADERS;
  if (is_bytes && (code == PT_VK_BINARY_AND || code == PT_VK_BINARY_OR))
    return PT_VK_SHADER_binary_u8;
  if (a->stored == PT_DTYPE_F32 && code < PT_VK_BINARY_EQ)
    return PT_VK_SHADER_binary_f32;
  /* int / int and powers of integers: the CPU. */
  if (a->stored == PT_DTYPE_I32 && code != PT_VK_BINARY_DIV && code != PT_VK_BINARY_POW &&
      (code < PT_VK_BINARY_EQ || code == PT_VK_BINARY_AND || code == PT_VK_BINARY_OR))
    return PT_VK_SHADER_binary_i32;
  return PT_VK_N_SHADERS;
}

static gboolean
push_value (PtVkDispatch *d, PtVkShader shader, double number)
{
  if (shader == PT_VK_SHADER_binary_f32 || shader == PT_VK_SHADER_compare_f32) {
    pt_vk_push_float (d, number);
    return TRUE;
  }
  pt_vk_push (d, (guint32) (gint32) CLAMP (number, G_MININT32, G_MAXINT32));
  return floor (number) == number;
}

/* @number: alpha, or the second operand. */
static PtVkEmitted
emit_binary (PtVkEmitter *emitter, guint code, double number, gboolean has_scalar, GError **error)
{
  PtVkShader shader = binary_shader (emitter, code, has_scalar);
  const PtVkShape *shape = &pt_vk_out_value (emitter, 0)->shape;
  gsize n = pt_vk_out_value (emitter, 0)->numel;
  PtVkStrides s;
  PtVkDispatch *d;

  if (shader == PT_VK_N_SHADERS)
    return PT_VK_DECLINED;
  pt_vk_strides_start (&s, shape, 2);
  pt_vk_strides_broadcast (&s, 0, &pt_vk_in_value (emitter, 0)->shape);
  if (!has_scalar)
    pt_vk_strides_broadcast (&s, 1, &pt_vk_in_value (emitter, 1)->shape);
  pt_vk_strides_collapse (&s);
  d = pt_vk_dispatch (emitter, shader);
  pt_vk_constant (d, code);
  pt_vk_constant (d, s.rank);
  pt_vk_constant (d, has_scalar);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, has_scalar ? 0 : 1), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) n);
  if (!push_value (d, shader, number))
    return PT_VK_DECLINED;
  pt_vk_strides_push (&s, d, 8);
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (binary)
{
  gboolean has_alpha = call->n_args > 3;

  return emit_binary (emitter, call->op->code,
                      has_alpha ? pt_vk_double (emitter->graph, call, 2, 1) : 1, FALSE, error);
}

PT_VK_EMIT (binary_scalar)
{
  return emit_binary (emitter, call->op->code, pt_vk_double (emitter->graph, call, 1, 0), TRUE,
                      error);
}

PT_VK_EMIT (div_mode)
{
  guint code = pt_vk_is_text (emitter->graph, call, 2, "floor")   ? PT_VK_BINARY_DIV_FLOOR
               : pt_vk_is_text (emitter->graph, call, 2, "trunc") ? PT_VK_BINARY_DIV_TRUNC
                                                                  : PT_VK_BINARY_DIV;

  return emit_binary (emitter, code, 1, FALSE, error);
}

PT_VK_EMIT (where)
{
  const PtVkValue *out = pt_vk_out_value (emitter, 0);
  gsize size = pt_dtype_size (out->stored);
  PtVkStrides s;
  PtVkDispatch *d;

  if (pt_dtype_size (pt_vk_in_value (emitter, 0)->stored) != 1 ||
      !pt_vk_is (emitter, 1, out->stored) || !pt_vk_is (emitter, 2, out->stored))
    return PT_VK_DECLINED;
  pt_vk_strides_start (&s, &out->shape, 3);
  for (guint i = 0; i < 3; i++)
    pt_vk_strides_broadcast (&s, i, &pt_vk_in_value (emitter, i)->shape);
  pt_vk_strides_collapse (&s);
  if (s.rank > 6)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter, size == 4 ? PT_VK_SHADER_where_32 : PT_VK_SHADER_where_8);
  pt_vk_constant (d, s.rank);
  for (guint i = 0; i < 3; i++)
    if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, i), error))
      return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) out->numel);
  pt_vk_strides_push (&s, d, 6);
  pt_vk_groups (emitter, d, out->numel, PT_VK_ITEMS);
  return PT_VK_EMITTED;
}
