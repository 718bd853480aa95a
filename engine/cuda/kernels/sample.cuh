/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Chooses a token from logits like engine/text/sampler.c: penalties first; then at temperature 0
 * the first maximum, else a random token. The random token comes from all tokens in their order, or
 * from those that top-k, top-p and min-p keep, in descending order of probability (equal ones in
 * ascending order of ids).
 *
 * Nothing is sorted. The weight of a token is exp ((logit - max) / temperature). Its mass is the
 * weight as an integer of 40 bits, so that sums do not depend on the order. The token at a given
 * mass in descending order of weights is found in three passes; each adds up masses by 10 more bits
 * of the weight. The first search is for the mass of top_p, the second for the random mass. The
 * same search with counts instead of masses finds the smallest weight that top-k keeps.
 *
 * Every kernel has PT_SAMPLE_BLOCKS blocks; the block that finishes last does the serial part.
 */

enum { SAMPLE_THREADS = 256, SAMPLE_WARPS = SAMPLE_THREADS / LANES };

struct Candidate {
  float value;
  int32_t id; /* INT32_MAX: no candidate */
};

#define NO_CANDIDATE 0x7fffffff

DEVICE float
sample_logit (const PtSampleArguments &p, int i)
{
  switch (p.dtype) {
  case DTYPE_F32: return ((const float *) p.logits)[i];
  case DTYPE_BF16: return bf16_to_f32 (((const uint16_t *) p.logits)[i]);
  default: return f16_to_f32 (((const uint16_t *) p.logits)[i]);
  }
}

/** The range of tokens of a block, in order. */
DEVICE int
sample_part (const PtSampleArguments &p)
{
  return (p.n + PT_SAMPLE_BLOCKS - 1) / PT_SAMPLE_BLOCKS;
}

/** The larger candidate; of equal ones the first. NaN is not a candidate. */
DEVICE Candidate
better (Candidate a, Candidate b)
{
  if (b.id == NO_CANDIDATE)
    return a;
  if (a.id == NO_CANDIDATE || b.value > a.value || (b.value == a.value && b.id < a.id))
    return b;
  return a;
}

DEVICE Candidate
best_of_block (Candidate mine)
{
  __shared__ Candidate best[SAMPLE_WARPS];

  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    Candidate other = { __shfl_xor_sync (ALL_LANES, mine.value, offset),
                        __shfl_xor_sync (ALL_LANES, mine.id, offset) };

    mine = better (mine, other);
  }
  if (lane_id () == 0)
    best[warp_id ()] = mine;
  __syncthreads ();
  mine = best[0];
  for (int i = 1; i < SAMPLE_WARPS; i++)
    mine = better (mine, best[i]);
  __syncthreads ();
  return mine;
}

/** The sum of @mine over the threads before this one; @total over all threads. */
DEVICE uint64_t
sum_of_block (uint64_t mine, uint64_t *total)
{
  __shared__ uint64_t sums[SAMPLE_WARPS];
  uint64_t sum = mine, before = 0;

  for (int offset = 1; offset < LANES; offset *= 2) {
    uint64_t other = __shfl_up_sync (ALL_LANES, sum, offset);

    if (lane_id () >= offset)
      sum += other;
  }
  if (lane_id () == LANES - 1)
    sums[warp_id ()] = sum;
  __syncthreads ();
  *total = 0;
  for (int i = 0; i < SAMPLE_WARPS; i++) {
    if (i < warp_id ())
      before += sums[i];
    *total += sums[i];
  }
  __syncthreads ();
  return before + sum - mine;
}

/** Called by one thread. */
DEVICE void
sample_finish (const PtSampleArguments &p, int id)
{
  p.state->is_done = 1;
  if (p.id != 0)
    *p.id = id;
  if (p.wide_id != 0)
    *p.wide_id = max (id, 0);
  if (p.position != 0)
    ++*p.position;
}

/** The next number of PtRandom, or the number that the caller gave. */
DEVICE double
sample_coin (const PtSampleArguments &p)
{
  uint64_t s;

  if (p.random == 0)
    return (double) *p.coin;
  s = *p.random;
  s ^= s >> 12;
  s ^= s << 25;
  s ^= s >> 27;
  *p.random = s;
  return (double) ((uint32_t) (s * 0x2545f4914f6cdd1dull >> 32) >> 8) / 16777216.0;
}

/* ---- Penalties ---- */

/**
 * Copy the logits as float32 to the memory of the weights; logits with penalties go behind them.
 */
KERNEL
__launch_bounds__ (SAMPLE_THREADS) pt_sample_said (const __grid_constant__ PtSampleArguments p)
{
  for (int i = (int) (blockIdx.x * blockDim.x + threadIdx.x); i < p.n;
       i += (int) (gridDim.x * blockDim.x))
    p.weights[i] = sample_logit (p, i);
  if (!is_last_block (&p.state->finished, gridDim.x))
    return;
  for (int i = (int) threadIdx.x; i < p.n_said; i += SAMPLE_THREADS) {
    PtSampleSaid said = p.said[i];
    float logit, count = (float) said.count;

    if (said.id < 0 || said.id >= p.n)
      continue;
    logit = __ldcg (&p.weights[said.id]);
    logit = logit > 0 ? logit / p.repetition_penalty : logit * p.repetition_penalty;
    /* Rounds in the same order as the CPU. */
    p.weights[said.id] =
        logit - __fadd_rn (__fmul_rn (count, p.frequency_penalty), p.presence_penalty);
  }
}

/* ---- The maximum ---- */

KERNEL
__launch_bounds__ (SAMPLE_THREADS) pt_sample_max (const __grid_constant__ PtSampleArguments p)
{
  PtSampleState *state = p.state;
  Candidate mine = { 0, NO_CANDIDATE };
  bool is_final;

#pragma unroll 4
  for (int i = (int) (blockIdx.x * blockDim.x + threadIdx.x); i < p.n;
       i += (int) (gridDim.x * blockDim.x)) {
    Candidate next = { sample_logit (p, i), i };

    if (next.value == next.value)
      mine = better (mine, next);
  }
  mine = best_of_block (mine);
  if (threadIdx.x == 0) {
    state->partial_max[blockIdx.x] = mine.value;
    state->partial_best[blockIdx.x] = mine.id;
  }
  if (!is_last_block (&state->finished, gridDim.x))
    return;
  mine.id = NO_CANDIDATE;
  if (threadIdx.x < PT_SAMPLE_BLOCKS) {
    mine.value = __ldcg (&state->partial_max[threadIdx.x]);
    mine.id = __ldcg (&state->partial_best[threadIdx.x]);
  }
  mine = best_of_block (mine);
  if (threadIdx.x != 0)
    return;
  if (mine.id == NO_CANDIDATE)
    mine.id = -1;
  is_final = mine.id < 0 || fabsf (mine.value) == INFINITY || p.temperature <= 0;
  state->best = mine.id;
  state->max = mine.value;
  state->is_done = is_final;
  state->prefix = 0;
  state->above = 0;
  state->least = 0;
  state->all = 0;
  state->total = 0;
  if (is_final)
    sample_finish (p, mine.id);
  else
    state->coin = sample_coin (p);
}

/* ---- Masses ---- */

DEVICE float
sample_weight (const PtSampleArguments &p, float max, int i)
{
  float logit = sample_logit (p, i);

  return logit == logit ? expf ((logit - max) / p.temperature) : 0.0f;
}

DEVICE uint64_t
sample_mass (float weight)
{
  return (uint64_t) (weight * 1099511627776.0f);
}

/** Over all tokens in their order: the first one at which the sum of masses exceeds the goal. */
KERNEL
__launch_bounds__ (SAMPLE_THREADS) pt_sample_all (const __grid_constant__ PtSampleArguments p)
{
  PtSampleState *state = p.state;
  int first = (int) blockIdx.x * sample_part (p), end = min (first + sample_part (p), p.n);
  uint64_t mass = 0, total, before = 0;
  double goal;
  int part = -1;

  if (state->is_done)
    return;
  for (int i = first + (int) threadIdx.x; i < end; i += SAMPLE_THREADS) {
    float weight = sample_weight (p, state->max, i);

    p.weights[i] = weight;
    mass += sample_mass (weight);
  }
  sum_of_block (mass, &total);
  if (threadIdx.x == 0)
    state->partial[blockIdx.x] = total;
  if (!is_last_block (&state->finished, gridDim.x))
    return;

  /* Finds the part of the range; each thread does it for itself. */
  total = 0;
  for (int i = 0; i < PT_SAMPLE_BLOCKS; i++)
    total += __ldcg (&state->partial[i]);
  goal = state->coin * (double) total;
  while (part < PT_SAMPLE_BLOCKS - 1) {
    uint64_t next = __ldcg (&state->partial[++part]);

    if ((double) (before + next) > goal)
      break;
    before += next;
  }
  first = part * sample_part (p);
  end = min (first + sample_part (p), p.n);
  for (; first < end; first += SAMPLE_THREADS) {
    int i = first + (int) threadIdx.x;
    uint64_t own = i < end ? sample_mass (__ldcg (&p.weights[i])) : 0;
    uint64_t at = before + sum_of_block (own, &total);

    if (own > 0 && (double) at <= goal && (double) (at + own) > goal)
      sample_finish (p, i);
    before += total;
  }
}

/** The digit of a weight for pass @pass, and the bits above it. */
DEVICE uint32_t
sample_digit (uint32_t bits, int pass)
{
  return bits >> (PT_SAMPLE_BITS * (PT_SAMPLE_PASSES - 1 - pass)) & (PT_SAMPLE_BINS - 1);
}

DEVICE uint32_t
sample_upper (uint32_t bits, int pass)
{
  return bits >> (PT_SAMPLE_BITS * (PT_SAMPLE_PASSES - pass));
}

/**
 * Find the bin of @bins, from the largest weights down, at which the sum exceeds the goal; called
 * by the whole block. Appends the bin's index to the known upper bits, and adds the mass of the
 * bins above it.
 *
 * Returns: the mass of the bin
 */
DEVICE uint64_t
sample_choose (PtSampleState *state, const uint64_t *bins)
{
  enum { EACH = PT_SAMPLE_BINS / SAMPLE_THREADS };
  __shared__ uint64_t chosen_mass;
  int top = PT_SAMPLE_BINS - 1 - (int) threadIdx.x * EACH;
  uint64_t masses[EACH], sum = 0, total, at, above = state->above;
  double goal = state->goal;

  for (int i = 0; i < EACH; i++) {
    masses[i] = __ldcg (&bins[top - i]);
    sum += masses[i];
  }
  at = above + sum_of_block (sum, &total);
  for (int i = 0; i < EACH; i++) {
    if (masses[i] > 0 && (double) at <= goal && (double) (at + masses[i]) > goal) {
      state->above = at;
      state->prefix = state->prefix << PT_SAMPLE_BITS | (uint32_t) (top - i);
      chosen_mass = masses[i];
    }
    at += masses[i];
  }
  __syncthreads ();
  return chosen_mass;
}

/** How many tokens of @mass each, of @count, fit before the goal is exceeded. */
DEVICE uint32_t
sample_rank (const PtSampleState *state, uint64_t mass, uint64_t count)
{
  double rank = floor ((state->goal - (double) state->above) / (double) mass);

  return (uint32_t) fmin (fmax (rank, 0.0), (double) (count - 1));
}

/** Draw a random mass below @total, the sum of the first pass. */
DEVICE void
sample_begin_chance (PtSampleState *state, double total)
{
  if (threadIdx.x == 0) {
    state->goal = state->coin * total;
    state->above = 0;
    state->prefix = 0;
  }
  __syncthreads ();
  sample_choose (state, state->first);
}

/** Called when the masses by the upper bits are known: decide whether top-p removes any tokens. */
DEVICE bool
sample_begin_mass (const PtSampleArguments &p)
{
  PtSampleState *state = p.state;
  uint64_t sum = 0, total;
  double goal;

  for (int i = (int) threadIdx.x; i < PT_SAMPLE_BINS; i += SAMPLE_THREADS) {
    state->first[i] = __ldcg (&state->bins[i]);
    sum += state->first[i];
  }
  sum_of_block (sum, &total);
  goal = p.top_p > 0 && p.top_p < 1 ? (double) p.top_p * (double) __ldcg (&state->total) : INFINITY;
  if (goal >= (double) total) {
    if (threadIdx.x == 0)
      state->all = 1;
    sample_begin_chance (state, (double) total);
    return false;
  }
  if (threadIdx.x == 0)
    state->goal = goal;
  __syncthreads ();
  return true;
}

/**
 * Passes 0, 1, 2 find the last token that top-p keeps; then passes 4 and 5 find the random token
 * among them (pass 3 would repeat pass 0). Before them, passes 6, 7, 8 find the last token that
 * top-k keeps.
 */
KERNEL
__launch_bounds__ (SAMPLE_THREADS) pt_sample_pass (const __grid_constant__ PtSampleArguments p)
{
  __shared__ unsigned long long bins[PT_SAMPLE_BINS];
  PtSampleState *state = p.state;
  int pass = p.pass % PT_SAMPLE_PASSES;
  bool is_last = pass == PT_SAMPLE_PASSES - 1, counts = p.pass >= PT_SAMPLE_COUNTS;
  bool is_first = p.pass == (p.top_k > 0 ? PT_SAMPLE_COUNTS : 0);
  uint64_t mass, each, kept = 0, total;
  uint32_t prefix, least;

  if (state->is_done || (state->all != 0 && p.pass > 0 && p.pass < PT_SAMPLE_PASSES))
    return;
  prefix = state->prefix;
  least = state->least;
  for (int i = (int) threadIdx.x; i < PT_SAMPLE_BINS; i += SAMPLE_THREADS)
    bins[i] = 0;
  __syncthreads ();
  for (int i = (int) (blockIdx.x * blockDim.x + threadIdx.x); i < p.n;
       i += (int) (gridDim.x * blockDim.x)) {
    float weight;
    uint32_t bits;

    if (is_first)
      p.weights[i] = sample_weight (p, state->max, i);
    weight = p.weights[i];
    bits = __float_as_uint (weight);
    mass = counts ? 1 : bits >= least ? sample_mass (weight) : 0;
    kept += mass;
    if (mass > 0 && (counts || weight >= p.min_p) && sample_upper (bits, pass) == prefix)
      atomicAdd (&bins[sample_digit (bits, pass)], (unsigned long long) mass);
  }
  if (p.pass == 0) {
    sum_of_block (kept, &total);
    if (threadIdx.x == 0)
      atomicAdd ((unsigned long long *) &state->total, (unsigned long long) total);
  }
  __syncthreads ();
  for (int i = (int) threadIdx.x; i < PT_SAMPLE_BINS; i += SAMPLE_THREADS)
    if (bins[i] > 0)
      atomicAdd ((unsigned long long *) &state->bins[i], bins[i]);
  if (!is_last_block (&state->finished, gridDim.x))
    return;

  if (p.pass == PT_SAMPLE_COUNTS) {
    if (threadIdx.x == 0)
      state->goal = (double) (p.top_k - 1);
    __syncthreads ();
  }
  mass = p.pass != 0 || sample_begin_mass (p) ? sample_choose (state, state->bins) : 0;
  for (int i = (int) threadIdx.x; i < PT_SAMPLE_BINS; i += SAMPLE_THREADS)
    state->bins[i] = 0;
  if (!is_last)
    return;

  /* All bits are known: compute the rank among tokens of this weight. */
  each = counts ? 1 : sample_mass (__uint_as_float (state->prefix));
  __syncthreads ();
  if (counts) {
    if (threadIdx.x == 0) {
      state->least = state->prefix;
      state->above = 0;
      state->prefix = 0;
    }
  } else if (p.pass < PT_SAMPLE_PASSES) {
    kept = state->above + (sample_rank (state, each, mass / each) + 1) * each;
    __syncthreads ();
    sample_begin_chance (state, (double) kept);
  } else if (threadIdx.x == 0) {
    state->rank = sample_rank (state, each, mass / each);
  }
}

/** Find the token with the weight that was found; among equal ones, number state->rank. */
KERNEL
__launch_bounds__ (SAMPLE_THREADS) pt_sample_find (const __grid_constant__ PtSampleArguments p)
{
  PtSampleState *state = p.state;
  int first = (int) blockIdx.x * sample_part (p), end = min (first + sample_part (p), p.n);
  uint64_t count = 0, total, before = 0;
  int part = -1;

  if (state->is_done)
    return;
  for (int i = first + (int) threadIdx.x; i < end; i += SAMPLE_THREADS)
    count += __float_as_uint (p.weights[i]) == state->prefix;
  sum_of_block (count, &total);
  if (threadIdx.x == 0)
    state->partial[blockIdx.x] = total;
  if (!is_last_block (&state->finished, gridDim.x))
    return;

  while (part < PT_SAMPLE_BLOCKS - 1) {
    uint64_t next = __ldcg (&state->partial[++part]);

    if (before + next > state->rank)
      break;
    before += next;
  }
  first = part * sample_part (p);
  end = min (first + sample_part (p), p.n);
  for (; first < end; first += SAMPLE_THREADS) {
    int i = first + (int) threadIdx.x;
    uint64_t own = i < end && __float_as_uint (p.weights[i]) == state->prefix;
    uint64_t at = before + sum_of_block (own, &total);

    if (own > 0 && at == state->rank)
      sample_finish (p, i);
    before += total;
  }
}
