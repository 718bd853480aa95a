#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Choosing a token (sample.glsl): the largest logit of each group; empty bins for the steps.
#extension GL_GOOGLE_include_directive : enable
#include "sample.glsl"

void main ()
{
  uint at = gl_WorkGroupID.x * GROUP + gl_LocalInvocationIndex;
  uvec2 mine = uvec2 (0, ALL);

  for (uint i = at; i < n; i += GROUP * GROUPS) {
    uint order = order_of (logits[first + i]);

    if (order > mine.x)
      mine = uvec2 (order, i);
  }
  for (uint i = at; i < step * STRIDE; i += GROUP * GROUPS)
    bins[i] = 0;
  mine = best_of_group (mine);
  if (gl_LocalInvocationIndex == 0)
    best[gl_WorkGroupID.x] = mine;
}
