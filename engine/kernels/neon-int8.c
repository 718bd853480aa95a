/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/neon-dot.h"

/*
 * Integer products for 64-bit ARM. The file is compiled once for each level; PT_INT8_KERNELS and
 * PT_INT8_TILE_KERNELS are the names of the tables.
 */

/* Rows of weights that are multiplied at once. */
#define ROWS 4
/* Bytes of a cache line. */
#define LINE 64

static void
row_sums (gsize n, gsize k, const gint8 *w, gsize ldw, gint32 *sums)
{
  const int8x16_t ones = vdupq_n_s8 (1);

  for (gsize j = 0; j < n; j++, w += ldw) {
    vi acc = vi_zero ();
    gsize p = 0;

    for (; p + BLOCK <= k; p += BLOCK)
      acc = dot_any (acc, vld1q_s8 (w + p), ones);
    if (p < k)
      acc = dot_any (acc, load_bytes (w + p, k - p), ones);
    sums[j] = vaddvq_s32 (acc);
  }
}

/* Stores the first n of four sums. */
INLINE void
store_sums (gint32 *sums, vi four, gsize n)
{
  if (n >= ROWS)
    vi_store (sums, four);
  else
    vi_store_n (sums, four, n);
}

/* Multiplies m rows of x, a constant when inlined, with up to four rows of weights. */
INLINE void
dot_block (const gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
           gint32 *sums, gsize ldsums)
{
  const gint8 *rows[ROWS];
  vi acc[PT_DOT_ROWS][ROWS];
  int8x16_t xs[PT_DOT_ROWS];
  gsize p = 0;

  UNROLLED (j, ROWS)
    rows[j] = w + MIN (j, n - 1) * ldw;
  UNROLLED (i, m)
    UNROLLED (j, ROWS)
      acc[i][j] = vi_zero ();
  for (; p < k; p += BLOCK) {
    gboolean whole = k - p >= BLOCK;

    UNROLLED (i, m)
      xs[i] = whole ? vld1q_s8 (x + i * ldx + p) : load_bytes (x + i * ldx + p, k - p);
    UNROLLED (j, ROWS) {
      int8x16_t ws = whole ? vld1q_s8 (rows[j] + p) : load_bytes (rows[j] + p, k - p);

      UNROLLED (i, m)
        acc[i][j] = dot_any (acc[i][j], ws, xs[i]);
    }
  }
  UNROLLED (i, m)
    store_sums (sums + i * ldsums, vi_sum_4 (acc[i][0], acc[i][1], acc[i][2], acc[i][3]), n);
}

static void
dot_rows (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
          gint32 *sums, gsize ldsums)
{
  for (gsize j = 0; j < n; j += ROWS, w += ROWS * ldw) {
    gsize here = MIN (ROWS, n - j);

    switch (m) {
    case 1: dot_block (1, here, k, x, ldx, w, ldw, sums + j, ldsums); break;
    case 2: dot_block (2, here, k, x, ldx, w, ldw, sums + j, ldsums); break;
    case 3: dot_block (3, here, k, x, ldx, w, ldw, sums + j, ldsums); break;
    default: dot_block (4, here, k, x, ldx, w, ldw, sums + j, ldsums); break;
    }
  }
}

/*
 * Multiplies four contiguous rows of weights. The bytes that are prefetched from @ahead on are
 * contiguous, too.
 */
INLINE vi
stream_four (gsize k, const gint8 *x, const gint8 *w, guintptr ahead)
{
  vi acc[ROWS] = { vi_zero (), vi_zero (), vi_zero (), vi_zero () };
  gsize p = 0;

  for (; p + LINE <= k; p += LINE) {
    UNROLLED (j, ROWS)
      fetch_line (ahead + ROWS * p + j * LINE, FALSE);
    UNROLLED (v, LINE / BLOCK) {
      int8x16_t xs = vld1q_s8 (x + p + v * BLOCK);

      UNROLLED (j, ROWS)
        acc[j] = dot_any (acc[j], vld1q_s8 (w + j * k + p + v * BLOCK), xs);
    }
  }
  for (; p < k; p += BLOCK) {
    int8x16_t xs = load_bytes (x + p, k - p);

    UNROLLED (j, ROWS)
      acc[j] = dot_any (acc[j], load_bytes (w + j * k + p, k - p), xs);
  }
  return vi_sum_4 (acc[0], acc[1], acc[2], acc[3]);
}

static void
stream_rows (gsize n, gsize k, const gint8 *x, const gint8 *w, const gint8 *next, gint32 *sums)
{
  const gsize ahead = rows_ahead (k, ROWS);
  gsize j = 0;

  for (; j + ROWS <= n; j += ROWS)
    vi_store (sums + j, stream_four (k, x, w + j * k, address_of_row (j + ahead, n, k, w, next)));
  if (j < n)
    dot_rows (1, n - j, k, x, k, w + j * k, k, sums + j, n);
}

/* ---- Tiles ---- */

static void
pack (gsize n, gsize k, const gint8 *w, gsize ldw, gpointer panel)
{
  pack_rows (n, k, w, ldw, panel);
}

static gsize
panel_size (gsize k)
{
  return panel_bytes (k);
}

INLINE void
tile_rows (const gsize m, gsize k, const gint8 *x, gsize ldx, const gint8 *rest, const gint8 *panel,
           gint32 *sums, gsize ldsums)
{
  vi acc[SUM_ROWS][SUM_COLUMNS];
  gsize p = 0;

  clear_sums (acc);
  for (; p + BLOCK <= k; p += BLOCK)
    add_block (m, x + p, ldx, panel + p * NR, acc);
  if (p < k)
    add_block (m, rest, BLOCK, panel + p * NR, acc);
  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      vi_store (sums + i * ldsums + v * LANES, sums_of_row (acc, i, v));
}

#define TILE(M) tile_rows (M, k, x, ldx, rest, panel, sums, ldsums)

static void
multiply (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums, gsize n_panels,
          gconstpointer panels, gint32 *sums, gsize ldsums)
{
  const gint8 *panel = panels;
  gint8 rest[MR * BLOCK];

  if (k % BLOCK != 0)
    copy_rest (m, k, x, ldx, rest);
  for (gsize i = 0; i < n_panels; i++, panel += panel_bytes (k), sums += NR)
    switch (m) {
      ROW_CASES (TILE);
    }
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
