/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/**
 * Describe a CUDA delegate for pteris inspect. Nothing is loaded, and no GPU is needed. The object:
 *
 *     { "form": "method keys", "two keys", "ETCUDAFQN3", ...,
 *       "libraries": [{ "key", "bytes", "target", "ptx", "fallback": of forms with several,
 *                       "platform": "Linux", "cpu": "x86-64", "needed": [names],
 *                       "code": [{ "name": "sm_90a", "compressed" }], "kernels",
 *                       "missing_functions": [names that this build does not have] }],
 *       "weights": { "key": of the one blob, or null, "constants": how many have names,
 *                    "storages": how many there are to look up, "found", "bytes" } }
 *
 * @missing: takes sentences, to be freed with g_free(): what keeps it from running here.
 */
json_t *pt_cuda_report (const PtDelegateContext *context, GPtrArray *missing);

/** Add the bytes of weights that a CUDA delegate keeps on its GPU; for PtBackend.measure. */
void pt_cuda_measure (const PtDelegateContext *context, PtDelegateNeeds *needs);

G_END_DECLS
