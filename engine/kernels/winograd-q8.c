/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/winograd-q8.h"

#include <string.h>

#include "engine/kernels/kernel-tables.h"

#define PLACES PT_WINOGRAD_Q8_PLACES
#define OUTPUTS PT_WINOGRAD_Q8_OUTPUTS
/* Pixels of a tile in one direction: of the output and of the input. */
#define OUT_EDGE 4
#define IN_EDGE 6
/* With fewer channels, the transforms take longer than the saved products. */
#define MIN_CHANNELS 32
/* Filters become 8 times as large: from here on, reading them takes as long as the products. */
#define MAX_FILTER (160 * 160)
/* Sums of products are less than this. */
#define MAX_SUM (1 << 25)
/* Pieces for each worker, because workers are not equally fast. */
#define PIECES 2

gsize
pt_winograd_q8_size (gsize n, gsize k, const PtWeightsQs8 *weights)
{
  const PtWinogradQ8Kernels *kernels = pt_winograd_q8_kernels ();
  guint32 reach = (guint32) MAX (127 - weights->x_zero, weights->x_zero + 128);

  if (kernels == NULL || weights->w_zero != 0 || n < MIN_CHANNELS || k < MIN_CHANNELS ||
      n > MAX_FILTER / k)
    return 0;
  for (gsize i = 0; i < n; i++) {
    guint64 sum = 0;

    for (gsize p = 0; p < 9 * k; p++)
      sum += (guint64) ABS (weights->weights[i * 9 * k + p]);
    if (sum * reach >= MAX_SUM)
      return 0;
  }
  return pt_div_up (n, kernels->nr) * kernels->panel_size (k);
}

typedef struct {
  const PtWeightsQs8 *weights;
  const PtWinogradQ8 *winograd;
} Packing;

static void
pack_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtWinogradQ8Kernels *kernels = pt_winograd_q8_kernels ();
  const Packing *job = data;
  gsize n = job->winograd->n, k = job->winograd->k;

  for (gsize i = begin; i < end; i++)
    kernels->pack (MIN (kernels->nr, n - i * kernels->nr), k, job->weights, i * kernels->nr,
                   job->winograd->panels + i * kernels->panel_size (k));
}

void
pt_winograd_q8_pack (PtPool *pool, const PtWeightsQs8 *weights, PtWinogradQ8 *winograd)
{
  Packing job = { weights, winograd };

  winograd->x_zero = weights->x_zero;
  winograd->y_zero = weights->y_zero;
  winograd->y_min = weights->y_min;
  winograd->y_max = weights->y_max;
  pt_pool_run (pool, pt_div_up (winograd->n, pt_winograd_q8_kernels ()->nr), 1, pack_task, &job);
}

typedef struct {
  PtPool *pool;
  const PtWinogradQ8 *winograd;
  const PtImagesQ8 *images;
  gsize tiles_x, tiles_y;         /* of an image */
  gsize n_tiles, chunk, n_chunks; /* tiles that are multiplied together */
  gsize panels, n_column_blocks;  /* panels of a block of columns */
} Job;

static Job
make_job (PtPool *pool, const PtWinogradQ8 *winograd, const PtImagesQ8 *images)
{
  const PtWinogradQ8Kernels *kernels = pt_winograd_q8_kernels ();
  gsize n_panels = pt_div_up (winograd->n, kernels->nr), wanted, n_workers;
  Job job = { .pool = pool,
              .winograd = winograd,
              .images = images,
              .tiles_x = pt_div_up (images->out_w, OUT_EDGE),
              .tiles_y = pt_div_up (images->out_h, OUT_EDGE) };

  n_workers = pt_pool_n_workers (pool);
  wanted = n_workers > 1 ? PIECES * n_workers : 1;
  job.n_tiles = images->batch * job.tiles_x * job.tiles_y;
  if (job.n_tiles == 0)
    return job;
  job.chunk = pt_div_up (job.n_tiles, pt_div_up (job.n_tiles, kernels->mr));
  job.n_chunks = pt_div_up (job.n_tiles, job.chunk);
  job.panels = pt_div_up (n_panels, MIN (pt_div_up (wanted, job.n_chunks), n_panels));
  job.n_column_blocks = pt_div_up (n_panels, job.panels);
  return job;
}

gboolean
pt_winograd_q8_is_faster (PtPool *pool, const PtWinogradQ8 *winograd, const PtImagesQ8 *images)
{
  Job job = make_job (pool, winograd, images);

  /* A fifth more pixels than there are. */
  return job.n_chunks * job.n_column_blocks >= pt_pool_n_workers (pool) && job.n_chunks >= 2 &&
         (double) (job.n_tiles * OUTPUTS) <=
             1.2 * (double) (images->batch * images->out_h * images->out_w);
}

typedef struct {
  gsize item, y, x; /* the image, and the first pixel of the output */
} Tile;

static Tile
find_tile (const Job *job, gsize index)
{
  return (Tile){ .x = OUT_EDGE * (index % job->tiles_x),
                 .y = OUT_EDGE * (index / job->tiles_x % job->tiles_y),
                 .item = index / job->tiles_x / job->tiles_y };
}

/* Transforms tile @index; places are @step bytes apart. @outside: k zero points. */
static void
read_tile (const Job *job, gsize index, const gint8 *outside, guint8 *rows, gsize step)
{
  const PtImagesQ8 *im = job->images;
  gsize k = job->winograd->k;
  Tile tile = find_tile (job, index);
  const gint8 *image = im->x + tile.item * im->in_h * im->in_w * k;
  const gint8 *x[PLACES];

  /* Rows and columns before the first wrap around, so they compare as larger than the last one. */
  for (gsize i = 0; i < PLACES; i++) {
    gsize iy = tile.y + i / IN_EDGE - im->pad_top, ix = tile.x + i % IN_EDGE - im->pad_left;

    x[i] = iy < im->in_h && ix < im->in_w ? image + (iy * im->in_w + ix) * k : outside;
  }
  pt_winograd_q8_kernels ()->in (k, x, job->winograd->x_zero, rows, step);
}

/* Writes the channels of one panel of tile @index. */
static void
write_tile (const Job *job, gsize index, gsize panel, const gint32 *sums, gsize step)
{
  const PtWinogradQ8Kernels *kernels = pt_winograd_q8_kernels ();
  const PtWinogradQ8 *w = job->winograd;
  const PtImagesQ8 *im = job->images;
  const PtQ8Ends ends = { w->y_zero, w->y_min, w->y_max };
  gsize column = panel * kernels->nr;
  Tile tile = find_tile (job, index);
  gint8 *image = im->y + tile.item * im->out_h * im->out_w * w->n + column;
  gint8 *y[OUTPUTS];

  for (gsize i = 0; i < OUTPUTS; i++) {
    gsize oy = tile.y + i / OUT_EDGE, ox = tile.x + i % OUT_EDGE;

    y[i] = oy < im->out_h && ox < im->out_w ? image + (oy * im->out_w + ox) * w->n : NULL;
  }
  kernels->out (MIN (kernels->nr, w->n - column), sums, step,
                w->panels + panel * kernels->panel_size (w->k), &ends, y);
}

/* Item: a block of columns of a chunk of tiles. */
static void
run_chunks (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtWinogradQ8Kernels *kernels = pt_winograd_q8_kernels ();
  const Job *job = data;
  const PtWinogradQ8 *w = job->winograd;
  gsize n_panels = pt_div_up (w->n, kernels->nr), row = kernels->row_size (w->k);
  gsize step = job->chunk * row, sums_step = job->chunk * kernels->nr;
  guint8 *rows = pt_pool_scratch (job->pool, worker);
  gint32 *sums = (gint32 *) (rows + PLACES * step);
  gint8 *outside = (gint8 *) (sums + PLACES * sums_step);

  memset (outside, w->x_zero, w->k);
  for (gsize i = begin; i < end; i++) {
    gsize first = i / job->n_column_blocks * job->chunk;
    gsize count = MIN (job->chunk, job->n_tiles - first);
    gsize panel = i % job->n_column_blocks * job->panels;
    gsize last = MIN (n_panels, panel + job->panels);

    for (gsize t = 0; t < count; t++)
      read_tile (job, first + t, outside, rows + t * row, step);
    for (; panel < last; panel++) {
      kernels->multiply (count, w->k, rows, step, w->panels + panel * kernels->panel_size (w->k),
                         sums, sums_step);
      for (gsize t = 0; t < count; t++)
        write_tile (job, first + t, panel, sums + t * kernels->nr, sums_step);
    }
  }
}

void
pt_winograd_q8_run (PtPool *pool, const PtWinogradQ8 *winograd, const PtImagesQ8 *images)
{
  Job job = make_job (pool, winograd, images);

  if (job.n_tiles > 0)
    pt_pool_run_shares (pool, job.n_chunks * job.n_column_blocks, 1, NULL, run_chunks, &job);
}
