/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Random numbers (docs/formats/cuda.md, section 9.6): Philox 4x32-10 with the conventions of
 * NVIDIA's library (cuRAND). The seed is the key. The index of the element is the upper half of the
 * counter (the "subsequence"). The offset counts single numbers of 32 bits.
 */

DEVICE void
philox (uint32_t x[4], uint64_t key)
{
  uint32_t k0 = (uint32_t) key, k1 = (uint32_t) (key >> 32);

#pragma unroll
  for (int i = 0; i < 10; i++) {
    uint32_t high0 = __umulhi (0xd2511f53u, x[0]), low0 = 0xd2511f53u * x[0];
    uint32_t high1 = __umulhi (0xcd9e8d57u, x[2]), low1 = 0xcd9e8d57u * x[2];

    x[0] = high1 ^ x[1] ^ k0;
    x[1] = low1;
    x[2] = high0 ^ x[3] ^ k1;
    x[3] = low0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
}

/** Number @offset of sequence @sequence. */
DEVICE uint32_t
random_number (uint64_t seed, uint64_t sequence, uint64_t offset)
{
  uint64_t block = offset / 4;
  uint32_t x[4] = { (uint32_t) block, (uint32_t) (block >> 32), (uint32_t) sequence,
                    (uint32_t) (sequence >> 32) };

  philox (x, seed);
  return offset % 4 == 0 ? x[0] : offset % 4 == 1 ? x[1] : offset % 4 == 2 ? x[2] : x[3];
}

/** Advance the counter, after all blocks have read the old value. */
DEVICE void
random_finish (const PtRandomArguments &p)
{
  if (is_last_block (&p.state->finished, gridDim.x) && threadIdx.x == 0)
    p.state->counter += (uint64_t) p.n;
}

DEVICE float
random_float (const PtRandomArguments &p, uint64_t counter, int64_t i)
{
  return (float) (random_number (p.state->seed, (uint64_t) i, counter) & 0xffffff) / 16777216.0f;
}

#define RANDOM_KERNEL(name, type, expression)                                       \
  KERNEL __launch_bounds__ (256) name (const __grid_constant__ PtRandomArguments p) \
  {                                                                                 \
    uint64_t counter = p.state->counter;                                            \
                                                                                    \
    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < p.n;      \
         i += (int64_t) gridDim.x * blockDim.x)                                     \
      ((type *) p.output)[i] = expression;                                          \
    random_finish (p);                                                              \
  }

RANDOM_KERNEL (pt_random_f32, float, random_float (p, counter, i))
RANDOM_KERNEL (pt_random_bf16, uint16_t, f32_to_bf16 (random_float (p, counter, i)))

/** Unsigned arithmetic throughout, because the range may be that of all integers. */
DEVICE uint64_t
random_integer (const PtRandomArguments &p, uint64_t counter, int64_t i)
{
  uint64_t high = random_number (p.state->seed, (uint64_t) i, counter);
  uint64_t x = high << 32 | random_number (p.state->seed, (uint64_t) i, counter + 1);

  return p.low + x % p.range;
}

RANDOM_KERNEL (pt_random_i64, uint64_t, random_integer (p, counter, i))

KERNEL
pt_random_seed (const __grid_constant__ PtRandomArguments p)
{
  p.state->seed = p.low;
  p.state->counter = 0;
  p.state->finished = 0;
}
