/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Let every function of this process take paths of more than 260 characters (Windows 10 1703 and
 * later). The manifest of the executable asks for the same, but Windows obeys the manifest only
 * where a registry value, which is off by default, allows it. Windows only.
 */
void pt_long_paths_allow (void);

/**
 * Return the absolute form of @path with the prefix "\\?\", which lifts the limit of 260
 * characters; NULL when @path is not valid UTF-8. Windows only. Free with g_free().
 */
gunichar2 *pt_long_path (const char *path);

G_END_DECLS
