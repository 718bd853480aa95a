#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Writes rows into a cache from row symbols[symbol] on; rows outside of it are left out.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) buffer Y { float cache[]; };
layout (set = 0, binding = 2) readonly buffer S { int symbols[]; };
layout (push_constant) uniform P
{
  uint n, row, symbol;
  int rows, start;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  int first = symbol == 0xffffffffu ? start : symbols[symbol], at = first + int (i / row);

  if (first >= 0 && at < rows)
    cache[uint (at) * row + i % row] = x[i];
}
