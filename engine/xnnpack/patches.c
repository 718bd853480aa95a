/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/xnnpack/convolution.h"

/* Bytes that are worth waking a worker for. */
#define GRAIN_BYTES (64 * 1024)

typedef struct {
  const PtXnnNode *node;
  const PtXnnConv *conv;
  const guint8 *in;
  gsize batch_stride, width; /* bytes */
  const guint8 *fill;
  gsize group, begin;
  guint8 *out;
} Job;

/*
 * The input row or column that tap @tap of output @o reads. FALSE: padding, or a hole between
 * the inputs of a transposed convolution.
 */
static inline gboolean
find_input (gboolean transposed, gsize o, gsize tap, gsize stride, gsize dilation, gsize pad,
            gsize size, gsize *input)
{
  gsize at;

  if (transposed) {
    gsize shift = tap * dilation;

    if (o + pad < shift || (o + pad - shift) % stride != 0)
      return FALSE;
    at = (o + pad - shift) / stride;
  } else {
    at = o * stride + tap * dilation;
    if (at < pad)
      return FALSE;
    at -= pad;
  }
  *input = at;
  return at < size;
}

/* One row of taps; @in is NULL when the whole row is padding. */
static void
gather_row (const Job *job, const guint8 *in, gsize ox, guint8 fill, guint8 *out)
{
  const PtXnnWindow *w = &job->node->window;
  gboolean transposed = job->node->klass->detail == PT_XNN_CONV_TRANSPOSED;
  gsize bytes = w->group_in * job->width;
  gsize pixel = job->conv->in_c * job->width;

  if (in == NULL) {
    memset (out, fill, bytes * w->kernel_w);
    return;
  }
  /* Taps side by side over whole pixels are one block. */
  if (!transposed && w->groups == 1 && w->dilation_w == 1 && ox * w->stride_w >= w->pad_left &&
      ox * w->stride_w - w->pad_left + w->kernel_w <= job->conv->in_w) {
    memcpy (out, in + (ox * w->stride_w - w->pad_left) * pixel, bytes * w->kernel_w);
    return;
  }
  for (gsize kx = 0; kx < w->kernel_w; kx++, out += bytes) {
    gsize ix;

    if (find_input (transposed, ox, kx, w->stride_w, w->dilation_w, w->pad_left, job->conv->in_w,
                    &ix))
      memcpy (out, in + ix * pixel + job->group * bytes, bytes);
    else
      memset (out, fill, bytes);
  }
}

static void
gather_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnConv *conv = job->conv;
  const PtXnnWindow *w = &job->node->window;
  gboolean transposed = job->node->klass->detail == PT_XNN_CONV_TRANSPOSED;
  gsize row_bytes = w->kernel_w * w->group_in * job->width;

  for (gsize i = begin; i < end; i++) {
    gsize pixel = job->begin + i;
    gsize ox = pixel % conv->out_w;
    gsize oy = pixel / conv->out_w % conv->out_h;
    gsize item = pixel / conv->out_w / conv->out_h;
    guint8 *out = job->out + i * conv->patch_stride;

    for (gsize ky = 0; ky < w->kernel_h; ky++, out += row_bytes) {
      const guint8 *in = NULL;
      gsize iy;

      if (find_input (transposed, oy, ky, w->stride_h, w->dilation_h, w->pad_top, conv->in_h, &iy))
        in = job->in + item * job->batch_stride + iy * conv->in_w * conv->in_c * job->width;
      gather_row (job, in, ox, job->fill[item], out);
    }
  }
}

void
pt_xnn_gather_patches (PtPool *pool, const PtXnnNode *node, const guint8 *in, gsize batch_stride,
                       gsize width, const guint8 *fill, gsize group, gsize begin, gsize count,
                       guint8 *out)
{
  Job job = { node, node->state, in, batch_stride, width, fill, group, begin, out };
  const PtXnnConv *conv = node->state;

  pt_pool_run (pool, count, MAX (GRAIN_BYTES / conv->patch_stride, 1), gather_range, &job);
}
