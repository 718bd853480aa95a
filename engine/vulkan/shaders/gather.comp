#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y[.., i, ..] = x[.., index[.., i, ..], ..]; indices outside of the tensor are clamped.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint RANK = 1;
layout (set = 0, binding = 0) readonly buffer X { uint x[]; };
layout (set = 0, binding = 1) readonly buffer I { int index[]; };
layout (set = 0, binding = 2) writeonly buffer Y { uint y[]; };
layout (push_constant) uniform P
{
  uint n, table, table_stride;
  uint size[8];   // of the index, the innermost dimension first
  uint stride[8]; // in x; 0 for the indexed dimension
};

void main ()
{
  uint i = item_index (), rest = i, at = 0;

  if (i >= n)
    return;
  for (uint d = 0; d < RANK; d++) {
    at += rest % size[d] * stride[d];
    rest /= size[d];
  }
  int k = index[i];

  k = clamp (k < 0 ? k + int (table) : k, 0, int (table) - 1);
  y[i] = x[at + uint (k) * table_stride];
}
