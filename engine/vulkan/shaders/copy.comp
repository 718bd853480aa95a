#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Copies elements from places with strides to places with strides.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint RANK = 1;
// 1: symbols[symbol] * symbol_stride is added to the first place of the input.
layout (constant_id = 1) const uint HAS_SYMBOL = 0;
layout (set = 0, binding = 0) readonly buffer X { TYPE x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { TYPE y[]; };
layout (set = 0, binding = 2) readonly buffer S { int symbols[]; };
layout (push_constant) uniform P
{
  uint n;
  int first_x;
  uint first_y;
  uint symbol;
  int symbol_stride;
  uint symbol_size; // the largest symbol whose elements exist
  uint size[8];
  int stride_x[8];
  uint stride_y[8];
};

void main ()
{
  uint i = item_index (), rest = i, to = first_y;
  int from = first_x;

  if (i >= n)
    return;
  if (HAS_SYMBOL != 0)
    from += clamp (symbols[symbol], 0, int (symbol_size)) * symbol_stride;
  for (uint d = 0; d < RANK; d++) {
    uint k = rest % size[d];

    rest /= size[d];
    from += int (k) * stride_x[d];
    to += k * stride_y[d];
  }
  y[to] = x[from];
}
