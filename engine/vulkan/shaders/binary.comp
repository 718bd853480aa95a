#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y = f (a, b) with broadcasting, by the code OP (PT_VK_BINARY_*).
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint OP = 0;
layout (constant_id = 1) const uint RANK = 1;
// 1: argument b is the push constant "scalar".
layout (constant_id = 2) const uint HAS_SCALAR = 0;
layout (set = 0, binding = 0) readonly buffer A { IN a[]; };
layout (set = 0, binding = 1) readonly buffer B { IN b[]; };
layout (set = 0, binding = 2) writeonly buffer Y { OUT y[]; };
layout (push_constant) uniform P
{
  uint n;
  VALUE alpha; // or the scalar
  uint size[8], stride_a[8], stride_b[8]; // the innermost dimension first
};

#ifdef IS_FLOAT
float power (float v, float e)
{
  // pow() of GLSL is undefined for negative bases.
  float p = pow (abs (v), e), whole = floor (e);

  if (e == 0.0)
    return 1.0;
  if (v == 0.0)
    return e > 0.0 ? 0.0 : 1.0 / 0.0;
  if (v > 0.0)
    return p;
  if (whole != e)
    return 0.0 / 0.0;
  return mod (whole, 2.0) != 0.0 ? -p : p;
}
#endif

VALUE arithmetic (VALUE u, VALUE v)
{
  switch (OP) {
  case 0: return u + alpha * v;
  case 1: return u - alpha * v;
  case 2: return u * v;
  case 4: return min (u, v);
  case 5: return max (u, v);
#ifdef IS_FLOAT
  case 3: return u / v;
  case 6: return power (u, v);
  case 7: return floor (u / v);
  case 8: return trunc (u / v);
#else
  // The result of dividing by 0 is not defined, but must not trap.
  case 7:
    {
      int d = v == 0 ? 1 : v, q = u / d;

      return q - int (q * d != u && (u < 0) != (d < 0));
    }
  case 8: return u / (v == 0 ? 1 : v);
  case 15: return u & v;
  case 16: return u | v;
#endif
  default: return VALUE (0);
  }
}

bool relation (VALUE u, VALUE v)
{
  switch (OP) {
  case 9: return u == v;
  case 10: return u < v;
  case 11: return u <= v;
  case 12: return u > v;
  case 13: return u >= v;
  case 14: return u != v;
  case 17: return u != VALUE (0) && v != VALUE (0);
  case 18: return u != VALUE (0) || v != VALUE (0);
  default: return false;
  }
}

void main ()
{
  uint i = item_index (), rest = i, at_a = 0, at_b = 0;

  if (i >= n)
    return;
  for (uint d = 0; d < RANK; d++) {
    uint k = rest % size[d];

    rest /= size[d];
    at_a += k * stride_a[d];
    at_b += k * stride_b[d];
  }
  VALUE u = VALUE (a[at_a]), v = HAS_SCALAR != 0 ? alpha : VALUE (b[at_b]);
#ifdef IS_RELATION
  y[i] = OUT (relation (u, v) ? 1 : 0);
#else
  y[i] = OUT (arithmetic (u, v));
#endif
}
