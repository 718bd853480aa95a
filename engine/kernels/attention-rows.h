/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#include "engine/kernels/attention.h"
#include "engine/kernels/kernel-tables.h"

/* Rows of keys and values as floats: for attention.c only. */

/* Some columns of consecutive rows of keys or values of a head. */
typedef struct {
  const PtAttentionRows *rows;
  gsize batch, kv_head, first, n; /* rows [first, first + n) */
  gsize column, n_columns;
} PtRowCut;

/* Room for rows that become floats: those of a panel, or of a chunk. */
typedef float PtRowRoom[PT_MAX_NR * PT_ATTENTION_MAX_TYPED_DIM];

static inline gsize
pt_row_number_size (PtRowType type)
{
  return type == PT_ROWS_F32 ? sizeof (float) : type == PT_ROWS_I8 ? 1 : sizeof (guint16);
}

static inline gsize
pt_row_number_at (const PtRowNumbers *numbers, const PtRowCut *cut, gsize row)
{
  return cut->batch * numbers->batch_stride + cut->kv_head * numbers->head_stride +
         row * numbers->row_stride;
}

/* Where the cut's columns of row @row of all rows begin. */
static inline const guint8 *
pt_row_cut_at (const PtRowCut *cut, gsize row)
{
  const PtAttentionRows *rows = cut->rows;

  return (const guint8 *) rows->data +
         (cut->batch * rows->batch_stride + cut->kv_head * rows->head_stride +
          row * rows->row_stride + cut->column) *
             pt_row_number_size (rows->type);
}

/* Turns row @row of all rows into floats. */
static inline void
pt_row_to_floats (const PtVectorKernels *vectors, const PtRowCut *cut, gsize row, float *out)
{
  const PtAttentionRows *rows = cut->rows;
  gconstpointer from = pt_row_cut_at (cut, row);

  switch (rows->type) {
  case PT_ROWS_F32: memcpy (out, from, cut->n_columns * sizeof *out); break;
  case PT_ROWS_F16: vectors->f16_to_f32 (cut->n_columns, from, out); break;
  case PT_ROWS_BF16: vectors->bf16_to_f32 (cut->n_columns, from, out); break;
  case PT_ROWS_I8: {
    gint8 zero = ((const gint8 *) rows->zeros.data)[pt_row_number_at (&rows->zeros, cut, row)];
    float scale = ((const float *) rows->scales.data)[pt_row_number_at (&rows->scales, cut, row)];

    vectors->i8_to_f32 (cut->n_columns, from, zero, scale, out);
    break;
  }
  }
}

/*
 * The cut as floats: where they lie, or in @room. Sets the stride of the rows, and where to
 * prefetch the following rows from: NULL if @goes_on is FALSE, or if this function has prefetched
 * them.
 */
static inline const float *
pt_float_rows (const PtVectorKernels *vectors, const PtRowCut *cut, gboolean goes_on,
               PtRowRoom room, gsize *stride, const float **ahead)
{
  *ahead = NULL;
  if (cut->rows->type == PT_ROWS_F32) {
    const float *rows = (const float *) (gconstpointer) pt_row_cut_at (cut, cut->first);

    *stride = cut->rows->row_stride;
    if (goes_on)
      *ahead = rows + cut->n * *stride;
    return rows;
  }
  for (gsize i = 0; i < cut->n; i++) {
    if (goes_on)
      pt_fetch (pt_row_cut_at (cut, cut->first + cut->n + i),
                cut->n_columns * pt_row_number_size (cut->rows->type));
    pt_row_to_floats (vectors, cut, cut->first + i, room + i * cut->n_columns);
  }
  *stride = cut->n_columns;
  return room;
}
