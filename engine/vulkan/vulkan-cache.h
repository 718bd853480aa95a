/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * The folder where the driver's compiled shaders are kept for @program. NULL: nothing of the
 * program is for Vulkan. Free with g_free(). Any thread.
 */
char *pt_vulkan_cache_folder (const PtProgram *program);

G_END_DECLS
