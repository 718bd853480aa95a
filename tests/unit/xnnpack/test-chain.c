/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/vector.h"
#include "graph-builder.h"

/* Chains of element-wise nodes, which run block by block, against whole arrays one after another.
 */

enum { ADD = 1, SIGMOID = 4, MULTIPLY = 15, SUBTRACT = 16 };
enum { ROWS = 300, COLUMNS = 101, N = ROWS * COLUMNS }; /* no multiple of a block */
enum { ROW_OF_FACTORS = 1, COLUMN_OF_FACTORS, N_INPUTS = 3 };

typedef struct {
  float *x, *row, *column, *y;
  PtTensor tensors[N_INPUTS + 1];
} Arguments;

/* @shift: y begins so many elements behind x, in the same memory; 0: elsewhere. */
static void
make_arguments (Arguments *arguments, gsize shift)
{
  arguments->x = g_new0 (float, 2 * N + shift);
  arguments->row = g_new (float, COLUMNS);
  arguments->column = g_new (float, ROWS);
  arguments->y = arguments->x + (shift > 0 ? shift : N);
  fill_random (arguments->x, N, 1);
  fill_random (arguments->row, COLUMNS, 2);
  fill_random (arguments->column, ROWS, 3);
  arguments->tensors[0] =
      make_tensor (PT_DTYPE_F32, 2, SIZES (ROWS, COLUMNS), arguments->x, N * sizeof (float));
  arguments->tensors[ROW_OF_FACTORS] =
      make_tensor (PT_DTYPE_F32, 1, SIZES (COLUMNS), arguments->row, COLUMNS * sizeof (float));
  arguments->tensors[COLUMN_OF_FACTORS] =
      make_tensor (PT_DTYPE_F32, 2, SIZES (ROWS, 1), arguments->column, ROWS * sizeof (float));
  arguments->tensors[N_INPUTS] =
      make_tensor (PT_DTYPE_F32, 2, SIZES (ROWS, COLUMNS), arguments->y, N * sizeof (float));
}

static void
free_arguments (Arguments *arguments)
{
  g_free (arguments->x);
  g_free (arguments->row);
  g_free (arguments->column);
}

static void
run (Builder *builder, Arguments *arguments)
{
  PtTensor *tensors[N_INPUTS + 1];

  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    tensors[i] = &arguments->tensors[i];
  run_graph (builder, tensors, G_N_ELEMENTS (tensors));
}

/* y = sigmoid (t) * t * row - t, where t = (x + x) * column. */
static void
build (Builder *b)
{
  const guint32 dims[] = { ROWS, COLUMNS };
  guint32 x = builder_tensor (b, PT_XNN_F32, 2, dims, INPUT);
  guint32 row = builder_tensor (b, PT_XNN_F32, 1, DIMS (COLUMNS), INPUT);
  guint32 column = builder_tensor (b, PT_XNN_F32, 2, DIMS (ROWS, 1), INPUT);
  guint32 y = builder_tensor (b, PT_XNN_F32, 2, dims, OUTPUT), t[5];

  for (guint i = 0; i < G_N_ELEMENTS (t); i++)
    t[i] = builder_tensor (b, PT_XNN_F32, 2, dims, 0);
  builder_simple (b, ADD, 3, (guint32[]){ x, x, t[0] });
  builder_simple (b, MULTIPLY, 3, (guint32[]){ t[0], column, t[1] });
  builder_simple (b, SIGMOID, 2, (guint32[]){ t[1], t[2] });
  builder_simple (b, MULTIPLY, 3, (guint32[]){ t[2], t[1], t[3] });
  builder_simple (b, MULTIPLY, 3, (guint32[]){ row, t[3], t[4] });
  builder_simple (b, SUBTRACT, 3, (guint32[]){ t[4], t[1], y });
}

static void
expect (const Arguments *arguments, float *want)
{
  g_autofree float *t = g_new (float, N);

  for (guint i = 0; i < N; i++)
    t[i] = (arguments->x[i] + arguments->x[i]) * arguments->column[i / COLUMNS];
  pt_vector_unary (PT_UNARY_XNN_SIGMOID, N, t, want);
  for (guint i = 0; i < N; i++)
    want[i] = want[i] * t[i] * arguments->row[i % COLUMNS] - t[i];
}

static void
check (gsize shift)
{
  g_autoptr (Builder) builder = builder_new ();
  g_autofree float *want = g_new (float, N);
  Arguments arguments;

  make_arguments (&arguments, shift);
  expect (&arguments, want);
  build (builder);
  run (builder, &arguments);
  g_assert_cmpmem (arguments.y, N * sizeof *want, want, N * sizeof *want);
  free_arguments (&arguments);
}

static void
test_same_bits (void)
{
  check (0);
}

/* A block of the result overwrites elements of x that the next block reads. */
static void
test_overlapping_arguments (void)
{
  check (1);
  check (100);
  check (5000);
}

/* A node that reads, in every block, the last row of the first result. */
static void
test_reads_what_another_block_writes (void)
{
  const guint32 dims[] = { ROWS, COLUMNS };
  g_autoptr (Builder) b = builder_new ();
  guint32 x = builder_tensor (b, PT_XNN_F32, 2, dims, INPUT);
  guint32 row = builder_tensor (b, PT_XNN_F32, 1, DIMS (COLUMNS), INPUT);
  guint32 column = builder_tensor (b, PT_XNN_F32, 2, DIMS (ROWS, 1), INPUT);
  guint32 product = builder_tensor (b, PT_XNN_F32, 2, dims, OUTPUT);
  guint32 sum = builder_tensor (b, PT_XNN_F32, 2, dims, OUTPUT);
  g_autofree float *want = g_new (float, N), *got = g_new (float, N);
  PtTensor result = make_tensor (PT_DTYPE_F32, 2, SIZES (ROWS, COLUMNS), got, N * sizeof (float));
  PtTensor *tensors[N_INPUTS + 2];
  Arguments arguments;

  make_arguments (&arguments, 0);
  arguments.tensors[ROW_OF_FACTORS].data = arguments.y + N - COLUMNS;
  for (guint i = 0; i <= N_INPUTS; i++)
    tensors[i] = &arguments.tensors[i];
  tensors[N_INPUTS + 1] = &result;
  builder_simple (b, MULTIPLY, 3, (guint32[]){ x, column, product });
  builder_simple (b, ADD, 3, (guint32[]){ product, row, sum });
  for (guint i = 0; i < N; i++)
    want[i] = arguments.x[i] * arguments.column[i / COLUMNS];
  for (guint i = 0; i < N; i++) /* the last row comes last, and is twice itself */
    want[i] += want[N - COLUMNS + i % COLUMNS];
  run_graph (b, tensors, G_N_ELEMENTS (tensors));
  g_assert_cmpmem (got, N * sizeof *want, want, N * sizeof *want);
  free_arguments (&arguments);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/chain/same-bits", test_same_bits);
  g_test_add_func ("/xnnpack/chain/overlapping-arguments", test_overlapping_arguments);
  g_test_add_func ("/xnnpack/chain/reads-what-another-block-writes",
                   test_reads_what_another_block_writes);
  return g_test_run ();
}
