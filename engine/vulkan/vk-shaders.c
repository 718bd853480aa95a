/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-shaders.h"

#include <stdint.h>

/* Of the build folder: "const uint32_t pt_vk_words_NAME[]". */
#include <vk-shader-words.h>

static const PtVkShaderCode CODES[] = {
#define CODE(name, n_bindings) { #name, pt_vk_words_##name, sizeof pt_vk_words_##name, n_bindings },
  PT_VK_SHADERS (CODE)
};

const PtVkShaderCode *
pt_vk_shader_code (PtVkShader shader)
{
  return &CODES[shader];
}
