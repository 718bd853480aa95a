/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

gboolean
pt_cuda_rotary_fits (const PtCudaRotary *self)
{
  gboolean is_cache = self->layout == PT_CUDA_ROTARY_CACHE;

  if (self->layout > PT_CUDA_ROTARY_CACHE || self->input == 0 || self->angles == 0 ||
      self->output == 0 || (self->values != 0) != (self->value_output != 0) ||
      (self->position != 0) != (is_cache || self->mask != 0))
    return FALSE;
  /* A position also moves what is written, so only rows of a cache go with a mask. */
  if (self->mask != 0 && !is_cache)
    return FALSE;
  if (self->is_part && is_cache)
    return FALSE;
  return self->heads > 0 && self->heads <= 65535 && self->dim > 0 && self->dim % 2 == 0 &&
         self->dim <= PT_ROTARY_DIM && (self->position == 0 || self->length > 0) &&
         self->length >= 0 && self->length <= G_MAXINT32 - PT_ROTARY_MASK &&
         isfinite (self->epsilon) && self->epsilon >= 0;
}

gboolean
pt_cuda_kernel_rotary (PtCudaContext *context, const PtCudaRotary *self, GError **error)
{
  const PtCuPointer halves[] = { self->input, self->weights, self->output, self->values,
                                 self->value_output };
  gboolean is_transposed = self->layout == PT_CUDA_ROTARY_NUMBERS;
  PtKernelShape shape = { { 1, 1, 1 }, PT_ROTARY_THREADS, 0 };
  PtRotaryArguments arguments = { 0 };
  gint64 blocks;

  if (!pt_cuda_rotary_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Heads of this shape have no GPU kernel.");
  if (!pt_kernel_check_aligned ("Turning heads", halves, G_N_ELEMENTS (halves), 2, error) ||
      !pt_kernel_check_aligned ("Turning heads", &self->angles, 1, 4, error) ||
      !pt_kernel_check_aligned ("Turning heads", &self->position, 1, 8, error))
    return FALSE;
  blocks = self->heads * (self->values != 0 ? 2 : 1);
  if (self->mask != 0)
    blocks += (self->length + PT_ROTARY_MASK - 1) / PT_ROTARY_MASK;
  shape.grid[0] = (guint) blocks;
  arguments.input = self->input;
  arguments.weights = self->weights;
  arguments.angles = self->angles;
  arguments.position = self->position;
  arguments.output = self->output;
  arguments.values = self->values;
  /* Where nothing is written through it, an address that is known keeps the effects known. */
  arguments.value_output = self->values != 0 ? self->value_output : self->output;
  arguments.mask = self->mask;
  arguments.head_stride = self->layout == PT_CUDA_ROTARY_CACHE ? self->length * self->dim
                          : is_transposed                      ? 1
                                                               : self->dim;
  arguments.number_stride = is_transposed ? self->heads : 1;
  arguments.heads = (gint32) self->heads;
  arguments.dim = (gint32) self->dim;
  arguments.length = (gint32) self->length;
  arguments.epsilon = (float) self->epsilon;
  arguments.cosines = self->is_part ? 0 : 1;
  return pt_kernel_launch (context, PT_KERNEL_rotary, &shape, &arguments, error);
}
