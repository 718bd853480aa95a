#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Rows of x [rows, K] as bytes q, with a scale and a zero point a row, for matvec-dot.comp and
// matmul-dot.comp. A chunk is 32 elements and becomes 8 words: four with the even elements of
// each 8, four with the odd ones, as the halves of the weights' bytes give them. Each invocation
// has 8 elements.
//   sums: of each chunk 8 * (sum of q - 32 * zero), then the zero point of each row
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer S { float scale[]; };
layout (set = 0, binding = 2) readonly buffer Z { ZERO zero[]; };
layout (set = 0, binding = 3) writeonly buffer Q { uint words[]; };
layout (set = 0, binding = 4) writeonly buffer T { int sums[]; };
layout (push_constant) uniform P { uint items, rows, chunks; };

shared int parts[ITEM_GROUP];

void main ()
{
  uint i = item_index (), lane = gl_LocalInvocationIndex;
  bool is_inside = i < items;
  uint chunk = min (i, items - 1) / 4, part = i % 4, row = chunk / chunks;
  float s = 1.0 / scale[row], z = float (int (zero[row]));
  uint even = 0, odd = 0;
  int sum = 0;

  [[unroll]] for (uint k = 0; k < 4; k++) {
    uint at = chunk * 32 + part * 8 + 2 * k;
    int a = int (clamp (roundEven (x[at] * s) + z, -128.0, 127.0));
    int b = int (clamp (roundEven (x[at + 1] * s) + z, -128.0, 127.0));

    even |= uint (a & 255) << (8 * k);
    odd |= uint (b & 255) << (8 * k);
    sum += a + b;
  }
  parts[lane] = sum;
  barrier ();
  if (!is_inside)
    return;
  words[chunk * 8 + part] = even;
  words[chunk * 8 + 4 + part] = odd;
  if (part == 0)
    sums[chunk] = 8 * (parts[lane] + parts[lane + 1] + parts[lane + 2] + parts[lane + 3]
                       - 32 * int (zero[row]));
  if (part == 0 && chunk % chunks == 0)
    sums[rows * chunks + row] = int (zero[row]);
}
