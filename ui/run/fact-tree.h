/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/run/fact.h"

G_BEGIN_DECLS

/**
 * @facts as a tree whose sections fold. @open: all are open; otherwise long ones are folded, unless
 * something is missing in them.
 */
GtkTreeListModel *pteris_fact_tree_new (GPtrArray *facts, gboolean open);

G_END_DECLS
