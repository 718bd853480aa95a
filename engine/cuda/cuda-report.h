/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/**
 * Describe a CUDA delegate, for PtBackend.describe: a PtInspectCuda. Nothing is loaded, and no GPU
 * is needed.
 */
void pt_cuda_describe (const PtDelegateContext *context, PtDelegateDescription *description);

/** Add the bytes of weights that a CUDA delegate keeps on its GPU; for PtBackend.measure. */
void pt_cuda_measure (const PtDelegateContext *context, PtDelegateNeeds *needs);

G_END_DECLS
