/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Make a label for text that grows and can be selected. */

GtkWidget *pteris_markup_label_new (void);

/** Set the markup and keep the selection. Returns FALSE if @label has it already. */
gboolean pteris_markup_label_set (GtkLabel *label, const char *markup);

G_END_DECLS
