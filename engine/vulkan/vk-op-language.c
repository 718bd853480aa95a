/* SPDX-License-Identifier: BSD-3-Clause */
/* Language models and symbolic integers (docs/formats/vulkan.md, sections 7 and 8.6). */
#include "engine/vulkan/vk-cpu-operators.h"
#include "engine/vulkan/vk-emit-operators.h"
#include "engine/vulkan/vk-shapes.h"

static const PtVkOperator language[] = {
  { .name = "et_vk.apply_rotary_emb.default",
    .signature = "TTTTL",
    .shape = pt_vk_shape_rotary,
    .emit = pt_vk_emit_rotary,
    .compute = pt_vk_cpu_rotary },
  { .name = "et_vk.apply_rotary_emb_hf.default",
    .signature = "TTTTiL",
    .shape = pt_vk_shape_rotary,
    .emit = pt_vk_emit_rotary_hf,
    .compute = pt_vk_cpu_rotary_hf },
  { .name = "et_vk.apply_rotary_emb_interleaved.default",
    .signature = "TTO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_rotary_interleaved,
    .compute = pt_vk_cpu_rotary_interleaved },
  { .name = "sdpa_with_kv_cache.default",
    .signature = "TTTKKizzfzgO",
    .shape = pt_vk_shape_attention,
    .emit = pt_vk_emit_attention,
    .kernel = "llama::sdpa_with_kv_cache.out",
    .pass = "012345S1N8TaO" },
  { .name = "update_cache.default",
    .signature = "TKiO",
    .shape = pt_vk_shape_same,
    .emit = pt_vk_emit_update_cache,
    .compute = pt_vk_cpu_update_cache },
  { .name = "llama.custom_sdpa.default",
    .signature = "TKKizfzgO",
    .shape = pt_vk_shape_attention,
    .emit = pt_vk_emit_custom_sdpa,
    .kernel = "llama::custom_sdpa.out",
    .pass = "0123N5T7O" },
  { .name = "et_vk.sdpa.default",
    .signature = "TTTtgO",
    .shape = pt_vk_shape_attention,
    .emit = pt_vk_emit_sdpa,
    .compute = pt_vk_cpu_sdpa },
};

const PtVkOperatorGroup pt_vk_group_language = { language, G_N_ELEMENTS (language) };

#define SYMBOL(name_, code_)                                                               \
  {                                                                                        \
    .name = name_, .signature = "iiS", .shape = pt_vk_shape_sym_arithmetic, .code = code_, \
    .is_host = TRUE                                                                        \
  }

static const PtVkOperator symbols[] = {
  { .name = "sym_size.int", .signature = "TiS", .shape = pt_vk_shape_sym_size, .is_host = TRUE },
  { .name = "et_vk.select_as_symint.default",
    .signature = "TiiS",
    .shape = pt_vk_shape_select_as_symint,
    .is_host = TRUE },
  SYMBOL ("add", '+'),
  SYMBOL ("sub", '-'),
  SYMBOL ("mul", '*'),
  SYMBOL ("floordiv", '/'),
};

const PtVkOperatorGroup pt_vk_group_symbols = { symbols, G_N_ELEMENTS (symbols) };
