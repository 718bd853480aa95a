/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/markdown/markdown.h"

G_BEGIN_DECLS

/** PterisTableView: a table that may still grow; it scrolls horizontally if it is too wide. */
#define PTERIS_TYPE_TABLE_VIEW (pteris_table_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisTableView, pteris_table_view, PTERIS, TABLE_VIEW, GtkWidget)

PterisTableView *pteris_table_view_new (void);

/** Show @block, a TABLE. Unchanged cells are not touched. */
void pteris_table_view_set (PterisTableView *self, const PterisBlock *block);

G_END_DECLS
