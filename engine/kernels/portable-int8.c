/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"

/*
 * Integer products in plain C, for every CPU. Sums are unsigned: with a damaged k they wrap, which
 * is defined.
 */

static void
dot_rows (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
          gint32 *sums, gsize ldsums)
{
  for (gsize j = 0; j < n; j++)
    for (gsize i = 0; i < m; i++) {
      guint32 sum = 0;

      for (gsize p = 0; p < k; p++)
        sum += (guint32) (x[i * ldx + p] * w[j * ldw + p]);
      sums[i * ldsums + j] = (gint32) sum;
    }
}

static void
stream_rows (gsize n, gsize k, const gint8 *x, const gint8 *w, const gint8 *next, gint32 *sums)
{
  dot_rows (1, n, k, x, k, w, k, sums, n);
}

static void
row_sums (gsize n, gsize k, const gint8 *w, gsize ldw, gint32 *sums)
{
  for (gsize j = 0; j < n; j++) {
    guint32 sum = 0;

    for (gsize p = 0; p < k; p++)
      sum += (guint32) w[j * ldw + p];
    sums[j] = (gint32) sum;
  }
}

/* Nothing to prepare. */
typedef struct {
  const gint8 *x;
  gint32 zero;
} Prepared;

static gsize
prepared_size (gsize k)
{
  return sizeof (Prepared);
}

static void
prepare (gsize k, const gint8 *x, gint32 zero, gpointer prepared)
{
  *(Prepared *) prepared = (Prepared){ x, zero };
}

/* The sum of (x - zero) * w over columns [begin, end) of one row of nibbles; begin is even. */
static gint32
sum_q4 (const gint8 *x, gint32 zero, const guint8 *w, gsize begin, gsize end)
{
  guint32 sum = 0;

  for (gsize p = begin; p + 1 < end; p += 2) {
    guint8 pair = w[p / 2];

    sum += (guint32) ((x[p] - zero) * ((pair & 15) - 8));
    sum += (guint32) ((x[p + 1] - zero) * ((pair >> 4) - 8));
  }
  if (end & 1)
    sum += (guint32) ((x[end - 1] - zero) * ((w[end / 2] & 15) - 8));
  return (gint32) sum;
}

static void
dot_groups (gsize n, gconstpointer prepared, const PtQ4Rows *rows, float *acc)
{
  const Prepared *row = prepared;
  gsize n_groups = rows->k / rows->group, row_bytes = (rows->k + 1) / 2;

  for (gsize j = 0; j < n; j++) {
    const guint8 *w = rows->weights + j * row_bytes;
    float total = 0;

    for (gsize g = 0; g < n_groups; g++) {
      gint32 d = sum_q4 (row->x, row->zero, w, g * rows->group, (g + 1) * rows->group);

      total = total + (float) d * pt_bf16_to_f32 (rows->scales[j * n_groups + g]);
    }
    acc[j] = total;
  }
}

static void
dot (gsize n, gconstpointer prepared, gint32 zero, const PtQ4Rows *rows, gint32 *sums)
{
  const Prepared *row = prepared;
  gsize row_bytes = (rows->k + 1) / 2;

  for (gsize j = 0; j < n; j++)
    sums[j] = sum_q4 (row->x, zero, rows->weights + j * row_bytes, 0, rows->k);
}

static void
unpack (gsize k, const guint8 *w, gint8 *bytes)
{
  for (gsize p = 0; p < k; p++)
    bytes[p] = (gint8) ((p % 2 ? w[p / 2] >> 4 : w[p / 2] & 15) - 8);
}

const PtInt8Kernels pt_int8_kernels_portable = {
  .dot_rows = dot_rows,
  .stream_rows = stream_rows,
  .row_sums = row_sums,
};

const PtQ4Kernels pt_q4_kernels_portable = {
  .prepared_size = prepared_size,
  .prepare = prepare,
  .dot_groups = dot_groups,
  .dot = dot,
  .unpack = unpack,
};
