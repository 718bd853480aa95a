/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/kernel-pattern.h"

gboolean
pt_kernel_pattern_find (const char *text, const PtPtxAddresses *addresses, PtKernelPattern *pattern)
{
  if (pt_attention_pattern_find (text, addresses, &pattern->attention))
    pattern->kind = PT_PATTERN_ATTENTION;
  else if (pt_product_pattern_find (text, addresses, &pattern->product))
    pattern->kind = PT_PATTERN_PRODUCT;
  else if (pt_rotary_pattern_find (text, addresses, &pattern->rotary))
    pattern->kind = PT_PATTERN_ROTARY;
  else if (pt_norm_pattern_find (text, addresses, &pattern->norm))
    pattern->kind = PT_PATTERN_NORM;
  else if (pt_gate_pattern_find (text, addresses, &pattern->gate))
    pattern->kind = PT_PATTERN_GATE;
  else
    pattern->kind = PT_PATTERN_NOTHING;
  return pattern->kind != PT_PATTERN_NOTHING;
}
