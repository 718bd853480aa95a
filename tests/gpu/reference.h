/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * Reference implementations of our GPU kernels in plain C and high precision, written from the
 * formulas (docs/formats/cuda.md, section 9) and not from the kernels. Sums come with the sum of
 * their terms' absolute values, which bounds the rounding error.
 */

typedef struct {
  double value, magnitude;
} ReferenceSum;

/** Whether a bf16 result is possible for the exact @sum with f32 arithmetic in any order. */
gboolean reference_accepts (ReferenceSum sum, guint16 bf16);

/* ---- Numbers ---- */

float reference_from_bf16 (guint16 x);
guint16 reference_to_bf16 (double x); /* rounded once, to nearest, ties to even */
float reference_from_f16 (guint16 x);

/** A random number, the same on all machines for the same @state. */
guint32 reference_random (guint64 *state);
/** In [-1, 1). */
float reference_uniform (guint64 *state);
/** @n bf16 in [-@scale, @scale), free with g_free(). */
guint16 *reference_random_bf16 (gsize n, float scale, guint64 *state);

/* ---- int4, tile packed (section 9.2) ---- */

/** @weights: 0 to 15, [n][k]; @packed: [n / 8][k / (16 inner)][32][inner / 2] */
void reference_int4_pack (guint32 *packed, const guint8 *weights, gint64 n, gint64 k, gint inner);
/** The weight of row @row at @column of k, from where the formula says it lies. */
guint reference_int4_unpack (const guint32 *packed, gint64 k, gint inner, gint64 row,
                             gint64 column);

/**
 * @weights: [n][k] of packed ones; @scales: bf16 [k / group][n][2]; @is_rounded: to bf16, as
 * upstream does; otherwise to a float, which changes no bf16 result that can be told apart
 */
void reference_int4_dequantise (float *weights, const guint32 *packed, const guint16 *scales,
                                gint64 n, gint64 k, gint inner, gint64 group, gboolean is_rounded);

/** Element (@row, @column) of bf16 input [m][k] times weights [n][k]. */
ReferenceSum reference_product (const guint16 *input, const float *weights, gint64 k, gint64 row,
                                gint64 column);

/* ---- Plain quantised weights (sections 9.3 and 9.4) ---- */

/** @bits of each weight: 4, 5 or 6; @low: [k / 2], @high: as section 9.3 says for a row. */
void reference_plain_pack (guint8 *low, guint8 *high, const guint8 *weights, gint64 k, gint bits);
guint reference_plain_unpack (const guint8 *low, const guint8 *high, gint64 column, gint bits);

/** Activations of a row in blocks of 32: @scales [k / 32]. */
void reference_round_row (gint8 *rounded, float *scales, const guint16 *row, gint64 k);

/* ---- Random numbers (section 9.6) ---- */

void reference_philox (guint32 result[4], const guint32 counter[4], guint64 key);
/** 32 bits: number @offset of sequence @sequence. */
guint32 reference_random_number (guint64 seed, guint64 sequence, guint64 offset);

/* ---- Sorting (section 9.5) ---- */

/** -1, 0 or 1 as element @a of @data comes before, with or behind element @b in ascending order.
 * @dtype: a PtDType. */
gint reference_compare (gconstpointer data, gint dtype, gint64 a, gint64 b);
/** @order: [length], the elements first, first + step, ... in a stable order. */
void reference_sort (gint64 *order, gconstpointer data, gint dtype, gint64 first, gint64 step,
                     gint64 length, gboolean descending);
