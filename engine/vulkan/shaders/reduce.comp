#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Reduces the middle dimension of x [outer, n, inner], by the code OP (PT_VK_REDUCE_*). Each group
// makes one element.
#extension GL_GOOGLE_include_directive : enable
#define GROUP 128
#include "common.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint OP = 0;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { OUT y[]; };
layout (push_constant) uniform P { uint items, n, inner; };

shared float values[GROUP];
shared uint places[GROUP];

// Whether (v, i) comes before (w, k): NaN before all, then the extreme, then the first place.
bool better (float v, uint i, float w, uint k)
{
  bool is_max = OP == 2 || OP == 4;

  if (isnan (v) || isnan (w))
    return isnan (v) && (!isnan (w) || i < k);
  if (v == w)
    return i < k;
  return is_max ? v > w : v < w;
}

void main ()
{
  uint item = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint i = gl_LocalInvocationIndex;

  if (item >= items)
    return;
  uint base = item / inner * n * inner + item % inner;
  bool is_sum = OP <= 1;
  float v = is_sum ? 0.0 : x[base];
  uint at = 0;

  for (uint k = i; k < n; k += GROUP) {
    float w = x[base + k * inner];

    if (is_sum)
      v += w;
    else if (better (w, k, v, at)) {
      v = w;
      at = k;
    }
  }
  values[i] = v;
  places[i] = at;
  for (uint h = GROUP / 2; h > 0; h /= 2) {
    barrier ();
    if (i < h) {
      if (is_sum)
        values[i] += values[i + h];
      else if (better (values[i + h], places[i + h], values[i], places[i])) {
        values[i] = values[i + h];
        places[i] = places[i + h];
      }
    }
  }
  if (i == 0)
#ifdef IS_PLACE
    y[item] = OUT (places[0]);
#else
    y[item] = OP == 1 ? values[0] / float (n) : values[0];
#endif
}
