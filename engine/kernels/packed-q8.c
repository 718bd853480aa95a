/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/packed-q8.h"

#include "engine/kernels/kernel-tables.h"

/* Bytes of prepared rows that are multiplied with all panels before the next rows. */
#define ROWS_BYTES (PT_POOL_SCRATCH / 4)
/* Products below this many multiplications are not worth a second thread. */
#define WORK_INLINE (256 * 1024)
/* Pieces for each worker, because workers are not equally fast. */
#define PIECES 4

/* Kernels for the block whose first channel is @left channels before the end. */
static const PtQ8Kernels *
block_kernels (gsize left)
{
  const PtQ8Kernels *half = pt_q8_half_kernels ();

  return half != NULL && left <= half->channels ? half : pt_q8_kernels ();
}

gsize
pt_packed_q8_size (gsize n, gsize runs, gsize k)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize panels, size;

  /* A strip of prepared rows must fit the scratch. */
  if (kernels == NULL || n == 0 || k == 0 || k > PT_POOL_SCRATCH / 4 / (2 * kernels->mr) ||
      runs == 0 || runs > PT_PACKED_Q8_MAX_RUNS)
    return 0;
  panels = pt_div_up (n, kernels->nr);
  size = kernels->panel_size (runs, k);
  return panels > G_MAXSSIZE / size ? 0 : panels * size;
}

typedef struct {
  const PtWeightsQs8 *weights;
  const PtPackedQ8 *packed;
} Packing;

static void
pack_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Packing *job = data;
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize n = job->packed->n, runs = job->packed->runs, k = job->packed->k;

  for (gsize i = begin; i < end; i++)
    pt_q8_panel_kernels (n - i * kernels->nr)
        ->pack (MIN (kernels->nr, n - i * kernels->nr), runs, k, job->weights, i * kernels->nr,
                job->packed->panels + i * kernels->panel_size (runs, k));
}

void
pt_pack_q8 (PtPool *pool, const PtWeightsQs8 *weights, PtPackedQ8 *packed)
{
  Packing job = { weights, packed };

  packed->x_zero = weights->x_zero;
  packed->y_zero = weights->y_zero;
  packed->y_min = weights->y_min;
  packed->y_max = weights->y_max;
  pt_pool_run (pool, pt_div_up (packed->n, pt_q8_kernels ()->nr), 1, pack_task, &job);
}

typedef struct {
  PtPool *pool;
  const gint8 *x;
  gsize ldx;
  const PtPackedQ8 *packed;
  gint8 *y;
  gsize ldy;
  gsize m, rows, panels, n_column_blocks;
} Product;

/* Prepares @count rows of the left factor from @row on, in the scratch of a worker. */
static const guint8 *
prepare_rows (const Product *p, gsize row, gsize count, guint worker)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  guint8 *rows = pt_pool_scratch (p->pool, worker);
  gsize k = p->packed->k, size = kernels->row_size (k);

  for (gsize i = 0; i < count; i++)
    kernels->prepare_row (k, p->x + (row + i) * p->ldx, rows + i * size);
  return rows;
}

/* Multiplies @count prepared rows with the panels [begin, end). @y: the first row of the result. */
static void
multiply_rows (const Product *p, const guint8 *rows, gsize count, gsize begin, gsize end, gint8 *y)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize n = p->packed->n, k = p->packed->k, size = kernels->row_size (k);
  gsize height = pt_div_up (count, pt_div_up (count, kernels->mr));
  PtQ8Ends ends = { p->packed->y_zero, p->packed->y_min, p->packed->y_max };
  const gsize begin_of_run = 0;

  for (gsize panel = begin; panel < end; panel++) {
    gsize column = panel * kernels->nr, here = MIN (kernels->nr, n - column);
    const PtQ8Kernels *own = pt_q8_panel_kernels (n - column);

    for (gsize row = 0; row < count; row += height)
      own->tile (MIN (height, count - row), here, 1, &begin_of_run, k, rows + row * size, size,
                 p->packed->panels + panel * kernels->panel_size (1, k), &ends,
                 y + row * p->ldy + column, p->ldy);
  }
}

static void
product_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Product *p = data;
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize n_panels = pt_div_up (p->packed->n, kernels->nr);
  gsize chunk =
      MAX (ROWS_BYTES / (2 * kernels->row_size (p->packed->k)) / kernels->mr, 1) * kernels->mr;

  for (gsize i = begin; i < end; i++) {
    gsize row = i / p->n_column_blocks * p->rows, stop = MIN (p->m, row + p->rows);
    gsize panel = i % p->n_column_blocks * p->panels;

    for (; row < stop; row += chunk) {
      gsize count = MIN (chunk, stop - row);

      multiply_rows (p, prepare_rows (p, row, count, worker), count, panel,
                     MIN (n_panels, panel + p->panels), p->y + row * p->ldy);
    }
  }
}

/* Chooses enough blocks that all workers finish together; rows are divided before columns. */
static void
choose_blocks (Product *p)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize n_strips = pt_div_up (p->m, kernels->mr), n_panels = pt_div_up (p->packed->n, kernels->nr);
  gboolean is_small = (double) p->m * (double) p->packed->n * (double) p->packed->k < WORK_INLINE;
  guint n_workers = is_small ? 1 : pt_pool_n_workers (p->pool);
  gsize wanted = n_workers > 1 ? PIECES * (gsize) n_workers : 1;
  gsize rows = MIN (wanted, n_strips);

  p->rows = pt_div_up (n_strips, rows) * kernels->mr;
  p->panels = pt_div_up (n_panels, MIN (pt_div_up (wanted, rows), n_panels));
  p->n_column_blocks = pt_div_up (n_panels, p->panels);
}

void
pt_gemm_q8_packed (PtPool *pool, gsize m, const gint8 *x, gsize ldx, const PtPackedQ8 *packed,
                   gint8 *y, gsize ldy)
{
  Product p = { .pool = pool, .x = x, .ldx = ldx, .packed = packed, .y = y, .ldy = ldy, .m = m };

  if (m == 0)
    return;
  choose_blocks (&p);
  pt_pool_run_shares (pool, pt_div_up (m, p.rows) * p.n_column_blocks, 1, NULL, product_task, &p);
}

gsize
pt_packed_depthwise_q8_size (gsize channels, gsize rows, gsize columns)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize blocks, size;

  if (kernels == NULL || rows > PT_DEPTHWISE_Q8_MAX_ROWS || columns > PT_DEPTHWISE_Q8_MAX_SPAN)
    return 0;
  blocks = pt_div_up (channels, kernels->channels);
  size = kernels->block_size (rows, columns);
  return blocks > G_MAXSSIZE / size ? 0 : blocks * size;
}

void
pt_pack_depthwise_q8 (const PtWeightsQs8 *weights, PtPackedDepthwiseQ8 *packed)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  guint8 *block = packed->blocks;
  gsize size = kernels->block_size (packed->rows, packed->columns);

  packed->x_zero = weights->x_zero;
  packed->y_zero = weights->y_zero;
  packed->y_min = weights->y_min;
  packed->y_max = weights->y_max;
  for (gsize c = 0; c < packed->channels; c += kernels->channels, block += size)
    block_kernels (packed->channels - c)
        ->pack_block (weights, packed->channels, c, packed->rows, packed->columns, block);
}

void
pt_depthwise_q8 (const PtDepthwiseQ8 *d, gsize n, gpointer scratch)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  gsize last = (f->channels - 1) / kernels->channels * kernels->channels;
  const guint8 *blocks = f->blocks;
  const PtQ8Kernels *own = block_kernels (f->channels - last);

  kernels->depthwise (d, n, 0, last, blocks, scratch);
  own->depthwise (d, n, last, f->channels,
                  blocks + last / kernels->channels * kernels->block_size (f->rows, f->columns),
                  scratch);
}
