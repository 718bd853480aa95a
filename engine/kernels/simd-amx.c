/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd.h"
#include "engine/kernels/tiles.h"

/*
 * Integer products for AMX: blocks of 32x32 sums, computed with two by two tiles. Rows of x are
 * tiles in place. For each four of k, a panel holds four bytes of every column; k is rounded up to
 * 64, the depth of a tile.
 */

#define MR (2 * PT_TILE_ROWS)
#define NR (2 * LANES)
#define STEP PT_TILE_ROW_BYTES

/* Bytes from one four of k to the next in a panel. */
#define PANEL_ROW (NR * 4)

/* Numbers of the tiles: rows of x, columns of weights, and the sums of both. */
#define X_0 0
#define X_1 1
#define W_0 2
#define W_1 3
#define SUMS_00 4
#define SUMS_01 5
#define SUMS_10 6
#define SUMS_11 7

static gsize
panel_size (gsize k)
{
  return NR * (pt_div_up (k, STEP) * STEP);
}

static void
pack (gsize n, gsize k, const gint8 *w, gsize ldw, gpointer panel)
{
  guint8 *to = panel;

  for (gsize p = 0; p < k; p += STEP)
    for (gsize column = 0; column < NR; column += LANES) {
      vi r[LANES];

      UNROLLED (j, LANES)
        r[j] = column + j < n ? vi_load_bytes (w + (column + j) * ldw + p, MIN (STEP, k - p))
                              : vi_zero ();
      transpose (r);
      UNROLLED (i, LANES)
        vi_store (to + p * NR + i * PANEL_ROW + column * 4, r[i]);
    }
}

static void
configure (gsize m)
{
  PtTileConfig config = { .palette = 1 };
  guint8 rows[2] = { (guint8) MIN (m, PT_TILE_ROWS), (guint8) (m - MIN (m, PT_TILE_ROWS)) };

  config.rows[X_0] = config.rows[SUMS_00] = config.rows[SUMS_01] = rows[0];
  config.rows[X_1] = config.rows[SUMS_10] = config.rows[SUMS_11] = rows[1];
  config.rows[W_0] = config.rows[W_1] = STEP / 4;
  for (guint i = 0; i < 8; i++)
    config.row_bytes[i] = config.rows[i] > 0 ? PT_TILE_ROW_BYTES : 0;
  PT_TILES_CONFIGURE (&config);
}

/* Multiplies 64 of k. */
INLINE void
add_products (const gboolean both, const gint8 *x, gsize ldx, const guint8 *panel)
{
  PT_TILE_LOAD (X_0, x, ldx);
  PT_TILE_LOAD (W_0, panel, PANEL_ROW);
  PT_TILE_DOT (SUMS_00, X_0, W_0);
  PT_TILE_LOAD (W_1, panel + PANEL_ROW / 2, PANEL_ROW);
  PT_TILE_DOT (SUMS_01, X_0, W_1);
  if (both) {
    PT_TILE_LOAD (X_1, x + PT_TILE_ROWS * ldx, ldx);
    PT_TILE_DOT (SUMS_10, X_1, W_0);
    PT_TILE_DOT (SUMS_11, X_1, W_1);
  }
}

/*
 * Multiplies up to 16 rows, or @both halves of up to 32. @rest: the columns of x after the last
 * whole step.
 */
INLINE void
multiply_panel (const gboolean both, gsize k, const gint8 *x, gsize ldx, const gint8 *rest,
                const guint8 *panel, gint32 *sums, gsize ldsums)
{
  gsize stride = ldsums * sizeof *sums, p = 0;

  PT_TILE_ZERO (SUMS_00);
  PT_TILE_ZERO (SUMS_01);
  if (both) {
    PT_TILE_ZERO (SUMS_10);
    PT_TILE_ZERO (SUMS_11);
  }
  for (; p + STEP <= k; p += STEP)
    add_products (both, x + p, ldx, panel + p * NR);
  if (p < k)
    add_products (both, rest, STEP, panel + p * NR);
  PT_TILE_STORE (SUMS_00, sums, stride);
  PT_TILE_STORE (SUMS_01, sums + LANES, stride);
  if (both) {
    PT_TILE_STORE (SUMS_10, sums + PT_TILE_ROWS * ldsums, stride);
    PT_TILE_STORE (SUMS_11, sums + PT_TILE_ROWS * ldsums + LANES, stride);
  }
}

/* Both operands are signed bytes, so the sums of x are not needed. */
static void
multiply (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums, gsize n_panels,
          gconstpointer panels, gint32 *sums, gsize ldsums)
{
  gint8 rest[MR * STEP] __attribute__ ((aligned (STEP)));
  gsize whole = k - k % STEP;

  for (gsize i = 0; whole < k && i < m; i++)
    vi_store (rest + i * STEP, vi_load_bytes (x + i * ldx + whole, k - whole));
  configure (m);
  for (gsize i = 0; i < n_panels; i++) {
    const guint8 *panel = (const guint8 *) panels + i * panel_size (k);

    if (m > PT_TILE_ROWS)
      multiply_panel (TRUE, k, x, ldx, rest, panel, sums + i * NR, ldsums);
    else
      multiply_panel (FALSE, k, x, ldx, rest, panel, sums + i * NR, ldsums);
  }
  PT_TILES_RELEASE ();
}

const PtInt8TileKernels PT_INT8_TILE_KERNELS = {
  .mr = MR,
  .nr = NR,
  .panel_size = panel_size,
  .pack = pack,
  .multiply = multiply,
};
