/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of products of matrices (docs/formats/vulkan.md, section 8.5). */
#include "engine/vulkan/vk-emit-matrices.h"

#include <math.h>
#include <string.h>

#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

/* Of shaders/matmul.comp. */
#define TILE 64
/* Bytes of a row of weights that an invocation of shaders/matvec.comp takes at once. */
#define CHUNK 16

/* Forms of constants in the store. */
enum { FORM_STORED, FORM_FILE, FORM_SCALES_BY_ROW };

PtVkProduct
pt_vk_product (void)
{
  return (PtVkProduct){ .batch = 1,
                        .group = 1,
                        .scales = PT_VK_NONE,
                        .bias = PT_VK_NONE,
                        .alpha = 1,
                        .beta = 1,
                        .least = -HUGE_VAL,
                        .most = HUGE_VAL };
}

/* ---- Constants in the form that the shader wants ---- */

static void
pack_file (const PtVkGraph *graph, const PtVkValue *value, gpointer data, guint8 *to, gsize begin,
           gsize end)
{
  memcpy (to, value->constant + begin, end - begin);
}

/* Scales [groups, n or more] become [n, groups], so that a row has its own side by side. */
typedef struct {
  gsize groups, stride;
} Scales;

static void
pack_scales (const PtVkGraph *graph, const PtVkValue *value, gpointer data, guint8 *to, gsize begin,
             gsize end)
{
  const Scales *scales = data;
  gsize size = pt_dtype_size (value->declared);
  float *out = (float *) (gpointer) to;

  for (gsize i = begin / 4; i < end / 4; i++) {
    gsize at = i % scales->groups * scales->stride + i / scales->groups;

    pt_vk_to_stored (out++, value->constant + at * size, 1, value->declared);
  }
}

/* Halves of the file that stay halves. */
static gboolean
has_halves (const PtVkEmitter *emitter, const PtVkProduct *p)
{
  const PtVkValue *value = &emitter->graph->values[p->b];

  return p->kind == PT_VK_WEIGHT_FLOAT && value->declared == PT_DTYPE_F16 &&
         pt_vk_constant_of (emitter->graph, value) != NULL;
}

/* Of a row of the weight as it lies on the GPU. */
static gsize
row_bytes (const PtVkEmitter *emitter, const PtVkProduct *p)
{
  if (p->kind == PT_VK_WEIGHT_FLOAT)
    return p->stride * (has_halves (emitter, p) ? 2 : sizeof (float));
  return p->stride;
}

/* Of the scales of a row of the weight. */
static gsize
scale_bytes (const PtVkProduct *p)
{
  gboolean has_groups = p->kind == PT_VK_WEIGHT_Q4 || p->kind == PT_VK_WEIGHT_I8_GROUPS;

  return (has_groups ? (p->k + p->group - 1) / p->group : 1) * sizeof (float);
}

gsize
pt_vk_columns_at_once (const PtVkEmitter *emitter, const PtVkProduct *p)
{
  gsize n;

  if (p->kind == PT_VK_WEIGHT_ROWS)
    return p->n;
  n = pt_vk_rows_at_once (emitter, p->b, p->n, row_bytes (emitter, p));
  if (p->scales != PT_VK_NONE)
    n = MIN (n, pt_vk_rows_at_once (emitter, p->scales, p->n, scale_bytes (p)));
  /* Shaders count in 32 bits; only constants are taken in pieces. */
  n = MIN (n, G_MAXINT32 / MAX (MAX (p->k, p->stride), 1));
  if (n < p->n &&
      (pt_vk_constant_of (emitter->graph, &emitter->graph->values[p->b]) == NULL ||
       (p->scales != PT_VK_NONE &&
        pt_vk_constant_of (emitter->graph, &emitter->graph->values[p->scales]) == NULL)))
    return 0;
  return n;
}

PtVkProduct
pt_vk_product_piece (const PtVkProduct *p, gsize first, gsize n)
{
  PtVkProduct piece = *p;

  piece.first = first;
  piece.columns = p->n;
  piece.n = MIN (n, p->n - first);
  return piece;
}

gboolean
pt_vk_bind_weight (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p, GError **error)
{
  gsize bytes = row_bytes (emitter, p);

  if (p->kind == PT_VK_WEIGHT_ROWS)
    return pt_vk_bind_in (emitter, d, p->b, error);
  if (has_halves (emitter, p))
    return pt_vk_bind_constant (emitter, d, p->b, FORM_FILE, p->first * bytes, p->n * bytes,
                                pack_file, NULL, error);
  return pt_vk_bind_rows (emitter, d, p->b, p->first, p->n, bytes, error);
}

gboolean
pt_vk_bind_group_scales (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p,
                         GError **error)
{
  gsize groups = (p->k + p->group - 1) / p->group;
  Scales scales = { groups, (gsize) emitter->graph->values[p->scales].shape.sizes[1] };

  return pt_vk_bind_constant (emitter, d, p->scales, FORM_SCALES_BY_ROW, p->first * groups * 4,
                              p->n * groups * 4, pack_scales, &scales, error);
}

static gboolean
bind_scales (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p, GError **error)
{
  return p->kind == PT_VK_WEIGHT_Q4
             ? pt_vk_bind_group_scales (emitter, d, p, error)
             : pt_vk_bind_rows (emitter, d, p->scales, p->first, p->n, scale_bytes (p), error);
}

/* ---- Products ---- */

static PtVkShader
choose_shader (PtVkWeight kind, gboolean is_half, gboolean is_vector)
{
  switch (kind) {
  case PT_VK_WEIGHT_ROWS: return PT_VK_SHADER_matmul_rows;
  case PT_VK_WEIGHT_I8: return is_vector ? PT_VK_SHADER_matvec_i8 : PT_VK_SHADER_matmul_i8;
  case PT_VK_WEIGHT_I8_GROUPS:
    return is_vector ? PT_VK_SHADER_matvec_i8_groups : PT_VK_SHADER_matmul_i8_groups;
  case PT_VK_WEIGHT_Q4: return is_vector ? PT_VK_SHADER_matvec_q4 : PT_VK_SHADER_matmul_q4;
  case PT_VK_WEIGHT_Q4_HIGH:
    return is_vector ? PT_VK_SHADER_matvec_q4_high : PT_VK_SHADER_matmul_q4_high;
  default:
    if (is_half)
      return is_vector ? PT_VK_SHADER_matvec_f16 : PT_VK_SHADER_matmul_f16;
    return is_vector ? PT_VK_SHADER_matvec_f32 : PT_VK_SHADER_matmul_f32;
  }
}

/* Elements of a chunk of the weights as they lie on the GPU; 0: not in chunks. */
static gsize
chunk_elements (const PtVkProduct *p, gboolean is_half)
{
  switch (p->kind) {
  case PT_VK_WEIGHT_ROWS: return 0;
  case PT_VK_WEIGHT_FLOAT: return is_half ? CHUNK / 2 : CHUNK / 4;
  case PT_VK_WEIGHT_I8:
  case PT_VK_WEIGHT_I8_GROUPS: return CHUNK;
  default: return CHUNK * 2;
  }
}

/* Few rows, whose weights are whole chunks. */
static gboolean
is_vector (const PtVkProduct *p, gsize chunk)
{
  gsize per_row = p->kind == PT_VK_WEIGHT_Q4 || p->kind == PT_VK_WEIGHT_Q4_HIGH ? CHUNK : chunk;

  gboolean has_groups = p->kind == PT_VK_WEIGHT_Q4 || p->kind == PT_VK_WEIGHT_I8_GROUPS;

  return p->m <= PT_VK_VECTOR_ROWS && p->batch == 1 && chunk > 0 && p->k % chunk == 0 &&
         p->stride % per_row == 0 && (!has_groups || p->group % chunk == 0);
}

/* @stride: of b */
static void
push_product (PtVkDispatch *d, const PtVkProduct *p, gsize stride)
{
  gsize groups = (p->k + p->group - 1) / p->group;

  pt_vk_push (d, (guint32) p->m);
  pt_vk_push (d, (guint32) p->n);
  pt_vk_push (d, (guint32) p->k);
  pt_vk_push (d, p->batch > 1 ? (guint32) (p->m * p->k) : 0);
  pt_vk_push (d, (guint32) p->b_batch);
  pt_vk_push (d, (guint32) stride);
  pt_vk_push (d, (guint32) p->group);
  pt_vk_push (d, (guint32) groups);
  pt_vk_push (d, (guint32) p->bias_row);
  pt_vk_push (d, (guint32) p->bias_column);
  pt_vk_push_float (d, p->alpha);
  pt_vk_push_float (d, p->beta);
  pt_vk_push_float (d, p->least);
  pt_vk_push_float (d, p->most);
  pt_vk_push (d, (guint32) p->first);
  pt_vk_push (d, (guint32) p->columns);
}

static gboolean
bind_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p, GError **error)
{
  if (p->a_is_temporary)
    pt_vk_bind_temporary (emitter, d, p->a, PT_VK_READ);
  else if (!pt_vk_bind_in (emitter, d, p->a, error))
    return FALSE;
  if (!pt_vk_bind_weight (emitter, d, p, error))
    return FALSE;
  /* In the place of a bias that is not there: the weight. */
  if (p->bias == PT_VK_NONE)
    d->bindings[d->n_bindings++] = d->bindings[1];
  else if (!pt_vk_bind_in (emitter, d, p->bias, error))
    return FALSE;
  if (p->y_is_temporary)
    pt_vk_bind_temporary (emitter, d, p->y, PT_VK_WRITE);
  else
    pt_vk_bind_out (emitter, d, p->y);
  return p->scales == PT_VK_NONE || bind_scales (emitter, d, p, error);
}

/* As d->shader has it: specialisation constants, numbers, and groups. FALSE: too many groups. */
static gboolean
complete_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p)
{
  gboolean is_half = has_halves (emitter, p);
  gsize chunk = chunk_elements (p, is_half);
  gboolean by_vector = is_vector (p, chunk);
  gsize nibbles = p->kind == PT_VK_WEIGHT_Q4 || p->kind == PT_VK_WEIGHT_Q4_HIGH ? 2 : 1;

  d->shader = choose_shader (p->kind, is_half, by_vector);
  d->work = (double) p->batch * (double) p->m * (double) p->n * (double) p->k;
  pt_vk_constant (d, p->bias != PT_VK_NONE);
  if (!by_vector) {
    push_product (d, p, p->stride);
    return pt_vk_groups_3d (emitter, d, (p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE,
                            p->batch);
  }
  pt_vk_constant (d, (guint32) p->m);
  pt_vk_constant (d, PT_VK_LANES (p->k / chunk));
  push_product (d, p, p->stride * nibbles / chunk);
  pt_vk_groups (emitter, d, p->n, PT_VK_VECTOR_COLUMNS);
  return TRUE;
}

PtVkEmitted
pt_vk_emit_product (PtVkEmitter *emitter, const PtVkProduct *p, GError **error)
{
  gsize n = pt_vk_columns_at_once (emitter, p);

  if (p->scales != PT_VK_NONE && p->kind == PT_VK_WEIGHT_Q4 &&
      pt_vk_constant_of (emitter->graph, &emitter->graph->values[p->scales]) == NULL)
    return PT_VK_DECLINED;
  if (n == 0 || p->batch * MAX (p->m * p->k, p->m * p->n) > G_MAXINT32)
    return PT_VK_DECLINED;
  for (gsize first = 0; first < p->n; first += n) {
    PtVkProduct piece = pt_vk_product_piece (p, first, n);
    PtVkDispatch *d = pt_vk_dispatch (emitter, PT_VK_SHADER_matmul_f32);

    if (!bind_product (emitter, d, &piece, error))
      return PT_VK_FAILED;
    if (!complete_product (emitter, d, &piece))
      return PT_VK_DECLINED;
  }
  return PT_VK_EMITTED;
}

/* ---- Operators ---- */

static gboolean
are_floats (const PtVkEmitter *emitter, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    if (pt_vk_in_value (emitter, i)->kind == PT_VK_TENSOR && !pt_vk_is (emitter, i, PT_DTYPE_F32))
      return FALSE;
  return pt_vk_out_is (emitter, 0, PT_DTYPE_F32);
}

/* The product of arguments @first and @first + 1, of two or three dimensions. */
static PtVkProduct
matrices_of (const PtVkEmitter *emitter, guint first)
{
  const PtVkShape *a = &pt_vk_in_value (emitter, first)->shape;
  const PtVkShape *b = &pt_vk_in_value (emitter, first + 1)->shape;
  PtVkProduct p = pt_vk_product ();
  guint n = a->rank;

  p.kind = PT_VK_WEIGHT_ROWS;
  p.batch = n == 3 ? (gsize) a->sizes[0] : 1;
  p.m = (gsize) a->sizes[n - 2];
  p.k = (gsize) a->sizes[n - 1];
  p.n = (gsize) b->sizes[n - 1];
  p.stride = p.n;
  p.b_batch = p.k * p.n;
  p.a = pt_vk_in_index (emitter, first);
  p.b = pt_vk_in_index (emitter, first + 1);
  p.y = pt_vk_out_index (emitter, 0);
  return p;
}

PT_VK_EMIT (matmul)
{
  PtVkProduct p = matrices_of (emitter, 0);

  return are_floats (emitter, 0, 2) ? pt_vk_emit_product (emitter, &p, error) : PT_VK_DECLINED;
}

PT_VK_EMIT (addmm)
{
  const PtVkShape *bias = &pt_vk_in_value (emitter, 0)->shape;
  PtVkProduct p = matrices_of (emitter, 1);
  gsize columns = bias->rank > 0 ? (gsize) bias->sizes[bias->rank - 1] : 1;

  if (!are_floats (emitter, 0, 3) || bias->rank > 2)
    return PT_VK_DECLINED;
  p.bias = pt_vk_in_index (emitter, 0);
  p.bias_column = columns == 1 ? 0 : 1;
  p.bias_row = bias->rank == 2 && bias->sizes[0] != 1 ? columns : 0;
  pt_vk_baked_int (emitter, 3, 1);
  pt_vk_baked_int (emitter, 4, 1);
  p.beta = pt_vk_double (emitter->graph, call, 3, 1);
  p.alpha = pt_vk_double (emitter->graph, call, 4, 1);
  return pt_vk_emit_product (emitter, &p, error);
}

/* ---- Weights that are unpacked by a call of their own ---- */

/* torchao.dequantize_affine [x, block, scale, zero or Null, ..]. */
static const PtVkCall *
unpacking_call (const PtVkGraph *graph, const PtVkValue *weight)
{
  return weight->unpacked_by > 0 ? &graph->calls[weight->unpacked_by - 1] : NULL;
}

static gboolean
is_zero (const PtVkValue *value)
{
  gsize n = value->numel * pt_dtype_size (value->declared);

  return n == 0 ||
         (value->constant[0] == 0 && memcmp (value->constant, value->constant + 1, n - 1) == 0);
}

gboolean
pt_vk_reads_packed (const PtVkGraph *graph, const PtVkCall *call)
{
  const PtVkValue *weight = pt_vk_arg (graph, call, 1), *packed, *scale, *zero;
  const PtVkCall *unpack = unpacking_call (graph, weight);
  gint64 block[PT_VK_MAX_RANK];

  if (unpack == NULL)
    return FALSE;
  packed = pt_vk_constant_of (graph, pt_vk_arg (graph, unpack, 0));
  scale = pt_vk_constant_of (graph, pt_vk_arg (graph, unpack, 2));
  zero = pt_vk_arg (graph, unpack, 3)->kind == PT_VK_TENSOR
             ? pt_vk_constant_of (graph, pt_vk_arg (graph, unpack, 3))
             : NULL;
  return packed->stored == PT_DTYPE_I8 && scale->stored == PT_DTYPE_F32 &&
         weight->shape.rank == 2 && pt_vk_ints (graph, unpack, 1, block, PT_VK_MAX_RANK) == 2 &&
         block[0] == 1 && block[1] > 0 && weight->shape.sizes[1] % block[1] == 0 &&
         packed->numel == weight->numel && scale->numel == weight->numel / (gsize) block[1] &&
         (zero == NULL || is_zero (zero));
}

/* pt_vk_reads_packed() is TRUE. */
static void
set_packed (const PtVkGraph *graph, const PtVkValue *weight, PtVkProduct *p)
{
  const PtVkCall *unpack = unpacking_call (graph, weight);
  gint64 block[PT_VK_MAX_RANK];

  pt_vk_ints (graph, unpack, 1, block, PT_VK_MAX_RANK);
  p->kind = PT_VK_WEIGHT_I8_GROUPS;
  p->b = unpack->args[0];
  p->scales = unpack->args[2];
  p->group = (gsize) block[1];
}

PT_VK_EMIT (linear)
{
  const PtVkValue *in = pt_vk_in_value (emitter, 0), *weight = pt_vk_in_value (emitter, 1);
  PtVkProduct p = pt_vk_product ();

  if (!are_floats (emitter, 0, 3) || in->numel == 0)
    return PT_VK_DECLINED;
  p.kind = PT_VK_WEIGHT_FLOAT;
  p.b = pt_vk_in_index (emitter, 1);
  p.n = (gsize) weight->shape.sizes[0];
  p.k = p.stride = (gsize) weight->shape.sizes[1];
  p.m = in->numel / p.k;
  p.a = pt_vk_in_index (emitter, 0);
  p.y = pt_vk_out_index (emitter, 0);
  if (pt_vk_reads_packed (emitter->graph, call))
    set_packed (emitter->graph, weight, &p);
  if (pt_vk_in_value (emitter, 2)->kind == PT_VK_TENSOR) {
    p.bias = pt_vk_in_index (emitter, 2);
    p.bias_column = 1;
  }
  return pt_vk_emit_product (emitter, &p, error);
}
