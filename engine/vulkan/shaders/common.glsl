// SPDX-License-Identifier: BSD-3-Clause
// What all shaders use.
#extension GL_EXT_control_flow_attributes : enable

// Elementwise shaders: one item for each invocation, groups in x and y (pt_vk_groups()).
#define ITEM_GROUP 256
uint item_index ()
{
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * ITEM_GROUP
         + gl_LocalInvocationIndex;
}
