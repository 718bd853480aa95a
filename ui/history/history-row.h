/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/history/history-list.h"

G_BEGIN_DECLS

/** PterisHistoryRow: a row with the title of an item and a menu of actions; the first row of a day
 * has the name of the day. */
#define PTERIS_TYPE_HISTORY_ROW (pteris_history_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisHistoryRow, pteris_history_row, PTERIS, HISTORY_ROW, GtkWidget)

/** A row for items of @history. @kind must live as long as the row. */
PterisHistoryRow *pteris_history_row_new (const PterisHistoryKind *kind, GListModel *history);

/** @item: NULL releases the previous one. */
void pteris_history_row_set_item (PterisHistoryRow *self, gpointer item);

/** @day: NULL if the row is not the first of a day. */
void pteris_history_row_set_day (PterisHistoryRow *self, const char *day);

/** @passage: what was found, shown in one or two lines; NULL: nothing. */
void pteris_history_row_set_passage (PterisHistoryRow *self, const char *passage);

/** Ask for another title. */
void pteris_history_row_rename (PterisHistoryRow *self);

G_END_DECLS
