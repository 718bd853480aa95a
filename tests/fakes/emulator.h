/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * CUDA C++ as far as our kernels use it, for the CPU: included before the kernels, with PT_EMULATED
 * defined. Each thread of a block is a coroutine that runs until it waits for others.
 *
 * Asynchronous copies are late: their target is junk until the thread waits for them.
 */

#include <cmath>
#include <cstdint>
#include <cstring>

#define DEVICE static inline
#define KERNEL extern "C" void
#define DYNAMIC_SHARED(name) uint8_t *name = (uint8_t *) emulated_shared
#define HAS_BF16 1
#ifdef PT_EMULATED_GROUPS
#define HAS_GROUP_PRODUCTS 1
#endif

#define __launch_bounds__(...)
#define __grid_constant__
#define __device__
#define __forceinline__ inline
#define __shared__ static /* one block runs at a time */

struct uint2 {
  uint32_t x, y;
};

struct uint4 {
  uint32_t x, y, z, w;
};

struct int2 {
  int x, y;
};

struct float2 {
  float x, y;
};

struct float4 {
  float x, y, z, w;
};

static inline uint2
make_uint2 (uint32_t x, uint32_t y)
{
  return { x, y };
}

static inline uint4
make_uint4 (uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
  return { x, y, z, w };
}

static inline float2
make_float2 (float x, float y)
{
  return { x, y };
}

static inline float4
make_float4 (float x, float y, float z, float w)
{
  return { x, y, z, w };
}

static inline int
min (int a, int b)
{
  return a < b ? a : b;
}

static inline int
max (int a, int b)
{
  return a > b ? a : b;
}

/* ---- Threads ---- */

struct EmulatedIndex {
  unsigned x, y, z;
};

extern EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;
extern void *emulated_shared;

void __syncthreads (void);
void __syncwarp (void);

#define EMULATED_SLOT 32

/** Exchanges the values of all lanes of the warp, EMULATED_SLOT bytes apart; valid until the next
 * call. */
const uint8_t *emulated_exchange (const void *mine, unsigned size);

template <typename T>
static inline T
emulated_from_lane (const uint8_t *slots, int lane)
{
  T value;

  memcpy (&value, slots + lane * EMULATED_SLOT, sizeof value);
  return value;
}

template <typename T>
static inline T
__shfl_sync (unsigned, T value, int lane)
{
  return emulated_from_lane<T> (emulated_exchange (&value, sizeof value), lane);
}

template <typename T>
static inline T
__shfl_xor_sync (unsigned, T value, int offset)
{
  return __shfl_sync (0, value, (int) (threadIdx.x % 32) ^ offset);
}

template <typename T>
static inline T
__shfl_up_sync (unsigned, T value, int offset)
{
  int lane = (int) (threadIdx.x % 32);

  return __shfl_sync (0, value, lane >= offset ? lane - offset : lane);
}

static inline unsigned
__ballot_sync (unsigned, bool value)
{
  const uint8_t *slots = emulated_exchange (&value, sizeof value);
  unsigned lanes = 0;

  for (int lane = 0; lane < 32; lane++)
    lanes |= (unsigned) emulated_from_lane<bool> (slots, lane) << lane;
  return lanes;
}

static inline unsigned
__match_any_sync (unsigned, uint32_t value)
{
  const uint8_t *slots = emulated_exchange (&value, sizeof value);
  unsigned peers = 0;

  for (int lane = 0; lane < 32; lane++)
    if (emulated_from_lane<uint32_t> (slots, lane) == value)
      peers |= 1u << lane;
  return peers;
}

/* ---- Arithmetic ---- */

static inline float
__fadd_rn (float a, float b)
{
  return a + b;
}

static inline float
__fmul_rn (float a, float b)
{
  return a * b;
}

/* ---- Memory ---- */

static inline void
__threadfence (void)
{
}

template <typename T>
static inline T
__ldcg (const T *at)
{
  return *at;
}

template <typename T>
static inline T
atomicAdd (T *at, T value)
{
  T old = *at;

  *at += value;
  return old;
}

static inline uint4
load_once (const void *from)
{
  return *(const uint4 *) from;
}

static inline void
fetch (const void *)
{
}

static inline void
wait_for_earlier (void)
{
}

static inline void
let_later_start (void)
{
}

void emulated_copy_async (void *to, const void *from, unsigned size, bool is_valid);
void copy_async_commit (void);
void emulated_copy_async_wait (unsigned pending);

static inline void
copy_async_16 (void *to, const void *from, bool is_valid)
{
  emulated_copy_async (to, from, 16, is_valid);
}

static inline void
copy_async_16_kept (void *to, const void *from, bool is_valid)
{
  emulated_copy_async (to, from, 16, is_valid);
}

static inline void
copy_async_8 (void *to, const void *from, bool is_valid)
{
  emulated_copy_async (to, from, 8, is_valid);
}

static inline void
copy_async_4 (void *to, const void *from, bool is_valid)
{
  emulated_copy_async (to, from, 4, is_valid);
}

template <int PENDING>
static inline void
copy_async_wait (void)
{
  emulated_copy_async_wait (PENDING);
}

/* ---- Numbers ---- */

static inline float
__uint_as_float (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static inline uint32_t
__float_as_uint (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline float
rsqrtf (float x)
{
  return 1 / sqrtf (x);
}

static inline int
__popc (unsigned x)
{
  return __builtin_popcount (x);
}

static inline uint32_t
__umulhi (uint32_t a, uint32_t b)
{
  return (uint32_t) ((uint64_t) a * b >> 32);
}

static inline uint32_t
__byte_perm (uint32_t x, uint32_t y, uint32_t selector)
{
  uint64_t both = (uint64_t) y << 32 | x;
  uint32_t result = 0;

  for (int i = 0; i < 4; i++)
    result |= (uint32_t) (both >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return result;
}

static inline int
__dp4a (int a, int b, int c)
{
  for (int i = 0; i < 4; i++)
    c += (int8_t) (a >> (8 * i)) * (int8_t) (b >> (8 * i));
  return c;
}

static inline int
round_to_i8 (float x)
{
  if (std::isnan (x))
    return 0;
  return (int) nearbyintf (fminf (fmaxf (x, -128), 127));
}

template <uint32_t MASK, uint32_t BITS>
static inline uint32_t
and_or (uint32_t x)
{
  return (x & MASK) | BITS;
}

float f16_to_f32 (uint16_t x);
uint32_t f32_to_bf16x2 (float low, float high);
uint32_t bf16x2_fma (uint32_t a, uint32_t b, uint32_t c);
void load_matrices (uint32_t x[4], const void *row);
void multiply_tile (float c[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
                    uint32_t b1);

/* ---- Products of four warps together ---- */

static inline void
share_with_groups (void)
{
}

static inline void
group_begin (void)
{
}

static inline void
group_commit (void)
{
}

static inline void
group_wait (void)
{
}

void emulated_multiply_group (float *c, const uint32_t a[4], const uint8_t *rows, int size);

template <int SIZE>
static inline void
multiply_group (float *c, const uint32_t a[4], const uint8_t *rows)
{
  emulated_multiply_group (c, a, rows, SIZE);
}

void store_matrices_transposed (void *row, const uint32_t x[4]);
