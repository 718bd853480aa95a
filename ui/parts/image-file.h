/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

G_BEGIN_DECLS

/**
 * The picture in the file at @path, upright; with a @side above 0 it is made to fit a square of
 * that many pixels. What is no plain file of up to 64 MiB, no picture of a format that people
 * have, or of more than 50 megapixels is refused before it is decoded. NULL with a PT_ERROR_* and
 * a sentence. It blocks: not for the UI's thread. Free with g_object_unref().
 */
GdkPixbuf *pteris_image_file_read (const char *path, int side, GError **error);

G_END_DECLS
