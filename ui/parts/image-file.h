/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/**
 * The picture in the file at @path as models see it (pt_image_read(), which has the limits); with a
 * @side above 0 it is made to fit a square of that many pixels. NULL with a PT_ERROR_* and a
 * sentence in the user's language. It blocks: not for the UI's thread. Free with g_object_unref().
 */
GdkPixbuf *pteris_image_file_read (const char *path, int side, GCancellable *cancellable,
                                   GError **error);

G_END_DECLS
