/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/neon-dot.h"

/*
 * Tiles of products with 4-bit weights in groups, for 64-bit ARM. The file is compiled once for
 * each level; PT_Q4_TILE_KERNELS is the name of the table.
 *
 * A panel has for each group the unpacked weights (neon-dot.h), then for each column the sum of its
 * weights and its scale: sum (x - z) w = sum x w - z sum w.
 */

#define PART 32
/* Rows of a tile: their integer sums and their float sums are in registers. */
#define TILE_ROWS 4
#define MAX_DEPTH 8192

/* Bytes of a group in a panel. */
INLINE gsize
group_bytes (gsize group)
{
  return panel_bytes (group) + NR * (sizeof (gint32) + sizeof (float));
}

static gsize
panel_size (gsize k, gsize group)
{
  return k / group * group_bytes (group);
}

/* PART nibbles to bytes. */
INLINE void
unpack_part (const guint8 *w, gint8 *bytes)
{
  const int8x16_t eights = vdupq_n_s8 (8);
  uint8x16_t pairs = vld1q_u8 (w);
  int8x16_t low = vsubq_s8 (vreinterpretq_s8_u8 (vandq_u8 (pairs, vdupq_n_u8 (15))), eights);
  int8x16_t high = vsubq_s8 (vreinterpretq_s8_u8 (vshrq_n_u8 (pairs, 4)), eights);

  vst1q_s8 (bytes, vzip1q_s8 (low, high));
  vst1q_s8 (bytes + BLOCK, vzip2q_s8 (low, high));
}

/* Packs one group of n rows, whose nibbles begin at @w. */
static void
pack_group (gsize n, gsize group, const guint8 *w, gsize row_bytes, gint8 *panel, gint32 sums[NR])
{
  gint8 bytes[NR][PART] = { { 0 } };

  for (gsize p = 0; p < group; p += PART, w += PART / 2) {
    for (gsize j = 0; j < n; j++) {
      unpack_part (w + j * row_bytes, bytes[j]);
      sums[j] += vaddlvq_s8 (vld1q_s8 (bytes[j])) + vaddlvq_s8 (vld1q_s8 (bytes[j] + BLOCK));
    }
    pack_rows (NR, PART, bytes[0], PART, panel + p * NR);
  }
}

static void
pack (gsize n, gsize k, const PtQ4Rows *rows, gpointer panel)
{
  gsize group = rows->group, n_groups = k / group, stride = rows->k / group;

  for (gsize g = 0; g < n_groups; g++) {
    gint8 *to = (gint8 *) panel + g * group_bytes (group);
    gint32 *sums = (gpointer) (to + panel_bytes (group));
    float *scales = (float *) (sums + NR);

    for (gsize j = 0; j < NR; j++) {
      sums[j] = 0;
      scales[j] = j < n ? pt_bf16_to_f32 (rows->scales[j * stride + g]) : 0.0f;
    }
    pack_group (n, group, rows->weights + g * group / 2, rows->k / 2, to, sums);
  }
}

/* Adds a group of m rows, with its scales, to the float sums. */
INLINE void
add_group (const gsize m, gsize group, const gint8 *x, const PtQ4TileRows *rows, const gint8 *panel,
           vf acc[TILE_ROWS][VECTORS])
{
  const gint32 *sums = (gconstpointer) (panel + panel_bytes (group));
  const float *scales = (const float *) (sums + NR);
  vi d[SUM_ROWS][SUM_COLUMNS];

  clear_sums (d);
  for (gsize p = 0; p < group; p += BLOCK)
    add_block (m, x + p, rows->stride, panel + p * NR, d);
  UNROLLED (v, VECTORS) {
    vi sum = vi_load (sums + v * LANES);
    vf scale = vf_load (scales + v * LANES);

    UNROLLED (i, m) {
      vi whole = vmlsq_n_s32 (sums_of_row (d, i, v), sum, rows->zero[i]);

      acc[i][v] = vf_add (acc[i][v], vf_mul (vi_to_float (whole), scale));
    }
  }
}

/* Columns [v * LANES, ...) of the n that are there. */
INLINE gsize
columns_in (gsize n, gsize v)
{
  return n < v * LANES ? 0 : MIN (n - v * LANES, LANES);
}

/* Multiplies m rows, a constant when inlined, with a panel. */
INLINE void
tile_rows (const gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
           const gint8 *panel, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  vf acc[TILE_ROWS][VECTORS];

  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      acc[i][v] =
          ends->accumulate ? vf_load_n (c + i * ldc + v * LANES, columns_in (n, v)) : vf_zero ();
  for (gsize g = 0; g < n_groups; g++, panel += group_bytes (group))
    add_group (m, group, rows->x + g * group, rows, panel, acc);
  UNROLLED (i, m)
    UNROLLED (v, VECTORS) {
      vf y = acc[i][v];

      if (ends->finish) {
        y = vf_mul (y, vf_set1 (rows->scale[i]));
        if (ends->bias != NULL)
          y = vf_add (y, vf_load_n (ends->bias + v * LANES, columns_in (n, v)));
        y = vf_clamp (y, vf_set1 (ends->min), vf_set1 (ends->max));
      }
      vf_store_n (c + i * ldc + v * LANES, y, columns_in (n, v));
    }
}

#define TILE(M) tile_rows (M, n, n_groups, group, rows, panel, ends, c, ldc)

static void
multiply_panel (gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
                gconstpointer panel, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  switch (m) {
  case 1: TILE (1); break;
  case 2: TILE (2); break;
  case 3: TILE (3); break;
  case 4: TILE (4); break;
  }
}

#include "engine/kernels/q4-panels.h"

const PtQ4TileKernels PT_Q4_TILE_KERNELS = {
  .mr = TILE_ROWS,
  .nr = NR,
  .max_depth = MAX_DEPTH,
  .panel_size = panel_size,
  .pack = pack,
  .multiply = multiply,
};
