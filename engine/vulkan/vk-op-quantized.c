/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantised operators (docs/formats/vulkan.md, section 9). */
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

#define PIECES(weight, scales) (1u << (weight) | 1u << (scales))

/* The code of a linear layer: number of the weight argument, and 16 for two columns a byte. */
#define LINEAR(name_, signature_, function_, code_, pieces_)                         \
  {                                                                                  \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_quant_linear,       \
    .emit = pt_vk_emit_##function_, .compute = pt_vk_cpu_##function_, .code = code_, \
    .pieces = pieces_                                                                \
  }

#define CONVOLUTION(name_)                                                               \
  {                                                                                      \
    .name = name_, .signature = "TfiTTTfitIIIIisO", .shape = pt_vk_shape_q8_convolution, \
    .emit = pt_vk_emit_q8_convolution, .compute = pt_vk_cpu_q8_convolution               \
  }

/* Ways of the CPU only: they are rare, and constant where they are not. */
#define REST(name_, signature_, function_)                             \
  {                                                                    \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_same, \
    .compute = pt_vk_cpu_##function_                                   \
  }

static const PtVkOperator items[] = {
  LINEAR ("aten._weight_int8pack_mm.default", "TTTO", linear_8w, 1, PIECES (1, 2)),
  LINEAR ("et_vk.linear_qcs4w.default", "TTTO", linear_qcs4w, 1 | 16, PIECES (1, 2)),
  LINEAR ("et_vk.linear_q4gsw.default", "TTTitO", linear_q4gsw, 1 | 16, PIECES (1, 2)),
  LINEAR ("et_vk.linear_dq8ca_q4gsw.default", "TTTTTTitO", linear_dq8ca_q4gsw, 3 | 16,
          PIECES (3, 5) | 1u << 4), /* nothing reads argument 4 */
  LINEAR ("et_vk.q8ta_linear.default", "TfiTTTfitsO", q8_linear, 3, PIECES (3, 5)),
  LINEAR ("et_vk.q8ta_linear_gemv.default", "TfiTTTfitsO", q8_linear, 3, PIECES (3, 5)),
  { .name = "torchao.choose_qparams_affine.default",
    .signature = "TsIznngzzzL",
    .shape = pt_vk_shape_choose_qparams,
    .emit = pt_vk_emit_choose_qparams,
    .compute = pt_vk_cpu_choose_qparams },
  { .name = "quantized_decomposed.quantize_per_tensor.default",
    .signature = "TfiiizO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_quantize,
    .compute = pt_vk_cpu_quantize },
  { .name = "quantized_decomposed.dequantize_per_tensor.default",
    .signature = "TfiiizzO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_dequantize,
    .compute = pt_vk_cpu_dequantize },
  CONVOLUTION ("et_vk.q8ta_conv2d.default"),
  CONVOLUTION ("et_vk.q8ta_conv2d_pw.default"),
  CONVOLUTION ("et_vk.q8ta_conv2d_dw.default"),
  { .name = "et_vk.q8ta_conv2d_transposed.default",
    .signature = "TfiTTTfitIIIIIisO",
    .shape = pt_vk_shape_q8_convolution,
    .compute = pt_vk_cpu_q8_convolution,
    .code = 1 },
  { .name = "et_vk.q8ta_add.default",
    .signature = "TTfifififO",
    .shape = pt_vk_shape_binary,
    .emit = pt_vk_emit_q8_add,
    .compute = pt_vk_cpu_q8_add },
  { .name = "et_vk.q8ta_relu.default",
    .signature = "TfifiO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_q8_relu,
    .compute = pt_vk_cpu_q8_relu },
  { .name = "et_vk.q8ta_pixel_shuffle.default",
    .signature = "TfififO",
    .shape = pt_vk_shape_pixel_shuffle,
    .compute = pt_vk_cpu_q8_pixel_shuffle,
    .code = 5 },
  { .name = "et_vk.embedding_q4gsw.default",
    .signature = "TTiTbO",
    .shape = pt_vk_shape_embedding_q4,
    .emit = pt_vk_emit_embedding_q4,
    .pieces = PIECES (0, 1),
    .compute = pt_vk_cpu_embedding_q4 },
  { .name = "torchao.dequantize_affine.default",
    .signature = "TITtznnzO",
    .shape = pt_vk_shape_same,
    .is_unpacking = TRUE,
    .compute = pt_vk_cpu_dequantize_affine },
  REST ("torchao.quantize_affine.default", "TITtznnzO", quantize_affine),
  REST ("quantized_decomposed.quantize_per_channel.default", "TTtiiizO", quantize_channels),
  REST ("quantized_decomposed.dequantize_per_channel.default", "TTtiiizzO", dequantize_channels),
  REST ("quantized_decomposed.quantize_per_token.default", "TTTiizO", quantize_tokens),
  REST ("quantized_decomposed.dequantize_per_token.default", "TTTiizzO", dequantize_tokens),
  REST ("quantized_decomposed.quantize_per_tensor.tensor", "TTTzzzO", quantize_by_tensor),
  REST ("quantized_decomposed.dequantize_per_tensor.tensor", "TTTzzzzO", dequantize_by_tensor),
  { .name = "quantized_decomposed.choose_qparams.tensor",
    .signature = "TiifzL",
    .shape = pt_vk_shape_choose_tensor,
    .compute = pt_vk_cpu_choose_tensor },
  { .name = "quantized_decomposed.choose_qparams_per_token_asymmetric.default",
    .signature = "TzL",
    .shape = pt_vk_shape_choose_qparams,
    .compute = pt_vk_cpu_choose_qparams },
};

const PtVkOperatorGroup pt_vk_group_quantized = { items, G_N_ELEMENTS (items) };
