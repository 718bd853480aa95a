/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/gemm-int8.h"
#include "engine/kernels/kernel-tables.h"

/*
 * Depth of the packed panels, and the size of the panels that stay in the cache with a strip of a.
 */
#define DEPTH 512
#define PANELS_BYTES (512 * 1024)

/*
 * Deeper panels for products with pairs, whose two sums cannot be continued from one panel to the
 * next.
 */
#define PAIRS_DEPTH 4096

/* Products below this many multiplications are not worth a second thread. */
#define WORK_INLINE (64 * 1024)
/*
 * Most multiplications in a block, which take some milliseconds. Between blocks the loop checks for
 * a stop.
 */
#define MOST_PRODUCTS (256.0 * 1024 * 1024)

typedef struct {
  gsize m, n, k;
  const float *a;
  gsize lda;
  PtFloatType type; /* of b */
  gconstpointer b;
  gsize ldb;
  gboolean b_transposed;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
} Product;

static gconstpointer
b_from (const Product *p, gsize number)
{
  return (const char *) p->b + number * pt_float_size (p->type);
}

/* The part of a product in columns [column, column + n) and rows [row, row + m). */
static Product
sub_product (const Product *whole, gsize row, gsize m, gsize column, gsize n)
{
  Product part = *whole;

  part.m = m;
  part.n = n;
  part.a += row * whole->lda;
  part.b = b_from (whole, whole->b_transposed ? column * whole->ldb : column);
  part.c += row * whole->ldc + column;
  if (part.epilogue.bias)
    part.epilogue.bias += column;
  return part;
}

static void
finish_row (const PtEpilogue *epilogue, gsize n, float *c)
{
  if (epilogue->bias)
    pt_vector_binary (PT_BINARY_ADD, n, c, epilogue->bias, epilogue->min, epilogue->max, c);
  else if (epilogue->min > -INFINITY || epilogue->max < INFINITY)
    pt_vector_clamp (n, c, epilogue->min, epilogue->max, c);
}

/* Few rows, b is [n, k]: rows of b are read once, in place. */
static void
multiply_dots (const PtF32Kernels *kernels, const Product *p)
{
  for (gsize i = 0; i < p->m; i += PT_DOT_ROWS) {
    gsize rows = MIN (PT_DOT_ROWS, p->m - i);

    kernels->dot_rows (p->type, rows, p->n, p->k, p->a + i * p->lda, p->lda, p->b, p->ldb,
                       p->c + i * p->ldc, p->ldc);
    for (gsize r = i; r < i + rows; r++)
      finish_row (&p->epilogue, p->n, p->c + r * p->ldc);
  }
}

/* Multiplies a strip of rows with one panel of at most nr columns, for depth [k0, k0 + depth). */
static void
multiply_panel (const PtF32Kernels *kernels, const Product *p, gsize row, gsize column, gsize k0,
                gsize depth, const float *panel, gsize ldp)
{
  gsize n = MIN (kernels->nr, p->n - column);
  gboolean last = k0 + depth == p->k;
  PtTileEnds ends = {
    .bias = p->epilogue.bias ? p->epilogue.bias + column : NULL,
    .accumulate = k0 > 0,
    .min = last ? p->epilogue.min : -INFINITY,
    .max = last ? p->epilogue.max : INFINITY,
    .pairs = p->epilogue.pairs,
  };

  kernels->tile (MIN (kernels->mr, p->m - row), n, depth, p->a + row * p->lda + k0, p->lda, panel,
                 ldp, &ends, p->c + row * p->ldc + column, p->ldc);
}

/* b is [k, n] of floats, and few rows or few columns: b is read in place. */
static void
multiply_in_place (const PtF32Kernels *kernels, const Product *p)
{
  for (gsize column = 0; column < p->n; column += kernels->nr)
    for (gsize row = 0; row < p->m; row += kernels->mr)
      multiply_panel (kernels, p, row, column, 0, p->k, (const float *) p->b + column, p->ldb);
}

/* @strip: room for a panel, where rows of b become floats. */
static void
pack_panel (const PtF32Kernels *kernels, const Product *p, gsize column, gsize k0, gsize depth,
            float *strip, float *panel)
{
  gsize nr = kernels->nr, n = MIN (nr, p->n - column);

  if (p->b_transposed && p->type == PT_FLOAT_F32) {
    kernels->pack_transposed (n, depth, b_from (p, column * p->ldb + k0), p->ldb, panel);
    return;
  }
  if (p->b_transposed) {
    for (gsize j = 0; j < n; j++)
      pt_vector_to_f32 (p->type, depth, b_from (p, (column + j) * p->ldb + k0), strip + j * depth);
    kernels->pack_transposed (n, depth, strip, depth, panel);
    return;
  }
  for (gsize i = 0; i < depth; i++) {
    pt_vector_to_f32 (p->type, n, b_from (p, (k0 + i) * p->ldb + column), panel + i * nr);
    for (gsize j = n; j < nr; j++)
      panel[i * nr + j] = 0.0f;
  }
}

/*
 * Packs a group of panels, which stay in the L2 cache while all strips of a are multiplied with
 * them.
 */
static void
multiply_packed (const PtF32Kernels *kernels, const Product *p, float *scratch)
{
  gsize nr = kernels->nr, max_depth = p->epilogue.pairs ? PAIRS_DEPTH : DEPTH;
  float *strip = scratch + PANELS_BYTES / sizeof *scratch;

  for (gsize k0 = 0; k0 < p->k; k0 += max_depth) {
    gsize depth = MIN (max_depth, p->k - k0);
    gsize group = PANELS_BYTES / (depth * nr * sizeof *scratch) * nr;

    for (gsize begin = 0; begin < p->n; begin += group) {
      gsize end = MIN (p->n, begin + group);

      for (gsize column = begin; column < end; column += nr)
        pack_panel (kernels, p, column, k0, depth, strip, scratch + (column - begin) * depth);
      for (gsize row = 0; row < p->m; row += kernels->mr)
        for (gsize column = begin; column < end; column += nr)
          multiply_panel (kernels, p, row, column, k0, depth, scratch + (column - begin) * depth,
                          nr);
    }
  }
}

static void
multiply (const Product *p, float *scratch)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();

  if (p->b_transposed && p->m <= PT_DOT_ROWS)
    multiply_dots (kernels, p);
  else if (p->k == 0 || (p->type == PT_FLOAT_F32 && !p->b_transposed &&
                         (p->m <= kernels->mr || p->ldb <= kernels->nr)))
    multiply_in_place (kernels, p);
  else
    multiply_packed (kernels, p, scratch);
}

static Product
make_product (gsize m, gsize n, gsize k, const float *a, gsize lda, PtFloatType type,
              gconstpointer b, gsize ldb, gboolean b_transposed, const PtEpilogue *epilogue,
              float *c, gsize ldc)
{
  static const PtEpilogue none = { NULL, -INFINITY, INFINITY };

  return (
      Product){ m, n, k, a, lda, type, b, ldb, b_transposed, epilogue ? *epilogue : none, c, ldc };
}

void
pt_gemm_f32_serial (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b, gsize ldb,
                    gboolean b_transposed, const PtEpilogue *epilogue, float *c, gsize ldc,
                    gpointer scratch)
{
  Product p = make_product (m, n, k, a, lda, PT_FLOAT_F32, b, ldb, b_transposed, epilogue, c, ldc);

  multiply (&p, scratch);
}

typedef struct {
  Product product;
  PtPool *pool;
  gsize rows, columns; /* rows and columns of a block */
  gsize n_column_blocks;
} Blocks;

static void
blocks_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Blocks *blocks = data;
  const Product *p = &blocks->product;

  for (gsize i = begin; i < end; i++) {
    gsize row = i / blocks->n_column_blocks * blocks->rows;
    gsize column = i % blocks->n_column_blocks * blocks->columns;
    Product part = sub_product (p, row, MIN (blocks->rows, p->m - row), column,
                                MIN (blocks->columns, p->n - column));

    multiply (&part, pt_pool_scratch (blocks->pool, worker));
  }
}

/* Chooses the largest blocks that give each worker several, so that all workers finish together. */
static void
choose_blocks (Blocks *blocks, gsize n_wanted)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();
  gsize m = blocks->product.m, n = blocks->product.n;
  gsize panels = pt_div_up (n, kernels->nr), strips = pt_div_up (m, kernels->mr);
  gsize n_columns = MIN (panels, n_wanted);
  gsize n_rows = MIN (pt_div_up (n_wanted, n_columns), pt_div_up (strips, 4));

  blocks->columns = pt_div_up (panels, n_columns) * kernels->nr;
  blocks->rows = m <= PT_DOT_ROWS ? m : pt_div_up (strips, n_rows) * kernels->mr;
  blocks->n_column_blocks = pt_div_up (n, blocks->columns);
}

static void
columns_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Product *p = data;
  Product part = sub_product (p, 0, p->m, begin, end - begin);

  multiply_dots (pt_f32_kernels (), &part);
}

/* Few rows: each row of b is read once, in order. */
static void
multiply_stream (PtPool *pool, const Product *p)
{
  gsize row_bytes = p->ldb * pt_float_size (p->type);
  PtWeightStream stream = pt_weight_stream (pool, p->b, p->n, row_bytes, p->n);

  pt_weight_stream_run (&stream, columns_task, (gpointer) p);
}

void
pt_gemm_typed (PtPool *pool, gsize m, gsize n, gsize k, const float *a, gsize lda, PtFloatType type,
               gconstpointer b, gsize ldb, gboolean b_transposed, const PtEpilogue *epilogue,
               float *c, gsize ldc)
{
  Blocks blocks = { make_product (m, n, k, a, lda, type, b, ldb, b_transposed, epilogue, c, ldc),
                    pool };
  double work = (double) m * (double) n * (double) k;
  gsize n_workers = pt_pool_n_workers (pool);

  if (m == 0 || n == 0)
    return;
  if (b_transposed && m <= PT_DOT_ROWS) {
    multiply_stream (pool, &blocks.product);
    return;
  }
  if (work < WORK_INLINE || (n_workers == 1 && work < MOST_PRODUCTS)) {
    multiply (&blocks.product, pt_pool_scratch (pool, 0));
    return;
  }
  choose_blocks (&blocks, MAX (4 * n_workers, (gsize) (work / MOST_PRODUCTS)));
  pt_pool_run (pool, pt_div_up (m, blocks.rows) * blocks.n_column_blocks, 1, blocks_task, &blocks);
}

void
pt_gemm_f32 (PtPool *pool, gsize m, gsize n, gsize k, const float *a, gsize lda, const float *b,
             gsize ldb, gboolean b_transposed, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  pt_gemm_typed (pool, m, n, k, a, lda, PT_FLOAT_F32, b, ldb, b_transposed, epilogue, c, ldc);
}
