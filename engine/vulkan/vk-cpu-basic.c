/* SPDX-License-Identifier: BSD-3-Clause */
/* Elementwise operators, tensors from nothing, pooling (docs/formats/vulkan.md, section 8). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

static const PtVkValue *
out_value (const PtVkCpuCall *cpu, guint k)
{
  return &cpu->graph->values[pt_vk_out (cpu->graph, cpu->call, k)];
}

static float
clamp (float x, float least, float most)
{
  return x < least ? least : x > most ? most : x;
}

PT_VK_CPU (unary)
{
  float p = cpu->call->n_args > 2 ? (float) pt_vk_double (cpu->graph, cpu->call, 1, 0) : 0;
  const float *x = pt_vk_host (cpu, 0);
  float *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  for (gsize i = 0, n = out_value (cpu, 0)->numel; i < n; i++)
    switch (cpu->call->op->code) {
    case PT_VK_UNARY_HARDSWISH: y[i] = x[i] * clamp (x[i] + 3, 0, 6) / 6; break;
    case PT_VK_UNARY_HARDSIGMOID: y[i] = clamp (x[i] / 6 + 0.5f, 0, 1); break;
    case PT_VK_UNARY_RELU6: y[i] = clamp (x[i], 0, 6); break;
    default: y[i] = fabsf (x[i]) <= p ? 0 : x[i]; /* hardshrink; NaN stays */
    }
  return TRUE;
}

/* ---- Conversion ---- */

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

/* Floats outside of the range of integers become its ends. */
static gint32
to_int (double x)
{
  return x != x ? 0 : x <= G_MININT32 ? G_MININT32 : x >= G_MAXINT32 ? G_MAXINT32 : (gint32) x;
}

static void
store (const PtVkValue *value, gpointer data, gsize i, double x)
{
  switch (value->stored) {
  case PT_DTYPE_F32: ((float *) data)[i] = (float) x; break;
  case PT_DTYPE_I32: ((gint32 *) data)[i] = to_int (x); break;
  case PT_DTYPE_BOOL: ((guint8 *) data)[i] = x != 0; break;
  default: ((guint8 *) data)[i] = (guint8) to_int (x);
  }
}

PT_VK_CPU (convert)
{
  const PtVkValue *in = pt_vk_arg (cpu->graph, cpu->call, 0), *out = out_value (cpu, 0);

  if (in->stored == out->stored) {
    if (out->numel > 0)
      memmove (pt_vk_host_out (cpu, 0), pt_vk_host (cpu, 0), pt_vk_value_bytes (out));
    return TRUE;
  }
  for (gsize i = 0; i < out->numel; i++)
    store (out, pt_vk_host_out (cpu, 0), i, load (in, pt_vk_host (cpu, 0), i));
  return TRUE;
}

/* ---- Creation ---- */

PT_VK_CPU (fill)
{
  guint code = cpu->call->op->code;
  double number =
      (code & PT_VK_FILL_ARGUMENT) != 0 ? pt_vk_double (cpu->graph, cpu->call, code & 1, 0) : code;

  for (gsize i = 0; i < out_value (cpu, 0)->numel; i++)
    store (out_value (cpu, 0), pt_vk_host_out (cpu, 0), i, number);
  return TRUE;
}

PT_VK_CPU (arange)
{
  double start = pt_vk_double (cpu->graph, cpu->call, 0, 0);
  double step = pt_vk_double (cpu->graph, cpu->call, 2, 1);

  for (gsize i = 0; i < out_value (cpu, 0)->numel; i++)
    store (out_value (cpu, 0), pt_vk_host_out (cpu, 0), i, start + (double) i * step);
  return TRUE;
}

PT_VK_CPU (grid_priors)
{
  const PtVkShape *in = &pt_vk_arg (cpu->graph, cpu->call, 0)->shape;
  float stride = (float) pt_vk_double (cpu->graph, cpu->call, 1, 1);
  float offset = (float) pt_vk_double (cpu->graph, cpu->call, 2, 0);
  gint64 width = in->sizes[in->rank - 1];
  float *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  for (gint64 i = 0; i < out_value (cpu, 0)->shape.sizes[0]; i++) {
    y[2 * i] = ((float) (i % width) + offset) * stride;
    y[2 * i + 1] = ((float) (i / width) + offset) * stride;
  }
  return TRUE;
}

/* ---- The rest ---- */

PT_VK_CPU (rms_norm)
{
  const PtVkValue *in = pt_vk_arg (cpu->graph, cpu->call, 0);
  const PtVkValue *weight = pt_vk_arg (cpu->graph, cpu->call, 1);
  const float *x = pt_vk_host (cpu, 0), *w = pt_vk_host (cpu, 1);
  double epsilon = pt_vk_double (cpu->graph, cpu->call, 2, 0);
  gsize width = weight->numel;
  float *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect (cpu, 1, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  if (in->shape.rank == 0 || width != (gsize) in->shape.sizes[in->shape.rank - 1])
    return pt_vk_misfit (cpu->call, "a norm has another size than its tensor", error);
  for (gsize row = 0; row + width <= in->numel && width > 0; row += width) {
    double sum = 0;
    float scale;

    for (gsize i = 0; i < width; i++)
      sum += (double) x[row + i] * (double) x[row + i];
    scale = (float) (1 / sqrt (sum / (double) width + epsilon));
    for (gsize i = 0; i < width; i++)
      y[row + i] = x[row + i] * scale * w[i];
  }
  return TRUE;
}

PT_VK_CPU (clamp_out)
{
  float least = (float) pt_vk_double (cpu->graph, cpu->call, 9, -HUGE_VAL);
  float most = (float) pt_vk_double (cpu->graph, cpu->call, 10, HUGE_VAL);
  float *y = pt_vk_host_out (cpu, 0);

  if (!pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error))
    return FALSE;
  for (gsize i = 0; i < out_value (cpu, 0)->numel; i++)
    y[i] = clamp (y[i], least, most);
  return TRUE;
}

/* The largest element of one window, the first of equal ones, and NaN before all. */
static float
window_max (const PtVkPooling *p, const float *x, gint64 oy, gint64 ox, gint32 *index)
{
  float best = -INFINITY;
  gint32 at = -1;

  for (gint64 ky = 0; ky < p->kernel[0]; ky++)
    for (gint64 kx = 0; kx < p->kernel[1]; kx++) {
      gint64 iy = oy * p->stride[0] - p->padding[0] + ky * p->dilation[0];
      gint64 ix = ox * p->stride[1] - p->padding[1] + kx * p->dilation[1];
      float value;

      if (iy < 0 || iy >= p->in[0] || ix < 0 || ix >= p->in[1])
        continue;
      value = x[iy * p->in[1] + ix];
      if (at < 0 || value > best || value != value) {
        best = value;
        at = (gint32) (iy * p->in[1] + ix);
      }
    }
  *index = at;
  return best;
}

PT_VK_CPU (max_pool)
{
  gboolean has_indices = pt_vk_n_outs (cpu->graph, cpu->call) > 1;
  gint32 *indices = has_indices ? pt_vk_host_out (cpu, 1) : NULL, index;
  const float *x = pt_vk_host (cpu, 0);
  float *y = pt_vk_host_out (cpu, 0);
  PtVkPooling p;

  if (!pt_vk_pooling_of (cpu->graph, cpu->call, FALSE, &p, error) ||
      !pt_vk_cpu_expect (cpu, 0, PT_DTYPE_F32, error) ||
      !pt_vk_cpu_expect_out (cpu, 0, PT_DTYPE_F32, error) ||
      (has_indices && !pt_vk_cpu_expect_out (cpu, 1, PT_DTYPE_I32, error)))
    return FALSE;
  for (gint64 plane = 0; plane < p.planes; plane++, x += p.in[0] * p.in[1])
    for (gint64 oy = 0; oy < p.out[0]; oy++)
      for (gint64 ox = 0; ox < p.out[1]; ox++) {
        *y++ = window_max (&p, x, oy, ox, &index);
        if (indices != NULL)
          *indices++ = index;
      }
  return TRUE;
}
