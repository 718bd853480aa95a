/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * The bytes of the file @name of the zip archive @archive, stored or deflated. NULL with an error
 * when there is no such file, the archive is damaged, encrypted, or in the form for more than
 * 4 GB. Its checksum is not compared: the archive's own is known.
 */
GBytes *zip_read (GBytes *archive, const char *name, GError **error);

G_END_DECLS
