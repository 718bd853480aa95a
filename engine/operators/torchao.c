/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear layers and embeddings of 1 to 8 bits (docs/formats/operators.md, section 21). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/gemm.h"
#include "engine/operators/families.h"
#include "engine/operators/index.h"
#include "engine/operators/lowbit.h"
#include "engine/operators/move.h"
#include "engine/program/checked.h"

#define BYTES (PT_BIT (I8) | PT_BIT (U8))

/* ---- Linear ---- */

/* Rows of activations in 8 bits: real = (q - zero) * scale. */
typedef struct {
  gsize m, k, group;
  const float *x;
  gint8 *q;
  float *scales; /* [m] */
  gint32 *zeros; /* [m] */
  gint32 *sums;  /* [m, k / group]: sums of q */
} Activations;

static void
quantize_row (const Activations *a, gsize row)
{
  const float *x = a->x + row * a->k;
  gint8 *q = a->q + row * a->k;
  float least = x[0], most = x[0], zero, scale, inverse;

  for (gsize i = 1; i < a->k; i++) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  scale = (most - least) / 255.0f;
  zero = -128.0f - rintf (least / scale);
  zero = zero > -128.0f ? zero : -128.0f; /* NaN takes this branch, too */
  zero = zero < 127.0f ? zero : 127.0f;
  inverse = (float) (1.0 / ((double) scale + 1e-16));
  for (gsize i = 0; i < a->k; i++) {
    /* The product is exact, so the sum is rounded only once. */
    float v = rintf ((float) ((double) x[i] * (double) inverse + (double) zero));

    v = v > -128.0f ? v : -128.0f;
    q[i] = (gint8) (v < 127.0f ? v : 127.0f);
  }
  a->scales[row] = scale;
  a->zeros[row] = (gint32) zero;
  for (gsize g = 0; g < a->k / a->group; g++) {
    gint32 sum = 0;

    for (gsize i = g * a->group; i < (g + 1) * a->group; i++)
      sum += q[i];
    a->sums[row * (a->k / a->group) + g] = sum;
  }
}

static void
quantize_range (gpointer data, gsize begin, gsize end, guint worker)
{
  for (gsize i = begin; i < end; i++)
    quantize_row (data, i);
}

/* Rows of activations that are multiplied with unpacked weights at once. */
#define STRIP 16

typedef struct {
  Activations a;
  PtLowbitLinear w;
  gint8 *unpacked; /* [workers, PT_LOWBIT_ROWS, group] */
  float *y;        /* [m, n] */
} Linear;

/*
 * y += the contribution of one group, without the scale of the activations. Damaged numbers may
 * wrap.
 */
static void
add_group (const Linear *l, gsize block, gsize group, const gint8 *weights)
{
  const Activations *a = &l->a;
  gsize column = block * PT_LOWBIT_ROWS, n = MIN (PT_LOWBIT_ROWS, l->w.n - column);
  gint32 sums[STRIP * PT_LOWBIT_ROWS];
  PtLowbitGroup g;

  pt_lowbit_linear_group (&l->w, block, group, &g);
  for (gsize row = 0; row < a->m; row += STRIP) {
    gsize m = MIN (STRIP, a->m - row);

    pt_dot_i8 (m, n, a->group, a->q + row * a->k + group * a->group, a->k, weights, a->group, sums,
               PT_LOWBIT_ROWS);
    for (gsize i = 0; i < m; i++) {
      guint32 zero = (guint32) a->zeros[row + i];
      guint32 rest =
          (guint32) a->sums[(row + i) * (a->k / a->group) + group] - (guint32) a->group * zero;
      float *y = l->y + (row + i) * l->w.n + column;

      for (gsize j = 0; j < n; j++) {
        guint32 d = (guint32) sums[i * PT_LOWBIT_ROWS + j] - zero * (guint32) g.sums[j] -
                    (guint32) g.zeros[j] * rest;

        y[j] += g.scales[j] * (float) (gint32) d;
      }
    }
  }
}

static void
finish_block (const Linear *l, gsize block)
{
  gsize column = block * PT_LOWBIT_ROWS, n = MIN (PT_LOWBIT_ROWS, l->w.n - column);
  float bias[PT_LOWBIT_ROWS];

  pt_lowbit_linear_bias (&l->w, block, bias);
  for (gsize i = 0; i < l->a.m; i++) {
    float *y = l->y + i * l->w.n + column;

    for (gsize j = 0; j < n; j++)
      y[j] = y[j] * l->a.scales[i] + bias[j];
  }
}

/* Unpacks one group of a block to weights [PT_LOWBIT_ROWS, group]. */
static void
unpack_group (const PtLowbitLinear *w, gsize block, gsize group, gint8 *weights)
{
  for (gsize column = 0; column < w->group; column += PT_LOWBIT_COLUMNS) {
    gint8 piece[PT_LOWBIT_PIECE];

    pt_lowbit_linear_columns (w, block, group, column, piece);
    for (gsize row = 0; row < PT_LOWBIT_ROWS; row++)
      memcpy (weights + row * w->group + column, piece + row * PT_LOWBIT_COLUMNS,
              PT_LOWBIT_COLUMNS);
  }
}

static void
linear_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Linear *l = data;
  gint8 *weights = l->unpacked + worker * PT_LOWBIT_ROWS * l->w.group;

  for (gsize block = begin; block < end; block++) {
    gsize column = block * PT_LOWBIT_ROWS, n = MIN (PT_LOWBIT_ROWS, l->w.n - column);

    for (gsize i = 0; i < l->a.m; i++)
      memset (l->y + i * l->w.n + column, 0, n * sizeof (float));
    for (gsize group = 0; group < l->w.k / l->w.group; group++) {
      unpack_group (&l->w, block, group, weights);
      add_group (l, block, group, weights);
    }
    finish_block (l, block);
  }
}

/* Allocates scratch for @count elements of @width bytes; NULL with an error, also on overflow. */
static gpointer
scratch (PtExecution *execution, gsize count, gsize width, GError **error)
{
  gsize size;

  if (pt_mul_size (count, width, &size))
    return pt_execution_scratch (execution, MAX (size, 1), error);
  pt_fail (error, PT_ERROR_MEMORY, "A layer needs more memory than there is.");
  return NULL;
}

static gboolean
make_activations (PtExecution *execution, const PtView *x, gsize group, Activations *a,
                  GError **error)
{
  *a = (Activations){
    .m = (gsize) x->sizes[0], .k = (gsize) x->sizes[1], .group = group, .x = (const float *) x->data
  };
  a->q = scratch (execution, x->numel, 1, error);
  if (a->q == NULL)
    return FALSE;
  a->scales = scratch (execution, a->m, sizeof *a->scales, error);
  if (a->scales == NULL)
    return FALSE;
  a->zeros = scratch (execution, a->m, sizeof *a->zeros, error);
  if (a->zeros == NULL)
    return FALSE;
  a->sums = scratch (execution, a->m * (a->k / group), sizeof *a->sums, error);
  if (a->sums == NULL)
    return FALSE;
  pt_pool_run (pt_execution_pool (execution), a->m, MAX (1, 16384 / a->k), quantize_range, a);
  return TRUE;
}

/* Reads a blob, which is used in place. */
static gboolean
arg_blob (PtExecution *execution, const PtValue *value, PtView *blob, GError **error)
{
  if (!pt_arg_view (value, "packed_weights", BYTES, blob, error))
    return FALSE;
  PT_CHECK (blob->rank == 1, "The packed weights of a layer must be a row of bytes.");
  return pt_make_dense (execution, blob->dtype, blob, error);
}

/* Reads the consecutive arguments packed_weights, group_size, n and k. */
static gboolean
arg_linear (PtExecution *execution, PtValue *const *args, guint bits, PtLowbitLinear *w,
            GError **error)
{
  gint64 group, n, k;
  PtView blob;

  return arg_blob (execution, args[0], &blob, error) &&
         pt_value_int (args[1], "group_size", &group, error) &&
         pt_value_int (args[2], "n", &n, error) && pt_value_int (args[3], "k", &k, error) &&
         pt_lowbit_linear_init (w, blob.data, blob.numel, bits, group, n, k, error);
}

static gboolean
linear (PtExecution *execution, PtValue *const *args, guint bits, GError **error)
{
  PtPool *pool = pt_execution_pool (execution);
  PtView x, out, y;
  gint64 sizes[2];
  Linear l;

  if (!pt_arg_view (args[0], "activations", PT_BIT (F32), &x, error) ||
      !arg_linear (execution, args + 1, bits, &l.w, error))
    return FALSE;
  PT_CHECK (x.rank == 2 && x.sizes[1] == (gint64) l.w.k,
            "The activations of a layer do not fit its packed weights.");
  sizes[0] = x.sizes[0], sizes[1] = (gint64) l.w.n;
  if (!pt_make_dense (execution, PT_DTYPE_F32, &x, error) ||
      !make_activations (execution, &x, l.w.group, &l.a, error) ||
      !pt_arg_out (args[5], PT_BIT (F32), 2, sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error))
    return FALSE;
  l.unpacked = scratch (execution, pt_pool_n_workers (pool), PT_LOWBIT_ROWS * l.w.group, error);
  if (l.unpacked == NULL)
    return FALSE;
  l.y = (float *) y.data;
  if (out.numel > 0)
    pt_pool_run (pool, pt_lowbit_n_blocks (&l.w), MAX (1, 8192 / l.w.k), linear_range, &l);
  return pt_finish_work (execution, &out, &y, error);
}

/* ---- Embeddings ---- */

/* Checks and copies the indices, because they may share memory with the result. */
static gboolean
arg_rows (PtExecution *execution, const PtValue *value, gsize n_rows, const gint64 **rows,
          gsize *count, GError **error)
{
  PtView indices;
  gint64 *copy;

  if (!pt_arg_view (value, "indices", PT_INDEX, &indices, error))
    return FALSE;
  PT_CHECK (indices.rank == 1, "The indices of an embedding must be a row of numbers.");
  copy = scratch (execution, indices.numel, sizeof *copy, error);
  if (copy == NULL)
    return FALSE;
  for (gsize i = 0; i < indices.numel; i++) {
    copy[i] = pt_index_at (&indices, (gint64) i * indices.strides[0]);
    if (!pt_index_fits (copy[i], n_rows))
      return pt_fail_index (error, copy[i], (gint64) n_rows);
  }
  *rows = copy;
  *count = indices.numel;
  return TRUE;
}

typedef struct {
  guint bits;
  gsize width, group; /* D, and the number of columns that share a scale */
  const guint8 *table;
  const float *scales;   /* [V, width / group] */
  const gint8 *zeros;    /* [V, width / group] */
  PtLowbitLinear linear; /* for shared embeddings, which use only this and width */
  const gint64 *rows;
  float *y;
} Embedding;

/* Unpacks a row, which is packed in pieces of 128 values, then 64, then 32. */
static void
embed_row (const Embedding *e, gsize row, float *y)
{
  const guint8 *packed = e->table + row * (e->width / 8 * e->bits);
  gsize n_groups = e->width / e->group;

  for (gsize i = 0; i < e->width;) {
    guint n = e->width - i >= 128 ? 128 : e->width - i >= 64 ? 64 : 32;
    gint8 values[PT_LOWBIT_PIECE];

    pt_lowbit_unpack (e->bits, n, packed, values);
    packed += n / 8 * e->bits;
    for (guint j = 0; j < n; j++) {
      gsize at = row * n_groups + (i + j) / e->group;

      y[i + j] = (float) (values[j] - e->zeros[at]) * e->scales[at];
    }
    i += n;
  }
}

static void
embed_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Embedding *e = data;

  for (gsize i = begin; i < end; i++)
    embed_row (e, (gsize) e->rows[i], e->y + i * e->width);
}

static void
embed_shared_row (const PtLowbitLinear *w, gsize index, float *y)
{
  gsize block = index / PT_LOWBIT_ROWS, row = index % PT_LOWBIT_ROWS;

  for (gsize group = 0; group < w->k / w->group; group++, y += w->group) {
    PtLowbitGroup g;

    pt_lowbit_linear_group (w, block, group, &g);
    for (gsize column = 0; column < w->group; column += PT_LOWBIT_COLUMNS) {
      gint8 weights[PT_LOWBIT_PIECE], *of_row = weights + row * PT_LOWBIT_COLUMNS;

      pt_lowbit_linear_columns (w, block, group, column, weights);
      for (gsize j = 0; j < PT_LOWBIT_COLUMNS; j++)
        y[column + j] = ((float) of_row[j] - (float) g.zeros[row]) * g.scales[row];
    }
  }
}

static void
embed_shared_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Embedding *e = data;

  for (gsize i = begin; i < end; i++)
    embed_shared_row (&e->linear, (gsize) e->rows[i], e->y + i * e->width);
}

static gboolean
run_embedding (PtExecution *execution, const PtValue *out_value, Embedding *e, gsize count,
               PtPoolTask task, GError **error)
{
  gint64 sizes[2] = { (gint64) count, (gint64) e->width };
  PtView out, y;

  if (!pt_arg_out (out_value, PT_BIT (F32), 2, sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error))
    return FALSE;
  e->y = (float *) y.data;
  pt_pool_run (pt_execution_pool (execution), count, MAX (1, 16384 / e->width), task, e);
  return pt_finish_work (execution, &out, &y, error);
}

/* A header: magic, kind, version, bits, the smallest and largest pieces of rows, zeros. */
static gboolean
check_embedding_header (const guint8 *blob, guint bits, GError **error)
{
  const guint32 wanted[16] = { 6712, 2, 1, bits, 32, 128 };
  guint32 header[16];

  memcpy (header, blob, sizeof header);
  for (guint i = 0; i < G_N_ELEMENTS (header); i++)
    PT_CHECK (GUINT32_FROM_LE (header[i]) == wanted[i],
              "The packed rows of an embedding are of another form than this program says.");
  return TRUE;
}

/* Reads the packed rows: a blob with a header, or [V, bytes] without one. */
static gboolean
arg_table (PtExecution *execution, const PtValue *value, gsize n_rows, Embedding *e, GError **error)
{
  gsize need, header;
  PtView table;

  if (!pt_arg_view (value, "packed_weights", BYTES, &table, error))
    return FALSE;
  header = table.rank == 1 ? 64 : 0;
  PT_CHECK ((table.rank == 1 || table.rank == 2) &&
                pt_mul_size (n_rows, e->width / 8 * e->bits, &need) &&
                pt_add_size (need, header, &need) && need == table.numel,
            "The packed rows of an embedding do not have the size that they need.");
  if (!pt_make_dense (execution, table.dtype, &table, error) ||
      (header > 0 && !check_embedding_header (table.data, e->bits, error)))
    return FALSE;
  e->table = table.data + header;
  return TRUE;
}

/* Reads scales or zero points, [V, groups]. */
static gboolean
arg_parameters (PtExecution *execution, const PtValue *value, const char *what, PtDType dtype,
                gint64 n_rows, PtView *view, GError **error)
{
  if (!pt_arg_view (value, what, 1u << dtype, view, error))
    return FALSE;
  PT_CHECK (view->rank == 2 && view->sizes[0] == n_rows && view->sizes[1] > 0,
            "'%s' of an embedding needs numbers for each row.", what);
  return pt_make_dense (execution, dtype, view, error);
}

static gboolean
embedding (PtExecution *execution, PtValue *const *args, guint bits, GError **error)
{
  Embedding e = { .bits = bits };
  PtView scales, zeros;
  gint64 n_rows, width;
  gsize count;

  if (!pt_value_int (args[1], "num_embeddings", &n_rows, error) ||
      !pt_value_int (args[2], "embedding_dim", &width, error) ||
      !arg_parameters (execution, args[3], "scales", PT_DTYPE_F32, n_rows, &scales, error) ||
      !arg_parameters (execution, args[4], "zeros", PT_DTYPE_I8, n_rows, &zeros, error))
    return FALSE;
  PT_CHECK (width > 0 && width <= G_MAXINT32 && width % scales.sizes[1] == 0 &&
                width / scales.sizes[1] % 32 == 0 && zeros.sizes[1] == scales.sizes[1],
            "The rows of an embedding do not divide into groups.");
  e.width = (gsize) width;
  e.group = (gsize) (width / scales.sizes[1]);
  e.scales = (const float *) scales.data;
  e.zeros = (const gint8 *) zeros.data;
  return arg_table (execution, args[0], (gsize) n_rows, &e, error) &&
         arg_rows (execution, args[5], (gsize) n_rows, &e.rows, &count, error) &&
         run_embedding (execution, args[6], &e, count, embed_range, error);
}

static gboolean
shared_embedding (PtExecution *execution, PtValue *const *args, guint bits, GError **error)
{
  Embedding e = { .bits = bits };
  gsize count;

  if (!arg_linear (execution, args, bits, &e.linear, error))
    return FALSE;
  e.width = e.linear.k;
  return arg_rows (execution, args[4], e.linear.n, &e.rows, &count, error) &&
         run_embedding (execution, args[5], &e, count, embed_shared_range, error);
}

/* ---- One operator for every number of bits ---- */

#define DEFINE(bits)                                        \
  PT_KERNEL (linear_##bits)                                 \
  {                                                         \
    return linear (execution, args, bits, error);           \
  }                                                         \
  PT_KERNEL (embedding_##bits)                              \
  {                                                         \
    return embedding (execution, args, bits, error);        \
  }                                                         \
  PT_KERNEL (shared_##bits)                                 \
  {                                                         \
    return shared_embedding (execution, args, bits, error); \
  }

/* clang-format off */
DEFINE (1)
DEFINE (2)
DEFINE (3)
DEFINE (4)
DEFINE (5)
DEFINE (6)
DEFINE (7)
DEFINE (8)

#define LIST(bits)                                                               \
  { "torchao::_embedding_" #bits "bit.out", embedding_##bits, 8, 6, 1 },         \
  { "torchao::_linear_8bit_act_" #bits "bit_weight.out", linear_##bits, 7, 5, 1 }, \
  { "torchao::_shared_embedding_" #bits "bit.out", shared_##bits, 7, 5, 1 }

static const PtOperator operators[] = {
  LIST (1), LIST (2), LIST (3), LIST (4), LIST (5), LIST (6), LIST (7), LIST (8),
};
/* clang-format on */

const PtOperatorFamily pt_torchao_family = { operators, G_N_ELEMENTS (operators) };
