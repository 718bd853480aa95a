/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/packed-f32.h"

#include <math.h>

#include "engine/kernels/kernel-tables.h"

/*
 * Depth that is multiplied at a time. Each further piece of the depth reads and writes the sums
 * again.
 */
#define DEPTH 512
/*
 * Bytes of rows that are multiplied with all panels before the next rows. Rows that a function
 * makes take the same space in the scratch.
 */
#define ROWS_BYTES (PT_POOL_SCRATCH / 2)
/* Products below this many multiplications are not worth a second thread. */
#define WORK_INLINE (64 * 1024)
/* Most pieces for each worker. */
#define PIECES 4
/* Most strips and panels for which the division is computed; with more, blocks are nearly equal. */
#define MAX_CUT 4096
/*
 * Costs for choosing the division, in one unit: multiplying a strip with a panel; fetching a strip
 * from the cache of the worker that wrote it, or making one; reading a panel from the shared cache,
 * or from memory when the panels are large.
 */
#define PRODUCT 4
#define FETCHING 10
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

gsize
pt_packed_f32_width (gsize n)
{
  gsize nr = pt_f32_kernels ()->nr;

  return pt_div_up (n, nr) * nr;
}

PtPackedF32
pt_packed_f32_part (const PtPackedF32 *packed, gsize column, gsize n)
{
  return (PtPackedF32){ MIN (n, packed->n - column), packed->k,
                        packed->panels + column * packed->k };
}

typedef struct {
  const PtLeftRows *left;
  const gsize *offsets; /* offsets of the numbers of a row; NULL: contiguous */
  const PtPackedF32 *b;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
  gsize m, rows, columns, n_column_blocks;
  PtPool *pool;
} Product;

/* The height of the strips of @rows rows, which is nearly equal for all. */
static gsize
strip_height (gsize rows)
{
  gsize mr = pt_f32_kernels ()->mr;

  return rows <= mr ? MAX (rows, 1) : pt_div_up (rows, pt_div_up (rows, mr));
}

/* Multiplies rows a[count, k] with the panel from @column on, in strips of @height rows. */
static void
multiply_panel (const Product *p, gsize count, gsize height, const float *a, gsize lda,
                gsize column, float *c)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();
  gsize k = p->b->k, n = MIN (kernels->nr, p->b->n - column), k0 = 0;
  const float *panel = p->b->panels + column * k;

  do {
    gsize depth = MIN (DEPTH, k - k0);
    gboolean last = k0 + depth == k;
    PtTileEnds ends = {
      .bias = p->epilogue.bias != NULL ? p->epilogue.bias + column : NULL,
      .accumulate = k0 > 0,
      .min = last ? p->epilogue.min : -INFINITY,
      .max = last ? p->epilogue.max : INFINITY,
      .ahead = panel + (k0 + depth) * kernels->nr,
      .ahead_step = kernels->nr / pt_div_up (count, height),
      .offsets = p->offsets != NULL ? p->offsets + k0 : NULL,
    };
    const float *from = p->offsets != NULL ? a : a + k0;

    for (gsize row = 0; row < count; row += height) {
      kernels->tile (MIN (height, count - row), n, depth, from + row * lda, lda,
                     panel + k0 * kernels->nr, kernels->nr, &ends, c + row * p->ldc + column,
                     p->ldc);
      ends.ahead += depth * ends.ahead_step;
    }
    k0 += depth;
  } while (k0 < k);
}

/* Multiplies rows a[count, k] with columns [begin, end). @c: the first row of the result. */
static void
multiply_rows (const Product *p, gsize count, const float *a, gsize lda, gsize begin, gsize end,
               float *c)
{
  const PtF32Kernels *kernels = pt_f32_kernels ();

  for (gsize column = begin; column < end; column += kernels->nr) {
    gboolean is_narrow = p->b->n - column <= kernels->narrow_n;
    gsize tall = is_narrow ? count - count % kernels->narrow_m : 0, rest = count - tall;

    if (tall > 0)
      multiply_panel (p, tall, kernels->narrow_m, a, lda, column, c);
    if (rest > 0)
      multiply_panel (p, rest, strip_height (rest), a + tall * lda, lda, column, c + tall * p->ldc);
  }
}

/* The number of rows that stay in the L2 cache while they are multiplied with all panels. */
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

/* The size of a product in tiles. */
typedef struct {
  guint strips, panels, workers, per_strip, per_panel;
} Units;

/* The longest time of a worker when strips and panels are divided into this many blocks. */
static guint
time_of (const Units *u, guint n_rows, guint n_columns)
{
  guint rows = (u->strips + n_rows - 1) / n_rows, columns = (u->panels + n_columns - 1) / n_columns;
  guint n_blocks = ((u->strips + rows - 1) / rows) * ((u->panels + columns - 1) / columns);

  return (n_blocks + u->workers - 1) / u->workers *
         (rows * columns * PRODUCT + rows * u->per_strip + columns * u->per_panel);
}

/*
 * Chooses blocks that keep all workers busy to the end; somewhat more blocks than workers, because
 * workers are not equally fast.
 */
PtCut
pt_packed_f32_cut (const PtPool *pool, gsize m, const PtPackedF32 *b, gboolean is_made)
{
  gsize nr = pt_f32_kernels ()->nr, n_panels = MAX (pt_div_up (b->n, nr), 1);
  gsize n_strips = MAX (pt_div_up (m, strip_height (m)), 1);
  gboolean is_small = (double) m * (double) b->n * (double) b->k < WORK_INLINE;
  Units u = { .strips = (guint) MIN (n_strips, MAX_CUT),
              .panels = (guint) MIN (n_panels, MAX_CUT),
              .workers = is_small ? 1 : pt_pool_n_workers (pool),
              .per_strip = FETCHING + (is_made ? MAKING : 0),
              .per_panel = b->n * b->k > MANY_BYTES / sizeof (float) ? READING_MANY : READING };
  guint best = G_MAXUINT, rows = 1, columns = 1;

  for (guint pieces = PIECES * u.workers; u.workers > 1 && pieces >= u.workers; pieces -= u.workers)
    for (guint n = 1; n <= pieces; n *= 2)
      for (guint turn = 0; turn < 2; turn++) {
        guint other = (pieces + n - 1) / n, r = MIN (turn == 0 ? n : other, u.strips);
        guint c = MIN (turn == 0 ? other : n, u.panels), time = time_of (&u, r, c);

        if (time < best) {
          best = time;
          rows = r;
          columns = c;
        }
      }
  /* Blocks have whole strips at first. Then the rows are divided evenly among the blocks. */
  rows = (guint) pt_div_up (n_strips, pt_div_up (n_strips, rows));
  return (PtCut){ pt_div_up (MAX (m, 1), rows), pt_div_up (n_panels, columns) * nr };
}

void
pt_gemm_f32_packed (PtPool *pool, gsize m, const PtLeftRows *left, const PtPackedF32 *b,
                    const PtCut *cut, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = { .left = left,
                .b = b,
                .epilogue = *epilogue,
                .c = c,
                .ldc = ldc,
                .m = m,
                .rows = cut->rows,
                .columns = cut->columns,
                .n_column_blocks = pt_div_up (b->n, cut->columns),
                .pool = pool };

  if (m > 0 && b->n > 0)
    pt_pool_run_shares (pool, pt_div_up (m, p.rows) * p.n_column_blocks, 1, NULL, product_task, &p);
}

void
pt_gemm_f32_packed_serial (gsize m, const float *a, gsize lda, const PtPackedF32 *b,
                           const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = { .b = b, .epilogue = *epilogue, .ldc = ldc };

  multiply_rows (&p, m, a, lda, 0, b->n, c);
}

void
pt_gemm_f32_packed_taps (gsize m, const float *a, gsize lda, const gsize *offsets,
                         const PtPackedF32 *b, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = { .offsets = offsets, .b = b, .epilogue = *epilogue, .ldc = ldc };

  multiply_rows (&p, m, a, lda, 0, b->n, c);
}
