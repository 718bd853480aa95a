/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/flatbuffer.h"

G_BEGIN_DECLS

/*
 * The tables of a payload (docs/formats/vulkan.md, section 3), for pt_fb_verify(), and the numbers
 * of their slots.
 */

extern const PtFbTable pt_vk_schema_graph;

enum {
  PT_VK_GRAPH_VERSION,
  PT_VK_GRAPH_CHAIN,
  PT_VK_GRAPH_VALUES,
  PT_VK_GRAPH_INPUT_IDS,
  PT_VK_GRAPH_OUTPUT_IDS,
  PT_VK_GRAPH_CONSTANTS,
  PT_VK_GRAPH_SHADERS,
  PT_VK_GRAPH_STORAGE,
  PT_VK_GRAPH_LAYOUT
};

enum { PT_VK_CALL_NODE_ID, PT_VK_CALL_NAME, PT_VK_CALL_ARGS };

enum { PT_VK_VALUE_TYPE, PT_VK_VALUE_TABLE };

enum {
  PT_VK_TENSOR_DATATYPE,
  PT_VK_TENSOR_DIMS,
  PT_VK_TENSOR_CONSTANT_ID,
  PT_VK_TENSOR_MEM_OBJ_ID,
  PT_VK_TENSOR_STORAGE,
  PT_VK_TENSOR_LAYOUT,
  PT_VK_TENSOR_STAGING
};

enum { PT_VK_BYTES_OFFSET, PT_VK_BYTES_LENGTH, PT_VK_BYTES_NAMED_KEY };

/* The only slot of scalars, lists and strings. */
enum { PT_VK_CONTENT };

G_END_DECLS
