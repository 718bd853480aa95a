#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Quantises to bytes: y = clamp (round (x / scale) + zero); or back: y = (x - zero) * scale, by
// MODE: 0 quantise, 1 dequantise, 2 relu on bytes, 3 sum of two, 4 relu, then quantise.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

#ifdef FROM_FLOAT
#define LOAD(v) (v)
#else
#define LOAD(v) float (int (v))
#endif
#ifdef TO_FLOAT
#define STORE(v) (v)
#else
#define STORE(v) int8_t (int (v))
#endif

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint MODE = 0;
layout (set = 0, binding = 0) readonly buffer X { IN x[]; };
layout (set = 0, binding = 1) readonly buffer B { IN b[]; };
layout (set = 0, binding = 2) writeonly buffer Y { OUT y[]; };
layout (push_constant) uniform P
{
  uint n;
  float scale, zero, scale_b, zero_b;
  float inverse, out_zero; // 1 / scale and zero of the output
  float least, most;
};

float quantised (float v)
{
  return clamp (roundEven (v * inverse) + out_zero, least, most);
}

void main ()
{
  uint i = item_index ();

  if (i >= n)
    return;
  float v = LOAD (x[i]);

  if (MODE == 1)
    y[i] = STORE ((v - zero) * scale);
  else if (MODE == 0 || MODE == 4)
    y[i] = STORE (quantised (MODE == 4 ? max (v, 0.0) : v));
  else if (MODE == 2)
    y[i] = STORE (quantised (max ((v - zero) * scale, 0.0)));
  else
    y[i] = STORE (quantised ((v - zero) * scale + (LOAD (b[i]) - zero_b) * scale_b));
}
