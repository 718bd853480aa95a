/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Labels for text that grows and can be selected meanwhile. */

GtkWidget *pteris_markup_label_new (void);

/** Keeps the selection. Returns FALSE when @label says so already. */
gboolean pteris_markup_label_set (GtkLabel *label, const char *markup);

G_END_DECLS
