// SPDX-License-Identifier: BSD-3-Clause
// Products of few rows: the invocations of a group share COLUMNS columns of y; each has taken its
// part of k, and their sums are added here. Any size of subgroups works.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#define COLUMNS 4
#define ROWS 4
#define MAX_SUBGROUPS 64

layout (local_size_x_id = 2) in; // lanes: 32 to 256
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint M = 1;

shared float partial[ROWS * COLUMNS][MAX_SUBGROUPS];

uint first_column ()
{
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * COLUMNS;
}

void share_sums (float sum[ROWS][COLUMNS])
{
  [[unroll]] for (uint m = 0; m < ROWS; m++)
    if (m < M)
      [[unroll]] for (uint c = 0; c < COLUMNS; c++) {
        float v = subgroupAdd (sum[m][c]);

        if (subgroupElect ())
          partial[m * COLUMNS + c][gl_SubgroupID] = v;
      }
  barrier ();
}

// The sum of one row and column; after share_sums().
float column_sum (uint m, uint c)
{
  float v = 0.0;

  for (uint i = 0; i < gl_NumSubgroups; i++)
    v += partial[m * COLUMNS + c][i];
  return v;
}
