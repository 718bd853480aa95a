#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Choosing a token (sample.glsl): each group has a part of the tokens, and adds up their masses, or
// counts those that have the weight that was found.
#extension GL_GOOGLE_include_directive : enable
#include "sample.glsl"

void main ()
{
  uint lane = gl_LocalInvocationIndex, begin = gl_WorkGroupID.x * part_size ();
  uint end = min (begin + part_size (), n);
  uvec2 most = best_of_all (), sum = uvec2 (0), total;

  if (is_final (most))
    return;
  Step s = resolve ();

  for (uint i = begin + lane; i < end; i += GROUP)
    sum = add (sum, share_of (s, i, uintBitsToFloat (bits_of_order (most.x))));
  sum_before (sum, total);
  if (lane != 0)
    return;
  sums[gl_WorkGroupID.x] = total;
  if (gl_WorkGroupID.x == 0)
    steps[step] = s;
}
