/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/container.h"
#include "engine/cuda/cuda-payload.h"

G_BEGIN_DECLS

/**
 * From the bytes of a library in a program to a container: choose the library for this GPU, check
 * its hash, look through it for what this machine lacks, make sure that the user has agreed to
 * run it, and only then copy and load it (docs/formats/cuda.md, section 4).
 */
PtCudaContainer *pt_cuda_load (const PtDelegateContext *context, const PtCudaPayload *payload,
                               PtCudaContext *cuda, GError **error);

G_END_DECLS
