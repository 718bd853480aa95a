/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register the backend "CudaBackend" of a build without CUDA delegates. It is never available; its
 * error says so, and whether the machine has a GPU.
 */
void pt_cuda_register (void);

G_END_DECLS
