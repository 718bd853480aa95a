// SPDX-License-Identifier: BSD-3-Clause
// Sums and maxima over a group of GROUP invocations: of subgroups of any size first, then of these
// through shared memory. All invocations of the group must call them.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared float partial[GROUP];

float group_sum (float v)
{
  float sum = 0.0, part = subgroupAdd (v);

  barrier ();
  if (subgroupElect ())
    partial[gl_SubgroupID] = part;
  barrier ();
  for (uint i = 0; i < gl_NumSubgroups; i++)
    sum += partial[i];
  return sum;
}

float group_max (float v)
{
  float most, part = subgroupMax (v);

  barrier ();
  if (subgroupElect ())
    partial[gl_SubgroupID] = part;
  barrier ();
  most = partial[0];
  for (uint i = 1; i < gl_NumSubgroups; i++)
    most = max (most, partial[i]);
  return most;
}
