#version 450
// SPDX-License-Identifier: BSD-3-Clause
// What quantising and dequantising leaves of x [rows, n], with a scale and a zero point a row.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer S { float scale[]; };
layout (set = 0, binding = 2) readonly buffer Z { ZERO zero[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P { uint items, n; };

void main ()
{
  uint i = item_index ();

  if (i >= items)
    return;
  uint row = i / n;
  float s = scale[row], z = float (int (zero[row]));
  float q = clamp (roundEven (x[i] * (1.0 / s)) + z, -128.0, 127.0);

  y[i] = (q - z) * s;
}
