/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Instructions that plain CUDA C++ lacks. No header of the toolkit is included: numbers in bf16 and
 * f16 are handled as bits. Tests without a GPU compile the kernels as C++ for the CPU; they define
 * PT_EMULATED and their own versions of these functions before they include the kernels
 * (tests/fakes/emulator.h).
 */

#include "kernel-arguments.h"

#define LANES 32
#define ALL_LANES 0xffffffffu

enum {
  DTYPE_I32 = 3,
  DTYPE_I64 = 4,
  DTYPE_F16 = 5,
  DTYPE_F32 = 6,
  DTYPE_BF16 = 15,
};

#ifndef PT_EMULATED

#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define DYNAMIC_SHARED(name) extern __shared__ __align__ (1024) uint8_t name[]

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

/** Load 16 bytes that are read once, so that they do not displace data in the L1 cache. */
DEVICE uint4
load_once (const void *from)
{
  uint4 x;

  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
               : "l"(from));
  return x;
}

/** Prefetch the line at @at to the L2 cache. */
DEVICE void
fetch (const void *at)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/**
 * Wait for the kernels whose results this one reads. In a graph, a kernel that calls this before it
 * touches memory may start before those before it have ended (graph-edges.h). What it does before
 * may only be hints such as fetch(), or read what its arguments call constant.
 */
DEVICE void
wait_for_earlier (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/**
 * Let the kernels behind this one start, after wait_for_earlier(). Their blocks go to where there is
 * room, once all blocks of this one are here. A kernel with several blocks on each multiprocessor
 * calls this when it is nearly done; otherwise those that end first get most of the next blocks.
 */
DEVICE void
let_later_start (void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
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

/** Round two numbers to bf16, to nearest, ties to even; @low in the lower half. */
DEVICE uint32_t
f32_to_bf16x2 (float low, float high)
{
  uint32_t y;

  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

/** x & MASK | BITS as one instruction; the compiler would make two. */
template <uint32_t MASK, uint32_t BITS>
DEVICE uint32_t
and_or (uint32_t x)
{
  uint32_t y;

  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(y) : "r"(x), "n"(MASK), "n"(BITS));
  return y;
}

/** Asynchronous copies to shared memory. If @is_valid is not set, zeros are written instead. */
DEVICE void
copy_async_16 (void *to, const void *from, bool is_valid)
{
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address (to)),
               "l"(from), "r"(is_valid ? 16 : 0)
               : "memory");
}

/** The same for bytes that neighbouring blocks read, too: they go through the L2 cache. */
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

/** Wait until at most PENDING of the groups that this thread committed are incomplete. */
template <int PENDING>
DEVICE void
copy_async_wait (void)
{
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/** Load four 8x8 matrices of 16 bits; lane l gives the address of row l % 8 of matrix l / 8. */
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

/* ---- Products of four warps together (wgmma): only for compute capability 9.0 ---- */

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HAS_GROUP_PRODUCTS 1

/** Make this thread's writes to shared memory, including complete copies, visible to products. */
DEVICE void
share_with_groups (void)
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/** Fence registers before a product reads them. */
DEVICE void
group_begin (void)
{
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

DEVICE void
group_commit (void)
{
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/** Wait until all products are complete. */
DEVICE void
group_wait (void)
{
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS_8(i)                                                                             \
  "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), \
      "+f"(c[i + 6]), "+f"(c[i + 7])
#define SUMS_32(i) SUMS_8 (i), SUMS_8 (i + 8), SUMS_8 (i + 16), SUMS_8 (i + 24)

/**
 * c += a * b with a of 64 rows, 16 of each warp as for multiply_tile(), and b the transpose of SIZE
 * rows of 16 at @rows in shared memory: 128 bytes a row, swizzled.
 */
template <int SIZE>
DEVICE void
multiply_group (float *c, const uint32_t a[4], const uint8_t *rows)
{
  const uint64_t swizzle_128 = (uint64_t) 1 << 62, eight_rows = (uint64_t) (1024 >> 4) << 32;
  uint64_t b = swizzle_128 | eight_rows | 1 << 16 | (shared_address (rows) & 0x3ffff) >> 4;

  static_assert (SIZE == 64 || SIZE == 128, "sizes that are written out below");
  if constexpr (SIZE == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "{%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
                 : SUMS_32 (0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  else
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, 1, 1, 1, 0;"
                 : SUMS_32 (0), SUMS_32 (32)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/**
 * Load four 8x8 matrices of 16 bits, transposed; lane l gives the address of row l % 8 of matrix l
 * / 8.
 */
DEVICE void
store_matrices_transposed (void *row, const uint32_t x[4])
{
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address (row)),
               "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

#endif
#endif

DEVICE float
bf16_to_f32 (uint16_t x)
{
  return __uint_as_float ((uint32_t) x << 16);
}

/* Of two bf16 in a word. */

DEVICE float
low_of (uint32_t pair)
{
  return __uint_as_float (pair << 16);
}

DEVICE float
high_of (uint32_t pair)
{
  return __uint_as_float (pair & 0xffff0000u);
}

/** Rounds to nearest, ties to even. */
DEVICE uint16_t
f32_to_bf16 (float x)
{
  uint32_t bits = __float_as_uint (x);

  if ((bits & 0x7fffffff) > 0x7f800000)
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

DEVICE float
silu (float x)
{
  const float log2_e = 1.4426950409f;

  return x / (1.0f + exp2f (-x * log2_e));
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

/** The sum over the lanes of a warp, in all of them. */
DEVICE float
sum_of_warp (float x)
{
#pragma unroll
  for (int offset = LANES / 2; offset > 0; offset /= 2)
    x += __shfl_xor_sync (ALL_LANES, x, offset);
  return x;
}

/**
 * TRUE in all threads of the last of @n blocks that calls this function. What the other blocks
 * wrote before can then be read with __ldcg().
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
