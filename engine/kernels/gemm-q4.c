/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm-q4.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/gemm-blocks.h"
#include "engine/kernels/gemm-int8.h"
#include "engine/kernels/kernel-tables.h"

/* Rows of weights whose sums fit on the stack. */
#define DOT_COLUMNS 128

static PtQ4Rows
rows_from (const PtQ4Product *p, gsize column)
{
  PtQ4Rows rows = { .k = p->k, .group = p->w->group };

  rows.weights = p->w->weights + column * ((p->k + 1) / 2);
  if (rows.group > 0)
    rows.scales = p->w->scales + column * (p->k / rows.group);
  return rows;
}

/* c = acc * r + bias for one row; acc may be c. */
static void
finish_groups (const PtQ4Product *p, gsize row, gsize column, gsize n, const float *acc)
{
  float *c = p->c + row * p->ldc + column, r = p->x->scale[row];
  const float *bias = p->epilogue.bias ? p->epilogue.bias + column : NULL;

  for (gsize j = 0; j < n; j++) {
    float v = acc[j] * r;

    v = bias ? v + bias[j] : v;
    c[j] = pt_clamp_f32 (v, p->epilogue.min, p->epilogue.max);
  }
}

/* c = (d * r) * scale + bias for one row, d = sums - zero * row_sums */
static void
finish_channels (const PtQ4Product *p, gsize row, gsize column, gsize n, const gint32 *sums,
                 gint32 zero, const gint32 *row_sums)
{
  PtQd8Ends ends = {
    .zero = zero,
    .scale = p->x->scale[row],
    .row_sums = row_sums,
    .scales = p->w->scales_f32 + column,
    .bias = p->epilogue.bias ? p->epilogue.bias + column : NULL,
    .min = p->epilogue.min,
    .max = p->epilogue.max,
  };

  pt_vector_kernels ()->finish_qd8 (n, sums, &ends, p->c + row * p->ldc + column);
}

/* Few rows: the weights are read in place. */

typedef struct {
  const PtQ4Product *product;
  PtPool *pool;
  PtWeightStream stream;
  gsize first_row, n_rows; /* rows of x; each worker prepares them in its scratch */
  gsize prepared_stride;
  guint8 is_prepared[PT_POOL_MAX_WORKERS];
} Q4Stream;

/*
 * The rows of x, prepared in the scratch of @worker. The worker prepares them at its first piece.
 */
static const guint8 *
get_prepared (Q4Stream *self, guint worker)
{
  const PtQ4Product *p = self->product;
  guint8 *prepared = pt_pool_scratch (self->pool, worker);

  for (gsize i = 0; !self->is_prepared[worker] && i < self->n_rows; i++)
    pt_q4_kernels ()->prepare (p->k, p->x->q + (self->first_row + i) * p->x->stride,
                               p->x->zero[self->first_row + i],
                               prepared + i * self->prepared_stride);
  self->is_prepared[worker] = TRUE;
  return prepared;
}

/* Multiplies one row with some columns. @room: memory for the sums before they are finished. */
static void
multiply_row (const PtQ4Product *p, gsize row, const guint8 *prepared, gsize column, gsize n,
              const PtQ4Rows *rows)
{
  static const gint32 no_sums[DOT_COLUMNS] = { 0 };
  const PtQ4Kernels *kernels = pt_q4_kernels ();
  union {
    float acc[DOT_COLUMNS];
    gint32 sums[DOT_COLUMNS];
  } room;

  if (rows->group > 0) {
    kernels->dot_groups (n, prepared, rows, room.acc);
    finish_groups (p, row, column, n, room.acc);
  } else {
    kernels->dot (n, prepared, p->x->zero[row], rows, room.sums);
    finish_channels (p, row, column, n, room.sums, 0, no_sums);
  }
}

static void
dots_task (gpointer data, gsize begin, gsize end, guint worker)
{
  Q4Stream *self = data;
  const PtQ4Product *p = self->product;
  const guint8 *prepared = get_prepared (self, worker);

  for (gsize column = begin; column < end; column += DOT_COLUMNS) {
    gsize n = MIN (DOT_COLUMNS, end - column);
    PtQ4Rows rows = rows_from (p, column);

    rows.next = pt_weight_stream_next (&self->stream, column, n, worker);
    for (gsize i = 0; i < self->n_rows; i++)
      multiply_row (p, self->first_row + i, prepared + i * self->prepared_stride, column, n, &rows);
  }
}

/*
 * Multiplies as many rows at a time as fit into the scratch, usually all. For each pass the weights
 * are read once.
 */
static void
stream_weights (PtPool *pool, const PtQ4Product *p)
{
  gsize stride = pt_div_up (MAX (pt_q4_kernels ()->prepared_size (p->k), 1), 64) * 64;
  Q4Stream self = { p, pool,
                    pt_weight_stream (pool, p->w->weights, p->n, (p->k + 1) / 2, DOT_COLUMNS) };

  self.prepared_stride = stride;
  for (; self.first_row < p->m; self.first_row += self.n_rows) {
    self.n_rows = MIN (p->m - self.first_row, PT_POOL_SCRATCH / stride);
    memset (self.is_prepared, FALSE, sizeof self.is_prepared);
    pt_weight_stream_run (&self.stream, dots_task, &self);
  }
}

/*
 * Many rows, no groups: panels of weights are unpacked to bytes, then packed for the tiles of the
 * 8-bit products.
 */

/* The least number of rows for which unpacking pays. */
#define MIN_TILE_ROWS 10

#define X_SUMS_BYTES (PT_POOL_SCRATCH / 2)

typedef struct {
  const PtQ4Product *p;
  PtPool *pool;
  const PtInt8TileKernels *kernels;
  gsize first_row, n_rows; /* rows of x whose sums are known */
  PtBlocks blocks;         /* of one panel */
} Tiles;

/* The parts of a worker's scratch. */
typedef struct {
  const gint32 *x_sums; /* [n_rows]: sums of the rows of x, in the first worker's scratch */
  gint32 *row_sums;     /* [nr]: sums of the rows of weights */
  gint8 *bytes;         /* [nr, k]: unpacked weights */
  guint8 *panel;
} Room;

static Room
divide_scratch (const Tiles *tiles, guint worker)
{
  guint8 *scratch = pt_pool_scratch (tiles->pool, worker);
  gsize nr = tiles->kernels->nr;
  Room room;

  room.x_sums = pt_pool_scratch (tiles->pool, 0);
  room.row_sums = (gint32 *) (scratch + X_SUMS_BYTES);
  room.bytes = (gint8 *) (room.row_sums + nr);
  room.panel = (guint8 *) room.bytes + nr * (pt_div_up (tiles->p->k, 64) * 64);
  return room;
}

static gboolean
scratch_suffices (const Tiles *tiles)
{
  gsize nr = tiles->kernels->nr, k = tiles->p->k;

  return k <= PT_POOL_SCRATCH &&
         nr * 4 + nr * pt_div_up (k, 64) * 64 + tiles->kernels->panel_size (k) <=
             PT_POOL_SCRATCH - X_SUMS_BYTES;
}

/* Unpacks and packs @n rows of weights from @column on. */
static void
prepare_panel (const Tiles *tiles, gsize column, gsize n, const Room *room)
{
  const PtQ4Product *p = tiles->p;
  gsize row_bytes = (p->k + 1) / 2;

  for (gsize j = 0; j < n; j++)
    pt_q4_kernels ()->unpack (p->k, p->w->weights + (column + j) * row_bytes,
                              room->bytes + j * p->k);
  pt_int8_kernels ()->row_sums (n, p->k, room->bytes, p->k, room->row_sums);
  tiles->kernels->pack (n, p->k, room->bytes, p->k, room->panel);
}

static void
multiply_panel (const Tiles *tiles, gsize row, gsize m, gsize column, gsize n, const Room *room)
{
  const PtQ4Product *p = tiles->p;
  gsize mr = tiles->kernels->mr, nr = tiles->kernels->nr;
  gint32 sums[PT_MAX_MR * PT_MAX_NR];

  prepare_panel (tiles, column, n, room);
  for (gsize i = 0; i < m; i += mr) {
    gsize strip = MIN (mr, m - i);

    tiles->kernels->multiply (strip, p->k, p->x->q + (row + i) * p->x->stride, p->x->stride,
                              room->x_sums + row + i - tiles->first_row, 1, room->panel, sums, nr);
    for (gsize r = 0; r < strip; r++)
      finish_channels (p, row + i + r, column, n, sums + r * nr, p->x->zero[row + i + r],
                       room->row_sums);
  }
}

/* Item: a block. */
static void
tiles_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Tiles *tiles = data;
  Room room = divide_scratch (tiles, worker);

  for (gsize item = begin; item < end; item++) {
    PtBlock block = pt_blocks_at (&tiles->blocks, item);

    multiply_panel (tiles, tiles->first_row + block.row, block.m, block.column, block.n, &room);
  }
}

/* Multiplies rows of x from tiles->first_row on, as many as have room for their sums. */
static void
run_tiles (Tiles *tiles)
{
  const PtQ4Product *p = tiles->p;
  gint32 *x_sums = pt_pool_scratch (tiles->pool, 0);
  PtBlockedProduct product = {
    .m = MIN (p->m - tiles->first_row, X_SUMS_BYTES / sizeof *x_sums),
    .n = p->n,
    .k = p->k,
    .mr = tiles->kernels->mr,
    .nr = tiles->kernels->nr,
    .panel_size = tiles->kernels->panel_size (p->k),
    .max_panels = 1,
  };

  tiles->n_rows = product.m;
  tiles->blocks = pt_blocks_choose (tiles->pool, &product);
  pt_row_sums_i8 (tiles->pool, tiles->n_rows, p->k, p->x->q + tiles->first_row * p->x->stride,
                  p->x->stride, x_sums);
  pt_pool_run (tiles->pool, tiles->blocks.n_blocks, tiles->blocks.grain, tiles_task, tiles);
}

static gboolean
multiply_channels (PtPool *pool, const PtQ4Product *p)
{
  Tiles tiles = { .p = p, .pool = pool, .kernels = pt_int8_tile_kernels () };

  if (tiles.kernels == NULL || !scratch_suffices (&tiles))
    return FALSE;
  for (; tiles.first_row < p->m; tiles.first_row += tiles.n_rows)
    run_tiles (&tiles);
  return TRUE;
}

static gboolean
multiply_tiles (PtPool *pool, const PtQ4Product *p)
{
  if (p->m < MIN_TILE_ROWS || p->k == 0)
    return FALSE;
  return p->w->group > 0 ? pt_q4_multiply_groups (pool, p) : multiply_channels (pool, p);
}

void
pt_gemm_qd8_q4 (PtPool *pool, gsize m, gsize n, gsize k, const PtQuantizedRows *x,
                const PtWeightsQ4 *w, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  PtQ4Product p = {
    .m = m,
    .n = n,
    .k = k,
    .x = x,
    .w = w,
    .epilogue = epilogue ? *epilogue : (PtEpilogue){ NULL, -INFINITY, INFINITY },
    .c = c,
    .ldc = ldc,
  };

  if (m > 0 && n > 0 && !multiply_tiles (pool, &p))
    stream_weights (pool, &p);
}
