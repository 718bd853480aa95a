/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances between rows, and between tensors (docs/formats/operators.md, section 13). */
#include <math.h>
#include <string.h>

#include "engine/operators/families.h"
#include "engine/operators/move.h"

static double
distance (const double *a, const double *b, gsize n, double p)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    double d = fabs (a[i] - b[i]);

    if (p == 0)
      sum += d != 0;
    else if (p == 1)
      sum += d;
    else if (p == 2)
      sum += d * d;
    else if (isinf (p))
      sum = d > sum || d != d ? d : sum;
    else
      sum += pow (d, p);
  }
  if (p == 2)
    return sqrt (sum);
  return p == 0 || p == 1 || isinf (p) ? sum : pow (sum, 1 / p);
}

typedef struct {
  const double *a, *b;
  double *y;
  gsize rows_a, rows_b, width;
  double p;
} Distances;

/* One item is one row of the result. */
static void
distance_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Distances *job = data;

  for (gsize i = begin; i < end; i++) {
    const double *b = job->b + i / job->rows_a * job->rows_b * job->width;

    for (gsize j = 0; j < job->rows_b; j++)
      job->y[i * job->rows_b + j] =
          distance (job->a + i * job->width, b + j * job->width, job->width, job->p);
  }
}

/* Expand the batch of @view to @sizes, dense and in double. */
static gboolean
expand_batch (PtExecution *execution, guint rank, gint64 *sizes, PtView *view, GError **error)
{
  PtView dense;

  sizes[rank - 2] = view->sizes[view->rank - 2];
  sizes[rank - 1] = view->sizes[view->rank - 1];
  if (!pt_scratch_view (execution, PT_DTYPE_F64, rank, sizes, &dense, error) ||
      !pt_move_convert (execution, &dense, view, error))
    return FALSE;
  *view = dense;
  return TRUE;
}

PT_KERNEL (cdist_forward_out)
{
  PtView in[2], batches[2], out, y;
  gint64 sizes[PT_MAX_RANK], unused;
  guint rank;
  Distances job;

  if (!pt_arg_view (args[0], "x1", PT_FL, &in[0], error) ||
      !pt_arg_view (args[1], "x2", 1u << in[0].dtype, &in[1], error) ||
      !pt_value_double (args[2], "p", &job.p, error) ||
      !pt_value_optional_int (args[3], "compute_mode", 0, &unused, error))
    return FALSE;
  PT_CHECK (in[0].rank >= 2 && in[1].rank >= 2 &&
                in[0].sizes[in[0].rank - 1] == in[1].sizes[in[1].rank - 1] && job.p >= 0,
            "These rows have no distances.");
  for (guint k = 0; k < 2; k++) {
    batches[k] = in[k];
    pt_view_set_size (&batches[k], in[k].rank - 1, 1);
    pt_view_set_size (&batches[k], in[k].rank - 2, 1);
  }
  if (!pt_broadcast (2, batches, &rank, sizes, error))
    return FALSE;
  job.rows_a = (gsize) in[0].sizes[in[0].rank - 2];
  job.rows_b = (gsize) in[1].sizes[in[1].rank - 2];
  job.width = (gsize) in[0].sizes[in[0].rank - 1];
  if (!expand_batch (execution, rank, sizes, &in[0], error) ||
      !expand_batch (execution, rank, sizes, &in[1], error))
    return FALSE;
  sizes[rank - 2] = (gint64) job.rows_a, sizes[rank - 1] = (gint64) job.rows_b;
  if (!pt_arg_out (args[4], PT_FL, rank, sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, &out, &y, error))
    return FALSE;
  job.a = (const double *) in[0].data;
  job.b = (const double *) in[1].data;
  job.y = (double *) y.data;
  if (out.numel > 0)
    pt_pool_run (pt_execution_pool (execution), out.numel / job.rows_b,
                 MAX (1, 4096 / (job.rows_b * job.width + 1)), distance_range, &job);
  return pt_finish_work (execution, &out, &y, error);
}

PT_KERNEL (pdist_forward_out)
{
  PtView in, out, y;
  double p;
  gint64 n, count;
  gsize width, at = 0;

  if (!pt_arg_view (args[0], "self", PT_FL, &in, error) ||
      !pt_value_double (args[1], "p", &p, error))
    return FALSE;
  PT_CHECK (in.rank == 2 && p >= 0, "These rows have no distances.");
  n = in.sizes[0];
  width = (gsize) in.sizes[1];
  count = n * (n - 1) / 2;
  if (!pt_arg_out (args[2], PT_FL, 1, &count, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &in, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, &out, &y, error))
    return FALSE;
  for (gsize i = 0; i < (gsize) n; i++)
    for (gsize j = i + 1; j < (gsize) n; j++)
      ((double *) y.data)[at++] = distance ((const double *) in.data + i * width,
                                            (const double *) in.data + j * width, width, p);
  return pt_finish_work (execution, &out, &y, error);
}

static gboolean
is_close (double a, double b, double rtol, double atol, gboolean equal_nan)
{
  if (a != a || b != b)
    return equal_nan && a != a && b != b;
  if (a == b)
    return TRUE;
  return isfinite (a) && isfinite (b) && (rtol != 0 || atol != 0) &&
         fabs (a - b) <= atol + fabs (rtol * b);
}

PT_KERNEL (allclose_out)
{
  PtView a, b, out;
  double rtol, atol;
  gboolean equal_nan, close = TRUE;
  gsize i;

  if (!pt_arg_view (args[0], "self", PT_RHB, &a, error) ||
      !pt_arg_view (args[1], "other", 1u << a.dtype, &b, error) ||
      !pt_value_double (args[2], "rtol", &rtol, error) ||
      !pt_value_double (args[3], "atol", &atol, error) ||
      !pt_value_bool (args[4], "equal_nan", &equal_nan, error) ||
      !pt_arg_out_single (args[6], PT_BIT (BOOL), &out, error))
    return FALSE;
  PT_CHECK (pt_view_same_shape (&a, &b), "Only tensors of one shape can be close.");
  if (pt_dtype_in (a.dtype, PT_FL)) {
    if (!pt_make_dense (execution, PT_DTYPE_F64, &a, error) ||
        !pt_make_dense (execution, PT_DTYPE_F64, &b, error))
      return FALSE;
    for (i = 0; i < a.numel && close; i++)
      close = is_close (((const double *) a.data)[i], ((const double *) b.data)[i], rtol, atol,
                        equal_nan);
  } else {
    if (!pt_make_dense (execution, a.dtype, &a, error) ||
        !pt_make_dense (execution, b.dtype, &b, error))
      return FALSE;
    close = a.numel == 0 || memcmp (a.data, b.data, a.numel * pt_dtype_size (a.dtype)) == 0;
  }
  *out.data = (guint8) close;
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::_cdist_forward.out", cdist_forward_out, 6, 4, 1 },
  { "aten::_pdist_forward.out", pdist_forward_out, 4, 2, 1 },
  { "aten::allclose.out", allclose_out, 8, 6, 1 },
};

const PtOperatorFamily pt_distance_family = { operators, G_N_ELEMENTS (operators) };
