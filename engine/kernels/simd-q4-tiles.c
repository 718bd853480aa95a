/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-q4.h"

/*
 * Tiles of products with 4-bit weights in groups, for AVX2 and AVX-512 with and without VNNI;
 * PT_Q4_TILE_KERNELS is the name of the table.
 *
 * A stored nibble s is w + 8, and sum (x - z) w = sum x s - z sum s - 8 sum (x - z). The last term
 * depends only on the row of x and the group: it is the start value of the sum. The middle term is
 * computed like the first one, from one more lane: sum s as two bytes, twice, times -z as a sum of
 * two bytes.
 *
 * For each 32 of k, a panel holds eight lanes of every column (four of k each) and that lane. The
 * scales lie behind each group.
 */

#if LANES == 16
#define MR 6
#else
#define MR 3
#endif
#define VECTORS 2
#define NR (VECTORS * LANES)
#define MAX_DEPTH 8192

#define PART 32
#define PART_LANES (PART / 4)
/* Lanes of a part in a panel, with the lane of the sums. */
#define PANEL_LANES (PART_LANES + 1)
/* Parts that a vector has room for. */
#define PARTS (LANES / PART_LANES)

static gsize
panel_size (gsize k, gsize group)
{
  return (k / PART * PANEL_LANES + k / group) * NR * sizeof (gint32);
}

/* The address of a part in a panel. */
INLINE gint32 *
part_at (gpointer panel, gsize part, gsize parts_in_group)
{
  return (gint32 *) panel + (part * PANEL_LANES + part / parts_in_group) * NR;
}

/* Loads up to PARTS parts of a row: bytes from nibbles. */
INLINE vi
unpack_parts (const guint8 *w, gsize parts)
{
#if LANES == 16
  __m256i bytes = parts == PARTS ? _mm256_loadu_si256 ((const __m256i *) w)
                                 : _mm256_castsi128_si256 (_mm_loadu_si128 ((const __m128i *) w));
  vi pairs = _mm512_cvtepu8_epi16 (bytes);

  return vi_and (vi_or (pairs, _mm512_slli_epi16 (pairs, 4)), vi_set1_8 (15));
#else
  vi pairs = _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) w));

  return vi_and (vi_or (pairs, _mm256_slli_epi16 (pairs, 4)), vi_set1_8 (15));
#endif
}

/* The lanes of one part for LANES columns, and the lanes of their sums. */
INLINE void
store_part (const vi lanes[PART_LANES], gint32 *to)
{
  vi sum = vi_zero (), low, both;

  UNROLLED (i, PART_LANES) {
    vi_store (to + i * NR, lanes[i]);
    sum = add_products (sum, lanes[i], vi_set1_8 (1));
  }
  low = vi_min (sum, vi_set1 (255));
  both = vi_or (low, vi_sll (vi_sub (sum, low), 8));
  vi_store (to + PART_LANES * NR, vi_or (both, vi_sll (both, 16)));
}

static void
pack_columns (gsize n, gsize k, const PtQ4Rows *rows, gsize column, gpointer panel)
{
  gsize n_parts = k / PART, in_group = rows->group / PART;

  for (gsize part = 0; part < n_parts; part += PARTS) {
    gsize here = MIN (PARTS, n_parts - part);
    vi r[LANES];

    UNROLLED (j, LANES)
      r[j] = column + j < n
                 ? unpack_parts (rows->weights + (column + j) * (rows->k / 2) + part * (PART / 2),
                                 here)
                 : vi_zero ();
    transpose (r);
    UNROLLED (i, PARTS)
      if (i < here)
        store_part (r + i * PART_LANES, part_at (panel, part + i, in_group) + column);
  }
}

static void
pack (gsize n, gsize k, const PtQ4Rows *rows, gpointer panel)
{
  gsize in_group = rows->group / PART, n_groups = k / rows->group, stride = rows->k / rows->group;

  for (gsize column = 0; column < NR; column += LANES)
    pack_columns (n, k, rows, column, panel);
  for (gsize g = 0; g < n_groups; g++) {
    /* The address behind the last part of the group. */
    float *scales = (float *) part_at (panel, g * in_group, in_group) + in_group * PANEL_LANES * NR;

    for (gsize j = 0; j < NR; j++)
      scales[j] = j < n ? pt_bf16_to_f32 (rows->scales[j * stride + g]) : 0.0f;
  }
}

/* -8 sum (x - z) for each group of a row. */
static void
starts (gsize n_groups, gsize group, const gint8 *x, gint32 zero, gint32 *out)
{
  const gint32 all = (gint32) group * 8 * zero;

  for (gsize g = 0; g < n_groups; g += 4) {
    gint32 four[4];
    vi sums[4];

    UNROLLED (i, 4) {
      sums[i] = vi_zero ();
      for (gsize p = 0; g + i < n_groups && p < group; p += PART)
        sums[i] =
            add_products (sums[i], vi_set1_8 (8), vi_load_bytes (x + (g + i) * group + p, PART));
    }
    _mm_storeu_si128 ((__m128i *) four, vi_sum_4 (sums[0], sums[1], sums[2], sums[3]));
    for (gsize i = 0; i < MIN (4, n_groups - g); i++)
      out[g + i] = all - four[i];
  }
}

/* 16 products of numbers up to 15 and 128 fit 16 bits: without VNNI a part is widened once. */
G_STATIC_ASSERT (2 * PART_LANES * 15 * 128 <= G_MAXINT16);

/* sums + products of lanes: 32-bit sums with VNNI, else 16-bit ones. */
INLINE vi
add_lane (vi sums, vi w, vi x)
{
#if VNNI
  return add_products (sums, w, x);
#else
  return vi_add_16 (sums, multiply_bytes (w, x));
#endif
}

/* Adds the products of the lanes of a part, of m rows. */
INLINE void
add_lanes (const gsize m, const gint8 *x, gsize stride, const gint32 *panel, vi sums[MR][VECTORS])
{
  vi w[VECTORS];

  for (gsize lane = 0; lane < PART_LANES; lane++) {
    UNROLLED (v, VECTORS)
      w[v] = vi_load (panel + lane * NR + v * LANES);
    UNROLLED (i, m) {
      vi xs = vi_set1 (load_lane (x + i * stride + 4 * lane));

      UNROLLED (v, VECTORS)
        sums[i][v] = add_lane (sums[i][v], w[v], xs);
    }
  }
}

/* d + the products of a part, of m rows. */
INLINE void
add_part (const gsize m, const gint8 *x, gsize stride, const gint32 *panel, vi d[MR][VECTORS])
{
#if VNNI
  add_lanes (m, x, stride, panel, d);
#else
  vi sums[MR][VECTORS];

  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      sums[i][v] = vi_zero ();
  add_lanes (m, x, stride, panel, sums);
  UNROLLED (i, m)
    UNROLLED (v, VECTORS)
      d[i][v] = add_words (d[i][v], sums[i][v]);
#endif
}

/* Multiplies m rows with a whole panel. m is a constant when inlined. */
INLINE void
tile_rows (const gsize m, gsize n_groups, gsize in_group, const PtQ4TileRows *rows,
           const gint32 *panel, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  vf acc[MR][VECTORS];
  vi d[MR][VECTORS], w[VECTORS];
  const gint8 *x = rows->x;
  gint32 zeros[MR];

  UNROLLED (i, m) {
    zeros[i] = minus_zero (rows->zero[i]);
    UNROLLED (v, VECTORS)
      acc[i][v] = ends->accumulate ? vf_load (c + i * ldc + v * LANES) : vf_zero ();
  }
  for (gsize g = 0; g < n_groups; g++) {
    UNROLLED (i, m)
      UNROLLED (v, VECTORS)
        d[i][v] = vi_set1 (rows->starts[i * rows->start_stride + g]);
    for (gsize part = 0; part < in_group; part++) {
      add_part (m, x, rows->stride, panel, d);
      panel += PART_LANES * NR;
      UNROLLED (v, VECTORS)
        w[v] = vi_load (panel + v * LANES);
      UNROLLED (i, m)
        UNROLLED (v, VECTORS)
          d[i][v] = add_products (d[i][v], w[v], vi_set1 (zeros[i]));
      panel += NR;
      x += PART;
    }
    UNROLLED (i, m)
      UNROLLED (v, VECTORS)
        acc[i][v] = vf_add (
            acc[i][v], vf_mul (vi_to_float (d[i][v]), vf_load ((const float *) panel + v * LANES)));
    panel += NR;
  }
  UNROLLED (i, m)
    UNROLLED (v, VECTORS) {
      vf y = acc[i][v];

      if (ends->finish) {
        y = vf_mul (y, vf_set1 (rows->scale[i]));
        if (ends->bias != NULL)
          y = vf_add (y, vf_load (ends->bias + v * LANES));
        y = vf_clamp (y, vf_set1 (ends->min), vf_set1 (ends->max));
      }
      vf_store (c + i * ldc + v * LANES, y);
    }
}

#define TILE_CASE(M) \
  case M: tile_rows (M, n_groups, in_group, rows, panel, ends, c, ldc); break

static void
tile_of (gsize m, gsize n_groups, gsize in_group, const PtQ4TileRows *rows, const gint32 *panel,
         const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  switch (m) {
    TILE_CASE (1);
    TILE_CASE (2);
    TILE_CASE (3);
#if MR > 3
    TILE_CASE (4);
    TILE_CASE (5);
    TILE_CASE (6);
#endif
  }
}

/* For fewer columns than a panel has. */
static void
tile_narrow (gsize m, gsize n, gsize n_groups, gsize in_group, const PtQ4TileRows *rows,
             const gint32 *panel, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  float room[MR * NR] = { 0 }, bias[NR] = { 0 };
  PtQ4TileEnds all = *ends;

  for (gsize i = 0; ends->accumulate && i < m; i++)
    __builtin_memcpy (room + i * NR, c + i * ldc, n * sizeof *c);
  if (ends->bias != NULL) {
    __builtin_memcpy (bias, ends->bias, n * sizeof *bias);
    all.bias = bias;
  }
  tile_of (m, n_groups, in_group, rows, panel, &all, room, NR);
  for (gsize i = 0; i < m; i++)
    __builtin_memcpy (c + i * ldc, room + i * NR, n * sizeof *c);
}

static void
multiply_panel (gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
                gconstpointer panel, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  if (n < NR)
    tile_narrow (m, n, n_groups, group / PART, rows, panel, ends, c, ldc);
  else
    tile_of (m, n_groups, group / PART, rows, panel, ends, c, ldc);
}

#include "engine/kernels/q4-panels.h"

const PtQ4TileKernels PT_Q4_TILE_KERNELS = {
  .mr = MR,
  .nr = NR,
  .max_depth = MAX_DEPTH,
  .panel_size = panel_size,
  .pack = pack,
  .starts = starts,
  .multiply = multiply,
};
