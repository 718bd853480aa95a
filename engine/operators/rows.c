/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators on rows: softmax, cumsum, topk (docs/formats/operators.md, section 11). */
#include "engine/operators/rows.h"

#include <math.h>

#include "engine/kernels/vector.h"
#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

static void
softmax_f32 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  pt_vector_softmax (n, x, y);
}

static double
max_f64 (gsize n, const double *x)
{
  double best = x[0];

  for (gsize i = 1; i < n; i++)
    best = x[i] > best ? x[i] : best;
  return best;
}

static void
softmax_f64 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const double *in = x;
  double *out = y, max = max_f64 (n, in), sum = 0;

  for (gsize i = 0; i < n; i++) {
    out[i] = exp (in[i] - max);
    sum += out[i];
  }
  for (gsize i = 0; i < n; i++)
    out[i] /= sum;
}

static void
log_softmax_f32 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const float *in = x;
  float *out = y, max = pt_vector_max (n, in), log_sum;

  /* Sums in pieces, because the exponentials need memory and y may be x. */
  {
    float piece[256], sum = 0;

    for (gsize i = 0; i < n; i += G_N_ELEMENTS (piece)) {
      gsize m = MIN (G_N_ELEMENTS (piece), n - i);

      for (gsize j = 0; j < m; j++)
        piece[j] = in[i + j] - max;
      pt_vector_unary (PT_UNARY_EXP, m, piece, piece);
      sum += pt_vector_sum (m, piece);
    }
    log_sum = logf (sum);
  }
  for (gsize i = 0; i < n; i++)
    out[i] = in[i] - max - log_sum;
}

static void
log_softmax_f64 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const double *in = x;
  double *out = y, max = max_f64 (n, in), sum = 0, log_sum;

  for (gsize i = 0; i < n; i++)
    sum += exp (in[i] - max);
  log_sum = log (sum);
  for (gsize i = 0; i < n; i++)
    out[i] = in[i] - max - log_sum;
}

static gboolean
softmax (PtExecution *execution, PtValue *const *args, PtRowFunc f32, PtRowFunc f64, GError **error)
{
  PtView in, out;
  guint dim;
  PtCompute compute;

  if (!pt_arg_view (args[0], "self", PT_FL, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_arg_false (args[2], "half_to_float", error) ||
      !pt_arg_out (args[3], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  compute = pt_compute_of (in.dtype);
  return pt_for_rows (execution, compute, &in, &out, dim, compute == PT_COMPUTE_F64 ? f64 : f32,
                      NULL, error);
}

PT_KERNEL (softmax_out)
{
  return softmax (execution, args, softmax_f32, softmax_f64, error);
}

PT_KERNEL (log_softmax_out)
{
  return softmax (execution, args, log_softmax_f32, log_softmax_f64, error);
}

static void
cumsum_i64 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const gint64 *in = x;
  gint64 *out = y;
  guint64 sum = 0;

  for (gsize i = 0; i < n; i++)
    out[i] = (gint64) (sum += (guint64) in[i]);
}

static void
cumsum_f32 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const float *in = x;
  float *out = y, sum = 0;

  for (gsize i = 0; i < n; i++)
    out[i] = sum += in[i];
}

static void
cumsum_f64 (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params)
{
  const double *in = x;
  double *out = y, sum = 0;

  for (gsize i = 0; i < n; i++)
    out[i] = sum += in[i];
}

PT_KERNEL (cumsum_out)
{
  static const PtRowFunc funcs[PT_N_COMPUTES] = { cumsum_i64, cumsum_f32, cumsum_f64 };
  PtView in, out;
  guint dim;
  PtDType dtype;
  gint64 wanted;
  PtCompute compute;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_arg_out_dtype (args[3], PT_RHB, &dtype, error) ||
      !pt_value_optional_int (args[2], "dtype", dtype, &wanted, error))
    return FALSE;
  PT_CHECK (wanted == (gint64) dtype, "'dtype' is not the dtype of the result.");
  if (!pt_arg_out (args[3], PT_RHB, in.rank, in.sizes, &out, error))
    return FALSE;
  compute = pt_compute_of (dtype);
  return pt_for_rows (execution, compute, &in, &out, dim, funcs[compute], NULL, error);
}

/* topk visits rows of elements with their indices, and sorts as far as needed. */

typedef struct {
  double real;
  gint64 integer; /* equal in rank to real, and exact for integers */
  gint64 index;
} Candidate;

/* NaN counts as larger than all numbers. */
static int
compare_candidates (const Candidate *a, const Candidate *b)
{
  gboolean a_nan = a->real != a->real, b_nan = b->real != b->real;

  if (a_nan || b_nan)
    return b_nan - a_nan;
  if (a->real != b->real)
    return a->real > b->real ? -1 : 1;
  return a->integer != b->integer ? (a->integer > b->integer ? -1 : 1) : 0;
}

/* TRUE when @a comes before @b in the result; of equal elements, the first one. */
static gboolean
precedes (const Candidate *a, const Candidate *b, gboolean largest)
{
  int order = compare_candidates (a, b);

  if (order == 0)
    return a->index < b->index;
  return largest ? order < 0 : order > 0;
}

/* Sifts element @at down in a heap of @n elements; the root is the last one in the result order. */
static void
sift (Candidate *heap, gsize n, gsize at, gboolean largest)
{
  for (;;) {
    gsize child = 2 * at + 1;
    Candidate swap;

    if (child >= n)
      return;
    if (child + 1 < n && precedes (&heap[child], &heap[child + 1], largest))
      child++;
    if (precedes (&heap[child], &heap[at], largest))
      return;
    swap = heap[at];
    heap[at] = heap[child];
    heap[child] = swap;
    at = child;
  }
}

/*
 * Stores the @k best elements of @row in best[0..k), best first, with a heap of the k best so far.
 */
static void
select_best (const PtView *row, Candidate *best, gsize k, gboolean largest)
{
  gboolean is_int = pt_compute_of (row->dtype) == PT_COMPUTE_I64;
  gsize n = (gsize) row->sizes[0];

  for (gsize i = 0; i < n; i++) {
    Candidate candidate = { .index = (gint64) i };
    gconstpointer from = pt_view_at (row, (gint64) i * row->strides[0]);

    pt_load (row->dtype, PT_COMPUTE_F64, 1, from, 1, &candidate.real);
    if (is_int)
      pt_load (row->dtype, PT_COMPUTE_I64, 1, from, 1, &candidate.integer);
    if (i < k) {
      best[i] = candidate;
      if (i + 1 == k)
        for (gsize j = k / 2; j-- > 0;)
          sift (best, k, j, largest);
    } else if (precedes (&candidate, &best[0], largest)) {
      best[0] = candidate;
      sift (best, k, 0, largest);
    }
  }
  /* Heap sort: the root, the worst of the best, goes to the end. */
  for (gsize left = k; left > 1; left--) {
    Candidate worst = best[0];

    best[0] = best[left - 1];
    best[left - 1] = worst;
    sift (best, left - 1, 0, largest);
  }
}

PT_KERNEL (topk_values)
{
  gint64 k, sizes[PT_MAX_RANK] = { 0 };
  guint dim;
  gboolean largest, sorted;
  PtView in, values, indices;
  Candidate *best;
  gsize rows;

  if (!pt_arg_view (args[0], "self", PT_RH, &in, error) ||
      !pt_value_int (args[1], "k", &k, error) || !pt_arg_dim (args[2], in.rank, &dim, error) ||
      !pt_value_bool (args[3], "largest", &largest, error) ||
      !pt_value_bool (args[4], "sorted", &sorted, error))
    return FALSE;
  PT_CHECK (k >= 0 && k <= (in.rank == 0 ? 1 : in.sizes[dim]),
            "topk cannot find %" G_GINT64_FORMAT " elements here.", k);
  for (guint i = 0; i < in.rank; i++)
    sizes[i] = i == dim ? k : in.sizes[i];
  if (!pt_arg_out (args[5], 1u << in.dtype, in.rank, sizes, &values, error) ||
      !pt_arg_out (args[6], PT_BIT (I64), in.rank, sizes, &indices, error))
    return FALSE;
  if (in.numel == 0 || k == 0)
    return TRUE;
  best = pt_execution_scratch (execution, (gsize) k * sizeof *best, error);
  if (best == NULL)
    return FALSE;
  pt_view_at_least_1d (&in);
  pt_view_at_least_1d (&values);
  pt_view_at_least_1d (&indices);
  rows = in.numel / (gsize) in.sizes[dim];
  for (gsize row = 0; row < rows; row++) {
    PtView x = in, v = values, x_indices = indices;
    gsize rest = row;

    /* Fixes all dimensions except @dim. */
    for (guint i = in.rank; i-- > 0;) {
      gint64 coord;

      if (i == dim)
        continue;
      coord = (gint64) (rest % (gsize) in.sizes[i]);
      rest /= (gsize) in.sizes[i];
      pt_view_select (&x, i, coord);
      pt_view_select (&v, i, coord);
      pt_view_select (&x_indices, i, coord);
    }
    select_best (&x, best, (gsize) k, largest);
    for (gint64 i = 0; i < k; i++) {
      pt_move_strided (pt_dtype_size (in.dtype), 1, pt_view_at (&v, i * v.strides[0]), 1,
                       pt_view_at (&x, best[i].index * x.strides[0]), 1);
      *(gint64 *) pt_view_at (&x_indices, i * x_indices.strides[0]) = best[i].index;
    }
  }
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::_log_softmax.out", log_softmax_out, 5, 3, 1 },
  { "aten::_softmax.out", softmax_out, 5, 3, 1 },
  { "aten::cumsum.out", cumsum_out, 5, 3, 1 },
  { "aten::topk.values", topk_values, 8, 5, 2 },
};

const PtOperatorFamily pt_rows_family = { operators, G_N_ELEMENTS (operators) };
