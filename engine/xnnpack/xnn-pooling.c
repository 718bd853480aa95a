/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/depthwise.h"
#include "engine/kernels/q8-loops.h"
#include "engine/xnnpack/half.h"
#include "engine/xnnpack/xnn-image.h"
#include "engine/xnnpack/q8.h"

/* Least elements that a piece of a loop reads. */
#define GRAIN_WORK 65536
/* Pixels whose maxima are computed together. */
#define MAX_TAPS 16

typedef struct {
  const PtXnnNode *node;
  const PtXnnValue *x, *y, *index;
  gconstpointer in;
  gpointer out;
  gsize in_h, in_w, out_h, out_w, channels;
  guint8 *scratch; /* for each worker: sums */
  gsize scratch_stride;
} Job;

/* The window of one output pixel, cut to the input: rows [y0, y1), columns [x0, x1). */
typedef struct {
  gsize item, oy, ox;
  gsize ky0, ky1, kx0, kx1;
} Pixel;

static Job
make_job (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  Job job = { .node = node,
              .x = x,
              .y = y,
              .in = x->data,
              .out = y->data,
              .in_h = x->shape.dims[x->shape.rank - 3],
              .in_w = x->shape.dims[x->shape.rank - 2],
              .out_h = y->shape.dims[y->shape.rank - 3],
              .out_w = y->shape.dims[y->shape.rank - 2],
              .channels = y->shape.dims[y->shape.rank - 1],
              .scratch = node->scratch };

  job.scratch_stride = pt_round_up_64 (job.channels * sizeof (float));
  return job;
}

/* Half precision: converts the whole image to float, in the second part of the scratch. */
static void
widen_input (const PtXnnGraph *graph, Job *job)
{
  float *image = (float *) (job->scratch + pt_pool_n_workers (graph->pool) * job->scratch_stride);

  if (!pt_xnn_is_half (job->x->type))
    return;
  pt_xnn_widen (graph->pool, job->x->type, job->x->numel, job->x->data, image);
  job->in = image;
  job->out = image + pt_round_up_64 (job->x->numel);
}

static void
narrow_output (const PtXnnGraph *graph, const Job *job)
{
  if (pt_xnn_is_half (job->y->type))
    pt_xnn_narrow (graph->pool, job->y->type, job->y->numel, job->out, job->y->data);
}

/* The taps [first, last) of output @o, along one axis, that lie inside the input. */
static void
find_taps (gsize o, gsize stride, gsize dilation, gsize pad, gsize kernel, gsize size, gsize *first,
           gsize *last)
{
  gsize start = o * stride;

  *first = start < pad ? (pad - start + dilation - 1) / dilation : 0;
  *last = start >= size + pad ? 0 : (size + pad - start + dilation - 1) / dilation;
  *last = MIN (*last, kernel);
}

static Pixel
find_pixel (const Job *job, gsize index)
{
  const PtXnnWindow *w = &job->node->window;
  Pixel p = { .item = index / job->out_w / job->out_h,
              .oy = index / job->out_w % job->out_h,
              .ox = index % job->out_w };

  find_taps (p.oy, w->stride_h, w->dilation_h, w->pad_top, w->kernel_h, job->in_h, &p.ky0, &p.ky1);
  find_taps (p.ox, w->stride_w, w->dilation_w, w->pad_left, w->kernel_w, job->in_w, &p.kx0, &p.kx1);
  return p;
}

static gsize
input_at (const Job *job, const Pixel *p, gsize ky, gsize kx)
{
  const PtXnnWindow *w = &job->node->window;
  gsize iy = p->oy * w->stride_h + ky * w->dilation_h - w->pad_top;
  gsize ix = p->ox * w->stride_w + kx * w->dilation_w - w->pad_left;

  return ((p->item * job->in_h + iy) * job->in_w + ix) * job->channels;
}

static void
run_pixels (const PtXnnGraph *graph, Job *job, PtPoolTask task)
{
  const PtXnnWindow *w = &job->node->window;
  gsize work = w->kernel_h * w->kernel_w * job->channels;

  if (job->y->numel == 0)
    return;
  widen_input (graph, job);
  pt_pool_run (graph->pool, job->y->numel / job->channels, MAX (GRAIN_WORK / MAX (work, 1), 1),
               task, job);
  narrow_output (graph, job);
}

/* ---- Maximum: padding does not count ---- */

/*
 * Windows with more than MAX_TAPS taps are computed in parts; each part includes the result so far.
 */
static void
max_pixel (const Job *job, const Pixel *p, float *y)
{
  const float min = job->node->min, max = job->node->max, *taps[MAX_TAPS];
  gsize n_taps = 0;

  for (gsize ky = p->ky0; ky < p->ky1; ky++)
    for (gsize kx = p->kx0; kx < p->kx1; kx++) {
      if (n_taps == MAX_TAPS) {
        pt_largest_f32 (job->channels, n_taps, taps, min, max, y);
        taps[0] = y;
        n_taps = 1;
      }
      taps[n_taps++] = (const float *) job->in + input_at (job, p, ky, kx);
    }
  if (n_taps > 0)
    pt_largest_f32 (job->channels, n_taps, taps, min, max, y);
  for (gsize c = 0; n_taps == 0 && c < job->channels; c++)
    y[c] = CLAMP (-INFINITY, min, max);
}

static void
max_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);

    max_pixel (job, &p, (float *) job->out + i * job->channels);
  }
}

/* Works on stored bytes, because input and output have the same parameters. */
static void
max_q8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const guint8 flip = pt_q8_flip (job->x);
  gsize n = job->channels;
  gint32 lo, hi;

  pt_q8_bounds (job->node, job->y, &lo, &hi);
  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    guint8 *y = (guint8 *) job->out + i * n;

    memset (y, (guint8) lo ^ flip, n);
    for (gsize ky = p.ky0; ky < p.ky1; ky++)
      for (gsize kx = p.kx0; kx < p.kx1; kx++)
        pt_q8_loops ()->largest (n, (const guint8 *) job->in + input_at (job, &p, ky, kx), flip, y);
    pt_q8_loops ()->clamp (n, y, flip, (gint8) lo, (gint8) hi, y);
  }
}

/* ---- Average, without padding ---- */

static void
average_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  gsize n = job->channels;

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    gsize cells = p.ky0 < p.ky1 && p.kx0 < p.kx1 ? (p.ky1 - p.ky0) * (p.kx1 - p.kx0) : 1;
    float *y = (float *) job->out + i * n;

    for (gsize c = 0; c < n; c++)
      y[c] = 0.0f;
    for (gsize ky = p.ky0; ky < p.ky1; ky++)
      for (gsize kx = p.kx0; kx < p.kx1; kx++) {
        const float *x = (const float *) job->in + input_at (job, &p, ky, kx);

        for (gsize c = 0; c < n; c++)
          y[c] += x[c];
      }
    for (gsize c = 0; c < n; c++)
      y[c] = CLAMP (y[c] * (1.0f / (float) cells), job->node->min, job->node->max);
  }
}

static void
store_average (const Job *job, gsize n, const gint32 *sums, gsize cells, guint8 *y)
{
  PtToQ8 to = { .scale = job->x->scale / (job->y->scale * (float) cells),
                .zero = pt_q8_zero (job->y),
                .flip = pt_q8_flip (job->y) };

  pt_q8_bounds (job->node, job->y, &to.min, &to.max);
  pt_q8_loops ()->quantize_sums (&to, n, sums, y);
}

static void
add_pixel_q8 (const Job *job, gsize n, const guint8 *x, gint32 *sums)
{
  pt_q8_loops ()->sum (n, x, pt_q8_flip (job->x), pt_q8_zero (job->x), sums);
}

static void
average_q8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  gint32 *sums = (gint32 *) (job->scratch + worker * job->scratch_stride);
  gsize n = job->channels;

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    gsize cells = p.ky0 < p.ky1 && p.kx0 < p.kx1 ? (p.ky1 - p.ky0) * (p.kx1 - p.kx0) : 1;

    for (gsize c = 0; c < n; c++)
      sums[c] = 0;
    for (gsize ky = p.ky0; ky < p.ky1; ky++)
      for (gsize kx = p.kx0; kx < p.kx1; kx++)
        add_pixel_q8 (job, n, (const guint8 *) job->in + input_at (job, &p, ky, kx), sums);
    store_average (job, n, sums, cells, (guint8 *) job->out + i * n);
  }
}

static void
run_pool (const PtXnnGraph *graph, const PtXnnNode *node)
{
  gboolean average = node->klass->detail == PT_XNN_POOL_AVERAGE;
  Job job = make_job (graph, node);

  if (pt_xnn_type_size (job.y->type) == 1)
    run_pixels (graph, &job, average ? average_q8 : max_q8);
  else
    run_pixels (graph, &job, average ? average_f32 : max_f32);
}

/* ---- Global average ---- */

/* Channels of an image that a piece averages. */
#define GLOBAL_CHANNELS 256

/* Item: a group of channels of an image. */
static void
global_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  gsize n = job->channels, cells = job->in_h * job->in_w;
  gsize n_blocks = (n - 1) / GLOBAL_CHANNELS + 1;

  for (gsize i = begin; i < end; i++) {
    gsize first = i % n_blocks * GLOBAL_CHANNELS, here = MIN (GLOBAL_CHANNELS, n - first);
    const float *x = (const float *) job->in + i / n_blocks * cells * n + first;
    float *y = (float *) job->out + i / n_blocks * n + first;

    for (gsize c = 0; c < here; c++)
      y[c] = 0.0f;
    for (gsize k = 0; k < cells; k++)
      pt_vector_binary (PT_BINARY_ADD, here, y, x + k * n, -INFINITY, INFINITY, y);
    for (gsize c = 0; c < here; c++)
      y[c] = CLAMP (y[c] * (1.0f / (float) cells), job->node->min, job->node->max);
  }
}

static void
global_q8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  gint32 sums[GLOBAL_CHANNELS];
  gsize n = job->channels, cells = job->in_h * job->in_w;
  gsize n_blocks = (n - 1) / GLOBAL_CHANNELS + 1;

  for (gsize i = begin; i < end; i++) {
    gsize first = i % n_blocks * GLOBAL_CHANNELS, here = MIN (GLOBAL_CHANNELS, n - first);
    const guint8 *x = (const guint8 *) job->in + i / n_blocks * cells * n + first;

    memset (sums, 0, sizeof sums);
    for (gsize k = 0; k < cells; k++)
      add_pixel_q8 (job, here, x + k * n, sums);
    store_average (job, here, sums, cells, (guint8 *) job->out + i / n_blocks * n + first);
  }
}

static void
run_global (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = make_job (graph, node);
  gsize n_images;

  if (job.y->numel == 0)
    return;
  n_images = job.y->numel / job.channels;
  widen_input (graph, &job);
  pt_pool_run_shares (graph->pool, n_images * ((job.channels - 1) / GLOBAL_CHANNELS + 1), 1, NULL,
                      pt_xnn_type_size (job.y->type) == 1 ? global_q8 : global_f32, &job);
  narrow_output (graph, &job);
}

/* ---- Maximum and its index ---- */

static void
argmax_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnWindow *w = &job->node->window;
  gsize n = job->channels;

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    float *y = (float *) job->out + i * n;
    gint32 *index = (gint32 *) job->index->data + i * n;

    for (gsize c = 0; c < n; c++) {
      y[c] = -INFINITY;
      index[c] = (gint32) (p.ky0 * w->kernel_w + p.kx0);
    }
    for (gsize ky = p.ky0; ky < p.ky1; ky++)
      for (gsize kx = p.kx0; kx < p.kx1; kx++) {
        const float *x = (const float *) job->in + input_at (job, &p, ky, kx);
        gint32 at = (gint32) (ky * w->kernel_w + kx);

        for (gsize c = 0; c < n; c++)
          if (x[c] > y[c]) {
            y[c] = x[c];
            index[c] = at;
          }
      }
  }
}

static void
run_argmax (const PtXnnGraph *graph, const PtXnnNode *node)
{
  Job job = make_job (graph, node);

  job.index = pt_xnn_out (graph, node, 1);
  run_pixels (graph, &job, argmax_f32);
}

/* ---- Preparing ---- */

static gboolean
check_types (const PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  PtXnnType type = pt_xnn_out (graph, node, 0)->type;

  if (pt_xnn_in (graph, node, 0)->type != type ||
      (type != PT_XNN_F32 && !pt_xnn_is_half (type) && type != PT_XNN_QI8 && type != PT_XNN_QU8))
    return pt_xnn_node_types_fail (graph, node, error);
  return TRUE;
}

gboolean
pt_xnn_prepare_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  if (node->klass->detail == PT_XNN_POOL_AVERAGE)
    node->window.dilation_h = node->window.dilation_w = 1;
  if (node->window.dilation_h == 0 || node->window.dilation_w == 0)
    return pt_xnn_node_fail (node, error, PT_ERROR_PROGRAM, "its window is empty");
  node->run = run_pool;
  return check_types (graph, node, error);
}

gboolean
pt_xnn_prepare_global_average (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  node->run = run_global;
  return check_types (graph, node, error);
}

gboolean
pt_xnn_prepare_argmax (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  node->run = run_argmax;
  if (pt_xnn_in (graph, node, 0)->type != PT_XNN_F32 ||
      pt_xnn_out (graph, node, 0)->type != PT_XNN_F32 ||
      pt_xnn_out (graph, node, 1)->type != PT_XNN_I32)
    return pt_xnn_node_types_fail (graph, node, error);
  return TRUE;
}

gboolean
pt_xnn_setup_pool (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnValue *x = pt_xnn_in (graph, node, 0), *y = pt_xnn_out (graph, node, 0);
  gsize channels = y->shape.dims[y->shape.rank - 1];

  node->scratch_size = 0;
  if (y->type != PT_XNN_F32)
    node->scratch_size =
        pt_pool_n_workers (graph->pool) * pt_round_up_64 (channels * sizeof (float));
  if (pt_xnn_is_half (y->type))
    node->scratch_size += (pt_round_up_64 (x->numel) + y->numel) * sizeof (float);
  return TRUE;
}
