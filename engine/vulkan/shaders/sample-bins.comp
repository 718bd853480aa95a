#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Choosing a token (sample.glsl): the masses of a step, by the next digit of the weight.
#extension GL_GOOGLE_include_directive : enable
#include "sample.glsl"

shared uint low[BINS], high[BINS];

void add_share (uint bin, uvec2 mass)
{
  uint before = atomicAdd (low[bin], mass.x), more = mass.y + (before + mass.x < before ? 1 : 0);

  if (more > 0)
    atomicAdd (high[bin], more);
}

void add_shared (uint at, uvec2 mass)
{
  uint before = atomicAdd (bins[at], mass.x), more = mass.y + (before + mass.x < before ? 1 : 0);

  if (more > 0)
    atomicAdd (bins[at + 1], more);
}

void add_masses (const Step s, float most)
{
  uint lane = gl_LocalInvocationIndex, digit = kind % DIGITS;
  bool counts = kind < KEEP;
  uvec2 kept = uvec2 (0), total;

  for (uint i = gl_WorkGroupID.x * GROUP + lane; i < n; i += GROUP * GROUPS) {
    float weight = weight_of (logits[first + i], most);
    uint bits = floatBitsToUint (weight), known = bits >> BITS * (DIGITS - digit);
    uvec2 mass = counts ? uvec2 (1, 0) : bits >= s.least ? mass_of (bits) : uvec2 (0);

    kept = add (kept, mass);
    if ((mass.x | mass.y) != 0 && (counts || weight >= min_p) && known == s.prefix)
      add_share (bits >> BITS * (DIGITS - 1 - digit) & (BINS - 1), mass);
  }
  sum_before (kept, total);
  if (lane == 0 && kind == KEEP)
    add_shared (bins_of (step) + 2 * BINS, total);
}

void main ()
{
  uint lane = gl_LocalInvocationIndex;
  uvec2 most = best_of_all ();

  if (is_final (most))
    return;
  Step s = resolve ();

  if (gl_WorkGroupID.x == 0 && lane == 0)
    steps[step] = s;
  if (s.keeps_all != 0 && kind < DRAW)
    return;
  for (uint i = lane; i < BINS; i += GROUP)
    low[i] = high[i] = 0;
  barrier ();
  add_masses (s, uintBitsToFloat (bits_of_order (most.x)));
  barrier ();
  for (uint i = lane; i < BINS; i += GROUP)
    if ((low[i] | high[i]) != 0)
      add_shared (bins_of (step) + 2 * i, uvec2 (low[i], high[i]));
}
