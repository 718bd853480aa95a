/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Element-wise loops on static 8-bit values, on the calling thread. Inputs and output may be the
 * same array. Bytes are stored values; a flip is 0x80 for unsigned ones and 0 for signed ones, so
 * that byte ^ flip is a signed number (docs/formats/xnnpack.md, section 8.3).
 */

/** y = clamp ((total >> shift) + y_zero) ^ y_flip, total = start + a_factor * (a ^ a_flip) +
 * b_factor * (b ^ b_flip), which must fit 32 bits for all bytes. */
typedef struct {
  gint32 start, a_factor, b_factor, shift, y_zero, y_min, y_max;
  guint8 a_flip, b_flip, y_flip;
} PtSumQ8;

/** (rne (clamp (x * scale, min - zero, max - zero)) + zero) ^ flip; rne rounds to the nearest
 * integer, ties to even; NaN gives min. */
typedef struct {
  float scale;
  gint32 zero, min, max;
  guint8 flip;
} PtToQ8;

/** x = ((a ^ a_flip) - a_zero) * ((b ^ b_flip) - b_zero), then PtToQ8. */
typedef struct {
  PtToQ8 to;
  gint32 a_zero, b_zero;
  guint8 a_flip, b_flip;
} PtProductQ8;

typedef struct {
  /* y = x ^ 0x80 */
  void (*flip) (gsize n, const guint8 *x, guint8 *y);
  /* y = clamp (x ^ flip) ^ flip */
  void (*clamp) (gsize n, const guint8 *x, guint8 flip, gint8 lo, gint8 hi, guint8 *y);
  /* y = max (x, y) as signed numbers */
  void (*largest) (gsize n, const guint8 *x, guint8 flip, guint8 *y);
  void (*add) (const PtSumQ8 *sum, gsize n, const guint8 *a, const guint8 *b, guint8 *y);
  void (*quantize) (const PtToQ8 *to, gsize n, const float *x, guint8 *y);
  void (*quantize_sums) (const PtToQ8 *to, gsize n, const gint32 *sums, guint8 *y);
  /* y = ((x ^ flip) - zero) * scale */
  void (*dequantize) (gsize n, const guint8 *x, guint8 flip, gint32 zero, float scale, float *y);
  /* Steps are 1, or 0: one number for all. */
  void (*multiply) (const PtProductQ8 *product, gsize n, const guint8 *a, gsize a_step,
                    const guint8 *b, gsize b_step, guint8 *y);
  /* y = table[x], 256 entries */
  void (*look_up) (gsize n, const guint8 *table, const guint8 *x, guint8 *y);
  /* y = a[0], b[0], c[0], a[1], b[1], c[1], ...; no array overlaps another */
  void (*join_three) (gsize n, const guint8 *a, const guint8 *b, const guint8 *c, guint8 *y);
  /* sums += (x ^ flip) - zero */
  void (*sum) (gsize n, const guint8 *x, guint8 flip, gint32 zero, gint32 *sums);
} PtQ8Loops;

/** The loops for this processor. */
const PtQ8Loops *pt_q8_loops (void);

G_END_DECLS
