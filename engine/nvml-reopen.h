/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/nvml.h"

G_BEGIN_DECLS

/**
 * Close NVML and open it again, so that GPUs and drivers that came or went are seen. @func is
 * called with it, NULL when it does not start, while nobody else uses it. Any thread.
 *
 * Returns: FALSE with the reason when there is no GPU
 */
typedef void (*PtNvmlFunc) (const PtNvml *nvml, gpointer user_data);
gboolean pt_stats_look_again (PtNvmlFunc func, gpointer user_data, GError **error);

G_END_DECLS
