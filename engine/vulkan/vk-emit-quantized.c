/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of quantised operators (docs/formats/vulkan.md, section 9). */
#include <math.h>
#include <string.h>

#include "engine/vulkan/vk-emit-matrices.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-emit-strides.h"
#include "engine/vulkan/vk-shapes.h"

/* ---- Linear layers ---- */

/* The product of a layer: input 0, weight and scales by argument; floats in, floats out. */
static PtVkProduct
layer_of (PtVkEmitter *emitter, PtVkWeight kind, guint weight, guint scales)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0), *out = pt_vk_out_value (emitter, 0);
  PtVkProduct p = pt_vk_product ();

  p.kind = kind;
  p.k = (gsize) in->shape.sizes[in->shape.rank - 1];
  p.n = (gsize) out->shape.sizes[out->shape.rank - 1];
  p.m = p.k > 0 ? in->numel / p.k : 0;
  p.stride = (gsize) pt_vk_in_value (emitter, weight)->shape.sizes[1];
  p.a = pt_vk_in_index (emitter, 0);
  p.b = pt_vk_in_index (emitter, weight);
  p.scales = pt_vk_in_index (emitter, scales);
  p.y = pt_vk_out_index (emitter, 0);
  return p;
}

/* FALSE when it has another dtype or is too short. */
static gboolean
set_bias (PtVkEmitter *emitter, PtVkProduct *p, guint arg)
{
  const PtVkValue *bias = pt_vk_in_value (emitter, arg);

  if (bias->kind != PT_VK_TENSOR)
    return TRUE;
  p->bias = pt_vk_in_index (emitter, arg);
  p->bias_column = 1;
  return bias->stored == PT_DTYPE_F32 && bias->numel >= p->n;
}

/* Whether the weight has bytes, and the scales are as many floats as needed. */
static gboolean
has_layout (PtVkEmitter *emitter, const PtVkProduct *p, guint weight, guint scales)
{
  return pt_dtype_size (pt_vk_in_value (emitter, weight)->stored) == 1 && p->k > 0 &&
         pt_vk_is (emitter, scales, PT_DTYPE_F32) &&
         (p->kind == PT_VK_WEIGHT_Q4 || pt_vk_in_value (emitter, scales)->numel >= p->n);
}

static PtVkEmitted
emit_channels (PtVkEmitter *emitter, PtVkWeight kind, GError **error)
{
  PtVkProduct p = layer_of (emitter, kind, 1, 2);

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) ||
      !has_layout (emitter, &p, 1, 2))
    return PT_VK_DECLINED;
  return pt_vk_emit_product (emitter, &p, error);
}

PT_VK_EMIT (linear_8w)
{
  return emit_channels (emitter, PT_VK_WEIGHT_I8, error);
}

PT_VK_EMIT (linear_qcs4w)
{
  return emit_channels (emitter, PT_VK_WEIGHT_Q4_HIGH, error);
}

/* Scales [k / group, n or more]. */
static gboolean
set_groups (PtVkEmitter *emitter, PtVkProduct *p, guint scales, guint group)
{
  const PtVkShape *shape = &pt_vk_in_value (emitter, scales)->shape;
  gint64 size = pt_vk_baked_int (emitter, group, 0);

  if (size < 1 || size > G_MAXINT32 || shape->rank != 2 || (gsize) shape->sizes[1] < p->n)
    return FALSE;
  p->group = (gsize) size;
  return (gsize) shape->sizes[0] >= (p->k + p->group - 1) / p->group;
}

PT_VK_EMIT (linear_q4gsw)
{
  PtVkProduct p = layer_of (emitter, PT_VK_WEIGHT_Q4, 1, 2);

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) ||
      !has_layout (emitter, &p, 1, 2) || !set_groups (emitter, &p, 2, 3) ||
      !set_bias (emitter, &p, 4))
    return PT_VK_DECLINED;
  return pt_vk_emit_product (emitter, &p, error);
}

/* The rows after quantising and dequantising, as a temporary. FALSE with an error. */
static gboolean
round_rows (PtVkEmitter *emitter, PtVkProduct *p, PtVkShader shader, GError **error)
{
  gsize n = p->m * p->k;
  PtVkDispatch *d;

  p->a = pt_vk_temporary (emitter, n * sizeof (float));
  p->a_is_temporary = TRUE;
  d = pt_vk_dispatch (emitter, shader);
  for (guint i = 0; i < 3; i++)
    if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, i), error))
      return FALSE;
  pt_vk_bind_temporary (emitter, d, p->a, PT_VK_WRITE);
  pt_vk_push (d, (guint32) n);
  pt_vk_push (d, (guint32) p->k);
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
  return TRUE;
}

/* The product of a layer of bytes, emitter->call. FALSE: no shader takes it. */
static gboolean
set_dot_layer (PtVkEmitter *emitter, PtVkProduct *p)
{
  *p = layer_of (emitter, PT_VK_WEIGHT_Q4, 3, 5);
  return pt_vk_is (emitter, 0, PT_DTYPE_F32) && pt_vk_is (emitter, 1, PT_DTYPE_F32) &&
         (pt_vk_is (emitter, 2, PT_DTYPE_I8) || pt_vk_is (emitter, 2, PT_DTYPE_I32)) &&
         pt_vk_out_is (emitter, 0, PT_DTYPE_F32) && has_layout (emitter, p, 3, 5) &&
         set_groups (emitter, p, 5, 6) && set_bias (emitter, p, 7) &&
         pt_vk_in_value (emitter, 1)->numel >= p->m && pt_vk_in_value (emitter, 2)->numel >= p->m;
}

gboolean
pt_vk_takes_row (PtVkEmitter *emitter, const PtVkCall *call)
{
  const PtVkCall *current = emitter->call;
  PtVkProduct p;
  gboolean takes;

  emitter->call = call;
  takes = set_dot_layer (emitter, &p) && pt_vk_is_row_product (emitter, &p);
  emitter->call = current;
  return takes;
}

PT_VK_EMIT (linear_dq8ca_q4gsw)
{
  PtVkProduct p;
  PtVkEmitted emitted;

  if (!set_dot_layer (emitter, &p))
    return PT_VK_DECLINED;
  emitted = pt_vk_emit_dot_product (emitter, &p, call->args[1], call->args[2], error);
  if (emitted != PT_VK_DECLINED)
    return emitted;
  if (!round_rows (emitter, &p,
                   pt_vk_is (emitter, 2, PT_DTYPE_I8) ? PT_VK_SHADER_round_rows_i8
                                                      : PT_VK_SHADER_round_rows_i32,
                   error))
    return PT_VK_FAILED;
  return pt_vk_emit_product (emitter, &p, error);
}

/* ---- Bytes ---- */

/* shaders/quantize.comp */
enum { MODE_QUANTIZE, MODE_DEQUANTIZE, MODE_RELU, MODE_ADD, MODE_RELU_QUANTIZE };

typedef struct {
  double scale, zero, scale_b, zero_b, inverse, out_zero, least, most;
} Numbers;

static void
push_numbers (PtVkEmitter *emitter, PtVkDispatch *d, guint mode, gsize n, const Numbers *numbers)
{
  const double list[] = { numbers->scale,   numbers->zero,     numbers->scale_b, numbers->zero_b,
                          numbers->inverse, numbers->out_zero, numbers->least,   numbers->most };

  pt_vk_constant (d, mode);
  pt_vk_push (d, (guint32) n);
  for (gsize i = 0; i < G_N_ELEMENTS (list); i++)
    pt_vk_push_float (d, list[i]);
  pt_vk_groups (emitter, d, n, PT_VK_ITEMS);
}

/* The output from arguments 0 and @second. */
static PtVkEmitted
emit_bytes (PtVkEmitter *emitter, PtVkShader shader, guint mode, guint second,
            const Numbers *numbers, GError **error)
{
  PtVkDispatch *d = pt_vk_dispatch (emitter, shader);

  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, second), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  push_numbers (emitter, d, mode, pt_vk_out_value (emitter, 0)->numel, numbers);
  return PT_VK_EMITTED;
}

static double
number (PtVkEmitter *emitter, guint arg, double fallback)
{
  return pt_vk_double (emitter->graph, emitter->call, arg, fallback);
}

PT_VK_EMIT (quantize)
{
  const Numbers numbers = { .inverse = 1 / number (emitter, 1, 1),
                            .out_zero = number (emitter, 2, 0),
                            .least = number (emitter, 3, -128),
                            .most = number (emitter, 4, 127) };

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_I8) ||
      numbers.least < -128 || numbers.most > 127)
    return PT_VK_DECLINED;
  return emit_bytes (emitter, PT_VK_SHADER_quantize, MODE_QUANTIZE, 0, &numbers, error);
}

PT_VK_EMIT (dequantize)
{
  const Numbers numbers = { .scale = number (emitter, 1, 1), .zero = number (emitter, 2, 0) };

  if (!pt_vk_is (emitter, 0, PT_DTYPE_I8) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32))
    return PT_VK_DECLINED;
  return emit_bytes (emitter, PT_VK_SHADER_dequantize, MODE_DEQUANTIZE, 0, &numbers, error);
}

PT_VK_EMIT (q8_relu)
{
  const Numbers numbers = { .scale = number (emitter, 1, 1),
                            .zero = number (emitter, 2, 0),
                            .inverse = 1 / number (emitter, 3, 1),
                            .out_zero = number (emitter, 4, 0),
                            .least = -128,
                            .most = 127 };

  if (!pt_vk_is (emitter, 0, PT_DTYPE_I8) || !pt_vk_out_is (emitter, 0, PT_DTYPE_I8))
    return PT_VK_DECLINED;
  return emit_bytes (emitter, PT_VK_SHADER_requantize, MODE_RELU, 0, &numbers, error);
}

PT_VK_EMIT (q8_add)
{
  const Numbers numbers = { .scale = number (emitter, 2, 1),
                            .zero = number (emitter, 3, 0),
                            .scale_b = number (emitter, 4, 1) * number (emitter, 8, 1),
                            .zero_b = number (emitter, 5, 0),
                            .inverse = 1 / number (emitter, 6, 1),
                            .out_zero = number (emitter, 7, 0),
                            .least = -128,
                            .most = 127 };

  if (!pt_vk_is (emitter, 0, PT_DTYPE_I8) || !pt_vk_is (emitter, 1, PT_DTYPE_I8) ||
      !pt_vk_out_is (emitter, 0, PT_DTYPE_I8) ||
      pt_vk_in_value (emitter, 0)->numel != pt_vk_out_value (emitter, 0)->numel ||
      pt_vk_in_value (emitter, 1)->numel != pt_vk_out_value (emitter, 0)->numel)
    return PT_VK_DECLINED;
  return emit_bytes (emitter, PT_VK_SHADER_requantize, MODE_ADD, 1, &numbers, error);
}

/* Bytes become floats, the product is one of floats and bytes, its result becomes bytes. */
PT_VK_EMIT (q8_linear)
{
  PtVkProduct p = layer_of (emitter, PT_VK_WEIGHT_I8, 3, 5);
  const Numbers in = { .scale = number (emitter, 1, 1), .zero = number (emitter, 2, 0) };
  const Numbers out = { .inverse = 1 / number (emitter, 6, 1),
                        .out_zero = number (emitter, 7, 0),
                        .least = -128,
                        .most = 127 };
  gboolean is_relu = pt_vk_is_text (emitter->graph, call, 9, "relu");
  PtVkEmitted emitted;
  PtVkDispatch *d;

  if (!pt_vk_is (emitter, 0, PT_DTYPE_I8) || !pt_vk_out_is (emitter, 0, PT_DTYPE_I8) ||
      !has_layout (emitter, &p, 3, 5) || !set_bias (emitter, &p, 8))
    return PT_VK_DECLINED;
  p.a = pt_vk_temporary (emitter, p.m * p.k * sizeof (float));
  p.y = pt_vk_temporary (emitter, p.m * p.n * sizeof (float));
  p.a_is_temporary = p.y_is_temporary = TRUE;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_dequantize);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_temporary (emitter, d, p.a, PT_VK_WRITE);
  push_numbers (emitter, d, MODE_DEQUANTIZE, p.m * p.k, &in);
  emitted = pt_vk_emit_product (emitter, &p, error);
  if (emitted != PT_VK_EMITTED)
    return emitted;
  d = pt_vk_dispatch (emitter, PT_VK_SHADER_quantize);
  pt_vk_bind_temporary (emitter, d, p.y, PT_VK_READ);
  pt_vk_bind_temporary (emitter, d, p.y, PT_VK_READ);
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  push_numbers (emitter, d, is_relu ? MODE_RELU_QUANTIZE : MODE_QUANTIZE, p.m * p.n, &out);
  return PT_VK_EMITTED;
}

PT_VK_EMIT (choose_qparams)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0);
  gsize rows = pt_vk_out_value (emitter, 0)->numel;
  gboolean is_byte = pt_vk_out_is (emitter, 1, PT_DTYPE_I8);
  PtVkDispatch *d;

  if (!pt_vk_is (emitter, 0, PT_DTYPE_F32) || !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) ||
      (!is_byte && !pt_vk_out_is (emitter, 1, PT_DTYPE_I32)) || rows == 0)
    return PT_VK_DECLINED;
  d = pt_vk_dispatch (emitter,
                      is_byte ? PT_VK_SHADER_choose_qparams_i8 : PT_VK_SHADER_choose_qparams_i32);
  if (!pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 0), error))
    return PT_VK_FAILED;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 1));
  pt_vk_push (d, (guint32) rows);
  pt_vk_push (d, (guint32) (in->numel / rows));
  pt_vk_push_float (d, number (emitter, 4, -128));
  pt_vk_push_float (d, number (emitter, 5, 127));
  pt_vk_push_float (d, number (emitter, 6, 1.1920929e-07));
  pt_vk_groups (emitter, d, rows, 1);
  return PT_VK_EMITTED;
}

static gboolean
is_constant (const PtVkEmitter *emitter, guint arg)
{
  return pt_vk_constant_of (emitter->graph, pt_vk_in_value (emitter, arg)) != NULL;
}

/* Rows @first .. @first + @n of the table. FALSE with an error. */
static gboolean
add_lookup_q4 (PtVkEmitter *emitter, gsize first, gsize n, GError **error)
{
  const PtVkShape *weight = &pt_vk_in_value (emitter, 0)->shape;
  gsize groups = (gsize) pt_vk_in_value (emitter, 1)->shape.sizes[1];
  gsize numel = pt_vk_out_value (emitter, 0)->numel;
  PtVkDispatch *d = pt_vk_dispatch (emitter, PT_VK_SHADER_embedding_q4);

  pt_vk_constant (d, pt_vk_bool (emitter->graph, emitter->call, 4));
  if (!pt_vk_bind_rows (emitter, d, pt_vk_in_index (emitter, 0), first, n, (gsize) weight->sizes[1],
                        error) ||
      !pt_vk_bind_rows (emitter, d, pt_vk_in_index (emitter, 1), first, n, groups * sizeof (float),
                        error) ||
      !pt_vk_bind_in (emitter, d, pt_vk_in_index (emitter, 3), error))
    return FALSE;
  pt_vk_bind_out (emitter, d, pt_vk_out_index (emitter, 0));
  pt_vk_push (d, (guint32) numel);
  pt_vk_push (d, (guint32) (weight->sizes[1] * 2));
  pt_vk_push (d, (guint32) weight->sizes[0]);
  pt_vk_push (d, (guint32) pt_vk_baked_int (emitter, 2, 1));
  pt_vk_push (d, (guint32) groups);
  pt_vk_push (d, (guint32) first);
  pt_vk_push (d, (guint32) n);
  pt_vk_groups (emitter, d, numel, PT_VK_ITEMS);
  return TRUE;
}

PT_VK_EMIT (embedding_q4)
{
  const PtVkShape *weight = &pt_vk_in_value (emitter, 0)->shape;
  const PtVkShape *scales = &pt_vk_in_value (emitter, 1)->shape;
  gsize rows = (gsize) weight->sizes[0], n;

  if (pt_dtype_size (pt_vk_in_value (emitter, 0)->stored) != 1 ||
      !pt_vk_is (emitter, 1, PT_DTYPE_F32) || !pt_vk_is (emitter, 3, PT_DTYPE_I32) ||
      !pt_vk_out_is (emitter, 0, PT_DTYPE_F32) || weight->sizes[0] < 1 ||
      weight->sizes[0] > G_MAXINT32 || weight->sizes[1] > G_MAXINT32 / 2)
    return PT_VK_DECLINED;
  n = MIN (
      pt_vk_rows_at_once (emitter, pt_vk_in_index (emitter, 0), rows, (gsize) weight->sizes[1]),
      pt_vk_rows_at_once (emitter, pt_vk_in_index (emitter, 1), rows,
                          (gsize) scales->sizes[1] * sizeof (float)));
  if (n == 0 || (n < rows && (!is_constant (emitter, 0) || !is_constant (emitter, 1))))
    return PT_VK_DECLINED;
  for (gsize first = 0; first < rows; first += n)
    if (!add_lookup_q4 (emitter, first, MIN (n, rows - first), error))
      return PT_VK_FAILED;
  return PT_VK_EMITTED;
}
