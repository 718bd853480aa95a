/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-q4.h"
#include "engine/kernels/tiles.h"

/*
 * Products of many rows with 4-bit weights in groups, for AMX: tiles of 16 rows and 16 columns.
 *
 * sum (x - z) w = sum x w - z sum w. For each part of 32 of k, a panel holds eight rows of a tile,
 * four weights of every column in each, and a ninth with sum w as two bytes, twice. A row of x has
 * -z as a sum of two bytes behind each part, so that the tile's sum is the whole integer sum.
 * Behind each group of a panel are the scales.
 *
 * The sums of a group leave their tile to be scaled. Two groups are multiplied while the two before
 * are scaled: the processor overlaps them.
 */

#define MR PT_TILE_ROWS
#define NR LANES

#define PART 32
/* Rows of the tile of a part: its weights, and their sums. */
#define PART_ROWS (PART / 4 + 1)
/* Bytes of a part in a panel, and of one row in packed rows of x. */
#define PART_BYTES (PART_ROWS * PT_TILE_ROW_BYTES)
#define X_BYTES 64
/* Parts of x that are packed at a time. With a half or a quarter of them it was slower. */
#define MAX_PARTS 32
#define MAX_DEPTH (MAX_PARTS * PART)

/* Groups whose sums are in memory: two being multiplied, two being scaled. */
#define SLOTS 4

/* Numbers of the tiles: for groups in even and odd places. */
#define X_0 0
#define X_1 1
#define W_0 2
#define W_1 3
#define SUMS_0 4
#define SUMS_1 5

typedef struct {
  guint8 x[MAX_PARTS][MR][X_BYTES];
  gint32 sums[SLOTS][MR * LANES];
  float c[MR][LANES];
} Room;

INLINE gsize
group_bytes (gsize in_group)
{
  return in_group * PART_BYTES + LANES * sizeof (float);
}

static gsize
panel_size (gsize k, gsize group)
{
  return k / group * group_bytes (group / PART);
}

/* ---- packing ---- */

/*
 * Eight rows of a tile from four vectors, whose lanes have eight weights of a column: first those
 * in the low halves of bytes, then those in the high ones. order_of_x() orders x alike.
 */
INLINE void
store_part (const vi nibbles[4], guint8 *to)
{
  const vi mask = vi_set1_8 (15), minus_eight = vi_set1_8 (-8);
  vi sum = vi_zero (), low, both;

  UNROLLED (i, 4) {
    vi even = vi_add_8 (vi_and (nibbles[i], mask), minus_eight);
    vi odd = vi_add_8 (vi_and (vi_srl_16 (nibbles[i], 4), mask), minus_eight);

    vi_store (to + 2 * i * PT_TILE_ROW_BYTES, even);
    vi_store (to + (2 * i + 1) * PT_TILE_ROW_BYTES, odd);
    sum = add_products (add_products (sum, vi_set1_8 (1), even), vi_set1_8 (1), odd);
  }
  low = vi_max (vi_min (sum, vi_set1 (127)), vi_set1 (-128));
  both = vi_or (vi_and (low, vi_set1 (255)), vi_sll (vi_and (vi_sub (sum, low), vi_set1 (255)), 8));
  vi_store (to + 2 * 4 * PT_TILE_ROW_BYTES, vi_or (both, vi_sll (both, 16)));
}

static void
pack_weights (gsize n, gsize k, const PtQ4Rows *rows, guint8 *panel)
{
  gsize n_parts = k / PART, in_group = rows->group / PART;

  for (gsize part = 0; part < n_parts; part += 4) {
    gsize bytes = MIN (4, n_parts - part) * (PART / 2);
    vi r[LANES];

    UNROLLED (j, LANES)
      r[j] = j < n ? vi_load_bytes (rows->weights + j * (rows->k / 2) + part * (PART / 2), bytes)
                   : vi_zero ();
    transpose (r);
    UNROLLED (i, 4)
      if (part + i < n_parts)
        store_part (r + 4 * i, panel + (part + i) * PART_BYTES +
                                   (part + i) / in_group * LANES * sizeof (float));
  }
}

static void
pack_scales (gsize n, gsize n_groups, const PtQ4Rows *rows, guint8 *panel)
{
  gsize stride = rows->k / rows->group, in_group = rows->group / PART;

  for (gsize g = 0; g < n_groups; g += LANES) {
    gsize count = MIN (LANES, n_groups - g);
    vi r[LANES];

    UNROLLED (j, LANES)
      r[j] = j < n ? vi_sll (_mm512_cvtepu16_epi32 (_mm256_maskz_loadu_epi16 (
                                 first_lanes (count), rows->scales + j * stride + g)),
                             16)
                   : vi_zero ();
    transpose (r);
    UNROLLED (i, LANES)
      if (i < count)
        vi_store (panel + (g + i) * group_bytes (in_group) + in_group * PART_BYTES, r[i]);
  }
}

static void
pack (gsize n, gsize k, const PtQ4Rows *rows, gpointer panel)
{
  pack_weights (n, k, rows, panel);
  pack_scales (n, k / rows->group, rows, panel);
}

/* The bytes of a part of x in the order of the weights. */
INLINE __m256i
order_of_x (const gint8 *x)
{
  const __m256i order = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));

  return _mm256_shuffle_epi8 (_mm256_loadu_si256 ((const __m256i *) x), order);
}

static void
pack_rows (gsize m, gsize n_parts, const PtQ4TileRows *rows, Room *room)
{
  for (gsize i = 0; i < m; i++) {
    const gint8 *x = rows->x + i * rows->stride;
    vi behind = _mm512_maskz_set1_epi32 (1 << (PART / 4), minus_zero (rows->zero[i]));

    for (gsize p = 0; p < n_parts; p++)
      vi_store (room->x[p][i], _mm512_inserti64x4 (behind, order_of_x (x + p * PART), 0));
  }
}

/* ---- products ---- */

static void
configure (gsize m)
{
  PtTileConfig config = { .palette = 1 };

  config.rows[X_0] = config.rows[X_1] = config.rows[SUMS_0] = config.rows[SUMS_1] = (guint8) m;
  config.rows[W_0] = config.rows[W_1] = PART_ROWS;
  config.row_bytes[X_0] = config.row_bytes[X_1] = 4 * PART_ROWS;
  config.row_bytes[W_0] = config.row_bytes[W_1] = PT_TILE_ROW_BYTES;
  config.row_bytes[SUMS_0] = config.row_bytes[SUMS_1] = PT_TILE_ROW_BYTES;
  PT_TILES_CONFIGURE (&config);
}

/* Multiplies one group with the tiles of the even or odd places. */
#define MULTIPLY_GROUP(X, W, SUMS, IN_GROUP, XS, PANEL, TO)             \
  G_STMT_START                                                          \
  {                                                                     \
    PT_TILE_ZERO (SUMS);                                                \
    for (gsize part = 0; part < (IN_GROUP); part++) {                   \
      PT_TILE_LOAD (X, (XS) + part * (MR * X_BYTES), X_BYTES);          \
      PT_TILE_LOAD (W, (PANEL) + part * PART_BYTES, PT_TILE_ROW_BYTES); \
      PT_TILE_DOT (SUMS, X, W);                                         \
    }                                                                   \
    PT_TILE_STORE (SUMS, TO, PT_TILE_ROW_BYTES);                        \
  }                                                                     \
  G_STMT_END

/* Adds the sums of a group, times its scales. */
INLINE void
add_group (vf acc[MR], const gint32 *sums, const guint8 *scales)
{
  vf scale = vf_load ((const float *) scales);

  UNROLLED (i, MR)
    acc[i] = vf_add (acc[i], vf_mul (vi_to_float (vi_load (sums + i * LANES)), scale));
}

/*
 * Adds the products of packed rows and a panel to room->c. single_part: a group is one part; a
 * constant when inlined.
 */
INLINE void
multiply_panel (const gboolean single_part, gsize n_groups, gsize group, const guint8 *panel,
                Room *room)
{
  const gsize in_group = single_part ? 1 : group / PART;
  const gsize x_step = in_group * sizeof *room->x, step = group_bytes (in_group);
  const guint8 *x = room->x[0][0], *scales = panel + in_group * PART_BYTES;
  vf acc[MR];

  UNROLLED (i, MR)
    acc[i] = vf_load (room->c[i]);
  /* Groups g and g + 1 are multiplied, the two before them are scaled. */
  for (gsize g = 0; g < n_groups + 2; g += 2) {
    if (g < n_groups)
      MULTIPLY_GROUP (X_0, W_0, SUMS_0, in_group, x + g * x_step, panel + g * step,
                      room->sums[g % SLOTS]);
    if (g + 1 < n_groups)
      MULTIPLY_GROUP (X_1, W_1, SUMS_1, in_group, x + (g + 1) * x_step, panel + (g + 1) * step,
                      room->sums[g % SLOTS + 1]);
    if (g == 0)
      continue;
    add_group (acc, room->sums[(g - 2) % SLOTS], scales + (g - 2) * step);
    if (g - 1 < n_groups)
      add_group (acc, room->sums[(g - 1) % SLOTS], scales + (g - 1) * step);
  }
  UNROLLED (i, MR)
    vf_store (room->c[i], acc[i]);
}

/* Stores the sums of m rows and the n columns from @column on. */
static void
store_sums (gsize m, gsize column, gsize n, const PtQ4TileRows *rows, const PtQ4TileEnds *ends,
            const Room *room, float *c, gsize ldc)
{
  for (gsize i = 0; i < m; i++) {
    vf y = vf_load (room->c[i]);

    if (ends->finish) {
      y = vf_mul (y, vf_set1 (rows->scale[i]));
      if (ends->bias != NULL)
        y = vf_add (y, vf_load_n (ends->bias + column, n));
      y = vf_clamp (y, vf_set1 (ends->min), vf_set1 (ends->max));
    }
    vf_store_n (c + i * ldc + column, y, n);
  }
}

static void
multiply (gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
          gconstpointer panels, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  gsize size = panel_size (n_groups * group, group);
  Room room __attribute__ ((aligned (64)));

  /* Rows of a tile that are not there are computed, too, but not stored. */
  memset (room.sums, 0, sizeof room.sums);
  pack_rows (m, n_groups * group / PART, rows, &room);
  configure (m);
  for (gsize column = 0; column < n; column += NR) {
    const guint8 *panel = (const guint8 *) panels + column / NR * size;
    gsize here = MIN (NR, n - column);

    memset (room.c, 0, sizeof room.c);
    for (gsize i = 0; ends->accumulate && i < m; i++)
      vf_store (room.c[i], vf_load_n (c + i * ldc + column, here));
    if (group == PART)
      multiply_panel (TRUE, n_groups, group, panel, &room);
    else
      multiply_panel (FALSE, n_groups, group, panel, &room);
    store_sums (m, column, here, rows, ends, &room, c, ldc);
  }
  PT_TILES_RELEASE ();
}

const PtQ4TileKernels PT_Q4_TILE_KERNELS = {
  .mr = MR,
  .nr = NR,
  .max_depth = MAX_DEPTH,
  .repacks_rows = TRUE,
  .panel_size = panel_size,
  .pack = pack,
  .multiply = multiply,
};
