/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/lowbit.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"

/* ---- Bit packing. @p: packed bytes, @v: values, not yet signed, @w: values side by side. ---- */

static void
unpack_1 (guint n, const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < n; i++)
    if (n == 128)
      v[i] = p[i % 16] >> (7 - i / 16) & 1;
    else if (n == 64)
      v[i] = p[i % 8] >> (4 * (i % 16 / 8) + 3 - i / 16) & 1;
    else
      v[i] = p[i / 8] >> (7 - i % 8) & 1;
}

static void
unpack_2 (guint w, const guint8 *p, guint8 *v)
{
  for (guint j = 0; j < 4; j++)
    for (guint i = 0; i < w; i++)
      v[j * w + i] = p[i] >> (6 - 2 * j) & 3;
}

static void
unpack_3 (guint w, const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < w; i++) {
    guint8 a = p[i], b = p[i + w], c = p[i + 2 * w];

    v[i] = a >> 3 & 7;
    v[i + w] = a & 7;
    v[i + 2 * w] = b >> 3 & 7;
    v[i + 3 * w] = b & 7;
    v[i + 4 * w] = c >> 3 & 7;
    v[i + 5 * w] = c & 7;
    v[i + 6 * w] = (guint8) (a >> 6 | (c >> 5 & 4));
    v[i + 7 * w] = (guint8) (b >> 6 | (c >> 4 & 4));
  }
}

static void
unpack_4 (guint w, const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < w; i++) {
    v[i] = p[i] & 15;
    v[i + w] = p[i] >> 4;
  }
}

static void
unpack_5 (guint w, const guint8 *p, guint8 *v)
{
  for (guint j = 0; j < 4; j++)
    for (guint i = 0; i < w; i++) {
      v[2 * j * w + i] = p[j * w + i] & 31;
      v[(2 * j + 1) * w + i] = (guint8) (p[j * w + i] >> 5 | (p[4 * w + i] >> (2 * j) & 3) << 3);
    }
}

/* Pieces of 64 values have a special form: each of 8 bytes has the upper 2 bits of four values. */
static void
unpack_5_64 (const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < 16; i++) {
    guint8 upper = p[32 + i % 8] >> (i < 8 ? 0 : 2);

    v[i] = p[i] & 31;
    v[i + 16] = (guint8) (p[i] >> 5 | (upper & 3) << 3);
    v[i + 32] = p[i + 16] & 31;
    v[i + 48] = (guint8) (p[i + 16] >> 5 | (upper >> 4 & 3) << 3);
  }
}

static void
unpack_6 (guint w, const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < w; i++) {
    guint8 a = p[i], b = p[i + w], c = p[i + 2 * w];

    v[i] = a & 63;
    v[i + w] = b & 63;
    v[i + 2 * w] = c & 63;
    v[i + 3 * w] = (guint8) (a >> 6 | (b >> 6) << 2 | (c >> 6) << 4);
  }
}

static void
unpack_7 (guint w, const guint8 *p, guint8 *v)
{
  for (guint i = 0; i < w; i++)
    v[7 * w + i] = 0;
  for (guint j = 0; j < 7; j++)
    for (guint i = 0; i < w; i++) {
      v[j * w + i] = p[j * w + i] & 127;
      v[7 * w + i] |= (guint8) (p[j * w + i] >> 7 << j);
    }
}

/* The size of a packed piece of values, when @n values are packed. */
static guint
piece_of (guint bits, guint n)
{
  switch (bits) {
  case 2:
  case 6: return MIN (n, 64);
  case 3:
  case 5:
  case 7: return n == 32 ? 8 : n;
  case 4: return 32;
  default: return n;
  }
}

static void
unpack_piece (guint bits, guint n, const guint8 *p, guint8 *v)
{
  switch (bits) {
  case 1: unpack_1 (n, p, v); break;
  case 2: unpack_2 (n / 4, p, v); break;
  case 3: unpack_3 (n / 8, p, v); break;
  case 4: unpack_4 (n / 2, p, v); break;
  case 5:
    if (n == 64)
      unpack_5_64 (p, v);
    else
      unpack_5 (n / 8, p, v);
    break;
  case 6: unpack_6 (n / 4, p, v); break;
  case 7: unpack_7 (n / 8, p, v); break;
  default: memcpy (v, p, n);
  }
}

void
pt_lowbit_unpack (guint bits, guint n, const guint8 *packed, gint8 *values)
{
  guint8 *v = (guint8 *) values;
  guint piece = piece_of (bits, n);

  for (guint i = 0; i < n; i += piece)
    unpack_piece (bits, piece, packed + i * bits / 8, v + i);
  if (bits == 8)
    return;
  for (guint i = 0; i < n; i++)
    values[i] = (gint8) (v[i] - (1 << (bits - 1)));
}

/* ---- Blobs of linear layers ---- */

#define HEADER_BYTES 64
#define MAGIC 6712
#define KIND_LINEAR 1

static gint32
read_i32 (const guint8 *bytes)
{
  guint32 number;

  memcpy (&number, bytes, sizeof number);
  return (gint32) GUINT32_FROM_LE (number);
}

/* A header: magic, kind, bits, has_zeros, has_bias, and how rows and columns are interleaved. */
static gboolean
read_header (PtLowbitLinear *self, const guint8 *blob, GError **error)
{
  gint32 header[8];

  for (guint i = 0; i < G_N_ELEMENTS (header); i++)
    header[i] = read_i32 (blob + 4 * i);
  PT_CHECK (header[0] == MAGIC, "The packed weights of a layer do not begin as such weights do.");
  if (header[1] != KIND_LINEAR || header[5] != PT_LOWBIT_ROWS || header[6] != PT_LOWBIT_COLUMNS ||
      header[7] != 2)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The weights of a layer are packed for another kind of processor (form %d). "
                    "Export the model with universal packing.",
                    header[1]);
  PT_CHECK (header[2] == (gint32) self->bits,
            "The packed weights of a layer have %d bits instead of %u.", header[2], self->bits);
  self->has_zeros = header[3] != 0;
  self->has_bias = header[4] != 0;
  return TRUE;
}

gboolean
pt_lowbit_linear_init (PtLowbitLinear *self, const guint8 *blob, gsize size, guint bits,
                       gint64 group, gint64 n, gint64 k, GError **error)
{
  gsize need;

  PT_CHECK (n > 0 && k > 0 && group > 0 && n <= G_MAXINT32 && k <= G_MAXINT32 && k % group == 0 &&
                group % PT_LOWBIT_COLUMNS == 0,
            "The packed weights of a layer do not divide into groups of columns.");
  PT_CHECK (size >= HEADER_BYTES, "The packed weights of a layer have no header.");
  *self = (PtLowbitLinear){ .bits = bits,
                            .n = (gsize) n,
                            .k = (gsize) k,
                            .group = (gsize) group,
                            .body = blob + HEADER_BYTES };
  if (!read_header (self, blob, error))
    return FALSE;
  self->group_bytes = self->group * bits + (self->has_zeros ? 3 : 2) * 4 * PT_LOWBIT_ROWS;
  self->block_bytes = self->group_bytes * (self->k / self->group);
  self->block_bytes += self->has_bias ? 4 * PT_LOWBIT_ROWS : 0;
  PT_CHECK (pt_mul_size (self->block_bytes, pt_lowbit_n_blocks (self), &need) &&
                need <= size - HEADER_BYTES,
            "The packed weights of a layer are cut off.");
  return TRUE;
}

static const guint8 *
group_at (const PtLowbitLinear *self, gsize block, gsize group)
{
  return self->body + block * self->block_bytes + group * self->group_bytes;
}

void
pt_lowbit_linear_columns (const PtLowbitLinear *self, gsize block, gsize group, gsize column,
                          gint8 *weights)
{
  /* Bytes of a block = columns times bits, because a block has eight rows. */
  const guint8 *packed = group_at (self, block, group) + column * self->bits;
  gint8 piece[PT_LOWBIT_PIECE];

  pt_lowbit_unpack (self->bits, PT_LOWBIT_PIECE, packed, piece);
  /* Columns 0 to 7 of every row, then columns 8 to 15. */
  for (guint row = 0; row < PT_LOWBIT_ROWS; row++) {
    memcpy (weights + row * PT_LOWBIT_COLUMNS, piece + 8 * row, 8);
    memcpy (weights + row * PT_LOWBIT_COLUMNS + 8, piece + 64 + 8 * row, 8);
  }
}

static void
read_floats (const guint8 *bytes, float *out)
{
  for (guint i = 0; i < PT_LOWBIT_ROWS; i++) {
    gint32 bits = read_i32 (bytes + 4 * i);

    memcpy (&out[i], &bits, sizeof bits);
  }
}

void
pt_lowbit_linear_group (const PtLowbitLinear *self, gsize block, gsize group, PtLowbitGroup *out)
{
  const guint8 *at = group_at (self, block, group) + self->group * self->bits;

  read_floats (at, out->scales);
  for (guint i = 0; i < PT_LOWBIT_ROWS; i++) {
    out->sums[i] = read_i32 (at + 4 * (PT_LOWBIT_ROWS + i));
    out->zeros[i] = self->has_zeros ? read_i32 (at + 4 * (2 * PT_LOWBIT_ROWS + i)) : 0;
  }
}

void
pt_lowbit_linear_bias (const PtLowbitLinear *self, gsize block, float *bias)
{
  if (self->has_bias)
    read_floats (group_at (self, block, self->k / self->group), bias);
  else
    memset (bias, 0, PT_LOWBIT_ROWS * sizeof *bias);
}
