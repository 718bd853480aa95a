/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-schema.h"

#include "engine/program/schema-macros.h"

/* clang-format off */

/* ---- Values ---- */

DEFINE_TABLE (buffer, "Buffer",
  VECTOR ("storage", U8));

DEFINE_TABLE (constant_data, "ConstantDataOffset",
  SCALAR ("offset", U64),
  SCALAR ("size", U64),
  SCALAR ("named_key", STRING));

DEFINE_TABLE (tensor_value, "XNNTensorValue",
  SCALAR ("datatype", I16),
  SCALAR ("num_dims", U32),
  VECTOR ("dims", U32),
  SCALAR ("constant_buffer_idx", U32),
  SCALAR ("external_id", U32),
  SCALAR ("flags", U32),
  SCALAR ("id_out", U32),
  SCALAR ("dq_datatype", I16));

DEFINE_TABLE (per_channel, "PerChannelQuant",
  VECTOR ("scale", F32),
  SCALAR ("channel_dim", I32),
  SCALAR ("scale_buffer_idx", U32),
  SCALAR ("num_scales", U32));

DEFINE_TABLE (per_tensor, "PerTensorQuant",
  SCALAR ("scale", F32),
  SCALAR ("zero_point", I32));

DEFINE_TABLE (per_token, "PerTokenDynamicQuant",
  SCALAR ("num_nonbatch_dims", I32));

DEFINE_TABLE (per_group, "PerChannelGroupQuant",
  VECTOR ("scale", F32),
  SCALAR ("channel_dim", I32),
  SCALAR ("group_size", I32),
  VECTOR ("scale_bf16", U16),
  SCALAR ("scale_buffer_idx", U32),
  SCALAR ("num_scales", U32));

static const PtFbTable *const quantizations[] = { NULL, &per_channel, &per_tensor, &per_token,
                                                  &per_group };

DEFINE_TABLE (quantized_value, "XNNQuantizedTensorValue",
  TABLE ("tensor_value", tensor_value),
  SCALAR ("params_type", U8),
  UNION ("params", quantizations));

static const PtFbTable *const values[] = { NULL, &tensor_value, &quantized_value };

DEFINE_TABLE (value, "XValue",
  SCALAR ("type", U8),
  UNION ("value", values));

/* ---- Nodes ---- */

DEFINE_TABLE (n2, "two-input node",
  SCALAR ("input1", U32),
  SCALAR ("input2", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (n1, "one-input node",
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (cat, "Concatenate",
  SCALAR ("axis", U32),
  SCALAR ("input1", U32),
  SCALAR ("input2", U32),
  SCALAR ("input3", U32),
  SCALAR ("input4", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32),
  SCALAR ("input5", U32));

DEFINE_TABLE (fc, "FullyConnected",
  SCALAR ("input1", U32),
  SCALAR ("filter", U32),
  SCALAR ("bias", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

#define WINDOW_FIELDS \
  SCALAR ("padding_top", U32), \
  SCALAR ("padding_right", U32), \
  SCALAR ("padding_bottom", U32), \
  SCALAR ("padding_left", U32), \
  SCALAR ("kernel_height", U32), \
  SCALAR ("kernel_width", U32)

#define STEP_FIELDS \
  SCALAR ("stride_height", U32), \
  SCALAR ("stride_width", U32), \
  SCALAR ("dilation_height", U32), \
  SCALAR ("dilation_width", U32)

DEFINE_TABLE (conv, "Conv2d",
  WINDOW_FIELDS,
  STEP_FIELDS,
  SCALAR ("group_input_channels", U32),
  SCALAR ("group_output_channels", U32),
  SCALAR ("groups", U32),
  SCALAR ("adjustment_height", U32),
  SCALAR ("adjustment_width", U32),
  SCALAR ("input1", U32),
  SCALAR ("filter", U32),
  SCALAR ("bias", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (pool, "Pooling2d",
  WINDOW_FIELDS,
  STEP_FIELDS,
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (argmax, "ArgMaxPooling2d",
  WINDOW_FIELDS,
  SCALAR ("input", U32),
  SCALAR ("output_value", U32),
  SCALAR ("output_index", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (transpose, "StaticTranspose",
  SCALAR ("num_dims", U32),
  VECTOR ("perm", U32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (reshape, "StaticReshape",
  SCALAR ("num_dims", U32),
  VECTOR ("new_shape", U32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (slice, "StaticSlice",
  SCALAR ("num_dims", U32),
  VECTOR ("offsets", U32),
  VECTOR ("sizes", U32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (resize, "StaticResizeBilinear2D",
  SCALAR ("new_height", U32),
  SCALAR ("new_width", U32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (pad, "StaticConstantPad",
  VECTOR ("pre_paddings", U32),
  VECTOR ("post_paddings", U32),
  SCALAR ("padding_value", F32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

DEFINE_TABLE (scalar, "node with a number",
  SCALAR ("number", F32),
  SCALAR ("input", U32),
  SCALAR ("output", U32),
  SCALAR ("flags", U32));

/* By tag (docs/formats/xnnpack.md, section 5). */
static const PtFbTable *const nodes[] = {
  NULL, &n2, &fc, &n1, &n1, &transpose, &n1, &conv, &n2, &resize,           /* 0.. */
  &pad, &pool, &n2, &conv, &pool, &n2, &n2, &n1, &n1, &n1,                  /* 10.. */
  &reshape, &argmax, &n1, &n1, &n1, &scalar, &n2, &n1, &n1, &scalar,        /* 20.. */
  &n1, &n2, &cat, &cat, &cat, &slice, NULL, &n2, &cat, &conv,               /* 30.. */
  &n1, &n1, &n1, &n1, &n1, &n1, &n1, &n1,                                   /* 40.. */
};

DEFINE_TABLE (output_min_max, "OutputMinMax",
  SCALAR ("output_min", F32),
  SCALAR ("output_max", F32));

DEFINE_TABLE (node, "XNode",
  SCALAR ("type", U8),
  UNION ("node", nodes),
  SCALAR ("debug_handle", U32),
  TABLE ("output_min_max", output_min_max));

static const PtFbField graph_fields[] = {
  SCALAR ("version", STRING),
  TABLES ("xnodes", node),
  TABLES ("xvalues", value),
  SCALAR ("num_externs", U32),
  VECTOR ("input_ids", U32),
  VECTOR ("output_ids", U32),
  TABLES ("constant_buffer", buffer),
  VECTOR ("mem_buffer_sizes", U32),
  TABLES ("constant_data", constant_data),
};
const PtFbTable pt_xnn_schema_graph = { "XNNGraph", graph_fields, G_N_ELEMENTS (graph_fields) };
