#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Sets all elements to one number.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) writeonly buffer Y { TYPE y[]; };
layout (push_constant) uniform P { uint n, bits; };

void main ()
{
  uint i = item_index ();

  if (i < n)
    y[i] = TYPE (bits);
}
