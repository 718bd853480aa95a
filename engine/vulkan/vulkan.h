/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the backend; from pt_init(). A build without Vulkan has none. */
void pt_vulkan_register (void);

G_END_DECLS
