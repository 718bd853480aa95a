/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/**
 * Decode the picture at @path with pt_image_read() and its limits. @side > 0: scale it to fit a
 * square of that many pixels. NULL with a PT_ERROR_* and a sentence in the user's language.
 * Blocking; not on the UI thread. Free with g_object_unref().
 */
GdkPixbuf *pteris_image_file_read (const char *path, int side, GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
