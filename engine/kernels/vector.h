/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Loops over float arrays on one thread; callers divide the work for the pool. x and y may be the
 * same array, but must not overlap otherwise.
 */

typedef enum {
  PT_UNARY_ABS,
  PT_UNARY_NEGATE,
  PT_UNARY_SQUARE,
  PT_UNARY_SQRT,
  PT_UNARY_RSQRT,
  PT_UNARY_FLOOR,
  PT_UNARY_CEIL,
  PT_UNARY_EXP,
  PT_UNARY_LOG,
  PT_UNARY_SIN,
  PT_UNARY_COS,
  PT_UNARY_TANH,
  PT_UNARY_SIGMOID,
  PT_UNARY_GELU,      /* exact: x/2 (1 + erf(x / sqrt 2)) */
  PT_UNARY_GELU_TANH, /* approximation with tanh */
  PT_UNARY_HARDSWISH,
  PT_UNARY_SILU,
  /*
   * The functions of XNNPACK: with AVX-512 equal to its kernels for AVX-512 to the last bit;
   * otherwise near the exact value. Sine and cosine are for moderate angles.
   */
  PT_UNARY_XNN_RSQRT,
  PT_UNARY_XNN_SIN,
  PT_UNARY_XNN_COS,
  PT_UNARY_XNN_GELU,
  PT_UNARY_XNN_SIGMOID,
  PT_N_UNARY
} PtUnary;

/** Accuracy: about 2 ulp (gelu: 3e-7 absolute, XNNPACK's 7e-7). NaN and infinities as in libm. */
void pt_vector_unary (PtUnary op, gsize n, const float *x, float *y);

typedef enum {
  PT_BINARY_ADD,
  PT_BINARY_SUB,
  PT_BINARY_MUL,
  PT_BINARY_DIV,
  PT_BINARY_MIN,
  PT_BINARY_MAX,
  PT_N_BINARY
} PtBinary;

/**
 * y = clamp(a op b, min, max) on arrays of equal length. NaN in a or b gives NaN, also for min and
 * max.
 */
void pt_vector_binary (PtBinary op, gsize n, const float *a, const float *b, float min, float max,
                       float *y);
/** y = clamp(a op b, min, max) with a single b; @reversed: b op a. */
void pt_vector_binary_scalar (PtBinary op, gsize n, const float *a, float b, gboolean reversed,
                              float min, float max, float *y);

/** y = min(max(x, lo), hi) */
void pt_vector_clamp (gsize n, const float *x, float lo, float hi, float *y);

/** Softmax of one row: subtract the maximum, exponentiate, divide by the sum. */
void pt_vector_softmax (gsize n, const float *x, float *y);

float pt_vector_sum (gsize n, const float *x);
float pt_vector_max (gsize n, const float *x);
float pt_vector_dot (gsize n, const float *a, const float *b);
float pt_vector_sum_squares (gsize n, const float *x);

/** (x - mean) / sqrt(var + eps) * weight + bias over one row; weight and bias may be NULL. */
void pt_vector_layer_norm (gsize n, const float *x, const float *weight, const float *bias,
                           float eps, float *y, float *mean_out, float *rstd_out);

/** How a floating-point number is stored. */
typedef enum {
  PT_FLOAT_F32,
  PT_FLOAT_F16,
  PT_FLOAT_BF16, /* the upper half of an F32 */
} PtFloatType;

static inline gsize
pt_float_size (PtFloatType type)
{
  return type == PT_FLOAT_F32 ? sizeof (float) : sizeof (guint16);
}

/** Reads numbers of @type. */
void pt_vector_to_f32 (PtFloatType type, gsize n, gconstpointer x, float *y);

/* Conversions round to nearest even. */
void pt_vector_f16_to_f32 (gsize n, const guint16 *x, float *y);
void pt_vector_f32_to_f16 (gsize n, const float *x, guint16 *y);
void pt_vector_bf16_to_f32 (gsize n, const guint16 *x, float *y);
void pt_vector_f32_to_bf16 (gsize n, const float *x, guint16 *y);
/** y = (x - zero) * scale, for example for a row of an 8-bit embedding. */
void pt_vector_i8_to_f32 (gsize n, const gint8 *x, float zero, float scale, float *y);

float pt_f16_to_f32 (guint16 h);
guint16 pt_f32_to_f16 (float f);

static inline float
pt_bf16_to_f32 (guint16 h)
{
  union {
    guint32 u;
    float f;
  } bits = { .u = (guint32) h << 16 };

  return bits.f;
}

static inline guint16
pt_f32_to_bf16 (float f)
{
  union {
    float f;
    guint32 u;
  } bits = { .f = f };

  if (f != f)
    return 0x7fc0;
  return (guint16) ((bits.u + 0x7fff + ((bits.u >> 16) & 1)) >> 16);
}

G_END_DECLS
