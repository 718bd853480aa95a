/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/* Inside this room: what the products with 8-bit weights have in common. */

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

/** How many of @n rows of @row_bytes one piece of a loop should read; @n: not worth a second
 * thread. */
gsize pt_int8_row_grain (PtPool *pool, gsize n, gsize row_bytes);

G_END_DECLS
