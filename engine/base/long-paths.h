/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Let every function of this process take paths of more than 260 characters (Windows 10 1703 and
 * later). The manifest asks for the same, but Windows heeds that only where the registry says so
 * too, which it does not by itself. Windows only.
 */
void pt_long_paths_allow (void);

/**
 * @path, whole and with "\\?\" before it, so that no function cuts it; NULL when it is no UTF-8.
 * Windows only. Free with g_free().
 */
gunichar2 *pt_long_path (const char *path);

G_END_DECLS
