/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-math.h"
#include "engine/kernels/simd.h"
#include "engine/kernels/typed-rows.h"

/* Loops over float arrays for AVX2, AVX-512 and NEON; PT_VECTOR_KERNELS is the name of the table.
 */

/* y[i] = EXPRESSION of v, a vector of x. */
#define MAP(EXPRESSION)                        \
  do {                                         \
    gsize i = 0;                               \
    vf v;                                      \
                                               \
    for (; i + LANES <= n; i += LANES) {       \
      v = vf_load (x + i);                     \
      vf_store (y + i, (EXPRESSION));          \
    }                                          \
    if (i < n) {                               \
      v = vf_load_n (x + i, n - i);            \
      vf_store_n (y + i, (EXPRESSION), n - i); \
    }                                          \
  } while (0)

/* Sines and cosines of large angles, infinities and NaN, by libm. */
static void
turn_far (gsize n, const float *x, float *y, gboolean cosine)
{
  for (gsize i = 0; i < n; i++)
    y[i] = cosine ? cosf (x[i]) : sinf (x[i]);
}

static void
turn (gsize n, const float *x, float *y, gboolean cosine)
{
  for (gsize i = 0; i < n; i += LANES) {
    gsize here = MIN (LANES, n - i);
    vf v = here == LANES ? vf_load (x + i) : vf_load_n (x + i, here);
    vm far = vf_lt (vf_set1 (MAX_ANGLE), vf_abs (v));
    vf s = vf_sin_turned (v, cosine ? 1 : 0);

    if (vm_any (far) || vm_any (vf_is_nan (v)))
      turn_far (here, x + i, y + i, cosine);
    else if (here == LANES)
      vf_store (y + i, s);
    else
      vf_store_n (y + i, s, here);
  }
}

INLINE vf
hardswish (vf x)
{
  vf gate = vf_clamp (vf_add (x, vf_set1 (3.0f)), vf_zero (), vf_set1 (6.0f));

  return vf_mul (x, vf_div (gate, vf_set1 (6.0f)));
}

static void
unary (PtUnary op, gsize n, const float *x, float *y)
{
  switch (op) {
  case PT_UNARY_ABS: MAP (vf_abs (v)); break;
  case PT_UNARY_NEGATE: MAP (vf_xor (v, SIGN_BIT)); break;
  case PT_UNARY_SQUARE: MAP (vf_mul (v, v)); break;
  case PT_UNARY_SQRT: MAP (vf_sqrt (v)); break;
  case PT_UNARY_RSQRT: MAP (vf_div (vf_set1 (1.0f), vf_sqrt (v))); break;
  case PT_UNARY_FLOOR: MAP (vf_floor (v)); break;
  case PT_UNARY_CEIL: MAP (vf_ceil (v)); break;
  case PT_UNARY_EXP: MAP (vf_exp (v)); break;
  case PT_UNARY_LOG: MAP (vf_log (v)); break;
  case PT_UNARY_SIN: turn (n, x, y, FALSE); break;
  case PT_UNARY_COS: turn (n, x, y, TRUE); break;
  case PT_UNARY_TANH: MAP (vf_tanh (v)); break;
  case PT_UNARY_SIGMOID: MAP (vf_sigmoid (v)); break;
  case PT_UNARY_GELU: MAP (vf_gelu (v)); break;
  case PT_UNARY_GELU_TANH: MAP (vf_gelu_tanh (v)); break;
  case PT_UNARY_HARDSWISH: MAP (hardswish (v)); break;
  case PT_UNARY_SILU: MAP (vf_mul (v, vf_sigmoid (v))); break;
  case PT_UNARY_XNN_RSQRT: MAP (vf_xnn_rsqrt (v)); break;
  case PT_UNARY_XNN_SIN: MAP (vf_xnn_sin (v, FALSE)); break;
  case PT_UNARY_XNN_COS: MAP (vf_xnn_sin (v, TRUE)); break;
  case PT_UNARY_XNN_GELU: MAP (vf_xnn_gelu (v)); break;
  case PT_UNARY_XNN_SIGMOID: MAP (vf_xnn_sigmoid (v)); break;
  case PT_N_UNARY: g_assert_not_reached ();
  }
}

/* A NaN in either operand gives NaN. */
INLINE vf
min_or_nan (vf a, vf b)
{
  return vf_select (vf_is_nan (a), a, vf_min (a, b));
}

INLINE vf
max_or_nan (vf a, vf b)
{
  return vf_select (vf_is_nan (a), a, vf_max (a, b));
}

/* y[i] = clamp (EXPRESSION of v and w); w: a vector of b. */
#define MAP_2(EXPRESSION)                                         \
  do {                                                            \
    gsize i = 0;                                                  \
    vf v, w;                                                      \
                                                                  \
    for (; i + LANES <= n; i += LANES) {                          \
      v = vf_load (a + i);                                        \
      w = vf_load (b + i);                                        \
      vf_store (y + i, vf_clamp ((EXPRESSION), lo, hi));          \
    }                                                             \
    if (i < n) {                                                  \
      v = vf_load_n (a + i, n - i);                               \
      w = vf_load_n (b + i, n - i);                               \
      vf_store_n (y + i, vf_clamp ((EXPRESSION), lo, hi), n - i); \
    }                                                             \
  } while (0)

static void
binary (PtBinary op, gsize n, const float *a, const float *b, float min, float max, float *y)
{
  const vf lo = vf_set1 (min), hi = vf_set1 (max);

  switch (op) {
  case PT_BINARY_ADD: MAP_2 (vf_add (v, w)); break;
  case PT_BINARY_SUB: MAP_2 (vf_sub (v, w)); break;
  case PT_BINARY_MUL: MAP_2 (vf_mul (v, w)); break;
  case PT_BINARY_DIV: MAP_2 (vf_div (v, w)); break;
  case PT_BINARY_MIN: MAP_2 (min_or_nan (v, w)); break;
  case PT_BINARY_MAX: MAP_2 (max_or_nan (v, w)); break;
  case PT_N_BINARY: g_assert_not_reached ();
  }
}

static void
binary_scalar (PtBinary op, gsize n, const float *x, float b, gboolean reversed, float min,
               float max, float *y)
{
  const vf lo = vf_set1 (min), hi = vf_set1 (max), w = vf_set1 (b);

  switch (op) {
  case PT_BINARY_ADD: MAP (vf_clamp (vf_add (v, w), lo, hi)); break;
  case PT_BINARY_SUB:
    if (reversed)
      MAP (vf_clamp (vf_sub (w, v), lo, hi));
    else
      MAP (vf_clamp (vf_sub (v, w), lo, hi));
    break;
  case PT_BINARY_MUL: MAP (vf_clamp (vf_mul (v, w), lo, hi)); break;
  case PT_BINARY_DIV:
    if (reversed)
      MAP (vf_clamp (vf_div (w, v), lo, hi));
    else
      MAP (vf_clamp (vf_div (v, w), lo, hi));
    break;
  case PT_BINARY_MIN: MAP (vf_clamp (min_or_nan (v, w), lo, hi)); break;
  case PT_BINARY_MAX: MAP (vf_clamp (max_or_nan (v, w), lo, hi)); break;
  case PT_N_BINARY: g_assert_not_reached ();
  }
}

static void
clamp (gsize n, const float *x, float min, float max, float *y)
{
  const vf lo = vf_set1 (min), hi = vf_set1 (max);

  MAP (vf_clamp (v, lo, hi));
}

static void
scale (gsize n, const float *x, float factor, float *y)
{
  const vf w = vf_set1 (factor);

  MAP (vf_mul (v, w));
}

/* The maximum of n numbers; NaN is ignored. */
static float
largest (gsize n, const float *x)
{
  vf m0 = vf_set1 (-INFINITY), m1 = m0;
  gsize i = 0;

  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    m0 = vf_max (vf_load (x + i), m0);
    m1 = vf_max (vf_load (x + i + LANES), m1);
  }
  m0 = vf_max (m0, m1);
  for (; i + LANES <= n; i += LANES)
    m0 = vf_max (vf_load (x + i), m0);
  if (i < n) {
    float rest[LANES];

    vf_store (rest, m0);
    for (gsize j = 0; i + j < n; j++)
      rest[j] = x[i + j] > rest[j] ? x[i + j] : rest[j];
    m0 = vf_load (rest);
  }
  return vf_largest (m0);
}

static float
max (gsize n, const float *x)
{
  for (gsize i = 0; i < n; i += LANES)
    if (vm_any (vf_is_nan (vf_load_n (x + i, MIN (LANES, n - i)))))
      return NAN;
  return largest (n, x);
}

/*
 * y = exp (x - m). Returns the sum, in a fixed order: two sums over alternate vectors of four, then
 * one by one.
 */
static float
exponentials (gsize n, const float *x, float m, float *y)
{
  const vf shift = vf_set1 (m);
  vf sums[2] = { vf_zero (), vf_zero () }, sum;
  gsize i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    UNROLLED (j, 4) {
      vf e = vf_xnn_exp (vf_sub (vf_load (x + i + j * LANES), shift));

      vf_store (y + i + j * LANES, e);
      sums[j % 2] = vf_add (sums[j % 2], e);
    }
  sum = vf_add (sums[0], sums[1]);
  for (; i + LANES <= n; i += LANES) {
    vf e = vf_xnn_exp (vf_sub (vf_load (x + i), shift));

    vf_store (y + i, e);
    sum = vf_add (sum, e);
  }
  if (i < n) {
    vf_store_n (y + i, vf_xnn_exp (vf_sub (vf_load_n (x + i, n - i), shift)), n - i);
    sum = vf_add (sum, vf_load_n (y + i, n - i));
  }
  return vf_sum (sum);
}

static void
softmax (gsize n, const float *x, float *y)
{
  scale (n, y, 1.0f / exponentials (n, x, largest (n, x), y), y);
}

/* x = x * factor + mask. Returns the maximum; NaN is ignored. */
static float
scale_scores (gsize n, float *x, float factor, const float *mask)
{
  const vf w = vf_set1 (factor);
  vf m = vf_set1 (-INFINITY), v;
  gsize i = 0;

  for (; i + LANES <= n; i += LANES) {
    v = vf_mul (vf_load (x + i), w);
    v = mask ? vf_add (v, vf_load (mask + i)) : v;
    vf_store (x + i, v);
    m = vf_max (v, m);
  }
  for (; i < n; i++) {
    x[i] = mask ? x[i] * factor + mask[i] : x[i] * factor;
    m = vf_max (vf_set1 (x[i]), m);
  }
  return vf_largest (m);
}

#define SUMS (16 / LANES)

/* x = exp (x - m) for n scores of a block. The sum has 16 lanes; the rest is added one by one. */
static float
block_exponentials (gsize n, gsize block, float *x, float m)
{
  const vf shift = vf_set1 (m);
  gsize whole = MIN (n, block - block % 16), i = 0;
  vf sums[SUMS];
  float lanes[16], total = 0.0f;

  UNROLLED (s, SUMS)
    sums[s] = vf_zero ();
  for (; i + 16 <= whole; i += 16)
    UNROLLED (s, SUMS) {
      vf e = vf_libm_exp (vf_sub (vf_load (x + i + s * LANES), shift));

      vf_store (x + i + s * LANES, e);
      sums[s] = vf_add (sums[s], e);
    }
  UNROLLED (s, SUMS)
    vf_store (lanes + s * LANES, sums[s]);
  for (gsize p = i; p < whole; p += LANES) {
    gsize here = MIN (LANES, whole - p);
    vf e = vf_libm_exp (vf_sub (vf_load_n (x + p, here), shift));

    vf_store_n (x + p, e, here);
    for (gsize j = p; j < p + here; j++)
      lanes[j - i] += x[j];
  }
  for (gsize s = 0; s < 16; s++)
    total += lanes[s];
  pt_softmax_rest (n - whole, x + whole, m, &total);
  return total;
}

static float
softmax_step (gsize n, gsize block, float *x, float factor, const float *mask, float *max_inout,
              float *sum_inout)
{
  float m = scale_scores (n, x, factor, mask), older = 1.0f;

  if (m <= *max_inout) {
    m = *max_inout;
    if (m == -INFINITY && !isnan (max (n, x))) {
      memset (x, 0, n * sizeof *x);
      return 1.0f;
    }
  } else {
    older = expf (*max_inout - m);
  }
  *sum_inout = block_exponentials (n, block, x, m) + older * *sum_inout;
  *max_inout = m;
  return older;
}

/*
 * The sum of EXPRESSION of v and w, vectors of a and b. Zeros at the end must not change the sum.
 */
#define SUM(EXPRESSION, a, b)                                                      \
  do {                                                                             \
    vf sums[4] = { vf_zero (), vf_zero (), vf_zero (), vf_zero () }, v, w;         \
    gsize i = 0;                                                                   \
                                                                                   \
    for (; i + 4 * LANES <= n; i += 4 * LANES)                                     \
      UNROLLED (j, 4) {                                                            \
        v = vf_load (a + i + j * LANES);                                           \
        w = vf_load (b + i + j * LANES);                                           \
        sums[j] = vf_add (sums[j], (EXPRESSION));                                  \
      }                                                                            \
    for (; i < n; i += LANES) {                                                    \
      v = vf_load_n (a + i, MIN (LANES, n - i));                                   \
      w = vf_load_n (b + i, MIN (LANES, n - i));                                   \
      sums[0] = vf_add (sums[0], (EXPRESSION));                                    \
    }                                                                              \
    return vf_sum (vf_add (vf_add (sums[0], sums[1]), vf_add (sums[2], sums[3]))); \
  } while (0)

static float
sum (gsize n, const float *x)
{
  SUM (((void) w, v), x, x);
}

static float
dot (gsize n, const float *a, const float *b)
{
  SUM (vf_mul (v, w), a, b);
}

static float
sum_squares (gsize n, const float *x)
{
  return dot (n, x, x);
}

/* Sum of (x - mean)^2. */
static float
sum_deviations (gsize n, const float *x, float mean)
{
  const vf shift = vf_set1 (mean);
  vf total = vf_zero (), d;
  gsize i = 0;

  for (; i + LANES <= n; i += LANES) {
    d = vf_sub (vf_load (x + i), shift);
    total = vf_fma (d, d, total);
  }
  for (; i < n; i++)
    total = vf_add (total, vf_load_n (&(float){ (x[i] - mean) * (x[i] - mean) }, 1));
  return vf_sum (total);
}

static void
layer_norm (gsize n, const float *x, const float *weight, const float *bias, float eps, float *y,
            float *mean_out, float *rstd_out)
{
  float mean = sum (n, x) / (float) n;
  float rstd = 1.0f / sqrtf (sum_deviations (n, x, mean) / (float) n + eps);
  const vf shift = vf_set1 (mean), factor = vf_set1 (rstd);

  for (gsize i = 0; i < n; i += LANES) {
    gsize here = MIN (LANES, n - i);
    vf v = vf_mul (vf_sub (vf_load_n (x + i, here), shift), factor);

    if (weight)
      v = vf_mul (v, vf_load_n (weight + i, here));
    if (bias)
      v = vf_add (v, vf_load_n (bias + i, here));
    vf_store_n (y + i, v, here);
  }
  if (mean_out)
    *mean_out = mean;
  if (rstd_out)
    *rstd_out = rstd;
}

#if LANES == 16
#define HALF_STORE(p, x) _mm256_storeu_si256 ((__m256i *) (p), _mm512_cvtps_ph (x, 8))
#define STORE_16(p, x) _mm256_storeu_si256 ((__m256i *) (p), _mm512_cvtepi32_epi16 (x))
#define LOAD_BYTES(p) _mm512_cvtepi8_epi32 (_mm_loadu_si128 ((const __m128i *) (p)))
#elif LANES == 4
#define HALF_STORE(p, x) vst1_u16 (p, vreinterpret_u16_f16 (vcvt_f16_f32 (x)))
#define STORE_16(p, x) vst1_u16 (p, vmovn_u32 (vreinterpretq_u32_s32 (x)))
#define LOAD_BYTES(p) vmovl_s16 (vget_low_s16 (vmovl_s8 (vcreate_s8 ((guint32) load_lane (p)))))
#else
#define HALF_STORE(p, x) _mm_storeu_si128 ((__m128i *) (p), _mm256_cvtps_ph (x, 8))
#define STORE_16(p, x)                                                             \
  _mm_storeu_si128 ((__m128i *) (p), _mm_packus_epi32 (_mm256_castsi256_si128 (x), \
                                                       _mm256_extracti128_si256 (x, 1)))
#define LOAD_BYTES(p) _mm256_cvtepi8_epi32 (_mm_loadl_epi64 ((const __m128i *) (p)))
#endif

static void
f16_to_f32 (gsize n, const guint16 *x, float *y)
{
  gsize i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    UNROLLED (j, 4)
      vf_store (y + i + j * LANES, vf_load_f16 (x + i + j * LANES));
  for (; i + LANES <= n; i += LANES)
    vf_store (y + i, vf_load_f16 (x + i));
  for (; i < n; i++)
    y[i] = pt_f16_to_f32 (x[i]);
}

static void
bf16_to_f32 (gsize n, const guint16 *x, float *y)
{
  gsize i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    UNROLLED (j, 4)
      vf_store (y + i + j * LANES, vf_load_bf16 (x + i + j * LANES));
  for (; i + LANES <= n; i += LANES)
    vf_store (y + i, vf_load_bf16 (x + i));
  for (; i < n; i++)
    y[i] = pt_bf16_to_f32 (x[i]);
}

static void
f32_to_f16 (gsize n, const float *x, guint16 *y)
{
  gsize i = 0;

  for (; i + LANES <= n; i += LANES)
    HALF_STORE (y + i, vf_load (x + i));
  for (; i < n; i++)
    y[i] = pt_f32_to_f16 (x[i]);
}

static void
f32_to_bf16 (gsize n, const float *x, guint16 *y)
{
  gsize i = 0;

  for (; i + LANES <= n; i += LANES) {
    vf v = vf_load (x + i);
    vi bits = vf_bits (v), odd = vi_and (vi_srl (bits, 16), vi_set1 (1));

    bits = vi_srl (vi_add (bits, vi_add (odd, vi_set1 (0x7fff))), 16);
    bits = vf_bits (vf_select (vf_is_nan (v), vi_floats (vi_set1 (0x7fc0)), vi_floats (bits)));
    STORE_16 (y + i, bits);
  }
  for (; i < n; i++)
    y[i] = pt_f32_to_bf16 (x[i]);
}

static void
i8_to_f32 (gsize n, const gint8 *x, float zero, float factor, float *y)
{
  const vf zeros = vf_set1 (zero), factors = vf_set1 (factor);
  gsize i = 0;

  for (; i + 4 * LANES <= n; i += 4 * LANES)
    UNROLLED (j, 4) {
      vf v = vi_to_float (LOAD_BYTES (x + i + j * LANES));

      vf_store (y + i + j * LANES, vf_mul (vf_sub (v, zeros), factors));
    }
  for (; i + LANES <= n; i += LANES) {
    vf v = vi_to_float (LOAD_BYTES (x + i));

    vf_store (y + i, vf_mul (vf_sub (v, zeros), factors));
  }
  for (; i < n; i++)
    y[i] = ((float) x[i] - zero) * factor;
}

/*
 * Quantisation: XNNPACK's formulas (docs/formats/xnnpack.md), step by step.
 */

static void
find_range (gsize k, const float *x, float *lo, float *hi)
{
  vf a0 = vf_zero (), a1 = a0, b0 = a0, b1 = a0;
  gsize i = 0;

  for (; i + 2 * LANES <= k; i += 2 * LANES) {
    vf v0 = vf_load (x + i), v1 = vf_load (x + i + LANES);

    a0 = vf_min (v0, a0);
    a1 = vf_min (v1, a1);
    b0 = vf_max (v0, b0);
    b1 = vf_max (v1, b1);
  }
  for (; i < k; i += LANES) { /* the zeros of a partial load do not change the range */
    vf v = vf_load_n (x + i, MIN (LANES, k - i));

    a0 = vf_min (v, a0);
    b0 = vf_max (v, b0);
  }
  *lo = -vf_largest (vf_xor (vf_min (a0, a1), SIGN_BIT));
  *hi = vf_largest (vf_max (b0, b1));
}

INLINE vi
quantized (vf x, vf s, vi zero)
{
  vf v = vf_min (vf_max (vf_mul (x, s), vf_set1 (-512.0f)), vf_set1 (512.0f));

  return vi_add (vf_to_int (v), zero);
}

static void
quantize_row (gsize k, const float *x, gint8 *q, gsize stride, float *scale_out, gint32 *zero_out)
{
  float lo, hi, s, a, b, z;
  vi zero;
  vf factor;
  gsize i = 0;

  find_range (k, x, &lo, &hi);
  s = lo == hi ? 1.0f : 255.0f / (hi - lo);
  a = lo * s;
  b = hi * s;
  z = (-128.0f + a) + (127.0f + b) > 0.0f ? -128.0f - a : 127.0f - b;
  z = z > -128.0f ? z : -128.0f;
  *zero_out = (gint32) lrintf (z < 127.0f ? z : 127.0f);
  *scale_out = 1.0f / s;
  zero = vi_set1 (*zero_out);
  factor = vf_set1 (s);
  for (; i + LANES <= k; i += LANES)
    vi_store_bytes (q + i, quantized (vf_load (x + i), factor, zero));
  if (i < k)
    vi_store_bytes_n (q + i, quantized (vf_load_n (x + i, k - i), factor, zero), k - i);
  memset (q + k, 0, stride - k);
}

/* sums - zero * row_sums */
INLINE vi
corrected (gsize n, const gint32 *sums, vi zero, const gint32 *row_sums)
{
  if (n == LANES)
    return vi_sub (vi_load (sums), vi_mul (zero, vi_load (row_sums)));
  return vi_sub (vi_load_n (sums, n), vi_mul (zero, vi_load_n (row_sums, n)));
}

INLINE vf
load_some (const float *p, gsize n)
{
  return n == LANES ? vf_load (p) : vf_load_n (p, n);
}

/* Columns [i, i + n), n <= LANES. */
INLINE void
finish_vector (gsize i, gsize n, const gint32 *sums, const PtQd8Ends *ends, float *y)
{
  vi d = corrected (n, sums + i, vi_set1 (ends->zero), ends->row_sums + i);
  vf v = vf_mul (vi_to_float (d), vf_set1 (ends->scale));

  v = vf_mul (v, load_some (ends->scales + i, n));
  if (ends->bias)
    v = vf_add (v, load_some (ends->bias + i, n));
  v = vf_clamp (v, vf_set1 (ends->min), vf_set1 (ends->max));
  if (n == LANES)
    vf_store (y + i, v);
  else
    vf_store_n (y + i, v, n);
}

static void
finish_qd8 (gsize n, const gint32 *sums, const PtQd8Ends *ends, float *y)
{
  gsize i = 0;

  for (; i + LANES <= n; i += LANES)
    finish_vector (i, LANES, sums, ends, y);
  if (i < n)
    finish_vector (i, n - i, sums, ends, y);
}

static void
finish_qs8 (gsize n, const gint32 *sums, const PtQs8Ends *ends, gint8 *y)
{
  const vi x_zero = vi_set1 (ends->x_zero), y_zero = vi_set1 (ends->y_zero);
  const vf lo = vf_set1 ((float) (ends->y_min - ends->y_zero));
  const vf hi = vf_set1 ((float) (ends->y_max - ends->y_zero));

  for (gsize i = 0; i < n; i += LANES) {
    gsize here = MIN (LANES, n - i);
    vi d = corrected (here, sums + i, x_zero, ends->row_sums + i);
    vf v;

    if (ends->bias)
      d = vi_add (d, vi_load_n (ends->bias + i, here));
    v = vf_mul (vi_to_float (d), vf_load_n (ends->scale + i, here));
    v = vf_min (vf_max (v, lo), hi);
    vi_store_bytes_n (y + i, vi_add (vf_to_int (v), y_zero), here);
  }
}

const PtVectorKernels PT_VECTOR_KERNELS = {
  .unary = unary,
  .binary = binary,
  .binary_scalar = binary_scalar,
  .clamp = clamp,
  .scale = scale,
  .softmax = softmax,
  .sum = sum,
  .max = max,
  .dot = dot,
  .sum_squares = sum_squares,
  .layer_norm = layer_norm,
  .f16_to_f32 = f16_to_f32,
  .f32_to_f16 = f32_to_f16,
  .bf16_to_f32 = bf16_to_f32,
  .f32_to_bf16 = f32_to_bf16,
  .i8_to_f32 = i8_to_f32,
  .half_rows_to_f32 = half_rows_to_f32,
  .i8_rows_to_f32 = i8_rows_to_f32,
  .softmax_step = softmax_step,
  .quantize_row = quantize_row,
  .finish_qd8 = finish_qd8,
  .finish_qs8 = finish_qs8,
};
