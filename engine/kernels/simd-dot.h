/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/simd.h"

/*
 * Sums of products of bytes for AVX2 and AVX-512, with and without VNNI. VNNI multiplies unsigned
 * by signed bytes and adds products by fours. Without VNNI, bytes are widened to 16 bits, and
 * products are added in pairs. Both are exact.
 */

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define VNNI 1
#define STEP (4 * LANES) /* weights in a vector */
#define BIAS 128
#else
#define VNNI 0
#define STEP (2 * LANES)
#define BIAS 0
#endif

/* Weights in one 32-bit lane. */
#define IN_LANE (STEP / LANES)

#if VNNI && LANES == 16
INLINE vi
dot_unsigned (vi acc, vi u, vi s)
{
  return _mm512_dpbusd_epi32 (acc, u, s);
}
#elif defined(__AVX512VNNI__)
INLINE vi
dot_unsigned (vi acc, vi u, vi s)
{
  return _mm256_dpbusd_epi32 (acc, u, s);
}
#elif VNNI
INLINE vi
dot_unsigned (vi acc, vi u, vi s)
{
  return _mm256_dpbusd_avx_epi32 (acc, u, s);
}
#elif LANES == 16
INLINE vi
dot_wide (vi acc, vi a, vi b)
{
  return vi_add (acc, _mm512_madd_epi16 (a, b));
}
#else
/*
 * GCC would move the sums of a tile from register to register, and some to memory: each stays in
 * its own. With 16 registers there is no other for that.
 */
INLINE vi
dot_wide (vi acc, vi a, vi b)
{
  vi products = _mm256_madd_epi16 (a, b);

  __asm__("vpaddd %1, %0, %0" : "+x"(acc) : "x"(products));
  return acc;
}
#endif

/* Sums of products of 16-bit numbers by pairs, modulo 2^32. */
INLINE vi
dot_pairs (vi acc, vi a, vi b)
{
#if VNNI && LANES == 16
  return _mm512_dpwssd_epi32 (acc, a, b);
#elif defined(__AVX512VNNI__)
  return _mm256_dpwssd_epi32 (acc, a, b);
#elif VNNI
  return _mm256_dpwssd_avx_epi32 (acc, a, b);
#else
  return dot_wide (acc, a, b);
#endif
}

/*
 * The place in a block of @n_vectors vectors of the number in @lane of vector @v, when packing the
 * vectors to bytes brings them into their order: each 128-bit part is packed for itself.
 */
INLINE gsize
packed_place (const gsize n_vectors, gsize v, gsize lane)
{
  return lane / 4 * 4 * n_vectors + 4 * v + lane % 4;
}

/*
 * A panel of LANES * @n_vectors columns of weights: for each lane of k one lane of every column.
 * Rows of weights beyond @n are 0. @sign: the byte 0x80 makes signed weights unsigned; 0 leaves
 * them as they are, and so does widening. @in_places: columns are in the order of packed_place().
 */
INLINE void
pack_panel (const gsize n_vectors, const gboolean in_places, gint8 sign, gsize n, gsize k,
            const gint8 *w, gsize ldw, gint32 *lanes)
{
  gsize n_lanes = (k + IN_LANE - 1) / IN_LANE;

  for (gsize v = 0; v < n_vectors; v++)
    for (gsize lane = 0; lane < n_lanes; lane += LANES) {
      gsize p = lane * IN_LANE, here = MIN (STEP, k - p);
      vi r[LANES];

      UNROLLED (j, LANES) {
        gsize column = in_places ? packed_place (n_vectors, v, j) : v * LANES + j;
        const gint8 *row = w + column * ldw + p;

        if (column >= n)
          r[j] = vi_zero ();
#if VNNI
        else
          r[j] =
              vi_xor (here == STEP ? vi_load (row) : vi_load_bytes (row, here), vi_set1_8 (sign));
#else
        else
          r[j] = here == STEP ? vi_load_wide (row) : vi_load_wide_n (row, here);
#endif
      }
      transpose (r);
      for (gsize i = 0; i < LANES && lane + i < n_lanes; i++)
        vi_store (lanes + (lane + i) * n_vectors * LANES + v * LANES, r[i]);
    }
}
