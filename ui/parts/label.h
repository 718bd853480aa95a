/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** A label of @text that wraps between words, else between characters, at the left. @style: a style
 * class, or NULL. UI thread. */
GtkWidget *pteris_label_new (const char *text, const char *style);

G_END_DECLS
