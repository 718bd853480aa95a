#version 450
// SPDX-License-Identifier: BSD-3-Clause
// y [N] of one row and weights of 4 bits with a scale for each group, as matvec-dot.comp makes it.
// Each group first makes the bytes of the whole row itself: that costs less than a dispatch which
// does it once, and which all groups would wait for. MODE and HAS_NORM as in rows.comp.
//   WRITES  the first group writes the row before its norm
// The invocations share the bytes; LANES of them take every LANES-th chunk of 32 elements of
// COLUMNS columns, and the group makes that M times.
//   THEN      what becomes of y: nothing; a gate, two products of the row, which are made in turn:
//             y = first * sigmoid (first) * second; or
//             a rotary embedding of its heads, as rotary.comp makes it: of neighbours, or of the
//             halves of the first "width" elements, where COLUMNS are two pairs
//   TO_CACHE  y is a cache of y_rows rows of N elements, of which it becomes row symbols[y_symbol]
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define GROUP 256
#define COLUMNS 4
#define MAX_TIMES 2
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
layout (constant_id = 6) const uint VECTORS = 1; // ceil (K / 4 / GROUP)
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

// Of columns that become one of y; and columns of a group.
#define TIMES (THEN == THEN_GATE ? M / 2 : M)
#define PER_GROUP (GROUP / LANES * COLUMNS * TIMES)

shared float squares[MAX_SUBGROUPS];
shared vec2 ranges[MAX_SUBGROUPS];
shared uvec4 row[VECTORS * GROUP / 4]; // a word: elements 0 and 2, then 1 and 3, of four
shared vec4 sums[MAX_TIMES][GROUP];
vec4 x[MAX_VECTORS];
uvec4 weight[MAX_TIMES][COLUMNS];
float weight_scale[MAX_TIMES][COLUMNS];

// Column c of those that a slice of the group makes for the m-th time.
uint column_of (uint slice, uint m, uint c)
{
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  uint n = group * PER_GROUP + (slice * TIMES + (THEN == THEN_GATE ? m / 2 : m)) * COLUMNS;
  uint i = n % max (head, 1);

  if (THEN == THEN_HALVES && i < width)
    return n - i + i / 2 + c % 2 + c / 2 * (width / 2);
  return n + c;
}

void load_weights (uint chunk)
{
  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        uint n = min (column_of (gl_LocalInvocationIndex / LANES, m, c), N - 1);

        if (THEN == THEN_GATE && m == 1) {
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
  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS) {
      uint at = j * GROUP + gl_LocalInvocationIndex;

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
      f[j] = factor[min (j * GROUP + gl_LocalInvocationIndex, chunks * 8 - 1)];
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

void write_bytes (float s, float z)
{
  [[unroll]] for (uint j = 0; j < MAX_VECTORS; j++)
    if (j < VECTORS) {
      uint at = j * GROUP + gl_LocalInvocationIndex;
      uvec4 u = uvec4 (quantized (x[j], s, z) & 255);

      row[at / 4][at % 4] = u.x | u.z << 8 | u.y << 16 | u.w << 24;
    }
}

// ---- The product ----

// Four words of bytes of a row: the even elements of each 8, or the odd ones.
ivec4 even_of (uvec4 u, uvec4 v)
{
  return ivec4 (uvec4 (u.xz, v.xz) & 0xffffu | uvec4 (u.yw, v.yw) << 16);
}

ivec4 odd_of (uvec4 u, uvec4 v)
{
  return ivec4 (uvec4 (u.xz, v.xz) >> 16 | uvec4 (u.yw, v.yw) & 0xffff0000u);
}

int sum_of_bytes (ivec4 v)
{
  return dot4 (v.x, 0x01010101) + dot4 (v.y, 0x01010101) + dot4 (v.z, 0x01010101)
         + dot4 (v.w, 0x01010101);
}

void add_chunk (uint chunk, int z, inout vec4 sum[MAX_TIMES])
{
  uvec4 u = row[2 * chunk], v = row[2 * chunk + 1];
  ivec4 even = even_of (u, v), odd = odd_of (u, v);
  int bytes = 8 * (sum_of_bytes (even) + sum_of_bytes (odd) - 32 * z);

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        ivec4 low = ivec4 (weight[m][c] & 0x0f0f0f0fu);
        ivec4 high = ivec4 ((weight[m][c] >> 4) & 0x0f0f0f0fu);
        int product = -z * sum_of_bytes (low + high) - bytes;

        [[unroll]] for (uint i = 0; i < 4; i++)
          product += dot4 (even[i], low[i]) + dot4 (odd[i], high[i]);
        sum[m][c] = fma (float (product), weight_scale[m][c], sum[m][c]);
      }
}

// Adds those of the lanes of a slice; the first of them has the sums.
void share_sums (vec4 sum[MAX_TIMES])
{
  uint i = gl_LocalInvocationIndex;

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    if (m < M)
      sums[m][i] = sum[m];
  for (uint half_of = LANES / 2; half_of > 0; half_of /= 2) {
    barrier ();
    if (i % LANES < half_of)
      [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
        if (m < M)
          sums[m][i] += sums[m][i + half_of];
  }
  barrier ();
}

float value_of (uint slice, uint m, uint c, float s)
{
  float v = s * sums[m][slice * LANES][c];

  return HAS_BIAS != 0 ? v + bias[min (column_of (slice, m, c), N - 1)] : v;
}

int position (uint of, int otherwise) { return of == 0xffffffffu ? otherwise : symbols[of]; }

float turn (uint slice, uint m, uint c, float s, float v)
{
  uint i = column_of (slice, m, c) % head, at = i / 2;
  bool is_second = c % 2 != 0;
  float other;

  if (THEN == THEN_HALVES) {
    if (i >= width)
      return v;
    at = uint (clamp (position (symbol, start), 0, table_rows - 1)) * width + i;
    is_second = c >= 2;
  }
  other = value_of (slice, m, c ^ (THEN == THEN_HALVES ? 2 : 1), s) * sine[at];
  return is_second ? v * cosine[at] + other : v * cosine[at] - other;
}

void write (uint slice, uint m, uint c, float s)
{
  uint at = 0, n = column_of (slice, m, c);
  float v;

  if (n >= N)
    return;
  if (TO_CACHE != 0) {
    int to = position (y_symbol, y_start);

    if (to < 0 || to >= y_rows)
      return;
    at = uint (to) * N;
  }
  v = value_of (slice, m, c, s);
  if (THEN == THEN_GATE)
    v = v * (1.0 / (1.0 + exp (-v))) * value_of (slice, 1, c, s);
  else if (THEN != 0)
    v = turn (slice, m, c, s, v);
  y[at + n] = v;
}

void main ()
{
  uint i = gl_LocalInvocationIndex, lane = i % LANES;
  vec4 sum[MAX_TIMES];

  [[unroll]] for (uint m = 0; m < MAX_TIMES; m++)
    sum[m] = vec4 (0.0);
  // On their way while the row is made.
  load_weights (min (lane, chunks - 1));
  load_row ();
  if (HAS_NORM != 0)
    normalise ();
  vec2 range = range_of_row ();
  float s = scale_of_range (range.x, range.y, least, most, epsilon);
  int z = zero_of_range (range.x, s, least, most);

  write_bytes (1.0 / s, float (z));
  barrier ();
  for (uint chunk = lane; chunk < chunks; chunk += LANES) {
    if (chunk != lane)
      load_weights (chunk);
    add_chunk (chunk, z, sum);
  }
  share_sums (sum);
  if (i < PER_GROUP)
    write (i / (COLUMNS * TIMES), i / COLUMNS % TIMES, i % COLUMNS, s);
}
