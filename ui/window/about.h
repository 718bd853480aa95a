/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Show what Pteris is, with the versions and licenses of all that is in it. */
void pteris_about_show (GtkWindow *parent);

/** Versions of Pteris and the libraries it runs with, a line each. Free with g_free(). */
char *pteris_about_versions (void);

G_END_DECLS
