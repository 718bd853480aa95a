/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm-blocks.h"

#include <math.h>

#include "engine/kernels/kernel-tables.h"

/* Bytes of packed panels that stay in the L2 cache while strips are multiplied with them. */
#define PANELS_BYTES (384 * 1024)

/* Multiplications in a piece of the loop. */
#define PIECE_PRODUCTS (2 * 1024 * 1024)
/*
 * Most multiplications in a block, which take some milliseconds. Between blocks the loop checks for
 * a stop.
 */
#define MOST_PRODUCTS (256.0 * 1024 * 1024)

/* So many rows of a tile take as long as packing its weights. */
#define PACKING_ROWS 32

/* Least blocks for each of several workers. */
#define BLOCKS_PER_WORKER 3

/*
 * The time of a loop over the blocks, in rows of one panel. A worker has blocks that follow each
 * other, so that it fetches few rows of x, which others have made.
 */
static double
loop_time (const PtBlocks *blocks, const PtBlockedProduct *p, guint n_workers)
{
  gsize rows = blocks->rows, panels = blocks->columns / p->nr + p->repacks_rows;
  gsize share = pt_div_up (blocks->n_blocks, n_workers);
  gsize fetched =
      rows * (pt_div_up (share, blocks->n_column_blocks) + (blocks->n_column_blocks % share != 0));

  return (double) (share * panels * (rows + PACKING_ROWS) + MIN (fetched, p->m));
}

/* Blocks of about 1 / @n of the rows, and of @panels panels. */
static PtBlocks
divide (const PtBlockedProduct *p, gsize n, gsize panels)
{
  PtBlocks blocks = { .m = p->m, .n = p->n, .columns = panels * p->nr };

  blocks.rows = pt_div_up (pt_div_up (p->m, n), p->mr) * p->mr;
  blocks.n_column_blocks = pt_div_up (p->n, blocks.columns);
  blocks.n_blocks = pt_div_up (p->m, blocks.rows) * blocks.n_column_blocks;
  blocks.grain = MAX (1, PIECE_PRODUCTS / (blocks.rows * blocks.columns * p->k));
  return blocks;
}

PtBlocks
pt_blocks_choose (PtPool *pool, const PtBlockedProduct *p)
{
  guint n_workers = pt_pool_n_workers (pool);
  double work = (double) p->m * (double) p->n * (double) p->k, least = INFINITY;
  gsize wanted =
      MAX (n_workers > 1 ? BLOCKS_PER_WORKER * n_workers : 1, (gsize) (work / MOST_PRODUCTS));
  gsize n_panels = pt_div_up (p->n, p->nr);
  gsize panels = CLAMP (PANELS_BYTES / p->panel_size, 1, MIN (p->max_panels, n_panels));
  gsize most = MIN (pt_div_up (p->m, 4 * p->mr), MAX (n_workers, pt_div_up (wanted, n_panels)));
  PtBlocks best = divide (p, most, 1); /* the smallest, if there are too few of all others */

  for (; panels > 0; panels--)
    for (gsize n = 1; n <= most; n *= 2) {
      PtBlocks blocks = divide (p, n, panels);
      double time = loop_time (&blocks, p, n_workers);

      if (blocks.n_column_blocks * n >= wanted && time < least) {
        least = time;
        best = blocks;
      }
    }
  return best;
}

PtBlock
pt_blocks_at (const PtBlocks *blocks, gsize i)
{
  gsize row = i / blocks->n_column_blocks * blocks->rows;
  gsize column = i % blocks->n_column_blocks * blocks->columns;

  return (PtBlock){ row, MIN (blocks->rows, blocks->m - row), column,
                    MIN (blocks->columns, blocks->n - column) };
}
