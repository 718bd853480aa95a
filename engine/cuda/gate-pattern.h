/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * Recognises kernels of model libraries that multiply a vector by SiLU of another one. They contain
 * an exponential, read two tensors, and write one of them or a third; the one number among the
 * arguments is that of the elements. Which tensor is the gate is not certain, so it is tried in two
 * ways. Names are not looked at.
 *
 * A pattern is only a guess about what a kernel computes: see cuda-replacements.h.
 */

#define PT_GATE_WAYS 2

typedef struct {
  guint8 inputs[2], output; /* parameters */
  guint8 number;
} PtGatePattern;

/** Whether a kernel with the PTX @text and @addresses looks like one. Any thread. */
gboolean pt_gate_pattern_find (const char *text, const PtPtxAddresses *addresses,
                               PtGatePattern *pattern);

/** What a launch with @arguments computes if the guess is right; @way: below PT_GATE_WAYS. */
gboolean pt_gate_pattern_read (const PtGatePattern *pattern, void *const *arguments, guint way,
                               PtCudaGate *gate);

G_END_DECLS
