/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <arm_neon.h>

#include <glib.h>

/*
 * The vectors of simd.h for 64-bit ARM (Advanced SIMD, called NEON). Include that file instead.
 * Minima, maxima and comparisons give the same bits as those of x86, also for NaN and zeros with a
 * sign.
 */

#define LANES 4
typedef float32x4_t vf;
typedef int32x4_t vi;
typedef uint32x4_t vm;
typedef float32x4_t qf;
typedef int32x4_t qi;

INLINE vf
vf_load_n (const float *p, gsize n)
{
  vf x = vdupq_n_f32 (0.0f);

  if (n >= LANES)
    return vld1q_f32 (p);
  if (n < 2)
    return n == 1 ? vld1q_lane_f32 (p, x, 0) : x;
  x = vcombine_f32 (vld1_f32 (p), vdup_n_f32 (0.0f));
  return n == 3 ? vld1q_lane_f32 (p + 2, x, 2) : x;
}

INLINE void
vf_store_n (float *p, vf x, gsize n)
{
  if (n >= LANES) {
    vst1q_f32 (p, x);
    return;
  }
  if (n >= 2)
    vst1_f32 (p, vget_low_f32 (x));
  if (n == 1)
    vst1q_lane_f32 (p, x, 0);
  else if (n == 3)
    vst1q_lane_f32 (p + 2, x, 2);
}

/* clang-format off */
INLINE vi vf_bits (vf a) { return vreinterpretq_s32_f32 (a); }
INLINE vf vi_floats (vi a) { return vreinterpretq_f32_s32 (a); }
INLINE vf vf_load (const float *p) { return vld1q_f32 (p); }
INLINE vf vf_load_f16 (const guint16 *p) { return vcvt_f32_f16 (vreinterpret_f16_u16 (vld1_u16 (p))); }
INLINE vf vf_load_bf16 (const guint16 *p) { return vreinterpretq_f32_u32 (vshll_n_u16 (vld1_u16 (p), 16)); }
INLINE void vf_store (float *p, vf x) { vst1q_f32 (p, x); }
INLINE vf vf_set1 (float x) { return vdupq_n_f32 (x); }
INLINE vf vf_zero (void) { return vdupq_n_f32 (0.0f); }
INLINE vf vf_add (vf a, vf b) { return vaddq_f32 (a, b); }
INLINE vf vf_sub (vf a, vf b) { return vsubq_f32 (a, b); }
INLINE vf vf_mul (vf a, vf b) { return vmulq_f32 (a, b); }
INLINE vf vf_div (vf a, vf b) { return vdivq_f32 (a, b); }
INLINE vf vf_sqrt (vf a) { return vsqrtq_f32 (a); }
INLINE vf vf_fma (vf a, vf b, vf c) { return vfmaq_f32 (c, a, b); }  /* a b + c */
INLINE vf vf_fnma (vf a, vf b, vf c) { return vfmsq_f32 (c, a, b); } /* c - a b */
INLINE vf vf_min (vf a, vf b) { return vbslq_f32 (vcltq_f32 (a, b), a, b); } /* b if one is NaN */
INLINE vf vf_max (vf a, vf b) { return vbslq_f32 (vcgtq_f32 (a, b), a, b); }
INLINE vf vf_and (vf a, vf b) { return vi_floats (vandq_s32 (vf_bits (a), vf_bits (b))); }
INLINE vf vf_andnot (vf a, vf b) { return vi_floats (vbicq_s32 (vf_bits (b), vf_bits (a))); } /* ~a & b */
INLINE vf vf_or (vf a, vf b) { return vi_floats (vorrq_s32 (vf_bits (a), vf_bits (b))); }
INLINE vf vf_xor (vf a, vf b) { return vi_floats (veorq_s32 (vf_bits (a), vf_bits (b))); }
INLINE vf vf_round (vf a) { return vrndnq_f32 (a); }
INLINE vf vf_floor (vf a) { return vrndmq_f32 (a); }
INLINE vf vf_ceil (vf a) { return vrndpq_f32 (a); }
INLINE vm vf_lt (vf a, vf b) { return vcltq_f32 (a, b); }
INLINE vm vf_le (vf a, vf b) { return vcleq_f32 (a, b); }
INLINE vm vf_eq (vf a, vf b) { return vceqq_f32 (a, b); }
INLINE vm vf_is_nan (vf a) { return vmvnq_u32 (vceqq_f32 (a, a)); }
INLINE vf vf_select (vm m, vf a, vf b) { return vbslq_f32 (m, a, b); } /* m ? a : b */
INLINE gboolean vm_any (vm m) { return vmaxvq_u32 (m) != 0; }
INLINE vi vf_to_int (vf a) { return vcvtnq_s32_f32 (a); } /* to nearest even; saturated, NaN: 0 */
INLINE vf vi_to_float (vi a) { return vcvtq_f32_s32 (a); }
INLINE float vf_largest (vf a) { return vmaxvq_f32 (a); }

INLINE vi vi_load (gconstpointer p) { return vreinterpretq_s32_u8 (vld1q_u8 (p)); }
INLINE void vi_store (gpointer p, vi x) { vst1q_u8 (p, vreinterpretq_u8_s32 (x)); }
INLINE vi vi_load_n (gconstpointer p, gsize n) { return vf_bits (vf_load_n (p, n)); }
INLINE void vi_store_n (gpointer p, vi x, gsize n) { vf_store_n (p, vi_floats (x), n); }
INLINE vi vi_set1 (gint32 x) { return vdupq_n_s32 (x); }
INLINE vi vi_zero (void) { return vdupq_n_s32 (0); }
INLINE vi vi_add (vi a, vi b) { return vaddq_s32 (a, b); }
INLINE vi vi_sub (vi a, vi b) { return vsubq_s32 (a, b); }
INLINE vi vi_mul (vi a, vi b) { return vmulq_s32 (a, b); }
INLINE vi vi_min (vi a, vi b) { return vminq_s32 (a, b); }
INLINE vi vi_max (vi a, vi b) { return vmaxq_s32 (a, b); }
INLINE vi vi_and (vi a, vi b) { return vandq_s32 (a, b); }
INLINE vi vi_or (vi a, vi b) { return vorrq_s32 (a, b); }
INLINE vi vi_xor (vi a, vi b) { return veorq_s32 (a, b); }
#define vi_sll(a, n) vshlq_n_s32 (a, n)
#define vi_srl(a, n) vreinterpretq_s32_u32 (vshrq_n_u32 (vreinterpretq_u32_s32 (a), n))
#define vi_sra(a, n) vshrq_n_s32 (a, n)
/* clang-format on */

/* The lanes are added in halves, as with AVX2. */
INLINE float
vf_sum (vf a)
{
  float32x2_t half = vadd_f32 (vget_low_f32 (a), vget_high_f32 (a));

  return vget_lane_f32 (half, 0) + vget_lane_f32 (half, 1);
}

/* Stores lanes as signed bytes, saturated. */
INLINE void
vi_store_bytes_n (gint8 *p, vi x, gsize n)
{
  int16x4_t words = vqmovn_s32 (x);
  int8x8_t bytes = vqmovn_s16 (vcombine_s16 (words, words));

  if (n >= LANES) {
    gint32 four = vget_lane_s32 (vreinterpret_s32_s8 (bytes), 0);

    __builtin_memcpy (p, &four, sizeof four);
  } else {
    gint8 room[8];

    vst1_s8 (room, bytes);
    __builtin_memcpy (p, room, n);
  }
}

INLINE void
vi_store_bytes (gint8 *p, vi x)
{
  vi_store_bytes_n (p, x, LANES);
}

/* r[i] lane j becomes r[j] lane i. */
INLINE void
transpose (vi r[LANES])
{
  int32x4_t a = vtrn1q_s32 (r[0], r[1]), b = vtrn2q_s32 (r[0], r[1]);
  int32x4_t c = vtrn1q_s32 (r[2], r[3]), d = vtrn2q_s32 (r[2], r[3]);
  int64x2_t a2 = vreinterpretq_s64_s32 (a), b2 = vreinterpretq_s64_s32 (b);
  int64x2_t c2 = vreinterpretq_s64_s32 (c), d2 = vreinterpretq_s64_s32 (d);

  r[0] = vreinterpretq_s32_s64 (vtrn1q_s64 (a2, c2));
  r[1] = vreinterpretq_s32_s64 (vtrn1q_s64 (b2, d2));
  r[2] = vreinterpretq_s32_s64 (vtrn2q_s64 (a2, c2));
  r[3] = vreinterpretq_s32_s64 (vtrn2q_s64 (b2, d2));
}

/* Keeps @a in a register; compilers tend to reload values that are used several times. */
INLINE vf
vf_in_register (vf a)
{
  __asm__("" : "+w"(a));
  return a;
}

/* Returns the sums of four vectors, in order. */
INLINE qi
vi_sum_4 (vi r0, vi r1, vi r2, vi r3)
{
  return vpaddq_s32 (vpaddq_s32 (r0, r1), vpaddq_s32 (r2, r3));
}

INLINE qf
vf_sum_4 (vf r0, vf r1, vf r2, vf r3)
{
  return vpaddq_f32 (vpaddq_f32 (r0, r1), vpaddq_f32 (r2, r3));
}

INLINE void
qf_store (float *p, qf x)
{
  vst1q_f32 (p, x);
}

/* Prefetches a line that is read soon, into the L2 cache. */
INLINE void
fetch_next (gconstpointer address)
{
  __builtin_prefetch (address, 0, 2);
}

/* Prefetches a line of weights. */
INLINE void
fetch_line (guintptr address, gboolean past_caches)
{
  if (past_caches)
    __builtin_prefetch ((gconstpointer) address, 0, 0);
  else
    __builtin_prefetch ((gconstpointer) address, 0, 3);
}
