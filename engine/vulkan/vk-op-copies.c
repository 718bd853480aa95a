/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and views, and tensors from nothing (docs/formats/vulkan.md, sections 8.2 and 8.3). */
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

/* A view shares the memory of its tensor; the copy is for one whose tensor is state, or of another
 * dtype. */
#define VIEW(name_, signature_, shape_)                                       \
  {                                                                           \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_##shape_,    \
    .emit = pt_vk_emit_convert, .compute = pt_vk_cpu_convert, .is_view = TRUE \
  }

/* Operators that read places of argument 0. */
#define LOOKUP(name_, signature_, shape_, kernel_, pass_)                      \
  {                                                                            \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_##shape_,     \
    .emit = pt_vk_emit_##shape_, .kernel = kernel_, .pass = pass_, .pieces = 1 \
  }

#define STRIDED(name_, signature_, shape_, kernel_, pass_)                 \
  {                                                                        \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_##shape_, \
    .emit = pt_vk_emit_##shape_, .kernel = kernel_, .pass = pass_          \
  }

static const PtVkOperator copies[] = {
  VIEW ("et_vk.prepack.default", "TO", same),
  VIEW ("aten.clone.default", "TzO", same),
  VIEW ("dim_order_ops._clone_dim_order.default", "TzzO", same),
  VIEW ("dim_order_ops._to_dim_order_copy.default", "TzzzzzzO", same),
  VIEW ("aten._to_copy.default", "TzzzzzzO", same),
  VIEW ("aten.view_copy.default", "TIO", view),
  VIEW ("aten.squeeze_copy.dims", "TIO", squeeze),
  VIEW ("aten.unsqueeze_copy.default", "TiO", unsqueeze),
  STRIDED ("aten.permute_copy.default", "TIO", permute, "aten::permute_copy.out", "01O"),
  STRIDED ("aten.permute.default", "TIO", permute, "aten::permute_copy.out", "01O"),
  STRIDED ("aten.t_copy.default", "TO", transpose, "aten::t_copy.out", "0O"),
  STRIDED ("aten.select_copy.int", "TiiO", select, "aten::select_copy.int_out", "012O"),
  STRIDED ("aten.slice_copy.Tensor", "TinniO", slice, "aten::slice_copy.Tensor_out", "01234O"),
  STRIDED ("aten.split_with_sizes_copy.default", "TIiL", split, "aten::split_with_sizes_copy.out",
           "012O"),
  STRIDED ("aten.cat.default", "ViO", cat, "aten::cat.out", "01O"),
  STRIDED ("aten.expand_copy.default", "TIzO", expand, "aten::expand_copy.out", "01FO"),
  STRIDED ("aten.repeat.default", "TIO", repeat, "aten::repeat.out", "01O"),
  { .name = "aten.flip.default",
    .signature = "TIO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_flip,
    .kernel = "aten::flip.out",
    .pass = "01O" },
  STRIDED ("aten.constant_pad_nd.default", "TIfO", pad, "aten::constant_pad_nd.out", "012O"),
  STRIDED ("aten.gather.default", "TiTzO", gather, "aten::gather.out", "01W2FO"),
  LOOKUP ("aten.index_select.default", "TiTO", index_select, "aten::index_select.out", "012O"),
  LOOKUP ("aten.index.Tensor", "TVO", index, "aten::index.Tensor_out", "01O"),
  LOOKUP ("aten.embedding.default", "TTzzzO", embedding, "aten::embedding.out", "01NFFO"),
  { .name = "aten.pixel_shuffle.default",
    .signature = "TiO",
    .shape = pt_vk_shape_pixel_shuffle,
    .emit = pt_vk_emit_pixel_shuffle,
    .kernel = "aten::pixel_shuffle.out",
    .pass = "01O",
    .code = 1 },
  STRIDED ("aten.unfold_copy.default", "TiiiO", unfold, "aten::unfold_copy.out", "0123O"),
};

const PtVkOperatorGroup pt_vk_group_copies = { copies, G_N_ELEMENTS (copies) };

/* zeros, ones, full: @value is the argument that says the number, or code 0 or 1. */
#define CREATE(name_, signature_, shape_, code_)                           \
  {                                                                        \
    .name = name_, .signature = signature_, .shape = pt_vk_shape_##shape_, \
    .emit = pt_vk_emit_fill, .compute = pt_vk_cpu_fill, .code = code_      \
  }

static const PtVkOperator creation[] = {
  CREATE ("aten.full.default", "IfzzzzO", sizes, PT_VK_FILL_ARGUMENT | 1),
  CREATE ("aten.full_like.default", "TfzzzzzO", same, PT_VK_FILL_ARGUMENT | 1),
  CREATE ("aten.zeros.default", "IzzzzO", sizes, 0),
  CREATE ("aten.ones.default", "IzzzzO", sizes, 1),
  CREATE ("aten.zeros_like.default", "TzzzzzO", same, 0),
  CREATE ("aten.ones_like.default", "TzzzzzO", same, 1),
  CREATE ("aten.scalar_tensor.default", "fzzzzO", scalar, PT_VK_FILL_ARGUMENT),
  { .name = "aten.arange.start_step",
    .signature = "gfgzzzzO",
    .shape = pt_vk_shape_arange,
    .emit = pt_vk_emit_arange,
    .compute = pt_vk_cpu_arange },
  { .name = "et_vk.grid_priors.default",
    .signature = "TffO",
    .shape = pt_vk_shape_grid_priors,
    .emit = pt_vk_emit_grid_priors,
    .compute = pt_vk_cpu_grid_priors },
};

const PtVkOperatorGroup pt_vk_group_creation = { creation, G_N_ELEMENTS (creation) };
