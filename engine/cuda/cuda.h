/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register "CudaBackend". This build has no CUDA delegate, so it is never available; it is
 * registered to say so, and whether the machine has a GPU at all.
 */
void pt_cuda_register (void);

G_END_DECLS
