/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Show the file at @path in the file manager, selected where it can do that. Blocks on nothing. */
void pteris_show_in_folder (GtkWindow *parent, const char *path);

/** Open @path with the program that the desktop has for such files. */
void pteris_show_file (GtkWindow *parent, const char *path);

G_END_DECLS
