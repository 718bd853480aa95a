/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/*
 * Weights of 1 to 8 bits in the packed formats of torchao (docs/formats/operators.md, section 21):
 * bit packing, and blobs of linear layers. Every blob is checked before its content is used.
 */

/** The maximum of values that are packed as one piece. */
#define PT_LOWBIT_PIECE 128
/** Rows of a linear blob that are packed together, and the columns in a piece of them. */
#define PT_LOWBIT_ROWS 8
#define PT_LOWBIT_COLUMNS 16

/**
 * Unpack @n values (128, 64 or 32) of @bits bits from n * bits / 8 bytes, to the range from
 * -2^(bits-1).
 */
void pt_lowbit_unpack (guint bits, guint n, const guint8 *packed, gint8 *values);

/** The weights [n, k] of a linear layer, in a blob that must outlive this struct. */
typedef struct {
  guint bits;
  gsize n, k, group; /* columns in a group, which share a scale; divides k */
  gboolean has_zeros, has_bias;
  const guint8 *body;
  gsize group_bytes, block_bytes; /* block: PT_LOWBIT_ROWS rows with all groups and biases */
} PtLowbitLinear;

/** Read the header of @blob, and check that @size bytes are enough for its content. */
gboolean pt_lowbit_linear_init (PtLowbitLinear *self, const guint8 *blob, gsize size, guint bits,
                                gint64 group, gint64 n, gint64 k, GError **error);

static inline gsize
pt_lowbit_n_blocks (const PtLowbitLinear *self)
{
  return (self->n + PT_LOWBIT_ROWS - 1) / PT_LOWBIT_ROWS;
}

/**
 * Unpack PT_LOWBIT_COLUMNS weights of one group, from its column @column on, in all rows of a
 * block: [PT_LOWBIT_ROWS, PT_LOWBIT_COLUMNS].
 */
void pt_lowbit_linear_columns (const PtLowbitLinear *self, gsize block, gsize group, gsize column,
                               gint8 *weights);

/** The parameters of one group for PT_LOWBIT_ROWS rows: real = (weight - zero) * scale. */
typedef struct {
  float scales[PT_LOWBIT_ROWS];
  gint32 sums[PT_LOWBIT_ROWS]; /* sums of the weights */
  gint32 zeros[PT_LOWBIT_ROWS];
} PtLowbitGroup;

void pt_lowbit_linear_group (const PtLowbitLinear *self, gsize block, gsize group,
                             PtLowbitGroup *out);

/** The biases of a block; zeros when there are none. */
void pt_lowbit_linear_bias (const PtLowbitLinear *self, gsize block, float *bias);

G_END_DECLS
