/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat-history.h"

G_BEGIN_DECLS

/** PterisChatRow: a conversation in the list, under the name of its day where that begins. */
#define PTERIS_TYPE_CHAT_ROW (pteris_chat_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatRow, pteris_chat_row, PTERIS, CHAT_ROW, GtkWidget)

PterisChatRow *pteris_chat_row_new (void);

/** @conversation: NULL lets go of the one before. */
void pteris_chat_row_set_conversation (PterisChatRow *self, PterisConversation *conversation);
PterisConversation *pteris_chat_row_get_conversation (PterisChatRow *self);

/** @day: NULL for a row that does not begin one. */
void pteris_chat_row_set_day (PterisChatRow *self, const char *day);

/** Ask for another title. */
void pteris_chat_row_rename (PterisChatRow *self, PterisChatHistory *history);

G_END_DECLS
