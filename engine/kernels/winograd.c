/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/winograd.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/packed-f32.h"

#define PLACES PT_WINOGRAD_PLACES
/*
 * Larger filters are read from memory, which takes as long as the saved products. With fewer
 * channels, vectors are not full.
 */
#define MAX_FILTER (256 * 512)
#define MIN_CHANNELS 16
/* Maximum of channels: the tiles of all channels must fit into a worker's scratch. */
#define MAX_CHANNELS 1024

gsize
pt_winograd_size (gsize n, gsize k)
{
  if (n < MIN_CHANNELS || k < MIN_CHANNELS || n > MAX_CHANNELS || k > MAX_CHANNELS ||
      n + k > MAX_CHANNELS || n * k > MAX_FILTER)
    return 0;
  return PLACES * pt_packed_f32_size (n, k);
}

static PtPackedF32
factor (const PtWinograd *winograd, gsize place)
{
  PtPackedF32 packed = { winograd->n, winograd->k, winograd->panels };

  packed.panels += place * (pt_packed_f32_size (packed.n, packed.k) / sizeof (float));
  return packed;
}

/* Transforms one column or row of a filter: 3 numbers become 4. */
static void
widen (const double *w, gsize step, double *u, gsize u_step)
{
  double sum = w[0] + w[2 * step];

  u[0] = w[0];
  u[u_step] = 0.5 * (sum + w[step]);
  u[2 * u_step] = 0.5 * (sum - w[step]);
  u[3 * u_step] = w[2 * step];
}

static void
transform_filter (const float *w, gsize k, double u[PLACES])
{
  double taps[9], half[12];

  for (guint i = 0; i < 9; i++)
    taps[i] = (double) w[i * k];
  for (guint x = 0; x < 3; x++)
    widen (taps + x, 3, half + x, 3);
  for (guint y = 0; y < 4; y++)
    widen (half + 3 * y, 1, u + 4 * y, 1);
}

gboolean
pt_winograd_pack (PtPool *pool, const float *filter, const PtWinograd *winograd)
{
  gsize n = winograd->n, k = winograd->k;
  float *all = g_try_new (float, PLACES *n *k);
  double u[PLACES];

  if (all == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < k; c++) {
      transform_filter (filter + i * 9 * k + c, k, u);
      for (gsize place = 0; place < PLACES; place++)
        all[(place * n + i) * k + c] = (float) u[place];
    }
  for (gsize place = 0; place < PLACES; place++) {
    PtPackedF32 packed = factor (winograd, place);

    pt_pack_f32 (pool, all + place * n * k, k, &packed);
  }
  g_free (all);
  return TRUE;
}

typedef struct {
  PtPool *pool;
  const PtWinograd *winograd;
  const PtImages *images;
  const PtEpilogue *epilogue;
  gsize tiles_x, tiles_y; /* pixels of an image */
  gsize n_tiles, chunk;
} Job;

typedef struct {
  gsize item, y, x; /* coordinates of the first output pixel */
} Tile;

static Tile
find_tile (const Job *job, gsize index)
{
  Tile tile = { .x = 2 * (index % job->tiles_x),
                .y = 2 * (index / job->tiles_x % job->tiles_y),
                .item = index / job->tiles_x / job->tiles_y };

  return tile;
}

/* Transforms tile @index to @v: PLACES numbers for each channel, @step floats apart. */
static void
read_tile (const Job *job, gsize index, const float *zeros, float *v, gsize step)
{
  const PtImages *im = job->images;
  gsize k = job->winograd->k;
  Tile tile = find_tile (job, index);
  const float *image = im->x + tile.item * im->in_h * im->in_w * k;
  const float *x[PLACES];

  for (gsize i = 0; i < PLACES; i++) {
    gsize iy = tile.y + i / 4 - im->pad_top, ix = tile.x + i % 4 - im->pad_left;

    /*
     * Unsigned: rows and columns before the first wrap around, so they compare as larger than the
     * last one.
     */
    x[i] = iy < im->in_h && ix < im->in_w ? image + (iy * im->in_w + ix) * k : zeros;
  }
  pt_conv_kernels ()->winograd_in (k, x, v, step);
}

static void
write_tile (const Job *job, gsize index, const float *m, gsize step)
{
  const PtImages *im = job->images;
  gsize n = job->winograd->n;
  Tile tile = find_tile (job, index);
  float *image = im->y + tile.item * im->out_h * im->out_w * n;
  float *y[4];

  for (gsize i = 0; i < 4; i++) {
    gsize oy = tile.y + i / 2, ox = tile.x + i % 2;

    y[i] = oy < im->out_h && ox < im->out_w ? image + (oy * im->out_w + ox) * n : NULL;
  }
  pt_conv_kernels ()->winograd_out (n, m, step, job->epilogue->bias, job->epilogue->min,
                                    job->epilogue->max, y);
}

static void
run_chunks (gpointer data, gsize begin, gsize end, guint worker)
{
  static const PtEpilogue none = { NULL, -INFINITY, INFINITY };
  const Job *job = data;
  gsize n = job->winograd->n, k = job->winograd->k;
  float *zeros = pt_pool_scratch (job->pool, worker);
  float *v = zeros + k, *m = v + PLACES * job->chunk * k;

  memset (zeros, 0, k * sizeof *zeros);
  for (gsize i = begin; i < end; i++) {
    gsize first = i * job->chunk, count = MIN (job->chunk, job->n_tiles - first);

    for (gsize t = 0; t < count; t++)
      read_tile (job, first + t, zeros, v + t * k, count * k);
    for (gsize place = 0; place < PLACES; place++) {
      PtPackedF32 packed = factor (job->winograd, place);

      pt_gemm_f32_packed_serial (count, v + place * count * k, k, &packed, &none,
                                 m + place * count * n, n);
    }
    for (gsize t = 0; t < count; t++)
      write_tile (job, first + t, m + t * n, count * n);
  }
}

void
pt_winograd_run (PtPool *pool, const PtWinograd *winograd, const PtImages *images,
                 const PtEpilogue *epilogue)
{
  Job job = { .pool = pool,
              .winograd = winograd,
              .images = images,
              .epilogue = epilogue,
              .tiles_x = pt_div_up (images->out_w, 2),
              .tiles_y = pt_div_up (images->out_h, 2) };
  gsize n = winograd->n, k = winograd->k, n_workers = pt_pool_n_workers (pool), most, rounds;

  job.n_tiles = images->batch * job.tiles_x * job.tiles_y;
  if (job.n_tiles == 0)
    return;
  most = (PT_POOL_SCRATCH / sizeof (float) - k) / (PLACES * (n + k));
  rounds = pt_div_up (job.n_tiles, most * n_workers);
  job.chunk = pt_div_up (job.n_tiles, rounds * n_workers);
  pt_pool_run (pool, pt_div_up (job.n_tiles, job.chunk), 1, run_chunks, &job);
}
