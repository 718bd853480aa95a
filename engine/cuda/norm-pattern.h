/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * Recognises RMSNorm of model libraries by its code. Triton's kernels have these arguments: the
 * tensors in the order in which they are used, but one that is changed in place comes first; the
 * number of rows unless it was 1 at the export; the length of a row; two addresses that Triton
 * adds. An address of the table of tokens comes from a number in memory, the token, which is the
 * argument before it. The weights are the last tensor that is only read, the result the last one
 * that is written. Names are not looked at.
 *
 * A pattern is only a guess about what a kernel computes: see cuda-replacements.h.
 */

typedef struct {
  gboolean has_table, has_sum;
  guint8 token, table, weights, sum, output; /* parameters */
  guint8 inputs[PT_CUDA_NORM_INPUTS];
  guint8 n_inputs;
  gboolean has_rows;
  guint8 numbers; /* parameter of the first number */
  double epsilon;
} PtNormPattern;

/** Whether a kernel with the PTX @text and @addresses looks like one. Any thread. */
gboolean pt_norm_pattern_find (const char *text, const PtPtxAddresses *addresses,
                               PtNormPattern *pattern);

/** What a launch with @arguments computes if the guess is right, without the size of the table.
 * FALSE: of more than one row. */
gboolean pt_norm_pattern_read (const PtNormPattern *pattern, void *const *arguments,
                               PtCudaNorm *norm);

G_END_DECLS
