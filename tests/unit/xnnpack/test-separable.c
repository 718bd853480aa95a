/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph-builder.h"

#include <math.h>

#include "engine/kernels/cpu.h"
#include "engine/kernels/worker-pool.h"

/*
 * Convolution, depthwise convolution, product and sum as one node, against the same nodes one by
 * one: these stay apart when what lies between them is an output, too.
 */

enum { TAG_ADD = 1, TAG_TRANSPOSE = 5, TAG_CONV = 7, TAG_DEPTHWISE = 13 };

#define WORKERS 3

/* A window over both axes. */
typedef struct {
  guint kernel, stride, dilation, before, after;
} Window;

typedef struct {
  const char *name;
  guint batch, h, w, in_c;
  gboolean is_planar;
  Window first; /* kernel 0: there is none */
  guint image_c;
  Window depthwise;
  guint out_c; /* 0: no product */
  gboolean has_sum;
  guint n_nodes; /* that are left */
} Block;

#define SAME      \
  {               \
    1, 1, 1, 0, 0 \
  }

static const Block blocks[] = {
  { "planes", 2, 57, 60, 3, TRUE, { 3, 2, 1, 1, 1 }, 32, { 3, 1, 1, 1, 1 }, 16, FALSE, 1 },
  { "pixels", 1, 40, 41, 5, FALSE, { 5, 1, 1, 2, 2 }, 40, { 3, 1, 1, 1, 1 }, 24, FALSE, 1 },
  { "dilated first", 1, 44, 40, 4, FALSE, { 3, 2, 2, 2, 1 }, 8, { 3, 1, 1, 1, 1 }, 5, FALSE, 1 },
  { "sum", 1, 30, 28, 24, FALSE, SAME, 144, { 3, 1, 1, 1, 1 }, 24, TRUE, 1 },
  { "sum of a batch", 3, 20, 15, 17, FALSE, SAME, 33, { 3, 1, 1, 1, 1 }, 17, TRUE, 1 },
  { "steps", 1, 56, 53, 16, FALSE, SAME, 96, { 3, 2, 1, 1, 1 }, 24, FALSE, 1 },
  { "uneven padding", 2, 33, 40, 16, FALSE, SAME, 20, { 3, 2, 1, 0, 1 }, 40, FALSE, 1 },
  { "large window", 1, 80, 45, 8, FALSE, SAME, 40, { 5, 1, 2, 4, 4 }, 33, FALSE, 1 },
  { "no overlap", 1, 48, 48, 8, FALSE, SAME, 40, { 2, 2, 1, 0, 0 }, 8, FALSE, 1 },
  { "no first", 1, 40, 37, 40, FALSE, { 0 }, 40, { 3, 1, 1, 1, 1 }, 12, FALSE, 1 },
  { "no first, sum", 2, 24, 20, 32, FALSE, { 0 }, 32, { 3, 1, 1, 1, 1 }, 32, TRUE, 1 },
  { "more than the pool's room", 1, 18, 64, 3, FALSE, SAME, 2000, { 3, 1, 1, 1, 1 }, 5, FALSE, 1 },
  { "panels", 1, 14, 14, 16, FALSE, SAME, 200, { 3, 2, 1, 1, 1 }, 0, FALSE, 1 },
  { "panels of a batch", 3, 9, 13, 10, FALSE, SAME, 228, { 3, 1, 1, 1, 1 }, 0, FALSE, 1 },
  { "too few rows", 1, 9, 30, 8, FALSE, SAME, 16, { 3, 1, 1, 1, 1 }, 8, TRUE, 4 },
  { "too narrow", 1, 40, 8, 8, FALSE, SAME, 16, { 3, 1, 1, 1, 1 }, 8, FALSE, 3 },
};

typedef struct {
  guint32 value;
  guint h, w, c;
} Image;

typedef struct {
  const Block *block;
  Builder *builder;
  gboolean is_apart; /* all that is made is an output */
  GPtrArray *memory;
  PtTensor tensors[8]; /* arguments */
  guint n_tensors;
  guint32 seed; /* of the next constant */
} Graph;

static float *
random_floats (Graph *self, gsize n, guint32 seed)
{
  float *x = g_new (float, n);

  fill_random (x, n, seed);
  g_ptr_array_add (self->memory, x);
  return x;
}

/* An argument of the delegate, filled as an input is. */
static guint32
add_argument (Graph *self, const guint32 dims[4], guint32 flags)
{
  gsize n = (gsize) dims[0] * dims[1] * dims[2] * dims[3];
  gint64 sizes[] = { dims[0], dims[1], dims[2], dims[3] };

  self->tensors[self->n_tensors++] =
      make_tensor (PT_DTYPE_F32, 4, sizes, random_floats (self, n, 99), n * sizeof (float));
  return builder_tensor (self->builder, PT_XNN_F32, 4, dims, flags);
}

static Image
add_image (Graph *self, guint h, guint w, guint c, gboolean is_last)
{
  const guint32 dims[] = { self->block->batch, h, w, c };
  Image image = { 0, h, w, c };

  image.value = is_last || self->is_apart ? add_argument (self, dims, OUTPUT)
                                          : builder_tensor (self->builder, PT_XNN_F32, 4, dims, 0);
  return image;
}

static guint
extent (guint size, const Window *w)
{
  return (size + w->before + w->after - (w->kernel - 1) * w->dilation - 1) / w->stride + 1;
}

static Image
add_conv (Graph *self, guint8 tag, Image in, const Window *w, guint out_c, gboolean is_last)
{
  gboolean is_depthwise = tag == TAG_DEPTHWISE;
  gsize n = (gsize) out_c * w->kernel * w->kernel * (is_depthwise ? 1 : in.c);
  const guint32 dims[] = { is_depthwise ? 1 : out_c, w->kernel, w->kernel,
                           is_depthwise ? out_c : in.c };
  guint32 filter = builder_constant (self->builder, PT_XNN_F32, 4, dims,
                                     random_floats (self, n, self->seed++), n * sizeof (float));
  guint32 bias =
      builder_constant (self->builder, PT_XNN_F32, 1, DIMS (out_c),
                        random_floats (self, out_c, self->seed++), out_c * sizeof (float));
  Image out = add_image (self, extent (in.h, w), extent (in.w, w), out_c, is_last);

  builder_node (
      self->builder,
      (Node){ .tag = tag,
              .n_slots = 19,
              .slots = { w->before, w->after, w->after, w->before, w->kernel, w->kernel, w->stride,
                         w->stride, w->dilation, w->dilation, is_depthwise ? 1 : in.c,
                         is_depthwise ? 1 : out_c, is_depthwise ? out_c : 1, 0, 0, in.value, filter,
                         bias, out.value },
              .clamped = !is_last,
              .min = -4.0f,
              .max = 50.0f });
  return out;
}

static Image
add_input (Graph *self)
{
  const Block *b = self->block;
  const guint32 planes[] = { b->batch, b->in_c, b->h, b->w };
  const guint32 pixels[] = { b->batch, b->h, b->w, b->in_c };
  guint32 in = add_argument (self, b->is_planar ? planes : pixels, INPUT);
  Image image = { in, b->h, b->w, b->in_c };

  if (!b->is_planar)
    return image;
  image = add_image (self, b->h, b->w, b->in_c, FALSE);
  builder_node (self->builder, (Node){ .tag = TAG_TRANSPOSE,
                                       .n_slots = 5,
                                       .slots = { 4, 0, in, image.value },
                                       .lists = { { 0, 2, 3, 1 } },
                                       .list_slots = { 1 },
                                       .list_sizes = { 4 },
                                       .n_lists = 1 });
  return image;
}

static void
build (Graph *self, const Block *block, gboolean is_apart)
{
  static const Window one = SAME;
  Image in, image;

  *self = (Graph){ .block = block,
                   .builder = builder_new (),
                   .is_apart = is_apart,
                   .memory = g_ptr_array_new_with_free_func (g_free),
                   .seed = 1 };
  in = image = add_input (self);
  if (block->first.kernel > 0)
    image = add_conv (self, TAG_CONV, image, &block->first, block->image_c, FALSE);
  image =
      add_conv (self, TAG_DEPTHWISE, image, &block->depthwise, block->image_c, block->out_c == 0);
  if (block->out_c > 0)
    image = add_conv (self, TAG_CONV, image, &one, block->out_c, !block->has_sum);
  if (block->has_sum) {
    Image sum = add_image (self, image.h, image.w, image.c, TRUE);

    builder_simple (self->builder, TAG_ADD, 3, (guint32[]){ image.value, in.value, sum.value });
  }
}

static void
clear_graph (Graph *self)
{
  builder_free (self->builder);
  g_ptr_array_unref (self->memory);
}

static void
run (Graph *self, guint n_nodes)
{
  PtTensor *tensors[G_N_ELEMENTS (self->tensors)];
  g_autoptr (GBytes) payload = builder_finish (self->builder, TRUE);
  gpointer delegate = delegate_new (payload, NULL);

  g_assert_nonnull (delegate);
  g_assert_cmpuint (planned_nodes (payload), ==, n_nodes);
  for (guint i = 0; i < self->n_tensors; i++)
    tensors[i] = &self->tensors[i];
  /* Twice: what a first call leaves must not matter. */
  for (guint i = 0; i < 2; i++)
    g_assert_true (delegate_run (delegate, tensors, self->n_tensors, NULL));
  delegate_free (delegate);
}

static void
compare (const Graph *one, const Graph *apart)
{
  const PtTensor *a = &one->tensors[one->n_tensors - 1];
  const PtTensor *b = &apart->tensors[apart->n_tensors - 1];
  gsize n = pt_tensor_nbytes (b) / sizeof (float);
  const float *x = a->data, *y = b->data;
  float largest = 1.0f;

  g_assert_cmpuint (pt_tensor_nbytes (a), ==, pt_tensor_nbytes (b));
  for (gsize i = 0; i < n; i++)
    largest = fmaxf (largest, fabsf (y[i]));
  for (gsize i = 0; i < n; i++)
    if (!(fabsf (x[i] - y[i]) <= 1e-5f * largest))
      g_error ("%s, number %d: %g, not %g", one->block->name, (int) i, (double) x[i],
               (double) y[i]);
}

static void
test_block (gconstpointer data)
{
  const Block *block = data;
  PtCpuLevel best = pt_cpu_level ();
  guint n_all = (block->is_planar ? 1 : 0) + (block->first.kernel > 0 ? 1 : 0) + 1 +
                (block->out_c > 0 ? 1 : 0) + (block->has_sum ? 1 : 0);

  for (PtCpuLevel level = PT_CPU_PORTABLE; level <= best; level++) {
    Graph one, apart;

    if (pt_cpu_set_level (level) != level)
      continue;
    build (&one, block, FALSE);
    build (&apart, block, TRUE);
    run (&one, block->n_nodes);
    run (&apart, n_all);
    compare (&one, &apart);
    clear_graph (&one);
    clear_graph (&apart);
  }
  pt_cpu_set_level (best);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_pool_set_default_threads (WORKERS);
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    g_autofree char *path = g_strdup_printf ("/xnnpack/separable/%s", blocks[i].name);

    g_test_add_data_func (path, &blocks[i], test_block);
  }
  return g_test_run ();
}
