/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>
#include <string.h>

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Static 8-bit values (docs/formats/xnnpack.md, section 8.3). Unsigned values are read as signed
 * ones: the stored byte ^ flip, with a zero point that is 128 less. So the limits are always -128
 * and 127.
 */

static inline guint8
pt_q8_flip (const PtXnnValue *value)
{
  return value->type == PT_XNN_QU8 ? 0x80 : 0;
}

static inline gboolean
pt_is_q8 (PtXnnType type)
{
  return type == PT_XNN_QI8 || type == PT_XNN_QU8;
}

static inline gint32
pt_q8_zero (const PtXnnValue *value)
{
  return value->zero_point - (value->type == PT_XNN_QU8 ? 128 : 0);
}

/**
 * out = in ^ 0x80 for @n bytes, to convert between unsigned and signed numbers. in and out may be
 * the same.
 */
void pt_q8_flip_all (PtPool *pool, gsize n, gconstpointer in, gpointer out);

/** rne (clamp (x, lo - zero, hi - zero)) + zero; NaN gives lo. */
static inline gint32
pt_q8_round (float x, gint32 zero, gint32 lo, gint32 hi)
{
  /* After adding 1.5 * 2^23, the low bits contain the rounded integer. */
  const float magic = 12582912.0f;
  float min = (float) (lo - zero), max = (float) (hi - zero);
  gint32 bits;

  x = x > min ? x : min;
  x = x < max ? x : max;
  x += magic;
  memcpy (&bits, &x, sizeof bits);
  return bits - 0x4b400000 + zero;
}

/** The bounds of a node's output as stored values. */
static inline void
pt_q8_bounds (const PtXnnNode *node, const PtXnnValue *y, gint32 *lo, gint32 *hi)
{
  *lo = pt_q8_round (rintf (node->min / y->scale), pt_q8_zero (y), -128, 127);
  *hi = pt_q8_round (rintf (node->max / y->scale), pt_q8_zero (y), -128, 127);
}

G_END_DECLS
