// SPDX-License-Identifier: BSD-3-Clause
// Rows become bytes, as quantize-rows.comp does it.

float scale_of_range (float lo, float hi, float least, float most, float epsilon)
{
  return max ((hi - lo) / (most - least), epsilon);
}

int zero_of_range (float lo, float s, float least, float most)
{
  return int (clamp (least - roundEven (lo / s), least, most));
}

// Four elements in the range of bytes; s: 1 / scale.
ivec4 quantized (vec4 v, float s, float z)
{
  return ivec4 (clamp (roundEven (v * s) + z, -128.0, 127.0));
}

// Eight elements as two words: the even ones, and the odd ones. Returns their sum.
int pack (vec4 u, vec4 v, float s, float z, out uint even, out uint odd)
{
  ivec4 p = quantized (u, s, z), q = quantized (v, s, z);
  uvec4 low = uvec4 (p & 255), high = uvec4 (q & 255);

  even = low.x | low.z << 8 | high.x << 16 | high.z << 24;
  odd = low.y | low.w << 8 | high.y << 16 | high.w << 24;
  return p.x + p.y + p.z + p.w + q.x + q.y + q.z + q.w;
}
