/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-q8.h"

#include <string.h>

/*
 * Static 8-bit convolutions with packed filters for AVX2 and AVX-512, with and without VNNI. The
 * file is compiled once for each; PT_Q8_KERNELS is the name of the table. For AVX-512 it is
 * compiled twice: columns and channels at the end that fit vectors of half the length use those.
 *
 * With VNNI (simd-dot.h) inputs become unsigned by inverting their sign bit (x + 128). Zero points
 * are part of the bias: sum ((x - zero) w) + bias = sum ((x + 128) w) + (bias - (zero + 128) sum
 * w).
 */

#if VNNI
#define X_OFFSET 128
#define WOVEN_ROWS 4 /* rows of taps whose numbers share a lane */
#else
#define X_OFFSET 0
#define WOVEN_ROWS 2
#endif

#ifdef __AVX512F__ /* 32 registers */
#define MR 14
#else
#define MR 6
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)

#if VNNI

INLINE vi
dot (vi acc, vi x, vi w)
{
  return dot_unsigned (acc, x, w);
}

/* Bytes of x as the left operand of dot(): all of a vector, or the first n. */
INLINE vi
load_x (const gint8 *p, gsize n)
{
  return vi_xor (n < STEP ? vi_load_bytes (p, n) : vi_load (p), vi_set1_8 (-128));
}

#else

INLINE vi
dot (vi acc, vi x, vi w)
{
  return dot_wide (acc, x, w);
}

INLINE vi
load_x (const gint8 *p, gsize n)
{
  return n < STEP ? vi_load_wide_n (p, n) : vi_load_wide (p);
}

#endif

#if VNNI
#define STORE_CHANNELS STORE_4
#else
#define STORE_CHANNELS STORE_2
#endif

/* ---- Products ---- */

/* Bytes of a prepared number. */
#define IN_ELEMENT (4 / IN_LANE)

G_STATIC_ASSERT (sizeof (vi) <= PT_Q8_SLACK);

/* A panel: NR biases, NR scales, then for each lane of a run one lane of every column. */
#define PANEL_HEAD (2 * NR)

static gsize
n_lanes_of (gsize k)
{
  return pt_div_up (k, IN_LANE);
}

static gsize
panel_size (gsize runs, gsize k)
{
  return (PANEL_HEAD + NR * runs * n_lanes_of (k)) * sizeof (gint32);
}

/* Bytes of a row of x as prepare_row() writes it: whole vectors, never a multiple of 4096. */
static gsize
row_size (gsize k)
{
  gsize size = pt_div_up (k, STEP) * sizeof (vi);

  size = pt_div_up (size, 64) * 64;
  return size % 4096 == 0 ? size + 64 : size;
}

static void
prepare_row (gsize k, const gint8 *x, gpointer row)
{
  for (gsize p = 0; p < k; p += STEP)
    vi_store ((guint8 *) row + p / STEP * sizeof (vi), load_x (x + p, k - p));
}

static void
fill_row (gsize n, gint8 x, gpointer row)
{
#if VNNI
  memset (row, x ^ 0x80, n);
#else
  for (gsize i = 0; i < n; i++)
    ((gint16 *) row)[i] = x;
#endif
}

static void
pack (gsize n, gsize runs, gsize k, const PtWeightsQs8 *weights, gsize first, gpointer panel)
{
  const gsize all = runs * k;
  const gint8 *w = weights->weights + first * all;
  gint32 *lanes = (gint32 *) panel + PANEL_HEAD;
  guint32 *bias = panel;
  float *scale = (float *) panel + NR;

  for (gsize i = 0; i < NR; i++) {
    gsize j = packed_place (VECTORS, i / LANES, i % LANES);
    guint32 sum = 0;

    for (gsize p = 0; j < n && p < all; p++)
      sum += (guint32) w[j * all + p];
    bias[i] = j < n && weights->bias != NULL ? (guint32) weights->bias[first + j] : 0;
    bias[i] -= (guint32) (weights->x_zero + X_OFFSET) * sum;
    scale[i] = j < n ? weights->scale[first + j] : 0;
  }
  for (gsize run = 0; run < runs; run++)
    pack_panel (VECTORS, TRUE, 0, n, k, w + run * k, all, lanes + run * NR * n_lanes_of (k));
}

/* @m rows of x, of which those from @first on are @gap bytes further away. */
INLINE void
multiply_rows (const gsize m, const gsize first, gsize n, gsize n_runs, const gsize *runs,
               gsize n_lanes, const guint8 *x, gsize ldx, gsize gap, const gint32 *panel,
               const PtQ8Ends *ends, gint8 *y, gsize ldy)
{
  const gint32 *lanes = panel + PANEL_HEAD;
  vi acc[MR][VECTORS], w[VECTORS];
  Ends e;

  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      acc[i][v] = vi_load (panel + v * LANES);
  for (gsize run = 0; run < n_runs; run++) {
    const guint8 *at = x + runs[run];

    for (gsize lane = 0; lane < n_lanes; lane++, lanes += NR) {
      UNROLLED (v, VECTORS)
        w[v] = vi_load (lanes + v * LANES);
      UNROLLED (i, m) {
        vi xs = vi_set1 (load_lane (i < first ? at + i * ldx + 4 * lane
                                              : at + gap + (i - first) * ldx + 4 * lane));

        UNROLLED (v, VECTORS)
          acc[i][v] = dot (acc[i][v], xs, w[v]);
      }
    }
  }
  /* Not before the loop, which needs all registers. */
  e = make_ends (ends->y_zero, ends->y_min, ends->y_max);
  UNROLLED (i, m)
    STORE_2 (acc[i], (const float *) panel + NR, e, n, y + i * ldy);
}

#define ROWS_CASE(M) \
  case M: multiply_rows (M, M, n, n_runs, runs, n_lanes, x, ldx, 0, panel, ends, y, ldy); break

static void
tile (gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const guint8 *x, gsize ldx,
      gconstpointer panel, const PtQ8Ends *ends, gint8 *y, gsize ldy)
{
  gsize n_lanes = n_lanes_of (k);

  switch (m) {
    ROWS_CASE (1);
    ROWS_CASE (2);
    ROWS_CASE (3);
    ROWS_CASE (4);
    ROWS_CASE (5);
    ROWS_CASE (6);
#if MR > 6
    ROWS_CASE (7);
    ROWS_CASE (8);
    ROWS_CASE (9);
    ROWS_CASE (10);
    ROWS_CASE (11);
    ROWS_CASE (12);
    ROWS_CASE (13);
    ROWS_CASE (14);
#endif
  }
}

#define TWO_ROWS_CASE(M)                                                                  \
  case M:                                                                                 \
    multiply_rows (2 * M, M, n, n_runs, runs, n_lanes, x, ldx, gap, panel, ends, y, ldy); \
    break

static void
tile_of_two (gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const guint8 *x, gsize ldx,
             gsize gap, gconstpointer panel, const PtQ8Ends *ends, gint8 *y, gsize ldy)
{
  gsize n_lanes = n_lanes_of (k);

  switch (m) {
    TWO_ROWS_CASE (1);
    TWO_ROWS_CASE (2);
    TWO_ROWS_CASE (3);
#if MR > 6
    TWO_ROWS_CASE (4);
    TWO_ROWS_CASE (5);
    TWO_ROWS_CASE (6);
    TWO_ROWS_CASE (7);
#endif
  }
}

/* ---- Depthwise ---- */

/*
 * A block of STEP channels. Rows of taps are woven by fours (or pairs): a lane holds the numbers of
 * one channel in these rows. So a block is IN_LANE vectors, with channels in the order of
 * packed_place().
 */
#define CHANNELS STEP
/* Bytes of woven columns that are kept at a time, in the L1 cache. */
#define WOVEN_BYTES (24 * 1024)
/* Outputs that are computed together. */
#define OUTPUTS 4

/* A block in memory: biases and scales, then for each column and group of rows the filter. */
#define BLOCK_HEAD (2 * CHANNELS)

static gsize
block_size (gsize rows, gsize columns)
{
  return (BLOCK_HEAD + pt_div_up (rows, WOVEN_ROWS) * columns * CHANNELS) * sizeof (gint32);
}

/* Puts the weight of row @row into its place in a lane. */
static void
put_weight (gint32 *lane, gsize row, gint8 w)
{
#if VNNI
  ((gint8 *) lane)[row] = w;
#else
  ((gint16 *) lane)[row] = w;
#endif
}

static void
pack_block (const PtWeightsQs8 *weights, gsize channels, gsize first, gsize rows, gsize columns,
            gpointer block)
{
  gsize groups = pt_div_up (rows, WOVEN_ROWS);
  guint32 *bias = block;
  float *scale = (float *) block + CHANNELS;
  gint32 *filter = (gint32 *) block + BLOCK_HEAD;

  for (gsize i = 0; i < CHANNELS; i++) {
    gsize c = first + packed_place (IN_LANE, i / LANES, i % LANES);
    guint32 sum = 0;

    if (c >= channels)
      continue;
    for (gsize row = 0; row < rows; row++)
      for (gsize column = 0; column < columns; column++) {
        gint8 w = weights->weights[(row * columns + column) * channels + c];

        sum += (guint32) w;
        put_weight (filter + (column * groups + row / WOVEN_ROWS) * CHANNELS + i, row % WOVEN_ROWS,
                    w);
      }
    bias[i] = weights->bias != NULL ? (guint32) weights->bias[c] : 0;
    bias[i] -= (guint32) (weights->x_zero + X_OFFSET) * sum;
    scale[i] = weights->scale[c];
  }
}

/* Weaves WOVEN_ROWS rows of one column into IN_LANE vectors. */
INLINE void
weave_rows (const vi r[WOVEN_ROWS], vi out[IN_LANE])
{
#if VNNI
  vi a = vi_unpack_lo_8 (r[0], r[1]), b = vi_unpack_hi_8 (r[0], r[1]);
  vi c = vi_unpack_lo_8 (r[2], r[3]), d = vi_unpack_hi_8 (r[2], r[3]);

  out[0] = vi_unpack_lo_16 (a, c);
  out[1] = vi_unpack_hi_16 (a, c);
  out[2] = vi_unpack_lo_16 (b, d);
  out[3] = vi_unpack_hi_16 (b, d);
#else
  out[0] = vi_unpack_lo_16 (r[0], r[1]);
  out[1] = vi_unpack_hi_16 (r[0], r[1]);
#endif
}

/* Weaves the columns [begin, begin + n) of the input; those outside of it are zero points. */
static void
weave_columns (const PtDepthwiseQ8 *d, gsize begin, gsize n, gsize c, gint32 *woven)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  gsize groups = pt_div_up (f->rows, WOVEN_ROWS), here = f->channels - c;
#if VNNI
  const vi outside = vi_set1_8 ((gint8) (f->x_zero ^ 0x80));
#else
  const vi outside = vi_set1_16 ((gint16) f->x_zero);
#endif

  for (gsize j = 0; j < n; j++, begin++)
    for (gsize g = 0; g < groups; g++, woven += CHANNELS) {
      vi r[WOVEN_ROWS], lanes[IN_LANE];

      UNROLLED (i, WOVEN_ROWS) {
        gsize row = g * WOVEN_ROWS + i;

        r[i] = row >= f->rows ? vi_zero ()
               : begin >= d->in_w || d->x[row] == NULL
                   ? outside
                   : load_x (d->x[row] + begin * f->channels + c, here);
      }
      weave_rows (r, lanes);
      UNROLLED (v, IN_LANE)
        vi_store (woven + v * LANES, lanes[v]);
    }
}

/* Computes @n outputs of a block from woven columns; the first output begins at @woven. */
INLINE void
multiply_columns (const PtDepthwiseQ8 *d, const gsize n, const gint32 *woven, const gint32 *block,
                  gsize c, gint8 *y)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  const gsize groups = pt_div_up (f->rows, WOVEN_ROWS), column = groups * CHANNELS;
  const gsize next = d->dilation * column, output = d->stride * column;
  const gint32 *filter = block + BLOCK_HEAD;
  vi acc[OUTPUTS][IN_LANE];
  Ends ends;

  UNROLLED (i, n)
    UNROLLED (v, IN_LANE)
      acc[i][v] = vi_load (block + v * LANES);
  for (gsize k = 0; k < f->columns; k++, woven += next)
    for (gsize g = 0; g < groups; g++, filter += CHANNELS)
      UNROLLED (v, IN_LANE) {
        vi w = vi_load (filter + v * LANES);

        UNROLLED (i, n)
          acc[i][v] = dot (acc[i][v], vi_load (woven + g * CHANNELS + i * output + v * LANES), w);
      }
  ends = make_ends (f->y_zero, f->y_min, f->y_max);
  UNROLLED (i, n)
    STORE_CHANNELS (acc[i], (const float *) block + CHANNELS, ends, f->channels - c,
                    y + i * f->channels);
}

/* Computes @n outputs from output @first on, of channels from @c on. */
static void
multiply_run (const PtDepthwiseQ8 *d, const gint32 *woven, const gint32 *block, gsize first,
              gsize n, gsize c)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  gsize output = d->stride * pt_div_up (f->rows, WOVEN_ROWS) * CHANNELS, i = 0;
  gint8 *y = d->y + first * f->channels + c;

  for (; i + OUTPUTS <= n; i += OUTPUTS)
    multiply_columns (d, OUTPUTS, woven + i * output, block, c, y + i * f->channels);
  for (; i < n; i++)
    multiply_columns (d, 1, woven + i * output, block, c, y + i * f->channels);
}

#if VNNI && defined(__AVX512F__)

/*
 * Windows of 3 x 3: the three columns of an output and the filter stay in registers, which are 32.
 */
#define NARROW 3

/* Where the rows of a window are read: those outside of the input are one vector, again and again.
 */
typedef struct {
  const gint8 *x[NARROW];
  gsize step[NARROW]; /* from one column to the next */
} NarrowRows;

INLINE void
load_column (const NarrowRows *rows, gsize column, gsize in_w, gsize here, const vi outside,
             vi out[IN_LANE])
{
  vi r[WOVEN_ROWS];

  UNROLLED (i, NARROW)
    r[i] = column < in_w ? load_x (rows->x[i] + column * rows->step[i], here) : outside;
  r[NARROW] = vi_zero ();
  weave_rows (r, out);
}

INLINE void
multiply_narrow (const PtDepthwiseQ8 *d, const gsize stride, gsize n, gsize c,
                 const NarrowRows *rows, const gint32 *block)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  const gsize in_w = d->in_w, channels = f->channels, here = channels - c;
  const vi outside = vi_set1_8 ((gint8) (f->x_zero ^ 0x80));
  const Ends ends = make_ends (f->y_zero, f->y_min, f->y_max);
  vi w[NARROW][IN_LANE], x[NARROW][IN_LANE];
  gsize column = (gsize) 0 - d->pad;
  gint8 *y = d->y + c;

  UNROLLED (k, NARROW)
    UNROLLED (v, IN_LANE)
      w[k][v] = vi_load (block + BLOCK_HEAD + (k * IN_LANE + v) * LANES);
  UNROLLED (k, NARROW - stride)
    load_column (rows, column + k, in_w, here, outside, x[k]);
  for (gsize o = 0; o < n; o++, column += stride, y += channels) {
    vi acc[IN_LANE];

    UNROLLED (k, stride)
      load_column (rows, column + NARROW - stride + k, in_w, here, outside, x[NARROW - stride + k]);
    UNROLLED (v, IN_LANE)
      acc[v] = vi_load (block + v * LANES);
    UNROLLED (k, NARROW)
      UNROLLED (v, IN_LANE)
        acc[v] = dot (acc[v], x[k][v], w[k][v]);
    STORE_CHANNELS (acc, (const float *) block + CHANNELS, ends, here, y);
    UNROLLED (k, NARROW - stride)
      UNROLLED (v, IN_LANE)
        x[k][v] = x[k + stride][v];
  }
}

/* FALSE: the window is not narrow. @scratch: for a vector. */
static gboolean
run_narrow (const PtDepthwiseQ8 *d, gsize n, gsize c, const gint32 *block, gpointer scratch)
{
  const PtPackedDepthwiseQ8 *f = d->filter;
  NarrowRows rows;

  if (f->rows != NARROW || f->columns != NARROW || d->dilation != 1 || d->stride > 2)
    return FALSE;
  vi_store (scratch, vi_set1_8 ((gint8) f->x_zero));
  for (gsize i = 0; i < NARROW; i++) {
    rows.x[i] = d->x[i] != NULL ? d->x[i] + c : scratch;
    rows.step[i] = d->x[i] != NULL ? f->channels : 0;
  }
  if (d->stride == 1)
    multiply_narrow (d, 1, n, c, &rows, block);
  else
    multiply_narrow (d, 2, n, c, &rows, block);
  return TRUE;
}

#else

static gboolean
run_narrow (const PtDepthwiseQ8 *d, gsize n, gsize c, const gint32 *block, gpointer scratch)
{
  return FALSE;
}

#endif

static void
depthwise (const PtDepthwiseQ8 *row, gsize n, gsize begin, gsize end, gconstpointer blocks,
           gpointer scratch)
{
  const PtDepthwiseQ8 d = *row;
  const guint8 *block = blocks;
  gsize column_bytes = pt_div_up (d.filter->rows, WOVEN_ROWS) * CHANNELS * sizeof (gint32);
  gsize window = (d.filter->columns - 1) * d.dilation + 1, most = WOVEN_BYTES / column_bytes;
  gsize run = most > window ? (most - window) / d.stride + 1 : 1;

  run = MAX (run / OUTPUTS * OUTPUTS, 1);
  for (gsize c = begin; c < end; c += CHANNELS) {
    const gint32 *filter = (const gint32 *) block;
    gboolean is_done = run_narrow (&d, n, c, filter, scratch);

    for (gsize first = 0; !is_done && first < n; first += run) {
      gsize here = MIN (run, n - first);

      weave_columns (&d, first * d.stride - d.pad, (here - 1) * d.stride + window, c, scratch);
      multiply_run (&d, scratch, filter, first, here, c);
    }
    block += block_size (d.filter->rows, d.filter->columns);
  }
}

const PtQ8Kernels PT_Q8_KERNELS = {
  .mr = MR,
  .nr = NR,
  .panel_size = panel_size,
  .row_size = row_size,
  .element = IN_ELEMENT,
  .pack = pack,
  .prepare_row = prepare_row,
  .fill_row = fill_row,
  .tile = tile,
  .tile_of_two = tile_of_two,
  .channels = CHANNELS,
  .block_size = block_size,
  .pack_block = pack_block,
  .depthwise = depthwise,
};
