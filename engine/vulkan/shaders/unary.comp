#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y = f (x), by the code OP (PT_VK_UNARY_*).
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint OP = 0;
layout (set = 0, binding = 0) readonly buffer X { TYPE x[]; };
layout (set = 0, binding = 1) writeonly buffer Y { TYPE y[]; };
layout (push_constant) uniform P
{
  uint n;
  TYPE a, b; // parameters: slope, bounds
};

#ifdef IS_FLOAT
// erf (x) to 1.2e-7, by Numerical Recipes' Chebyshev fit of erfc.
float erf (float v)
{
  float z = abs (v), t = 1.0 / (1.0 + 0.5 * z);
  float p = t * exp (-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418
            + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587
            + t * (-0.82215223 + t * 0.17087277)))))))));
  return v >= 0 ? 1.0 - p : p - 1.0;
}

float stable_tanh (float v)
{
  // Some drivers return NaN for large arguments.
  return tanh (clamp (v, -15.0, 15.0));
}

float apply (float v)
{
  switch (OP) {
  case 0: return abs (v);
  case 1: return cos (v);
  case 2: return exp (v);
  case 3: return -v;
  case 4: return sin (v);
  case 5: return sqrt (v);
  case 6: return 1.0 / sqrt (v);
  case 7: return stable_tanh (v);
  case 8: return 1.0 / (1.0 + exp (-v));
  case 9: return max (v, 0.0);
  case 10: return roundEven (v);
  case 11: return tan (v);
  case 12: return log (v) * 0.43429448190325176;
  case 14: return v * clamp (v + 3.0, 0.0, 6.0) / 6.0;
  case 15: return clamp (v / 6.0 + 0.5, 0.0, 1.0);
  case 16: return clamp (v, 0.0, 6.0);
  case 17: return abs (v) <= a ? 0.0 : v;
  case 18: return v > 0.0 ? v : v * a;
  case 19: return 0.5 * v * (1.0 + erf (v * 0.70710678118654752));
  case 20: return 0.5 * v * (1.0 + stable_tanh (0.79788456080286536 * (v + 0.044715 * v * v * v)));
  default: return min (max (v, a), b);
  }
}
#else
int apply (int v)
{
  switch (OP) {
  case 0: return abs (v);
  case 3: return -v;
  case 9: return max (v, 0);
  case 13: return ~v;
  default: return min (max (v, a), b);
  }
}
#endif

void main ()
{
  uint i = item_index ();

  if (i < n)
    y[i] = apply (x[i]);
}
