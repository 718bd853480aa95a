#version 450
// SPDX-License-Identifier: BSD-3-Clause
// attention.comp for many rows: each group makes ROWS rows of one head and takes KEYS keys at a time
// through shared memory; each invocation has four rows. Widths and strides are multiples of four.
#extension GL_EXT_control_flow_attributes : enable
#define GROUP 128
#define ROWS 64
#define KEYS 32
#define LANES 8 // invocations that share four rows
#define DOWN (GROUP / LANES)
#define NOTHING -3.4e38

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint WIDTH = 16;       // of queries and keys, in fours
layout (constant_id = 1) const uint VALUE_WIDTH = 16; // in fours, 32 at most
layout (constant_id = 2) const uint STRIDE = 17;      // 1 + the larger of both
layout (constant_id = 3) const uint IS_CAUSAL = 1;
layout (constant_id = 4) const uint HAS_MASK = 0;
layout (set = 0, binding = 0) readonly buffer Q { vec4 q[]; };
layout (set = 0, binding = 1) readonly buffer K { vec4 keys[]; };
layout (set = 0, binding = 2) readonly buffer V { vec4 values[]; };
layout (set = 0, binding = 3) writeonly buffer Y { vec4 y[]; };
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

#define MAX_PARTS 4 // fours of a row of values for each invocation

shared vec4 query[ROWS * STRIDE];
shared vec4 tile[KEYS * STRIDE]; // keys, then values
shared float scores[ROWS * (KEYS + 1)];
shared float most[ROWS], sum[ROWS], shrink[ROWS];

uint h, t0, lane, down;

float mask_of (uint t, uint s)
{
  return mask[h / mask_heads * mask_batch + h % mask_heads * mask_head + t * mask_row
              + s * mask_column];
}

void add_scores (uint s0, uint n, int first)
{
  float score[4][4];

  [[unroll]] for (uint r = 0; r < 4; r++)
    [[unroll]] for (uint c = 0; c < 4; c++)
      score[r][c] = 0.0;
  for (uint d = 0; d < WIDTH; d++) {
    vec4 u[4], v[4];

    [[unroll]] for (uint j = 0; j < 4; j++) {
      u[j] = query[(down + DOWN * j) * STRIDE + d];
      v[j] = tile[(lane + LANES * j) * STRIDE + d];
    }
    [[unroll]] for (uint r = 0; r < 4; r++)
      [[unroll]] for (uint c = 0; c < 4; c++)
        score[r][c] += dot (u[r], v[c]);
  }
  [[unroll]] for (uint r = 0; r < 4; r++)
    [[unroll]] for (uint c = 0; c < 4; c++) {
      uint row = down + DOWN * r, key = lane + LANES * c, s = s0 + key;
      uint t = min (t0 + row, length - 1);
      bool is_seen = s < n && (IS_CAUSAL == 0 || int (s) <= max (first + int (t), 0));
      float v = score[r][c];

      if (HAS_MASK != 0 && is_seen)
        v += mask_of (t, s);
      scores[row * (KEYS + 1) + key] = is_seen ? max (v, NOTHING) : NOTHING;
    }
}

// Scores of one row become weights.
void weigh (uint row)
{
  float next = most[row], total = 0.0;

  [[unroll]] for (uint j = 0; j < KEYS; j++)
    next = max (next, scores[row * (KEYS + 1) + j]);
  [[unroll]] for (uint j = 0; j < KEYS; j++) {
    float score = scores[row * (KEYS + 1) + j];
    float weight = score > NOTHING ? exp (score - next) : 0.0;

    scores[row * (KEYS + 1) + j] = weight;
    total += weight;
  }
  shrink[row] = exp (most[row] - next);
  sum[row] = sum[row] * shrink[row] + total;
  most[row] = next;
}

void main ()
{
  uint i = gl_LocalInvocationIndex, kv;
  int first = symbol == 0xffffffffu ? start : symbols[symbol];
  vec4 result[4][MAX_PARTS];

  h = gl_WorkGroupID.x;
  t0 = gl_WorkGroupID.y * ROWS;
  lane = i % LANES;
  down = i / LANES;
  kv = h * kv_heads / heads;
  uint last = min (t0 + ROWS, length) - 1;
  uint n = IS_CAUSAL != 0 ? uint (clamp (first + int (last) + 1, 1, rows)) : uint (rows);

  [[unroll]] for (uint r = 0; r < 4; r++)
    [[unroll]] for (uint e = 0; e < MAX_PARTS; e++)
      result[r][e] = vec4 (0.0);
  for (uint k = i; k < ROWS * WIDTH; k += GROUP)
    query[k / WIDTH * STRIDE + k % WIDTH] =
        q[(min (t0 + k / WIDTH, last) * q_row + h * q_head) / 4 + k % WIDTH] * scale;
  if (i < ROWS) {
    most[i] = NOTHING;
    sum[i] = 0.0;
  }
  for (uint s0 = 0; s0 < n; s0 += KEYS) {
    barrier ();
    for (uint k = i; k < KEYS * WIDTH; k += GROUP)
      tile[k / WIDTH * STRIDE + k % WIDTH] =
          keys[(min (s0 + k / WIDTH, n - 1) * k_row + kv * k_head) / 4 + k % WIDTH];
    barrier ();
    add_scores (s0, n, first);
    barrier ();
    if (i < ROWS)
      weigh (i);
    for (uint k = i; k < KEYS * VALUE_WIDTH; k += GROUP)
      tile[k / VALUE_WIDTH * STRIDE + k % VALUE_WIDTH] =
          values[(min (s0 + k / VALUE_WIDTH, n - 1) * v_row + kv * v_head) / 4 + k % VALUE_WIDTH];
    barrier ();
    [[unroll]] for (uint r = 0; r < 4; r++)
      [[unroll]] for (uint e = 0; e < MAX_PARTS; e++)
        result[r][e] *= shrink[down + DOWN * r];
    for (uint j = 0; j < KEYS; j++) {
      float weight[4];

      [[unroll]] for (uint r = 0; r < 4; r++)
        weight[r] = scores[(down + DOWN * r) * (KEYS + 1) + j];
      [[unroll]] for (uint e = 0; e < MAX_PARTS; e++)
        if (LANES * e < VALUE_WIDTH) {
          vec4 v = tile[j * STRIDE + min (lane + LANES * e, VALUE_WIDTH - 1)];

          [[unroll]] for (uint r = 0; r < 4; r++)
            result[r][e] = fma (vec4 (weight[r]), v, result[r][e]);
        }
    }
  }
  [[unroll]] for (uint r = 0; r < 4; r++)
    [[unroll]] for (uint e = 0; e < MAX_PARTS; e++) {
      uint row = down + DOWN * r, t = t0 + row, d = lane + LANES * e;

      if (d < VALUE_WIDTH && t < length)
        y[(t * y_row + h * y_head) / 4 + d] =
            sum[row] > 0.0 ? result[r][e] / sum[row] : vec4 (0.0);
    }
}
