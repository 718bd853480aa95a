#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y = c ? a : b with broadcasting.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint RANK = 1;
layout (set = 0, binding = 0) readonly buffer C { uint8_t c[]; };
layout (set = 0, binding = 1) readonly buffer A { TYPE a[]; };
layout (set = 0, binding = 2) readonly buffer B { TYPE b[]; };
layout (set = 0, binding = 3) writeonly buffer Y { TYPE y[]; };
layout (push_constant) uniform P
{
  uint n;
  uint size[6], stride_c[6], stride_a[6], stride_b[6]; // the innermost dimension first
};

void main ()
{
  uint i = item_index (), rest = i, at_c = 0, at_a = 0, at_b = 0;

  if (i >= n)
    return;
  for (uint d = 0; d < RANK; d++) {
    uint k = rest % size[d];

    rest /= size[d];
    at_c += k * stride_c[d];
    at_a += k * stride_a[d];
    at_b += k * stride_b[d];
  }
  if (uint (c[at_c]) != 0)
    y[i] = a[at_a];
  else
    y[i] = b[at_b];
}
