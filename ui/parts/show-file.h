/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Show the file at @path in the file manager, selected if possible. Does not block. */
void pteris_show_in_folder (GtkWindow *parent, const char *path);

/** Open @path with the desktop's default program. */
void pteris_show_file (GtkWindow *parent, const char *path);

G_END_DECLS
