/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include "engine/kernels/simd.h"

/*
 * Elementary functions of a vector, within about 2 ulp of the exact value. The
 * polynomials are minimax fits on the interval named beside them.
 */

#define SIGN_BIT vf_set1 (-0.0f)

INLINE vf
vf_abs (vf x)
{
  return vf_andnot (SIGN_BIT, x);
}

/* magnitude >= 0 with the sign of x */
INLINE vf
vf_with_sign (vf magnitude, vf x)
{
  return vf_or (magnitude, vf_and (SIGN_BIT, x));
}

/* p * 2^n for whole n in [-150, 128]; the result may be subnormal or infinite. */
INLINE vf
vf_times_power (vf p, vf n)
{
#if LANES == 16
  return _mm512_scalef_ps (p, n);
#else
  vi whole = vf_to_int (n), half = vi_sra (whole, 1), rest = vi_sub (whole, half);

  p = vf_mul (p, vi_floats (vi_sll (vi_add (half, vi_set1 (127)), 23)));
  return vf_mul (p, vi_floats (vi_sll (vi_add (rest, vi_set1 (127)), 23)));
#endif
}

INLINE vf
vf_exp (vf x)
{
  const vf ln2_hi = vf_set1 (0x1.62e4p-1f), ln2_lo = vf_set1 (0x1.7f7d1cp-20f);
  vf n, r, p;

  x = vf_clamp (x, vf_set1 (-104.0f), vf_set1 (89.0f));
  n = vf_round (vf_mul (x, vf_set1 (1.44269504f)));
  r = vf_fnma (n, ln2_lo, vf_fnma (n, ln2_hi, x));
  p = vf_set1 (0x1.6db42p-10f); /* (e^r - 1 - r) / r^2 for |r| <= 0.3466 */
  p = vf_fma (p, r, vf_set1 (0x1.123b52p-7f));
  p = vf_fma (p, r, vf_set1 (0x1.55545ep-5f));
  p = vf_fma (p, r, vf_set1 (0x1.55548ep-3f));
  p = vf_fma (p, r, vf_set1 (0.5f));
  p = vf_add (vf_fma (vf_mul (r, r), p, r), vf_set1 (1.0f));
  return vf_times_power (p, n);
}

INLINE vf
vf_log (vf x)
{
  const vf one = vf_set1 (1.0f);
  vm tiny = vf_lt (x, vf_set1 (0x1p-126f));
  vf scaled = vf_select (tiny, vf_mul (x, vf_set1 (0x1p25f)), x);
  /* x = 2^e (1 + u), 1 + u in [sqrt 1/2, sqrt 2) */
  vi bits = vi_sub (vf_bits (scaled), vi_set1 (0x3f3504f3));
  vf e = vi_to_float (vi_sra (bits, 23)), u, p, y, u2;

  u = vi_floats (vi_add (vi_and (bits, vi_set1 (0x7fffff)), vi_set1 (0x3f3504f3)));
  u = vf_sub (u, one);
  e = vf_sub (e, vf_select (tiny, vf_set1 (25.0f), vf_zero ()));
  p = vf_set1 (0x1.1b4024p-4f); /* (log (1 + u) - u + u^2 / 2) / u^3 */
  p = vf_fma (p, u, vf_set1 (-0x1.e2e8b8p-4f));
  p = vf_fma (p, u, vf_set1 (0x1.e651p-4f));
  p = vf_fma (p, u, vf_set1 (-0x1.fb4362p-4f));
  p = vf_fma (p, u, vf_set1 (0x1.2332b6p-3f));
  p = vf_fma (p, u, vf_set1 (-0x1.5562e2p-3f));
  p = vf_fma (p, u, vf_set1 (0x1.99a546p-3f));
  p = vf_fma (p, u, vf_set1 (-0x1.ffffeep-3f));
  p = vf_fma (p, u, vf_set1 (0x1.555546p-2f));
  u2 = vf_mul (u, u);
  y = vf_fma (vf_mul (u2, u), p, vf_mul (e, vf_set1 (0x1.7f7d1cp-20f)));
  y = vf_fma (vf_set1 (-0.5f), u2, y);
  y = vf_fma (e, vf_set1 (0x1.62e4p-1f), vf_add (u, y));
  y = vf_select (vf_eq (x, vf_set1 (INFINITY)), x, y);
  y = vf_select (vf_eq (x, vf_zero ()), vf_set1 (-INFINITY), y);
  y = vf_select (vf_lt (x, vf_zero ()), vf_set1 (NAN), y);
  return vf_select (vf_is_nan (x), x, y);
}

INLINE vf
vf_tanh (vf x)
{
  const vf one = vf_set1 (1.0f);
  vf magnitude = vf_abs (x), z = vf_mul (x, x), small, large;

  small = vf_set1 (-0x1.76abf6p-8f); /* (tanh (x) - x) / x^3 for |x| <= 0.625 */
  small = vf_fma (small, z, vf_set1 (0x1.5256cep-6f));
  small = vf_fma (small, z, vf_set1 (-0x1.b84448p-5f));
  small = vf_fma (small, z, vf_set1 (0x1.110768p-3f));
  small = vf_fma (small, z, vf_set1 (-0x1.555534p-2f));
  small = vf_fma (vf_mul (z, x), small, x);
  large = vf_add (vf_exp (vf_add (magnitude, magnitude)), one);
  large = vf_sub (one, vf_div (vf_set1 (2.0f), large));
  large = vf_with_sign (large, x);
  return vf_select (vf_lt (magnitude, vf_set1 (0.625f)), small, large);
}

INLINE vf
vf_sigmoid (vf x)
{
  const vf one = vf_set1 (1.0f);
  vf e = vf_exp (vf_or (x, SIGN_BIT)); /* of -|x|: never overflows */

  return vf_div (vf_select (vf_lt (x, vf_zero ()), e, one), vf_add (one, e));
}

INLINE vf
vf_erf (vf x)
{
  vf t = vf_min (vf_set1 (4.0f), vf_abs (x)), z = vf_mul (x, x), small, large;

  small = vf_set1 (0x1.5e062ap-14f); /* erf (x) / x - 1 for |x| <= 0.93 */
  small = vf_fma (small, z, vf_set1 (-0x1.aaa2d6p-11f));
  small = vf_fma (small, z, vf_set1 (0x1.54d42ap-8f));
  small = vf_fma (small, z, vf_set1 (-0x1.b80ff2p-6f));
  small = vf_fma (small, z, vf_set1 (0x1.ce2e1cp-4f));
  small = vf_fma (small, z, vf_set1 (-0x1.812744p-2f));
  small = vf_fma (small, z, vf_set1 (0x1.06eba8p-3f));
  small = vf_fma (small, x, x);
  large = vf_set1 (-0x1.5ecdep-16f); /* log (1 - erf (t)) for t in [0.9, 4] */
  large = vf_fma (large, t, vf_set1 (0x1.c54d78p-12f));
  large = vf_fma (large, t, vf_set1 (-0x1.10aa1p-8f));
  large = vf_fma (large, t, vf_set1 (0x1.9b195ep-6f));
  large = vf_fma (large, t, vf_set1 (-0x1.bb5652p-4f));
  large = vf_fma (large, t, vf_set1 (-0x1.444b42p-1f));
  large = vf_fma (large, t, vf_set1 (-0x1.212698p+0f));
  large = vf_fma (large, t, vf_set1 (0x1.65ac78p-13f));
  large = vf_with_sign (vf_sub (vf_set1 (1.0f), vf_exp (large)), x);
  return vf_select (vf_lt (t, vf_set1 (0.92f)), small, large);
}

INLINE vf
vf_gelu (vf x)
{
  vf erf = vf_erf (vf_mul (x, vf_set1 (0.707106781f)));

  return vf_mul (vf_mul (vf_set1 (0.5f), x), vf_add (vf_set1 (1.0f), erf));
}

INLINE vf
vf_gelu_tanh (vf x)
{
  vf cube = vf_mul (vf_mul (x, x), x);
  vf u = vf_mul (vf_set1 (0.797884561f), vf_fma (vf_set1 (0.044715f), cube, x));

  return vf_mul (vf_mul (vf_set1 (0.5f), x), vf_add (vf_set1 (1.0f), vf_tanh (u)));
}

/* Angles up to this are taken apart exactly enough in doubles. */
#define MAX_ANGLE 0x1p26f

/* x = n pi/2 + r, |r| <= pi/4 */
INLINE vf
vf_quarter_turns (vf x, vi *n)
{
  const double two_by_pi = 0.63661977236758134308, hi = 1.57079632679489661923,
               lo = 6.123233995736766e-17;
#if LANES == 16
  __m512d x0 = _mm512_cvtps_pd (_mm512_castps512_ps256 (x));
  __m512d x1 = _mm512_cvtps_pd (_mm512_extractf32x8_ps (x, 1));
  __m512d n0 = _mm512_roundscale_pd (_mm512_mul_pd (x0, _mm512_set1_pd (two_by_pi)), 8);
  __m512d n1 = _mm512_roundscale_pd (_mm512_mul_pd (x1, _mm512_set1_pd (two_by_pi)), 8);

  x0 = _mm512_fnmadd_pd (n0, _mm512_set1_pd (hi), x0);
  x1 = _mm512_fnmadd_pd (n1, _mm512_set1_pd (hi), x1);
  x0 = _mm512_fnmadd_pd (n0, _mm512_set1_pd (lo), x0);
  x1 = _mm512_fnmadd_pd (n1, _mm512_set1_pd (lo), x1);
  *n = _mm512_inserti32x8 (_mm512_castsi256_si512 (_mm512_cvtpd_epi32 (n0)),
                           _mm512_cvtpd_epi32 (n1), 1);
  return _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps (x0)), _mm512_cvtpd_ps (x1),
                             1);
#else
  __m256d x0 = _mm256_cvtps_pd (_mm256_castps256_ps128 (x));
  __m256d x1 = _mm256_cvtps_pd (_mm256_extractf128_ps (x, 1));
  __m256d n0 = _mm256_round_pd (_mm256_mul_pd (x0, _mm256_set1_pd (two_by_pi)), 8);
  __m256d n1 = _mm256_round_pd (_mm256_mul_pd (x1, _mm256_set1_pd (two_by_pi)), 8);

  x0 = _mm256_fnmadd_pd (n0, _mm256_set1_pd (hi), x0);
  x1 = _mm256_fnmadd_pd (n1, _mm256_set1_pd (hi), x1);
  x0 = _mm256_fnmadd_pd (n0, _mm256_set1_pd (lo), x0);
  x1 = _mm256_fnmadd_pd (n1, _mm256_set1_pd (lo), x1);
  *n = _mm256_set_m128i (_mm256_cvtpd_epi32 (n1), _mm256_cvtpd_epi32 (n0));
  return _mm256_set_m128 (_mm256_cvtpd_ps (x1), _mm256_cvtpd_ps (x0));
#endif
}

/* sin (x + turns pi/2) for |x| <= MAX_ANGLE */
INLINE vf
vf_sin_turned (vf x, gint turns)
{
  vi n;
  vf r = vf_quarter_turns (x, &n), z = vf_mul (r, r), s, c, y;
  vi odd;

  n = vi_add (n, vi_set1 (turns));
  s = vf_set1 (0x1.6cd824p-19f); /* (sin (r) - r) / r^3 */
  s = vf_fma (s, z, vf_set1 (-0x1.a00f9cp-13f));
  s = vf_fma (s, z, vf_set1 (0x1.111108p-7f));
  s = vf_fma (s, z, vf_set1 (-0x1.555556p-3f));
  s = vf_fma (vf_mul (z, r), s, r);
  c = vf_set1 (0x1.9a01fp-16f); /* (cos (r) - 1 + r^2 / 2) / r^4 */
  c = vf_fma (c, z, vf_set1 (-0x1.6c0c8ap-10f));
  c = vf_fma (c, z, vf_set1 (0x1.55554ap-5f));
  c = vf_fma (vf_mul (z, z), c, vf_fma (vf_set1 (-0.5f), z, vf_set1 (1.0f)));
  odd = vi_sub (vi_zero (), vi_and (n, vi_set1 (1))); /* all bits or none */
  y = vf_or (vf_and (vi_floats (odd), c), vf_andnot (vi_floats (odd), s));
  return vf_xor (y, vi_floats (vi_sll (vi_and (n, vi_set1 (2)), 30)));
}
