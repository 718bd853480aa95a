/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Allow the button of @drop_down, whose items are GtkStringObjects, to be narrower than its text.
 * */
void pteris_drop_down_ellipsize (GtkDropDown *drop_down);

/** Show @text without a selection. GTK's own text is "(None)". */
void pteris_drop_down_set_prompt (GtkDropDown *drop_down, const char *text);

G_END_DECLS
