/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gdk/gdk.h>

G_BEGIN_DECLS

/** Read the files on @clipboard, or save the picture on it to a new file in @folder. */
void pteris_picture_paste_async (GdkClipboard *clipboard, const char *folder,
                                 GAsyncReadyCallback callback, gpointer user_data);
/** The files (GFile): free with g_object_unref() each. NULL with an error for people: there is
 * neither, or it cannot be saved. */
GSList *pteris_picture_paste_finish (GAsyncResult *result, GError **error);

G_END_DECLS
