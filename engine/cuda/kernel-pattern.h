/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/attention-pattern.h"
#include "engine/cuda/product-pattern.h"

G_BEGIN_DECLS

typedef enum {
  PT_PATTERN_NOTHING,
  PT_PATTERN_ATTENTION,
  PT_PATTERN_PRODUCT,
  PT_N_PATTERNS
} PtPatternKind;

/** What the code of a kernel looks like. */
typedef struct {
  PtPatternKind kind;
  union {
    PtAttentionPattern attention;
    PtProductPattern product;
  };
} PtKernelPattern;

/** The pattern of kernel @name of the PTX @text, [size] bytes. FALSE: of nothing. Any thread. */
gboolean pt_kernel_pattern_find (const char *text, gsize size, const char *name,
                                 PtKernelPattern *pattern);

G_END_DECLS
