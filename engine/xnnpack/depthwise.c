/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/depthwise.h"
#include "engine/xnnpack/xnn-convolution.h"
#include "engine/xnnpack/q8.h"

/*
 * Depthwise convolutions: the filter is [kernel_h, kernel_w, out_c], so that each tap is
 * one pass over the channels of a pixel.
 */

/* Least multiplications in a piece of a loop. */
#define GRAIN_WORK 65536

typedef struct {
  PtPool *pool;
  const PtXnnNode *node;
  const PtXnnConv *conv;
  gconstpointer x;
  gpointer y;
  const PtQuantizedRows *rows;
  guint8 *scratch;
} Job;

/* The taps [first, last) of output pixel @o, along one axis, that lie inside the input. */
static inline void
find_taps (gsize o, gsize stride, gsize dilation, gsize pad, gsize kernel, gsize size, gsize *first,
           gsize *last)
{
  gsize start = o * stride;

  if (dilation == 1 && start >= pad && start + kernel <= size + pad) {
    *first = 0;
    *last = kernel;
    return;
  }
  *first = start < pad ? (pad - start + dilation - 1) / dilation : 0;
  *last = start >= size + pad ? 0 : (size + pad - start + dilation - 1) / dilation;
  *last = MIN (*last, kernel);
}

typedef struct {
  gsize item;
  gsize ky0, ky1, kx0, kx1;
  gsize oy, ox;
} Pixel;

static Pixel
find_pixel (const Job *job, gsize index)
{
  const PtXnnWindow *w = &job->node->window;
  const PtXnnConv *conv = job->conv;
  Pixel p = { .ox = index % conv->out_w,
              .oy = index / conv->out_w % conv->out_h,
              .item = index / conv->out_w / conv->out_h };

  find_taps (p.oy, w->stride_h, w->dilation_h, w->pad_top, w->kernel_h, conv->in_h, &p.ky0, &p.ky1);
  find_taps (p.ox, w->stride_w, w->dilation_w, w->pad_left, w->kernel_w, conv->in_w, &p.kx0,
             &p.kx1);
  return p;
}

/* The offset in elements of the input pixel under a tap, within an image of the batch. */
static inline gsize
input_at (const Job *job, const Pixel *p, gsize ky, gsize kx)
{
  const PtXnnWindow *w = &job->node->window;
  gsize iy = p->oy * w->stride_h + ky * w->dilation_h - w->pad_top;
  gsize ix = p->ox * w->stride_w + kx * w->dilation_w - w->pad_left;

  return (iy * job->conv->in_w + ix) * job->conv->in_c;
}

/*
 * sums[c] += (x[c / multiplier] - zero) * (w[c] - w_zero). Unsigned: sums of a damaged payload may
 * wrap.
 */
static void
add_tap_i32 (gsize n, gsize multiplier, const gint8 *x, gint32 zero, const gint8 *w, gint32 w_zero,
             guint32 *sums)
{
  if (multiplier == 1) {
    for (gsize c = 0; c < n; c++)
      sums[c] += (guint32) ((x[c] - zero) * (w[c] - w_zero));
    return;
  }
  for (gsize g = 0; g < n / multiplier; g++)
    for (gsize j = 0; j < multiplier; j++)
      sums[g * multiplier + j] += (guint32) ((x[g] - zero) * (w[g * multiplier + j] - w_zero));
}

gboolean
pt_xnn_is_depthwise_row (const PtXnnNode *node)
{
  return node->window.group_out == 1 && node->window.kernel_h <= PT_XNN_MAX_TAP_ROWS;
}

/*
 * How many of the @n rows from @oy on have the same taps as the first one, up to the size of the
 * arrays. Sets the input rows of each, and their common filter rows.
 */
static gsize
find_rows (const PtXnnNode *node, const PtXnnChannels *channels, gsize oy, gsize n, PtDepthwise *d,
           const float **inputs, const float **filters)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  gsize begin, end, row_begin, row_end, row = 0;

  find_taps (oy, w->stride_h, w->dilation_h, w->pad_top, w->kernel_h, conv->in_h, &begin, &end);
  d->rows = end > begin ? end - begin : 0;
  for (gsize ky = begin; ky < end; ky++)
    *filters++ = conv->filter + ky * w->kernel_w * conv->in_c + channels->first;
  do {
    for (gsize ky = begin; ky < end; ky++) {
      gsize iy = (oy + row) * w->stride_h + ky * w->dilation_h - w->pad_top;

      /* The division is slow and rarely needed. */
      iy = iy < channels->ring ? iy : iy % channels->ring;
      *inputs++ = channels->x + iy * conv->in_w * channels->x_step;
    }
    row++;
    find_taps (oy + row, w->stride_h, w->dilation_h, w->pad_top, w->kernel_h, conv->in_h,
               &row_begin, &row_end);
  } while (row < n && row_begin == begin && row_end == end &&
           (row + 1) * d->rows <= PT_XNN_MAX_TAP_ROWS);
  return row;
}

void
pt_xnn_depthwise_rows (const PtXnnNode *node, const PtXnnChannels *channels, gsize oy, gsize n_rows,
                       gsize first, gsize n)
{
  const PtXnnConv *conv = node->state;
  const PtXnnWindow *w = &node->window;
  const float *inputs[PT_XNN_MAX_TAP_ROWS], *filters[PT_XNN_MAX_TAP_ROWS];
  PtDepthwise d = { .channels = channels->n,
                    .in_w = conv->in_w,
                    .stride = w->stride_w,
                    .dilation = w->dilation_w,
                    .pad = w->pad_left,
                    .columns = w->kernel_w,
                    .x = inputs,
                    .w = filters,
                    .bias = conv->bias != NULL ? conv->bias + channels->first : NULL,
                    .min = node->min,
                    .max = node->max,
                    .x_step = channels->x_step,
                    .w_step = conv->in_c,
                    .y_step = channels->y_step,
                    .y_row = conv->out_w * channels->y_step };

  for (gsize row = 0; row < n_rows; row += d.n_rows) {
    d.n_rows = find_rows (node, channels, oy + row, n_rows - row, &d, inputs, filters);
    d.y = channels->y + row * d.y_row;
    pt_depthwise_f32 (&d, first, n);
  }
}

/* For any window, and any number of outputs for each channel. */
static void
multiply_pixel (const Job *job, gsize index, const Pixel *p)
{
  const PtXnnConv *conv = job->conv;
  const PtXnnWindow *w = &job->node->window;
  const float *x = (const float *) job->x + p->item * conv->in_h * conv->in_w * conv->in_c;
  float *y = (float *) job->y + index * conv->out_c;

  for (gsize c = 0; c < conv->out_c; c++)
    y[c] = conv->bias != NULL ? conv->bias[c] : 0.0f;
  for (gsize ky = p->ky0; ky < p->ky1; ky++)
    for (gsize kx = p->kx0; kx < p->kx1; kx++) {
      const float *tap = x + input_at (job, p, ky, kx);
      const float *filter = conv->filter + (ky * w->kernel_w + kx) * conv->out_c;

      for (gsize g = 0; g < conv->in_c; g++)
        for (gsize j = 0; j < w->group_out; j++)
          y[g * w->group_out + j] += tap[g] * filter[g * w->group_out + j];
    }
  for (gsize c = 0; c < conv->out_c; c++)
    y[c] = CLAMP (y[c], job->node->min, job->node->max);
}

/* Computes @n outputs of a row from @p on. */
static void
multiply_run (const Job *job, const Pixel *p, gsize n)
{
  const PtXnnConv *conv = job->conv;
  gsize row = p->item * conv->out_h + p->oy;
  PtXnnChannels all = { .n = conv->in_c,
                        .x =
                            (const float *) job->x + p->item * conv->in_h * conv->in_w * conv->in_c,
                        .x_step = conv->in_c,
                        .ring = conv->in_h,
                        .y = (float *) job->y + row * conv->out_w * conv->out_c,
                        .y_step = conv->out_c };

  pt_xnn_depthwise_rows (job->node, &all, p->oy, 1, p->ox, n);
}

static void
run_f32 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  while (begin < end) {
    Pixel p = find_pixel (job, begin);
    gsize n = 1;

    if (pt_xnn_is_depthwise_row (job->node)) {
      n = MIN (job->conv->out_w - p.ox, end - begin);
      multiply_run (job, &p, n);
    } else {
      multiply_pixel (job, begin, &p);
    }
    begin += n;
  }
}

/* Exact sums of one pixel; padding counts as zero. */
static void
sum_pixel (const Job *job, const Pixel *p, const gint8 *x, gint32 zero, const gint8 *filter,
           gint32 filter_zero, guint32 *sums)
{
  const PtXnnWindow *w = &job->node->window;
  gsize n = job->conv->out_c;

  for (gsize ky = p->ky0; ky < p->ky1; ky++)
    for (gsize kx = p->kx0; kx < p->kx1; kx++)
      add_tap_i32 (n, w->group_out, x + input_at (job, p, ky, kx), zero,
                   filter + (ky * w->kernel_w + kx) * n, filter_zero, sums);
}

static guint32 *
worker_sums (const Job *job, guint worker)
{
  return (guint32 *) (job->scratch + worker * pt_round_up_64 (job->conv->out_c * 4));
}

static void
run_qs8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnConv *conv = job->conv;
  const PtWeightsQs8 *weights = &conv->weights.qs8;
  guint32 *sums = worker_sums (job, worker);

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    gint8 *y = (gint8 *) job->y + i * conv->out_c;

    for (gsize c = 0; c < conv->out_c; c++)
      sums[c] = weights->bias != NULL ? (guint32) weights->bias[c] : 0;
    sum_pixel (job, &p, (const gint8 *) job->x + p.item * conv->in_h * conv->in_w * conv->in_c,
               weights->x_zero, weights->weights, weights->w_zero, sums);
    for (gsize c = 0; c < conv->out_c; c++)
      y[c] = (gint8) pt_q8_round ((float) (gint32) sums[c] * weights->scale[c], weights->y_zero,
                                  weights->y_min, weights->y_max);
  }
}

/* Items are rows of the output; filters are packed. */
static void
run_packed_qs8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnConv *conv = job->conv;
  const PtXnnWindow *w = &job->node->window;
  const gint8 *rows[PT_DEPTHWISE_Q8_MAX_ROWS];
  PtDepthwiseQ8 d = { .filter = &conv->depthwise_q8,
                      .in_w = conv->in_w,
                      .stride = w->stride_w,
                      .dilation = w->dilation_w,
                      .pad = w->pad_left,
                      .x = rows };

  for (gsize i = begin; i < end; i++) {
    const gint8 *image =
        (const gint8 *) job->x + i / conv->out_h * conv->in_h * conv->in_w * conv->in_c;
    gsize iy = i % conv->out_h * w->stride_h - w->pad_top;

    /* Rows before the first wrap around, so they compare as larger than the last one. */
    for (gsize ky = 0; ky < w->kernel_h; ky++, iy += w->dilation_h)
      rows[ky] = iy < conv->in_h ? image + iy * conv->in_w * conv->in_c : NULL;
    d.y = (gint8 *) job->y + i * conv->out_w * conv->out_c;
    pt_depthwise_q8 (&d, conv->out_w, pt_pool_scratch (job->pool, worker));
  }
}

static void
run_qd8 (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnConv *conv = job->conv;
  const PtWeightsQc8 *weights = &conv->weights.qc8;
  guint32 *sums = worker_sums (job, worker);

  for (gsize i = begin; i < end; i++) {
    Pixel p = find_pixel (job, i);
    float scale = job->rows->scale[p.item];
    float *y = (float *) job->y + i * conv->out_c;

    for (gsize c = 0; c < conv->out_c; c++)
      sums[c] = 0;
    sum_pixel (job, &p, job->rows->q + p.item * job->rows->stride, job->rows->zero[p.item],
               weights->weights, 0, sums);
    for (gsize c = 0; c < conv->out_c; c++) {
      float v = ((float) (gint32) sums[c] * scale) * weights->scales[c];

      v += conv->bias != NULL ? conv->bias[c] : 0.0f;
      y[c] = CLAMP (v, job->node->min, job->node->max);
    }
  }
}

static void
run_job (Job *job, PtPoolTask task)
{
  gsize work = job->conv->taps * job->conv->out_c;

  pt_pool_run_shares (job->pool, job->conv->n_pixels, MAX (GRAIN_WORK / MAX (work, 1), 1), NULL,
                      task, job);
}

void
pt_xnn_depthwise_f32 (PtPool *pool, const PtXnnNode *node, const float *x, float *y)
{
  Job job = { pool, node, node->state, x, y, NULL, NULL };

  run_job (&job, run_f32);
}

void
pt_xnn_depthwise_qs8 (PtPool *pool, const PtXnnNode *node, const gint8 *x, gint8 *y,
                      gpointer scratch)
{
  const PtXnnConv *conv = node->state;
  Job job = { pool, node, conv, x, y, NULL, scratch };
  gsize row_work = conv->taps * conv->out_c * conv->out_w;

  if (conv->depthwise_q8.blocks == NULL)
    run_job (&job, run_qs8);
  else
    pt_pool_run_shares (pool, conv->batch * conv->out_h, MAX (GRAIN_WORK / MAX (row_work, 1), 1),
                        NULL, run_packed_qs8, &job);
}

void
pt_xnn_depthwise_qd8 (PtPool *pool, const PtXnnNode *node, const PtQuantizedRows *x, float *y,
                      gpointer scratch)
{
  Job job = { pool, node, node->state, NULL, y, x, scratch };

  run_job (&job, run_qd8);
}
