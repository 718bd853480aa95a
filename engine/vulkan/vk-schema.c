/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-schema.h"

#include "engine/program/schema-macros.h"

/* clang-format off */

DEFINE_TABLE (call, "OperatorCall",
  SCALAR ("node_id", U32),
  SCALAR ("name", STRING),
  VECTOR ("args", I32));

DEFINE_TABLE (bytes, "VkBytes",
  SCALAR ("offset", U64),
  SCALAR ("length", U64),
  SCALAR ("named_key", STRING));

DEFINE_TABLE (tensor, "VkTensor",
  SCALAR ("datatype", I8),
  VECTOR ("dims", U32),
  SCALAR ("constant_id", I32),
  SCALAR ("mem_obj_id", I32),
  SCALAR ("storage_type", U8),
  SCALAR ("memory_layout", U8),
  SCALAR ("staging_datatype", I8));

static const PtFbTable null_value = { "Null", NULL, 0 };
DEFINE_TABLE (int_value, "Int", SCALAR ("int_val", I64));
DEFINE_TABLE (double_value, "Double", SCALAR ("double_val", F64));
DEFINE_TABLE (bool_value, "Bool", SCALAR ("bool_val", BOOL));
DEFINE_TABLE (int_list, "IntList", VECTOR ("items", I64));
DEFINE_TABLE (double_list, "DoubleList", VECTOR ("items", F64));
DEFINE_TABLE (bool_list, "BoolList", VECTOR ("items", U8));
DEFINE_TABLE (value_list, "ValueList", VECTOR ("items", I32));
DEFINE_TABLE (string_value, "String", SCALAR ("string_val", STRING));
DEFINE_TABLE (sym_int, "SymInt", SCALAR ("value", I32));

/* By tag (docs/formats/vulkan.md, section 3). */
static const PtFbTable *const values[] = {
  NULL, &null_value, &int_value, &double_value, &bool_value, &tensor, &int_list, &double_list,
  &bool_list, &value_list, &string_value, &sym_int,
};

DEFINE_TABLE (value, "VkValue",
  SCALAR ("type", U8),
  UNION ("value", values));

static const PtFbField graph_fields[] = {
  SCALAR ("version", STRING),
  TABLES ("chain", call),
  TABLES ("values", value),
  VECTOR ("input_ids", U32),
  VECTOR ("output_ids", U32),
  TABLES ("constants", bytes),
  TABLES ("shaders", bytes),
  SCALAR ("storage_type_override", U8),
  SCALAR ("memory_layout_override", U8),
};
const PtFbTable pt_vk_schema_graph = { "VkGraph", graph_fields, G_N_ELEMENTS (graph_fields) };
