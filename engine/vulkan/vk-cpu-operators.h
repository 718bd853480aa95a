/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-cpu.h"

G_BEGIN_DECLS

/* Operators that the house has no kernel for, as PtVkComputeFunc. */

#define PT_VK_CPU(name) gboolean pt_vk_cpu_##name (const PtVkCpuCall *cpu, GError **error)

PT_VK_CPU (unary);
PT_VK_CPU (convert);
PT_VK_CPU (fill);
PT_VK_CPU (arange);
PT_VK_CPU (grid_priors);
PT_VK_CPU (rms_norm);
PT_VK_CPU (clamp_out); /* the output of a convolution, by arguments 9 and 10 */
PT_VK_CPU (max_pool);

PT_VK_CPU (rotary);
PT_VK_CPU (rotary_hf);
PT_VK_CPU (rotary_interleaved);
PT_VK_CPU (update_cache);
PT_VK_CPU (sdpa);
PT_VK_CPU (embedding_q4);

PT_VK_CPU (linear_8w);
PT_VK_CPU (linear_qcs4w);
PT_VK_CPU (linear_q4gsw);
PT_VK_CPU (linear_dq8ca_q4gsw);
PT_VK_CPU (choose_qparams);
PT_VK_CPU (choose_tensor);
PT_VK_CPU (quantize);
PT_VK_CPU (dequantize);
PT_VK_CPU (quantize_affine);
PT_VK_CPU (dequantize_affine);
PT_VK_CPU (quantize_channels);
PT_VK_CPU (dequantize_channels);
PT_VK_CPU (quantize_tokens);
PT_VK_CPU (dequantize_tokens);
PT_VK_CPU (quantize_by_tensor);
PT_VK_CPU (dequantize_by_tensor);
PT_VK_CPU (q8_linear);
PT_VK_CPU (q8_convolution);
PT_VK_CPU (q8_add);
PT_VK_CPU (q8_relu);
PT_VK_CPU (q8_pixel_shuffle);

G_END_DECLS
