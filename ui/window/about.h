/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Show the About window, with versions and licenses of all libraries. */
void pteris_about_show (GtkWindow *parent);

/** Versions of Pteris and of its libraries, one per line. Free with g_free(). */
char *pteris_about_versions (void);

G_END_DECLS
