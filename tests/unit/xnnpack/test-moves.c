/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "graph-builder.h"

/* Nodes that move elements: every width, every pattern of strides, every kind of padding. */

enum {
  F32 = PT_XNN_F32,
  F16 = PT_XNN_F16,
  BF16 = PT_XNN_BF16,
  QI8 = PT_XNN_QI8,
  QU8 = PT_XNN_QU8,
  I32 = PT_XNN_I32
};
enum { TAG_PAD = 10, TAG_RESHAPE = 20, TAG_CONCATENATE2 = 32, TAG_SLICE = 35 };

/* One node from one value to another; quantised types have @scale and @zero. */
typedef struct {
  int type;
  PtDType dtype;
  gsize width;
  float scale;
  gint32 zero;
} Type;

static const Type types[] = {
  { F32, PT_DTYPE_F32, 4, 0, 0 },   { F16, PT_DTYPE_F16, 2, 0, 0 },
  { BF16, PT_DTYPE_BF16, 2, 0, 0 }, { QI8, PT_DTYPE_I8, 1, 0.5f, -3 },
  { QU8, PT_DTYPE_U8, 1, 0.5f, 7 }, { I32, PT_DTYPE_I32, 4, 0, 0 },
};

static guint32
add_value (Builder *b, const Type *type, guint rank, const guint32 *dims, guint32 flags,
           guint32 external)
{
  Value value = { .type = type->type,
                  .rank = rank,
                  .flags = flags,
                  .external = external,
                  .scale = type->scale,
                  .zero_point = type->zero };

  memcpy (value.dims, dims, rank * sizeof *dims);
  return builder_value (b, value);
}

/* Runs the one node of @b, whose first and second external values are in and out. */
static void
run_node (Builder *b, const Type *type, guint rank, const gint64 *in, gpointer x, gsize n_x,
          guint out_rank, const gint64 *out, gpointer y, gsize n_y)
{
  PtTensor tx = make_tensor (type->dtype, rank, in, x, n_x * type->width);
  PtTensor ty = make_tensor (type->dtype, out_rank, out, y, n_y * type->width);

  run_graph (b, (PtTensor *[]){ &tx, &ty }, 2);
}

static guint8 *
make_bytes (gsize n)
{
  guint8 *bytes = g_malloc (n);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) (i * 7 + i / 251);
  return bytes;
}

/* The elements [at, at + size) of each dim of @dims. */
static void
check_slice (const Type *type, guint rank, const guint32 *dims, const gint64 *at,
             const gint64 *size)
{
  g_autoptr (Builder) b = builder_new ();
  gint64 in[4], out[4];
  gsize n = 1, n_out = 1;
  g_autofree guint8 *x = NULL, *y = NULL;
  Node node = { .tag = TAG_SLICE,
                .n_slots = 5,
                .slots = { rank, 0, 0, 0, 1 },
                .n_lists = 2,
                .list_slots = { 1, 2 },
                .list_sizes = { rank, rank } };

  for (guint i = 0; i < rank; i++) {
    in[i] = dims[i];
    out[i] = size[i];
    n *= dims[i];
    n_out *= (gsize) size[i];
    node.lists[0][i] = at[i];
    node.lists[1][i] = size[i];
  }
  x = make_bytes (n * type->width);
  y = g_malloc0 (n_out * type->width);
  add_value (b, type, rank, dims, INPUT, 0);
  add_value (b, type, rank, dims, OUTPUT, 1);
  builder_node (b, node);
  run_node (b, type, rank, in, x, n, rank, out, y, n_out);
  for (gsize i = 0; i < n_out; i++) {
    gsize from = 0, rest = i, step = 1;

    for (guint k = rank; k-- > 0; rest /= (gsize) size[k]) {
      from += (rest % (gsize) size[k] + (gsize) at[k]) * step;
      step *= dims[k];
    }
    g_assert_cmpmem (y + i * type->width, type->width, x + from * type->width, type->width);
  }
}

static void
test_slices (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    /* one element; a column; columns of some planes; runs; all */
    check_slice (&types[t], 3, DIMS (3, 4, 5), SIZES (1, 2, 3), SIZES (1, 1, 1));
    check_slice (&types[t], 2, DIMS (100, 7), SIZES (0, 4), SIZES (100, 1));
    check_slice (&types[t], 3, DIMS (5, 100, 7), SIZES (0, 20, 6), SIZES (5, 50, 1));
    check_slice (&types[t], 3, DIMS (5, 6, 7), SIZES (1, 2, 3), SIZES (4, 3, 2));
    check_slice (&types[t], 2, DIMS (3, 4), SIZES (0, 0), SIZES (3, 4));
    /* runs that are cut, so that workers share them */
    check_slice (&types[t], 2, DIMS (3, 700000), SIZES (1, 12345), SIZES (2, 600001));
  }
}

/* Checks the padding around the input, and that nothing else is written. */
static void
check_pad (const Type *type, float value, gconstpointer bits)
{
  g_autoptr (Builder) b = builder_new ();
  guint8 x[12 * 4], y[6 * 9 * 4];

  for (guint i = 0; i < sizeof x; i++)
    x[i] = (guint8) (i + 1);
  add_value (b, type, 2, DIMS (3, 4), INPUT, 0);
  add_value (b, type, 2, DIMS (6, 9), OUTPUT, 1);
  builder_node (b, (Node){ .tag = TAG_PAD,
                           .n_slots = 5,
                           .slots = { 0, 0, float_bits (value), 0, 1 },
                           .n_lists = 2,
                           .list_slots = { 0, 1 },
                           .list_sizes = { 2, 2 },
                           .lists = { { 1, 2 }, { 2, 3 } } });
  run_node (b, type, 2, SIZES (3, 4), x, 12, 2, SIZES (6, 9), y, 54);
  for (guint i = 0; i < 54; i++) {
    guint row = i / 9, column = i % 9;
    gboolean inside = row >= 1 && row < 4 && column >= 2 && column < 6;
    gconstpointer want = inside ? x + ((row - 1) * 4 + column - 2) * type->width : bits;

    g_assert_cmpmem (y + i * type->width, type->width, want, type->width);
  }
}

static void
test_pads (void)
{
  const float f = 1.5f;
  const guint16 half = 0x3e00, bfloat = 0x3fc0;
  const gint32 whole = 7, most = 2147483520, least = G_MININT32;
  const gint8 q = 3 - 3, q_most = 127, q_least = -128;
  const guint8 u = 3 + 7, u_most = 255, u_least = 0;

  check_pad (&types[0], f, &f);
  check_pad (&types[1], f, &half);
  check_pad (&types[2], f, &bfloat);
  check_pad (&types[3], f, &q);
  check_pad (&types[3], 1e9f, &q_most);
  check_pad (&types[3], -1e9f, &q_least);
  check_pad (&types[3], NAN, &q_least);
  check_pad (&types[4], f, &u);
  check_pad (&types[4], 1e9f, &u_most);
  check_pad (&types[4], -1e9f, &u_least);
  check_pad (&types[5], 7.0f, &whole);
  check_pad (&types[5], 1e30f, &most);
  check_pad (&types[5], -1e30f, &least);
  check_pad (&types[5], NAN, &least);
}

/* A target whose elements are apart: columns that are padded, or joined side by side. */
static void
test_apart (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++) {
    const Type *type = &types[t];
    g_autofree guint8 *x = make_bytes (12 * 4);
    guint8 y[60 * 4], joined[24 * 4];
    g_autoptr (Builder) pad = builder_new ();
    g_autoptr (Builder) join = builder_new ();
    PtTensor in = make_tensor (type->dtype, 3, SIZES (3, 4, 1), x, 12 * type->width);
    PtTensor out = make_tensor (type->dtype, 3, SIZES (3, 4, 2), joined, 24 * type->width);

    add_value (pad, type, 3, DIMS (3, 4, 1), INPUT, 0);
    add_value (pad, type, 3, DIMS (3, 5, 4), OUTPUT, 1);
    builder_node (pad, (Node){ .tag = TAG_PAD,
                               .n_slots = 5,
                               .slots = { 0, 0, 0, 0, 1 },
                               .n_lists = 2,
                               .list_slots = { 0, 1 },
                               .list_sizes = { 3, 3 },
                               .lists = { { 0, 1, 2 }, { 0, 0, 1 } } });
    run_node (pad, type, 3, SIZES (3, 4, 1), x, 12, 3, SIZES (3, 5, 4), y, 60);
    for (guint i = 0; i < 12; i++)
      g_assert_cmpmem (y + ((i / 4 * 5 + i % 4 + 1) * 4 + 2) * type->width, type->width,
                       x + i * type->width, type->width);

    add_value (join, type, 3, DIMS (3, 4, 1), INPUT, 0);
    add_value (join, type, 3, DIMS (3, 4, 1), INPUT, 1);
    add_value (join, type, 3, DIMS (3, 4, 2), OUTPUT, 2);
    builder_simple (join, TAG_CONCATENATE2, 6, (guint32[]){ 2, 0, 1, 0, 0, 2 });
    run_graph (join, (PtTensor *[]){ &in, &in, &out }, 3);
    for (guint i = 0; i < 24; i++)
      g_assert_cmpmem (joined + i * type->width, type->width, x + i / 2 * type->width, type->width);
  }
}

/* A reshape between values of other parameters is no view: the stored numbers are copied. */
static void
test_reinterpreting_reshape (void)
{
  const Type other = { QI8, PT_DTYPE_I8, 1, 2.0f, 9 };
  g_autoptr (Builder) b = builder_new ();
  gint8 x[12], y[12];

  for (guint i = 0; i < 12; i++)
    x[i] = (gint8) (i * 9 - 50);
  add_value (b, &types[3], 2, DIMS (3, 4), INPUT, 0);
  add_value (b, &other, 1, DIMS (12), OUTPUT, 1);
  builder_node (b, (Node){ .tag = TAG_RESHAPE,
                           .n_slots = 4,
                           .slots = { 1, 0, 0, 1 },
                           .n_lists = 1,
                           .list_slots = { 1 },
                           .list_sizes = { 1 },
                           .lists = { { 12 } } });
  run_node (b, &types[3], 2, SIZES (3, 4), x, 12, 1, SIZES (12), y, 12);
  g_assert_cmpmem (x, 12, y, 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/moves/slices", test_slices);
  g_test_add_func ("/xnnpack/moves/pads", test_pads);
  g_test_add_func ("/xnnpack/moves/apart", test_apart);
  g_test_add_func ("/xnnpack/moves/reinterpreting-reshape", test_reinterpreting_reshape);
  return g_test_run ();
}
