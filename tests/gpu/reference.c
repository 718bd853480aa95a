/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/gpu/reference.h"

#include <math.h>
#include <string.h>

#include "engine/program/dtype.h"

gboolean
reference_accepts (ReferenceSum sum, guint16 bf16)
{
  double got = reference_from_bf16 (bf16);

  return fabs (got - sum.value) <= fabs (sum.value) / 256 + sum.magnitude * 1e-5 + 1e-30;
}

/* ---- Numbers ---- */

float
reference_from_bf16 (guint16 x)
{
  guint32 bits = (guint32) x << 16;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

guint16
reference_to_bf16 (double x)
{
  float nearest = (float) x;
  guint32 bits;

  memcpy (&bits, &nearest, sizeof bits);
  if (isnan (x))
    return (guint16) (bits >> 16 | 0x40);
  /* Rounding to odd: the last bit keeps the information on bits that were rounded away. */
  if (isfinite (nearest) && (double) nearest != x && (bits & 1) == 0)
    bits += fabs (x) > fabs ((double) nearest) ? 1 : -1u;
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float
reference_from_f16 (guint16 x)
{
  int exponent = x >> 10 & 31, fraction = x & 0x3ff;
  double value = exponent == 0    ? ldexp (fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                  : ldexp (fraction + 1024, exponent - 25);

  return (float) (x & 0x8000 ? -value : value);
}

guint32
reference_random (guint64 *state)
{
  *state = *state * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407;
  return (guint32) (*state >> 32);
}

float
reference_uniform (guint64 *state)
{
  return (float) ((gint32) reference_random (state) >> 8) / 8388608.0f;
}

guint16 *
reference_random_bf16 (gsize n, float scale, guint64 *state)
{
  guint16 *x = g_new (guint16, n);

  for (gsize i = 0; i < n; i++)
    x[i] = reference_to_bf16 ((double) (reference_uniform (state) * scale));
  return x;
}

/* ---- int4, tile packed ---- */

void
reference_int4_pack (guint32 *packed, const guint8 *weights, gint64 n, gint64 k, gint inner)
{
  static const int offsets[8] = { 0, 8, 16, 24, 1, 9, 17, 25 }; /* nibbles, from the lowest */
  gint64 at = 0;

  for (gint64 tile = 0; tile < n / 8; tile++)
    for (gint64 outer = 0; outer < k / (16 * inner); outer++)
      for (gint lane = 0; lane < 32; lane++)
        for (gint word = 0; word < inner / 2; word++) {
          const guint8 *row = weights + (8 * tile + lane / 4) * k;
          gint64 first = 16 * (outer * inner + 2 * word) + lane % 4 * 2;

          packed[at] = 0;
          for (guint i = 0; i < 8; i++)
            packed[at] |= (guint32) row[first + offsets[i]] << (4 * i);
          at++;
        }
}

guint
reference_int4_unpack (const guint32 *packed, gint64 k, gint inner, gint64 row, gint64 column)
{
  gint64 outer = column / (16 * inner), word = column % (16 * inner) / 32;
  gint64 in_word = column % 32;
  gint64 lane = row % 8 * 4 + in_word % 8 / 2;
  gint64 at = ((row / 8 * (k / (16 * inner)) + outer) * 32 + lane) * (inner / 2) + word;

  return packed[at] >> (in_word / 8 * 4 + in_word % 2 * 16) & 15;
}

void
reference_int4_dequantise (float *weights, const guint32 *packed, const guint16 *scales, gint64 n,
                           gint64 k, gint inner, gint64 group, gboolean is_rounded)
{
  for (gint64 row = 0; row < n; row++)
    for (gint64 column = 0; column < k; column++) {
      const guint16 *scale = scales + (column / group * n + row) * 2;
      double q = (double) reference_int4_unpack (packed, k, inner, row, column) - 8;
      double weight =
          q * (double) reference_from_bf16 (scale[0]) + (double) reference_from_bf16 (scale[1]);

      weights[row * k + column] =
          is_rounded ? reference_from_bf16 (reference_to_bf16 (weight)) : (float) weight;
    }
}

ReferenceSum
reference_product (const guint16 *input, const float *weights, gint64 k, gint64 row, gint64 column)
{
  ReferenceSum sum = { 0, 0 };

  for (gint64 i = 0; i < k; i++) {
    double term =
        (double) reference_from_bf16 (input[row * k + i]) * (double) weights[column * k + i];

    sum.value += term;
    sum.magnitude += fabs (term);
  }
  return sum;
}

/* ---- Plain quantised weights ---- */

void
reference_plain_pack (guint8 *low, guint8 *high, const guint8 *weights, gint64 k, gint bits)
{
  memset (low, 0, (gsize) k / 2);
  if (bits > 4)
    memset (high, 0, (gsize) k / (bits == 5 ? 8 : 4));
  for (gint64 i = 0; i < k; i++) {
    gint64 chunk = i / 32, word = i % 32 / 8, pair = i % 8 / 2, odd = i % 2;
    guint upper = weights[i] >> 4;

    low[i / 2] |= (guint8) ((weights[i] & 15) << (4 * odd));
    if (bits == 5)
      high[chunk * 4 + word] |= (guint8) (upper << (pair + 4 * odd));
    if (bits == 6)
      high[chunk * 8 + 4 * odd + word] |= (guint8) (upper << (2 * pair));
  }
}

guint
reference_plain_unpack (const guint8 *low, const guint8 *high, gint64 column, gint bits)
{
  gint64 byte = column / 2, in_chunk = column % 32;
  guint value = column % 2 == 0 ? low[byte] & 15u : low[byte] >> 4;

  if (bits == 5) {
    guint of_word = high[column / 32 * 4 + in_chunk / 8];
    gint64 bit = in_chunk % 8 / 2 + (column % 2 == 1 ? 4 : 0);

    value |= (of_word >> bit & 1) << 4;
  } else if (bits == 6) {
    guint of_word = high[column / 32 * 8 + (column % 2 == 1 ? 4 : 0) + in_chunk / 8];

    value |= (of_word >> (in_chunk % 8 / 2 * 2) & 3) << 4;
  }
  return value;
}

void
reference_round_row (gint8 *rounded, float *scales, const guint16 *row, gint64 k)
{
  for (gint64 block = 0; block < k / 32; block++) {
    float largest = 0, scale, inverse;

    for (gint64 i = block * 32; i < block * 32 + 32; i++)
      largest = fmaxf (largest, fabsf (reference_from_bf16 (row[i])));
    scale = largest / 127.0f;
    inverse = scale > 0 ? 1.0f / scale : 0.0f;
    scales[block] = scale;
    for (gint64 i = block * 32; i < block * 32 + 32; i++) {
      float q = nearbyintf (reference_from_bf16 (row[i]) * inverse);

      rounded[i] = (gint8) CLAMP (q, -128.0f, 127.0f);
    }
  }
}

/* ---- Random numbers ---- */

void
reference_philox (guint32 result[4], const guint32 counter[4], guint64 key)
{
  guint32 x[4], k[2] = { (guint32) key, (guint32) (key >> 32) };

  memcpy (x, counter, sizeof x);
  for (guint round = 0; round < 10; round++) {
    guint64 a = (guint64) x[0] * 0xD2511F53u, b = (guint64) x[2] * 0xCD9E8D57u;

    x[0] = (guint32) (b >> 32) ^ x[1] ^ k[0];
    x[1] = (guint32) b;
    x[2] = (guint32) (a >> 32) ^ x[3] ^ k[1];
    x[3] = (guint32) a;
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  memcpy (result, x, sizeof x);
}

guint32
reference_random_number (guint64 seed, guint64 sequence, guint64 offset)
{
  const guint32 counter[4] = { (guint32) (offset / 4), (guint32) (offset / 4 >> 32),
                               (guint32) sequence, (guint32) (sequence >> 32) };
  guint32 x[4];

  reference_philox (x, counter, seed);
  return x[offset % 4];
}

/* ---- Sorting ---- */

static gint
compare_numbers (double a, double b)
{
  if (isnan (a) || isnan (b))
    return (isnan (a) ? 1 : 0) - (isnan (b) ? 1 : 0);
  return (a > b) - (a < b);
}

gint
reference_compare (gconstpointer data, gint dtype, gint64 a, gint64 b)
{
  switch (dtype) {
  case PT_DTYPE_I64: {
    const gint64 *x = data;

    return (x[a] > x[b]) - (x[a] < x[b]);
  }
  case PT_DTYPE_I32: {
    const gint32 *x = data;

    return (x[a] > x[b]) - (x[a] < x[b]);
  }
  case PT_DTYPE_F32: {
    const float *x = data;

    return compare_numbers ((double) x[a], (double) x[b]);
  }
  case PT_DTYPE_F16: {
    const guint16 *x = data;

    return compare_numbers ((double) reference_from_f16 (x[a]), (double) reference_from_f16 (x[b]));
  }
  default: {
    const guint16 *x = data;

    return compare_numbers ((double) reference_from_bf16 (x[a]),
                            (double) reference_from_bf16 (x[b]));
  }
  }
}

void
reference_sort (gint64 *order, gconstpointer data, gint dtype, gint64 first, gint64 step,
                gint64 length, gboolean descending)
{
  g_autofree gint64 *other = g_new (gint64, (gsize) length);
  gint64 *from = order, *to = other;

  for (gint64 i = 0; i < length; i++)
    order[i] = i;
  for (gint64 run = 1; run < length; run *= 2) {
    for (gint64 begin = 0; begin < length; begin += 2 * run) {
      gint64 middle = MIN (begin + run, length), end = MIN (begin + 2 * run, length);
      gint64 a = begin, b = middle;

      for (gint64 i = begin; i < end; i++) {
        gint order_of_two = 0;

        if (a < middle && b < end) {
          order_of_two =
              reference_compare (data, dtype, first + from[a] * step, first + from[b] * step);
          if (descending)
            order_of_two = -order_of_two;
        }
        to[i] = b >= end || (a < middle && order_of_two <= 0) ? from[a++] : from[b++];
      }
    }
    {
      gint64 *swap = from;

      from = to;
      to = swap;
    }
  }
  if (from != order)
    memcpy (order, from, (gsize) length * sizeof *order);
}
