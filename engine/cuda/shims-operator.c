/* SPDX-License-Identifier: BSD-3-Clause */

/* Operators that model libraries leave to the runtime (CUDA delegate, section 5). */

#include "engine/cuda/shims-private.h"

static gint32
no_kernel (const char *name)
{
  return pt_shim_refuse (PT_ERROR_MISSING_OPERATOR,
                         "The model needs the operator %s; this build has no CUDA kernels.", name);
}

int32_t
pt_aoti_torch_cuda__weight_int4pack_mm (PtShimHandle self, PtShimHandle weight, int64_t group_size,
                                        PtShimHandle scale_and_zero, PtShimHandle *out)
{
  return no_kernel ("_weight_int4pack_mm");
}

int32_t
pt_aoti_torch_cuda_int4_plain_mm (void *a0, void *a1, void *a2, void *a3, void *a4, void *a5,
                                  int64_t a6, void *a7)
{
  return no_kernel ("int4_plain_mm");
}

int32_t
pt_aoti_torch_cuda_int5_plain_mm (PtShimHandle self, PtShimHandle low, PtShimHandle high,
                                  PtShimHandle scale, PtShimHandle scale_step, PtShimHandle zero,
                                  PtShimHandle zero_step, int64_t group_size, PtShimHandle *out)
{
  return no_kernel ("int5_plain_mm");
}

int32_t
pt_aoti_torch_cuda_int6_plain_mm (PtShimHandle self, PtShimHandle low, PtShimHandle high,
                                  PtShimHandle scale, PtShimHandle scale_step, int64_t group_size,
                                  PtShimHandle *out)
{
  return no_kernel ("int6_plain_mm");
}

int32_t
pt_aoti_torch_cuda_int8_plain_mm (PtShimHandle self, PtShimHandle weight, PtShimHandle scale,
                                  PtShimHandle zero, int64_t group_size, PtShimHandle *out)
{
  return no_kernel ("int8_plain_mm");
}

int32_t
pt_aoti_torch_cuda_sort_stable (PtShimHandle self, int32_t *stable, int64_t dim, int32_t descending,
                                PtShimHandle *values, PtShimHandle *indices)
{
  return no_kernel ("sort");
}

int32_t
pt_aoti_torch_cuda_randint_low_out (PtShimHandle out, int64_t low, int64_t high,
                                    const int64_t *sizes, int64_t rank)
{
  return no_kernel ("randint");
}

int32_t
pt_aoti_torch_cuda_rand (const int64_t *sizes, int64_t rank, int32_t *dtype, int32_t *layout,
                         int32_t *device, int32_t device_index, int32_t *pin_memory,
                         PtShimHandle *out)
{
  return no_kernel ("rand");
}
