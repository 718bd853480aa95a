/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-emit-operators.h"

PT_VK_EMIT (unary)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (gelu)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (clamp)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (binary)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (binary_scalar)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (div_mode)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (where)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (convert)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (permute)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (transpose)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (select)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (slice)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (split)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (cat)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (expand)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (repeat)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (flip)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (pad)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (pixel_shuffle)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (unfold)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (gather)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (index_select)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (index)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (embedding)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (fill)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (arange)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (grid_priors)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (reduce)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (softmax)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (layer_norm)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (group_norm)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (batch_norm)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (rms_norm)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (matmul)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (addmm)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (linear)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (convolution)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (max_pool)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (avg_pool)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (upsample)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (rotary)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (rotary_hf)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (attention)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (linear_8w)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (linear_qcs4w)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (linear_q4gsw)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (linear_dq8ca_q4gsw)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (q8_linear)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (choose_qparams)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (quantize)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (dequantize)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (q8_convolution)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (q8_add)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (q8_relu)
{
  return PT_VK_DECLINED;
}
PT_VK_EMIT (embedding_q4)
{
  return PT_VK_DECLINED;
}
