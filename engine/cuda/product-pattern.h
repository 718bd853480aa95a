/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * Recognises matrix products of model libraries by their code. Triton's template has these
 * arguments: tensors (input, weights, perhaps one that the results are combined with, output), the
 * number of rows unless it was fixed at the export, and two addresses that Triton adds. The other
 * sizes are numbers in the code. Names are not looked at.
 *
 * A pattern is only a guess about what a kernel computes: see cuda-replacements.h.
 */

typedef struct {
  PtCudaRowEnd end;
  gboolean has_rows; /* else their number is in the code */
} PtProductPattern;

/** Whether a kernel with the PTX @text and @addresses looks like one. Any thread. */
gboolean pt_product_pattern_find (const char *text, const PtPtxAddresses *addresses,
                                  PtProductPattern *pattern);

/** What a launch with @arguments computes if the guess is right, without the sizes. FALSE: of more
 * than one row. */
gboolean pt_product_pattern_read (const PtProductPattern *pattern, void *const *arguments,
                                  PtCudaRow *row);

G_END_DECLS
