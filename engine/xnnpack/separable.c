/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/separable.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/xnnpack/nodes.h"
#include "engine/xnnpack/separable-private.h"

/* Channels of a panel, which are computed and read together. */
#define PANEL_CHANNELS 32

/* Bytes of the rows of a panel that are computed and read together: less than the L1 cache. */
#define ROWS_BYTES (32 * 1024)

/* The least number of rows in a share for each row that two shares both compute. */
#define LEAST_ROWS 3

/* The least number of pixels in a row of an image, or of the output. */
#define LEAST_WIDTH 12

/*
 * The maximum of bytes of a whole panel, which stays in a worker's cache, and the least number of
 * panels for each worker.
 */
#define PANEL_BYTES (64 * 1024)
#define LEAST_PANELS 2

/* ---- Shapes ---- */

static gboolean
each_part (PtXnnGraph *graph, PtXnnSeparable *self, gboolean is_setup, GError **error)
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

/* Adds a part of @a * @b * @c elements of @size bytes to @total bytes. */
static gboolean
add_part (gsize *total, gsize a, gsize b, gsize c, gsize size, gsize *offset)
{
  gsize n;

  *offset = *total;
  return pt_mul_size (a, b, &n) && pt_mul_size (n, c, &n) && pt_mul_size (n, size, &n) &&
         n <= G_MAXSSIZE && pt_add_size (*total, pt_round_up_64 (n), total);
}

/* Chooses how many rows are computed at a time. */
static void
choose_step (PtXnnSeparable *self)
{
  const PtXnnWindow *w = &self->depthwise.window;
  const PtXnnConv *conv = pt_xnn_conv_of (&self->depthwise);
  gsize row_bytes;

  self->width = pt_packed_f32_width (PANEL_CHANNELS);
  self->window = (w->kernel_h - 1) * w->dilation_h + 1;
  row_bytes = MAX (conv->in_w, 1) * self->width * sizeof (float);
  self->step = 1;
  while (self->step < conv->out_h &&
         (self->step * w->stride_h + self->window) * row_bytes <= ROWS_BYTES)
    self->step++;
  self->ring = MAX (conv->in_h, 1);
  if (pt_xnn_exists (&self->last))
    self->ring = MIN (self->ring, (self->step - 1) * w->stride_h + self->window);
}

/* FALSE: the copy is too large. */
static gboolean
set_up_taps (PtXnnSeparable *self)
{
  const PtXnnConv *conv = pt_xnn_conv_of (&self->first);
  const PtXnnWindow *w = &self->first.window;
  gboolean is_planar = pt_xnn_exists (&self->transpose);
  gsize depth = is_planar ? 1 : conv->in_c, reach, n_rows, i = 0;
  PtXnnTaps *taps = &self->taps;

  reach = (MAX (conv->out_w, 1) - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
  n_rows = (self->ring - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
  taps->width = MAX (reach, w->pad_left + conv->in_w);
  taps->step = w->stride_w * depth;
  if (!pt_mul_size (taps->width, depth, &taps->row) ||
      !pt_mul_size (taps->row, n_rows, &taps->plane) ||
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
  PtXnnSeparable *self = node->state;
  gsize n_workers = pt_pool_n_workers (graph->pool), n_columns = 0, n_planes = 0;
  gboolean fits = TRUE;
  const PtXnnConv *conv;

  if (!each_part (graph, self, TRUE, error))
    return FALSE;
  if (pt_xnn_exists (&self->sum) &&
      pt_xnn_in (graph, node, 1)->numel != pt_xnn_out (graph, node, 0)->numel)
    return pt_xnn_node_fail (&self->sum, error, PT_ERROR_ARGUMENT, "its inputs differ in shape");
  choose_step (self);
  conv = pt_xnn_conv_of (&self->depthwise);
  if (pt_xnn_exists (&self->first) && !pt_xnn_conv_of (&self->first)->is_direct) {
    fits = set_up_taps (self);
    n_planes = pt_xnn_exists (&self->transpose) ? pt_xnn_conv_of (&self->first)->in_c : 1;
  }
  if (pt_xnn_exists (&self->first))
    n_columns =
        pt_xnn_exists (&self->last) ? (conv->in_c / self->width + 1) * self->width : self->width;
  self->worker = pt_round_up_64 (sizeof (PtXnnRows));
  node->scratch_size = 0;
  if (!fits ||
      !add_part (&self->worker, self->ring, conv->in_w, n_columns, sizeof (float), &self->image) ||
      !add_part (&self->worker, self->taps.plane, n_planes, 1, sizeof (float), &self->copies) ||
      !add_part (&self->worker, pt_xnn_exists (&self->last) ? self->step : 0, conv->out_w,
                 conv->in_c, sizeof (float), &self->outputs) ||
      (self->worker > PT_POOL_SCRATCH &&
       !pt_mul_size (n_workers, self->worker, &node->scratch_size)))
    return pt_xnn_node_fail (node, error, PT_ERROR_MEMORY, "it needs too much memory");
  return TRUE;
}

static const PtXnnClass separable_class = {
  .name = "separable convolution",
  .n_in = 1,
  .shape = shape_separable,
  .setup = setup_separable,
};

/* ---- Finding groups ---- */

/* Nodes that will be merged into one. */
typedef struct {
  PtXnnNode *transpose, *first, *depthwise, *last, *sum; /* NULL: absent */
  guint32 addend;
} Group;

static gboolean
is_packed_conv (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return node->klass->prepare == pt_xnn_prepare_conv && node->klass->detail == PT_XNN_CONV_NORMAL &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32 &&
         pt_xnn_conv_of (node)->packed.panels != NULL;
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

/* Whether @node transposes floats from planes (NCHW) to pixels (NHWC). */
static gboolean
is_from_planes (const PtXnnGraph *graph, const PtXnnNode *node)
{
  const gint64 *order = node->list[0];

  return pt_xnn_is_kind (node, PT_XNN_TAG_TRANSPOSE) && node->n_list == 4 && order[0] == 0 &&
         order[1] == 2 && order[2] == 3 && order[3] == 1 &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32;
}

/*
 * The node before @node that computes its input @i, if no other node reads that value and
 * @is_wanted accepts the node; else NULL.
 */
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

/*
 * Whether computing by rows pays, for the declared shapes: a worker's share must have many rows
 * compared with those that are computed twice, and a row must be long enough for a matrix product.
 */
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

/* Whether computing by panels pays: panels must be small, and each worker must get several. */
static gboolean
is_worth_panels (const PtXnnGraph *graph, const PtXnnNode *depthwise)
{
  const PtXnnShape *in = &pt_xnn_in (graph, depthwise, 0)->declared;
  gsize width = pt_packed_f32_width (PANEL_CHANNELS), size;

  return in->rank == 4 && pt_mul_size (in->dims[1], in->dims[2], &size) &&
         size <= PANEL_BYTES / sizeof (float) / width && in->dims[2] >= LEAST_WIDTH &&
         in->dims[3] / width >= LEAST_PANELS * pt_pool_n_workers (graph->pool);
}

/* Whether @node adds floats, with a result of the size of its first input. */
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

/* The pointwise convolution that is @node, or to whose result @node adds another value. */
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

/* The group that ends with the product @last. */
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

/* Moves @node into a group and leaves its place empty. */
static void
take (PtXnnNode *node, PtXnnNode *to)
{
  if (node == NULL)
    return;
  *to = *node;
  node->klass = NULL;
}

/* Replaces @group by one node, in the place of its last node @node. */
static gboolean
merge (PtXnnGraph *graph, const Group *group, PtXnnNode *node, GError **error)
{
  PtXnnSeparable *self = pt_xnn_graph_alloc (graph, 1, sizeof *self, error);
  const PtXnnNode *begin = group->transpose != NULL ? group->transpose
                           : group->first != NULL   ? group->first
                                                    : group->depthwise;
  guint32 in = begin->in[0], out = node->out[0];

  if (self == NULL)
    return FALSE;
  if (group->first != NULL && !is_product_of_pixels (graph, group->first)) {
    self->taps.offsets = pt_xnn_graph_alloc (graph, pt_xnn_conv_of (group->first)->packed.k,
                                             sizeof *self->taps.offsets, error);
    if (self->taps.offsets == NULL)
      return FALSE;
  }
  take (group->transpose, &self->transpose);
  take (group->first, &self->first);
  take (group->depthwise, &self->depthwise);
  take (group->last, &self->last);
  take (group->sum, &self->sum);
  *node = (PtXnnNode){ .run = pt_xnn_run_separable,
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
  /* From the end, so that a product is found before the nodes whose results it reads. */
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
