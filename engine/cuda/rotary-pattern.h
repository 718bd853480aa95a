/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * Recognises kernels of model libraries that turn heads by the angles of their positions. They
 * contain sine and cosine, and have these arguments: tensors; the number of positions unless it
 * was fixed at the export; the number of heads of all positions and the size of a head, in any
 * order; two addresses that Triton adds. The tensors are
 *
 * - input, the weights of RMSNorm if the kernel has a square root, and the angles;
 * - if results are written to rows of a cache, the positions, and values that are copied to a
 *   second cache; else perhaps one that another kernel began to compute;
 * - the result, or the caches and perhaps a mask. If there is no cache and no weights, the result
 *   may be the part with the sines, to which another kernel adds the rest.
 *
 * What is not known from the code is tried in several ways. A pattern is only a guess about what a
 * kernel computes: see cuda-replacements.h.
 */

#define PT_ROTARY_WAYS 8

typedef struct {
  gboolean has_weights, is_cache, has_values, has_mask, has_partial;
  gboolean has_length; /* number of positions */
  guint8 numbers;      /* parameter of the first of the two numbers */
  double epsilon;
} PtRotaryPattern;

/** Whether a kernel with the PTX @text and @addresses looks like one. Any thread. */
gboolean pt_rotary_pattern_find (const char *text, const PtPtxAddresses *addresses,
                                 PtRotaryPattern *pattern);

/**
 * What a launch with @arguments computes if the guess is right, without the length of a cache.
 *
 * @way: below PT_ROTARY_WAYS: how to read what is not certain
 * @partial: set to the tensor that another kernel must have computed from the same input and
 *   angles; 0: there is none
 *
 * Returns: FALSE when this is more than one position, or not such a way
 */
gboolean pt_rotary_pattern_read (const PtRotaryPattern *pattern, void *const *arguments, guint way,
                                 PtCudaRotary *rotary, PtCuPointer *partial);

G_END_DECLS
