/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/vector.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/kernel-tables.h"

void
pt_vector_unary (PtUnary op, gsize n, const float *x, float *y)
{
  g_return_if_fail (op < PT_N_UNARY);
  pt_vector_kernels ()->unary (op, n, x, y);
}

void
pt_vector_binary (PtBinary op, gsize n, const float *a, const float *b, float min, float max,
                  float *y)
{
  g_return_if_fail (op < PT_N_BINARY);
  pt_vector_kernels ()->binary (op, n, a, b, min, max, y);
}

void
pt_vector_binary_scalar (PtBinary op, gsize n, const float *a, float b, gboolean reversed,
                         float min, float max, float *y)
{
  g_return_if_fail (op < PT_N_BINARY);
  pt_vector_kernels ()->binary_scalar (op, n, a, b, reversed, min, max, y);
}

void
pt_vector_clamp (gsize n, const float *x, float lo, float hi, float *y)
{
  pt_vector_kernels ()->clamp (n, x, lo, hi, y);
}

void
pt_vector_softmax (gsize n, const float *x, float *y)
{
  pt_vector_kernels ()->softmax (n, x, y);
}

float
pt_vector_sum (gsize n, const float *x)
{
  return pt_vector_kernels ()->sum (n, x);
}

float
pt_vector_max (gsize n, const float *x)
{
  return pt_vector_kernels ()->max (n, x);
}

float
pt_vector_dot (gsize n, const float *a, const float *b)
{
  return pt_vector_kernels ()->dot (n, a, b);
}

float
pt_vector_sum_squares (gsize n, const float *x)
{
  return pt_vector_kernels ()->sum_squares (n, x);
}

void
pt_vector_layer_norm (gsize n, const float *x, const float *weight, const float *bias, float eps,
                      float *y, float *mean_out, float *rstd_out)
{
  pt_vector_kernels ()->layer_norm (n, x, weight, bias, eps, y, mean_out, rstd_out);
}

void
pt_vector_f16_to_f32 (gsize n, const guint16 *x, float *y)
{
  pt_vector_kernels ()->f16_to_f32 (n, x, y);
}

void
pt_vector_f32_to_f16 (gsize n, const float *x, guint16 *y)
{
  pt_vector_kernels ()->f32_to_f16 (n, x, y);
}

void
pt_vector_bf16_to_f32 (gsize n, const guint16 *x, float *y)
{
  pt_vector_kernels ()->bf16_to_f32 (n, x, y);
}

void
pt_vector_to_f32 (PtFloatType type, gsize n, gconstpointer x, float *y)
{
  switch (type) {
  case PT_FLOAT_F32: memcpy (y, x, n * sizeof *y); break;
  case PT_FLOAT_F16: pt_vector_f16_to_f32 (n, x, y); break;
  case PT_FLOAT_BF16: pt_vector_bf16_to_f32 (n, x, y); break;
  }
}

void
pt_vector_f32_to_bf16 (gsize n, const float *x, guint16 *y)
{
  pt_vector_kernels ()->f32_to_bf16 (n, x, y);
}

void
pt_vector_i8_to_f32 (gsize n, const gint8 *x, float zero, float scale, float *y)
{
  pt_vector_kernels ()->i8_to_f32 (n, x, zero, scale, y);
}

typedef union {
  float f;
  guint32 u;
} FloatBits;

float
pt_f16_to_f32 (guint16 h)
{
  guint32 sign = (guint32) (h & 0x8000) << 16;
  guint32 exponent = (h >> 10) & 0x1f, mantissa = h & 0x3ff;
  FloatBits bits;

  if (exponent == 0) { /* zero or subnormal: mantissa * 2^-24, exact */
    bits.f = (float) mantissa * 0x1p-24f;
    bits.u |= sign;
  } else if (exponent == 31) {
    bits.u = sign | 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0);
  } else {
    bits.u = sign | (exponent + 112) << 23 | mantissa << 13;
  }
  return bits.f;
}

guint16
pt_f32_to_f16 (float f)
{
  FloatBits bits = { .f = f };
  guint32 sign = bits.u >> 16 & 0x8000, magnitude = bits.u & 0x7fffffff;

  if (magnitude > 0x7f800000) /* NaN becomes quiet and keeps its upper bits */
    return (guint16) (sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x477ff000) /* rounds to infinity: more than 65504 */
    return (guint16) (sign | 0x7c00);
  if (magnitude < 0x38800000) { /* subnormal: the float addition rounds at 2^-24 */
    bits.u = magnitude;
    bits.f += 0.5f;
    return (guint16) (sign | (bits.u - 0x3f000000));
  }
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return (guint16) (sign | (magnitude - 0x38000000) >> 13);
}
