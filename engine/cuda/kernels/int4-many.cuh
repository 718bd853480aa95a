/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4-groups.cuh"
#include "int4-tiles.cuh"

#if defined(HAS_GROUP_PRODUCTS)
#define INT4_TILES_BODY(size, inner, groups)                                         \
  DYNAMIC_SHARED (shared);                                                           \
  Int4Groups<inner, groups, size, PT_INT4_TILES_##size##_STAGES> kernel (p, shared); \
                                                                                     \
  kernel.run ();
#elif defined(HAS_BF16)
#define INT4_TILES_BODY(size, inner, groups)         \
  DYNAMIC_SHARED (shared);                           \
  Int4Tiles##size<inner, groups> kernel (p, shared); \
                                                     \
  kernel.run ();
#else
#define INT4_TILES_BODY(size, inner, groups)
#endif

#define INT4_TILES_KERNEL(size, inner, groups)                                              \
  KERNEL __launch_bounds__ (PT_INT4_TILES_##size##_THREADS, PT_INT4_TILES_##size##_BLOCKS)  \
      pt_int4_tiles_##size##_##inner##_##groups (const __grid_constant__ PtInt4Arguments p) \
  {                                                                                         \
    INT4_TILES_BODY (size, inner, groups)                                                   \
  }

PT_INT4_TILES_KERNELS (INT4_TILES_KERNEL)

/** Add up the results of the slabs. */
KERNEL
pt_int4_finish (const __grid_constant__ PtInt4Arguments p)
{
  int64_t n = (int64_t) p.m * p.n;
  int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;

  if (i >= n)
    return;
  for (int slab = 0; slab < p.slab; slab++)
    sum += p.partial[slab * n + i];
  p.output[i] = f32_to_bf16 (sum);
}
