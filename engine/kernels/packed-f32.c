/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/packed-f32.h"

#include <math.h>

#include "engine/kernels/kernels.h"

/* Depth of what is multiplied at a time: of a panel as much as the first-level cache holds. */
#define DEPTH 256
/* Bytes of rows that pass over all panels before the next ones do; rows that are made fit too. */
#define ROWS_BYTES (PT_POOL_SCRATCH / 2)
/* Products below this many multiplications are not worth a second thread. */
#define WORK_INLINE (64 * 1024)
/* Pieces for each worker at most. */
#define PIECES 4
/* Of more strips or panels, some more or less in a block make no difference. */
#define MAX_CUT 4096
/* What a strip times a panel takes; what making a strip does, and reading a panel: from a cache
 * that all workers share, or from memory, if there are many. */
#define PRODUCT 4
#define MAKING 1
#define READING 1
#define READING_MANY 6
#define MANY_BYTES (4 * 1024 * 1024)

gsize
pt_packed_f32_size (gsize n, gsize k)
{
  gsize nr = pt_f32_kernels ()->nr, columns = pt_div_up (n, nr) * nr;

  return k > 0 && columns > G_MAXSSIZE / sizeof (float) / k ? 0 : columns * k * sizeof (float);
}

typedef struct {
  const float *b;
  gsize ldb;
  const PtPackedF32 *packed;
} Packing;

static void
pack_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Packing *job = data;
  const PtF32Kernels *kernels = pt_f32_kernels ();
  gsize n = job->packed->n, k = job->packed->k;

  for (gsize i = begin; i < end; i++) {
    gsize column = i * kernels->nr;

    kernels->pack_transposed (MIN (kernels->nr, n - column), k, job->b + column * job->ldb,
                              job->ldb, job->packed->panels + column * k);
  }
}

void
pt_pack_f32 (PtPool *pool, const float *b, gsize ldb, const PtPackedF32 *packed)
{
  Packing job = { b, ldb, packed };

  pt_pool_run (pool, pt_div_up (packed->n, pt_f32_kernels ()->nr), 1, pack_task, &job);
}

typedef struct {
  const PtLeftRows *left;
  const PtPackedF32 *b;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
  gsize m, rows, columns, n_column_blocks;
  PtPool *pool;
} Product;

/* Strips of rows of about the same height. */
static gsize
strip_height (gsize rows)
{
  gsize mr = pt_f32_kernels ()->mr;

  return pt_div_up (rows, pt_div_up (rows, mr));
}

/* Rows a[count, k] times columns [begin, end), into @c, the first of these rows. */
static void
multiply_rows (const Product *p, gsize count, const float *a, gsize lda, gsize begin, gsize end,
               float *c)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();
  gsize k = p->b->k, height = strip_height (count), n_strips = pt_div_up (count, height);

  for (gsize column = begin; column < end; column += kernels->nr) {
    const float *panel = p->b->panels + column * k;
    gsize n = MIN (kernels->nr, p->b->n - column), k0 = 0;

    do {
      gsize depth = MIN (DEPTH, k - k0);
      gboolean last = k0 + depth == k;
      PtTileEnds ends = {
        .bias = p->epilogue.bias != NULL ? p->epilogue.bias + column : NULL,
        .accumulate = k0 > 0,
        .min = last ? p->epilogue.min : -INFINITY,
        .max = last ? p->epilogue.max : INFINITY,
        .ahead = panel + (k0 + depth) * kernels->nr,
        .ahead_step = kernels->nr / n_strips,
      };

      for (gsize row = 0; row < count; row += height) {
        kernels->tile (MIN (height, count - row), n, depth, a + row * lda + k0, lda,
                       panel + k0 * kernels->nr, kernels->nr, &ends, c + row * p->ldc + column,
                       p->ldc);
        ends.ahead += depth * ends.ahead_step;
      }
      k0 += depth;
    } while (k0 < k);
  }
}

/* Rows that stay in the second-level cache while panels pass by. */
static gsize
chunk_height (gsize k)
{
  gsize mr = pt_f32_kernels ()->mr;

  return MAX (ROWS_BYTES / sizeof (float) / MAX (k, 1) / mr, 1) * mr;
}

static void
product_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Product *p = data;
  gsize k = p->b->k, chunk = chunk_height (k);

  for (gsize i = begin; i < end; i++) {
    gsize row = i / p->n_column_blocks * p->rows, stop = MIN (p->m, row + p->rows);
    gsize column = i % p->n_column_blocks * p->columns;

    for (; row < stop; row += chunk) {
      gsize count = MIN (chunk, stop - row);
      const float *a = p->left->a + row * p->left->lda;
      gsize lda = p->left->lda;

      if (p->left->make != NULL) {
        float *made = pt_pool_scratch (p->pool, worker);

        p->left->make (p->left->data, row, count, made);
        a = made;
        lda = k;
      }
      multiply_rows (p, count, a, lda, column, MIN (p->b->n, column + p->columns),
                     p->c + row * p->ldc);
    }
  }
}

/* How long the workers take, at most, when strips and panels are cut into so many blocks. */
static guint
time_of (const Product *p, guint strips, guint panels, guint n_rows, guint n_columns,
         guint n_workers)
{
  guint rows = (strips + n_rows - 1) / n_rows, columns = (panels + n_columns - 1) / n_columns;
  guint n_blocks = ((strips + rows - 1) / rows) * ((panels + columns - 1) / columns);
  guint making = p->left->make != NULL ? MAKING : 0;
  guint reading = p->b->n * p->b->k > MANY_BYTES / sizeof (float) ? READING_MANY : READING;

  return (n_blocks + n_workers - 1) / n_workers *
         (rows * columns * PRODUCT + rows * making + columns * reading);
}

/* Blocks that keep all workers busy till the end; some more than there are workers, as these are
 * not always equally fast. */
static void
choose_blocks (Product *p, gsize n_workers)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();
  guint height = (guint) strip_height (p->m), workers = (guint) n_workers, best = G_MAXUINT;
  guint strips = (guint) MIN (pt_div_up (p->m, height), MAX_CUT);
  guint panels = (guint) MIN (pt_div_up (p->b->n, kernels->nr), MAX_CUT);
  guint rows = 1, columns = 1;

  for (guint pieces = PIECES * workers; workers > 1 && pieces >= workers; pieces -= workers)
    for (guint n = 1; n <= pieces; n *= 2)
      for (guint turn = 0; turn < 2; turn++) {
        guint other = (pieces + n - 1) / n, r = MIN (turn == 0 ? n : other, strips);
        guint c = MIN (turn == 0 ? other : n, panels);
        guint time = time_of (p, strips, panels, r, c, workers);

        if (time < best) {
          best = time;
          rows = r;
          columns = c;
        }
      }
  p->rows = pt_div_up (pt_div_up (p->m, height), rows) * height;
  p->columns = pt_div_up (pt_div_up (p->b->n, kernels->nr), columns) * kernels->nr;
  p->n_column_blocks = pt_div_up (p->b->n, p->columns);
}

void
pt_gemm_f32_packed (PtPool *pool, gsize m, const PtLeftRows *left, const PtPackedF32 *b,
                    const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = {
    .left = left, .b = b, .epilogue = *epilogue, .c = c, .ldc = ldc, .m = m, .pool = pool
  };
  gsize n_workers = pt_pool_n_workers (pool);

  if (m == 0 || b->n == 0)
    return;
  if (n_workers == 1 || (double) m * (double) b->n * (double) b->k < WORK_INLINE)
    n_workers = 1;
  choose_blocks (&p, n_workers);
  pt_pool_run_shares (pool, pt_div_up (m, p.rows) * p.n_column_blocks,
                      n_workers == 1 ? G_MAXSIZE : 1, NULL, product_task, &p);
}

void
pt_gemm_f32_packed_serial (gsize m, const float *a, gsize lda, const PtPackedF32 *b,
                           const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = { .b = b, .epilogue = *epilogue, .ldc = ldc };

  multiply_rows (&p, m, a, lda, 0, b->n, c);
}
