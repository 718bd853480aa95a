/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/cpu.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-dot.h"

/*
 * Integer products for AVX2 and AVX-512, with and without VNNI. The file is compiled once for each;
 * PT_INT8_KERNELS and PT_INT8_TILE_KERNELS are the names of the tables.
 *
 * With VNNI (simd-dot.h) weights become unsigned by inverting their sign bit (w + 128), and 128
 * times the sum of x is subtracted.
 */

/* Bytes of a cache line. */
#define LINE 64

/* Rows of weights that dot_rows() multiplies at once with one row of x, or with up to four rows. */
#define ROWS_FOR_ONE 8
#if LANES == 16
#define ROWS_FOR_MANY 4
#else
#define ROWS_FOR_MANY 2
#endif

/* acc + w . x, w from load_weights (), x from load_x () */
#if VNNI

INLINE vi
dot (vi acc, vi w, vi x)
{
  return dot_unsigned (acc, w, x);
}

INLINE vi
load_x (const gint8 *p)
{
  return vi_load (p);
}

INLINE vi
load_x_n (const gint8 *p, gsize n)
{
  return vi_load_bytes (p, n);
}

INLINE vi
to_weights (vi bytes)
{
  return vi_xor (bytes, vi_set1_8 (-128));
}

/* acc + the sums of the lanes of x. */
INLINE vi
add_x (vi acc, vi x)
{
  return dot_unsigned (acc, vi_set1_8 (1), x);
}

#else

INLINE vi
dot (vi acc, vi w, vi x)
{
  return dot_wide (acc, w, x);
}

INLINE vi
load_x (const gint8 *p)
{
  return vi_load_wide (p);
}

INLINE vi
load_x_n (const gint8 *p, gsize n)
{
  return vi_load_wide_n (p, n);
}

INLINE vi
to_weights (vi bytes)
{
  return bytes;
}

INLINE vi
add_x (vi acc, vi x)
{
  return dot_wide (acc, vi_set1 (0x10001), x);
}

#endif

/* Sums of rows, and products with rows of weights in place. */

static gint32
row_sum (gsize k, const gint8 *w)
{
  vi acc = vi_zero ();
  gsize p = 0;

  for (; p + STEP <= k; p += STEP)
    acc = add_x (acc, load_x (w + p));
  if (p < k)
    acc = add_x (acc, load_x_n (w + p, k - p));
  return vi_sum (acc);
}

static void
row_sums (gsize n, gsize k, const gint8 *w, gsize ldw, gint32 *sums)
{
  for (gsize j = 0; j < n; j++)
    sums[j] = row_sum (k, w + j * ldw);
}

/*
 * Multiplies m rows of x with n rows of weights, for whole vectors of k. m and n are constants when
 * inlined.
 */
INLINE void
dot_block (const gsize m, const gsize n, gsize k, const gint8 *x, gsize ldx, const gint32 *bias,
           const gint8 *w, gsize ldw, gint32 *sums, gsize ldsums)
{
  vi acc[PT_DOT_ROWS][ROWS_FOR_ONE], xs[PT_DOT_ROWS];

  UNROLLED (i, m)
    UNROLLED (j, n)
      acc[i][j] = vi_zero ();
  for (gsize p = 0; p + STEP <= k; p += STEP) {
    UNROLLED (i, m)
      xs[i] = load_x (x + i * ldx + p);
    UNROLLED (j, n) {
      vi ws = to_weights (load_x (w + j * ldw + p));

      _mm_prefetch ((const char *) (w + (j + n) * ldw + p),
                    _MM_HINT_T0); /* the address of the next rows */
      UNROLLED (i, m)
        acc[i][j] = dot (acc[i][j], ws, xs[i]);
    }
  }
  UNROLLED (i, m)
    UNROLLED (j, n / 4)
      _mm_storeu_si128 ((__m128i *) (sums + i * ldsums + 4 * j),
                        _mm_sub_epi32 (vi_sum_4 (acc[i][4 * j], acc[i][4 * j + 1],
                                                 acc[i][4 * j + 2], acc[i][4 * j + 3]),
                                       _mm_set1_epi32 (bias[i])));
  if (n < 4)
    UNROLLED (i, m)
      UNROLLED (j, n)
        sums[i * ldsums + j] = (gint32) ((guint32) vi_sum (acc[i][j]) - (guint32) bias[i]);
}

/* Adds the columns after the last whole vector. */
static void
dot_rest (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
          gint32 *sums, gsize ldsums)
{
  gsize p = k - k % STEP;

  for (gsize i = 0; i < m; i++) {
    vi xs = load_x_n (x + i * ldx + p, k - p);

    for (gsize j = 0; j < n; j++) {
      vi ws = to_weights (load_x_n (w + j * ldw + p, k - p));

      sums[i * ldsums + j] += vi_sum (dot (vi_zero (), ws, xs));
    }
  }
}

INLINE void
dot_all_rows (const gsize m, const gsize block, gsize n, gsize k, const gint8 *x, gsize ldx,
              const gint32 *bias, const gint8 *w, gsize ldw, gint32 *sums, gsize ldsums)
{
  gsize j = 0;

  for (; j + block <= n; j += block)
    dot_block (m, block, k, x, ldx, bias, w + j * ldw, ldw, sums + j, ldsums);
  for (; j < n; j++)
    dot_block (m, 1, k, x, ldx, bias, w + j * ldw, ldw, sums + j, ldsums);
}

static void
dot_rows (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
          gint32 *sums, gsize ldsums)
{
  gint32 bias[PT_DOT_ROWS] = { 0 };

  for (gsize i = 0; BIAS && i < m; i++)
    bias[i] = (gint32) ((guint32) row_sum (k, x + i * ldx) * BIAS);
  switch (m) {
  case 1: dot_all_rows (1, ROWS_FOR_ONE, n, k, x, ldx, bias, w, ldw, sums, ldsums); break;
  case 2: dot_all_rows (2, 4, n, k, x, ldx, bias, w, ldw, sums, ldsums); break;
  case 3: dot_all_rows (3, ROWS_FOR_MANY, n, k, x, ldx, bias, w, ldw, sums, ldsums); break;
  default: dot_all_rows (4, ROWS_FOR_MANY, n, k, x, ldx, bias, w, ldw, sums, ldsums); break;
  }
  if (k % STEP != 0)
    dot_rest (m, n, k, x, ldx, w, ldw, sums, ldsums);
}

/*
 * Multiplies one row of weights, from its first to its last whole vector. One instruction reads all
 * rows: the processor prefetches for each load instruction separately, and four alternating
 * instructions disturb it.
 */
INLINE vi
stream_row (gsize k, const gint8 *x, const gint8 *w, guintptr ahead, gboolean past_caches)
{
  vi acc[2] = { vi_zero (), vi_zero () };
  gsize p = 0;

  for (; p + LINE <= k; p += LINE) {
    fetch_line (ahead + p, past_caches);
    UNROLLED (v, LINE / STEP)
      acc[v % 2] =
          dot (acc[v % 2], to_weights (load_x (w + p + v * STEP)), load_x (x + p + v * STEP));
  }
  for (; p + STEP <= k; p += STEP)
    acc[0] = dot (acc[0], to_weights (load_x (w + p)), load_x (x + p));
  return vi_add (acc[0], acc[1]);
}

static void
stream_rows (gsize n, gsize k, const gint8 *x, const gint8 *w, const gint8 *next, gint32 *sums)
{
  const gboolean past_caches = pt_cpu_fetches_past_caches ();
  const gsize ahead = rows_ahead (k, 1);
  gint32 bias = BIAS ? (gint32) ((guint32) row_sum (k, x) * BIAS) : 0;
  gsize j = 0;

  for (; j + 4 <= n; j += 4) {
    vi r[4];

    for (gsize i = 0; i < 4; i++) /* not unrolled, see stream_row() */
      r[i] = stream_row (k, x, w + (j + i) * k, address_of_row (j + i + ahead, n, k, w, next),
                         past_caches);
    _mm_storeu_si128 ((__m128i *) (sums + j),
                      _mm_sub_epi32 (vi_sum_4 (r[0], r[1], r[2], r[3]), _mm_set1_epi32 (bias)));
  }
  for (; j < n; j++) {
    vi r = stream_row (k, x, w + j * k, address_of_row (j + ahead, n, k, w, next), past_caches);

    sums[j] = (gint32) ((guint32) vi_sum (r) - (guint32) bias);
  }
  if (k % STEP != 0)
    dot_rest (1, n, k, x, k, w, k, sums, n);
}

/* Tiles: for each lane of k, a panel holds one lane of every column. k is rounded up to 4. */

#if LANES == 16
#define MR 14
#else
#define MR 6
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)

static gsize
panel_size (gsize k)
{
  return NR * pt_div_up (k, 4) * (4 / IN_LANE) * sizeof (gint32);
}

static void
pack (gsize n, gsize k, const gint8 *w, gsize ldw, gpointer panel)
{
  pack_panel (VECTORS, FALSE, (gint8) BIAS, n, k, w, ldw, panel);
}

/*
 * sums = start (or the former sums, when NULL) + products of n_lanes lanes of m rows. Rows of x are
 * ldx bytes apart.
 */
INLINE void
add_lanes (const gsize m, gsize n_lanes, const guint8 *x, gsize ldx, const gint32 *panel,
           const gint32 *start, gint32 *sums, gsize ldsums)
{
  vi acc[MR][VECTORS], w[VECTORS];

  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      acc[i][v] = start ? vi_set1 (start[i]) : vi_load (sums + i * ldsums + v * LANES);
  for (gsize lane = 0; lane < n_lanes; lane++) {
    UNROLLED (v, VECTORS)
      w[v] = vi_load (panel + lane * NR + v * LANES);
    UNROLLED (i, m) {
      vi xs = vi_set1 (load_lane (x + i * ldx + 4 * lane));

      UNROLLED (v, VECTORS)
        acc[i][v] = dot (acc[i][v], w[v], xs);
    }
  }
  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      vi_store (sums + i * ldsums + v * LANES, acc[i][v]);
}

#define LANES_CASE(M) \
  case M: add_lanes (M, n_lanes, x, ldx, panel, start, sums, ldsums); break

static void
add_lanes_of (gsize m, gsize n_lanes, const guint8 *x, gsize ldx, const gint32 *panel,
              const gint32 *start, gint32 *sums, gsize ldsums)
{
  switch (m) {
    LANES_CASE (1);
    LANES_CASE (2);
    LANES_CASE (3);
    LANES_CASE (4);
    LANES_CASE (5);
    LANES_CASE (6);
#if MR > 6
    LANES_CASE (7);
    LANES_CASE (8);
    LANES_CASE (9);
    LANES_CASE (10);
    LANES_CASE (11);
    LANES_CASE (12);
    LANES_CASE (13);
    LANES_CASE (14);
#endif
  }
}

#if VNNI

static void
tile (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums, gconstpointer panel,
      gint32 *sums, gsize ldsums)
{
  const gint32 *lanes = panel;
  gsize whole = k / 4;
  gint32 start[MR] = { 0 };
  guint8 rest[MR][4] = { { 0 } };

  for (gsize i = 0; i < m; i++)
    start[i] = (gint32) - ((guint32) x_sums[i] * BIAS);
  add_lanes_of (m, whole, (const guint8 *) x, ldx, lanes, start, sums, ldsums);
  if (k % 4 == 0)
    return;
  for (gsize i = 0; i < m; i++)
    memcpy (rest[i], x + i * ldx + 4 * whole, k % 4);
  add_lanes_of (m, 1, rest[0], sizeof rest[0], lanes + whole * NR, NULL, sums, ldsums);
}

#else

/* x is widened in pieces that stay in the L1 cache. */
#define WIDE 256

static void
tile (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums, gconstpointer panel,
      gint32 *sums, gsize ldsums)
{
  static const gint32 start[MR] = { 0 };
  const gint32 *lanes = panel;
  gint16 wide[MR][WIDE];

  for (gsize p = 0; p < k; p += WIDE) {
    gsize n = MIN (WIDE, k - p);

    for (gsize i = 0; i < m; i++) {
      gsize j = 0;

      for (; j + STEP <= n; j += STEP)
        vi_store (&wide[i][j], vi_load_wide (x + i * ldx + p + j));
      if (j < n)
        vi_store (&wide[i][j], vi_load_wide_n (x + i * ldx + p + j, n - j));
    }
    add_lanes_of (m, (n + 1) / 2, (const guint8 *) wide, sizeof wide[0], lanes + p / IN_LANE * NR,
                  p == 0 ? start : NULL, sums, ldsums);
  }
}

#endif

static void
multiply (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums, gsize n_panels,
          gconstpointer panels, gint32 *sums, gsize ldsums)
{
  for (gsize i = 0; i < n_panels; i++)
    tile (m, k, x, ldx, x_sums, (const guint8 *) panels + i * panel_size (k), sums + i * NR,
          ldsums);
}

const PtInt8Kernels PT_INT8_KERNELS = {
  .dot_rows = dot_rows,
  .stream_rows = stream_rows,
  .row_sums = row_sums,
};

const PtInt8TileKernels PT_INT8_TILE_KERNELS = {
  .mr = MR,
  .nr = NR,
  .panel_size = panel_size,
  .pack = pack,
  .multiply = multiply,
};
