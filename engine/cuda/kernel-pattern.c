/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/kernel-pattern.h"

gboolean
pt_kernel_pattern_find (const char *text, gsize size, const char *name, PtKernelPattern *pattern)
{
  if (pt_attention_pattern_find (text, size, name, &pattern->attention))
    pattern->kind = PT_PATTERN_ATTENTION;
  else if (pt_product_pattern_find (text, size, name, &pattern->product))
    pattern->kind = PT_PATTERN_PRODUCT;
  else
    pattern->kind = PT_PATTERN_NOTHING;
  return pattern->kind != PT_PATTERN_NOTHING;
}
