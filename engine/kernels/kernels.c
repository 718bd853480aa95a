/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernels.h"

const PtFloatKernels *
pt_float_kernels (void)
{
  return &pt_float_kernels_portable;
}

const PtInt8Kernels *
pt_int8_kernels (void)
{
  return &pt_int8_kernels_portable;
}
