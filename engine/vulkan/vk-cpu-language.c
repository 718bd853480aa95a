/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotary embeddings, caches and attention (docs/formats/vulkan.md, sections 8.6 and 10). */
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

static gboolean
expect_floats (const PtVkCpuCall *cpu, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (value_of (cpu, i)->kind == PT_VK_TENSOR && !pt_vk_cpu_expect (cpu, i, PT_DTYPE_F32, error))
      return FALSE;
  for (guint k = 0; k < pt_vk_n_outs (cpu->graph, cpu->call); k++)
    if (!pt_vk_cpu_expect_out (cpu, k, PT_DTYPE_F32, error))
      return FALSE;
  return TRUE;
}

/* ---- Rotary embeddings ---- */

PT_VK_CPU (rotary)
{
  const float *cosine = pt_vk_host (cpu, 2), *sine = pt_vk_host (cpu, 3);

  if (!expect_floats (cpu, 4, error))
    return FALSE;
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *shape = &value_of (cpu, k)->shape;
    gsize half = (gsize) shape->sizes[3] / 2, heads = (gsize) shape->sizes[2];
    gsize length = (gsize) shape->sizes[1];
    const float *x = pt_vk_host (cpu, k);
    float *y = pt_vk_host_out (cpu, k);

    if (value_of (cpu, 2)->numel < length * half || value_of (cpu, 3)->numel < length * half)
      return pt_vk_misfit (cpu->call, "a rotary table is too small", error);
    for (gsize i = 0; i < value_of (cpu, k)->numel / 2; i++) {
      gsize at = i / (half * heads) % length * half + i % half;
      float a = x[2 * i], b = x[2 * i + 1];

      y[2 * i] = a * cosine[at] - b * sine[at];
      y[2 * i + 1] = a * sine[at] + b * cosine[at];
    }
  }
  return TRUE;
}

/* Pairs are halves of the first R elements of each head. */
static void
rotate_halves (const PtVkShape *shape, gsize width, const float *cosine, const float *sine,
               const float *x, float *y)
{
  gsize head = (gsize) shape->sizes[3], heads = (gsize) shape->sizes[2];
  gsize rows = (gsize) shape->sizes[0] * (gsize) shape->sizes[1] * heads, half = width / 2;

  for (gsize row = 0; row < rows; row++, x += head, y += head) {
    gsize at = row / heads % (gsize) shape->sizes[1] * width;

    for (gsize i = 0; i < head; i++)
      y[i] = i >= width ? x[i]
             : i < half ? x[i] * cosine[at + i] - x[i + half] * sine[at + i]
                        : x[i] * cosine[at + i] + x[i - half] * sine[at + i];
  }
}

PT_VK_CPU (rotary_hf)
{
  const PtVkShape *table = &value_of (cpu, 2)->shape;
  gint64 start = pt_vk_int (cpu->graph, cpu->call, 4, 0);

  if (!expect_floats (cpu, 4, error))
    return FALSE;
  for (guint k = 0; k < 2; k++) {
    const PtVkShape *shape = &value_of (cpu, k)->shape;
    gint64 width;

    if (table->rank != 2 || memcmp (table, &value_of (cpu, 3)->shape, sizeof *table) != 0 ||
        start < 0 || start > table->sizes[0] - shape->sizes[1])
      return pt_vk_misfit (cpu->call, "a position lies outside the rotary table", error);
    width = table->sizes[1];
    if (width % 2 != 0 || width > shape->sizes[3])
      return pt_vk_misfit (cpu->call, "a rotary table is too wide", error);
    rotate_halves (shape, (gsize) width, (const float *) pt_vk_host (cpu, 2) + start * width,
                   (const float *) pt_vk_host (cpu, 3) + start * width, pt_vk_host (cpu, k),
                   pt_vk_host_out (cpu, k));
  }
  return TRUE;
}

PT_VK_CPU (rotary_interleaved)
{
  const PtVkValue *in = value_of (cpu, 0);
  const float *x = pt_vk_host (cpu, 0), *table = pt_vk_host (cpu, 1);
  gsize n = value_of (cpu, 1)->numel;
  float *y = pt_vk_host_out (cpu, 0);

  if (!expect_floats (cpu, 2, error))
    return FALSE;
  if (n == 0 || n % 2 != 0 || in->numel % n != 0)
    return pt_vk_misfit (cpu->call, "a rotary table does not fit", error);
  for (gsize i = 0; i < in->numel; i += 2) {
    float c = table[i % n], s = table[i % n + 1];

    y[i] = x[i] * c - x[i + 1] * s;
    y[i + 1] = x[i] * s + x[i + 1] * c;
  }
  return TRUE;
}

/* ---- Caches and attention ---- */

PT_VK_CPU (update_cache)
{
  const PtVkShape *rows = &value_of (cpu, 0)->shape, *cache = &value_of (cpu, 1)->shape;
  gint64 start = pt_vk_int (cpu->graph, cpu->call, 2, 0);
  gsize row;

  if (value_of (cpu, 0)->stored != value_of (cpu, 1)->stored || rows->rank != 4 ||
      cache->rank != 4 || rows->sizes[0] != 1 || cache->sizes[0] != 1 ||
      rows->sizes[2] != cache->sizes[2] || rows->sizes[3] != cache->sizes[3])
    return pt_vk_misfit (cpu->call, "the rows for a cache have another shape", error);
  if (start < 0 || start > cache->sizes[1] - rows->sizes[1])
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A cache of %" G_GINT64_FORMAT " positions cannot take %" G_GINT64_FORMAT
                    " from position %" G_GINT64_FORMAT " on.",
                    cache->sizes[1], rows->sizes[1], start);
  row = (gsize) rows->sizes[2] * (gsize) rows->sizes[3] * pt_dtype_size (value_of (cpu, 0)->stored);
  if (value_of (cpu, 0)->numel > 0)
    memcpy ((guint8 *) pt_vk_host (cpu, 1) + (gsize) start * row, pt_vk_host (cpu, 0),
            (gsize) rows->sizes[1] * row);
  if (value_of (cpu, 0)->numel > 0)
    memmove (pt_vk_host_out (cpu, 0), pt_vk_host (cpu, 0), pt_vk_value_bytes (value_of (cpu, 0)));
  return TRUE;
}

/* The mask's element for row @t and key @s; it may lack leading dimensions, or have size 1. */
static float
mask_at (const PtVkValue *mask, const float *data, const gint64 *index)
{
  gint64 at = 0;

  for (guint i = 0; i < mask->shape.rank; i++) {
    gint64 size = mask->shape.sizes[i];

    at = at * size + (size == 1 ? 0 : index[4 - mask->shape.rank + i]);
  }
  return data[at];
}

typedef struct {
  gsize keys, width, value_width;
  float scale;
  const float *q, *k, *v;
} Row;

/* softmax(q . k + mask) . v for one row; scores [keys] hold the mask and are overwritten. */
static void
attend (const Row *row, float *scores, float *y)
{
  float most = -INFINITY, sum = 0;

  for (gsize s = 0; s < row->keys; s++) {
    float dot = 0;

    for (gsize i = 0; i < row->width; i++)
      dot += row->q[i] * row->k[s * row->width + i];
    scores[s] += dot * row->scale;
    most = MAX (most, scores[s]);
  }
  memset (y, 0, row->value_width * sizeof *y);
  for (gsize s = 0; s < row->keys; s++) {
    float weight = most == -INFINITY ? 0 : expf (scores[s] - most);

    sum += weight;
    for (gsize i = 0; i < row->value_width; i++)
      y[i] += weight * row->v[s * row->value_width + i];
  }
  for (gsize i = 0; i < row->value_width; i++)
    y[i] = sum > 0 ? y[i] / sum : 0;
}

static gboolean
fits_attention (const PtVkShape *q, const PtVkShape *k, const PtVkShape *v, const PtVkValue *mask,
                const gint64 *whole)
{
  if (q->rank != 4 || k->rank != 4 || v->rank != 4 || q->sizes[3] != k->sizes[3] ||
      k->sizes[2] != v->sizes[2] || k->sizes[1] != v->sizes[1] || k->sizes[1] < 1 ||
      q->sizes[1] % k->sizes[1] != 0 || q->sizes[0] != k->sizes[0] || q->sizes[0] != v->sizes[0])
    return FALSE;
  if (mask == NULL)
    return TRUE;
  for (guint i = 0; i < mask->shape.rank; i++)
    if (mask->shape.rank > 4 ||
        (mask->shape.sizes[i] != 1 && mask->shape.sizes[i] != whole[4 - mask->shape.rank + i]))
      return FALSE;
  return TRUE;
}

PT_VK_CPU (sdpa)
{
  const PtVkShape *q = &value_of (cpu, 0)->shape, *k = &value_of (cpu, 1)->shape;
  const PtVkShape *v = &value_of (cpu, 2)->shape;
  const PtVkValue *mask = pt_vk_tensor (cpu->graph, cpu->call, 3);
  gint64 whole[4] = { q->sizes[0], q->sizes[1], q->sizes[2], k->sizes[2] };
  Row row = { .keys = (gsize) k->sizes[2],
              .width = (gsize) q->sizes[3],
              .value_width = (gsize) v->sizes[3],
              .scale = (float) pt_vk_double (cpu->graph, cpu->call, 4,
                                             1 / sqrt ((double) MAX (q->sizes[3], 1))) };
  float *scores, *y = pt_vk_host_out (cpu, 0);

  if (!expect_floats (cpu, 4, error))
    return FALSE;
  if (!fits_attention (q, k, v, mask, whole))
    return pt_vk_misfit (cpu->call, "attention has queries and keys that do not fit", error);
  scores = pt_execution_scratch (cpu->execution, MAX (row.keys, 1) * sizeof *scores, error);
  if (scores == NULL)
    return FALSE;
  for (gint64 b = 0; b < whole[0]; b++)
    for (gint64 h = 0; h < whole[1]; h++)
      for (gint64 t = 0; t < whole[2]; t++, y += row.value_width) {
        gsize kv = (gsize) (b * k->sizes[1] + h * k->sizes[1] / whole[1]) * row.keys;

        for (gint64 s = 0; s < whole[3]; s++)
          scores[s] = mask != NULL
                          ? mask_at (mask, pt_vk_host (cpu, 3), (const gint64[4]){ b, h, t, s })
                          : 0;
        row.q = (const float *) pt_vk_host (cpu, 0) +
                (gsize) ((b * whole[1] + h) * whole[2] + t) * row.width;
        row.k = (const float *) pt_vk_host (cpu, 1) + kv * row.width;
        row.v = (const float *) pt_vk_host (cpu, 2) + kv * row.value_width;
        attend (&row, scores, y);
      }
  return TRUE;
}
