/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

#define UNIT 8

gboolean
pt_cuda_gate_fits (const PtCudaGate *self)
{
  return self->gate != 0 && self->input != 0 && self->output != 0 && self->n > 0 &&
         self->n % UNIT == 0 && self->n <= G_MAXINT32 / UNIT;
}

gboolean
pt_cuda_kernel_gate (PtCudaContext *context, const PtCudaGate *self, GError **error)
{
  const PtCuPointer addresses[] = { self->gate, self->input, self->output };
  PtKernelShape shape = { { 1, 1, 1 }, PT_GATE_THREADS, 0 };
  PtGateArguments arguments = { 0 };

  if (!pt_cuda_gate_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "A gate of this size has no GPU kernel.");
  if (!pt_kernel_check_aligned ("A gate", addresses, G_N_ELEMENTS (addresses), 16, error))
    return FALSE;
  shape.grid[0] = pt_kernel_blocks (self->n / UNIT, shape.threads, G_MAXINT32);
  arguments.gate = self->gate;
  arguments.input = self->input;
  arguments.output = self->output;
  arguments.n = (gint32) self->n;
  return pt_kernel_launch (context, PT_KERNEL_gate, &shape, &arguments, error);
}
