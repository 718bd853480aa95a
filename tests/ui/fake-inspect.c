/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"

/* Reports that the real engine made of SmolLM2 135M Instruct and of MobileNet v2. */

#define TENSOR(type, sizes)                                                                 \
  {                                                                                         \
    .kind = PT_ARGUMENT_TENSOR, .dtype = type, .shape = sizes, .rank = G_N_ELEMENTS (sizes) \
  }
#define CONSTANT(title, output)                       \
  {                                                   \
    .name = title, .outputs = &output, .n_outputs = 1 \
  }
#define WEIGHT(title, type, sizes, size)                                      \
  {                                                                           \
    .name = title, .value = TENSOR (type, sizes), .bytes = size, .file = DATA \
  }

static const char *const NOTHING[] = { NULL };

/* clang-format off: a line for each */

#define DATA "/models/smollm2-135m-instruct/model.ptd"

static const gint64 BY_49152_576[] = { 49152, 576 };
static const gint64 BY_49152_1[] = { 49152, 1 };
static const gint64 BY_576[] = { 576 };
static const gint64 BY_1_2047[] = { 1, 2047 };
static const gint64 BY_2047[] = { 2047 };
static const gint64 BY_1_2047_49152[] = { 1, 2047, 49152 };
static const gint64 BY_1_3_96_96[] = { 1, 3, 96, 96 };
static const gint64 BY_1_20[] = { 1, 20 };

static const PtInspectOperator TEXT_OPERATORS[] = {
  { "aten::sym_size.int", 1, TRUE },
  { "aten::unsqueeze_copy.out", 62, TRUE },
  { "aten::select_copy.int_out", 90, TRUE },
  { "aten::_local_scalar_dense", 60, TRUE },
  { "aten::_to_copy.out", 1, TRUE },
  { "aten::expand_copy.out", 1, TRUE },
  { "executorch_prim::et_view.default", 122, TRUE },
  { "quantized_decomposed::embedding_byte.out", 1, TRUE },
  { "aten::mean.out", 61, TRUE },
  { "aten::cat.out", 1, TRUE },
  { "aten::slice_copy.Tensor_out", 120, TRUE },
  { "llama::update_cache.out", 60, TRUE },
  { "llama::custom_sdpa.out", 30, TRUE },
  { "aten::alias_copy.out", 1, TRUE },
};

static const PtInspectCount TEXT_NODES[] = {
  { "Square", 61 },
  { "BatchMatrixMultiply", 1 },
  { "Add", 181 },
  { "FullyConnected", 211 },
  { "StaticTranspose", 121 },
  { "Multiply", 304 },
  { "Convert", 211 },
  { "ReciprocalSquareRoot", 61 },
  { "Sin", 1 },
  { "Cos", 1 },
  { "Negate", 60 },
  { "Concatenate2", 60 },
  { "Sigmoid", 30 },
};

static const PtInspectOutput GET_DTYPE = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                            .as_int = 6 } };
static const PtInspectOutput GET_BOS_ID = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                             .as_int = 1 } };
static const PtInspectOutput GET_EOS_ID = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                             .as_int = 2 } };
static const PtInspectOutput GET_HEAD_DIM = { .value.value = { .kind = PT_ARGUMENT_DOUBLE,
                                                               .as_double = 64 } };
static const PtInspectOutput GET_N_KV_HEADS = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                                 .as_int = 3 } };
static const PtInspectOutput GET_N_LAYERS = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                               .as_int = 30 } };
static const PtInspectOutput GET_VOCAB_SIZE = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                                 .as_int = 49152 } };
static const PtInspectOutput GET_MAX_BATCH_SIZE = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                                     .as_int = 1 } };
static const PtInspectOutput GET_MAX_SEQ_LEN = { .value.value = { .kind = PT_ARGUMENT_INT,
                                                                  .as_int = 2048 } };
static const PtInspectOutput USE_KV_CACHE = { .value.value = { .kind = PT_ARGUMENT_BOOL,
                                                               .as_int = 1 } };
static const PtInspectOutput USE_SDPA_WITH_KV_CACHE = { .value.value = { .kind = PT_ARGUMENT_BOOL,
                                                                         .as_int = 1 } };
static const PtInspectOutput ENABLE_DYNAMIC_SHAPE = { .value.value = { .kind = PT_ARGUMENT_BOOL,
                                                                       .as_int = 1 } };

static const PtInspectConstant TEXT_CONSTANTS[] = {
  CONSTANT ("get_dtype", GET_DTYPE),
  CONSTANT ("get_bos_id", GET_BOS_ID),
  CONSTANT ("get_eos_id", GET_EOS_ID),
  CONSTANT ("get_head_dim", GET_HEAD_DIM),
  CONSTANT ("get_n_kv_heads", GET_N_KV_HEADS),
  CONSTANT ("get_n_layers", GET_N_LAYERS),
  CONSTANT ("get_vocab_size", GET_VOCAB_SIZE),
  CONSTANT ("get_max_batch_size", GET_MAX_BATCH_SIZE),
  CONSTANT ("get_max_seq_len", GET_MAX_SEQ_LEN),
  CONSTANT ("use_kv_cache", USE_KV_CACHE),
  CONSTANT ("use_sdpa_with_kv_cache", USE_SDPA_WITH_KV_CACHE),
  CONSTANT ("enable_dynamic_shape", ENABLE_DYNAMIC_SHAPE),
};

static const PtInspectExternal TEXT_EXTERNAL[] = {
  WEIGHT ("model.model.embed_tokens.parametrizations.weight.original0", "int8", BY_49152_576,
          28311552),
  WEIGHT ("model.model.embed_tokens.parametrizations.weight.original1", "float32", BY_49152_1,
          196608),
  WEIGHT ("model.model.layers.0.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.0.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.1.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.1.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.2.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.2.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.3.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.3.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.4.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.4.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.5.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.5.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.6.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.6.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.7.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.7.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.8.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.8.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.9.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.9.post_attention_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.10.input_layernorm.weight", "float32", BY_576, 2304),
  WEIGHT ("model.model.layers.10.post_attention_layernorm.weight", "float32", BY_576, 2304),
};

static const PtInspectOperator CLASSIFIER_OPERATORS[] = {
  { "aten::convolution.out", 52, TRUE },
  { "aten::_native_batch_norm_legit_no_training.out", 52, TRUE },
  { "aten::hardtanh.out", 35, TRUE },
  { "aten::add.out", 11, TRUE },
  { "aten::mean.out", 1, TRUE },
  { "dim_order_ops::_clone_dim_order.out", 1, TRUE },
  { "aten::permute_copy.out", 1, TRUE },
  { "aten::addmm.out", 1, TRUE },
};

/* clang-format on */

static const PtInspectValue TEXT_INPUTS[] = {
  { .value = TENSOR ("int64", BY_1_2047), .dynamic = TRUE, .planned = FALSE, .device = "cpu" },
  { .value = TENSOR ("int64", BY_2047), .dynamic = TRUE, .planned = FALSE, .device = "cpu" },
};

static const PtInspectValue TEXT_OUTPUTS[] = {
  { .value = TENSOR ("float32", BY_1_2047_49152),
    .dynamic = TRUE,
    .planned = TRUE,
    .device = "cpu" },
};

static const PtInspectValue CLASSIFIER_INPUTS[] = {
  { .value = TENSOR ("float32", BY_1_3_96_96), .dynamic = FALSE, .planned = TRUE, .device = "cpu" },
};

static const PtInspectValue CLASSIFIER_OUTPUTS[] = {
  { .value = TENSOR ("float32", BY_1_20), .dynamic = FALSE, .planned = TRUE, .device = "cpu" },
};

static const PtInspectBuffer TEXT_BUFFER = { 501544768, "cpu", 0 };

static const PtInspectDelegate TEXT_DELEGATE = { .backend = "XnnpackBackend",
                                                 .available = TRUE,
                                                 .count = 153,
                                                 .payload_bytes = 300864,
                                                 .nodes = TEXT_NODES,
                                                 .n_nodes = G_N_ELEMENTS (TEXT_NODES) };

static const PtInspectMethod TEXT_METHOD = { .name = "forward",
                                             .planned_bytes = 501544768,
                                             .buffers = &TEXT_BUFFER,
                                             .n_buffers = 1,
                                             .n_instructions = 764,
                                             .inputs = TEXT_INPUTS,
                                             .n_inputs = G_N_ELEMENTS (TEXT_INPUTS),
                                             .outputs = TEXT_OUTPUTS,
                                             .n_outputs = G_N_ELEMENTS (TEXT_OUTPUTS),
                                             .operators = TEXT_OPERATORS,
                                             .n_operators = G_N_ELEMENTS (TEXT_OPERATORS),
                                             .delegates = &TEXT_DELEGATE,
                                             .n_delegates = 1 };

static const PtInspectDataFile TEXT_DATA = { DATA, 135504896, 486 };

static const PtInspectReport TEXT_MODEL = {
  .path = "/models/smollm2-135m-instruct/model.pte",
  .bytes = 506304,
  .ok = TRUE,
  .missing = NOTHING,
  .family = "text-llm",
  .kind = "text model",
  .task = "chat",
  .memory = { .weights = 136011200, .working = 201438140, .state = 94371840 },
  .weight_bits = 8,
  .parts = { .tables = 191992, .constants = 8, .delegate_payloads = 300864, .other = 13440 },
  .methods = &TEXT_METHOD,
  .n_methods = 1,
  .constants = TEXT_CONSTANTS,
  .n_constants = G_N_ELEMENTS (TEXT_CONSTANTS),
  .data_files = &TEXT_DATA,
  .n_data_files = 1,
  .data_bytes = 135504896,
  .n_external = 64,
  .n_external_found = 64,
  .external_bytes = 28648832,
  .external = TEXT_EXTERNAL,
  .n_external_listed = G_N_ELEMENTS (TEXT_EXTERNAL)
};

static const PtInspectBuffer CLASSIFIER_BUFFER = { 884736, "cpu", 0 };

static const PtInspectMethod CLASSIFIER_METHOD = { .name = "forward",
                                                   .planned_bytes = 884736,
                                                   .buffers = &CLASSIFIER_BUFFER,
                                                   .n_buffers = 1,
                                                   .n_instructions = 154,
                                                   .inputs = CLASSIFIER_INPUTS,
                                                   .n_inputs = G_N_ELEMENTS (CLASSIFIER_INPUTS),
                                                   .outputs = CLASSIFIER_OUTPUTS,
                                                   .n_outputs = G_N_ELEMENTS (CLASSIFIER_OUTPUTS),
                                                   .operators = CLASSIFIER_OPERATORS,
                                                   .n_operators =
                                                       G_N_ELEMENTS (CLASSIFIER_OPERATORS) };

static const PtInspectReport CLASSIFIER = {
  .path = "/models/mobilenet-v2/model.pte",
  .bytes = 1177952,
  .ok = TRUE,
  .missing = NOTHING,
  .family = "program",
  .kind = "program",
  .task = "program",
  .memory = { .weights = 1177952, .working = 884736 },
  .weight_bits = 32,
  .parts = { .tables = 80336, .constants = 1097560, .other = 56 },
  .methods = &CLASSIFIER_METHOD,
  .n_methods = 1
};

const PtInspectReport *
fake_find_report (const char *name)
{
  if (name == NULL)
    return NULL;
  return g_str_equal (name, "classifier") ? &CLASSIFIER : &TEXT_MODEL;
}
