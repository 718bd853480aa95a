/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/attention.h"
#include "engine/kernels/kernel-tables.h"

/* Rows of keys and values as floats: for attention-*.c only. */

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

/* The place of the number of the cut's first row. */
static inline gsize
pt_row_number_at (const PtRowNumbers *numbers, const PtRowCut *cut)
{
  return cut->batch * numbers->batch_stride + cut->kv_head * numbers->head_stride +
         cut->first * numbers->row_stride;
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

/*
 * The cut as floats: where they lie, or in @room. Sets the stride of the rows. While rows become
 * floats **ahead is prefetched; *ahead is NULL then.
 */
static inline const float *
pt_float_rows (const PtVectorKernels *vectors, const PtRowCut *cut, PtRowRoom room, gsize *stride,
               PtAhead **ahead)
{
  const PtAttentionRows *rows = cut->rows;
  PtTypedRows typed = { .x = pt_row_cut_at (cut, cut->first),
                        .n_rows = cut->n,
                        .n_columns = cut->n_columns,
                        .stride = rows->row_stride };

  *stride = rows->row_stride;
  if (rows->type == PT_ROWS_F32)
    return typed.x;
  if (rows->type == PT_ROWS_I8) {
    typed.zeros = (const gint8 *) rows->zeros.data + pt_row_number_at (&rows->zeros, cut);
    typed.zero_stride = rows->zeros.row_stride;
    typed.scales = (const float *) rows->scales.data + pt_row_number_at (&rows->scales, cut);
    typed.scale_stride = rows->scales.row_stride;
    vectors->i8_rows_to_f32 (&typed, ahead != NULL ? *ahead : NULL, room);
  } else {
    vectors->half_rows_to_f32 (&typed, rows->type == PT_ROWS_BF16, ahead != NULL ? *ahead : NULL,
                               room);
  }
  *stride = cut->n_columns;
  if (ahead != NULL)
    *ahead = NULL;
  return room;
}

/* The lines of @n_rows rows of the cut's columns, from share @i of @n of them on. */
static inline PtAhead
pt_rows_ahead (const PtRowCut *cut, gsize n_rows, gsize i, gsize n)
{
  gsize size = pt_row_number_size (cut->rows->type), row_bytes = cut->n_columns * size;
  gsize n_lines = MAX (pt_lines (row_bytes), 1), line = n_rows * n_lines * i / n;
  guintptr row = (guintptr) pt_row_cut_at (cut, cut->first + line / n_lines);

  return (PtAhead){ row + line % n_lines * PT_LINE, row + row_bytes, row_bytes,
                    cut->rows->row_stride * size };
}
