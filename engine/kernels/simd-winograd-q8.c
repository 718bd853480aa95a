/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-q8.h"

/*
 * Transforms and products of winograd-q8.h for AVX2 and AVX-512, with and without VNNI. The file is
 * compiled once for each; PT_WINOGRAD_Q8_KERNELS is the name of the table.
 *
 * Transformed inputs are at most 10 * 10 * 255 = 25,500, filters 7 * 7 * 128 = 6,272: both fit 16
 * bits. Sums of their products may overflow, which modulo 2^32 does no harm.
 */

#ifdef __AVX512F__ /* 32 registers */
#define MR 14
#else
#define MR 6
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)
#define PLACES PT_WINOGRAD_Q8_PLACES
#define OUTPUTS PT_WINOGRAD_Q8_OUTPUTS
#define IN_EDGE 6
#define OUT_EDGE 4
#define TAPS 3
/* Distance for prefetching filters from the L2 cache, in lanes. */
#define AHEAD (16 * NR)
/* Numbers of 16 bits in a vector. */
#define WIDE (2 * LANES)

/* The inverse of 9 modulo 2^32, and the power of two in 576. */
#define INVERSE_OF_9 0x38e38e39
#define SHIFT 6

/* A panel: NR biases, NR scales, then for each place and pair of channels a pair of every column.
 */
#define PANEL_HEAD (2 * NR)

static gsize
n_pairs_of (gsize k)
{
  return pt_div_up (k, 2);
}

static gsize
panel_size (gsize k)
{
  return (PANEL_HEAD + PLACES * NR * n_pairs_of (k)) * sizeof (gint32);
}

static gsize
row_size (gsize k)
{
  return pt_div_up (k, WIDE) * sizeof (vi);
}

/* ---- Filters ---- */

/* Three taps, @step apart, become six numbers. */
static void
widen_taps (const gint32 *w, gsize step, gint32 u[IN_EDGE])
{
  gint32 a = w[0], b = w[step], c = w[2 * step];

  u[0] = a;
  u[1] = a + b + c;
  u[2] = a - b + c;
  u[3] = a + 2 * b + 4 * c;
  u[4] = a - 2 * b + 4 * c;
  u[5] = c;
}

static void
transform_filter (const gint32 taps[TAPS * TAPS], gint32 u[PLACES])
{
  gint32 columns[TAPS * IN_EDGE]; /* [column][row] */

  for (gsize x = 0; x < TAPS; x++)
    widen_taps (taps + x, TAPS, columns + x * IN_EDGE);
  for (gsize y = 0; y < IN_EDGE; y++)
    widen_taps (columns + y, IN_EDGE, u + y * IN_EDGE);
}

static void
pack (gsize n, gsize k, const PtWeightsQs8 *weights, gsize first, gpointer panel)
{
  gint32 *bias = panel, *pairs = bias + PANEL_HEAD;
  float *scale = (float *) panel + NR;
  gsize place_size = n_pairs_of (k) * NR;

  for (gsize i = 0; i < NR; i++) {
    gsize j = packed_place (VECTORS, i / LANES, i % LANES);
    gboolean is_here = j < n;

    bias[i] = is_here && weights->bias != NULL ? weights->bias[first + j] : 0;
    scale[i] = is_here ? weights->scale[first + j] : 0;
    for (gsize c = 0; c < 2 * n_pairs_of (k); c++) {
      gint32 taps[TAPS * TAPS] = { 0 }, u[PLACES];

      for (gsize t = 0; t < TAPS * TAPS && is_here && c < k; t++)
        taps[t] = weights->weights[((first + j) * TAPS * TAPS + t) * k + c];
      transform_filter (taps, u);
      for (gsize place = 0; place < PLACES; place++)
        ((gint16 *) (pairs + place * place_size + c / 2 * NR + i))[c % 2] = (gint16) u[place];
    }
  }
}

/* ---- Inputs ---- */

/* One row or column of B^T x, in place: numbers are @step apart. */
INLINE void
widen_line (vi *x, const gsize step)
{
  vi a = vi_sub_16 (x[4 * step], x[2 * step]);
  vi b = vi_sll_16 (vi_sub_16 (x[3 * step], x[step]), 1);
  vi c = vi_sub_16 (x[4 * step], vi_sll_16 (x[2 * step], 2));
  vi d = vi_sub_16 (x[3 * step], vi_sll_16 (x[step], 2));

  x[0] = vi_add_16 (vi_sll_16 (vi_sub_16 (x[0], x[2 * step]), 2), a);
  x[5 * step] = vi_sub_16 (vi_sub_16 (x[5 * step], x[3 * step]), vi_sll_16 (b, 1));
  x[step] = vi_add_16 (c, d);
  x[2 * step] = vi_sub_16 (c, d);
  x[3 * step] = vi_add_16 (a, b);
  x[4 * step] = vi_sub_16 (a, b);
}

static void
transform_in (gsize k, const gint8 *const x[PLACES], gint32 x_zero, guint8 *rows, gsize step)
{
  const vi zero = vi_set1_16 ((gint16) x_zero);

  for (gsize c = 0; c < k; c += WIDE, rows += sizeof (vi)) {
    vi t[PLACES];

    UNROLLED (i, PLACES)
      t[i] = vi_sub_16 (c + WIDE <= k ? vi_load_wide (x[i] + c) : vi_load_wide_n (x[i] + c, k - c),
                        zero);
    UNROLLED (i, IN_EDGE)
      widen_line (t + i, IN_EDGE);
    UNROLLED (i, IN_EDGE)
      widen_line (t + i * IN_EDGE, 1);
    UNROLLED (i, PLACES)
      vi_store (rows + i * step, t[i]);
  }
}

/* ---- Products ---- */

INLINE void
multiply_tiles (const gsize m, gsize k, const guint8 *rows, gsize step, const gint32 *pairs,
                gint32 *sums, gsize sums_step)
{
  const gsize row = row_size (k), n_pairs = n_pairs_of (k);

  for (gsize place = 0; place < PLACES; place++, rows += step, sums += sums_step) {
    vi acc[MR][VECTORS], w[VECTORS];

    UNROLLED (i, m)
      UNROLLED (v, VECTORS)
        acc[i][v] = vi_zero ();
    for (gsize pair = 0; pair < n_pairs; pair++, pairs += NR) {
      UNROLLED (v, VECTORS) {
        w[v] = vi_load (pairs + v * LANES);
        fetch_line ((guintptr) (pairs + v * LANES) + AHEAD * sizeof *pairs, FALSE);
      }
      UNROLLED (i, m) {
        vi xs = vi_set1 (load_lane (rows + i * row + 4 * pair));

        UNROLLED (v, VECTORS)
          acc[i][v] = dot_pairs (acc[i][v], xs, w[v]);
      }
    }
    UNROLLED (i, m)
      UNROLLED (v, VECTORS)
        vi_store (sums + i * NR + v * LANES, acc[i][v]);
  }
}

#define TILES_CASE(M)                                                                        \
  case M:                                                                                    \
    multiply_tiles (M, k, rows, step, (const gint32 *) panel + PANEL_HEAD, sums, sums_step); \
    break

static void
multiply (gsize m, gsize k, const guint8 *rows, gsize step, gconstpointer panel, gint32 *sums,
          gsize sums_step)
{
  switch (m) {
    TILES_CASE (1);
    TILES_CASE (2);
    TILES_CASE (3);
    TILES_CASE (4);
    TILES_CASE (5);
    TILES_CASE (6);
#if MR > 6
    TILES_CASE (7);
    TILES_CASE (8);
    TILES_CASE (9);
    TILES_CASE (10);
    TILES_CASE (11);
    TILES_CASE (12);
    TILES_CASE (13);
    TILES_CASE (14);
#endif
  }
}

/* ---- Outputs ---- */

/* One row or column of 24 A^T m: six numbers, @step apart, become four. */
INLINE void
narrow_line (const vi *m, const gsize step, vi *y, const gsize y_step)
{
  vi s = vi_add (m[step], m[2 * step]), t = vi_sll (vi_sub (m[2 * step], m[step]), 2);
  vi u = vi_add (m[3 * step], m[4 * step]), v = vi_sll (vi_sub (m[3 * step], m[4 * step]), 1);
  vi first = vi_add (vi_sll (m[0], 2), vi_sll (m[0], 1));
  vi last = vi_add (vi_sll (m[5 * step], 4), vi_sll (m[5 * step], 3));

  y[0] = vi_add (vi_sub (first, vi_sll (s, 2)), u);
  y[y_step] = vi_add (t, v);
  y[2 * y_step] = vi_sll (vi_sub (u, s), 2);
  y[3 * y_step] = vi_add (vi_add (t, vi_sll (v, 2)), last);
}

/* The sums of 4x4 pixels, with the bias, of LANES channels. */
INLINE void
transform_out (const gint32 *sums, gsize step, vi bias, vi *y, const gsize y_step)
{
  vi t[OUT_EDGE * IN_EDGE], out[OUTPUTS];

  UNROLLED (x, IN_EDGE) {
    vi m[IN_EDGE];

    UNROLLED (i, IN_EDGE)
      m[i] = vi_load (sums + (i * IN_EDGE + x) * step);
    narrow_line (m, 1, t + x, IN_EDGE);
  }
  UNROLLED (i, OUT_EDGE)
    narrow_line (t + i * IN_EDGE, 1, out + i * OUT_EDGE, 1);
  UNROLLED (i, OUTPUTS)
    y[i * y_step] = vi_add (vi_sra (vi_mul (out[i], vi_set1 (INVERSE_OF_9)), SHIFT), bias);
}

static void
write_out (gsize n, const gint32 *sums, gsize step, gconstpointer panel, const PtQ8Ends *ends,
           gint8 *const y[OUTPUTS])
{
  const Ends e = make_ends (ends->y_zero, ends->y_min, ends->y_max);
  const gint32 *bias = panel;
  vi result[OUTPUTS][VECTORS];

  for (gsize v = 0; v < VECTORS; v++)
    transform_out (sums + v * LANES, step, vi_load (bias + v * LANES), result[0] + v, VECTORS);
  for (gsize i = 0; i < OUTPUTS; i++)
    if (y[i] != NULL)
      STORE_2 (result[i], (const float *) panel + NR, e, n, y[i]);
}

const PtWinogradQ8Kernels PT_WINOGRAD_Q8_KERNELS = {
  .mr = MR,
  .nr = NR,
  .panel_size = panel_size,
  .row_size = row_size,
  .pack = pack,
  .in = transform_in,
  .multiply = multiply,
  .out = write_out,
};
