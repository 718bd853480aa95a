/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The instructions that the kernels are made of, beyond plain CUDA C++. No header of the toolkit is
 * included: numbers in bf16 and f16 are handled as bits. Tests that have no GPU compile the kernels
 * as C++ for the CPU and bring their own versions of these functions (tests/fakes/emulator.h).
 */

#include "arguments.h"

#define LANES 32
#define ALL_LANES 0xffffffffu

enum {
  DTYPE_I32 = 3,
  DTYPE_I64 = 4,
  DTYPE_F16 = 5,
  DTYPE_F32 = 6,
  DTYPE_BF16 = 15,
};

#ifdef PT_EMULATED
#include "tests/fakes/emulator.h"
#else

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define DYNAMIC_SHARED(name) extern __shared__ __align__ (16) uint8_t name[]

#if __CUDA_ARCH__ >= 800
#define HAS_BF16 1
#endif

DEVICE float
f16_to_f32 (uint16_t x)
{
  float y;

  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}

/** Rounded to the nearest integer, ties to even, and kept in -128 .. 127. */
DEVICE int
round_to_i8 (float x)
{
  int y;

  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}

/** 16 bytes that are read once: they do not displace what others keep in the first cache. */
DEVICE uint4
load_once (const void *from)
{
  uint4 x;

  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
               : "l"(from));
  return x;
}

/** Bring what lies around @at to the second cache. */
DEVICE void
fetch (const void *at)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

#ifdef HAS_BF16

DEVICE uint32_t
shared_address (const void *at)
{
  return (uint32_t) __cvta_generic_to_shared (at);
}

/** a * b + c of two bf16 each, rounded once. */
DEVICE uint32_t
bf16x2_fma (uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t d;

  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

/** Two numbers to nearest, ties to even; @low in the lower half. */
DEVICE uint32_t
f32_to_bf16x2 (float low, float high)
{
  uint32_t y;

  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

/** x & MASK | BITS, which the compiler would make two instructions. */
template <uint32_t MASK, uint32_t BITS>
DEVICE uint32_t
and_or (uint32_t x)
{
  uint32_t y;

  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(y) : "r"(x), "n"(MASK), "n"(BITS));
  return y;
}

/** Copies of which the thread goes on; zeros instead of the source where @is_valid is not set. */
DEVICE void
copy_async_16 (void *to, const void *from, bool is_valid)
{
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address (to)),
               "l"(from), "r"(is_valid ? 16 : 0)
               : "memory");
}

/** The same for bytes that neighbouring blocks read too. */
DEVICE void
copy_async_16_kept (void *to, const void *from, bool is_valid)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address (to)),
               "l"(from), "r"(is_valid ? 16 : 0)
               : "memory");
}

DEVICE void
copy_async_8 (void *to, const void *from, bool is_valid)
{
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8, %2;" ::"r"(shared_address (to)),
               "l"(from), "r"(is_valid ? 8 : 0)
               : "memory");
}

DEVICE void
copy_async_4 (void *to, const void *from, bool is_valid)
{
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4, %2;" ::"r"(shared_address (to)),
               "l"(from), "r"(is_valid ? 4 : 0)
               : "memory");
}

DEVICE void
copy_async_commit (void)
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/** Wait until at most PENDING of this thread's committed groups are under way. */
template <int PENDING>
DEVICE void
copy_async_wait (void)
{
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/** Four 8x8 matrices of 16 bits; lane l names row l % 8 of matrix l / 8. */
DEVICE void
load_matrices (uint32_t x[4], const void *row)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(shared_address (row))
               : "memory");
}

/** c += a * b: a 16x16, b 16x8, bf16 with sums in f32. */
DEVICE void
multiply_tile (float c[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
               uint32_t b1)
{
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#endif
#endif

DEVICE float
bf16_to_f32 (uint16_t x)
{
  return __uint_as_float ((uint32_t) x << 16);
}

/** To nearest, ties to even. */
DEVICE uint16_t
f32_to_bf16 (float x)
{
  uint32_t bits = __float_as_uint (x);

  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

DEVICE int
lane_id (void)
{
  return (int) (threadIdx.x % LANES);
}

DEVICE int
warp_id (void)
{
  return (int) (threadIdx.x / LANES);
}

/**
 * TRUE in all threads of the block that is the last of @n to come here: what the others wrote
 * before can then be read, with __ldcg().
 */
DEVICE bool
is_last_block (uint32_t *finished, uint32_t n)
{
  __shared__ bool is_last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    is_last = atomicAdd (finished, 1u) == n - 1;
    if (is_last)
      *finished = 0;
  }
  __syncthreads ();
  __threadfence ();
  return is_last;
}
