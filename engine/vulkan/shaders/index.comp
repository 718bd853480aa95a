#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y[o, k, i] = x[o, index[k], i]; indices outside of the table are clamped.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { uint x[]; };
layout (set = 0, binding = 1) readonly buffer I { int index[]; };
layout (set = 0, binding = 2) writeonly buffer Y { uint y[]; };
layout (push_constant) uniform P
{
  uint n, n_indices, inner, table;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  uint within = i % inner, k = i / inner % n_indices, outer = i / inner / n_indices;
  int at = index[k];

  at = clamp (at < 0 ? at + int (table) : at, 0, int (table) - 1);
  y[i] = x[(outer * table + uint (at)) * inner + within];
}
