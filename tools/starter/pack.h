/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/starter/source.h"

G_BEGIN_DECLS

typedef void (*PackProgress) (double fraction, gpointer user_data);

/**
 * Write the data file @output of a starter model: @folder has manifest.json (the source rows and
 * the transform of each segment) and a file with the name of @output and ".head" (header and
 * tables). @output can be a program that has its weights inside.
 *
 * The file appears under its name only when it is complete and its SHA-256 is @sha256 (NULL: any).
 */
gboolean pack_data_file (const char *folder, const Source *source, const char *output,
                         const char *sha256, PackProgress progress, gpointer user_data,
                         GError **error);

G_END_DECLS
