/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/* Shared by the products with 8-bit weights. For files of engine/kernels only. */

typedef struct _PtInt8Product PtInt8Product;

struct _PtInt8Product {
  gsize m, n, k;
  const gint8 *x; /* [m, ldx] */
  gsize ldx;
  const gint8 *weights;   /* [n, k] */
  const gint32 *row_sums; /* [n] or NULL: computed as needed */
  const float *scales;    /* [n] or NULL: data for each column that finish() reads */

  /* Turn the integer sums of one row, columns [column, column + n), into results. */
  void (*finish) (const PtInt8Product *self, gsize row, gsize column, gsize n, const gint32 *sums,
                  const gint32 *row_sums);
};

void pt_int8_multiply (PtPool *pool, const PtInt8Product *product);

/**
 * The number of rows that one piece of a loop should read, of @n rows of @row_bytes. Returns @n
 * when the loop is too short for several threads.
 */
gsize pt_int8_row_grain (PtPool *pool, gsize n, gsize row_bytes);

/** The weights in memory that one row of x is multiplied with. */
typedef struct {
  PtPool *pool;
  gconstpointer weights;
  gsize n, row_bytes;
  gsize grain; /* columns of a piece */
} PtWeightStream;

/** @most: maximum of columns in a piece. */
PtWeightStream pt_weight_stream (PtPool *pool, gconstpointer weights, gsize n, gsize row_bytes,
                                 gsize most);

/** Run @task over the columns. Each column is read once, in order. */
void pt_weight_stream_run (const PtWeightStream *stream, PtPoolTask task, gpointer data);

/**
 * The address that @worker will probably read after columns [column, column + n). Only prefetch it:
 * it may be any address.
 */
gconstpointer pt_weight_stream_next (const PtWeightStream *stream, gsize column, gsize n,
                                     guint worker);

G_END_DECLS
