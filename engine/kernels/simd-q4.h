/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/simd-dot.h"

#if VNNI

/* acc + products of unsigned bytes u and signed bytes s, added by fours. */
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return dot_unsigned (acc, u, s);
}

#else

/* Products of unsigned bytes u and signed bytes s, added by twos: the sums must fit 16 bits. */
INLINE vi
multiply_bytes (vi u, vi s)
{
#if LANES == 16
  return _mm512_maddubs_epi16 (u, s);
#else
  return _mm256_maddubs_epi16 (u, s);
#endif
}

/* acc + 16-bit numbers, added by twos. */
INLINE vi
add_words (vi acc, vi words)
{
#if LANES == 16
  return vi_add (acc, _mm512_madd_epi16 (words, _mm512_set1_epi16 (1)));
#else
  return vi_add (acc, _mm256_madd_epi16 (words, _mm256_set1_epi16 (1)));
#endif
}

INLINE vi
add_products (vi acc, vi u, vi s)
{
  return add_words (acc, multiply_bytes (u, s));
}

#endif

/* -zero as the sum of two signed bytes, each of them twice. */
INLINE gint32
minus_zero (gint32 zero)
{
  guint32 a = (guint8) (gint8) (-zero / 2), b = (guint8) (gint8) (-zero - -zero / 2);

  return (gint32) (a | a << 8 | b << 16 | b << 24);
}
