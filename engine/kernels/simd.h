/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#ifndef __aarch64__
#include <immintrin.h>
#endif

#include <glib.h>

/*
 * Common names for the vectors of AVX2, AVX-512 and NEON (simd-neon.h), so that a kernel is written
 * once and compiled for all (simd-*.c, see meson.build). vf: floats, vi: 32-bit integers, vm: a
 * mask with one truth value for each lane; qf, qi: four floats or integers. Loads and stores need
 * no alignment; those with a count access only that number of elements.
 */

#define INLINE static inline __attribute__ ((always_inline))

/* Loads four bytes at any address. */
INLINE gint32
load_lane (gconstpointer p)
{
  gint32 lane;

  __builtin_memcpy (&lane, p, sizeof lane);
  return lane;
}

/*
 * A short loop of constant length over an array of vectors. It is unrolled so early that the array
 * is kept in registers, if no other loop and no pointer uses the array.
 */
#ifdef __clang__
#define UNROLLED(I, N) _Pragma ("clang loop unroll(full)") for (gsize I = 0; I < (N); I++)
#else
#define UNROLLED(I, N) _Pragma ("GCC unroll 32") for (gsize I = 0; I < (N); I++)
#endif

/*
 * The address of element @i of elements that are @step apart. Every third element is a base, so the
 * next two need no registers of their own.
 */
#define EVERY_THIRD(p, i, step) ((p) + (i) / 3 * (3 * (step)) + (i) % 3 * (step))

/*
 * Returns @x, but hides from the compiler that it is constant in a loop. Otherwise the compiler
 * would compute all addresses before the loop and run out of registers.
 */
INLINE gsize
not_hoisted (gsize x)
{
  __asm__("" : "+r"(x));
  return x;
}

#ifdef __aarch64__

#include "engine/kernels/simd-neon.h"

#else

typedef __m128 qf;
typedef __m128i qi;

/* PT_HALF_VECTORS: the vectors of AVX2 also where AVX-512 is compiled for. */
#if defined(__AVX512F__) && !defined(PT_HALF_VECTORS)

#define LANES 16
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

INLINE __mmask16
first_lanes (gsize n)
{
  return (__mmask16) ((1u << n) - 1);
}

/* clang-format off */
INLINE vf vf_load (const float *p) { return _mm512_loadu_ps (p); }
INLINE void vf_store (float *p, vf x) { _mm512_storeu_ps (p, x); }
INLINE vf vf_load_f16 (const guint16 *p) { return _mm512_cvtph_ps (_mm256_loadu_si256 ((const __m256i *) p)); }
INLINE vf vf_load_bf16 (const guint16 *p) { return _mm512_castsi512_ps (_mm512_slli_epi32 (_mm512_cvtepu16_epi32 (_mm256_loadu_si256 ((const __m256i *) p)), 16)); }
INLINE vf vf_load_n (const float *p, gsize n) { return _mm512_maskz_loadu_ps (first_lanes (n), p); }
INLINE void vf_store_n (float *p, vf x, gsize n) { _mm512_mask_storeu_ps (p, first_lanes (n), x); }
INLINE vf vf_set1 (float x) { return _mm512_set1_ps (x); }
INLINE vf vf_zero (void) { return _mm512_setzero_ps (); }
INLINE vf vf_add (vf a, vf b) { return _mm512_add_ps (a, b); }
INLINE vf vf_sub (vf a, vf b) { return _mm512_sub_ps (a, b); }
INLINE vf vf_mul (vf a, vf b) { return _mm512_mul_ps (a, b); }
INLINE vf vf_div (vf a, vf b) { return _mm512_div_ps (a, b); }
INLINE vf vf_sqrt (vf a) { return _mm512_sqrt_ps (a); }
INLINE vf vf_fma (vf a, vf b, vf c) { return _mm512_fmadd_ps (a, b, c); }   /* a b + c */
INLINE vf vf_fnma (vf a, vf b, vf c) { return _mm512_fnmadd_ps (a, b, c); } /* c - a b */
INLINE vf vf_min (vf a, vf b) { return _mm512_min_ps (a, b); } /* b if one is NaN */
INLINE vf vf_max (vf a, vf b) { return _mm512_max_ps (a, b); }
INLINE vf vf_and (vf a, vf b) { return _mm512_and_ps (a, b); }
INLINE vf vf_andnot (vf a, vf b) { return _mm512_andnot_ps (a, b); } /* ~a & b */
INLINE vf vf_or (vf a, vf b) { return _mm512_or_ps (a, b); }
INLINE vf vf_xor (vf a, vf b) { return _mm512_xor_ps (a, b); }
INLINE vf vf_round (vf a) { return _mm512_roundscale_ps (a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vf vf_floor (vf a) { return _mm512_roundscale_ps (a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE vf vf_ceil (vf a) { return _mm512_roundscale_ps (a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
INLINE vm vf_lt (vf a, vf b) { return _mm512_cmp_ps_mask (a, b, _CMP_LT_OQ); }
INLINE vm vf_le (vf a, vf b) { return _mm512_cmp_ps_mask (a, b, _CMP_LE_OQ); }
INLINE vm vf_eq (vf a, vf b) { return _mm512_cmp_ps_mask (a, b, _CMP_EQ_OQ); }
INLINE vm vf_is_nan (vf a) { return _mm512_cmp_ps_mask (a, a, _CMP_UNORD_Q); }
INLINE vf vf_select (vm m, vf a, vf b) { return _mm512_mask_blend_ps (m, b, a); } /* m ? a : b */
INLINE gboolean vm_any (vm m) { return m != 0; }
INLINE float vf_sum (vf a) { return _mm512_reduce_add_ps (a); }
INLINE vi vf_bits (vf a) { return _mm512_castps_si512 (a); }
INLINE vf vi_floats (vi a) { return _mm512_castsi512_ps (a); } /* the same bits */
INLINE vi vf_to_int (vf a) { return _mm512_cvtps_epi32 (a); }  /* to nearest even */
INLINE vf vi_to_float (vi a) { return _mm512_cvtepi32_ps (a); }

INLINE vi vi_load (gconstpointer p) { return _mm512_loadu_si512 (p); }
INLINE void vi_store (gpointer p, vi x) { _mm512_storeu_si512 (p, x); }
INLINE vi vi_load_n (gconstpointer p, gsize n) { return _mm512_maskz_loadu_epi32 (first_lanes (n), p); }
INLINE void vi_store_n (gpointer p, vi x, gsize n) { _mm512_mask_storeu_epi32 (p, first_lanes (n), x); }
INLINE vi vi_set1 (gint32 x) { return _mm512_set1_epi32 (x); }
INLINE vi vi_set1_8 (gint8 x) { return _mm512_set1_epi8 (x); }
INLINE vi vi_zero (void) { return _mm512_setzero_si512 (); }
INLINE vi vi_add (vi a, vi b) { return _mm512_add_epi32 (a, b); }
INLINE vi vi_sub (vi a, vi b) { return _mm512_sub_epi32 (a, b); }
INLINE vi vi_mul (vi a, vi b) { return _mm512_mullo_epi32 (a, b); }
INLINE vi vi_min (vi a, vi b) { return _mm512_min_epi32 (a, b); }
INLINE vi vi_max (vi a, vi b) { return _mm512_max_epi32 (a, b); }
INLINE vi vi_and (vi a, vi b) { return _mm512_and_si512 (a, b); }
INLINE vi vi_or (vi a, vi b) { return _mm512_or_si512 (a, b); }
INLINE vi vi_xor (vi a, vi b) { return _mm512_xor_si512 (a, b); }
INLINE vi vi_add_8 (vi a, vi b) { return _mm512_add_epi8 (a, b); }
#define vi_sll(a, n) _mm512_slli_epi32 (a, n)
#define vi_srl(a, n) _mm512_srli_epi32 (a, n)
#define vi_sra(a, n) _mm512_srai_epi32 (a, n)
#define vi_srl_16(a, n) _mm512_srli_epi16 (a, n)
INLINE vi vi_unpack_lo (vi a, vi b) { return _mm512_unpacklo_epi32 (a, b); }
INLINE vi vi_unpack_hi (vi a, vi b) { return _mm512_unpackhi_epi32 (a, b); }
INLINE vi vi_unpack_lo_64 (vi a, vi b) { return _mm512_unpacklo_epi64 (a, b); }
INLINE vi vi_unpack_hi_64 (vi a, vi b) { return _mm512_unpackhi_epi64 (a, b); }
INLINE vi vi_unpack_lo_8 (vi a, vi b) { return _mm512_unpacklo_epi8 (a, b); }
INLINE vi vi_unpack_hi_8 (vi a, vi b) { return _mm512_unpackhi_epi8 (a, b); }
INLINE vi vi_unpack_lo_16 (vi a, vi b) { return _mm512_unpacklo_epi16 (a, b); }
INLINE vi vi_unpack_hi_16 (vi a, vi b) { return _mm512_unpackhi_epi16 (a, b); }
INLINE vi vi_pack_32 (vi a, vi b) { return _mm512_packs_epi32 (a, b); }
INLINE vi vi_pack_16 (vi a, vi b) { return _mm512_packs_epi16 (a, b); }
INLINE vi vi_adds_16 (vi a, vi b) { return _mm512_adds_epi16 (a, b); }
INLINE vi vi_add_16 (vi a, vi b) { return _mm512_add_epi16 (a, b); }
INLINE vi vi_sub_16 (vi a, vi b) { return _mm512_sub_epi16 (a, b); }
#define vi_sll_16(a, n) _mm512_slli_epi16 (a, n)
INLINE vi vi_min_16 (vi a, vi b) { return _mm512_min_epi16 (a, b); }
INLINE vi vi_max_16 (vi a, vi b) { return _mm512_max_epi16 (a, b); }
INLINE vi vi_set1_16 (gint16 x) { return _mm512_set1_epi16 (x); }

/* Loads bytes: all, or the first n followed by zeros. */
INLINE vi vi_load_bytes (gconstpointer p, gsize n) { return _mm512_maskz_loadu_epi8 (n < 64 ? (1ull << n) - 1 : ~0ull, p); }
/* Loads half a vector of signed bytes and widens each to 16 bits. */
INLINE vi vi_load_wide (gconstpointer p) { return _mm512_cvtepi8_epi16 (_mm256_loadu_si256 (p)); }
INLINE vi vi_load_wide_n (gconstpointer p, gsize n) { return _mm512_cvtepi8_epi16 (_mm256_maskz_loadu_epi8 (n < 32 ? (1u << n) - 1 : ~0u, p)); }
/* Stores bytes: all, or the first n. */
INLINE void vi_store_all_bytes (gpointer p, vi x, gsize n) { _mm512_mask_storeu_epi8 (p, n < 64 ? (1ull << n) - 1 : ~0ull, x); }
/* Stores 16-bit numbers as signed bytes, saturated: all, or the first n. */
INLINE void vi_store_narrow (gpointer p, vi x, gsize n) { _mm512_mask_cvtsepi16_storeu_epi8 (p, n < 32 ? (1u << n) - 1 : ~0u, x); }
/* Stores lanes as signed bytes, saturated. */
INLINE void vi_store_bytes (gint8 *p, vi x) { _mm_storeu_si128 ((__m128i *) p, _mm512_cvtsepi32_epi8 (x)); }
INLINE void vi_store_bytes_n (gint8 *p, vi x, gsize n) { _mm512_mask_cvtsepi32_storeu_epi8 (p, first_lanes (n), x); }
/* clang-format on */

INLINE __m256i
vi_half_sum (vi a)
{
  return _mm256_add_epi32 (_mm512_castsi512_si256 (a), _mm512_extracti64x4_epi64 (a, 1));
}

INLINE __m256
vf_half_sum (vf a)
{
  return _mm256_add_ps (_mm512_castps512_ps256 (a), _mm512_extractf32x8_ps (a, 1));
}

INLINE float
vf_largest (vf a)
{
  return _mm512_reduce_max_ps (a);
}

/* r[i] lane j becomes r[j] lane i. */
INLINE void
transpose (vi r[LANES])
{
  vi t[LANES];

  UNROLLED (i, 8) {
    t[2 * i] = _mm512_unpacklo_epi32 (r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32 (r[2 * i], r[2 * i + 1]);
  }
  UNROLLED (i, 4) {
    r[4 * i] = _mm512_unpacklo_epi64 (t[4 * i], t[4 * i + 2]);
    r[4 * i + 1] = _mm512_unpackhi_epi64 (t[4 * i], t[4 * i + 2]);
    r[4 * i + 2] = _mm512_unpacklo_epi64 (t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm512_unpackhi_epi64 (t[4 * i + 1], t[4 * i + 3]);
  }
  UNROLLED (j, 4) {
    t[j] = _mm512_shuffle_i32x4 (r[j], r[4 + j], 0x88);
    t[4 + j] = _mm512_shuffle_i32x4 (r[j], r[4 + j], 0xdd);
    t[8 + j] = _mm512_shuffle_i32x4 (r[8 + j], r[12 + j], 0x88);
    t[12 + j] = _mm512_shuffle_i32x4 (r[8 + j], r[12 + j], 0xdd);
  }
  UNROLLED (j, 4) {
    r[j] = _mm512_shuffle_i32x4 (t[j], t[8 + j], 0x88);
    r[8 + j] = _mm512_shuffle_i32x4 (t[j], t[8 + j], 0xdd);
    r[4 + j] = _mm512_shuffle_i32x4 (t[4 + j], t[12 + j], 0x88);
    r[12 + j] = _mm512_shuffle_i32x4 (t[4 + j], t[12 + j], 0xdd);
  }
}

#else /* AVX2 */

#define LANES 8
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;

INLINE __m256i
first_lanes (gsize n)
{
  return _mm256_cmpgt_epi32 (_mm256_set1_epi32 ((gint) n),
                             _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7));
}

/* clang-format off */
INLINE vf vf_load (const float *p) { return _mm256_loadu_ps (p); }
INLINE void vf_store (float *p, vf x) { _mm256_storeu_ps (p, x); }
INLINE vf vf_load_n (const float *p, gsize n) { return _mm256_maskload_ps (p, first_lanes (n)); }
INLINE vf vf_load_f16 (const guint16 *p) { return _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i *) p)); }
INLINE vf vf_load_bf16 (const guint16 *p) { return _mm256_castsi256_ps (_mm256_slli_epi32 (_mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const __m128i *) p)), 16)); }
INLINE void vf_store_n (float *p, vf x, gsize n) { _mm256_maskstore_ps (p, first_lanes (n), x); }
INLINE vf vf_set1 (float x) { return _mm256_set1_ps (x); }
INLINE vf vf_zero (void) { return _mm256_setzero_ps (); }
INLINE vf vf_add (vf a, vf b) { return _mm256_add_ps (a, b); }
INLINE vf vf_sub (vf a, vf b) { return _mm256_sub_ps (a, b); }
INLINE vf vf_mul (vf a, vf b) { return _mm256_mul_ps (a, b); }
INLINE vf vf_div (vf a, vf b) { return _mm256_div_ps (a, b); }
INLINE vf vf_sqrt (vf a) { return _mm256_sqrt_ps (a); }
INLINE vf vf_fma (vf a, vf b, vf c) { return _mm256_fmadd_ps (a, b, c); }
INLINE vf vf_fnma (vf a, vf b, vf c) { return _mm256_fnmadd_ps (a, b, c); }
INLINE vf vf_min (vf a, vf b) { return _mm256_min_ps (a, b); }
INLINE vf vf_max (vf a, vf b) { return _mm256_max_ps (a, b); }
INLINE vf vf_and (vf a, vf b) { return _mm256_and_ps (a, b); }
INLINE vf vf_andnot (vf a, vf b) { return _mm256_andnot_ps (a, b); }
INLINE vf vf_or (vf a, vf b) { return _mm256_or_ps (a, b); }
INLINE vf vf_xor (vf a, vf b) { return _mm256_xor_ps (a, b); }
INLINE vf vf_round (vf a) { return _mm256_round_ps (a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vf vf_floor (vf a) { return _mm256_round_ps (a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE vf vf_ceil (vf a) { return _mm256_round_ps (a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
INLINE vm vf_lt (vf a, vf b) { return _mm256_cmp_ps (a, b, _CMP_LT_OQ); }
INLINE vm vf_le (vf a, vf b) { return _mm256_cmp_ps (a, b, _CMP_LE_OQ); }
INLINE vm vf_eq (vf a, vf b) { return _mm256_cmp_ps (a, b, _CMP_EQ_OQ); }
INLINE vm vf_is_nan (vf a) { return _mm256_cmp_ps (a, a, _CMP_UNORD_Q); }
INLINE vf vf_select (vm m, vf a, vf b) { return _mm256_blendv_ps (b, a, m); }
INLINE gboolean vm_any (vm m) { return _mm256_movemask_ps (m) != 0; }
INLINE vi vf_bits (vf a) { return _mm256_castps_si256 (a); }
INLINE vf vi_floats (vi a) { return _mm256_castsi256_ps (a); }
INLINE vi vf_to_int (vf a) { return _mm256_cvtps_epi32 (a); }
INLINE vf vi_to_float (vi a) { return _mm256_cvtepi32_ps (a); }

INLINE vi vi_load (gconstpointer p) { return _mm256_loadu_si256 (p); }
INLINE void vi_store (gpointer p, vi x) { _mm256_storeu_si256 (p, x); }
INLINE vi vi_load_n (gconstpointer p, gsize n) { return _mm256_maskload_epi32 (p, first_lanes (n)); }
INLINE void vi_store_n (gpointer p, vi x, gsize n) { _mm256_maskstore_epi32 (p, first_lanes (n), x); }
INLINE vi vi_set1 (gint32 x) { return _mm256_set1_epi32 (x); }
INLINE vi vi_set1_8 (gint8 x) { return _mm256_set1_epi8 (x); }
INLINE vi vi_zero (void) { return _mm256_setzero_si256 (); }
INLINE vi vi_add (vi a, vi b) { return _mm256_add_epi32 (a, b); }
INLINE vi vi_sub (vi a, vi b) { return _mm256_sub_epi32 (a, b); }
INLINE vi vi_mul (vi a, vi b) { return _mm256_mullo_epi32 (a, b); }
INLINE vi vi_min (vi a, vi b) { return _mm256_min_epi32 (a, b); }
INLINE vi vi_max (vi a, vi b) { return _mm256_max_epi32 (a, b); }
INLINE vi vi_and (vi a, vi b) { return _mm256_and_si256 (a, b); }
INLINE vi vi_or (vi a, vi b) { return _mm256_or_si256 (a, b); }
INLINE vi vi_xor (vi a, vi b) { return _mm256_xor_si256 (a, b); }
INLINE vi vi_add_8 (vi a, vi b) { return _mm256_add_epi8 (a, b); }
#define vi_sll(a, n) _mm256_slli_epi32 (a, n)
#define vi_srl(a, n) _mm256_srli_epi32 (a, n)
#define vi_sra(a, n) _mm256_srai_epi32 (a, n)
#define vi_srl_16(a, n) _mm256_srli_epi16 (a, n)
INLINE vi vi_unpack_lo (vi a, vi b) { return _mm256_unpacklo_epi32 (a, b); }
INLINE vi vi_unpack_hi (vi a, vi b) { return _mm256_unpackhi_epi32 (a, b); }
INLINE vi vi_unpack_lo_64 (vi a, vi b) { return _mm256_unpacklo_epi64 (a, b); }
INLINE vi vi_unpack_hi_64 (vi a, vi b) { return _mm256_unpackhi_epi64 (a, b); }
INLINE vi vi_unpack_lo_8 (vi a, vi b) { return _mm256_unpacklo_epi8 (a, b); }
INLINE vi vi_unpack_hi_8 (vi a, vi b) { return _mm256_unpackhi_epi8 (a, b); }
INLINE vi vi_unpack_lo_16 (vi a, vi b) { return _mm256_unpacklo_epi16 (a, b); }
INLINE vi vi_unpack_hi_16 (vi a, vi b) { return _mm256_unpackhi_epi16 (a, b); }
INLINE vi vi_pack_32 (vi a, vi b) { return _mm256_packs_epi32 (a, b); }
INLINE vi vi_pack_16 (vi a, vi b) { return _mm256_packs_epi16 (a, b); }
INLINE vi vi_adds_16 (vi a, vi b) { return _mm256_adds_epi16 (a, b); }
INLINE vi vi_add_16 (vi a, vi b) { return _mm256_add_epi16 (a, b); }
INLINE vi vi_sub_16 (vi a, vi b) { return _mm256_sub_epi16 (a, b); }
#define vi_sll_16(a, n) _mm256_slli_epi16 (a, n)
INLINE vi vi_min_16 (vi a, vi b) { return _mm256_min_epi16 (a, b); }
INLINE vi vi_max_16 (vi a, vi b) { return _mm256_max_epi16 (a, b); }
INLINE vi vi_set1_16 (gint16 x) { return _mm256_set1_epi16 (x); }
INLINE vi vi_half_sum (vi a) { return a; }
/* clang-format on */

INLINE __m256
vf_half_sum (vf a)
{
  return a;
}

INLINE float
vf_largest (vf a)
{
  __m128 x = _mm_max_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));

  x = _mm_max_ps (x, _mm_movehl_ps (x, x));
  return _mm_cvtss_f32 (_mm_max_ss (x, _mm_movehdup_ps (x)));
}

INLINE float
vf_sum (vf a)
{
  __m128 x = _mm_add_ps (_mm256_castps256_ps128 (a), _mm256_extractf128_ps (a, 1));

  x = _mm_add_ps (x, _mm_movehl_ps (x, x));
  return _mm_cvtss_f32 (_mm_add_ss (x, _mm_movehdup_ps (x)));
}

#ifdef __AVX512VL__

/* clang-format off */
INLINE vi vi_load_bytes (gconstpointer p, gsize n) { return _mm256_maskz_loadu_epi8 (n < 32 ? (1u << n) - 1 : ~0u, p); }
INLINE vi vi_load_wide (gconstpointer p) { return _mm256_cvtepi8_epi16 (_mm_loadu_si128 (p)); }
INLINE vi vi_load_wide_n (gconstpointer p, gsize n) { return _mm256_cvtepi8_epi16 (_mm_maskz_loadu_epi8 ((__mmask16) (n < 16 ? (1u << n) - 1 : ~0u), p)); }
INLINE void vi_store_all_bytes (gpointer p, vi x, gsize n) { _mm256_mask_storeu_epi8 (p, n < 32 ? (1u << n) - 1 : ~0u, x); }
INLINE void vi_store_narrow (gpointer p, vi x, gsize n) { _mm256_mask_cvtsepi16_storeu_epi8 (p, (__mmask16) (n < 16 ? (1u << n) - 1 : ~0u), x); }
/* clang-format on */

#else

INLINE vi
vi_load_bytes (gconstpointer p, gsize n)
{
  guint8 bytes[32] = { 0 };

  if (n >= sizeof bytes)
    return vi_load (p);
  __builtin_memcpy (bytes, p, n);
  return vi_load (bytes);
}

INLINE vi
vi_load_wide (gconstpointer p)
{
  return _mm256_cvtepi8_epi16 (_mm_loadu_si128 (p));
}

INLINE vi
vi_load_wide_n (gconstpointer p, gsize n)
{
  guint8 bytes[16] = { 0 };

  __builtin_memcpy (bytes, p, MIN (n, sizeof bytes));
  return vi_load_wide (bytes);
}

INLINE void
vi_store_all_bytes (gpointer p, vi x, gsize n)
{
  guint8 bytes[32];

  if (n >= sizeof bytes) {
    vi_store (p, x);
    return;
  }
  vi_store (bytes, x);
  __builtin_memcpy (p, bytes, n);
}

INLINE void
vi_store_narrow (gpointer p, vi x, gsize n)
{
  __m128i packed =
      _mm256_castsi256_si128 (_mm256_permute4x64_epi64 (_mm256_packs_epi16 (x, x), 0x08));
  guint8 bytes[16];

  if (n >= sizeof bytes) {
    _mm_storeu_si128 (p, packed);
    return;
  }
  _mm_storeu_si128 ((__m128i *) bytes, packed);
  __builtin_memcpy (p, bytes, n);
}

#endif

INLINE void
vi_store_bytes (gint8 *p, vi x)
{
  __m128i words = _mm_packs_epi32 (_mm256_castsi256_si128 (x), _mm256_extracti128_si256 (x, 1));

  _mm_storel_epi64 ((__m128i *) p, _mm_packs_epi16 (words, words));
}

INLINE void
vi_store_bytes_n (gint8 *p, vi x, gsize n)
{
  gint8 bytes[8];

  vi_store_bytes (bytes, x);
  __builtin_memcpy (p, bytes, n);
}

INLINE void
transpose (vi r[LANES])
{
  vi t[LANES];

  UNROLLED (i, 4) {
    t[2 * i] = _mm256_unpacklo_epi32 (r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_epi32 (r[2 * i], r[2 * i + 1]);
  }
  UNROLLED (i, 2) {
    r[4 * i] = _mm256_unpacklo_epi64 (t[4 * i], t[4 * i + 2]);
    r[4 * i + 1] = _mm256_unpackhi_epi64 (t[4 * i], t[4 * i + 2]);
    r[4 * i + 2] = _mm256_unpacklo_epi64 (t[4 * i + 1], t[4 * i + 3]);
    r[4 * i + 3] = _mm256_unpackhi_epi64 (t[4 * i + 1], t[4 * i + 3]);
  }
  UNROLLED (j, 4) {
    t[j] = _mm256_permute2x128_si256 (r[j], r[4 + j], 0x20);
    t[4 + j] = _mm256_permute2x128_si256 (r[j], r[4 + j], 0x31);
  }
  UNROLLED (j, 8)
    r[j] = t[j];
}

#endif

/* Keeps @a in a register; compilers tend to reload values that are used several times. */
INLINE vf
vf_in_register (vf a)
{
  __asm__("" : "+v"(a));
  return a;
}

INLINE gint32
vi_sum (vi a)
{
  __m256i half = vi_half_sum (a);
  __m128i x = _mm_add_epi32 (_mm256_castsi256_si128 (half), _mm256_extracti128_si256 (half, 1));

  x = _mm_add_epi32 (x, _mm_shuffle_epi32 (x, 0x4e));
  return _mm_cvtsi128_si32 (_mm_add_epi32 (x, _mm_shuffle_epi32 (x, 0xb1)));
}

/* Returns the sums of four vectors, in order. */
INLINE qi
vi_sum_4 (vi r0, vi r1, vi r2, vi r3)
{
  __m256i a = _mm256_hadd_epi32 (vi_half_sum (r0), vi_half_sum (r1));
  __m256i b = _mm256_hadd_epi32 (vi_half_sum (r2), vi_half_sum (r3));
  __m256i c = _mm256_hadd_epi32 (a, b);

  return _mm_add_epi32 (_mm256_castsi256_si128 (c), _mm256_extracti128_si256 (c, 1));
}

INLINE qf
vf_sum_4 (vf r0, vf r1, vf r2, vf r3)
{
  __m256 a = _mm256_hadd_ps (vf_half_sum (r0), vf_half_sum (r1));
  __m256 b = _mm256_hadd_ps (vf_half_sum (r2), vf_half_sum (r3));
  __m256 c = _mm256_hadd_ps (a, b);

  return _mm_add_ps (_mm256_castps256_ps128 (c), _mm256_extractf128_ps (c, 1));
}

INLINE void
qf_store (float *p, qf x)
{
  _mm_storeu_ps (p, x);
}

/* Prefetches a line that is read soon, into the L2 cache. */
INLINE void
fetch_next (gconstpointer address)
{
  _mm_prefetch ((const char *) address, _MM_HINT_T1);
}

/* Prefetches a line of weights. @past_caches: pt_cpu_fetches_past_caches(). */
INLINE void
fetch_line (guintptr address, gboolean past_caches)
{
  if (past_caches)
    _mm_prefetch ((const char *) address, _MM_HINT_NTA);
  else
    _mm_prefetch ((const char *) address, _MM_HINT_T0);
}

#endif /* x86 */

/* NaN in x stays NaN. */
INLINE vf
vf_clamp (vf x, vf lo, vf hi)
{
  return vf_min (hi, vf_max (lo, x));
}

/*
 * Prefetch distance, in bytes, for rows of weights that are read once, in order. With four times
 * this distance, 4-bit weights are read slower by a sixth.
 */
#define STREAM_AHEAD 8192

/* The number of rows in that distance, in steps of @step. */
INLINE gsize
rows_ahead (gsize row_bytes, gsize step)
{
  gsize step_bytes = MAX (step * row_bytes, 1);

  return (STREAM_AHEAD + step_bytes - 1) / step_bytes * step;
}

/* The address of row @row of @n; behind the last row it is in @next, which is read then. */
INLINE guintptr
address_of_row (gsize row, gsize n, gsize row_bytes, gconstpointer rows, gconstpointer next)
{
  return row < n ? (guintptr) rows + row * row_bytes : (guintptr) next + (row - n) * row_bytes;
}
