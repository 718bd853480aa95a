#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [N] of one row and weights of 4 bits with a scale for each group, as matvec-dot.comp makes it.
// Each group first makes the bytes of the whole row itself: that costs less than a dispatch which
// does it once, and which all groups would wait for. MODE and HAS_NORM as in rows.comp.
//   WRITES  the first group writes the row before its norm
// Each invocation makes the bytes of those chunks of 32 elements that it multiplies.
//   THEN      what becomes of y: nothing; a gate, two products of the row, which are made in turn:
//             y = first * sigmoid (first) * second; or
//             a rotary embedding of its heads, as rotary.comp makes it: of neighbours, or of the
//             halves of the first "width" elements, where COLUMNS are two pairs
//   TO_CACHE  y is a cache of y_rows rows of N elements, of which it becomes row symbols[y_symbol]
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#define MAX_UNITS 2
#define MODE_SUM 1
#define MODE_GATE 2
#define THEN_NEIGHBOURS 1
#define THEN_HALVES 2
#define THEN_GATE 3
#include "dot.glsl"
#include "column-sums.glsl" // M: how often a group makes COLUMNS columns
#include "row-bytes.glsl"

layout (constant_id = 3) const uint MODE = 0;
layout (constant_id = 4) const uint HAS_NORM = 0;
layout (constant_id = 5) const uint WRITES = 0;
layout (constant_id = 6) const uint UNITS = 1; // chunks of an invocation
layout (constant_id = 7) const uint THEN = 0;
layout (constant_id = 8) const uint TO_CACHE = 0;
layout (set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout (set = 0, binding = 1) readonly buffer A2 { vec4 a2[]; };
layout (set = 0, binding = 2) writeonly buffer X { vec4 combined[]; };
layout (set = 0, binding = 3) readonly buffer F { vec4 factor[]; }; // of the norm
layout (set = 0, binding = 4) readonly buffer B { uvec4 b[]; };
layout (set = 0, binding = 5) readonly buffer C { float bias[]; };
layout (set = 0, binding = 6) readonly buffer S { float scales[]; };
layout (set = 0, binding = 7) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 8) readonly buffer G { float cosine[]; };
layout (set = 0, binding = 8) readonly buffer B2 { uvec4 b2[]; }; // of the second product
layout (set = 0, binding = 9) readonly buffer H { float sine[]; };
layout (set = 0, binding = 9) readonly buffer S2 { float scales2[]; };
layout (set = 0, binding = 10) readonly buffer I { int symbols[]; };
layout (push_constant) uniform P
{
  uint N, chunks;
  uint stride; // chunks of a row of b
  uint group_chunks, n_groups;
  float norm_epsilon;
  float least, most, epsilon;
  uint head, width;
  uint symbol; // of the row of the tables; 0xffffffff: start
  int table_rows, start;
  uint y_symbol;
  int y_rows, y_start;
};

#define VECTORS 8 // of a chunk

shared float squares[MAX_SUBGROUPS];
shared vec2 ranges[MAX_SUBGROUPS];
vec4 x[MAX_UNITS * VECTORS];
uvec4 weight[ROWS][COLUMNS];
float weight_scale[ROWS][COLUMNS];

#define TIMES (THEN == THEN_GATE ? M / 2 : M)

uint first_of_group ()
{
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * COLUMNS * TIMES;
}

uint chunk_of (uint unit) { return unit * gl_WorkGroupSize.x + gl_LocalInvocationIndex; }

// Column c of those that the group makes for the m-th time.
uint column_of (uint m, uint c)
{
  uint n = first_of_group () + (THEN == THEN_GATE ? m / 2 : m) * COLUMNS, i = n % max (head, 1);

  if (THEN == THEN_HALVES && i < width)
    return n - i + i / 2 + c % 2 + c / 2 * (width / 2);
  return n + c;
}

void load_weights (uint chunk)
{
  [[unroll]] for (uint m = 0; m < ROWS; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        uint n = min (column_of (m, c), N - 1);

        if (THEN == THEN_GATE && m % 2 != 0) {
          weight[m][c] = b2[n * stride + chunk];
          weight_scale[m][c] = scales2[n * n_groups + chunk / group_chunks];
        } else {
          weight[m][c] = b[n * stride + chunk];
          weight_scale[m][c] = scales[n * n_groups + chunk / group_chunks];
        }
      }
}

// ---- The row ----

void load_row ()
{
  [[unroll]] for (uint j = 0; j < MAX_UNITS * VECTORS; j++)
    if (j < UNITS * VECTORS) {
      uint chunk = chunk_of (j / VECTORS), at = chunk * VECTORS + j % VECTORS;

      x[j] = vec4 (0.0);
      if (chunk < chunks) {
        vec4 u = a[at];

        if (MODE == MODE_SUM)
          u += a2[at];
        if (MODE == MODE_GATE)
          u = u * (1.0 / (1.0 + exp (-u))) * a2[at];
        if (WRITES != 0 && first_of_group () == 0)
          combined[at] = u;
        x[j] = u;
      }
    }
}

void normalise ()
{
  vec4 f[MAX_UNITS * VECTORS];
  float sum = 0.0, all = 0.0;

  // Read before the sum, which all wait for.
  [[unroll]] for (uint j = 0; j < MAX_UNITS * VECTORS; j++)
    if (j < UNITS * VECTORS) {
      f[j] = factor[min (chunk_of (j / VECTORS), chunks - 1) * VECTORS + j % VECTORS];
      sum += dot (x[j], x[j]);
    }
  sum = subgroupAdd (sum);
  if (subgroupElect ())
    squares[gl_SubgroupID] = sum;
  barrier ();
  for (uint i = 0; i < gl_NumSubgroups; i++)
    all += squares[i];
  float rstd = 1.0 / sqrt (all / float (chunks * 32) + norm_epsilon);

  [[unroll]] for (uint j = 0; j < MAX_UNITS * VECTORS; j++)
    if (j < UNITS * VECTORS)
      x[j] = x[j] * rstd * f[j];
}

// The least and the most of the row, and 0.
vec2 range_of_row ()
{
  float lo = 0.0, hi = 0.0;

  [[unroll]] for (uint j = 0; j < MAX_UNITS * VECTORS; j++)
    if (j < UNITS * VECTORS) {
      lo = min (lo, min (min (x[j].x, x[j].y), min (x[j].z, x[j].w)));
      hi = max (hi, max (max (x[j].x, x[j].y), max (x[j].z, x[j].w)));
    }
  vec2 part = subgroupMax (vec2 (-lo, hi));

  if (subgroupElect ())
    ranges[gl_SubgroupID] = part;
  barrier ();
  part = ranges[0];
  for (uint i = 1; i < gl_NumSubgroups; i++)
    part = max (part, ranges[i]);
  return vec2 (-part.x, part.y);
}

// ---- The product ----

void add_chunk (uint unit, float s, int z, inout float sum[ROWS][COLUMNS])
{
  uvec4 even, odd;
  int bytes = 0;

  [[unroll]] for (uint i = 0; i < 4; i++) {
    uint low, high;

    bytes += pack (x[unit * VECTORS + 2 * i], x[unit * VECTORS + 2 * i + 1], 1.0 / s, float (z), low,
                   high);
    even[i] = low;
    odd[i] = high;
  }
  bytes = 8 * (bytes - 32 * z);
  [[unroll]] for (uint m = 0; m < ROWS; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        ivec4 low = ivec4 (weight[m][c] & 0x0f0f0f0fu);
        ivec4 high = ivec4 ((weight[m][c] >> 4) & 0x0f0f0f0fu);
        int total = 0, product;

        [[unroll]] for (uint i = 0; i < 4; i++)
          total += dot4 (low[i] + high[i], 0x01010101);
        product = -z * total - bytes;
        [[unroll]] for (uint i = 0; i < 4; i++)
          product += dot4 (int (even[i]), low[i]) + dot4 (int (odd[i]), high[i]);
        sum[m][c] = fma (float (product), weight_scale[m][c], sum[m][c]);
      }
}

float value_of (uint m, uint c, float s)
{
  float v = s * column_sum (m, c);

  return HAS_BIAS != 0 ? v + bias[min (column_of (m, c), N - 1)] : v;
}

int position (uint of, int otherwise) { return of == 0xffffffffu ? otherwise : symbols[of]; }

float turn (uint m, uint c, float s, float v)
{
  uint i = column_of (m, c) % head, at = i / 2;
  bool is_second = c % 2 != 0;
  float other;

  if (THEN == THEN_HALVES) {
    if (i >= width)
      return v;
    at = uint (clamp (position (symbol, start), 0, table_rows - 1)) * width + i;
    is_second = c >= 2;
  }
  other = value_of (m, c ^ (THEN == THEN_HALVES ? 2 : 1), s) * sine[at];
  return is_second ? v * cosine[at] + other : v * cosine[at] - other;
}

// Column c that the group makes for the m-th time.
void write (uint m, uint c, float s)
{
  uint at = 0, first = THEN == THEN_GATE ? 2 * m : m, n = column_of (first, c);
  float v;

  if (n >= N)
    return;
  if (TO_CACHE != 0) {
    int row = position (y_symbol, y_start);

    if (row < 0 || row >= y_rows)
      return;
    at = uint (row) * N;
  }
  v = value_of (first, c, s);
  if (THEN == THEN_GATE)
    v = v * (1.0 / (1.0 + exp (-v))) * value_of (first + 1, c, s);
  else if (THEN != 0)
    v = turn (m, c, s, v);
  y[at + n] = v;
}

void main ()
{
  uint lane = gl_LocalInvocationIndex;
  float sum[ROWS][COLUMNS];

  [[unroll]] for (uint m = 0; m < ROWS; m++)
    [[unroll]] for (uint c = 0; c < COLUMNS; c++)
      sum[m][c] = 0.0;
  // On their way while the row is made.
  load_weights (min (lane, chunks - 1));
  load_row ();
  if (HAS_NORM != 0)
    normalise ();
  vec2 range = range_of_row ();
  float s = scale_of_range (range.x, range.y, least, most, epsilon);
  int z = zero_of_range (range.x, s, least, most);

  [[unroll]] for (uint u = 0; u < MAX_UNITS; u++)
    if (u < UNITS && chunk_of (u) < chunks) {
      if (u > 0)
        load_weights (chunk_of (u));
      add_chunk (u, s, z, sum);
    }
  share_sums (sum);
  if (lane < TIMES * COLUMNS)
    write (lane / COLUMNS, lane % COLUMNS, s);
}
