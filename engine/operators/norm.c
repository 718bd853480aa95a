/* SPDX-License-Identifier: BSD-3-Clause */
/* Layer, group and batch norm (docs/formats/operators.md, section 10). */
#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* Layer norm computes in float for all dtypes. */
typedef struct {
  const float *x, *weight, *bias;
  float *y, *mean, *rstd;
  gsize n;
  float eps;
} LayerNorm;

static void
layer_norm_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const LayerNorm *job = data;

  for (gsize row = begin; row < end; row++)
    pt_vector_layer_norm (job->n, job->x + row * job->n, job->weight, job->bias, job->eps,
                          job->y + row * job->n, &job->mean[row], &job->rstd[row]);
}

/* Reads an optional weight or bias of @n elements, converted to @dtype. */
static gboolean
arg_factors (PtExecution *execution, const PtValue *value, const char *what, PtDTypeSet dtypes,
             gsize n, PtDType dtype, gpointer data, GError **error)
{
  PtView view;
  gboolean present;

  *(gpointer *) data = NULL;
  if (!pt_arg_optional_view (value, what, dtypes, &view, &present, error))
    return FALSE;
  if (!present)
    return TRUE;
  PT_CHECK (view.numel == n,
            "'%s' has %" G_GSIZE_FORMAT " elements instead of %" G_GSIZE_FORMAT ".", what,
            view.numel, n);
  if (!pt_make_dense (execution, dtype, &view, error))
    return FALSE;
  *(gpointer *) data = view.data;
  return TRUE;
}

PT_KERNEL (native_layer_norm_out)
{
  gint64 shape[PT_MAX_RANK], sizes[PT_MAX_RANK];
  guint n_shape, leading;
  double eps;
  LayerNorm job;
  PtView in, out, mean, rstd, y, mean_work, rstd_work;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_arg_ints (args[1], "normalized_shape", shape, PT_MAX_RANK, &n_shape, error) ||
      !pt_value_double (args[4], "eps", &eps, error))
    return FALSE;
  PT_CHECK (n_shape > 0 && n_shape <= in.rank, "'normalized_shape' does not fit the input.");
  leading = in.rank - n_shape;
  PT_CHECK (memcmp (shape, in.sizes + leading, n_shape * sizeof *shape) == 0,
            "'normalized_shape' is not the end of the input's shape.");
  job.n = pt_view_count (&in, leading, in.rank);
  job.eps = (float) eps;
  for (guint i = 0; i < in.rank; i++)
    sizes[i] = i < leading ? in.sizes[i] : 1;
  if (!arg_factors (execution, args[2], "weight", 1u << in.dtype, job.n, PT_DTYPE_F32, &job.weight,
                    error) ||
      !arg_factors (execution, args[3], "bias", 1u << in.dtype, job.n, PT_DTYPE_F32, &job.bias,
                    error) ||
      !pt_arg_out (args[5], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_arg_out (args[6], 1u << in.dtype, in.rank, sizes, &mean, error) ||
      !pt_arg_out (args[7], 1u << in.dtype, in.rank, sizes, &rstd, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &in, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &mean, &mean_work, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &rstd, &rstd_work, error))
    return FALSE;
  job.x = (const float *) in.data;
  job.y = (float *) y.data;
  job.mean = (float *) mean_work.data;
  job.rstd = (float *) rstd_work.data;
  if (job.n == 0) {
    for (gsize i = 0; i < mean.numel; i++) {
      job.mean[i] = 0;
      job.rstd[i] = NAN;
    }
  } else {
    pt_pool_run (pt_execution_pool (execution), mean.numel, MAX (1, 8192 / job.n), layer_norm_rows,
                 &job);
  }
  return pt_finish_work (execution, &out, &y, error) &&
         pt_finish_work (execution, &mean, &mean_work, error) &&
         pt_finish_work (execution, &rstd, &rstd_work, error);
}

/* Batch norms: y = (x - mean) * rstd * weight + bias, with one value of each for a channel. */

typedef struct {
  PtCompute compute; /* F32 or F64 */
  gconstpointer x;
  gpointer y;
  gconstpointer weight, bias, mean, rstd; /* weight and bias may be NULL */
  gsize channels, plane;                  /* the input is [batch, channels, plane] */
} ChannelNorm;

static inline double
number_at (PtCompute compute, gconstpointer array, gsize i)
{
  return compute == PT_COMPUTE_F32 ? (double) ((const float *) array)[i]
                                   : ((const double *) array)[i];
}

static inline void
put_number (PtCompute compute, gpointer array, gsize i, double number)
{
  if (compute == PT_COMPUTE_F32)
    ((float *) array)[i] = (float) number;
  else
    ((double *) array)[i] = number;
}

static void
channel_norm_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const ChannelNorm *job = data;

  for (gsize i = begin; i < end; i++) {
    gsize c = i % job->channels;
    double mean = number_at (job->compute, job->mean, c);
    double rstd = number_at (job->compute, job->rstd, c);
    double weight = job->weight != NULL ? number_at (job->compute, job->weight, c) : 1;
    double bias = job->bias != NULL ? number_at (job->compute, job->bias, c) : 0;

    if (job->compute == PT_COMPUTE_F32) {
      const float *x = (const float *) job->x + i * job->plane;
      float *y = (float *) job->y + i * job->plane;
      float m = (float) mean, r = (float) rstd, w = (float) weight, b = (float) bias;

      for (gsize j = 0; j < job->plane; j++)
        y[j] = (x[j] - m) * r * w + b;
    } else {
      const double *x = (const double *) job->x + i * job->plane;
      double *y = (double *) job->y + i * job->plane;

      for (gsize j = 0; j < job->plane; j++)
        y[j] = (x[j] - mean) * rstd * weight + bias;
    }
  }
}

static gboolean
channel_norm (PtExecution *execution, ChannelNorm *job, PtView *in, const PtView *out,
              GError **error)
{
  PtDType dtype = pt_compute_dtype (job->compute);
  PtView y;

  if (!pt_make_dense (execution, dtype, in, error) ||
      !pt_make_work (execution, dtype, out, &y, error))
    return FALSE;
  job->x = in->data;
  job->y = y.data;
  if (in->numel > 0)
    pt_pool_run (pt_execution_pool (execution), in->numel / job->plane, MAX (1, 16384 / job->plane),
                 channel_norm_range, job);
  return pt_finish_work (execution, out, &y, error);
}

/* Batch norm with given statistics. The outputs for saved statistics are empty. */
static gboolean
batch_norm (PtExecution *execution, PtValue *const *args, const PtValue *eps_value,
            PtValue *const *outs, GError **error)
{
  const gint64 nothing = 0;
  double eps;
  ChannelNorm job = { 0 };
  gconstpointer variance;
  gpointer rstd;
  PtView in, out, unused;
  PtDType dtype;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_value_double (eps_value, "eps", &eps, error))
    return FALSE;
  PT_CHECK (in.rank >= 2, "Batch norm needs a batch and channels.");
  job.compute = pt_compute_of (in.dtype);
  dtype = pt_compute_dtype (job.compute);
  job.channels = (gsize) in.sizes[1];
  job.plane = pt_view_count (&in, 2, in.rank);
  if (!arg_factors (execution, args[1], "weight", 1u << in.dtype, job.channels, dtype, &job.weight,
                    error) ||
      !arg_factors (execution, args[2], "bias", 1u << in.dtype, job.channels, dtype, &job.bias,
                    error) ||
      !arg_factors (execution, args[3], "running_mean", 1u << in.dtype, job.channels, dtype,
                    &job.mean, error) ||
      !arg_factors (execution, args[4], "running_var", 1u << in.dtype, job.channels, dtype,
                    &variance, error))
    return FALSE;
  PT_CHECK (job.mean != NULL && variance != NULL, "Batch norm needs its running statistics.");
  if (!pt_arg_out (outs[0], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_arg_out (outs[1], PT_FL, 1, &nothing, &unused, error) ||
      !pt_arg_out (outs[2], PT_FL, 1, &nothing, &unused, error))
    return FALSE;
  rstd = pt_execution_scratch (execution, job.channels * sizeof (double) + 1, error);
  if (rstd == NULL)
    return FALSE;
  for (gsize c = 0; c < job.channels; c++)
    put_number (job.compute, rstd, c, 1.0 / sqrt (number_at (job.compute, variance, c) + eps));
  job.rstd = rstd;
  return channel_norm (execution, &job, &in, &out, error);
}

PT_KERNEL (batch_norm_no_training_out)
{
  return batch_norm (execution, args, args[6], args + 7, error);
}

PT_KERNEL (batch_norm_legit_out)
{
  return pt_arg_false (args[5], "training", error) &&
         batch_norm (execution, args, args[7], args + 8, error);
}

/* Batch norm with the statistics of the current batch. */
PT_KERNEL (batch_norm_no_stats_out)
{
  double eps;
  gint64 channels;
  gsize batch;
  ChannelNorm job = { 0 };
  PtView in, out, mean, rstd, mean_work, rstd_work;
  PtDType dtype;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_value_double (args[5], "eps", &eps, error))
    return FALSE;
  PT_CHECK (in.rank >= 2, "Batch norm needs a batch and channels.");
  job.compute = pt_compute_of (in.dtype);
  dtype = pt_compute_dtype (job.compute);
  channels = in.sizes[1];
  batch = (gsize) in.sizes[0];
  job.channels = (gsize) channels;
  job.plane = pt_view_count (&in, 2, in.rank);
  if (!arg_factors (execution, args[1], "weight", 1u << in.dtype, job.channels, dtype, &job.weight,
                    error) ||
      !arg_factors (execution, args[2], "bias", 1u << in.dtype, job.channels, dtype, &job.bias,
                    error) ||
      !pt_arg_out (args[6], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_arg_out (args[7], 1u << in.dtype, 1, &channels, &mean, error) ||
      !pt_arg_out (args[8], 1u << in.dtype, 1, &channels, &rstd, error) ||
      !pt_make_dense (execution, dtype, &in, error) ||
      !pt_make_work (execution, dtype, &mean, &mean_work, error) ||
      !pt_make_work (execution, dtype, &rstd, &rstd_work, error))
    return FALSE;
  for (gsize c = 0; c < job.channels; c++) {
    double sum = 0, squares = 0, m, count = (double) (batch * job.plane);

    for (gsize b = 0; b < batch && in.numel > 0; b++)
      for (gsize j = 0; j < job.plane; j++) {
        double v = number_at (job.compute, in.data, (b * job.channels + c) * job.plane + j);

        sum += v;
        squares += v * v;
      }
    m = sum / count;
    put_number (job.compute, mean_work.data, c, m);
    put_number (job.compute, rstd_work.data, c, 1.0 / sqrt (squares / count - m * m + eps));
  }
  job.mean = mean_work.data;
  job.rstd = rstd_work.data;
  return channel_norm (execution, &job, &in, &out, error) &&
         pt_finish_work (execution, &mean, &mean_work, error) &&
         pt_finish_work (execution, &rstd, &rstd_work, error);
}

typedef struct {
  PtCompute compute;
  gconstpointer x, weight, bias;
  gpointer y, mean, rstd;
  gsize groups, channels, plane; /* channels in one group */
  double eps;
} GroupNorm;

/* Item: one group of one image. */
static void
group_norm_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const GroupNorm *job = data;
  gsize n = job->channels * job->plane;

  for (gsize i = begin; i < end; i++) {
    double sum = 0, squares = 0, mean, rstd;

    for (gsize j = 0; j < n; j++) {
      double v = number_at (job->compute, job->x, i * n + j);

      sum += v;
      squares += v * v;
    }
    mean = sum / (double) n;
    rstd = 1.0 / sqrt (squares / (double) n - mean * mean + job->eps);
    put_number (job->compute, job->mean, i, mean);
    put_number (job->compute, job->rstd, i, rstd);
    for (gsize c = 0; c < job->channels; c++) {
      gsize channel = i % job->groups * job->channels + c;
      double weight = job->weight != NULL ? number_at (job->compute, job->weight, channel) : 1;
      double bias = job->bias != NULL ? number_at (job->compute, job->bias, channel) : 0;
      double scale = rstd * weight, offset = bias - scale * mean;

      for (gsize j = (i * job->channels + c) * job->plane, last = j + job->plane; j < last; j++)
        put_number (job->compute, job->y, j, scale * number_at (job->compute, job->x, j) + offset);
    }
  }
}

PT_KERNEL (native_group_norm_out)
{
  gint64 n, c, plane, groups, sizes[2];
  double eps;
  GroupNorm job;
  PtView in, out, mean, rstd, y, mean_work, rstd_work;
  PtDType dtype;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_value_int (args[3], "N", &n, error) || !pt_value_int (args[4], "C", &c, error) ||
      !pt_value_int (args[5], "HxW", &plane, error) ||
      !pt_value_int (args[6], "group", &groups, error) ||
      !pt_value_double (args[7], "eps", &eps, error))
    return FALSE;
  PT_CHECK (in.rank >= 2 && in.sizes[0] == n && in.sizes[1] == c && plane >= 0 &&
                (gsize) plane == pt_view_count (&in, 2, in.rank) && groups > 0 && c % groups == 0,
            "The numbers of a group norm do not fit its input.");
  job.compute = pt_compute_of (in.dtype);
  job.eps = eps;
  job.groups = (gsize) groups;
  job.channels = (gsize) (c / groups);
  job.plane = (gsize) plane;
  dtype = pt_compute_dtype (job.compute);
  sizes[0] = n, sizes[1] = groups;
  if (!arg_factors (execution, args[1], "weight", 1u << in.dtype, (gsize) c, dtype, &job.weight,
                    error) ||
      !arg_factors (execution, args[2], "bias", 1u << in.dtype, (gsize) c, dtype, &job.bias,
                    error) ||
      !pt_arg_out (args[8], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_arg_out (args[9], 1u << in.dtype, 2, sizes, &mean, error) ||
      !pt_arg_out (args[10], 1u << in.dtype, 2, sizes, &rstd, error) ||
      !pt_make_dense (execution, dtype, &in, error) ||
      !pt_make_work (execution, dtype, &out, &y, error) ||
      !pt_make_work (execution, dtype, &mean, &mean_work, error) ||
      !pt_make_work (execution, dtype, &rstd, &rstd_work, error))
    return FALSE;
  job.x = in.data;
  job.y = y.data;
  job.mean = mean_work.data;
  job.rstd = rstd_work.data;
  pt_pool_run (pt_execution_pool (execution), mean.numel,
               MAX (1, 16384 / MAX (job.channels * job.plane, 1)), group_norm_range, &job);
  return pt_finish_work (execution, &out, &y, error) &&
         pt_finish_work (execution, &mean, &mean_work, error) &&
         pt_finish_work (execution, &rstd, &rstd_work, error);
}

static const PtOperator operators[] = {
  { "aten::_native_batch_norm_legit.no_stats_out", batch_norm_no_stats_out, 10, 6, 3 },
  { "aten::_native_batch_norm_legit.out", batch_norm_legit_out, 12, 8, 3 },
  { "aten::_native_batch_norm_legit_no_training.out", batch_norm_no_training_out, 11, 7, 3 },
  { "aten::native_group_norm.out", native_group_norm_out, 12, 8, 3 },
  { "aten::native_layer_norm.out", native_layer_norm_out, 9, 5, 3 },
};

const PtOperatorFamily pt_norm_family = { operators, G_N_ELEMENTS (operators) };
