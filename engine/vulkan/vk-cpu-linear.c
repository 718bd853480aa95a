/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear layers with quantised weights, and embeddings (docs/formats/vulkan.md, section 9). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/gemm.h"
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-shapes.h"

/* Rows of the weight that are made floats at once. */
#define BLOCK 64

static const PtVkValue *
value_of (const PtVkCpuCall *cpu, guint i)
{
  return pt_vk_arg (cpu->graph, cpu->call, i);
}

/* A product x . w^T with weights that are unpacked row by row. */
typedef struct _Layer Layer;
typedef float (*LoadWeight) (const Layer *layer, gsize row, gsize column);

struct _Layer {
  gsize m, n, k;
  const float *x;
  const guint8 *weight;
  gsize stride; /* bytes of one row of the weight */
  const float *scales;
  gsize group, scale_stride;
  const float *bias;
  LoadWeight load;
};

static float
load_int8 (const Layer *layer, gsize row, gsize column)
{
  return (float) ((const gint8 *) layer->weight)[row * layer->stride + column] * layer->scales[row];
}

/* The even column is in the high half. */
static float
load_high_first (const Layer *layer, gsize row, gsize column)
{
  guint8 pair = layer->weight[row * layer->stride + column / 2];

  return (float) ((column % 2 == 0 ? pair >> 4 : pair & 15) - 8) * layer->scales[row];
}

/* The even column is in the low half; scales [k / group, n]. */
static float
load_groups (const Layer *layer, gsize row, gsize column)
{
  guint8 pair = layer->weight[row * layer->stride + column / 2];

  return (float) ((column % 2 == 0 ? pair & 15 : pair >> 4) - 8) *
         layer->scales[column / layer->group * layer->scale_stride + row];
}

static gboolean
multiply_to (const PtVkCpuCall *cpu, const Layer *layer, float *y, GError **error)
{
  float *w = pt_execution_scratch (cpu->execution, BLOCK * MAX (layer->k, 1) * sizeof *w, error);

  if (w == NULL)
    return FALSE;
  for (gsize row = 0; row < layer->n; row += BLOCK) {
    gsize n = MIN (BLOCK, layer->n - row);
    PtEpilogue epilogue = { .bias = layer->bias != NULL ? layer->bias + row : NULL,
                            .min = -INFINITY,
                            .max = INFINITY };

    if (pt_execution_is_cancelled (cpu->execution))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    for (gsize i = 0; i < n; i++)
      for (gsize k = 0; k < layer->k; k++)
        w[i * layer->k + k] = layer->load (layer, row + i, k);
    pt_gemm_f32 (pt_execution_pool (cpu->execution), layer->m, n, layer->k, layer->x, layer->k, w,
                 layer->k, TRUE, &epilogue, y + row, layer->n);
  }
  return TRUE;
}

static gboolean
multiply (const PtVkCpuCall *cpu, const Layer *layer, GError **error)
{
  return multiply_to (cpu, layer, pt_vk_host_out (cpu, 0), error);
}

/*
 * The sizes of a layer whose weight is argument @weight, after the shape rule: rows and columns of
 * the weight are enough.
 */
static gboolean
start_layer (const PtVkCpuCall *cpu, guint weight, guint scales, Layer *layer, GError **error)
{
  const PtVkValue *in = value_of (cpu, 0), *w = value_of (cpu, weight);
  const PtVkValue *out = &cpu->graph->values[pt_vk_out (cpu->graph, cpu->call, 0)];

  if (!pt_vk_cpu_expect (cpu, scales, PT_DTYPE_F32, error))
    return FALSE;
  if (pt_dtype_size (w->stored) != 1)
    return pt_vk_misfit (cpu->call, "a quantised weight has no bytes", error);
  layer->k = (gsize) in->shape.sizes[in->shape.rank - 1];
  layer->n = (gsize) out->shape.sizes[out->shape.rank - 1];
  layer->m = layer->k > 0 ? in->numel / layer->k : 0;
  layer->x = pt_vk_host (cpu, 0);
  layer->weight = pt_vk_host (cpu, weight);
  layer->stride = (gsize) w->shape.sizes[1];
  layer->scales = pt_vk_host (cpu, scales);
  return TRUE;
}

static gboolean
set_bias (const PtVkCpuCall *cpu, guint i, Layer *layer, GError **error)
{
  const PtVkValue *bias = pt_vk_tensor (cpu->graph, cpu->call, i);

  if (bias == NULL)
    return TRUE;
  if (!pt_vk_cpu_expect (cpu, i, PT_DTYPE_F32, error))
    return FALSE;
  if (bias->numel < layer->n)
    return pt_vk_misfit (cpu->call, "a bias is too short", error);
  layer->bias = pt_vk_host (cpu, i);
  return TRUE;
}

static gboolean
linear_channels (const PtVkCpuCall *cpu, LoadWeight load, GError **error)
{
  Layer layer = { .load = load };

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error) ||
      !start_layer (cpu, 1, 2, &layer, error))
    return FALSE;
  if (value_of (cpu, 2)->numel < layer.n)
    return pt_vk_misfit (cpu->call, "a layer has fewer scales than rows", error);
  return multiply (cpu, &layer, error);
}

PT_VK_CPU (linear_8w)
{
  return linear_channels (cpu, load_int8, error);
}

PT_VK_CPU (linear_qcs4w)
{
  return linear_channels (cpu, load_high_first, error);
}

/* Groups and their scales [k / group, n or more]. */
static gboolean
set_groups (const PtVkCpuCall *cpu, guint scales, guint group, Layer *layer, GError **error)
{
  const PtVkShape *shape = &value_of (cpu, scales)->shape;
  gint64 size = pt_vk_int (cpu->graph, cpu->call, group, 0);

  if (size < 1 || shape->rank != 2 || (gsize) shape->sizes[1] < layer->n ||
      (gsize) shape->sizes[0] < (layer->k + (gsize) size - 1) / (gsize) size)
    return pt_vk_misfit (cpu->call, "a layer has scales that do not fit its groups", error);
  layer->group = (gsize) size;
  layer->scale_stride = (gsize) shape->sizes[1];
  return TRUE;
}

PT_VK_CPU (linear_q4gsw)
{
  Layer layer = { .load = load_groups };

  return pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) &&
         pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error) &&
         start_layer (cpu, 1, 2, &layer, error) && set_groups (cpu, 2, 3, &layer, error) &&
         set_bias (cpu, 4, &layer, error) && multiply (cpu, &layer, error);
}

static gint32
load_zero (const PtVkValue *value, gconstpointer data, gsize i)
{
  return value->stored == PT_DTYPE_I8    ? ((const gint8 *) data)[i]
         : value->stored == PT_DTYPE_I32 ? ((const gint32 *) data)[i]
         : value->stored == PT_DTYPE_F32 ? (gint32) ((const float *) data)[i]
                                         : ((const guint8 *) data)[i];
}

/* What quantising and dequantising leaves of each row. */
static float *
round_rows (const PtVkCpuCall *cpu, const Layer *layer, GError **error)
{
  const float *scales = pt_vk_host (cpu, 1);
  float *rounded =
      pt_execution_scratch (cpu->execution, MAX (layer->m * layer->k, 1) * sizeof *rounded, error);

  for (gsize row = 0; rounded != NULL && row < layer->m; row++) {
    float scale = scales[row], inverse = 1 / scale;
    float zero = (float) load_zero (value_of (cpu, 2), pt_vk_host (cpu, 2), row);

    for (gsize i = row * layer->k; i < (row + 1) * layer->k; i++) {
      float q = rintf (layer->x[i] * inverse) + zero;

      q = q < -128 ? -128 : q > 127 ? 127 : q;
      rounded[i] = (q - zero) * scale;
    }
  }
  return rounded;
}

PT_VK_CPU (linear_dq8ca_q4gsw)
{
  Layer layer = { .load = load_groups };

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect (cpu, 1, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error) ||
      !start_layer (cpu, 3, 5, &layer, error) || !set_groups (cpu, 5, 6, &layer, error) ||
      !set_bias (cpu, 7, &layer, error))
    return FALSE;
  if (value_of (cpu, 1)->numel < layer.m || value_of (cpu, 2)->numel < layer.m)
    return pt_vk_misfit (cpu->call, "a layer has fewer scales than rows", error);
  layer.x = round_rows (cpu, &layer, error);
  return layer.x != NULL && multiply (cpu, &layer, error);
}

/* ---- Static int8 layers ---- */

PT_VK_CPU (q8_linear)
{
  Layer layer = { .load = load_int8 };
  const gint8 *q = pt_vk_host (cpu, 0);
  float scale = (float) pt_vk_double (cpu->graph, cpu->call, 1, 1);
  float zero = (float) pt_vk_int (cpu->graph, cpu->call, 2, 0);
  float out_inverse = 1 / (float) pt_vk_double (cpu->graph, cpu->call, 6, 1);
  float out_zero = (float) pt_vk_int (cpu->graph, cpu->call, 7, 0);
  gboolean is_relu = pt_vk_is_text (cpu->graph, cpu->call, 9, "relu");
  gint8 *y = pt_vk_host_out (cpu, 0);
  float *x, *sums;

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_I8, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_I8, error) ||
      !start_layer (cpu, 3, 5, &layer, error) || !set_bias (cpu, 8, &layer, error))
    return FALSE;
  if (value_of (cpu, 5)->numel < layer.n)
    return pt_vk_misfit (cpu->call, "a layer has fewer scales than rows", error);
  x = pt_execution_scratch (cpu->execution, MAX (layer.m * layer.k, 1) * sizeof *x, error);
  if (x == NULL)
    return FALSE;
  sums = pt_execution_scratch (cpu->execution, MAX (layer.m * layer.n, 1) * sizeof *sums, error);
  if (sums == NULL)
    return FALSE;
  for (gsize i = 0; i < layer.m * layer.k; i++)
    x[i] = ((float) q[i] - zero) * scale;
  layer.x = x;
  if (!multiply_to (cpu, &layer, sums, error))
    return FALSE;
  for (gsize i = 0; i < layer.m * layer.n; i++) {
    float v = rintf ((is_relu ? MAX (sums[i], 0) : sums[i]) * out_inverse) + out_zero;

    y[i] = (gint8) (v < -128 ? -128 : v > 127 ? 127 : v);
  }
  return TRUE;
}

/* ---- Embedding ---- */

PT_VK_CPU (embedding_q4)
{
  const PtVkShape *weight = &value_of (cpu, 0)->shape;
  gsize width = (gsize) weight->sizes[1] * 2;
  gsize group = (gsize) pt_vk_int (cpu->graph, cpu->call, 2, 1);
  gsize stride = (gsize) value_of (cpu, 1)->shape.sizes[1];
  gboolean low_first = pt_vk_bool (cpu->graph, cpu->call, 4);
  const gint32 *indices = pt_vk_host (cpu, 3);
  const float *scales = pt_vk_host (cpu, 1);
  float *y = pt_vk_host_out (cpu, 0);

  if (pt_dtype_size (value_of (cpu, 0)->stored) != 1 ||
      !pt_vk_cpu_expect (cpu, 1, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect (cpu, 3, PT_DTYPE_I32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  for (gsize i = 0; i < value_of (cpu, 3)->numel; i++, y += width) {
    const guint8 *row = (const guint8 *) pt_vk_host (cpu, 0) + (gsize) indices[i] * (width / 2);

    if (indices[i] < 0 || indices[i] >= weight->sizes[0])
      return pt_fail (error, PT_ERROR_ARGUMENT, "Token %d is not in the embedding.", indices[i]);
    for (gsize k = 0; k < width; k++) {
      gboolean is_low = (k % 2 == 0) == low_first;

      y[k] = (float) ((is_low ? row[k / 2] & 15 : row[k / 2] >> 4) - 8) *
             scales[(gsize) indices[i] * stride + k / group];
    }
  }
  return TRUE;
}
