/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/xnnpack/separable-private.h"

/* Runs the groups of nodes of separable.h. */

/*
 * Maximum of pieces for each worker. Where neighbouring pieces go to different workers, some rows
 * are computed twice.
 */
#define PIECES 4

typedef struct {
  PtPool *pool;
  const PtXnnSeparable *self;
  const float *x, *addend; /* NULL, or an addend with the layout of y */
  float *y;
  guint8 *scratch; /* NULL: run on the pool */
} Job;

typedef struct {
  const Job *job;
  PtXnnRows *rows;
  float *image, *copies, *outputs;
} Worker;

static Worker
find_worker (const Job *job, guint index)
{
  const PtXnnSeparable *self = job->self;
  guint8 *room = job->scratch != NULL ? job->scratch + index * self->worker
                                      : pt_pool_scratch (job->pool, index);

  return (Worker){ job, (PtXnnRows *) room, (float *) (room + self->image),
                   (float *) (room + self->copies), (float *) (room + self->outputs) };
}

/* The rows of the image that output rows [@oy, @oy + @n) read. */
static void
find_rows (const PtXnnSeparable *self, gsize oy, gsize n, gsize *begin, gsize *end)
{
  const PtXnnWindow *w = &self->depthwise.window;
  gsize top = oy * w->stride_h, bottom = top + (n - 1) * w->stride_h + self->window;

  *begin = top < w->pad_top ? 0 : top - w->pad_top;
  *end =
      bottom < w->pad_top ? 0 : MIN (bottom - w->pad_top, pt_xnn_conv_of (&self->depthwise)->in_h);
  *end = MAX (*begin, *end);
}

/* Copies a row with its padding. @from: NULL when the whole row is padding. */
static void
copy_padded (const float *from, gsize left, gsize n, gsize right, float *to)
{
  for (gsize i = 0; i < left; i++)
    to[i] = 0.0f;
  if (from != NULL)
    memcpy (to + left, from, n * sizeof *to);
  else
    memset (to + left, 0, n * sizeof *to);
  for (gsize i = left + n; i < left + n + right; i++)
    to[i] = 0.0f;
}

/* Copies the input that the first convolution reads for @n rows of the image from row @begin on. */
static void
copy_input (const Worker *worker, gsize item, gsize begin, gsize n)
{
  const PtXnnSeparable *self = worker->job->self;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->first);
  const PtXnnWindow *w = &self->first.window;
  const PtXnnTaps *taps = &self->taps;
  gsize planes = pt_xnn_exists (&self->transpose) ? conv->in_c : 1, depth = conv->in_c / planes;
  gsize n_rows = (n - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
  gsize right = taps->width - w->pad_left - conv->in_w, size = conv->in_w * depth;

  for (gsize plane = 0; plane < planes; plane++) {
    const float *x = worker->job->x + (item * planes + plane) * conv->in_h * size;

    for (gsize row = 0; row < n_rows; row++) {
      /* Rows before the first wrap around, so they compare as larger than the last row. */
      gsize iy = begin * w->stride_h + row - w->pad_top;

      copy_padded (iy < conv->in_h ? x + iy * size : NULL, w->pad_left * depth, size, right * depth,
                   worker->copies + plane * taps->plane + row * taps->row);
    }
  }
}

/* Computes rows [@begin, @end) of panel @panel of the image. */
static void
make_rows (const Worker *worker, gsize panel, gsize item, gsize begin, gsize end, float *image)
{
  const PtXnnSeparable *self = worker->job->self;
  const PtXnnNode *node = &self->first;
  const PtXnnConv *conv = pt_xnn_conv_of (node);
  gsize column = panel * self->width, n;
  const PtPackedF32 packed = pt_packed_f32_part (&conv->packed, column, self->width);
  PtEpilogue epilogue = { conv->bias != NULL ? conv->bias + column : NULL, node->min, node->max };

  for (gsize iy = begin; iy < end; iy += n) {
    float *to = image + iy % self->ring * conv->out_w * self->width;

    n = conv->is_direct ? MIN (end - iy, self->ring - iy % self->ring) : 1;
    if (conv->is_direct)
      pt_gemm_f32_packed_serial (
          n * conv->out_w, worker->job->x + (item * conv->out_h + iy) * conv->out_w * conv->in_c,
          conv->in_c, &packed, &epilogue, to, self->width);
    else
      pt_gemm_f32_packed_taps (
          conv->out_w, worker->copies + (iy - begin) * node->window.stride_h * self->taps.row,
          self->taps.step, self->taps.offsets, &packed, &epilogue, to, self->width);
  }
}

/*
 * Computes output rows [@oy, @oy + @n) of the depthwise convolution, for the channels of @panel,
 * into @y.
 */
static void
filter_rows (const PtXnnSeparable *self, gsize panel, const PtXnnChannels *image, gsize oy, gsize n,
             float *y)
{
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  PtXnnChannels channels = *image;

  channels.first = panel * self->width;
  channels.n = MIN (self->width, conv->in_c - channels.first);
  channels.y = y + channels.first;
  channels.y_step = conv->out_c;
  pt_xnn_depthwise_rows (&self->depthwise, &channels, oy, n, 0, conv->out_w);
}

/* Panel by panel, so that each result is read while it is still in the L1 cache. */
static void
make_outputs (const Worker *worker, gsize item, gsize oy, gsize n)
{
  const PtXnnSeparable *self = worker->job->self;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  gsize panel_size = self->ring * conv->in_w * self->width, begin, end, first;
  PtXnnRows *rows = worker->rows;

  find_rows (self, oy, n, &begin, &end);
  first = rows->item == item && begin >= rows->begin && begin <= rows->end ? rows->end : begin;
  if (first < end && !pt_xnn_conv_of (&self->first)->is_direct)
    copy_input (worker, item, first, end - first);
  for (gsize panel = 0; panel * self->width < conv->in_c; panel++) {
    float *image = worker->image + panel * panel_size;
    PtXnnChannels channels = { .x = image, .x_step = self->width, .ring = self->ring };

    make_rows (worker, panel, item, first, end, image);
    filter_rows (self, panel, &channels, oy, n, worker->outputs);
  }
  *rows = (PtXnnRows){ item, begin, end };
}

/* Without a first convolution the image is the node's input. */
static void
read_image (const Worker *worker, gsize item, gsize oy, gsize n)
{
  const PtXnnSeparable *self = worker->job->self;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  const float *x = worker->job->x + item * conv->in_h * conv->in_w * conv->in_c;

  for (gsize panel = 0; panel * self->width < conv->in_c; panel++) {
    PtXnnChannels channels = { .x = x + panel * self->width,
                               .x_step = conv->in_c,
                               .ring = conv->in_h };

    filter_rows (self, panel, &channels, oy, n, worker->outputs);
  }
}

static void
run_rows (gpointer data, gsize begin, gsize end, guint index)
{
  const Job *job = data;
  const PtXnnNode *last = &job->self->last, *sum = &job->self->sum;
  const PtXnnConv *conv = pt_xnn_conv_of (last);
  PtEpilogue epilogue = { conv->bias, last->min, last->max };
  Worker worker = find_worker (job, index);
  gsize size = conv->out_w * conv->out_c, n;

  for (gsize row = begin; row < end; row += n) {
    gsize item = row / conv->out_h, oy = row % conv->out_h;

    n = MIN (MIN (job->self->step, end - row), conv->out_h - oy);
    if (pt_xnn_exists (&job->self->first))
      make_outputs (&worker, item, oy, n);
    else
      read_image (&worker, item, oy, n);
    pt_gemm_f32_packed_serial (n * conv->out_w, worker.outputs, conv->in_c, &conv->packed,
                               &epilogue, job->y + row * size, conv->out_c);
    if (job->addend != NULL)
      pt_vector_binary (PT_BINARY_ADD, n * size, job->y + row * size, job->addend + row * size,
                        sum->min, sum->max, job->y + row * size);
  }
}

/* Item: a panel of channels of one image, which is in memory completely. */
static void
run_panels (gpointer data, gsize begin, gsize end, guint index)
{
  const Job *job = data;
  const PtXnnSeparable *self = job->self;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  gsize n_panels = (conv->in_c - 1) / self->width + 1;
  Worker worker = find_worker (job, index);

  for (gsize i = begin; i < end; i++) {
    gsize item = i / n_panels, panel = i % n_panels;
    PtXnnChannels channels = { .x = worker.image, .x_step = self->width, .ring = self->ring };

    make_rows (&worker, panel, item, 0, conv->in_h, worker.image);
    filter_rows (self, panel, &channels, 0, conv->out_h,
                 job->y + item * conv->out_h * conv->out_w * conv->out_c);
  }
}

/*
 * Rows in a piece: at least as many as are computed together, and an equal number for each worker.
 */
static gsize
piece_of (const PtXnnSeparable *self, gsize n_rows, gsize n_workers)
{
  gsize share = (n_rows + n_workers - 1) / n_workers, n = CLAMP (share / self->step, 1, PIECES);

  while (share % n != 0)
    n--;
  return share / n;
}

void
pt_xnn_run_separable (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnSeparable *self = node->state;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  Job job = { .pool = graph->pool,
              .self = self,
              .x = pt_xnn_in (graph, node, 0)->data,
              .addend = pt_xnn_exists (&self->sum) ? pt_xnn_in (graph, node, 1)->data : NULL,
              .y = pt_xnn_out (graph, node, 0)->data,
              .scratch = node->scratch_size > 0 ? node->scratch : NULL };
  gsize n_workers = pt_pool_n_workers (graph->pool), n_rows = conv->batch * conv->out_h;

  if (pt_xnn_out (graph, node, 0)->numel == 0)
    return;
  for (guint i = 0; i < n_workers; i++)
    *find_worker (&job, i).rows = (PtXnnRows){ 0 };
  if (pt_xnn_exists (&self->last))
    pt_pool_run_shares (graph->pool, n_rows, piece_of (self, n_rows, n_workers), NULL, run_rows,
                        &job);
  else
    pt_pool_run_shares (graph->pool, conv->batch * ((conv->in_c - 1) / self->width + 1), 1, NULL,
                        run_panels, &job);
}
