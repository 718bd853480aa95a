/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

#define UNIT 8
#define MOST_NUMBERS (PT_NORM_THREADS * PT_NORM_UNITS * UNIT)

G_STATIC_ASSERT (PT_CUDA_NORM_INPUTS == PT_NORM_INPUTS);

gboolean
pt_cuda_norm_fits (const PtCudaNorm *self)
{
  gboolean has_table = self->token != 0;

  if (self->n_inputs > PT_CUDA_NORM_INPUTS || self->n_inputs + has_table == 0 ||
      has_table != (self->table != 0) || (has_table && self->rows <= 0))
    return FALSE;
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->inputs[i] == 0)
      return FALSE;
  return self->weights != 0 && self->output != 0 && self->n > 0 && self->n % UNIT == 0 &&
         self->n <= MOST_NUMBERS && (!has_table || self->rows <= G_MAXINT64 / 2 / self->n) &&
         isfinite (self->epsilon) && self->epsilon >= 0;
}

gboolean
pt_cuda_kernel_norm (PtCudaContext *context, const PtCudaNorm *self, GError **error)
{
  const PtCuPointer rows[] = { self->table, self->weights, self->sum, self->output };
  gint64 units = self->n / UNIT;
  PtKernelShape shape = { { 1, 1, 1 }, 0, 0 };
  PtNormArguments arguments = { 0 };

  if (!pt_cuda_norm_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "RMSNorm of this shape has no GPU kernel.");
  if (!pt_kernel_check_aligned ("RMSNorm", rows, G_N_ELEMENTS (rows), 16, error) ||
      !pt_kernel_check_aligned ("RMSNorm", self->inputs, self->n_inputs, 16, error) ||
      !pt_kernel_check_aligned ("RMSNorm", &self->token, 1, 8, error))
    return FALSE;
  shape.threads = (guint) MIN ((units + 31) / 32 * 32, PT_NORM_THREADS);
  arguments.token = self->token;
  arguments.table = self->table;
  for (guint i = 0; i < self->n_inputs; i++)
    arguments.inputs[i] = self->inputs[i];
  arguments.weights = self->weights;
  arguments.sum = self->sum;
  arguments.output = self->output;
  arguments.rows = self->rows;
  arguments.n = (gint32) self->n;
  arguments.n_inputs = (gint32) self->n_inputs;
  arguments.epsilon = (float) self->epsilon;
  return pt_kernel_launch (context, PT_KERNEL_norm, &shape, &arguments, error);
}
