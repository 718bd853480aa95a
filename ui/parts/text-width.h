/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** The largest readable width of a column of text of @widget in pixels: about 90 characters. */
int pteris_text_width (GtkWidget *widget);

G_END_DECLS
