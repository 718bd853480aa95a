/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register the primitive operators that read or redirect tensors. Called by pt_prims_register().
 */
void pt_prims_tensor_register (void);

G_END_DECLS
