/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/operators/convert.h"
#include "engine/operators/move.h"
#include "engine/operators/loop-nest.h"
#include "engine/operators/reduce.h"

#define BLOCK 512

typedef struct {
  const PtReduction *reduction;
  PtView kept; /* the dimensions that stay, in row-major order */
  guint rank;  /* loops over the folded dimensions, the innermost last */
  gsize sizes[PT_MAX_RANK];
  gint64 strides[PT_MAX_RANK];
  gsize count;
  gboolean in_place; /* runs are arrays of the compute type */
  gboolean rows;     /* runs are also contiguous, one for each result */
  guint8 *out;
} Job;

/* Passes one run of the innermost loop to @add. */
static void
fold_run (const Job *job, const guint8 *data, PtFold *fold, PtFoldFunc add)
{
  const PtReduction *reduction = job->reduction;
  gsize n = job->sizes[job->rank - 1];
  gint64 stride = job->strides[job->rank - 1];
  gint64 size = (gint64) pt_dtype_size (reduction->in->dtype);
  PtComplex block[BLOCK];

  if (job->in_place) {
    add (fold, n, data);
    return;
  }
  while (n > 0) {
    gsize m = MIN (n, BLOCK);

    pt_load (reduction->in->dtype, reduction->compute, m, data, stride, block);
    add (fold, m, block);
    data += (gint64) m * stride * size;
    n -= m;
  }
}

static void
fold_all (const Job *job, const guint8 *data, PtFold *fold, PtFoldFunc add)
{
  gsize coords[PT_MAX_RANK] = { 0 };
  gint64 size = (gint64) pt_dtype_size (job->reduction->in->dtype);
  guint inner = job->rank - 1;

  if (job->count == 0)
    return;
  for (;;) {
    guint i = inner;

    fold_run (job, data, fold, add);
    for (; i > 0; i--) {
      data += job->strides[i - 1] * size;
      if (++coords[i - 1] < job->sizes[i - 1])
        break;
      data -= (gint64) job->sizes[i - 1] * job->strides[i - 1] * size;
      coords[i - 1] = 0;
    }
    if (i == 0)
      return;
  }
}

static void
put_result (const Job *job, const PtFold *fold, gsize at)
{
  const PtReduction *reduction = job->reduction;
  gpointer out = job->out + at * pt_dtype_size (pt_compute_dtype (reduction->compute));

  if (reduction->reducer->finish != NULL)
    reduction->reducer->finish (fold, reduction->compute, job->count, reduction->params, out);
  else if (reduction->compute == PT_COMPUTE_I64)
    *(gint64 *) out = fold->i64;
  else if (reduction->compute == PT_COMPUTE_F32)
    *(float *) out = fold->f32;
  else
    *(double *) out = fold->f64;
  if (reduction->indices != NULL)
    reduction->indices[at] = fold->index;
}

/*
 * Computes results [at, at + PT_FOLD_ROWS) with the loop for several rows. FALSE: there is no such
 * loop, or the rows are not contiguous.
 */
static gboolean
reduce_rows (const Job *job, gsize at)
{
  const PtReduction *reduction = job->reduction;
  const PtReducer *reducer = reduction->reducer;
  PtFoldRowsFunc add_rows = reducer->add_rows[reduction->compute];
  PtFold folds[PT_FOLD_ROWS];

  if (!job->rows || add_rows == NULL)
    return FALSE;
  for (gsize i = 0; i < PT_FOLD_ROWS; i++)
    folds[i] = reducer->start;
  add_rows (folds, job->count,
            job->kept.data + at * job->count * pt_dtype_size (reduction->in->dtype));
  for (gsize i = 0; i < PT_FOLD_ROWS; i++)
    put_result (job, &folds[i], at + i);
  return TRUE;
}

static void
reduce_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtReduction *reduction = job->reduction;
  const PtReducer *reducer = reduction->reducer;

  for (gsize at = begin; at < end; at++) {
    PtFold fold = reducer->start;
    const guint8 *row = job->kept.data;
    gint64 offset = 0;
    gsize rest = at;

    if (end - at >= PT_FOLD_ROWS && reduce_rows (job, at)) {
      at += PT_FOLD_ROWS - 1;
      continue;
    }
    for (guint i = job->kept.rank; i-- > 0 && rest > 0;) {
      offset += (gint64) (rest % (gsize) job->kept.sizes[i]) * job->kept.strides[i];
      rest /= (gsize) job->kept.sizes[i];
    }
    if (job->count > 0)
      row += offset * (gint64) pt_dtype_size (reduction->in->dtype);
    fold_all (job, row, &fold, reducer->add[reduction->compute]);
    if (reducer->between != NULL)
      reducer->between (&fold, job->count);
    if (reducer->second[reduction->compute] != NULL)
      fold_all (job, row, &fold, reducer->second[reduction->compute]);
    put_result (job, &fold, at);
  }
}

static void
split_dims (Job *job, const PtView *in, guint mask)
{
  job->kept = *in;
  job->kept.rank = 0;
  for (guint i = 0; i < in->rank; i++) {
    gsize size = (gsize) in->sizes[i];

    if ((mask & 1u << i) == 0) {
      job->kept.sizes[job->kept.rank] = in->sizes[i];
      job->kept.strides[job->kept.rank++] = in->strides[i];
    } else if (size != 1) {
      /* Merges dimensions that are contiguous. */
      if (job->rank > 0 && job->strides[job->rank - 1] == in->strides[i] * in->sizes[i])
        job->sizes[job->rank - 1] *= size;
      else
        job->sizes[job->rank++] = size;
      job->strides[job->rank - 1] = in->strides[i];
    }
  }
  if (job->rank == 0) {
    job->rank = 1;
    job->sizes[0] = 1;
    job->strides[0] = 1;
  }
}

/* Whether the runs are contiguous in the order of the results. */
static gboolean
runs_are_rows (const Job *job)
{
  gint64 expected = (gint64) job->count;

  if (!job->in_place || job->rank != 1 || job->count == 0)
    return FALSE;
  for (guint i = job->kept.rank; i-- > 0;) {
    if (job->kept.sizes[i] != 1 && job->kept.strides[i] != expected)
      return FALSE;
    expected *= job->kept.sizes[i];
  }
  return TRUE;
}

gboolean
pt_reduce (PtExecution *execution, const PtReduction *reduction, GError **error)
{
  PtDType dtype = pt_compute_dtype (reduction->compute);
  Job job = { .reduction = reduction, .count = pt_reduced_count (reduction->in, reduction->mask) };
  PtView work;

  if (!pt_make_work (execution, dtype, &reduction->out, &work, error))
    return FALSE;
  split_dims (&job, reduction->in, reduction->mask);
  job.in_place = reduction->in->dtype == dtype && job.strides[job.rank - 1] == 1;
  job.rows = runs_are_rows (&job);
  job.out = work.data;
  pt_pool_run (pt_execution_pool (execution), work.numel, MAX (1, 16384 / MAX (job.count, 1)),
               reduce_range, &job);
  return pt_finish_work (execution, &reduction->out, &work, error);
}

void
pt_reduced_shape (const PtView *in, guint mask, gboolean keepdim, guint *rank, gint64 *sizes)
{
  *rank = 0;
  for (guint i = 0; i < in->rank; i++)
    if ((mask & 1u << i) == 0)
      sizes[(*rank)++] = in->sizes[i];
    else if (keepdim)
      sizes[(*rank)++] = 1;
}

gsize
pt_reduced_count (const PtView *in, guint mask)
{
  gsize count = 1;

  for (guint i = 0; i < in->rank; i++)
    if (mask & 1u << i)
      count *= (gsize) in->sizes[i];
  return count;
}
