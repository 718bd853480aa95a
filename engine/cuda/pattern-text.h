/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/* What the patterns of several kinds of kernels have in common. */

/** What a kernel does with each of its first parameters, of 8 bytes each. Bits. */
typedef struct {
  guint n; /* these parameters */
  guint64 read, written, indirect;
} PtPatternTensors;

/**
 * The tensors of a kernel of Triton: the parameters of 8 bytes in front of the first smaller one.
 * @length: set to whether the last of them is no tensor but a size, because it is only in
 * addresses together with others; it is not counted. FALSE: an address comes from several tensors,
 * or from none.
 */
gboolean pt_pattern_tensors (const PtPtxAddresses *addresses, PtPatternTensors *tensors,
                             gboolean *length);

/**
 * The number of parameters of 4 bytes from parameter @first on, if two of 8 bytes, which Triton
 * adds, and nothing else follow; else 0.
 */
guint pt_pattern_count_numbers (const PtPtxAddresses *addresses, guint first);

/** The number that is added in front of the first reciprocal square root. FALSE: not found. */
gboolean pt_pattern_epsilon (const char *text, double *epsilon);

/** Arguments of a launch. */
PtCuPointer pt_pattern_pointer (void *const *arguments, guint i);
gint64 pt_pattern_number (void *const *arguments, guint i);

G_END_DECLS
