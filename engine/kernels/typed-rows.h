/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/kernel-tables.h"

/* half_rows_to_f32() and i8_rows_to_f32() of PtVectorKernels, by the including file's conversions
 * of one row. */

static void f16_to_f32 (gsize n, const guint16 *x, float *y);
static void bf16_to_f32 (gsize n, const guint16 *x, float *y);
static void i8_to_f32 (gsize n, const gint8 *x, float zero, float factor, float *y);

static void
half_rows_to_f32 (const PtTypedRows *rows, gboolean is_bf16, PtAhead *ahead, float *y)
{
  const guint16 *x = rows->x;

  for (gsize i = 0; i < rows->n_rows; i++, x += rows->stride, y += rows->n_columns) {
    pt_fetch_ahead (ahead, pt_lines (rows->n_columns * sizeof *x));
    if (is_bf16)
      bf16_to_f32 (rows->n_columns, x, y);
    else
      f16_to_f32 (rows->n_columns, x, y);
  }
}

static void
i8_rows_to_f32 (const PtTypedRows *rows, PtAhead *ahead, float *y)
{
  const gint8 *x = rows->x;

  for (gsize i = 0; i < rows->n_rows; i++, x += rows->stride, y += rows->n_columns) {
    pt_fetch_ahead (ahead, pt_lines (rows->n_columns));
    i8_to_f32 (rows->n_columns, x, rows->zeros[i * rows->zero_stride],
               rows->scales[i * rows->scale_stride], y);
  }
}
