/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/simd.h"

/* acc + products of unsigned bytes u and signed bytes s, added by fours. */
#if defined(__AVX512VNNI__)
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return _mm512_dpbusd_epi32 (acc, u, s);
}
#elif defined(__AVXVNNI__)
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return _mm256_dpbusd_avx_epi32 (acc, u, s);
}
#elif LANES == 16
/* The sum of two neighbours, which are added first, must fit into 16 bits. */
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return vi_add (acc, _mm512_madd_epi16 (_mm512_maddubs_epi16 (u, s), _mm512_set1_epi16 (1)));
}
#else
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return vi_add (acc, _mm256_madd_epi16 (_mm256_maddubs_epi16 (u, s), _mm256_set1_epi16 (1)));
}
#endif
