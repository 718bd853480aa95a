#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y[o, k, i] = x[o, index[k], i]; indices outside of the table are clamped. x is places first ..
// first + n_rows of the table: with fewer than all, o is 0, and the other elements of y are left.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { uint x[]; };
layout (set = 0, binding = 1) readonly buffer I { int index[]; };
layout (set = 0, binding = 2) writeonly buffer Y { uint y[]; };
layout (push_constant) uniform P
{
  uint n, n_indices, inner, table;
  uint first, n_rows;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  uint within = i % inner, k = i / inner % n_indices, outer = i / inner / n_indices;
  int at = index[k];

  at = clamp (at < 0 ? at + int (table) : at, 0, int (table) - 1);
  uint row = uint (at) - first;

  if (row < n_rows)
    y[i] = x[(outer * table + row) * inner + within];
}
