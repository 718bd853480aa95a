/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Every case.json below @folders, sorted. One that begins with '$' names an environment variable
 * with folders, which may not be set. Free with g_ptr_array_unref().
 */
GPtrArray *case_files_find (int n_folders, char **folders);

G_END_DECLS
