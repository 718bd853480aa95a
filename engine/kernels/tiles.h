/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * AMX tiles: eight registers, identified by number, with up to 16 rows of up to 64 bytes. This file
 * replaces the compilers' intrinsics: not all compilers have them, and GCC's do not declare the
 * memory that they read and do not take a stride of 64 bits on Windows.
 *
 * Tiles must be configured before use and released at the end, because other code does not save
 * them.
 */

#define PT_TILE_ROWS 16
#define PT_TILE_ROW_BYTES 64

/** The configuration in the format of the processor. A tile with 0 rows is unused. */
typedef struct {
  guint8 palette; /* 1 */
  guint8 start_row;
  guint8 reserved[14];
  guint16 row_bytes[16];
  guint8 rows[16];
} PtTileConfig;

G_STATIC_ASSERT (sizeof (PtTileConfig) == 64);

/* clang-format off */
#define PT_TILES_CONFIGURE(CONFIG) __asm__ volatile ("ldtilecfg %0" : : "m" (*(CONFIG)))
#define PT_TILES_RELEASE() __asm__ volatile ("tilerelease")
#define PT_TILE_ZERO(T) PT_TILE_ZERO_ (T)
/** Load and store; rows are STRIDE bytes apart. */
#define PT_TILE_LOAD(T, P, STRIDE) PT_TILE_LOAD_ (T, P, STRIDE)
#define PT_TILE_STORE(T, P, STRIDE) PT_TILE_STORE_ (T, P, STRIDE)
/** SUMS[i][j] += A[i][4p + q] * B[p][4j + q]: signed bytes, sums modulo 2^32. */
#define PT_TILE_DOT(SUMS, A, B) PT_TILE_DOT_ (SUMS, A, B)

/* A second level of expansion, because the numbers are macros. */
#define PT_TILE_ZERO_(T) __asm__ volatile ("tilezero %%tmm" #T : :)
#define PT_TILE_LOAD_(T, P, STRIDE) \
  __asm__ volatile ("tileloadd (%0,%1,1), %%tmm" #T : : "r" (P), "r" ((gsize) (STRIDE)) : "memory")
#define PT_TILE_STORE_(T, P, STRIDE) \
  __asm__ volatile ("tilestored %%tmm" #T ", (%0,%1,1)" : : "r" (P), "r" ((gsize) (STRIDE)) : "memory")
#define PT_TILE_DOT_(SUMS, A, B) \
  __asm__ volatile ("tdpbssd %%tmm" #B ", %%tmm" #A ", %%tmm" #SUMS : :)
/* clang-format on */
