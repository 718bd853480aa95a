/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/*
 * Reads files dropped by other programs. On Windows we read CF_HDROP ourselves: GTK 4.8 only reads
 * the shell's list, whose paths have at most 260 characters, and which some programs do not
 * provide.
 */

/** The formats that can be read, for a drop target. The caller owns it. */
GdkContentFormats *pteris_dropped_files_formats (void);

void pteris_dropped_files_read_async (GdkDrop *drop, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
/** The files, of GFile: free with g_object_unref() each. NULL with @error: there are none. */
GSList *pteris_dropped_files_read_finish (GAsyncResult *result, GError **error);

/** The files in a CF_HDROP of @size @bytes. As above. */
GSList *pteris_dropped_files_parse (const guint8 *bytes, gsize size);

G_END_DECLS
