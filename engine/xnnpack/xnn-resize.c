/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/half.h"
#include "engine/xnnpack/xnn-image.h"
#include "engine/xnnpack/q8.h"

/* StaticResizeBilinear2D (docs/formats/xnnpack.md, section 5.6). */

#define FLAG_ALIGN_CORNERS 8u
#define GRAIN_WORK 32768
/* Channels that are computed at a time. */
#define STRIP 256

typedef struct {
  const PtXnnValue *x, *y;
  gsize in_h, in_w, out_h, out_w, channels;
  gboolean align_corners;
  float ratio_h, ratio_w; /* of the input to the output */
} Job;

/* The two input positions around output @o, and its distance from the first one. */
typedef struct {
  gsize low, high;
  float weight;
} Tap;

static float
find_ratio (gsize n_in, gsize n_out, gboolean align_corners)
{
  if (!align_corners)
    return (float) n_in / (float) n_out;
  return n_out > 1 ? (float) (n_in - 1) / (float) (n_out - 1) : 0.0f;
}

static Tap
find_tap (gsize o, gsize n_in, float ratio, gboolean align_corners)
{
  float at = align_corners ? (float) o * ratio : ((float) o + 0.5f) * ratio - 0.5f;
  Tap tap;

  at = CLAMP (at, 0.0f, (float) (n_in - 1));
  tap.low = MIN ((gsize) at, n_in - 1);
  tap.high = MIN (tap.low + 1, n_in - 1);
  tap.weight = at - (float) tap.low;
  return tap;
}

static const float *
load (const PtXnnValue *x, gsize at, gsize n, float *strip)
{
  switch (x->type) {
  case PT_XNN_F32: return (const float *) x->data + at;
  case PT_XNN_F16:
  case PT_XNN_BF16: pt_xnn_load_half (x->type, n, (const guint16 *) x->data + at, strip); break;
  default:
    for (gsize i = 0; i < n; i++)
      strip[i] = (float) (gint8) (((const guint8 *) x->data)[at + i] ^ pt_q8_flip (x));
  }
  return strip;
}

static void
store (const PtXnnValue *y, gsize at, gsize n, const float *strip)
{
  if (pt_xnn_is_half (y->type))
    pt_xnn_store_half (y->type, n, strip, (guint16 *) y->data + at);
  else
    for (gsize i = 0; i < n; i++)
      ((guint8 *) y->data)[at + i] =
          (guint8) (pt_q8_round (strip[i], 0, -128, 127) ^ pt_q8_flip (y));
}

static void
interpolate (const Job *job, gsize item, Tap row, Tap column, gsize out)
{
  float strips[5][STRIP];
  gsize top = (item * job->in_h + row.low) * job->in_w;
  gsize bottom = (item * job->in_h + row.high) * job->in_w;

  for (gsize c = 0; c < job->channels; c += STRIP) {
    gsize n = MIN (STRIP, job->channels - c);
    const float *a = load (job->x, (top + column.low) * job->channels + c, n, strips[0]);
    const float *b = load (job->x, (top + column.high) * job->channels + c, n, strips[1]);
    const float *d = load (job->x, (bottom + column.low) * job->channels + c, n, strips[2]);
    const float *e = load (job->x, (bottom + column.high) * job->channels + c, n, strips[3]);
    float *y = job->y->type == PT_XNN_F32 ? (float *) job->y->data + out + c : strips[4];

    for (gsize i = 0; i < n; i++) {
      float upper = a[i] + (b[i] - a[i]) * column.weight;
      float lower = d[i] + (e[i] - d[i]) * column.weight;

      y[i] = upper + (lower - upper) * row.weight;
    }
    if (job->y->type != PT_XNN_F32)
      store (job->y, out + c, n, y);
  }
}

static void
resize_pixels (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  while (begin < end) {
    gsize line = begin / job->out_w, first = begin % job->out_w;
    gsize n = MIN (job->out_w - first, end - begin);
    Tap row = find_tap (line % job->out_h, job->in_h, job->ratio_h, job->align_corners);

    for (gsize i = 0; i < n; i++)
      interpolate (job, line / job->out_h, row,
                   find_tap (first + i, job->in_w, job->ratio_w, job->align_corners),
                   (begin + i) * job->channels);
    begin += n;
  }
}

static void
run_resize (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  Job job = { x,           y,           x->shape.dims[1], x->shape.dims[2],
              node->new_h, node->new_w, y->shape.dims[3], (node->flags & FLAG_ALIGN_CORNERS) != 0 };

  job.ratio_h = find_ratio (job.in_h, job.out_h, job.align_corners);
  job.ratio_w = find_ratio (job.in_w, job.out_w, job.align_corners);
  if (y->numel > 0)
    pt_pool_run (graph->pool, y->numel / job.channels, MAX (GRAIN_WORK / job.channels, 1),
                 resize_pixels, &job);
}

gboolean
pt_xnn_prepare_resize (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);

  node->run = run_resize;
  if (x->type != y->type || (x->type != PT_XNN_F32 && !pt_xnn_is_half (x->type) &&
                             x->type != PT_XNN_QI8 && x->type != PT_XNN_QU8))
    return pt_xnn_node_types_fail (graph, node, error);
  return TRUE;
}
