/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/operators/convert.h"
#include "engine/operators/loop-nest.h"
#include "engine/operators/rows.h"
#include "engine/program/checked.h"

typedef struct {
  PtView in, out;  /* sizes without the dimension of the rows */
  PtLoopNest nest; /* loops over rows; operand 0: out, 1: in */
  PtCompute compute;
  gsize n;
  gint64 in_stride, out_stride;
  gboolean load, store;
  guint8 *scratch; /* two rows for each worker */
  gsize row_bytes;
  PtRowFunc func;
  gconstpointer params;
} Job;

static void
rows_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  guint8 *buffer = job->scratch + 2 * worker * job->row_bytes;
  PtCursor cursor;

  pt_loop_nest_seek (&job->nest, begin, &cursor);
  for (gsize row = begin; row < end; row++) {
    gconstpointer x = pt_view_at (&job->in, cursor.offsets[1]);
    guint8 *to = pt_view_at (&job->out, cursor.offsets[0]);
    gpointer y = job->store ? buffer + job->row_bytes : to;

    if (job->load) {
      pt_load (job->in.dtype, job->compute, job->n, x, job->in_stride, buffer);
      x = buffer;
    }
    job->func (row, job->n, x, y, job->params);
    if (job->store)
      pt_store (job->out.dtype, job->compute, job->n, y, to, job->out_stride);
    pt_loop_nest_advance (&job->nest, 1, &cursor);
  }
}

gboolean
pt_for_rows (PtExecution *execution, PtCompute compute, const PtView *in, const PtView *out,
             guint dim, PtRowFunc func, gconstpointer params, GError **error)
{
  Job job = { .in = *in, .out = *out, .compute = compute, .func = func, .params = params };
  const PtView *operands[2] = { &job.out, &job.in };
  PtPool *pool = pt_execution_pool (execution);
  PtDType dtype = pt_compute_dtype (compute);
  gsize bytes;

  if (in->numel == 0)
    return TRUE;
  pt_view_at_least_1d (&job.in);
  pt_view_at_least_1d (&job.out);
  job.n = (gsize) job.in.sizes[dim];
  job.in_stride = job.in.strides[dim];
  job.out_stride = job.out.strides[dim];
  job.load = in->dtype != dtype || (job.in_stride != 1 && job.n > 1);
  job.store = out->dtype != dtype || (job.out_stride != 1 && job.n > 1);
  job.row_bytes = job.n * pt_dtype_size (dtype);
  if (job.load || job.store) {
    if (!pt_mul_size (job.row_bytes, 2 * pt_pool_n_workers (pool), &bytes))
      return pt_fail (error, PT_ERROR_MEMORY, "A row does not fit in memory.");
    job.scratch = pt_execution_scratch (execution, bytes, error);
    if (job.scratch == NULL)
      return FALSE;
  }
  pt_view_select (&job.in, dim, 0);
  pt_view_select (&job.out, dim, 0);
  pt_loop_nest_init (&job.nest, 2, operands);
  pt_pool_run (pool, job.nest.numel, MAX (1, 8192 / job.n), rows_range, &job);
  return TRUE;
}
