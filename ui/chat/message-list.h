/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/message-row.h"

G_BEGIN_DECLS

/**
 * PterisMessageList: the rows of a conversation, for a scrolled window. Rows exist only near the
 * visible area, so that a conversation of any length opens at once; the heights of others are
 * estimated. The visible rows do not move when others grow; at the end the view follows the end.
 *
 * Signals:
 *   row-added (PterisMessageRow *row): a row was created; its signals can be connected
 */
#define PTERIS_TYPE_MESSAGE_LIST (pteris_message_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisMessageList, pteris_message_list, PTERIS, MESSAGE_LIST, GtkWidget)

/** @model: of PterisMessage; borrowed until the list is disposed of. */
void pteris_message_list_set_model (PterisMessageList *self, GListModel *model);

/** The row of the message at @position; creates it if needed and scrolls to it. */
PterisMessageRow *pteris_message_list_reach (PterisMessageList *self, guint position);

G_END_DECLS
