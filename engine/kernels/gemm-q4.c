/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/gemm.h"

#include <math.h>

#include "engine/kernels/gemm-int8.h"
#include "engine/kernels/kernels.h"

/* Rows of weights whose sums fit on the stack. */
#define DOT_COLUMNS 128

typedef struct {
  gsize m, n, k;
  const PtQuantizedRows *x;
  const PtWeightsQ4 *w;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
} Product;

static PtQ4Rows
rows_from (const Product *p, gsize column)
{
  PtQ4Rows rows = { .k = p->k, .group = p->w->group };

  rows.weights = p->w->weights + column * ((p->k + 1) / 2);
  if (rows.group > 0)
    rows.scales = p->w->scales + column * (p->k / rows.group);
  return rows;
}

/* y = acc * r + bias */
static void
finish_groups (const Product *p, gsize row, gsize column, gsize n, const float *acc)
{
  float *c = p->c + row * p->ldc + column, r = p->x->scale[row];
  const float *bias = p->epilogue.bias ? p->epilogue.bias + column : NULL;

  for (gsize j = 0; j < n; j++) {
    float v = acc[j] * r;

    v = bias ? v + bias[j] : v;
    c[j] = pt_clamp_f32 (v, p->epilogue.min, p->epilogue.max);
  }
}

/* y = (d * r) * scale + bias; the zero point is in d already. */
static void
finish_channels (const Product *p, gsize row, gsize column, gsize n, const gint32 *sums)
{
  static const gint32 no_sums[DOT_COLUMNS] = { 0 };
  PtQd8Ends ends = {
    .scale = p->x->scale[row],
    .row_sums = no_sums,
    .scales = p->w->scales_f32 + column,
    .bias = p->epilogue.bias ? p->epilogue.bias + column : NULL,
    .min = p->epilogue.min,
    .max = p->epilogue.max,
  };

  pt_vector_kernels ()->finish_qd8 (n, sums, &ends, p->c + row * p->ldc + column);
}

static void
dots_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Product *p = data;
  const PtQ4Kernels *kernels = pt_q4_kernels ();
  union {
    float acc[DOT_COLUMNS];
    gint32 sums[DOT_COLUMNS];
  } room;

  for (gsize column = begin; column < end; column += DOT_COLUMNS) {
    gsize n = MIN (DOT_COLUMNS, end - column);
    PtQ4Rows rows = rows_from (p, column);

    for (gsize row = 0; row < p->m; row++) {
      const gint8 *x = p->x->q + row * p->x->stride;

      if (rows.group > 0) {
        kernels->dot_groups (n, x, p->x->zero[row], &rows, room.acc);
        finish_groups (p, row, column, n, room.acc);
      } else {
        kernels->dot (n, x, p->x->zero[row], &rows, room.sums);
        finish_channels (p, row, column, n, room.sums);
      }
    }
  }
}

void
pt_gemm_qd8_q4 (PtPool *pool, gsize m, gsize n, gsize k, const PtQuantizedRows *x,
                const PtWeightsQ4 *w, const PtEpilogue *epilogue, float *c, gsize ldc)
{
  Product p = {
    .m = m,
    .n = n,
    .k = k,
    .x = x,
    .w = w,
    .epilogue = epilogue ? *epilogue : (PtEpilogue){ NULL, -INFINITY, INFINITY },
    .c = c,
    .ldc = ldc,
  };

  if (m > 0 && n > 0)
    pt_pool_run (pool, n, pt_int8_row_grain (pool, n, (k + 1) / 2), dots_task, &p);
}
