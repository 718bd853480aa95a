/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/*
 * What other programs drop on us. On Windows we read their lists of files ourselves (CF_HDROP):
 * GTK 4.8 knows only the shell's, in which paths are not longer than 260 characters, and which not
 * every program has.
 */

/** What can be read, for a drop target. The caller owns it. */
GdkContentFormats *pteris_dropped_files_formats (void);

void pteris_dropped_files_read_async (GdkDrop *drop, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
/** The files, of GFile: free with g_object_unref() each. NULL with @error: there are none. */
GSList *pteris_dropped_files_read_finish (GAsyncResult *result, GError **error);

/** What is in a CF_HDROP, @size @bytes. As above. */
GSList *pteris_dropped_files_parse (const guint8 *bytes, gsize size);

G_END_DECLS
