/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/* For files of engine/kernels only: what the products with 8-bit weights have in common. */

typedef struct _PtInt8Product PtInt8Product;

struct _PtInt8Product {
  gsize m, n, k;
  const gint8 *x; /* [m, ldx] */
  gsize ldx;
  const gint8 *weights;   /* [n, k] */
  const gint32 *row_sums; /* [n] or NULL: made as needed */
  const float *scales;    /* [n] or NULL: what finish() reads for each column */

  /* Turn sums of x * w of one row and columns [column, column + n) into results. */
  void (*finish) (const PtInt8Product *self, gsize row, gsize column, gsize n, const gint32 *sums,
                  const gint32 *row_sums);
};

void pt_int8_multiply (PtPool *pool, const PtInt8Product *product);

/** How many of @n rows of @row_bytes one piece of a loop should read. All @n, when the loop is not
 * worth a second thread. */
gsize pt_int8_row_grain (PtPool *pool, gsize n, gsize row_bytes);

/** The weights that one row of x is multiplied with, as they lie in memory. */
typedef struct {
  PtPool *pool;
  gconstpointer weights;
  gsize n, row_bytes;
  gsize grain; /* columns of a piece */
} PtWeightStream;

/** @most: columns of a piece at most. */
PtWeightStream pt_weight_stream (PtPool *pool, gconstpointer weights, gsize n, gsize row_bytes,
                                 gsize most);

/** Run @task over the columns, whose memory is read once, in order. */
void pt_weight_stream_run (const PtWeightStream *stream, PtPoolTask task, gpointer data);

/** The address that @worker reads after columns [column, column + n), to be prefetched only: it may
 * be any where that is not known. */
gconstpointer pt_weight_stream_next (const PtWeightStream *stream, gsize column, gsize n,
                                     guint worker);

G_END_DECLS
