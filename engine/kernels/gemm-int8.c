/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm.h"

#include <math.h>

#include "engine/kernels/cpu.h"
#include "engine/kernels/gemm-blocks.h"
#include "engine/kernels/gemm-int8.h"
#include "engine/kernels/kernel-tables.h"

/*
 * Bytes of weights in a piece of a loop, which take far longer than giving the piece to a worker
 * (about 1 us). Up to INLINE_BYTES the caller does the whole loop.
 */
#define PIECE_BYTES (32 * 1024)
#define INLINE_BYTES (24 * 1024)

/* With fewer rows the weights are read in place, row by row; with more, packing is faster. */
#define MIN_TILE_ROWS 16

/* Most rows of x whose sums fit into the scratch. */
#define MAX_BLOCK_ROWS 4096

/* Panels that are packed at a time, at most. */
#define MAX_PANELS 8

gsize
pt_int8_row_grain (PtPool *pool, gsize n, gsize row_bytes)
{
  gsize per_piece = MAX (1, PIECE_BYTES / MAX (row_bytes, 1));
  gsize per_worker = pt_div_up (n, 4 * (gsize) pt_pool_n_workers (pool));
  gsize grain = MIN (per_piece, per_worker);

  if (n <= INLINE_BYTES / MAX (row_bytes, 1))
    return n;
  return pt_div_up (MAX (grain, 1), 16) * 16;
}

/* Columns of weights whose sums fit on the stack. */
#define DOT_COLUMNS 128

/* The sums of weight rows [column, column + n), given or computed into @room. */
static const gint32 *
weight_sums (const PtInt8Kernels *kernels, const PtInt8Product *p, gsize column, gsize n,
             gint32 *room)
{
  if (p->row_sums)
    return p->row_sums + column;
  kernels->row_sums (n, p->k, p->weights + column * p->k, p->k, room);
  return room;
}

static void
dots_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtInt8Product *p = data;
  const PtInt8Kernels *kernels = pt_int8_kernels ();
  gint32 sums[PT_DOT_ROWS * DOT_COLUMNS], room[DOT_COLUMNS];

  for (gsize column = begin; column < end; column += DOT_COLUMNS) {
    gsize n = MIN (DOT_COLUMNS, end - column);
    const gint32 *row_sums = weight_sums (kernels, p, column, n, room);

    for (gsize row = 0; row < p->m; row += PT_DOT_ROWS) {
      gsize m = MIN (PT_DOT_ROWS, p->m - row);

      kernels->dot_rows (m, n, p->k, p->x + row * p->ldx, p->ldx, p->weights + column * p->k, p->k,
                         sums, DOT_COLUMNS);
      for (gsize i = 0; i < m; i++)
        p->finish (p, row + i, column, n, sums + i * DOT_COLUMNS, row_sums);
    }
  }
}

/*
 * Multiplies one row of x. The weights are read once, in order, at memory speed. Pieces are small,
 * because a worker takes several of its own at a time (worker-pool.c), and single ones at the end.
 */
#define STREAM_BYTES (4 * 1024)

PtWeightStream
pt_weight_stream (PtPool *pool, gconstpointer weights, gsize n, gsize row_bytes, gsize most)
{
  gsize grain = CLAMP (STREAM_BYTES / MAX (row_bytes, 1) / 8 * 8, 8, most);

  return (PtWeightStream){ pool, weights, n, row_bytes, grain };
}

void
pt_weight_stream_run (const PtWeightStream *stream, PtPoolTask task, gpointer data)
{
  PtStream memory = { stream->weights, stream->row_bytes };

  if (stream->n <= INLINE_BYTES / MAX (stream->row_bytes, 1))
    task (data, 0, stream->n, 0);
  else
    pt_pool_run_shares (stream->pool, stream->n, stream->grain, &memory, task, data);
}

/*
 * Returns the weights that are probably read next, to prefetch. In the worker's own share these are
 * the next columns. In another share, whose pieces are taken from the end, they are the columns
 * before. At the end they are what the next loop reads.
 */
gconstpointer
pt_weight_stream_next (const PtWeightStream *stream, gsize column, gsize n, guint worker)
{
  gsize bytes = n * stream->row_bytes, first, last, size;
  const guint8 *w = (const guint8 *) stream->weights + column * stream->row_bytes;
  gconstpointer upcoming;

  pt_pool_share (stream->pool, stream->n, stream->grain, worker, &first, &last);
  if (column < first || column >= last)
    return column >= n ? w - bytes : w;
  if (column + n < last)
    return w + bytes;
  upcoming = pt_pool_upcoming (stream->pool, worker, &size);
  return size >= bytes ? upcoming : w;
}

typedef struct {
  const PtInt8Product *product;
  PtWeightStream stream;
} Int8Stream;

static void
stream_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Int8Stream *self = data;
  const PtInt8Product *p = self->product;
  const PtInt8Kernels *kernels = pt_int8_kernels ();
  gint32 sums[DOT_COLUMNS], room[DOT_COLUMNS];

  for (gsize column = begin; column < end; column += DOT_COLUMNS) {
    gsize n = MIN (DOT_COLUMNS, end - column);

    pt_fetch (p->row_sums != NULL ? p->row_sums + column : NULL, n * sizeof *p->row_sums);
    pt_fetch (p->scales != NULL ? p->scales + column : NULL, n * sizeof *p->scales);
    kernels->stream_rows (n, p->k, p->x, p->weights + column * p->k,
                          pt_weight_stream_next (&self->stream, column, n, worker), sums);
    p->finish (p, 0, column, n, sums, weight_sums (kernels, p, column, n, room));
  }
}

static void
stream_weights (PtPool *pool, const PtInt8Product *p)
{
  Int8Stream self = { p, pt_weight_stream (pool, p->weights, p->n, p->k, DOT_COLUMNS) };

  pt_weight_stream_run (&self.stream, stream_task, &self);
}

typedef struct {
  const PtInt8Product *product;
  PtPool *pool;
  const PtInt8TileKernels *kernels;
  gsize first_row;
  gint32 *x_sums; /* of the rows from there on, in the first worker's scratch */
  PtBlocks blocks;
} Tiles;

/* Multiplies one strip of x, at most mr rows, with all packed panels of a block. */
static void
multiply_strip (const PtInt8TileKernels *kernels, const PtInt8Product *p, gsize row, gsize m,
                gsize column, gsize n, const gint32 *x_sums, const guint8 *panels,
                const gint32 *row_sums)
{
  gint32 sums[PT_MAX_MR * MAX_PANELS * PT_MAX_NR];
  gsize ldsums = MAX_PANELS * kernels->nr;

  kernels->multiply (m, p->k, p->x + row * p->ldx, p->ldx, x_sums, pt_div_up (n, kernels->nr),
                     panels, sums, ldsums);
  for (gsize i = 0; i < m; i++)
    p->finish (p, row + i, column, n, sums + i * ldsums, row_sums);
}

static void
multiply_block (const Tiles *tiles, const PtBlock *block, guint8 *panels)
{
  const PtInt8TileKernels *kernels = tiles->kernels;
  const PtInt8Product *p = tiles->product;
  gint32 room[MAX_PANELS * PT_MAX_NR];
  const gint32 *row_sums = weight_sums (pt_int8_kernels (), p, block->column, block->n, room);

  for (gsize j = 0; j < block->n; j += kernels->nr)
    kernels->pack (MIN (kernels->nr, block->n - j), p->k, p->weights + (block->column + j) * p->k,
                   p->k, panels + j / kernels->nr * kernels->panel_size (p->k));
  for (gsize i = 0; i < block->m; i += kernels->mr)
    multiply_strip (kernels, p, tiles->first_row + block->row + i, MIN (kernels->mr, block->m - i),
                    block->column, block->n, tiles->x_sums + block->row + i, panels, row_sums);
}

/* Item: a block, whose weights are packed into the scratch of the worker. */
static void
tiles_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Tiles *tiles = data;
  gint32 *scratch = pt_pool_scratch (tiles->pool, worker);

  for (gsize item = begin; item < end; item++) {
    PtBlock block = pt_blocks_at (&tiles->blocks, item);

    multiply_block (tiles, &block, (guint8 *) (scratch + MAX_BLOCK_ROWS));
  }
}

/* Multiplies @m rows of x from @row on. */
static void
run_tiles (PtPool *pool, const PtInt8TileKernels *kernels, const PtInt8Product *p, gsize row,
           gsize m)
{
  PtBlockedProduct product = {
    .m = m,
    .n = p->n,
    .k = p->k,
    .mr = kernels->mr,
    .nr = kernels->nr,
    .panel_size = kernels->panel_size (p->k),
    .max_panels = MAX_PANELS,
  };
  Tiles tiles = {
    p, pool, kernels, row, pt_pool_scratch (pool, 0), pt_blocks_choose (pool, &product)
  };

  pt_row_sums_i8 (pool, m, p->k, p->x + row * p->ldx, p->ldx, tiles.x_sums);
  pt_pool_run (pool, tiles.blocks.n_blocks, tiles.blocks.grain, tiles_task, &tiles);
}

void
pt_int8_multiply (PtPool *pool, const PtInt8Product *p)
{
  const PtInt8TileKernels *tiles = pt_int8_tile_kernels ();
  gsize room = PT_POOL_SCRATCH - MAX_BLOCK_ROWS * sizeof (gint32);

  if (p->m == 0 || p->n == 0)
    return;
  if (p->m >= MIN_TILE_ROWS && p->k > 0 && tiles != NULL && tiles->panel_size (p->k) <= room)
    for (gsize row = 0; row < p->m; row += MAX_BLOCK_ROWS)
      run_tiles (pool, tiles, p, row, MIN (MAX_BLOCK_ROWS, p->m - row));
  else if (p->m == 1)
    stream_weights (pool, p);
  else
    pt_pool_run (pool, p->n, pt_int8_row_grain (pool, p->n, p->k), dots_task, (gpointer) p);
}

void
pt_dot_i8 (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
           gint32 *sums, gsize ldsums)
{
  for (gsize row = 0; row < m; row += PT_DOT_ROWS)
    pt_int8_kernels ()->dot_rows (MIN (PT_DOT_ROWS, m - row), n, k, x + row * ldx, ldx, w, ldw,
                                  sums + row * ldsums, ldsums);
}

/* 8-bit weights, dynamically quantised activations */

typedef struct {
  PtInt8Product product;
  const PtQuantizedRows *x;
  const PtWeightsQc8 *w;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
} Qd8Product;

static void
finish_qd8 (const PtInt8Product *product, gsize row, gsize column, gsize n, const gint32 *sums,
            const gint32 *row_sums)
{
  const Qd8Product *p = (const Qd8Product *) product;
  PtQd8Ends ends = {
    .zero = p->x->zero[row],
    .scale = p->x->scale[row],
    .row_sums = row_sums,
    .scales = p->w->scales + column,
    .bias = p->epilogue.bias ? p->epilogue.bias + column : NULL,
    .min = p->epilogue.min,
    .max = p->epilogue.max,
  };

  pt_vector_kernels ()->finish_qd8 (n, sums, &ends, p->c + row * p->ldc + column);
}

void
pt_gemm_qd8_qc8 (PtPool *pool, gsize m, gsize n, gsize k, const PtQuantizedRows *x,
                 const PtWeightsQc8 *w, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Qd8Product p = {
    .product = { m, n, k, x->q, x->stride, w->weights, w->row_sums, w->scales, finish_qd8 },
    .x = x,
    .w = w,
    .epilogue = epilogue ? *epilogue : (PtEpilogue){ NULL, -INFINITY, INFINITY },
    .c = c,
    .ldc = ldc,
  };

  pt_int8_multiply (pool, &p.product);
}

/* 8-bit weights, static 8-bit activations */

typedef struct {
  PtInt8Product product;
  const PtWeightsQs8 *w;
  gint8 *y;
  gsize ldy;
} Qs8Product;

/* Most columns whose sums are finished at a time. */
#define MAX_FINISH (MAX_PANELS * PT_MAX_NR)
G_STATIC_ASSERT (DOT_COLUMNS <= MAX_FINISH);

/* Subtracts the contribution of the weights' zero point from the sums of a row. */
static void
subtract_zero (const PtInt8Product *product, const PtWeightsQs8 *w, gsize row, gsize n,
               const gint32 *sums, gint32 *out)
{
  guint32 part;
  gint32 x_sum;

  pt_int8_kernels ()->row_sums (1, product->k, product->x + row * product->ldx, product->ldx,
                                &x_sum);
  part = (guint32) w->w_zero * ((guint32) x_sum - (guint32) product->k * (guint32) w->x_zero);
  for (gsize i = 0; i < n; i++)
    out[i] = (gint32) ((guint32) sums[i] - part);
}

static void
finish_qs8 (const PtInt8Product *product, gsize row, gsize column, gsize n, const gint32 *sums,
            const gint32 *row_sums)
{
  const Qs8Product *p = (const Qs8Product *) product;
  const PtWeightsQs8 *w = p->w;
  gint32 room[MAX_FINISH];
  PtQs8Ends ends = {
    .x_zero = w->x_zero,
    .y_zero = w->y_zero,
    .row_sums = row_sums,
    .bias = w->bias ? w->bias + column : NULL,
    .scale = w->scale + column,
    .y_min = w->y_min,
    .y_max = w->y_max,
  };

  if (w->w_zero != 0) {
    subtract_zero (product, w, row, n, sums, room);
    sums = room;
  }
  pt_vector_kernels ()->finish_qs8 (n, sums, &ends, p->y + row * p->ldy + column);
}

void
pt_gemm_qs8 (PtPool *pool, gsize m, gsize n, gsize k, const gint8 *x, gsize ldx,
             const PtWeightsQs8 *w, gint8 *y, gsize ldy)
{
  Qs8Product p = {
    .product = { m, n, k, x, ldx, w->weights, NULL, w->scale, finish_qs8 },
    .w = w,
    .y = y,
    .ldy = ldy,
  };

  pt_int8_multiply (pool, &p.product);
}

/* Row sums and quantisation. */

typedef struct {
  gsize k, ldx;
  const gint8 *bytes;
  gint32 *sums;
  const float *x;
  const PtQuantizedRows *out;
} Rows;

static void
row_sums_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Rows *rows = data;

  pt_int8_kernels ()->row_sums (end - begin, rows->k, rows->bytes + begin * rows->ldx, rows->ldx,
                                rows->sums + begin);
}

void
pt_row_sums_i8 (PtPool *pool, gsize n, gsize k, const gint8 *x, gsize ldx, gint32 *sums)
{
  Rows rows = { .k = k, .ldx = ldx, .bytes = x, .sums = sums };

  pt_pool_run (pool, n, pt_int8_row_grain (pool, n, k), row_sums_task, &rows);
}

static void
quantize_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Rows *rows = data;
  const PtQuantizedRows *out = rows->out;

  for (gsize i = begin; i < end; i++)
    pt_vector_kernels ()->quantize_row (rows->k, rows->x + i * rows->ldx, out->q + i * out->stride,
                                        out->stride, &out->scale[i], &out->zero[i]);
}

void
pt_quantize_rows (PtPool *pool, gsize rows, gsize k, const float *x, gsize ldx,
                  PtQuantizedRows *out)
{
  Rows data = { .k = k, .ldx = ldx, .x = x, .out = out };

  pt_pool_run (pool, rows, MAX (1, PIECE_BYTES / (sizeof (float) * MAX (k, 1))), quantize_task,
               &data);
}
