/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/attention-pattern.h"
#include "engine/cuda/gate-pattern.h"
#include "engine/cuda/norm-pattern.h"
#include "engine/cuda/product-pattern.h"
#include "engine/cuda/rotary-pattern.h"

G_BEGIN_DECLS

typedef enum {
  PT_PATTERN_NOTHING,
  PT_PATTERN_ATTENTION,
  PT_PATTERN_PRODUCT,
  PT_PATTERN_NORM,
  PT_PATTERN_ROTARY,
  PT_PATTERN_GATE,
  PT_N_PATTERNS
} PtPatternKind;

/** What the code of a kernel looks like. */
typedef struct {
  PtPatternKind kind;
  union {
    PtAttentionPattern attention;
    PtProductPattern product;
    PtNormPattern norm;
    PtRotaryPattern rotary;
    PtGatePattern gate;
  };
} PtKernelPattern;

/** The pattern of a kernel with the PTX @text and @addresses. FALSE: of nothing. Any thread. */
gboolean pt_kernel_pattern_find (const char *text, const PtPtxAddresses *addresses,
                                 PtKernelPattern *pattern);

G_END_DECLS
