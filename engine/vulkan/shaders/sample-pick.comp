#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Choosing a token (sample.glsl): the first at which the sum over the tokens in their order exceeds
// the goal. One group.
#extension GL_GOOGLE_include_directive : enable
#include "sample.glsl"

void main ()
{
  uint lane = gl_LocalInvocationIndex, part = 0;
  uvec2 most = best_of_all (), before = uvec2 (0), goal, total = uvec2 (0);

  if (is_final (most)) {
    if (lane == 0)
      chosen = int (most.y);
    return;
  }
  Step s = steps[step - 1];

  for (uint i = 0; i < GROUPS; i++)
    total = add (total, sums[i]);
  goal = previous == NOTHING ? part_of (total, coin) : uvec2 (s.rank, 0);
  while (part < GROUPS - 1 && !is_more (add (before, sums[part]), goal))
    before = add (before, sums[part++]);
  uint begin = part * part_size (), end = min (begin + part_size (), n);

  for (; begin < end; begin += GROUP) {
    uint i = begin + lane;
    uvec2 own = uvec2 (0);

    if (i < end)
      own = share_of (s, i, uintBitsToFloat (bits_of_order (most.x)));
    uvec2 at = add (before, sum_before (own, total));

    if (!is_more (at, goal) && is_more (add (at, own), goal))
      chosen = int (i);
    before = add (before, total);
  }
}
