/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm-q4.h"

#include "engine/kernels/gemm-blocks.h"
#include "engine/kernels/kernel-tables.h"

/*
 * Many rows times 4-bit weights with groups. Panels of columns are unpacked once, in the order in
 * which the tiles read them, and multiplied with all rows.
 */

/* Bytes of the first worker's scratch for the start values of sums. */
#define STARTS_BYTES (PT_POOL_SCRATCH / 2)
/* Rows in a piece of the loop that computes start values. */
#define START_ROWS 16
/* The most panels that are packed at a time. */
#define MAX_PANELS 16

typedef struct {
  const PtQ4Product *p;
  PtPool *pool;
  const PtQ4TileKernels *kernels;
  gsize n_groups, depth;   /* depth in whole groups */
  gsize first_row, n_rows; /* rows of x whose start values are known */
  PtBlocks blocks;
} Tiles;

/* [n_rows, n_groups]: start values */
static gint32 *
starts_of (const Tiles *tiles)
{
  return pt_pool_scratch (tiles->pool, 0);
}

static void
starts_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Tiles *tiles = data;
  const PtQ4Product *p = tiles->p;

  for (gsize i = begin; i < end; i++) {
    gsize row = tiles->first_row + i;

    tiles->kernels->starts (tiles->n_groups, p->w->group, p->x->q + row * p->x->stride,
                            p->x->zero[row], starts_of (tiles) + i * tiles->n_groups);
  }
}

/* Multiplies weights [k0, k0 + depth) of a block with its rows, whose start values are known. */
static void
multiply_panels (const Tiles *tiles, const PtBlock *block, gsize k0, gsize depth,
                 gconstpointer panels)
{
  const PtQ4Product *p = tiles->p;
  gsize mr = tiles->kernels->mr, group = p->w->group;
  PtQ4TileEnds ends = {
    .accumulate = k0 > 0,
    .finish = k0 + depth == p->k,
    .bias = p->epilogue.bias != NULL ? p->epilogue.bias + block->column : NULL,
    .min = p->epilogue.min,
    .max = p->epilogue.max,
  };

  for (gsize i = block->row; i < block->row + block->m; i += mr) {
    gsize at = tiles->first_row + i;
    PtQ4TileRows rows = {
      .x = p->x->q + at * p->x->stride + k0,
      .stride = p->x->stride,
      .zero = p->x->zero + at,
      .scale = p->x->scale + at,
      .starts = starts_of (tiles) + i * tiles->n_groups + k0 / group,
      .start_stride = tiles->n_groups,
    };

    tiles->kernels->multiply (MIN (mr, block->row + block->m - i), block->n, depth / group, group,
                              &rows, panels, &ends, p->c + at * p->ldc + block->column, p->ldc);
  }
}

static void
pack_panels (const Tiles *tiles, const PtBlock *block, gsize k0, gsize depth, guint8 *panels)
{
  const PtQ4Product *p = tiles->p;
  gsize nr = tiles->kernels->nr, size = tiles->kernels->panel_size (depth, p->w->group);

  for (gsize j = 0; j < block->n; j += nr) {
    gsize column = block->column + j;
    PtQ4Rows rows = { .k = p->k, .group = p->w->group };

    rows.weights = p->w->weights + column * (p->k / 2) + k0 / 2;
    rows.scales = p->w->scales + column * tiles->n_groups + k0 / p->w->group;
    tiles->kernels->pack (MIN (nr, block->n - j), depth, &rows, panels + j / nr * size);
  }
}

/* Item: a block. */
static void
tiles_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Tiles *tiles = data;
  guint8 *panels = (guint8 *) pt_pool_scratch (tiles->pool, worker) + STARTS_BYTES;

  for (gsize item = begin; item < end; item++) {
    PtBlock block = pt_blocks_at (&tiles->blocks, item);

    for (gsize k0 = 0; k0 < tiles->p->k; k0 += tiles->depth) {
      gsize depth = MIN (tiles->depth, tiles->p->k - k0);

      pack_panels (tiles, &block, k0, depth, panels);
      multiply_panels (tiles, &block, k0, depth, panels);
    }
  }
}

/* Multiplies rows of x from tiles->first_row on, as many as have room for their start values. */
static void
run_tiles (Tiles *tiles)
{
  const PtQ4Product *p = tiles->p;
  const PtQ4TileKernels *kernels = tiles->kernels;
  PtBlockedProduct product = {
    .m = MIN (p->m - tiles->first_row, STARTS_BYTES / (tiles->n_groups * sizeof (gint32))),
    .n = p->n,
    .k = p->k,
    .mr = kernels->mr,
    .nr = kernels->nr,
    .panel_size = kernels->panel_size (tiles->depth, p->w->group),
    .max_panels = MAX_PANELS,
    .repacks_rows = kernels->repacks_rows,
  };

  tiles->n_rows = product.m;
  tiles->blocks = pt_blocks_choose (tiles->pool, &product);
  if (kernels->starts != NULL)
    pt_pool_run (tiles->pool, tiles->n_rows, START_ROWS, starts_task, tiles);
  pt_pool_run (tiles->pool, tiles->blocks.n_blocks, tiles->blocks.grain, tiles_task, tiles);
}

gboolean
pt_q4_multiply_groups (PtPool *pool, const PtQ4Product *p)
{
  gsize group = p->w->group;
  Tiles tiles = { .p = p, .pool = pool, .kernels = pt_q4_tile_kernels (group) };

  if (tiles.kernels == NULL)
    return FALSE;
  tiles.n_groups = p->k / group;
  tiles.depth = group * CLAMP (tiles.kernels->max_depth / group, 1, tiles.n_groups);
  if (tiles.kernels->panel_size (tiles.depth, group) > STARTS_BYTES ||
      tiles.n_groups * tiles.kernels->mr * sizeof (gint32) > STARTS_BYTES)
    return FALSE;
  for (; tiles.first_row < p->m; tiles.first_row += tiles.n_rows)
    run_tiles (&tiles);
  return TRUE;
}
