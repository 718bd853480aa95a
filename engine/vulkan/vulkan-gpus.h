/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the question for GPUs (vulkan.h). At initialisation. */
void pt_vulkan_gpus_register (void);

G_END_DECLS
