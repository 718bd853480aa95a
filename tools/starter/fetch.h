/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <jansson.h>

G_BEGIN_DECLS

/** TRUE when the SHA-256 of the file at @path is @sha256; an unreadable file has none. */
gboolean fetch_file_matches (const char *path, const char *sha256);

/**
 * Put @packages ("name==version", a JSON array) below @folder: by pip, on Windows without it.
 * Blocks; needs the network.
 */
gboolean fetch_packages (json_t *packages, const char *folder, GError **error);

/**
 * The files of @files (a JSON array of path and sha256) below @folder, checked, one after the other
 * in one buffer. NULL with an error when one is missing or differs.
 */
GBytes *fetch_read_files (json_t *files, const char *folder, GError **error);

/** Delete @folder and everything in it. */
void fetch_remove_folder (const char *folder);

G_END_DECLS
