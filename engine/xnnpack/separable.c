/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/separable.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/xnnpack/convolution.h"
#include "engine/xnnpack/nodes.h"

/* Pieces of rows for each worker, so that all end together. A piece that another worker takes makes
 * some rows anew. */
#define PIECES 8

/* Channels that are made and read together: a panel. */
#define PANEL_CHANNELS 32

/* Rows of a panel that are made and read together: so that they stay in the first cache. */
#define ROWS_BYTES (32 * 1024)

/* Rows of the image for each worker, for each row that is made twice where two shares meet. */
#define LEAST_ROWS 3

/* Pixels of a row of an image, or of the output. */
#define LEAST_WIDTH 12

/* A whole panel of an image that is to stay in a worker's cache, and panels for each worker. */
#define PANEL_BYTES (64 * 1024)
#define LEAST_PANELS 2

/* The image is what the depthwise convolution reads. A worker has its rows [begin, end), row @index
 * in place @index % ring, for each panel of channels apart. */
typedef struct {
  gsize item; /* of the batch */
  gsize begin, end;
} Rows;

/* Where the first convolution finds its taps: in a copy of rows with their padding. */
typedef struct {
  gsize n_rows, width; /* rows that are copied, pixels of one */
  gsize row, plane;    /* floats from a row, or in planes from a channel, to the next */
  gsize step;          /* ... from an output to the next */
  gsize *offsets;      /* [k] of the numbers that an output is made from */
} Taps;

typedef struct {
  /* As they were; their values keep their shapes. No class: there is none. */
  PtXnnNode transpose, first, depthwise, last, sum;
  Taps taps;
  gsize width;        /* channels of a panel */
  gsize step;         /* rows of the output that are made together */
  gsize window, ring; /* rows of the image that one of them reads, and all */
  /* Places in the scratch, in bytes: the Rows of all workers, and what each of them has, which is
   * so much: rows of the image, */
  gsize rows, workers, worker;
  gsize copies;  /* ... of what the first convolution reads, */
  gsize outputs; /* ... and of what the last one does. */
} Separable;

static inline gboolean
exists (const PtXnnNode *node)
{
  return node->klass != NULL;
}

static inline const PtXnnConv *
conv_of (const PtXnnNode *node)
{
  return node->state;
}

/* ---- Running ---- */

typedef struct {
  PtPool *pool;
  const Separable *self;
  const float *x, *addend; /* addend: like y, or NULL */
  float *y;
  guint8 *scratch;
} Job;

typedef struct {
  const Job *job;
  Rows *rows;
  float *image, *copies, *outputs;
} Worker;

static Worker
find_worker (const Job *job, guint index)
{
  const Separable *self = job->self;
  guint8 *room = job->scratch + self->workers + index * self->worker;

  return (Worker){ job, (Rows *) (job->scratch + self->rows) + index, (float *) room,
                   (float *) (room + self->copies), (float *) (room + self->outputs) };
}

/* Rows of the image that output rows [@oy, @oy + @n) read. */
static void
find_rows (const Separable *self, gsize oy, gsize n, gsize *begin, gsize *end)
{
  const PtXnnWindow *w = &self->depthwise.window;
  gsize top = oy * w->stride_h, bottom = top + (n - 1) * w->stride_h + self->window;

  *begin = top < w->pad_top ? 0 : top - w->pad_top;
  *end = bottom < w->pad_top ? 0 : MIN (bottom - w->pad_top, conv_of (&self->depthwise)->in_h);
  *end = MAX (*begin, *end);
}

/* A row with its padding; NULL: all of it is. */
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

/* What the first convolution reads for row @begin of the image and @n - 1 more. */
static void
copy_input (const Worker *worker, gsize item, gsize begin, gsize n)
{
  const Separable *self = worker->job->self;
  const PtXnnConv *conv = conv_of (&self->first);
  const PtXnnWindow *w = &self->first.window;
  const Taps *taps = &self->taps;
  gsize planes = exists (&self->transpose) ? conv->in_c : 1, depth = conv->in_c / planes;
  gsize n_rows = (n - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
  gsize right = taps->width - w->pad_left - conv->in_w, size = conv->in_w * depth;

  for (gsize plane = 0; plane < planes; plane++) {
    const float *x = worker->job->x + (item * planes + plane) * conv->in_h * size;

    for (gsize row = 0; row < n_rows; row++) {
      /* Before the first one they wrap round, and are beyond the last. */
      gsize iy = begin * w->stride_h + row - w->pad_top;

      copy_padded (iy < conv->in_h ? x + iy * size : NULL, w->pad_left * depth, size, right * depth,
                   worker->copies + plane * taps->plane + row * taps->row);
    }
  }
}

/* Rows [@begin, @end) of panel @panel of the image. */
static void
make_rows (const Worker *worker, gsize panel, gsize item, gsize begin, gsize end, float *image)
{
  const Separable *self = worker->job->self;
  const PtXnnNode *node = &self->first;
  const PtXnnConv *conv = conv_of (node);
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

/* Output rows [@oy, @oy + @n) of the depthwise convolution, channels of @panel, into @y. */
static void
filter_rows (const Separable *self, gsize panel, const PtXnnChannels *image, gsize oy, gsize n,
             float *y)
{
  const PtXnnConv *conv = conv_of (&self->depthwise);
  PtXnnChannels channels = *image;

  channels.first = panel * self->width;
  channels.n = MIN (self->width, conv->in_c - channels.first);
  channels.y = y + channels.first;
  channels.y_step = conv->out_c;
  for (gsize i = 0; i < n; i++, channels.y += conv->out_w * conv->out_c)
    pt_xnn_depthwise_row (&self->depthwise, &channels, oy + i, 0, conv->out_w);
}

/* Panel by panel, so that what is made is still in the first cache when it is read. */
static void
make_outputs (const Worker *worker, gsize item, gsize oy, gsize n)
{
  const Separable *self = worker->job->self;
  const PtXnnConv *conv = conv_of (&self->depthwise);
  gsize panel_size = self->ring * conv->in_w * self->width, begin, end, first;
  Rows *rows = worker->rows;

  find_rows (self, oy, n, &begin, &end);
  first = rows->item == item && begin >= rows->begin && begin <= rows->end ? rows->end : begin;
  if (first < end && !conv_of (&self->first)->is_direct)
    copy_input (worker, item, first, end - first);
  for (gsize panel = 0; panel * self->width < conv->in_c; panel++) {
    float *image = worker->image + panel * panel_size;
    PtXnnChannels channels = { .x = image, .x_step = self->width, .ring = self->ring };

    make_rows (worker, panel, item, first, end, image);
    filter_rows (self, panel, &channels, oy, n, worker->outputs);
  }
  *rows = (Rows){ item, begin, end };
}

/* Without a first convolution the image is whole. */
static void
read_image (const Worker *worker, gsize item, gsize oy, gsize n)
{
  const Separable *self = worker->job->self;
  const PtXnnConv *conv = conv_of (&self->depthwise);
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
  const PtXnnConv *conv = conv_of (last);
  PtEpilogue epilogue = { conv->bias, last->min, last->max };
  Worker worker = find_worker (job, index);
  gsize size = conv->out_w * conv->out_c, n;

  for (gsize row = begin; row < end; row += n) {
    gsize item = row / conv->out_h, oy = row % conv->out_h;

    n = MIN (MIN (job->self->step, end - row), conv->out_h - oy);
    if (exists (&job->self->first))
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

/* Item: a panel of channels of an image, which is whole meanwhile. */
static void
run_panels (gpointer data, gsize begin, gsize end, guint index)
{
  const Job *job = data;
  const Separable *self = job->self;
  const PtXnnConv *conv = conv_of (&self->depthwise);
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

static void
run_separable (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const Separable *self = node->state;
  const PtXnnConv *conv = conv_of (&self->depthwise);
  Job job = { .pool = graph->pool,
              .self = self,
              .x = pt_xnn_in (graph, node, 0)->data,
              .addend = exists (&self->sum) ? pt_xnn_in (graph, node, 1)->data : NULL,
              .y = pt_xnn_out (graph, node, 0)->data,
              .scratch = node->scratch };
  gsize n_workers = pt_pool_n_workers (graph->pool), n_rows = conv->batch * conv->out_h;

  if (pt_xnn_out (graph, node, 0)->numel == 0)
    return;
  memset (job.scratch + self->rows, 0, n_workers * sizeof (Rows));
  if (exists (&self->last))
    pt_pool_run_shares (graph->pool, n_rows, CLAMP (n_rows / (n_workers * PIECES), 1, self->step),
                        NULL, run_rows, &job);
  else
    pt_pool_run_shares (graph->pool, conv->batch * ((conv->in_c - 1) / self->width + 1), 1, NULL,
                        run_panels, &job);
}

/* ---- Shapes ---- */

static gboolean
each_part (PtXnnGraph *graph, Separable *self, gboolean is_setup, GError **error)
{
  PtXnnNode *const parts[] = { &self->transpose, &self->first, &self->depthwise, &self->last,
                               &self->sum };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    const PtXnnClass *klass = parts[i]->klass;

    if (klass != NULL && !(is_setup ? klass->setup : klass->shape) (graph, parts[i], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
shape_separable (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  return each_part (graph, node->state, FALSE, error);
}

/* Append a part of @a * @b * @c elements of @size bytes to @total bytes. */
static gboolean
add_part (gsize *total, gsize a, gsize b, gsize c, gsize size, gsize *offset)
{
  gsize n;

  *offset = *total;
  return pt_mul_size (a, b, &n) && pt_mul_size (n, c, &n) && pt_mul_size (n, size, &n) &&
         n <= G_MAXSSIZE && pt_add_size (*total, pt_quantized_stride (n), total);
}

/* How many rows are made at a time. */
static void
choose_step (Separable *self)
{
  const PtXnnWindow *w = &self->depthwise.window;
  const PtXnnConv *conv = conv_of (&self->depthwise);
  gsize row_bytes;

  self->width = pt_packed_f32_width (PANEL_CHANNELS);
  self->window = (w->kernel_h - 1) * w->dilation_h + 1;
  row_bytes = MAX (conv->in_w, 1) * self->width * sizeof (float);
  self->step = 1;
  while (self->step < conv->out_h &&
         (self->step * w->stride_h + self->window) * row_bytes <= ROWS_BYTES)
    self->step++;
  self->ring = MAX (conv->in_h, 1);
  if (exists (&self->last))
    self->ring = MIN (self->ring, (self->step - 1) * w->stride_h + self->window);
}

/* FALSE: too large. */
static gboolean
set_up_taps (Separable *self)
{
  const PtXnnConv *conv = conv_of (&self->first);
  const PtXnnWindow *w = &self->first.window;
  gboolean is_planar = exists (&self->transpose);
  gsize depth = is_planar ? 1 : conv->in_c, reach, i = 0;
  Taps *taps = &self->taps;

  reach = (MAX (conv->out_w, 1) - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
  taps->n_rows = (self->ring - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
  taps->width = MAX (reach, w->pad_left + conv->in_w);
  taps->step = w->stride_w * depth;
  if (!pt_mul_size (taps->width, depth, &taps->row) ||
      !pt_mul_size (taps->row, taps->n_rows, &taps->plane) ||
      taps->plane > G_MAXSSIZE / sizeof (float) / MAX (conv->in_c, 1))
    return FALSE;
  for (gsize ky = 0; ky < w->kernel_h; ky++)
    for (gsize kx = 0; kx < w->kernel_w; kx++)
      for (gsize c = 0; c < conv->in_c; c++)
        taps->offsets[i++] = ky * w->dilation_h * taps->row + kx * w->dilation_w * depth +
                             c * (is_planar ? taps->plane : 1);
  return TRUE;
}

static gboolean
setup_separable (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  Separable *self = node->state;
  gsize n_workers = pt_pool_n_workers (graph->pool), image, n_columns = 0, n_planes = 0;
  gboolean fits = TRUE;
  const PtXnnConv *conv;

  if (!each_part (graph, self, TRUE, error))
    return FALSE;
  if (exists (&self->sum) &&
      pt_xnn_in (graph, node, 1)->numel != pt_xnn_out (graph, node, 0)->numel)
    return pt_xnn_node_fail (&self->sum, error, PT_ERROR_ARGUMENT, "its inputs differ in shape");
  choose_step (self);
  conv = conv_of (&self->depthwise);
  if (exists (&self->first) && !conv_of (&self->first)->is_direct) {
    fits = set_up_taps (self);
    n_planes = exists (&self->transpose) ? conv_of (&self->first)->in_c : 1;
  }
  if (exists (&self->first))
    n_columns = exists (&self->last) ? (conv->in_c / self->width + 1) * self->width : self->width;
  self->worker = 0;
  node->scratch_size = 0;
  if (!fits ||
      !add_part (&self->worker, self->ring, conv->in_w, n_columns, sizeof (float), &image) ||
      !add_part (&self->worker, self->taps.plane, n_planes, 1, sizeof (float), &self->copies) ||
      !add_part (&self->worker, exists (&self->last) ? self->step : 0, conv->out_w, conv->in_c,
                 sizeof (float), &self->outputs) ||
      !add_part (&node->scratch_size, n_workers, 1, 1, sizeof (Rows), &self->rows) ||
      !add_part (&node->scratch_size, n_workers, self->worker, 1, 1, &self->workers))
    return pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory");
  return TRUE;
}

static const PtXnnClass separable_class = {
  .name = "separable convolution",
  .n_in = 1,
  .shape = shape_separable,
  .setup = setup_separable,
};

/* ---- Finding them ---- */

/* Nodes that become one. */
typedef struct {
  PtXnnNode *transpose, *first, *depthwise, *last, *sum; /* NULL: there is none */
  guint32 addend;
} Group;

static gboolean
is_packed_conv (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return node->klass->prepare == pt_xnn_prepare_conv && node->klass->detail == PT_XNN_CONV_NORMAL &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32 && conv_of (node)->packed.panels != NULL;
}

static gboolean
is_product_of_pixels (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnWindow *w = &node->window;

  return is_packed_conv (graph, node) && w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 &&
         w->stride_w == 1 && w->pad_top == 0 && w->pad_left == 0 && w->pad_bottom == 0 &&
         w->pad_right == 0;
}

static gboolean
is_depthwise (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return node->klass->prepare == pt_xnn_prepare_conv &&
         node->klass->detail == PT_XNN_CONV_DEPTHWISE && pt_xnn_is_depthwise_row (node) &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32;
}

/* From planes to pixels, of floats. */
static gboolean
is_from_planes (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const gint64 *order = node->list[0];

  return pt_xnn_is_kind (node, PT_XNN_TAG_TRANSPOSE) && node->n_list == 4 && order[0] == 0 &&
         order[1] == 2 && order[2] == 3 && order[3] == 1 &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32;
}

/* The node, before @node, that makes its input @i, if nobody else reads that and it is what
 * @is_wanted says. */
static PtXnnNode *
only_producer (const PtXnnGraph *graph, const PtXnnNode *node, guint i,
               gboolean (*is_wanted) (const PtXnnGraph *, const PtXnnNode *))
{
  const PtXnnValue *in = pt_xnn_in (graph, node, i);
  PtXnnNode *producer = in->producer >= 0 ? &graph->nodes[in->producer] : NULL;

  return producer != NULL && in->n_uses == 1 && pt_xnn_value_is_internal (in) && producer < node &&
                 producer->klass != NULL && is_wanted (graph, producer)
             ? producer
             : NULL;
}

/* By the declared shapes: a worker's share must be many rows beside those that are made twice, and
 * a row long enough for a product. */
static gboolean
is_worth_rows (const PtXnnGraph *graph, const PtXnnNode *depthwise)
{
  const PtXnnShape *out = &pt_xnn_out (graph, depthwise, 0)->declared;
  const PtXnnWindow *w = &depthwise->window;
  gsize window = (w->kernel_h - 1) * w->dilation_h + 1, share;

  if (out->rank != 4 || out->dims[2] < LEAST_WIDTH)
    return FALSE;
  share = out->dims[0] * out->dims[1] / pt_pool_n_workers (graph->pool);
  return share >= 1 &&
         (window <= w->stride_h || share >= LEAST_ROWS * (window - w->stride_h) / w->stride_h);
}

/* Panels must be small, and many beside the workers. */
static gboolean
is_worth_panels (const PtXnnGraph *graph, const PtXnnNode *depthwise)
{
  const PtXnnShape *in = &pt_xnn_in (graph, depthwise, 0)->declared;
  gsize width = pt_packed_f32_width (PANEL_CHANNELS), size;

  return in->rank == 4 && pt_mul_size (in->dims[1], in->dims[2], &size) &&
         size <= PANEL_BYTES / sizeof (float) / width && in->dims[2] >= LEAST_WIDTH &&
         in->dims[3] / width >= LEAST_PANELS * pt_pool_n_workers (graph->pool);
}

/* A sum of floats, as long as its first input is. */
static gboolean
is_sum (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const PtXnnValue *a = pt_xnn_in (graph, node, 0), *b, *out = pt_xnn_out (graph, node, 0);

  if (!pt_xnn_is_kind (node, PT_XNN_TAG_ADD))
    return FALSE;
  b = pt_xnn_in (graph, node, 1);
  return a != b && a->type == PT_XNN_F32 && b->type == PT_XNN_F32 && out->type == PT_XNN_F32 &&
         a->declared.rank == 4 && b->declared.rank == 4 &&
         memcmp (a->declared.dims, b->declared.dims, 4 * sizeof *a->declared.dims) == 0;
}

/* The product that @node is, or adds something to. */
static PtXnnNode *
find_product (const PtXnnGraph *graph, PtXnnNode *node, Group *group)
{
  if (is_product_of_pixels (graph, node))
    return node;
  for (guint i = 0; i < 2 && is_sum (graph, node); i++) {
    PtXnnNode *product = only_producer (graph, node, i, is_product_of_pixels);

    if (product != NULL) {
      group->sum = node;
      group->addend = node->in[1 - i];
      return product;
    }
  }
  return NULL;
}

/* A group that ends with the product @last. */
static gboolean
find_rows_group (const PtXnnGraph *graph, PtXnnNode *last, Group *group)
{
  group->last = last;
  group->depthwise = only_producer (graph, last, 0, is_depthwise);
  if (group->depthwise == NULL || !is_worth_rows (graph, group->depthwise))
    return FALSE;
  group->first = only_producer (graph, group->depthwise, 0, is_packed_conv);
  if (group->first != NULL && !is_product_of_pixels (graph, group->first))
    group->transpose = only_producer (graph, group->first, 0, is_from_planes);
  return TRUE;
}

/* The group whose last node is @node. */
static gboolean
find_group (const PtXnnGraph *graph, PtXnnNode *node, Group *group)
{
  PtXnnNode *product;

  *group = (Group){ .addend = PT_XNN_NONE };
  product = find_product (graph, node, group);
  if (product != NULL)
    return find_rows_group (graph, product, group);
  if (!is_depthwise (graph, node) || !is_worth_panels (graph, node))
    return FALSE;
  group->depthwise = node;
  group->first = only_producer (graph, node, 0, is_product_of_pixels);
  return group->first != NULL;
}

/* Move @node into a group; its place becomes free. */
static void
take (PtXnnNode *node, PtXnnNode *to)
{
  if (node == NULL)
    return;
  *to = *node;
  node->klass = NULL;
}

/* Put one node in the place of @node, the last one of @group. */
static gboolean
merge (PtXnnGraph *graph, const Group *group, PtXnnNode *node, GError **error)
{
  Separable *self = pt_xnn_graph_alloc (graph, 1, sizeof *self, error);
  const PtXnnNode *begin = group->transpose != NULL ? group->transpose
                           : group->first != NULL   ? group->first
                                                    : group->depthwise;
  guint32 in = begin->in[0], out = node->out[0];

  if (self == NULL)
    return FALSE;
  if (group->first != NULL) {
    self->taps.offsets = pt_xnn_graph_alloc (graph, conv_of (group->first)->packed.k,
                                             sizeof *self->taps.offsets, error);
    if (self->taps.offsets == NULL)
      return FALSE;
  }
  take (group->transpose, &self->transpose);
  take (group->first, &self->first);
  take (group->depthwise, &self->depthwise);
  take (group->last, &self->last);
  take (group->sum, &self->sum);
  *node = (PtXnnNode){ .run = run_separable,
                       .klass = &separable_class,
                       .state = self,
                       .in = { in, group->addend },
                       .n_in = group->sum != NULL ? 2 : 1,
                       .out = { out },
                       .n_out = 1 };
  return TRUE;
}

gboolean
pt_xnn_merge_separable (PtXnnGraph *graph, gboolean *merged, GError **error)
{
  guint kept = 0;

  *merged = FALSE;
  /* From the end, so that a product is found before what it reads. */
  for (guint i = graph->n_nodes; i-- > 0;) {
    Group group;

    if (graph->nodes[i].klass == NULL || !find_group (graph, &graph->nodes[i], &group))
      continue;
    if (!merge (graph, &group, &graph->nodes[i], error))
      return FALSE;
    *merged = TRUE;
  }
  for (guint i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].klass != NULL)
      graph->nodes[kept++] = graph->nodes[i];
  graph->n_nodes = kept;
  return TRUE;
}
