/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/history/history-list.h"

G_BEGIN_DECLS

/** PterisHistoryRow: the title of what is kept, what can be done with it, and the name of its day
 * where that begins. */
#define PTERIS_TYPE_HISTORY_ROW (pteris_history_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisHistoryRow, pteris_history_row, PTERIS, HISTORY_ROW, GtkWidget)

/** For items of @history. @kind must live as long as the row. */
PterisHistoryRow *pteris_history_row_new (const PterisHistoryKind *kind, GListModel *history);

/** @item: NULL lets go of the one before. */
void pteris_history_row_set_item (PterisHistoryRow *self, gpointer item);

/** @day: NULL for a row that does not begin one. */
void pteris_history_row_set_day (PterisHistoryRow *self, const char *day);

/** Ask for another title. */
void pteris_history_row_rename (PterisHistoryRow *self);

G_END_DECLS
