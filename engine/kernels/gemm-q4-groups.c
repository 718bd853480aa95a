/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm-q4.h"

#include "engine/kernels/kernel-tables.h"

/*
 * Many rows times 4-bit weights with groups. Panels of columns are unpacked once, in the order in
 * which the tiles read them, and multiplied with all rows.
 */

/* Maximum depth that is packed at a time. */
#define MAX_DEPTH 8192
/* Bytes of the first worker's scratch for the start values of sums. */
#define STARTS_BYTES (PT_POOL_SCRATCH / 2)
/* Multiplications in a piece. */
#define PIECE_PRODUCTS (1024 * 1024)
/* Rows in a piece of the loop that computes start values. */
#define START_ROWS 16

typedef struct {
  const PtQ4Product *p;
  PtPool *pool;
  const PtQ4TileKernels *kernels;
  gsize n_groups, depth;   /* depth in whole groups */
  gsize first_row, n_rows; /* rows of x whose start values are known */
  gsize rows;              /* rows of a block */
  gsize n_panels;
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

/*
 * Multiplies columns [k0, k0 + depth) of a panel with rows [row, row + m), whose start values are
 * known.
 */
static void
multiply_panel (const Tiles *tiles, gsize row, gsize m, gsize column, gsize n, gsize k0,
                gsize depth, gconstpointer panel)
{
  const PtQ4Product *p = tiles->p;
  gsize mr = tiles->kernels->mr;
  PtQ4TileEnds ends = {
    .accumulate = k0 > 0,
    .finish = k0 + depth == p->k,
    .bias = p->epilogue.bias != NULL ? p->epilogue.bias + column : NULL,
    .min = p->epilogue.min,
    .max = p->epilogue.max,
  };

  for (gsize i = row; i < row + m; i += mr) {
    gsize at = tiles->first_row + i;
    PtQ4TileRows rows = {
      .x = p->x->q + at * p->x->stride + k0,
      .stride = p->x->stride,
      .zero = p->x->zero + at,
      .scale = p->x->scale + at,
      .starts = starts_of (tiles) + i * tiles->n_groups + k0 / p->w->group,
      .start_stride = tiles->n_groups,
    };

    tiles->kernels->tile (MIN (mr, row + m - i), n, depth / p->w->group, p->w->group, &rows, panel,
                          &ends, p->c + at * p->ldc + column, p->ldc);
  }
}

/* Item: a panel of columns times a block of rows. */
static void
tiles_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Tiles *tiles = data;
  const PtQ4Product *p = tiles->p;
  guint8 *panel = (guint8 *) pt_pool_scratch (tiles->pool, worker) + STARTS_BYTES;

  for (gsize item = begin; item < end; item++) {
    gsize row = item / tiles->n_panels * tiles->rows;
    gsize column = item % tiles->n_panels * tiles->kernels->nr;
    gsize m = MIN (tiles->rows, tiles->n_rows - row), n = MIN (tiles->kernels->nr, p->n - column);

    for (gsize k0 = 0; k0 < p->k; k0 += tiles->depth) {
      gsize depth = MIN (tiles->depth, p->k - k0);
      PtQ4Rows rows = { .k = p->k, .group = p->w->group };

      rows.weights = p->w->weights + column * (p->k / 2) + k0 / 2;
      rows.scales = p->w->scales + column * tiles->n_groups + k0 / p->w->group;
      tiles->kernels->pack (n, depth, &rows, panel);
      multiply_panel (tiles, row, m, column, n, k0, depth, panel);
    }
  }
}

static void
run_tiles (Tiles *tiles)
{
  const PtQ4Product *p = tiles->p;
  gsize mr = tiles->kernels->mr, wanted = 4 * (gsize) pt_pool_n_workers (tiles->pool), n_blocks;

  tiles->n_rows = MIN (p->m - tiles->first_row, STARTS_BYTES / (tiles->n_groups * sizeof (gint32)));
  if (tiles->kernels->starts != NULL)
    pt_pool_run (tiles->pool, tiles->n_rows, START_ROWS, starts_task, tiles);
  n_blocks = MIN (pt_div_up (wanted, tiles->n_panels), pt_div_up (tiles->n_rows, 8 * mr));
  tiles->rows = pt_div_up (pt_div_up (tiles->n_rows, n_blocks), mr) * mr;
  pt_pool_run (tiles->pool, tiles->n_panels * pt_div_up (tiles->n_rows, tiles->rows),
               PIECE_PRODUCTS / (tiles->rows * tiles->kernels->nr * p->k), tiles_task, tiles);
}

gboolean
pt_q4_multiply_groups (PtPool *pool, const PtQ4Product *p)
{
  Tiles tiles = { .p = p, .pool = pool, .kernels = pt_q4_tile_kernels () };
  gsize group = p->w->group;

  if (tiles.kernels == NULL)
    return FALSE;
  tiles.n_groups = p->k / group;
  tiles.depth = group * CLAMP (MAX_DEPTH / group, 1, tiles.n_groups);
  if (group > MAX_DEPTH || tiles.kernels->panel_size (tiles.depth, group) > STARTS_BYTES ||
      tiles.n_groups * tiles.kernels->mr * sizeof (gint32) > STARTS_BYTES)
    return FALSE;
  tiles.n_panels = pt_div_up (p->n, tiles.kernels->nr);
  for (; tiles.first_row < p->m; tiles.first_row += tiles.n_rows)
    run_tiles (&tiles);
  return TRUE;
}
