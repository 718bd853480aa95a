/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/xnnpack/xnn-convolution.h"

/* Least bytes in a piece of a loop. */
#define GRAIN_BYTES (64 * 1024)
/* Rows of taps up to this many bytes are copied in blocks. */
#define MAX_SHORT 256
#define BLOCK 16

typedef struct {
  const PtXnnNode *node;
  const PtXnnConv *conv;
  const PtXnnPhase *phase;
  const guint8 *in;
  gsize batch_stride, width; /* size in bytes */
  const guint8 *fill;
  gsize group, begin;
  guint8 *out;
} Job;

/*
 * The input row or column that tap @tap of output @o reads. FALSE: it is padding, or between the
 * inputs of a transposed convolution.
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

/* Most rows of taps are too short for a call of memcpy(). */
static inline void
copy_bytes (guint8 *to, const guint8 *from, gsize n)
{
  if (n < BLOCK || n > MAX_SHORT) {
    memcpy (to, from, n);
    return;
  }
  for (gsize i = 0; i + BLOCK < n; i += BLOCK)
    memcpy (to + i, from + i, BLOCK);
  memcpy (to + n - BLOCK, from + n - BLOCK, BLOCK);
}

/* Copies one row of taps. @in: NULL when the whole row is padding. */
static void
gather_row (const Job *job, const guint8 *in, gsize ox, guint8 fill, guint8 *out)
{
  const PtXnnWindow *w = &job->node->window;
  gboolean transposed = job->node->klass->detail == PT_XNN_CONV_TRANSPOSED;
  gsize bytes = w->group_in * job->width;
  gsize pixel = job->conv->in_c * job->width;

  if (in == NULL) {
    memset (out, fill, bytes * job->phase->n_kx);
    return;
  }
  /* Contiguous taps over whole pixels are one block. */
  if (!transposed && w->groups == 1 && w->dilation_w == 1 && ox * w->stride_w >= w->pad_left &&
      ox * w->stride_w - w->pad_left + w->kernel_w <= job->conv->in_w) {
    copy_bytes (out, in + (ox * w->stride_w - w->pad_left) * pixel, bytes * w->kernel_w);
    return;
  }
  for (gsize i = 0; i < job->phase->n_kx; i++, out += bytes) {
    gsize kx = job->phase->first_kx + i * job->conv->tap_step_w, ix;

    if (find_input (transposed, ox, kx, w->stride_w, w->dilation_w, w->pad_left, job->conv->in_w,
                    &ix))
      memcpy (out, in + ix * pixel + job->group * bytes, bytes);
    else
      memset (out, fill, bytes);
  }
}

/* Copies @n patches for one row of the output, from column @ox on. */
static void
gather_run (const Job *job, gsize item, gsize oy, gsize ox, gsize n, guint8 *out)
{
  const PtXnnConv *conv = job->conv;
  const PtXnnWindow *w = &job->node->window;
  gboolean transposed = job->node->klass->detail == PT_XNN_CONV_TRANSPOSED;
  gsize row_bytes = job->phase->n_kx * w->group_in * job->width;
  gsize stride = pt_xnn_patch_stride (job->phase->k, job->width);

  for (gsize j = 0; j < job->phase->n_ky; j++, out += row_bytes) {
    gsize ky = job->phase->first_ky + j * conv->tap_step_h, iy;
    const guint8 *in = NULL;

    if (find_input (transposed, oy, ky, w->stride_h, w->dilation_h, w->pad_top, conv->in_h, &iy))
      in = job->in + item * job->batch_stride + iy * conv->in_w * conv->in_c * job->width;
    for (gsize i = 0; i < n; i++)
      gather_row (job, in, ox + i * conv->step_w, job->fill[item], out + i * stride);
  }
}

static void
gather_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  gsize stride = pt_xnn_patch_stride (job->phase->k, job->width), n;

  for (gsize i = begin; i < end; i += n) {
    gsize item, oy, ox;

    pt_xnn_phase_pixel (job->conv, job->phase, job->begin + i, &item, &oy, &ox);
    n = MIN (end - i, job->phase->n_x - (job->begin + i) % job->phase->n_x);
    gather_run (job, item, oy, ox, n, job->out + i * stride);
  }
}

void
pt_xnn_gather_some (const PtXnnNode *node, const PtXnnPhase *phase, const guint8 *in,
                    gsize batch_stride, gsize width, const guint8 *fill, gsize begin, gsize count,
                    guint8 *out)
{
  Job job = { node, node->state, phase, in, batch_stride, width, fill, 0, begin, out };

  gather_range (&job, 0, count, 0);
}

void
pt_xnn_gather_patches (PtPool *pool, const PtXnnNode *node, const PtXnnPhase *phase,
                       const guint8 *in, gsize batch_stride, gsize width, const guint8 *fill,
                       gsize group, gsize begin, gsize count, guint8 *out)
{
  Job job = { node, node->state, phase, in, batch_stride, width, fill, group, begin, out };
  gsize stride = pt_xnn_patch_stride (phase->k, width);

  pt_pool_run (pool, count, MAX (GRAIN_BYTES / stride, 1), gather_range, &job);
}
