/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-emit-strides.h"

#include <string.h>

void
pt_vk_strides_start (PtVkStrides *s, const PtVkShape *shape, guint n)
{
  memset (s, 0, sizeof *s);
  s->rank = shape->rank;
  s->n = n;
  for (guint i = 0; i < shape->rank; i++)
    s->size[i] = shape->sizes[shape->rank - 1 - i];
}

void
pt_vk_strides_broadcast (PtVkStrides *s, guint tensor, const PtVkShape *in)
{
  gint64 stride = 1;

  for (guint i = 0; i < in->rank; i++) {
    gint64 size = in->sizes[in->rank - 1 - i];

    s->stride[tensor][i] = size == 1 ? 0 : stride;
    stride *= size;
  }
}

gint64
pt_vk_stride_of (const PtVkShape *shape, guint dim)
{
  gint64 stride = 1;

  for (guint i = dim + 1; i < shape->rank; i++)
    stride *= shape->sizes[i];
  return stride;
}

void
pt_vk_strides_collapse (PtVkStrides *s)
{
  guint rank = 0;

  for (guint i = 0; i < s->rank; i++) {
    gboolean joins = rank > 0;

    if (s->size[i] == 1)
      continue;
    for (guint t = 0; joins && t < s->n; t++)
      joins = s->stride[t][i] == s->stride[t][rank - 1] * s->size[rank - 1];
    if (joins) {
      s->size[rank - 1] *= s->size[i];
      continue;
    }
    s->size[rank] = s->size[i];
    for (guint t = 0; t < s->n; t++)
      s->stride[t][rank] = s->stride[t][i];
    rank++;
  }
  s->rank = rank;
}

void
pt_vk_strides_push (const PtVkStrides *s, PtVkDispatch *dispatch, guint room)
{
  for (guint i = 0; i < room; i++)
    pt_vk_push (dispatch, i < s->rank ? (guint32) s->size[i] : 1);
  for (guint t = 0; t < s->n; t++)
    for (guint i = 0; i < room; i++)
      pt_vk_push (dispatch, i < s->rank ? (guint32) (gint32) s->stride[t][i] : 0);
}
