/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd.h"

/* dot_rows() of PtF32Kernels: few rows of floats times rows of weights in place. */

#define ROWS_FOR_ONE 8
#define ROWS_FOR_MANY (LANES == 8 ? 2 : 4)
#define LINE 64
/* Bytes that are prefetched of the rows of a block, all together. */
#define BLOCK_AHEAD 8192

/* A vector from number @at of @b on; type is a constant when inlined. */
INLINE vf
load_typed (const PtFloatType type, gconstpointer b, gsize at)
{
  return type == PT_FLOAT_F32   ? vf_load ((const float *) b + at)
         : type == PT_FLOAT_F16 ? vf_load_f16 ((const guint16 *) b + at)
                                : vf_load_bf16 ((const guint16 *) b + at);
}

static vf
load_typed_n (PtFloatType type, gconstpointer b, gsize at, gsize n)
{
  guint16 room[LANES] = { 0 };

  if (type == PT_FLOAT_F32)
    return vf_load_n ((const float *) b + at, n);
  memcpy (room, (const guint16 *) b + at, n * sizeof *room);
  return load_typed (type, room, 0);
}

/* Adds the products of a vector of columns of m rows of a and n rows of b. */
INLINE void
add_vector (const PtFloatType type, const gsize m, const gsize n, const float *a, gsize lda,
            gconstpointer b, gsize at, gsize ldb, vf acc[][ROWS_FOR_ONE])
{
  vf as[PT_DOT_ROWS];

  UNROLLED (i, m)
    as[i] = vf_load (a + i * lda);
  UNROLLED (j, n) {
    vf bs = load_typed (type, b, at + j * ldb);

    UNROLLED (i, m)
      acc[i][j] = vf_fma (as[i], bs, acc[i][j]);
  }
}

/*
 * Multiplies m rows of a with the n rows of b that begin at number @at, for whole vectors of k.
 * What follows in these rows is prefetched, and at their end what the next n rows begin with. type,
 * m and n are constants when inlined.
 */
INLINE void
dot_block (const PtFloatType type, const gsize m, const gsize n, gsize k, const float *a, gsize lda,
           gconstpointer b, gsize at, gsize ldb, float *c, gsize ldc)
{
  const gsize size = pt_float_size (type), line = LINE / size;
  const gsize distance = MIN (BLOCK_AHEAD / size / n, k);
  vf acc[PT_DOT_ROWS][ROWS_FOR_ONE];
  gsize p = 0;

  UNROLLED (i, m)
    UNROLLED (j, n)
      acc[i][j] = vf_zero ();
  for (; p + line <= k; p += line) {
    gsize ahead = at + p + distance + (p + distance < k ? 0 : n * ldb - k);

    UNROLLED (j, n)
      fetch_line ((guintptr) b + (ahead + j * ldb) * size, FALSE);
    UNROLLED (v, line / LANES)
      add_vector (type, m, n, a + p + v * LANES, lda, b, at + p + v * LANES, ldb, acc);
  }
  for (; p + LANES <= k; p += LANES)
    add_vector (type, m, n, a + p, lda, b, at + p, ldb, acc);
  UNROLLED (i, m)
    UNROLLED (j, n / 4)
      qf_store (c + i * ldc + 4 * j,
                vf_sum_4 (acc[i][4 * j], acc[i][4 * j + 1], acc[i][4 * j + 2], acc[i][4 * j + 3]));
  if (n < 4)
    UNROLLED (i, m)
      UNROLLED (j, n)
        c[i * ldc + j] = vf_sum (acc[i][j]);
}

/* Adds the columns after the last whole vector. */
static void
dot_rest (PtFloatType type, gsize m, gsize n, gsize k, const float *a, gsize lda, gconstpointer b,
          gsize ldb, float *c, gsize ldc)
{
  gsize p = k - k % LANES, rest = k % LANES;

  for (gsize i = 0; i < m; i++) {
    vf as = vf_load_n (a + i * lda + p, rest);

    for (gsize j = 0; j < n; j++)
      c[i * ldc + j] += vf_sum (vf_mul (as, load_typed_n (type, b, j * ldb + p, rest)));
  }
}

INLINE void
dot_all_rows (const PtFloatType type, const gsize m, const gsize block, gsize n, gsize k,
              const float *a, gsize lda, gconstpointer b, gsize ldb, float *c, gsize ldc)
{
  gsize j = 0;

  for (; j + block <= n; j += block)
    dot_block (type, m, block, k, a, lda, b, j * ldb, ldb, c + j, ldc);
  for (; j < n; j++)
    dot_block (type, m, 1, k, a, lda, b, j * ldb, ldb, c + j, ldc);
}

#define DOT_ALL_ROWS(m, block) dot_all_rows (type, m, block, n, k, a, lda, b, ldb, c, ldc)

INLINE void
dot_rows_of (const PtFloatType type, gsize m, gsize n, gsize k, const float *a, gsize lda,
             gconstpointer b, gsize ldb, float *c, gsize ldc)
{
  switch (m) {
  case 1: DOT_ALL_ROWS (1, ROWS_FOR_ONE); break;
  case 2: DOT_ALL_ROWS (2, 4); break;
  case 3: DOT_ALL_ROWS (3, ROWS_FOR_MANY); break;
  default: DOT_ALL_ROWS (4, ROWS_FOR_MANY); break;
  }
}

static void
dot_rows (PtFloatType type, gsize m, gsize n, gsize k, const float *a, gsize lda, gconstpointer b,
          gsize ldb, float *c, gsize ldc)
{
  switch (type) {
  case PT_FLOAT_F32: dot_rows_of (PT_FLOAT_F32, m, n, k, a, lda, b, ldb, c, ldc); break;
  case PT_FLOAT_F16: dot_rows_of (PT_FLOAT_F16, m, n, k, a, lda, b, ldb, c, ldc); break;
  case PT_FLOAT_BF16: dot_rows_of (PT_FLOAT_BF16, m, n, k, a, lda, b, ldb, c, ldc); break;
  }
  if (k % LANES != 0)
    dot_rest (type, m, n, k, a, lda, b, ldb, c, ldc);
}
