/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** A name and a value, and below them a bar: @share of the whole, 0 to 1. */
GtkWidget *pteris_share_bar_new (const char *name, const char *value, double share);

G_END_DECLS
