/* SPDX-License-Identifier: BSD-3-Clause */
/* Elementwise operators (docs/formats/vulkan.md, section 8.1). */
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

#define UNARY(name_, code_)                                                                 \
  {                                                                                         \
    .name = "aten." #name_ ".default", .signature = "TO", .shape = pt_vk_shape_same,        \
    .emit = pt_vk_emit_unary, .kernel = "aten::" #name_ ".out", .pass = "0O", .code = code_ \
  }

#define OWN(name_, code_)                                                                  \
  {                                                                                        \
    .name = name_, .signature = "TO", .shape = pt_vk_shape_same, .emit = pt_vk_emit_unary, \
    .compute = pt_vk_cpu_unary, .code = code_                                              \
  }

#define BINARY(name_, kernel_, code_)                                                          \
  {                                                                                            \
    .name = name_, .signature = "TTO", .shape = pt_vk_shape_binary, .emit = pt_vk_emit_binary, \
    .kernel = kernel_, .pass = "01O", .code = code_                                            \
  }

#define COMPARE_SCALAR(name_, code_)                                                          \
  {                                                                                           \
    .name = "aten." #name_ ".Scalar", .signature = "TfO", .shape = pt_vk_shape_same,          \
    .emit = pt_vk_emit_binary_scalar, .kernel = "aten::" #name_ ".Scalar_out", .pass = "01O", \
    .code = code_                                                                             \
  }

static const PtVkOperator items[] = {
  UNARY (abs, PT_VK_UNARY_ABS),
  UNARY (cos, PT_VK_UNARY_COS),
  UNARY (exp, PT_VK_UNARY_EXP),
  UNARY (neg, PT_VK_UNARY_NEG),
  UNARY (sin, PT_VK_UNARY_SIN),
  UNARY (sqrt, PT_VK_UNARY_SQRT),
  UNARY (rsqrt, PT_VK_UNARY_RSQRT),
  UNARY (tanh, PT_VK_UNARY_TANH),
  UNARY (sigmoid, PT_VK_UNARY_SIGMOID),
  UNARY (relu, PT_VK_UNARY_RELU),
  UNARY (round, PT_VK_UNARY_ROUND),
  UNARY (tan, PT_VK_UNARY_TAN),
  UNARY (log10, PT_VK_UNARY_LOG10),
  UNARY (bitwise_not, PT_VK_UNARY_NOT),
  OWN ("aten.hardswish.default", PT_VK_UNARY_HARDSWISH),
  OWN ("aten.hardsigmoid.default", PT_VK_UNARY_HARDSIGMOID),
  OWN ("aten.relu6.default", PT_VK_UNARY_RELU6),
  { .name = "aten.gelu.default",
    .signature = "TsO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_gelu,
    .kernel = "aten::gelu.out",
    .pass = "01O" },
  { .name = "aten.hardtanh.default",
    .signature = "TggO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_clamp,
    .kernel = "aten::clamp.out",
    .pass = "012O" },
  { .name = "aten.clamp.default",
    .signature = "TggO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_clamp,
    .kernel = "aten::clamp.out",
    .pass = "012O" },
  { .name = "aten.hardshrink.default",
    .signature = "TfO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_unary,
    .compute = pt_vk_cpu_unary,
    .code = PT_VK_UNARY_HARDSHRINK },
  { .name = "aten.leaky_relu.default",
    .signature = "TfO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_unary,
    .kernel = "aten::leaky_relu.out",
    .pass = "01O",
    .code = PT_VK_UNARY_LEAKY_RELU },
  { .name = "aten.add.Tensor",
    .signature = "TTfO",
    .shape = pt_vk_shape_binary,
    .emit = pt_vk_emit_binary,
    .kernel = "aten::add.out",
    .pass = "012O",
    .code = PT_VK_BINARY_ADD },
  { .name = "aten.sub.Tensor",
    .signature = "TTfO",
    .shape = pt_vk_shape_binary,
    .emit = pt_vk_emit_binary,
    .kernel = "aten::sub.out",
    .pass = "012O",
    .code = PT_VK_BINARY_SUB },
  BINARY ("aten.mul.Tensor", "aten::mul.out", PT_VK_BINARY_MUL),
  BINARY ("aten.div.Tensor", "aten::div.out", PT_VK_BINARY_DIV),
  BINARY ("aten.minimum.default", "aten::minimum.out", PT_VK_BINARY_MINIMUM),
  BINARY ("aten.maximum.default", "aten::maximum.out", PT_VK_BINARY_MAXIMUM),
  BINARY ("aten.pow.Tensor_Tensor", "aten::pow.Tensor_Tensor_out", PT_VK_BINARY_POW),
  BINARY ("aten.eq.Tensor", "aten::eq.Tensor_out", PT_VK_BINARY_EQ),
  BINARY ("aten.lt.Tensor", "aten::lt.Tensor_out", PT_VK_BINARY_LT),
  BINARY ("aten.le.Tensor", "aten::le.Tensor_out", PT_VK_BINARY_LE),
  BINARY ("aten.gt.Tensor", "aten::gt.Tensor_out", PT_VK_BINARY_GT),
  BINARY ("aten.ge.Tensor", "aten::ge.Tensor_out", PT_VK_BINARY_GE),
  BINARY ("aten.ne.Tensor", "aten::ne.Tensor_out", PT_VK_BINARY_NE),
  BINARY ("aten.bitwise_and.Tensor", "aten::bitwise_and.Tensor_out", PT_VK_BINARY_AND),
  BINARY ("aten.bitwise_or.Tensor", "aten::bitwise_or.Tensor_out", PT_VK_BINARY_OR),
  BINARY ("aten.logical_and.default", "aten::logical_and.out", PT_VK_BINARY_LOGICAL_AND),
  BINARY ("aten.logical_or.default", "aten::logical_or.out", PT_VK_BINARY_LOGICAL_OR),
  COMPARE_SCALAR (eq, PT_VK_BINARY_EQ),
  COMPARE_SCALAR (lt, PT_VK_BINARY_LT),
  COMPARE_SCALAR (le, PT_VK_BINARY_LE),
  COMPARE_SCALAR (gt, PT_VK_BINARY_GT),
  COMPARE_SCALAR (ge, PT_VK_BINARY_GE),
  COMPARE_SCALAR (ne, PT_VK_BINARY_NE),
  { .name = "aten.div.Tensor_mode",
    .signature = "TTsO",
    .shape = pt_vk_shape_binary,
    .emit = pt_vk_emit_div_mode,
    .kernel = "aten::div.out_mode",
    .pass = "012O" },
  { .name = "aten.pow.Tensor_Scalar",
    .signature = "TfO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_binary_scalar,
    .kernel = "aten::pow.Tensor_Scalar_out",
    .pass = "01O",
    .code = PT_VK_BINARY_POW },
  { .name = "aten.where.self",
    .signature = "TTTO",
    .shape = pt_vk_shape_where,
    .emit = pt_vk_emit_where,
    .kernel = "aten::where.self_out",
    .pass = "012O" },
};

const PtVkOperatorGroup pt_vk_group_elementwise = { items, G_N_ELEMENTS (items) };
