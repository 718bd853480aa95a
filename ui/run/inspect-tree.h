/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/run/inspect-item.h"

G_BEGIN_DECLS

/**
 * @items as a tree whose sections fold. @open: all are open; otherwise long ones are folded, unless
 * something is missing in them.
 */
GtkTreeListModel *pteris_inspect_tree_new (GPtrArray *items, gboolean open);

G_END_DECLS
