/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** In pixels: how wide a column of text of @widget gets at most, so that lines can be read: about
 * 90 characters. */
int pteris_text_width (GtkWidget *widget);

G_END_DECLS
