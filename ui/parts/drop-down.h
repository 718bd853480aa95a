/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Allow the button of @drop_down, whose items are GtkStringObjects, to be narrower than its text.
 * */
void pteris_drop_down_ellipsize (GtkDropDown *drop_down);

G_END_DECLS
