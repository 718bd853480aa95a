/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#include "engine/kernels/tiles.h"

/*
 * The tiles of AMX in plain C, for processors without: what they touch in memory and what they
 * refuse is that of the instructions. Included before anything else, this takes their place.
 */

typedef struct {
  gsize rows, row_bytes;
  guint8 data[PT_TILE_ROWS][PT_TILE_ROW_BYTES];
} EmulatedTile;

static _Thread_local EmulatedTile emulated_tiles[8];

static inline void
emulated_configure (const PtTileConfig *config)
{
  static const guint8 zeros[16] = { 0 };

  g_assert_cmpuint (config->palette, ==, 1);
  g_assert_cmpuint (config->start_row, ==, 0);
  g_assert_cmpmem (config->reserved, sizeof config->reserved, zeros, sizeof config->reserved);
  g_assert_cmpmem (config->row_bytes + 8, 16, zeros, 16);
  g_assert_cmpmem (config->rows + 8, 8, zeros, 8);
  memset (emulated_tiles, 0, sizeof emulated_tiles);
  for (guint i = 0; i < 8; i++) {
    g_assert_cmpuint (config->rows[i], <=, PT_TILE_ROWS);
    g_assert_cmpuint (config->row_bytes[i], <=, PT_TILE_ROW_BYTES);
    g_assert_true ((config->rows[i] == 0) == (config->row_bytes[i] == 0));
    emulated_tiles[i].rows = config->rows[i];
    emulated_tiles[i].row_bytes = config->row_bytes[i];
  }
}

static inline EmulatedTile *
emulated_tile (guint number)
{
  g_assert_cmpuint (number, <, 8);
  g_assert_cmpuint (emulated_tiles[number].rows, >, 0);
  return &emulated_tiles[number];
}

static inline void
emulated_zero (guint number)
{
  memset (emulated_tile (number)->data, 0, sizeof emulated_tiles->data);
}

static inline void
emulated_load (guint number, gconstpointer from, gsize stride)
{
  EmulatedTile *tile = emulated_tile (number);

  memset (tile->data, 0, sizeof tile->data);
  for (gsize i = 0; i < tile->rows; i++)
    memcpy (tile->data[i], (const guint8 *) from + i * stride, tile->row_bytes);
}

static inline void
emulated_store (guint number, gpointer to, gsize stride)
{
  const EmulatedTile *tile = emulated_tile (number);

  for (gsize i = 0; i < tile->rows; i++)
    memcpy ((guint8 *) to + i * stride, tile->data[i], tile->row_bytes);
}

static inline void
emulated_dot (guint sums_number, guint a_number, guint b_number)
{
  EmulatedTile *sums = emulated_tile (sums_number);
  const EmulatedTile *a = emulated_tile (a_number), *b = emulated_tile (b_number);

  g_assert_true (sums != a && sums != b && a != b);
  g_assert_cmpuint (sums->rows, ==, a->rows);
  g_assert_cmpuint (sums->row_bytes, ==, b->row_bytes);
  g_assert_cmpuint (a->row_bytes, ==, 4 * b->rows);
  g_assert_cmpuint (sums->row_bytes % 4, ==, 0);
  for (gsize i = 0; i < sums->rows; i++)
    for (gsize j = 0; j < sums->row_bytes / 4; j++) {
      guint32 sum;

      memcpy (&sum, &sums->data[i][4 * j], sizeof sum);
      for (gsize p = 0; p < a->row_bytes; p++)
        sum += (guint32) ((gint8) a->data[i][p] * (gint8) b->data[p / 4][4 * j + p % 4]);
      memcpy (&sums->data[i][4 * j], &sum, sizeof sum);
    }
}

#undef PT_TILES_CONFIGURE
#undef PT_TILES_RELEASE
#undef PT_TILE_ZERO
#undef PT_TILE_LOAD
#undef PT_TILE_STORE
#undef PT_TILE_DOT
#define PT_TILES_CONFIGURE(CONFIG) emulated_configure (CONFIG)
#define PT_TILES_RELEASE() memset (emulated_tiles, 0, sizeof emulated_tiles)
#define PT_TILE_ZERO(T) emulated_zero (T)
#define PT_TILE_LOAD(T, P, STRIDE) emulated_load (T, P, STRIDE)
#define PT_TILE_STORE(T, P, STRIDE) emulated_store (T, P, STRIDE)
#define PT_TILE_DOT(SUMS, A, B) emulated_dot (SUMS, A, B)
