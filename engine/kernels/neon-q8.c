/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/neon-dot.h"

/*
 * Static 8-bit convolutions with packed filters, for 64-bit ARM. The file is compiled once for each
 * level; PT_Q8_KERNELS is the name of the table. Zero points are part of the bias:
 * sum ((x - zero) w) + bias = sum (x w) + (bias - zero sum w).
 */

/* How sums become bytes. */
typedef struct {
  vf lo, hi; /* bounds without the zero point */
  vi zero;
} Ends;

INLINE Ends
make_ends (gint32 y_zero, gint32 y_min, gint32 y_max)
{
  return (Ends){ vf_set1 ((float) (y_min - y_zero)), vf_set1 ((float) (y_max - y_zero)),
                 vi_set1 (y_zero) };
}

/* A NaN becomes the lower bound. */
INLINE vi
to_result (vi sum, vf scale, const Ends *ends)
{
  vf y = vmaxnmq_f32 (vf_mul (vi_to_float (sum), scale), ends->lo);

  return vi_add (vf_to_int (vminnmq_f32 (y, ends->hi)), ends->zero);
}

/* ---- Products ---- */

/* A panel: NR biases, NR scales, then the weights (neon-dot.h). */
#define PANEL_HEAD (2 * NR * sizeof (gint32))

static gsize
panel_size (gsize runs, gsize k)
{
  return PANEL_HEAD + runs * panel_bytes (k) + (PANEL_HEAD % 64 != 0 ? 64 - PANEL_HEAD % 64 : 0);
}

/* Bytes of a row of x as prepare_row() writes it, never a multiple of 4096. */
static gsize
row_size (gsize k)
{
  gsize size = pt_div_up (k, 64) * 64;

  return size % 4096 == 0 ? size + 64 : size;
}

static void
prepare_row (gsize k, const gint8 *x, gpointer row)
{
  memcpy (row, x, k);
  memset ((gint8 *) row + k, 0, pt_div_up (k, BLOCK) * BLOCK - k);
}

static void
fill_row (gsize n, gint8 x, gpointer row)
{
  memset (row, x, n);
}

static void
pack (gsize n, gsize runs, gsize k, const PtWeightsQs8 *weights, gsize first, gpointer panel)
{
  const gsize all = runs * k;
  const gint8 *w = weights->weights + first * all;
  guint32 *bias = panel;
  float *scale = (float *) panel + NR;

  for (gsize j = 0; j < NR; j++) {
    guint32 sum = 0;

    for (gsize p = 0; j < n && p < all; p++)
      sum += (guint32) w[j * all + p];
    bias[j] = j < n && weights->bias != NULL ? (guint32) weights->bias[first + j] : 0;
    bias[j] -= (guint32) weights->x_zero * sum;
    scale[j] = j < n ? weights->scale[first + j] : 0;
  }
  for (gsize run = 0; run < runs; run++)
    pack_rows (n, k, w + run * k, all, (gint8 *) panel + PANEL_HEAD + run * panel_bytes (k));
}

INLINE void
multiply_rows (const gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const gint8 *x,
               gsize ldx, const gint8 *panel, const Ends *ends, gint8 *y, gsize ldy)
{
  const gint32 *bias = (gconstpointer) panel;
  const float *scale = (const float *) bias + NR;
  vi acc[SUM_ROWS][SUM_COLUMNS];

  panel += PANEL_HEAD;
  clear_sums (acc);
  for (gsize run = 0; run < n_runs; run++, panel += panel_bytes (k))
    for (gsize p = 0; p < k; p += BLOCK)
      add_block (m, x + runs[run] + p, ldx, panel + p * NR, acc);
  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      if (n > v * LANES) {
        vi sum = vi_add (sums_of_row (acc, i, v), vi_load (bias + v * LANES));

        vi_store_bytes_n (y + i * ldy + v * LANES,
                          to_result (sum, vf_load (scale + v * LANES), ends), n - v * LANES);
      }
}

#define MULTIPLY(M) multiply_rows (M, n, n_runs, runs, k, (const gint8 *) x, ldx, panel, &e, y, ldy)

static void
tile (gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const guint8 *x, gsize ldx,
      gconstpointer panel, const PtQ8Ends *ends, gint8 *y, gsize ldy)
{
  const Ends e = make_ends (ends->y_zero, ends->y_min, ends->y_max);

  switch (m) {
    ROW_CASES (MULTIPLY);
  }
}

/* ---- Depthwise ---- */

/*
 * A block of CHANNELS channels. Rows of taps are woven by fours: a lane holds the numbers of one
 * channel in these rows, and a vector those of four channels.
 */
#define CHANNELS 16
#define WOVEN_ROWS 4
#define PARTS (CHANNELS / LANES)
/* Bytes of a woven column of four rows. */
#define WOVEN (CHANNELS * WOVEN_ROWS)
/* Bytes of woven columns that are kept at a time, in the L1 cache. */
#define WOVEN_BYTES (24 * 1024)
/* Outputs that are computed together. */
#define OUTPUTS 4
/* A block in memory: biases and scales, then for each column and group of rows the filter. */
#define BLOCK_HEAD (2 * CHANNELS * sizeof (gint32))

static gsize
block_size (gsize rows, gsize columns)
{
  return BLOCK_HEAD + pt_div_up (rows, WOVEN_ROWS) * columns * WOVEN;
}

static void
pack_block (const PtWeightsQs8 *weights, gsize channels, gsize first, gsize rows, gsize columns,
            gpointer block)
{
  gsize groups = pt_div_up (rows, WOVEN_ROWS);
  guint32 *bias = block;
  float *scale = (float *) block + CHANNELS;
  gint8 *filter = (gint8 *) block + BLOCK_HEAD;

  for (gsize i = 0; i < CHANNELS && first + i < channels; i++) {
    gsize c = first + i;
    guint32 sum = 0;

    for (gsize row = 0; row < rows; row++)
      for (gsize column = 0; column < columns; column++) {
        gint8 w = weights->weights[(row * columns + column) * channels + c];

        sum += (guint32) w;
        filter[(column * groups + row / WOVEN_ROWS) * WOVEN + i * WOVEN_ROWS + row % WOVEN_ROWS] =
            w;
      }
    bias[i] = weights->bias != NULL ? (guint32) weights->bias[c] : 0;
    bias[i] -= (guint32) weights->x_zero * sum;
    scale[i] = weights->scale[c];
  }
}

/* Weaves four rows of one column. */
INLINE void
weave_rows (const int8x16_t r[WOVEN_ROWS], gint8 *out)
{
  int16x8_t a = vreinterpretq_s16_s8 (vzip1q_s8 (r[0], r[1]));
  int16x8_t b = vreinterpretq_s16_s8 (vzip2q_s8 (r[0], r[1]));
  int16x8_t c = vreinterpretq_s16_s8 (vzip1q_s8 (r[2], r[3]));
  int16x8_t d = vreinterpretq_s16_s8 (vzip2q_s8 (r[2], r[3]));

  vst1q_s8 (out, vreinterpretq_s8_s16 (vzip1q_s16 (a, c)));
  vst1q_s8 (out + 16, vreinterpretq_s8_s16 (vzip2q_s16 (a, c)));
  vst1q_s8 (out + 32, vreinterpretq_s8_s16 (vzip1q_s16 (b, d)));
  vst1q_s8 (out + 48, vreinterpretq_s8_s16 (vzip2q_s16 (b, d)));
}

/* Four rows of the input, from one column on. */
typedef struct {
  const gint8 *x[WOVEN_ROWS];
  gsize step[WOVEN_ROWS]; /* bytes to the next column */
} Rows;

/* Weaves @n columns; woven ones are @next bytes apart. @whole is a constant when inlined. */
INLINE void
weave (const gboolean whole, gsize n, const Rows *rows, gsize here, gsize next, gint8 *woven)
{
  const gint8 *x[WOVEN_ROWS];

  UNROLLED (i, WOVEN_ROWS)
    x[i] = rows->x[i];
  for (gsize j = 0; j < n; j++, woven += next) {
    int8x16_t r[WOVEN_ROWS];

    UNROLLED (i, WOVEN_ROWS) {
      r[i] = whole ? vld1q_s8 (x[i]) : load_bytes (x[i], here);
      x[i] += rows->step[i];
    }
    weave_rows (r, woven);
  }
}

static void
weave_any (gsize n, const Rows *rows, gsize here, gsize next, gint8 *woven)
{
  if (here >= CHANNELS)
    weave (TRUE, n, rows, here, next, woven);
  else
    weave (FALSE, n, rows, here, next, woven);
}

/*
 * Weaves the columns [begin, begin + n) of the input; those outside of it are zero points. The
 * filter of missing rows is 0.
 */
static void
weave_columns (const PtDepthwiseQ8 *d, gsize begin, gsize n, gsize c, gint8 *woven)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  gsize groups = pt_div_up (f->rows, WOVEN_ROWS), next = groups * WOVEN, here = f->channels - c;
  gsize before = (gssize) begin < 0 ? MIN (n, -begin) : 0, first = begin + before;
  gsize inside = first < d->in_w ? MIN (n - before, d->in_w - first) : 0;
  gint8 zeros[CHANNELS];
  const Rows outside = { { zeros, zeros, zeros, zeros }, { 0 } };

  memset (zeros, (gint8) f->x_zero, sizeof zeros);
  for (gsize g = 0; g < groups; g++, woven += WOVEN) {
    Rows rows = outside;

    for (gsize i = 0; i < WOVEN_ROWS; i++) {
      gsize row = g * WOVEN_ROWS + i;

      if (inside == 0 || row >= f->rows || d->x[row] == NULL)
        continue;
      rows.x[i] = d->x[row] + first * f->channels + c;
      rows.step[i] = f->channels;
    }
    weave_any (before, &outside, here, next, woven);
    weave_any (inside, &rows, here, next, woven + before * next);
    weave_any (n - before - inside, &outside, here, next, woven + (before + inside) * next);
  }
}

/* Stores the numbers of at most @n channels. */
INLINE void
store_channels (gint8 *y, const vi x[PARTS], gsize n)
{
  int16x8_t low = vqmovn_high_s32 (vqmovn_s32 (x[0]), x[1]);
  int16x8_t high = vqmovn_high_s32 (vqmovn_s32 (x[2]), x[3]);
  int8x16_t bytes = vqmovn_high_s16 (vqmovn_s16 (low), high);
  gint8 room[CHANNELS];

  if (n >= CHANNELS) {
    vst1q_s8 (y, bytes);
    return;
  }
  vst1q_s8 (room, bytes);
  memcpy (y, room, n);
}

/* Computes @n outputs of a block from woven columns; the first output begins at @woven. */
INLINE void
multiply_columns (const PtDepthwiseQ8 *d, const gsize n, const gint8 *woven, const gint8 *block,
                  gsize c, gint8 *y)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  const gsize groups = pt_div_up (f->rows, WOVEN_ROWS), column = groups * WOVEN;
  const gsize next = d->dilation * column, output = d->stride * column;
  const gint32 *bias = (gconstpointer) block;
  const float *scale = (const float *) bias + CHANNELS;
  const gint8 *filter = block + BLOCK_HEAD;
  const Ends ends = make_ends (f->y_zero, f->y_min, f->y_max);
  vi acc[OUTPUTS][PARTS];

  UNROLLED (i, n)
    UNROLLED (v, PARTS)
      acc[i][v] = vi_load (bias + v * LANES);
  for (gsize k = 0; k < f->columns; k++, woven += next)
    for (gsize g = 0; g < groups; g++, filter += WOVEN)
      UNROLLED (v, PARTS) {
        int8x16_t w = vld1q_s8 (filter + v * 16);

        UNROLLED (i, n)
          acc[i][v] = dot_lanes (acc[i][v], vld1q_s8 (woven + g * WOVEN + i * output + v * 16), w);
      }
  UNROLLED (v, PARTS) {
    vf factor = vf_load (scale + v * LANES);

    UNROLLED (i, n)
      acc[i][v] = to_result (acc[i][v], factor, &ends);
  }
  UNROLLED (i, n)
    store_channels (y + i * f->channels, acc[i], f->channels - c);
}

/* By itself, so that nothing is kept in registers from one call to the next. */
G_GNUC_NO_INLINE static void
multiply_most (const PtDepthwiseQ8 *d, const gint8 *woven, const gint8 *block, gsize c, gint8 *y)
{
  multiply_columns (d, OUTPUTS, woven, block, c, y);
}

/* Computes @n outputs from output @first on, of channels from @c on. */
static void
multiply_run (const PtDepthwiseQ8 *d, const gint8 *woven, const gint8 *block, gsize first, gsize n,
              gsize c)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  gsize output = d->stride * pt_div_up (f->rows, WOVEN_ROWS) * WOVEN, i = 0;
  gint8 *y = d->y + first * f->channels + c;

  for (; i + OUTPUTS <= n; i += OUTPUTS)
    multiply_most (d, woven + i * output, block, c, y + i * f->channels);
  for (; i < n; i++)
    multiply_columns (d, 1, woven + i * output, block, c, y + i * f->channels);
}

static void
depthwise (const PtDepthwiseQ8 *row, gsize n, gsize begin, gsize end, gconstpointer blocks,
           gpointer scratch)
{
  const PtDepthwiseQ8 d = *row;
  const gint8 *block = blocks;
  gsize column_bytes = pt_div_up (d.filter->rows, WOVEN_ROWS) * WOVEN;
  gsize window = (d.filter->columns - 1) * d.dilation + 1, most = WOVEN_BYTES / column_bytes;
  gsize run = most > window ? (most - window) / d.stride + 1 : 1;

  run = MAX (run / OUTPUTS * OUTPUTS, 1);
  for (gsize c = begin; c < end; c += CHANNELS) {
    for (gsize first = 0; first < n; first += run) {
      gsize here = MIN (run, n - first);

      weave_columns (&d, first * d.stride - d.pad, (here - 1) * d.stride + window, c, scratch);
      multiply_run (&d, scratch, block, first, here, c);
    }
    block += block_size (d.filter->rows, d.filter->columns);
  }
}

const PtQ8Kernels PT_Q8_KERNELS = {
  .mr = MR,
  .nr = NR,
  .panel_size = panel_size,
  .row_size = row_size,
  .element = 1,
  .pack = pack,
  .prepare_row = prepare_row,
  .fill_row = fill_row,
  .tile = tile,
  .channels = CHANNELS,
  .block_size = block_size,
  .pack_block = pack_block,
  .depthwise = depthwise,
};
