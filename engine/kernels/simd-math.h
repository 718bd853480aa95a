/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include "engine/kernels/simd.h"

/*
 * Elementary functions of a vector, within about 2 ulp of the exact value. The polynomials are
 * minimax fits on the intervals given in their comments.
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

/* Maximum angle whose reduction in doubles is exact enough. */
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
#elif LANES == 4
  float64x2_t x0 = vcvt_f64_f32 (vget_low_f32 (x)), x1 = vcvt_high_f64_f32 (x);
  float64x2_t n0 = vrndnq_f64 (vmulq_n_f64 (x0, two_by_pi));
  float64x2_t n1 = vrndnq_f64 (vmulq_n_f64 (x1, two_by_pi));

  x0 = vfmsq_f64 (x0, n0, vdupq_n_f64 (hi));
  x1 = vfmsq_f64 (x1, n1, vdupq_n_f64 (hi));
  x0 = vfmsq_f64 (x0, n0, vdupq_n_f64 (lo));
  x1 = vfmsq_f64 (x1, n1, vdupq_n_f64 (lo));
  *n = vcombine_s32 (vmovn_s64 (vcvtnq_s64_f64 (n0)), vmovn_s64 (vcvtnq_s64_f64 (n1)));
  return vcvt_high_f32_f64 (vcvt_f32_f64 (x0), x1);
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

/*
 * The functions of XNNPACK, operation by operation.
 */

/* Reduces x to [-pi/2, pi/2], then computes a quotient of polynomials. */
INLINE vf
vf_xnn_sin (vf x, const gboolean cosine)
{
  const vf pi = vf_set1 (3.1415927f), one = vf_set1 (1.0f);
  vf n = vf_round (vf_mul (x, vf_set1 (0.15915494f))), z, p, q;

  x = vf_fnma (n, vf_set1 (6.28125f), x);
  x = vf_fnma (n, vf_set1 (1.9353072e-3f), x);
  if (cosine)
    x = vf_sub (vf_set1 (1.5707964f), x);
  x = vf_min (x, vf_sub (pi, x));
  x = vf_max (x, vf_sub (vf_sub (vf_zero (), pi), x));
  x = vf_min (x, vf_sub (pi, x));
  z = vf_mul (x, x);
  p = vf_fma (z, vf_set1 (3.2340581529e-03f), vf_set1 (-1.3314664364e-01f));
  p = vf_mul (x, vf_fma (z, p, one));
  q = vf_fma (z, vf_set1 (4.8770775902e-04f), vf_set1 (3.3519912511e-02f));
  return vf_div (p, vf_fma (z, q, one));
}

/* e^x for x <= 0; subnormal results become 0. */
INLINE vf
vf_xnn_exp (vf x)
{
  const vf magic = vf_set1 (0x1.8000fep23f); /* the last bits of the sum are n + 127 */
  vf n = vf_fma (x, vf_set1 (0x1.715476p+0f), magic), power, r, p;

  power = vi_floats (vi_sll (vf_bits (n), 23));
  n = vf_sub (n, magic);
  r = vf_fma (n, vf_set1 (-0x1.62e400p-1f), x);
  r = vf_fma (n, vf_set1 (-0x1.7f7d1cp-20f), r);
  p = vf_fma (vf_set1 (0x1.0f9f9cp-7f), r, vf_set1 (0x1.573a1ap-5f));
  p = vf_fma (p, r, vf_set1 (0x1.555a80p-3f));
  p = vf_fma (p, r, vf_set1 (0x1.fffdc6p-2f));
  p = vf_fma (p, r, vf_set1 (0x1.fffff6p-1f));
  p = vf_fma (vf_mul (r, power), p, power);
  return vf_select (vf_lt (x, vf_set1 (-0x1.5d589ep6f)), vf_zero (), p);
}

/* The error function of x / sqrt 2, as a quotient of polynomials. */
INLINE vf
vf_xnn_gelu (vf x)
{
  const vf bound = vf_set1 (5.1638283730f), one = vf_set1 (1.0f);
  vf v = vf_max (vf_sub (vf_zero (), bound), vf_min (bound, x)), z = vf_mul (v, v), p, q;

  p = vf_fma (z, vf_set1 (4.5835321316e-08f), vf_set1 (1.2609783880e-05f));
  p = vf_fma (z, p, vf_set1 (3.2973114867e-04f));
  p = vf_fma (z, p, vf_set1 (9.3065137044e-03f));
  p = vf_fma (z, p, vf_set1 (6.6972173750e-02f));
  p = vf_mul (v, vf_fma (z, p, vf_set1 (7.9788452387e-01f)));
  q = vf_fma (z, vf_set1 (1.1988805682e-06f), vf_set1 (7.2267655923e-05f));
  q = vf_fma (z, q, vf_set1 (1.8622842617e-03f));
  q = vf_fma (z, q, vf_set1 (2.8431978077e-02f));
  q = vf_fma (z, q, vf_set1 (2.5060352683e-01f));
  q = vf_fma (z, q, one);
  return vf_mul (vf_mul (x, vf_set1 (0.5f)), vf_add (vf_div (p, q), one));
}

#if LANES == 16

/*
 * An estimate of 14 bits and one step of Newton's method, without fused operations. Where the step
 * overflows, XNNPACK returns NaN; this returns the value.
 */
INLINE vf
vf_xnn_rsqrt (vf x)
{
  vf y = _mm512_rsqrt14_ps (x);
  vf error = vf_sub (vf_mul (x, vf_mul (y, y)), vf_set1 (1.0f));

  vm tiny = vf_lt (x, vf_set1 (0x1p-126f));

  y = vf_sub (y, vf_mul (error, vf_mul (vf_set1 (0.5f), y)));
  if (vm_any (tiny))
    y = vf_select (tiny, vf_div (vf_set1 (1.0f), vf_sqrt (x)), y);
  return vf_select (vf_eq (x, vf_set1 (INFINITY)), vf_zero (), y);
}

/* 2^(i/32), rounded */
static const float xnn_powers[32] = {
  0x1.000000p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f, 0x1.1d4874p+0f,
  0x1.2387a6p+0f, 0x1.29e9e0p+0f, 0x1.306fe0p+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f, 0x1.44e086p+0f,
  0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f,
  0x1.7a1148p+0f, 0x1.82589ap+0f, 0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f,
  0x1.ae89fap+0f, 0x1.b7f770p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
  0x1.ea4afap+0f, 0x1.f50766p+0f,
};

/* e^-|x| as 2^n 2^(i/32) e^r; i is taken from the last bits of a sum that is rounded to 32nds. */
INLINE vf
vf_xnn_sigmoid (vf x)
{
  const vf magic = vf_set1 (0x1.8p18f), one = vf_set1 (1.0f);
  vf z = vf_or (x, SIGN_BIT), n = vf_fma (z, vf_set1 (0x1.715476p0f), magic), power, r, p, e;

  power = _mm512_permutex2var_ps (vf_load (xnn_powers), vf_bits (n), vf_load (xnn_powers + 16));
  n = vf_sub (n, magic);
  r = vf_fma (n, vf_set1 (-0x1.62e430p-1f), z);
  r = vf_fma (n, vf_set1 (0x1.05c61p-29f), r);
  p = vf_fma (r, vf_set1 (0.5f), vf_set1 (0x1.0000f6p-0f));
  e = _mm512_scalef_ps (vf_fma (vf_mul (r, power), p, power), n);
  e = vf_div (e, vf_add (e, one));
  return vf_select (_mm512_movepi32_mask (vf_bits (x)), e, vf_sub (one, e));
}

/*
 * e^x for x <= 0 as the C library (glibc's expf) computes it: in double, with 2^(i/32) from a
 * table.
 */
static const double libm_powers[32] = {
  0x1.0000000000000p+0, 0x1.fd9b0d3158574p-1, 0x1.fb5586cf9890fp-1, 0x1.f9301d0125b51p-1,
  0x1.f72b83c7d517bp-1, 0x1.f54873168b9aap-1, 0x1.f387a6e756238p-1, 0x1.f1e9df51fdee1p-1,
  0x1.f06fe0a31b715p-1, 0x1.ef1a7373aa9cbp-1, 0x1.edea64c123422p-1, 0x1.ece086061892dp-1,
  0x1.ebfdad5362a27p-1, 0x1.eb42b569d4f82p-1, 0x1.eab07dd485429p-1, 0x1.ea47eb03a5585p-1,
  0x1.ea09e667f3bcdp-1, 0x1.e9f75e8ec5f74p-1, 0x1.ea11473eb0187p-1, 0x1.ea589994cce13p-1,
  0x1.eace5422aa0dbp-1, 0x1.eb737b0cdc5e5p-1, 0x1.ec49182a3f090p-1, 0x1.ed503b23e255dp-1,
  0x1.ee89f995ad3adp-1, 0x1.eff76f2fb5e47p-1, 0x1.f199bdd85529cp-1, 0x1.f3720dcef9069p-1,
  0x1.f5818dcfba487p-1, 0x1.f7c97337b9b5fp-1, 0x1.fa4afa2a490dap-1, 0x1.fd0765b6e4540p-1,
};

/*
 * Eight lanes. In the table, the exponent bits of 2^(i/32) are reduced by i/32, because adding k to
 * them adds that part again.
 */
INLINE __m256
libm_exp_half (__m256 lanes)
{
  const __m512d shift = _mm512_set1_pd (0x1.8p52),
                scale = _mm512_set1_pd (0x1.71547652b82fep+0 * 32);
  __m512d x = _mm512_cvtps_pd (lanes), k, r, y, s;
  __m512i bits, low;

  k = _mm512_fmadd_pd (scale, x, shift);
  bits = _mm512_castpd_si512 (k);
  k = _mm512_sub_pd (k, shift);
  r = _mm512_fmsub_pd (scale, x, k);
  low = _mm512_castpd_si512 (_mm512_permutex2var_pd (_mm512_loadu_pd (libm_powers), bits,
                                                     _mm512_loadu_pd (libm_powers + 8)));
  low = _mm512_mask_blend_epi64 (
      _mm512_test_epi64_mask (bits, _mm512_set1_epi64 (16)), low,
      _mm512_castpd_si512 (_mm512_permutex2var_pd (_mm512_loadu_pd (libm_powers + 16), bits,
                                                   _mm512_loadu_pd (libm_powers + 24))));
  s = _mm512_castsi512_pd (_mm512_add_epi64 (low, _mm512_slli_epi64 (bits, 52 - 5)));
  y = _mm512_fmadd_pd (_mm512_set1_pd (0x1.62e42ff0c52d6p-1 / 32), r, _mm512_set1_pd (1.0));
  x = _mm512_fmadd_pd (_mm512_set1_pd (0x1.c6af84b912394p-5 / 32 / 32 / 32), r,
                       _mm512_set1_pd (0x1.ebfce50fac4f3p-3 / 32 / 32));
  y = _mm512_fmadd_pd (x, _mm512_mul_pd (r, r), y);
  return _mm512_cvtpd_ps (_mm512_mul_pd (y, s));
}

/* For x <= 0; NaN stays NaN. */
INLINE vf
vf_libm_exp (vf x)
{
  vf lowest = vf_set1 (-0x1.9fe368p6f); /* below, the result rounds to 0 */
  vf bounded = vf_max (lowest, x);      /* NaN stays NaN */
  vf e =
      _mm512_insertf32x8 (_mm512_castps256_ps512 (libm_exp_half (_mm512_castps512_ps256 (bounded))),
                          libm_exp_half (_mm512_extractf32x8_ps (bounded, 1)), 1);

  return vf_select (vf_lt (x, lowest), vf_zero (), e);
}

#else

INLINE vf
vf_xnn_rsqrt (vf x)
{
  return vf_div (vf_set1 (1.0f), vf_sqrt (x));
}

INLINE vf
vf_xnn_sigmoid (vf x)
{
  return vf_sigmoid (x);
}

INLINE vf
vf_libm_exp (vf x)
{
  return vf_exp (x);
}

#endif
