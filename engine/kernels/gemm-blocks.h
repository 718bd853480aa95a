/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/*
 * How products of many rows are divided among workers: into blocks of rows and columns. The weights
 * of a block are packed into panels once and multiplied with all of its rows, strip by strip. For
 * files of engine/kernels only.
 */

typedef struct {
  gsize m, n, k;
  gsize mr, nr;          /* rows of a strip, columns of a panel */
  gsize panel_size;      /* bytes of the part of a panel that is packed at a time */
  gsize max_panels;      /* the most panels in a block */
  gboolean repacks_rows; /* each block reorders its rows of x, as long as a panel takes */
} PtBlockedProduct;

typedef struct {
  gsize m, n;          /* of the product */
  gsize rows, columns; /* of a block; fewer at the ends */
  gsize n_column_blocks, n_blocks;
  gsize grain; /* blocks of a piece of the loop */
} PtBlocks;

typedef struct {
  gsize row, m;    /* first row, and number of rows */
  gsize column, n; /* the same of columns */
} PtBlock;

/** The blocks with which the workers of @pool finish soonest. No size may be 0. */
PtBlocks pt_blocks_choose (PtPool *pool, const PtBlockedProduct *product);

/** The block of this number: blocks that follow each other have the same rows. */
PtBlock pt_blocks_at (const PtBlocks *blocks, gsize i);

G_END_DECLS
