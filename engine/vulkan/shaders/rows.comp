#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Several operators on rows of K elements (a multiple of 32) at once; each group does one row.
//   MODE_PLAIN   x = a
//   MODE_SUM     x = a + b, also written
//   MODE_GATE    x = a * sigmoid (a) * b, also written
//   HAS_NORM     x = x / rms (x) * weight, also written
//   HAS_BYTES    x as bytes for matvec-dot.comp and matmul-dot.comp, as quantize-rows.comp makes
//                them, with the scale and zero point of choose-qparams.comp
// Each invocation takes eight elements at a time.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable
#extension GL_EXT_shader_8bit_storage : enable
#define GROUP 256
#define MAX_UNITS 8
#define MODE_SUM 1
#define MODE_GATE 2
#include "group-sum.glsl"
#include "row-bytes.glsl"

layout (local_size_x = GROUP) in;
layout (constant_id = 0) const uint MODE = 0;
layout (constant_id = 1) const uint HAS_NORM = 0;
layout (constant_id = 2) const uint HAS_BYTES = 0;
layout (constant_id = 3) const uint UNITS = 1; // ceil (K / 8 / GROUP)
layout (set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout (set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout (set = 0, binding = 2) writeonly buffer X { vec4 combined[]; };
layout (set = 0, binding = 3) readonly buffer W { vec4 weight[]; };
layout (set = 0, binding = 4) writeonly buffer Y { vec4 normed[]; };
layout (set = 0, binding = 5) writeonly buffer S { float scale[]; };
layout (set = 0, binding = 6) writeonly buffer Z { ZERO zero[]; };
layout (set = 0, binding = 7) writeonly buffer Q { uint words[]; };
layout (set = 0, binding = 8) writeonly buffer T { int sums[]; };
layout (push_constant) uniform P
{
  uint rows, K;
  float norm_epsilon;
  float least, most, epsilon;
};

shared int parts[GROUP];
vec4 x[2 * MAX_UNITS];

void load (uint row)
{
  [[unroll]] for (uint j = 0; j < 2 * MAX_UNITS; j++)
    if (j < 2 * UNITS) {
      uint k = (j / 2 * GROUP + gl_LocalInvocationIndex) * 2 + j % 2, at = row * (K / 4) + k;

      x[j] = vec4 (0.0);
      if (k < K / 4) {
        vec4 u = a[at];

        if (MODE == MODE_SUM)
          u += b[at];
        if (MODE == MODE_GATE)
          u = u * (1.0 / (1.0 + exp (-u))) * b[at];
        if (MODE != 0)
          combined[at] = u;
        x[j] = u;
      }
    }
}

void normalise (uint row)
{
  vec4 factor[2 * MAX_UNITS];
  float sum = 0.0;

  // Read before the sum, which all wait for.
  [[unroll]] for (uint j = 0; j < 2 * MAX_UNITS; j++)
    if (j < 2 * UNITS) {
      factor[j] = weight[min ((j / 2 * GROUP + gl_LocalInvocationIndex) * 2 + j % 2, K / 4 - 1)];
      sum += dot (x[j], x[j]);
    }
  float rstd = 1.0 / sqrt (group_sum (sum) / float (K) + norm_epsilon);

  [[unroll]] for (uint j = 0; j < 2 * MAX_UNITS; j++)
    if (j < 2 * UNITS) {
      uint k = (j / 2 * GROUP + gl_LocalInvocationIndex) * 2 + j % 2;

      if (k < K / 4) {
        x[j] = x[j] * rstd * factor[j];
        normed[row * (K / 4) + k] = x[j];
      }
    }
}

shared vec2 ranges[GROUP];

// The least and the most of all invocations, as group_max() does it for one number.
void group_range (inout float lo, inout float hi)
{
  vec2 part = subgroupMax (vec2 (-lo, hi));

  barrier ();
  if (subgroupElect ())
    ranges[gl_SubgroupID] = part;
  barrier ();
  part = ranges[0];
  for (uint i = 1; i < gl_NumSubgroups; i++)
    part = max (part, ranges[i]);
  lo = -part.x;
  hi = part.y;
}

void make_bytes (uint row)
{
  uint lane = gl_LocalInvocationIndex, chunks = K / 32;
  float lo = 0.0, hi = 0.0;

  [[unroll]] for (uint j = 0; j < 2 * MAX_UNITS; j++)
    if (j < 2 * UNITS) {
      lo = min (lo, min (min (x[j].x, x[j].y), min (x[j].z, x[j].w)));
      hi = max (hi, max (max (x[j].x, x[j].y), max (x[j].z, x[j].w)));
    }
  group_range (lo, hi);
  float s = scale_of_range (lo, hi, least, most, epsilon);
  int z = zero_of_range (lo, s, least, most);

  if (lane == 0) {
    scale[row] = s;
    zero[row] = ZERO (z);
    sums[rows * chunks + row] = z;
  }
  [[unroll]] for (uint u = 0; u < MAX_UNITS; u++)
    if (u < UNITS) {
      uint unit = u * GROUP + lane, chunk = row * chunks + unit / 4, part = unit % 4, even, odd;
      bool is_inside = unit < chunks * 4;

      barrier ();
      parts[lane] = pack (x[2 * u], x[2 * u + 1], 1.0 / s, float (z), even, odd);
      barrier ();
      if (is_inside) {
        words[chunk * 8 + part] = even;
        words[chunk * 8 + 4 + part] = odd;
      }
      if (is_inside && part == 0)
        sums[chunk] =
            8 * (parts[lane] + parts[lane + 1] + parts[lane + 2] + parts[lane + 3] - 32 * z);
    }
}

void main ()
{
  uint row = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;

  if (row >= rows)
    return;
  load (row);
  if (HAS_NORM != 0)
    normalise (row);
  if (HAS_BYTES != 0)
    make_bytes (row);
}
