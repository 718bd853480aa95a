/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/container.h"
#include "engine/cuda/cuda-payload.h"

G_BEGIN_DECLS

/**
 * Make a container from the bytes of a library in a program: choose the library for this GPU, check
 * its hash, check this machine against its requirements, check the user's consent, and only then
 * copy and load it (docs/formats/cuda.md, section 4). NULL with an error.
 */
PtCudaContainer *pt_cuda_load (const PtDelegateContext *context, const PtCudaPayload *payload,
                               PtCudaContext *cuda, GError **error);

G_END_DECLS
