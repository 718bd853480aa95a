/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions and normalisation (docs/formats/vulkan.md, section 8.4). */
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

#define REDUCE(name_, signature_, kernel_, pass_, code_)                       \
  {                                                                            \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_reduce,       \
    .emit = pt_vk_emit_reduce, .kernel = kernel_, .pass = pass_, .code = code_ \
  }

static const PtVkOperator items[] = {
  REDUCE ("aten.mean.dim", "TJbzO", "aten::mean.out", "012NO", PT_VK_REDUCE_MEAN),
  REDUCE ("aten.sum.dim_IntList", "TJbzO", "aten::sum.IntList_out", "012NO", PT_VK_REDUCE_SUM),
  REDUCE ("aten.amax.default", "TIbO", "aten::amax.out", "012O", PT_VK_REDUCE_MAX),
  REDUCE ("aten.amin.default", "TIbO", "aten::amin.out", "012O", PT_VK_REDUCE_MIN),
  REDUCE ("aten.argmax.default", "TibO", "aten::argmax.out", "012P", PT_VK_REDUCE_ARGMAX),
  REDUCE ("aten.argmin.default", "TibO", "aten::argmin.out", "012P", PT_VK_REDUCE_ARGMIN),
  { .name = "aten._softmax.default",
    .signature = "TizO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_softmax,
    .kernel = "aten::_softmax.out",
    .pass = "01FO" },
  { .name = "aten._log_softmax.default",
    .signature = "TizO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_softmax,
    .kernel = "aten::_log_softmax.out",
    .pass = "01FO",
    .code = 1 },
  { .name = "aten.native_layer_norm.default",
    .signature = "TIttfL",
    .shape = pt_vk_shape_layer_norm,
    .emit = pt_vk_emit_layer_norm,
    .kernel = "aten::native_layer_norm.out",
    .pass = "01234O" },
  { .name = "aten.native_group_norm.default",
    .signature = "TttiiiifL",
    .shape = pt_vk_shape_group_norm,
    .emit = pt_vk_emit_group_norm,
    .kernel = "aten::native_group_norm.out",
    .pass = "01234567O" },
  { .name = "aten._native_batch_norm_legit_no_training.default",
    .signature = "TTTTTffL",
    .shape = pt_vk_shape_batch_norm,
    .emit = pt_vk_emit_batch_norm,
    .kernel = "aten::_native_batch_norm_legit_no_training.out",
    .pass = "0123456O" },
  { .name = "et_vk.rms_norm.default",
    .signature = "TTfO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_rms_norm,
    .compute = pt_vk_cpu_rms_norm },
};

const PtVkOperatorGroup pt_vk_group_reductions = { items, G_N_ELEMENTS (items) };
