/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "engine/kernels/kernel-tables.h"

/*
 * Element-wise loops on static 8-bit values, in plain C. The file is compiled once for each
 * instruction set, and the compiler makes vectors of the loops; PT_Q8_LOOPS is the name of the
 * table. Parameters are copied, so that the compiler knows that no store changes them.
 */

static void
flip (gsize n, const guint8 *x, guint8 *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = x[i] ^ 0x80;
}

static void
clamp (gsize n, const guint8 *x, guint8 flip, gint8 lo, gint8 hi, guint8 *y)
{
  for (gsize i = 0; i < n; i++) {
    gint8 q = (gint8) (x[i] ^ flip);

    q = q > lo ? q : lo;
    q = q < hi ? q : hi;
    y[i] = (guint8) q ^ flip;
  }
}

static void
largest (gsize n, const guint8 *x, guint8 flip, guint8 *y)
{
  for (gsize i = 0; i < n; i++) {
    gint8 a = (gint8) (x[i] ^ flip), b = (gint8) (y[i] ^ flip);

    y[i] = (guint8) (a > b ? a : b) ^ flip;
  }
}

static void
add (const PtSumQ8 *sum, gsize n, const guint8 *a, const guint8 *b, guint8 *y)
{
  const PtSumQ8 s = *sum;

  for (gsize i = 0; i < n; i++) {
    gint32 total =
        s.start + s.a_factor * (gint8) (a[i] ^ s.a_flip) + s.b_factor * (gint8) (b[i] ^ s.b_flip);
    gint32 q = (total >> s.shift) + s.y_zero;

    q = q > s.y_min ? q : s.y_min;
    q = q < s.y_max ? q : s.y_max;
    y[i] = (guint8) q ^ s.y_flip;
  }
}

/* rne (clamp (x)) + zero; @lo and @hi are bounds without the zero point. NaN gives @lo. */
static inline guint8
to_byte (float x, float lo, float hi, gint32 zero, guint8 flip)
{
  /* After adding 1.5 * 2^23, the low bits contain the rounded integer. */
  const float magic = 12582912.0f;
  gint32 bits;

  x = x > lo ? x : lo;
  x = x < hi ? x : hi;
  x += magic;
  memcpy (&bits, &x, sizeof bits);
  return (guint8) (bits - 0x4b400000 + zero) ^ flip;
}

static void
quantize (const PtToQ8 *to, gsize n, const float *x, guint8 *y)
{
  const PtToQ8 t = *to;
  const float lo = (float) (t.min - t.zero), hi = (float) (t.max - t.zero);

  for (gsize i = 0; i < n; i++)
    y[i] = to_byte (x[i] * t.scale, lo, hi, t.zero, t.flip);
}

static void
quantize_sums (const PtToQ8 *to, gsize n, const gint32 *sums, guint8 *y)
{
  const PtToQ8 t = *to;
  const float lo = (float) (t.min - t.zero), hi = (float) (t.max - t.zero);

  for (gsize i = 0; i < n; i++)
    y[i] = to_byte ((float) sums[i] * t.scale, lo, hi, t.zero, t.flip);
}

static void
dequantize (gsize n, const guint8 *x, guint8 flip, gint32 zero, float scale, float *y)
{
  for (gsize i = 0; i < n; i++)
    y[i] = (float) ((gint8) (x[i] ^ flip) - zero) * scale;
}

static void
multiply (const PtProductQ8 *product, gsize n, const guint8 *a, gsize a_step, const guint8 *b,
          gsize b_step, guint8 *y)
{
  const PtProductQ8 p = *product;
  const PtToQ8 t = p.to;
  const float lo = (float) (t.min - t.zero), hi = (float) (t.max - t.zero);

  if (a_step == 1 && b_step == 1) {
    for (gsize i = 0; i < n; i++) {
      gint32 q = ((gint8) (a[i] ^ p.a_flip) - p.a_zero) * ((gint8) (b[i] ^ p.b_flip) - p.b_zero);

      y[i] = to_byte ((float) q * t.scale, lo, hi, t.zero, t.flip);
    }
    return;
  }
  for (gsize i = 0; i < n; i++) {
    gint32 q = ((gint8) (a[i * a_step] ^ p.a_flip) - p.a_zero) *
               ((gint8) (b[i * b_step] ^ p.b_flip) - p.b_zero);

    y[i] = to_byte ((float) q * t.scale, lo, hi, t.zero, t.flip);
  }
}

#ifdef __AVX512BW__

/* With 128 entries for each of two instructions. */
__attribute__ ((target ("avx512vbmi"))) static gsize
look_up_vectors (gsize n, const guint8 *table, const guint8 *x, guint8 *y)
{
  const __m512i a = _mm512_loadu_si512 (table), b = _mm512_loadu_si512 (table + 64);
  const __m512i c = _mm512_loadu_si512 (table + 128), d = _mm512_loadu_si512 (table + 192);
  gsize i = 0;

  for (; i + 64 <= n; i += 64) {
    __m512i at = _mm512_loadu_si512 (x + i);
    __m512i low = _mm512_permutex2var_epi8 (a, at, b), high = _mm512_permutex2var_epi8 (c, at, d);

    _mm512_storeu_si512 (y + i, _mm512_mask_blend_epi8 (_mm512_movepi8_mask (at), low, high));
  }
  return i;
}

#endif

#ifdef __AVX2__

/* With 16 entries for each of 16 instructions, which give 0 for indices whose highest bit is set.
 */
static gsize
look_up_parts (gsize n, const guint8 *table, const guint8 *x, guint8 *y)
{
  __m256i parts[16];
  gsize i = 0;

  for (gsize j = 0; j < 16; j++)
    parts[j] = _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const __m128i *) (table + 16 * j)));
  for (; i + 32 <= n; i += 32) {
    __m256i at = _mm256_loadu_si256 ((const __m256i *) (x + i)), all = _mm256_setzero_si256 ();

    for (gsize j = 0; j < 16; j++) {
      /* 0x70 to 0x7f for indices of this part, at least 0x80 for others */
      __m256i here = _mm256_adds_epu8 (_mm256_xor_si256 (at, _mm256_set1_epi8 ((char) (16 * j))),
                                       _mm256_set1_epi8 (0x70));

      all = _mm256_or_si256 (all, _mm256_shuffle_epi8 (parts[j], here));
    }
    _mm256_storeu_si256 ((__m256i *) (y + i), all);
  }
  return i;
}

#endif

#ifdef __aarch64__

/* With 64 entries for each of four instructions, which change nothing for indices past their own.
 */
static gsize
look_up_quarters (gsize n, const guint8 *table, const guint8 *x, guint8 *y)
{
  const uint8x16x4_t a = vld1q_u8_x4 (table), b = vld1q_u8_x4 (table + 64);
  const uint8x16x4_t c = vld1q_u8_x4 (table + 128), d = vld1q_u8_x4 (table + 192);
  const uint8x16_t quarter = vdupq_n_u8 (64);
  gsize i = 0;

  for (; i + 16 <= n; i += 16) {
    uint8x16_t at = vld1q_u8 (x + i), all = vqtbl4q_u8 (a, at);

    at = vsubq_u8 (at, quarter);
    all = vqtbx4q_u8 (all, b, at);
    at = vsubq_u8 (at, quarter);
    all = vqtbx4q_u8 (all, c, at);
    at = vsubq_u8 (at, quarter);
    vst1q_u8 (y + i, vqtbx4q_u8 (all, d, at));
  }
  return i;
}

#endif

static void
look_up (gsize n, const guint8 *table, const guint8 *x, guint8 *y)
{
  gsize i = 0;

#ifdef __AVX512BW__
  if (__builtin_cpu_supports ("avx512vbmi"))
    i = look_up_vectors (n, table, x, y);
#endif
#ifdef __AVX2__
  i += look_up_parts (n - i, table, x + i, y + i);
#elif defined(__aarch64__)
  i = look_up_quarters (n, table, x, y);
#endif
  for (; i < n; i++)
    y[i] = table[x[i]];
}

static void
join_three (gsize n, const guint8 *a, const guint8 *b, const guint8 *c, guint8 *y)
{
  const guint8 *restrict p = a, *restrict q = b, *restrict r = c;
  guint8 *restrict to = y;

  for (gsize i = 0; i < n; i++) {
    to[3 * i] = p[i];
    to[3 * i + 1] = q[i];
    to[3 * i + 2] = r[i];
  }
}

static void
sum (gsize n, const guint8 *x, guint8 flip, gint32 zero, gint32 *sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] += (gint8) (x[i] ^ flip) - zero;
}

const PtQ8Loops PT_Q8_LOOPS = {
  .flip = flip,
  .clamp = clamp,
  .largest = largest,
  .add = add,
  .quantize = quantize,
  .quantize_sums = quantize_sums,
  .dequantize = dequantize,
  .multiply = multiply,
  .look_up = look_up,
  .join_three = join_three,
  .sum = sum,
};
