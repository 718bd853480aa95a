/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantising, and operators on int8 tensors (docs/formats/vulkan.md, section 9.2). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-shapes.h"

static const PtVkValue *
value_of (const PtVkCpuCall *cpu, guint i)
{
  return pt_vk_arg (cpu->graph, cpu->call, i);
}

static const PtVkValue *
out_of (const PtVkCpuCall *cpu, guint k)
{
  return &cpu->graph->values[pt_vk_out (cpu->graph, cpu->call, k)];
}

static float
float_arg (const PtVkCpuCall *cpu, guint i, double fallback)
{
  return (float) pt_vk_double (cpu->graph, cpu->call, i, fallback);
}

static double
load (const PtVkValue *value, gconstpointer data, gsize i)
{
  switch (value->stored) {
  case PT_DTYPE_F32: return (double) ((const float *) data)[i];
  case PT_DTYPE_I32: return ((const gint32 *) data)[i];
  case PT_DTYPE_I8: return ((const gint8 *) data)[i];
  default: return ((const guint8 *) data)[i];
  }
}

static void
store (const PtVkValue *value, gpointer data, gsize i, double x)
{
  gint32 whole = x != x ? 0 : (gint32) CLAMP (x, G_MININT32, G_MAXINT32);

  switch (value->stored) {
  case PT_DTYPE_F32: ((float *) data)[i] = (float) x; break;
  case PT_DTYPE_I32: ((gint32 *) data)[i] = whole; break;
  default: ((guint8 *) data)[i] = (guint8) whole;
  }
}

static gint8
to_int8 (float x)
{
  return (gint8) (x > -128 ? (x < 127 ? x : 127) : -128);
}

/* ---- Choice of scales ---- */

typedef struct {
  double scale, zero;
} Params;

static Params
choose (const float *x, gsize n, double least_q, double most_q, float epsilon)
{
  float least = 0, most = 0, scale;
  double zero;

  for (gsize i = 0; i < n; i++) {
    least = MIN (least, x[i]);
    most = MAX (most, x[i]);
  }
  scale = MAX ((most - least) / (float) (most_q - least_q), epsilon);
  zero = least_q - (double) rintf (least / scale);
  return (Params){ (double) scale, CLAMP (zero, least_q, most_q) };
}

/* Of each row (the last dimension). */
PT_VK_CPU (choose_qparams)
{
  const PtVkValue *in = value_of (cpu, 0);
  gboolean is_affine = cpu->call->n_args > 6;
  double least = is_affine ? (double) pt_vk_int (cpu->graph, cpu->call, 4, -128) : -128;
  double most = is_affine ? (double) pt_vk_int (cpu->graph, cpu->call, 5, 127) : 127;
  float epsilon = is_affine ? float_arg (cpu, 6, 1.1920929e-07) : 1.1920929e-07f;
  gsize width = (gsize) in->shape.sizes[in->shape.rank - 1];
  const float *x = pt_vk_host (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  for (gsize row = 0; row < out_of (cpu, 0)->numel; row++) {
    Params p = choose (x + row * width, width, least, most, epsilon);

    store (out_of (cpu, 0), pt_vk_host_out (cpu, 0), row, p.scale);
    store (out_of (cpu, 1), pt_vk_host_out (cpu, 1), row, p.zero);
  }
  return TRUE;
}

PT_VK_CPU (choose_tensor)
{
  Params p;

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  p = choose (pt_vk_host (cpu, 0), value_of (cpu, 0)->numel,
              (double) pt_vk_int (cpu->graph, cpu->call, 1, -128),
              (double) pt_vk_int (cpu->graph, cpu->call, 2, 127), float_arg (cpu, 3, 0));
  store (out_of (cpu, 0), pt_vk_host_out (cpu, 0), 0, p.scale);
  store (out_of (cpu, 1), pt_vk_host_out (cpu, 1), 0, p.zero);
  return TRUE;
}

/* ---- Quantising and dequantising ---- */

/* Which scale belongs to an element. */
typedef struct {
  const PtVkValue *scales, *zeros; /* tensors, or NULL: @scale and @zero */
  gconstpointer scale_data, zero_data;
  double scale, zero, least, most;
  gint64 block[PT_VK_MAX_RANK]; /* elements of one scale, by dimension */
} Grid;

static gsize
scale_index (const Grid *grid, const PtVkShape *shape, gsize i)
{
  gsize at = 0, rest[PT_VK_MAX_RANK];

  for (guint d = shape->rank; d-- > 0;) {
    rest[d] = i % (gsize) shape->sizes[d];
    i /= (gsize) shape->sizes[d];
  }
  for (guint d = 0; d < shape->rank; d++)
    at = at * (gsize) (shape->sizes[d] / grid->block[d]) + rest[d] / (gsize) grid->block[d];
  return at;
}

/* Each block divides its dimension, and there are enough scales. */
static gboolean
check_grid (const PtVkCpuCall *cpu, const Grid *grid, const PtVkShape *shape, GError **error)
{
  gsize n = 1;

  for (guint d = 0; d < shape->rank; d++) {
    if (grid->block[d] < 1 || shape->sizes[d] % grid->block[d] != 0)
      return pt_vk_misfit (cpu->call, "blocks do not divide their tensor", error);
    n *= (gsize) (shape->sizes[d] / grid->block[d]);
  }
  if ((grid->scales != NULL && grid->scales->numel < n) ||
      (grid->zeros != NULL && grid->zeros->numel < n))
    return pt_vk_misfit (cpu->call, "there are fewer scales than blocks", error);
  return TRUE;
}

static gboolean
apply (const PtVkCpuCall *cpu, const Grid *grid, gboolean quantizes, GError **error)
{
  const PtVkValue *in = value_of (cpu, 0), *out = out_of (cpu, 0);
  gconstpointer from = pt_vk_host (cpu, 0);
  gpointer to = pt_vk_host_out (cpu, 0);

  if (grid->scales != NULL && !check_grid (cpu, grid, &in->shape, error))
    return FALSE;
  for (gsize i = 0; i < in->numel; i++) {
    gsize at = grid->scales != NULL ? scale_index (grid, &in->shape, i) : 0;
    double scale = grid->scales != NULL ? load (grid->scales, grid->scale_data, at) : grid->scale;
    double zero = grid->zeros != NULL ? load (grid->zeros, grid->zero_data, at) : grid->zero;
    double x = load (in, from, i);

    if (quantizes) {
      x = (double) rintf ((float) x * (1 / (float) scale)) + zero;
      store (out, to, i, CLAMP (x, grid->least, grid->most));
    } else {
      store (out, to, i, (x - zero) * scale);
    }
  }
  return TRUE;
}

static void
set_tensors (const PtVkCpuCall *cpu, Grid *grid, guint scales, guint zeros)
{
  grid->scales = value_of (cpu, scales);
  grid->scale_data = pt_vk_host (cpu, scales);
  grid->zeros = pt_vk_tensor (cpu->graph, cpu->call, zeros);
  grid->zero_data = grid->zeros != NULL ? pt_vk_host (cpu, zeros) : NULL;
}

static void
set_limits (const PtVkCpuCall *cpu, Grid *grid, guint least)
{
  grid->least = (double) pt_vk_int (cpu->graph, cpu->call, least, -128);
  grid->most = (double) pt_vk_int (cpu->graph, cpu->call, least + 1, 127);
}

static gboolean
by_numbers (const PtVkCpuCall *cpu, gboolean quantizes, GError **error)
{
  Grid grid = { .scale = pt_vk_double (cpu->graph, cpu->call, 1, 1),
                .zero = (double) pt_vk_int (cpu->graph, cpu->call, 2, 0) };

  set_limits (cpu, &grid, 3);
  return apply (cpu, &grid, quantizes, error);
}

PT_VK_CPU (quantize)
{
  return by_numbers (cpu, TRUE, error);
}

PT_VK_CPU (dequantize)
{
  return by_numbers (cpu, FALSE, error);
}

/* torchao: the blocks are argument 1. */
static gboolean
by_blocks (const PtVkCpuCall *cpu, gboolean quantizes, GError **error)
{
  Grid grid = { 0 };

  if (pt_vk_ints (cpu->graph, cpu->call, 1, grid.block, PT_VK_MAX_RANK) !=
      value_of (cpu, 0)->shape.rank)
    return pt_vk_misfit (cpu->call, "blocks have another rank than their tensor", error);
  set_tensors (cpu, &grid, 2, 3);
  set_limits (cpu, &grid, 5);
  return apply (cpu, &grid, quantizes, error);
}

PT_VK_CPU (quantize_affine)
{
  return by_blocks (cpu, TRUE, error);
}

PT_VK_CPU (dequantize_affine)
{
  return by_blocks (cpu, FALSE, error);
}

static gboolean
by_channels (const PtVkCpuCall *cpu, gboolean quantizes, GError **error)
{
  const PtVkShape *shape = &value_of (cpu, 0)->shape;
  Grid grid = { 0 };
  guint axis;

  if (!pt_vk_dim (pt_vk_int (cpu->graph, cpu->call, 3, 0), shape->rank, &axis, error))
    return FALSE;
  for (guint d = 0; d < shape->rank; d++)
    grid.block[d] = d == axis ? 1 : MAX (shape->sizes[d], 1);
  set_tensors (cpu, &grid, 1, 2);
  set_limits (cpu, &grid, 4);
  return apply (cpu, &grid, quantizes, error);
}

PT_VK_CPU (quantize_channels)
{
  return by_channels (cpu, TRUE, error);
}

PT_VK_CPU (dequantize_channels)
{
  return by_channels (cpu, FALSE, error);
}

static gboolean
by_tokens (const PtVkCpuCall *cpu, gboolean quantizes, GError **error)
{
  const PtVkShape *shape = &value_of (cpu, 0)->shape;
  Grid grid = { 0 };

  for (guint d = 0; d < shape->rank; d++)
    grid.block[d] = d + 1 == shape->rank ? MAX (shape->sizes[d], 1) : 1;
  set_tensors (cpu, &grid, 1, 2);
  set_limits (cpu, &grid, 3);
  return apply (cpu, &grid, quantizes, error);
}

PT_VK_CPU (quantize_tokens)
{
  return by_tokens (cpu, TRUE, error);
}

PT_VK_CPU (dequantize_tokens)
{
  return by_tokens (cpu, FALSE, error);
}

static gboolean
by_tensor (const PtVkCpuCall *cpu, gboolean quantizes, GError **error)
{
  Grid grid = { 0 };

  for (guint d = 0; d < PT_VK_MAX_RANK; d++)
    grid.block[d] = MAX (value_of (cpu, 0)->shape.sizes[d], 1);
  set_tensors (cpu, &grid, 1, 2);
  set_limits (cpu, &grid, 3);
  return apply (cpu, &grid, quantizes, error);
}

PT_VK_CPU (quantize_by_tensor)
{
  return by_tensor (cpu, TRUE, error);
}

PT_VK_CPU (dequantize_by_tensor)
{
  return by_tensor (cpu, FALSE, error);
}

/* ---- Elementwise on int8 ---- */

/* Where an element of the output comes from in an input that is broadcast. */
static gsize
broadcast_index (const PtVkShape *out, const PtVkShape *in, gsize i)
{
  gsize at = 0, stride = 1;

  for (guint d = 0; d < out->rank; d++) {
    gsize size = (gsize) out->sizes[out->rank - 1 - d], rest = i % size;

    i /= size;
    if (d >= in->rank)
      continue;
    at += in->sizes[in->rank - 1 - d] == 1 ? 0 : rest * stride;
    stride *= (gsize) in->sizes[in->rank - 1 - d];
  }
  return at;
}

PT_VK_CPU (q8_add)
{
  const PtVkValue *out = out_of (cpu, 0);
  const gint8 *a = pt_vk_host (cpu, 0), *b = pt_vk_host (cpu, 1);
  float scale_a = float_arg (cpu, 2, 1), zero_a = float_arg (cpu, 3, 0);
  float scale_b = float_arg (cpu, 4, 1) * float_arg (cpu, 8, 1), zero_b = float_arg (cpu, 5, 0);
  float inverse = 1 / float_arg (cpu, 6, 1), zero = float_arg (cpu, 7, 0);
  gint8 *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect (cpu, 1, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_I8, error))
    return FALSE;
  for (gsize i = 0; i < out->numel; i++) {
    float x = (float) a[broadcast_index (&out->shape, &value_of (cpu, 0)->shape, i)] - zero_a;
    float z = (float) b[broadcast_index (&out->shape, &value_of (cpu, 1)->shape, i)] - zero_b;

    y[i] = to_int8 (rintf ((x * scale_a + z * scale_b) * inverse) + zero);
  }
  return TRUE;
}

PT_VK_CPU (q8_relu)
{
  const gint8 *x = pt_vk_host (cpu, 0);
  float scale = float_arg (cpu, 1, 1), zero = float_arg (cpu, 2, 0);
  float inverse = 1 / float_arg (cpu, 3, 1), out_zero = float_arg (cpu, 4, 0);
  gint8 *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_I8, error))
    return FALSE;
  for (gsize i = 0; i < out_of (cpu, 0)->numel; i++)
    y[i] = to_int8 (rintf (MAX (((float) x[i] - zero) * scale, 0) * inverse) + out_zero);
  return TRUE;
}

PT_VK_CPU (q8_pixel_shuffle)
{
  const PtVkShape *in = &value_of (cpu, 0)->shape, *out = &out_of (cpu, 0)->shape;
  gsize factor = (gsize) pt_vk_int (cpu->graph, cpu->call, 5, 1), n = in->rank;
  gsize width = (gsize) out->sizes[n - 1], height = (gsize) out->sizes[n - 2];
  float scale = float_arg (cpu, 1, 1), zero = float_arg (cpu, 2, 0);
  float inverse = float_arg (cpu, 3, 1), out_zero = float_arg (cpu, 4, 0);
  const gint8 *x = pt_vk_host (cpu, 0);
  gint8 *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_I8, error))
    return FALSE;
  for (gsize i = 0; i < out_of (cpu, 0)->numel; i++) {
    gsize ox = i % width, oy = i / width % height, c = i / (width * height);
    gsize plane = c * factor * factor + oy % factor * factor + ox % factor;
    gsize at = (plane * (height / factor) + oy / factor) * (width / factor) + ox / factor;

    y[i] = to_int8 (rintf (((float) x[at] - zero) * scale * inverse) + out_zero);
  }
  return TRUE;
}

/* ---- Convolution ---- */

typedef struct {
  PtVkConvolution c;
  const gint8 *x, *w;
  const float *scales, *bias;
  gsize row; /* bytes of the weight of one output channel */
  gint64 zero;
  float scale, inverse, out_zero;
  gboolean is_depthwise, is_relu;
  gint8 *y;
} Convolution;

static gint32
weight_at (const Convolution *p, gint64 o, gint64 ky, gint64 kx, gint64 c)
{
  gint64 tap = ky * p->c.kernel[1] + kx;

  return p->is_depthwise ? p->w[tap * (gint64) p->row + o]
                         : p->w[o * (gint64) p->row + tap * (p->c.in_channels / p->c.groups) + c];
}

/* The place in the input that tap @k of output @o reads; FALSE: none. */
static gboolean
place (const PtVkConvolution *c, guint d, gint64 o, gint64 k, gint64 *in)
{
  gint64 at;

  if (c->transposed) {
    at = o + c->padding[d] - k * c->dilation[d];
    if (at < 0 || at % c->stride[d] != 0)
      return FALSE;
    at /= c->stride[d];
  } else {
    at = o * c->stride[d] - c->padding[d] + k * c->dilation[d];
  }
  *in = at;
  return at >= 0 && at < c->in[d];
}

static gint64
sum_at (const Convolution *p, gint64 b, gint64 o, gint64 oy, gint64 ox)
{
  gint64 channels = p->c.in_channels / p->c.groups;
  gint64 first = o / (p->c.out_channels / p->c.groups) * channels, iy, ix;
  gint64 sum = 0;

  for (gint64 ky = 0; ky < p->c.kernel[0]; ky++) {
    if (!place (&p->c, 0, oy, ky, &iy))
      continue;
    for (gint64 kx = 0; kx < p->c.kernel[1]; kx++) {
      if (!place (&p->c, 1, ox, kx, &ix))
        continue;
      for (gint64 c = 0; c < channels; c++) {
        gint64 plane = b * p->c.in_channels + first + c;

        sum += (p->x[(plane * p->c.in[0] + iy) * p->c.in[1] + ix] - p->zero) *
               weight_at (p, o, ky, kx, c);
      }
    }
  }
  return sum;
}

/* Planes [begin, end) of the output. */
static void
convolve (gpointer data, gsize begin, gsize end, guint worker)
{
  const Convolution *p = data;

  for (gsize plane = begin; plane < end; plane++) {
    gint64 o = (gint64) plane % p->c.out_channels, b = (gint64) plane / p->c.out_channels;
    gint8 *y = p->y + (gint64) plane * p->c.out[0] * p->c.out[1];

    for (gint64 oy = 0; oy < p->c.out[0]; oy++)
      for (gint64 ox = 0; ox < p->c.out[1]; ox++) {
        float v = (float) sum_at (p, b, o, oy, ox) * p->scale * p->scales[o] +
                  (p->bias != NULL ? p->bias[o] : 0);

        *y++ = to_int8 (rintf ((p->is_relu ? MAX (v, 0) : v) * p->inverse) + p->out_zero);
      }
  }
}

PT_VK_CPU (q8_convolution)
{
  const PtVkValue *bias = pt_vk_tensor (cpu->graph, cpu->call, 8), *weight = value_of (cpu, 3);
  guint activation = 14 + cpu->call->op->code;
  Convolution p = { .x = pt_vk_host (cpu, 0),
                    .w = pt_vk_host (cpu, 3),
                    .scales = pt_vk_host (cpu, 5),
                    .bias = bias != NULL ? pt_vk_host (cpu, 8) : NULL,
                    .zero = CLAMP (pt_vk_int (cpu->graph, cpu->call, 2, 0), G_MININT32, G_MAXINT32),
                    .scale = float_arg (cpu, 1, 1),
                    .inverse = 1 / float_arg (cpu, 6, 1),
                    .out_zero = float_arg (cpu, 7, 0),
                    .is_relu = pt_vk_is_text (cpu->graph, cpu->call, activation, "relu"),
                    .is_depthwise = weight->shape.rank == 3,
                    .y = pt_vk_host_out (cpu, 0) };

  if (!pt_vk_q8_convolution_of (cpu->graph, cpu->call, &p.c, error) ||
      !pt_vk_cpu_expect (cpu, 0, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect (cpu, 3, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect (cpu, 5, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_I8, error) ||
      (bias != NULL && !pt_vk_cpu_expect (cpu, 8, PT_DTYPE_F32, error)))
    return FALSE;
  if (value_of (cpu, 5)->numel < (gsize) p.c.out_channels ||
      (bias != NULL && bias->numel < (gsize) p.c.out_channels))
    return pt_vk_misfit (cpu->call, "a convolution has fewer scales than channels", error);
  p.row = (gsize) weight->shape.sizes[weight->shape.rank - 1];
  pt_pool_run (pt_execution_pool (cpu->execution), (gsize) (p.c.batch * p.c.out_channels), 1,
               convolve, &p);
  return TRUE;
}
