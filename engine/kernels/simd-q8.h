/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/simd-dot.h"

/* The ends of static 8-bit products: sums become bytes (PtWeightsQs8 in gemm.h). */

/* How sums become bytes. */
typedef struct {
  vf most; /* the upper bound without the zero point */
  vi zero, lo, hi;
} Ends;

INLINE Ends
make_ends (gint32 y_zero, gint32 y_min, gint32 y_max)
{
  return (Ends){ vf_set1 ((float) (y_max - y_zero)), vi_set1_16 ((gint16) y_zero),
                 vi_set1_16 ((gint16) y_min), vi_set1_16 ((gint16) y_max) };
}

/*
 * The rounded result without the zero point, not below -2^31. A NaN becomes -2^31 and then the
 * lower bound.
 */
INLINE vi
to_result (vi sum, vf scale, const Ends ends)
{
  return vf_to_int (vf_min (ends.most, vf_mul (vi_to_float (sum), scale)));
}

/* Results of two vectors as 16-bit numbers within their bounds. */
INLINE vi
join_results (vi a, vi b, const Ends ends)
{
  return vi_min_16 (vi_max_16 (vi_adds_16 (vi_pack_32 (a, b), ends.zero), ends.lo), ends.hi);
}

/*
 * Stores the results of 2 or 4 vectors of sums, in the order of packed_place(): all, or the first
 * @here. They are macros without loops, so that the arrays of sums stay in registers.
 */
#define STORE_2(sums, scales, ends, here, y)                                                     \
  vi_store_narrow (y,                                                                            \
                   join_results (to_result ((sums)[0], vf_load (scales), ends),                  \
                                 to_result ((sums)[1], vf_load ((scales) + LANES), ends), ends), \
                   here)
#define STORE_4(sums, scales, ends, here, y)                                                    \
  vi_store_all_bytes (                                                                          \
      y,                                                                                        \
      vi_pack_16 (join_results (to_result ((sums)[0], vf_load (scales), ends),                  \
                                to_result ((sums)[1], vf_load ((scales) + LANES), ends), ends), \
                  join_results (to_result ((sums)[2], vf_load ((scales) + 2 * LANES), ends),    \
                                to_result ((sums)[3], vf_load ((scales) + 3 * LANES), ends),    \
                                ends)),                                                         \
      here)
