/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/schema.h"

#include "engine/program/schema-macros.h"

/* clang-format off */

/* ---- Values ---- */

static const PtFbTable null_value = { "Null", NULL, 0 };

DEFINE_TABLE (int_value, "Int",
  SCALAR ("int_val", I64));

DEFINE_TABLE (bool_value, "Bool",
  SCALAR ("bool_val", BOOL));

DEFINE_TABLE (double_value, "Double",
  SCALAR ("double_val", F64));

DEFINE_TABLE (string_value, "String",
  SCALAR ("string_val", STRING));

DEFINE_TABLE (int_list, "IntList",
  VECTOR ("items", I64));

DEFINE_TABLE (double_list, "DoubleList",
  VECTOR ("items", F64));

DEFINE_TABLE (bool_list, "BoolList",
  VECTOR ("items", BOOL));

DEFINE_TABLE (tensor_list, "TensorList",
  VECTOR ("items", I32));

DEFINE_TABLE (optional_tensor_list, "OptionalTensorList",
  VECTOR ("items", I32));

DEFINE_TABLE (allocation, "AllocationDetails",
  SCALAR ("memory_id", U32),
  SCALAR ("memory_offset_low", U32),
  SCALAR ("memory_offset_high", U32));

DEFINE_TABLE (extra_info, "ExtraTensorInfo",
  SCALAR ("mutable_data_segments_idx", U64),
  SCALAR ("fully_qualified_name", STRING),
  SCALAR ("location", I8),
  SCALAR ("device_type", I8),
  SCALAR ("device_index", I8));

DEFINE_TABLE (tensor_value, "Tensor",
  SCALAR ("scalar_type", I8),
  SCALAR ("storage_offset", I32),
  VECTOR ("sizes", I32),
  VECTOR ("dim_order", U8),
  SCALAR ("requires_grad", BOOL),
  SCALAR ("data_buffer_idx", U32),
  TABLE ("allocation_info", allocation),
  SCALAR ("layout", I8),
  SCALAR ("shape_dynamism", I8),
  TABLE ("extra_tensor_info", extra_info));

static const PtFbTable *const values[] = {
  NULL, &null_value, &int_value, &bool_value, &double_value, &tensor_value, &string_value,
  &int_list, &double_list, &bool_list, &tensor_list, &optional_tensor_list,
};

DEFINE_TABLE (value, "EValue",
  SCALAR ("val_type", U8),
  UNION ("val", values));

/* ---- Instructions ---- */

DEFINE_TABLE (kernel_call, "KernelCall",
  SCALAR ("op_index", I32),
  VECTOR ("args", I32));

DEFINE_TABLE (delegate_call, "DelegateCall",
  SCALAR ("delegate_index", I32),
  VECTOR ("args", I32));

DEFINE_TABLE (move_call, "MoveCall",
  SCALAR ("move_from", I32),
  SCALAR ("move_to", I32));

DEFINE_TABLE (jump_false_call, "JumpFalseCall",
  SCALAR ("cond_value_index", I32),
  SCALAR ("destination_instruction", I32));

DEFINE_TABLE (free_call, "FreeCall",
  SCALAR ("value_index", I32));

static const PtFbTable *const calls[] = {
  NULL, &kernel_call, &delegate_call, &move_call, &jump_false_call, &free_call,
};

DEFINE_TABLE (instruction, "Instruction",
  SCALAR ("instr_args_type", U8),
  UNION ("instr_args", calls));

DEFINE_TABLE (frame, "Frame",
  SCALAR ("filename", STRING),
  SCALAR ("lineno", I32),
  SCALAR ("name", STRING),
  SCALAR ("context", STRING));

DEFINE_TABLE (frame_list, "FrameList",
  TABLES ("items", frame));

DEFINE_TABLE (chain, "Chain",
  VECTOR ("inputs", I32),
  VECTOR ("outputs", I32),
  TABLES ("instructions", instruction),
  TABLE ("stacktrace", frame_list));

/* ---- Methods ---- */

DEFINE_TABLE (container, "ContainerMetadata",
  SCALAR ("encoded_inp_str", STRING),
  SCALAR ("encoded_out_str", STRING));

DEFINE_TABLE (operator_name, "Operator",
  SCALAR ("name", STRING),
  SCALAR ("overload", STRING));

DEFINE_TABLE (processed, "BackendDelegateDataReference",
  SCALAR ("location", I8),
  SCALAR ("index", U32));

DEFINE_TABLE (compile_spec, "CompileSpec",
  SCALAR ("key", STRING),
  VECTOR ("value", U8));

DEFINE_TABLE (delegate, "BackendDelegate",
  SCALAR ("id", STRING),
  TABLE ("processed", processed),
  TABLES ("compile_specs", compile_spec));

DEFINE_TABLE (buffer_device, "NonConstBufferDevice",
  SCALAR ("buffer_idx", I32),
  SCALAR ("device_type", I8),
  SCALAR ("device_index", I8));

DEFINE_TABLE (plan, "ExecutionPlan",
  SCALAR ("name", STRING),
  TABLE ("container_meta_type", container),
  TABLES ("values", value),
  VECTOR ("inputs", I32),
  VECTOR ("outputs", I32),
  TABLES ("chains", chain),
  TABLES ("operators", operator_name),
  TABLES ("delegates", delegate),
  VECTOR ("non_const_buffer_sizes", I64),
  TABLES ("non_const_buffer_device", buffer_device));

/* ---- The program ---- */

DEFINE_TABLE (buffer, "Buffer",
  VECTOR ("storage", U8));

DEFINE_TABLE (inline_data, "BackendDelegateInlineData",
  VECTOR ("data", U8));

DEFINE_TABLE (segment, "DataSegment",
  SCALAR ("offset", U64),
  SCALAR ("size", U64));

DEFINE_TABLE (subsegments, "SubsegmentOffsets",
  SCALAR ("segment_index", U32),
  VECTOR ("offsets", U64));

DEFINE_TABLE (named_data, "NamedData",
  SCALAR ("key", STRING),
  SCALAR ("segment_index", U32));

static const PtFbField program_fields[] = {
  SCALAR ("version", U32),
  TABLES ("execution_plan", plan),
  TABLES ("constant_buffer", buffer),
  TABLES ("backend_delegate_data", inline_data),
  TABLES ("segments", segment),
  TABLE ("constant_segment", subsegments),
  TABLES ("mutable_data_segments", subsegments),
  TABLES ("named_data", named_data),
};

const PtFbTable pt_schema_program = { "Program", program_fields, G_N_ELEMENTS (program_fields) };

/* ---- Data files ---- */

DEFINE_TABLE (layout, "TensorLayout",
  SCALAR ("scalar_type", I8),
  VECTOR ("sizes", I32),
  VECTOR ("dim_order", U8));

DEFINE_TABLE (named_tensor, "NamedData",
  SCALAR ("key", STRING),
  SCALAR ("segment_index", U32),
  TABLE ("tensor_layout", layout));

static const PtFbField data_file_fields[] = {
  SCALAR ("version", U32),
  TABLES ("segments", segment),
  TABLES ("named_data", named_tensor),
};

const PtFbTable pt_schema_data_file = { "FlatTensor", data_file_fields,
                                        G_N_ELEMENTS (data_file_fields) };

/* ---- Bundled programs ---- */

DEFINE_TABLE (bundle_tensor, "Tensor",
  SCALAR ("scalar_type", I8),
  VECTOR ("sizes", I32),
  VECTOR ("data", U8),
  VECTOR ("dim_order", U8));

static const PtFbTable *const bundle_values[] = {
  NULL, &bundle_tensor, &int_value, &bool_value, &double_value,
};

DEFINE_TABLE (bundle_value, "Value",
  SCALAR ("val_type", U8),
  UNION ("val", bundle_values));

DEFINE_TABLE (test_case, "BundledMethodTestCase",
  TABLES ("inputs", bundle_value),
  TABLES ("expected_outputs", bundle_value));

DEFINE_TABLE (test_suite, "BundledMethodTestSuite",
  SCALAR ("method_name", STRING),
  TABLES ("test_cases", test_case));

static const PtFbField bundle_fields[] = {
  SCALAR ("version", U32),
  TABLES ("method_test_suites", test_suite),
  VECTOR ("program", U8),
};

const PtFbTable pt_schema_bundle = { "BundledProgram", bundle_fields,
                                     G_N_ELEMENTS (bundle_fields) };
