#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Attention (flash attention): y = softmax (q . k * scale + mask) . v. With IS_CAUSAL row t sees
// the keys up to symbols[symbol] + t, else all. Each group makes ROWS rows of one head, of the keys
// of one split; it takes GROUP keys at a time. The maximum so far is subtracted, so that nothing
// overflows. With several splits it writes, for each row, head and split: the maximum, the sum, and
// the values (attention-merge.comp).
//   VECTOR: rows of q, k begin at multiples of four and have a multiple of four elements
//   SLICES: GROUP / SLICES invocations share the elements of v; each slice takes keys of its own
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#define GROUP 128
#define MAX_WIDTH 512
#define MAX_ROWS 4
#define NOTHING -3.4e38
#include "group-sum.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint ROWS = 1;
layout (constant_id = 1) const uint SLICES = 1;
layout (constant_id = 2) const uint VECTOR = 0;
layout (constant_id = 3) const uint IS_CAUSAL = 1;
layout (constant_id = 4) const uint HAS_MASK = 0;
layout (set = 0, binding = 0) readonly buffer Q { float q[]; };
layout (set = 0, binding = 1) readonly buffer K { float keys[]; };
layout (set = 0, binding = 1) readonly buffer K4 { vec4 keys4[]; };
layout (set = 0, binding = 2) readonly buffer V { float values[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer S { int symbols[]; };
layout (set = 0, binding = 5) readonly buffer B { float mask[]; };
layout (push_constant) uniform P
{
  uint heads, kv_heads, width, value_width;
  int rows;    // of the keys
  uint symbol; // 0xffffffff: start
  int start;
  float scale;
  uint length, splits;
  uint q_row, q_head, k_row, k_head, v_row, v_head, y_row, y_head; // strides
  uint mask_heads, mask_batch, mask_head, mask_row, mask_column;
};

#define LANES (GROUP / SLICES)
#define ELEMENTS (MAX_WIDTH / GROUP)

shared float query[MAX_ROWS][MAX_WIDTH];
shared float weights[MAX_ROWS][GROUP];
shared float slice_sum[GROUP];

float product (uint r, uint at)
{
  float sum = 0.0;

  if (VECTOR != 0)
    for (uint d = 0; d < width; d += 4)
      sum += dot (vec4 (query[r][d], query[r][d + 1], query[r][d + 2], query[r][d + 3]),
                  keys4[(at + d) / 4]);
  else
    for (uint d = 0; d < width; d++)
      sum = fma (query[r][d], keys[at + d], sum);
  return sum;
}

float mask_of (uint h, uint t, uint s)
{
  return mask[h / mask_heads * mask_batch + h % mask_heads * mask_head + t * mask_row
              + s * mask_column];
}

// Elements of one slice become those of the row.
float sum_of_slices (float v)
{
  uint i = gl_LocalInvocationIndex;

  if (SLICES == 1)
    return v;
  barrier ();
  slice_sum[i] = v;
  barrier ();
  v = 0.0;
  for (uint k = i % LANES; k < GROUP; k += LANES)
    v += slice_sum[k];
  return v;
}

void main ()
{
  uint i = gl_LocalInvocationIndex, h = gl_WorkGroupID.x, t0 = gl_WorkGroupID.y * ROWS;
  uint kv = h * kv_heads / heads, lane = i % LANES, slice = i / LANES;
  int first = symbol == 0xffffffffu ? start : symbols[symbol];
  uint last = min (t0 + ROWS, length) - 1;
  uint n = IS_CAUSAL != 0 ? uint (clamp (first + int (last) + 1, 1, rows)) : uint (rows);
  uint per_split = max ((n + splits - 1) / splits, GROUP);
  uint begin = min (gl_WorkGroupID.z * per_split, n), end = min (begin + per_split, n);
  float most[MAX_ROWS], sum[MAX_ROWS], result[MAX_ROWS][ELEMENTS];

  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++) {
    most[r] = NOTHING;
    sum[r] = 0.0;
    [[unroll]] for (uint e = 0; e < ELEMENTS; e++)
      result[r][e] = 0.0;
    if (r < ROWS)
      for (uint d = i; d < width; d += GROUP)
        query[r][d] = q[min (t0 + r, last) * q_row + h * q_head + d] * scale;
  }
  barrier ();
  for (uint s0 = begin; s0 < end; s0 += GROUP) {
    uint s = s0 + i, count = min (GROUP, end - s0);
    float shrink[MAX_ROWS];

    [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
      if (r < ROWS) {
        uint t = min (t0 + r, last);
        bool is_seen = s < end && (IS_CAUSAL == 0 || int (s) <= max (first + int (t), 0));
        float score = NOTHING;

        if (is_seen) {
          score = product (r, s * k_row + kv * k_head);
          if (HAS_MASK != 0)
            score += mask_of (h, t, s);
          score = max (score, NOTHING);
        }
        float next = max (most[r], group_max (score));
        float weight = score > NOTHING ? exp (score - next) : 0.0;

        shrink[r] = exp (most[r] - next);
        weights[r][i] = weight;
        sum[r] = sum[r] * shrink[r] + group_sum (weight);
        most[r] = next;
      }
    barrier ();
    [[unroll]] for (uint e = 0; e < ELEMENTS; e++) {
      uint d = lane + e * LANES;

      if (d < value_width) {
        [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
          if (r < ROWS)
            result[r][e] *= shrink[r];
        for (uint j = slice; j < count; j += SLICES) {
          float v = values[(s0 + j) * v_row + kv * v_head + d];

          [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
            if (r < ROWS)
              result[r][e] = fma (weights[r][j], v, result[r][e]);
        }
      }
    }
    barrier ();
  }
  [[unroll]] for (uint r = 0; r < MAX_ROWS; r++)
    if (r < ROWS) {
      uint t = t0 + r, at = t * y_row + h * y_head;

      if (splits > 1)
        at = ((t * heads + h) * splits + gl_WorkGroupID.z) * (value_width + 2) + 2;
      if (splits > 1 && t < length && i == 0) {
        y[at - 2] = most[r];
        y[at - 1] = sum[r];
      }
      [[unroll]] for (uint e = 0; e < ELEMENTS; e++) {
        uint d = lane + e * LANES;
        float v = sum_of_slices (result[r][e]);

        if (slice == 0 && d < value_width && t < length)
          y[at + d] = splits > 1 ? v : (sum[r] > 0.0 ? v / sum[r] : 0.0);
      }
    }
}
