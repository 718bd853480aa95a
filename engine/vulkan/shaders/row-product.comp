#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [N] of one row and weights of 4 bits with a scale for each group, as matvec-dot.comp makes it.
// Each group first makes the bytes of the whole row itself: that costs less than a dispatch which
// does it once, and which all groups would wait for. MODE and HAS_NORM as in rows.comp.
//   WRITES  the first group writes the row before its norm
// The invocations share the bytes; LANES of them take every LANES-th chunk of 32 elements of
// COLUMNS columns. The group makes every so many of such blocks of columns, and loads weights before
// it multiplies those before them.
//   M         2 for a gate, else 1
//   THEN      what becomes of y: nothing; a gate, two products of the row:
//             y = first * sigmoid (first) * second; or
//             a rotary embedding of its heads, as rotary.comp makes it: of neighbours, or of the
//             halves of the first "width" elements, where COLUMNS are two pairs
//   TO_CACHE  y is a cache of y_rows rows of N elements, of which it becomes row symbols[y_symbol]
// Products have the zero point z in the bytes of the row, where these are still bytes with it: most
// are. A word of them is 8 elements, as a word of the weights.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#ifdef IS_WIDE // rows of more than 8192 elements, no gate
#define GROUP 512
#define MAX_TIMES 1
#else
#define GROUP 256
#define MAX_TIMES 2
#endif
#define COLUMNS 4
#define MAX_VECTORS 16
#define MAX_SUBGROUPS 64
#define MODE_SUM 1
#define MODE_GATE 2
#define THEN_NEIGHBOURS 1
#define THEN_HALVES 2
#define THEN_GATE 3
#include "dot.glsl"
#include "row-bytes.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint M = 1;
layout (constant_id = 2) const uint LANES = 64;
layout (constant_id = 3) const uint MODE = 0;
layout (constant_id = 4) const uint HAS_NORM = 0;
layout (constant_id = 5) const uint WRITES = 0;
layout (constant_id = 6) const uint VECTORS = 2; // twice ceil (K / 8 / GROUP)
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

#define SLICES (GROUP / LANES)
#define PER_BLOCK (SLICES * COLUMNS)
#define WORDS (VECTORS * GROUP / 2)
// Lanes whose sums one invocation adds, and what is left of a slice.
#define FOLD (LANES >= 256 ? 16 : 8)
#define PARTS (LANES / FOLD)

shared float squares[MAX_SUBGROUPS];
shared vec2 ranges[MAX_SUBGROUPS];
shared uvec4 evens[WORDS / 4], odds[WORDS / 4]; // bytes of the row
shared ivec4 notes[WORDS / 4]; // of words: 8 times the sum of the even bytes; and 1: without z
shared vec4 sums[MAX_TIMES][GROUP];
shared vec4 parts[MAX_TIMES][GROUP / 8];
vec4 x[MAX_VECTORS];
uvec4 weight[MAX_TIMES][COLUMNS], next_weight[MAX_TIMES][COLUMNS];
float weight_scale[MAX_TIMES][COLUMNS], next_scale[MAX_TIMES][COLUMNS];

// Column c of those that a slice of the group makes.
uint column_of (uint block, uint slice, uint c)
{
  uint n = block * PER_BLOCK + slice * COLUMNS, i = n % max (head, 1);

  if (THEN == THEN_HALVES && i < width)
    return n - i + i / 2 + c % 2 + c / 2 * (width / 2);
  return n + c;
}

void load_weights (uint block, uint chunk)
{
  [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
    uint n = min (column_of (block, gl_LocalInvocationIndex / LANES, c), N - 1);

    next_weight[0][c] = b[n * stride + chunk];
    next_scale[0][c] = scales[n * n_groups + chunk / group_chunks];
#if MAX_TIMES > 1
    if (M > 1) {
      next_weight[1][c] = b2[n * stride + chunk];
      next_scale[1][c] = scales2[n * n_groups + chunk / group_chunks];
    }
#endif
  }
}

// ---- The row ----

// Two vectors of an invocation are neighbours.
uint vector_of (uint j) { return (j / 2 * GROUP + gl_LocalInvocationIndex) * 2 + j % 2; }

void load_row ()
{
  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS) {
      uint at = vector_of (j);

      x[j] = vec4 (0.0);
      if (at < chunks * 8) {
        vec4 u = a[at];

        if (MODE == MODE_SUM)
          u += a2[at];
        if (MODE == MODE_GATE)
          u = u * (1.0 / (1.0 + exp (-u))) * a2[at];
        if (WRITES != 0 && gl_WorkGroupID.x + gl_WorkGroupID.y == 0)
          combined[at] = u;
        x[j] = u;
      }
    }
}

void normalise ()
{
  vec4 f[MAX_VECTORS];
  float sum = 0.0, all = 0.0;

  // Read before the sum, which all wait for.
  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS) {
      f[j] = factor[min (vector_of (j), chunks * 8 - 1)];
      sum += dot (x[j], x[j]);
    }
  sum = subgroupAdd (sum);
  if (subgroupElect ())
    squares[gl_SubgroupID] = sum;
  barrier ();
  for (uint i = 0; i < gl_NumSubgroups; i++)
    all += squares[i];
  float rstd = 1.0 / sqrt (all / float (chunks * 32) + norm_epsilon);

  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS)
      x[j] = x[j] * rstd * f[j];
}

// The least and the most of the row, and 0.
vec2 range_of_row ()
{
  float lo = 0.0, hi = 0.0;

  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS) {
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

void write_bytes (float s, int z)
{
  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j += 2)
    if (j < VECTORS) {
      uint at = vector_of (j) / 2;
      ivec4 u = quantized (x[j], s, float (z)), v = quantized (x[j + 1], s, float (z));
      ivec4 least_of = min (u, v), most_of = max (u, v);
      int lo = min (min (least_of.x, least_of.y), min (least_of.z, least_of.w));
      int hi = max (max (most_of.x, most_of.y), max (most_of.z, most_of.w));
      int without = lo - z < -128 || hi - z > 127 ? 1 : 0;

      if (without == 0) {
        u -= z;
        v -= z;
      }
      notes[at / 4][at % 4] = 8 * (u.x + u.z + v.x + v.z) + without;
      u &= 255;
      v &= 255;
      evens[at / 4][at % 4] = u.x | u.z << 8 | v.x << 16 | v.z << 24;
      odds[at / 4][at % 4] = u.y | u.w << 8 | v.y << 16 | v.w << 24;
    }
}

// ---- The product ----

// Of eight weights.
int sum_of (int low, int high)
{
  return dot4 (low, 0x01010101) + (dot4 (high, 0x01010101) >> 4) - 32;
}

void add_chunk (uint chunk, int z, inout vec4 sum[MAX_TIMES])
{
  ivec4 even = ivec4 (evens[chunk]), odd = ivec4 (odds[chunk]), note = notes[chunk];
  int all = note.x + note.y + note.z + note.w;

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        // Even weights, which are 8 too much; and 16 times the odd ones.
        ivec4 low = ivec4 (weight[m][c] & 0x0f0f0f0fu);
        ivec4 high = ivec4 ((weight[m][c] ^ 0x80808080u) & 0xf0f0f0f0u);
        int product = -(all & ~7), of_odd = 0;

        [[unroll]] for (uint i = 0; i < 4; i++) {
          product += dot4 (even[i], low[i]);
          of_odd += dot4 (odd[i], high[i]);
        }
        product += of_odd >> 4;
        if ((all & 7) != 0)
          [[unroll]] for (uint i = 0; i < 4; i++)
            product -= (note[i] & 1) * z * sum_of (low[i], high[i]);
        sum[m][c] = fma (float (product), weight_scale[m][c], sum[m][c]);
      }
}

// Adds those of the lanes of a slice, but for PARTS of them.
void share_sums (vec4 sum[MAX_TIMES])
{
  uint i = gl_LocalInvocationIndex, per_time = GROUP / FOLD, at;
  vec4 v = vec4 (0.0);

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    if (m < M)
      sums[m][i] = sum[m];
  barrier ();
  if (i < per_time * M) {
    at = i % per_time / PARTS * LANES + i % PARTS;
    [[unroll]] for (uint k = 0; k < FOLD; k++)
      v += sums[i / per_time][at + k * PARTS];
    parts[i / per_time][i % per_time] = v;
  }
  barrier ();
}

float value_of (uint block, uint slice, uint m, uint c, float s)
{
  float v = 0.0;

  [[unroll]] for (uint k = 0; k < PARTS; k++)
    v += parts[m][slice * PARTS + k][c];
  v *= s;
  return HAS_BIAS != 0 ? v + bias[min (column_of (block, slice, c), N - 1)] : v;
}

int position (uint of, int otherwise) { return of == 0xffffffffu ? otherwise : symbols[of]; }

float turn (uint block, uint slice, uint c, float s, float v)
{
  uint i = column_of (block, slice, c) % head, at = i / 2;
  bool is_second = c % 2 != 0;
  float other;

  if (THEN == THEN_HALVES) {
    if (i >= width)
      return v;
    at = uint (clamp (position (symbol, start), 0, table_rows - 1)) * width + i;
    is_second = c >= 2;
  }
  other = value_of (block, slice, 0, c ^ (THEN == THEN_HALVES ? 2 : 1), s) * sine[at];
  return is_second ? v * cosine[at] + other : v * cosine[at] - other;
}

void write (uint block, uint slice, uint c, float s)
{
  uint at = 0, n = column_of (block, slice, c);
  float v;

  if (n >= N)
    return;
  if (TO_CACHE != 0) {
    int to = position (y_symbol, y_start);

    if (to < 0 || to >= y_rows)
      return;
    at = uint (to) * N;
  }
  v = value_of (block, slice, 0, c, s);
  if (THEN == THEN_GATE)
    v = v * (1.0 / (1.0 + exp (-v))) * value_of (block, slice, MAX_TIMES - 1, c, s);
  else if (THEN != 0)
    v = turn (block, slice, c, s, v);
  y[at + n] = v;
}

void main ()
{
  uint i = gl_LocalInvocationIndex, lane = i % LANES;
  uint groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  uint block = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, begin = 0;
  uint blocks = (N + PER_BLOCK - 1) / PER_BLOCK;
  vec4 sum[MAX_TIMES];

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    sum[m] = vec4 (0.0);
  // On their way while the row is made.
  load_weights (block, min (lane, chunks - 1));
  load_row ();
  if (HAS_NORM != 0)
    normalise ();
  vec2 range = range_of_row ();
  float s = scale_of_range (range.x, range.y, least, most, epsilon);
  int z = zero_of_range (range.x, s, least, most);

  write_bytes (1.0 / s, z);
  barrier ();
  while (block < blocks) {
    uint chunk = begin + lane;
    bool is_last = begin + LANES >= chunks;
    uint next = is_last ? block + groups : block;

    weight = next_weight;
    weight_scale = next_scale;
    begin = is_last ? 0 : begin + LANES;
    if (next < blocks)
      load_weights (next, min (begin + lane, chunks - 1));
    if (chunk < chunks)
      add_chunk (chunk, z, sum);
    if (is_last) {
      share_sums (sum);
      if (i < PER_BLOCK)
        write (block, i / COLUMNS, i % COLUMNS, s);
      [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
        sum[m] = vec4 (0.0);
    }
    block = next;
  }
}
