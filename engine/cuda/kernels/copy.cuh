/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/* Copies between any two layouts, and fills. */

template <typename Element>
DEVICE void
copy_strided (const PtCopyArguments &p)
{
  for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < p.n;
       i += (int64_t) gridDim.x * blockDim.x) {
    int64_t rest = i, from = 0, to = 0;

    for (int d = p.rank - 1; d > 0; d--) {
      int64_t at;

      /* 64-bit division is slow, so use 32 bits where possible. */
      if (rest <= 0xffffffff && p.sizes[d] <= 0xffffffff) {
        uint32_t next = (uint32_t) rest / (uint32_t) p.sizes[d];

        at = (uint32_t) rest - next * (uint32_t) p.sizes[d];
        rest = next;
      } else {
        at = rest % p.sizes[d];
        rest /= p.sizes[d];
      }
      from += at * p.from_strides[d];
      to += at * p.to_strides[d];
    }
    from += rest * p.from_strides[0];
    to += rest * p.to_strides[0];
    ((Element *) p.to)[to] = ((const Element *) p.from)[from];
  }
}

#define COPY_KERNEL(bytes, type)                                                             \
  KERNEL __launch_bounds__ (256) pt_copy_##bytes (const __grid_constant__ PtCopyArguments p) \
  {                                                                                          \
    copy_strided<type> (p);                                                                  \
  }

COPY_KERNEL (1, uint8_t)
COPY_KERNEL (2, uint16_t)
COPY_KERNEL (4, uint32_t)
COPY_KERNEL (8, uint2)
COPY_KERNEL (16, uint4)

KERNEL __launch_bounds__ (256) pt_fill (const __grid_constant__ PtFillArguments p)
{
  int64_t n = p.size / 8;
  uint64_t first = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t step = (uint64_t) gridDim.x * blockDim.x;

  if ((uintptr_t) p.to % 8 != 0)
    n = 0;
  for (uint64_t i = first; i < (uint64_t) n; i += step)
    ((uint64_t *) p.to)[i] = p.pattern;
  for (uint64_t i = (uint64_t) n * 8 + first; i < (uint64_t) p.size; i += step)
    ((uint8_t *) p.to)[i] = (uint8_t) (p.pattern >> (i % 8 * 8));
}
