#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table of 4 bits with a scale for each group of columns; w and scales are rows first ..
// first + n_rows of it, and other elements of y are left.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint LOW_FIRST = 1;
layout (set = 0, binding = 0) readonly buffer W { uint8_t w[]; };
layout (set = 0, binding = 1) readonly buffer S { float scales[]; };
layout (set = 0, binding = 2) readonly buffer I { int index[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  uint n, width, table, group, n_groups;
  uint first, n_rows;
};

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  uint k = i % width, row = uint (clamp (index[i / width], 0, int (table) - 1)) - first;

  if (row >= n_rows)
    return;
  uint pair = uint (w[row * (width / 2) + k / 2]);
  uint nibble = (k % 2 == 0) == (LOW_FIRST != 0) ? pair & 15 : pair >> 4;

  y[i] = float (int (nibble) - 8) * scales[row * n_groups + k / group];
}
