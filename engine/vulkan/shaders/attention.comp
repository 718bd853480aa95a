#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Causal attention of q [1, T, heads, D] over caches [1, rows, kv_heads, D] (flash attention): row t
// sees the cache up to symbols[symbol] + t. Each group makes one row of one head. It takes GROUP
// keys at a time; the maximum so far is subtracted, so that nothing overflows.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#define GROUP 128
#define MAX_WIDTH 512
#include "group-sum.glsl"

layout (local_size_x = GROUP) in;
layout (set = 0, binding = 0) readonly buffer Q { float q[]; };
layout (set = 0, binding = 1) readonly buffer K { float keys[]; };
layout (set = 0, binding = 2) readonly buffer V { float values[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer S { int symbols[]; };
layout (push_constant) uniform P
{
  uint heads, kv_heads, width, value_width;
  int rows;
  uint symbol;
  int start;
  float scale;
};

shared float query[MAX_WIDTH];
shared float weights[GROUP];

void main ()
{
  uint i = gl_LocalInvocationIndex, h = gl_WorkGroupID.x, t = gl_WorkGroupID.y;
  uint kv = h * kv_heads / heads;
  int first = symbol == 0xffffffffu ? start : symbols[symbol];
  uint n = uint (clamp (first + int (t) + 1, 1, rows));
  float most = -3.4e38, sum = 0.0;
  float result[MAX_WIDTH / GROUP];

  for (uint d = i; d < width; d += GROUP)
    query[d] = q[(t * heads + h) * width + d] * scale;
  [[unroll]] for (uint k = 0; k < MAX_WIDTH / GROUP; k++)
    result[k] = 0.0;
  barrier ();
  for (uint s0 = 0; s0 < n; s0 += GROUP) {
    float score = -3.4e38;
    uint s = s0 + i, count = min (GROUP, n - s0);

    if (s < n) {
      score = 0.0;
      for (uint d = 0; d < width; d++)
        score = fma (query[d], keys[(s * kv_heads + kv) * width + d], score);
    }
    float next = max (most, group_max (score)), shrink = exp (most - next);
    float weight = s < n ? exp (score - next) : 0.0;

    weights[i] = weight;
    sum = sum * shrink + group_sum (weight);
    most = next;
    [[unroll]] for (uint k = 0; k < MAX_WIDTH / GROUP; k++) {
      uint d = i + k * GROUP;

      if (d < value_width) {
        float v = result[k] * shrink;

        for (uint j = 0; j < count; j++)
          v = fma (weights[j], values[((s0 + j) * kv_heads + kv) * value_width + d], v);
        result[k] = v;
      }
    }
    barrier ();
  }
  [[unroll]] for (uint k = 0; k < MAX_WIDTH / GROUP; k++) {
    uint d = i + k * GROUP;

    if (d < value_width)
      y[(t * heads + h) * value_width + d] = result[k] / sum;
  }
}
