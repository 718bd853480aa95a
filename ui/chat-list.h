/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat-history.h"

G_BEGIN_DECLS

/**
 * PterisChatList: the conversations by day, and a field that searches in their titles and text. Its
 * rows do "win.open-chat", "win.rename-chat", "win.export-chat" and "win.delete-chat", each with
 * the conversation's id.
 */
#define PTERIS_TYPE_CHAT_LIST (pteris_chat_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatList, pteris_chat_list, PTERIS, CHAT_LIST, GtkWidget)

void pteris_chat_list_set_history (PterisChatList *self, PterisChatHistory *history);

/** Mark @conversation as the one that is shown; NULL: none is. */
void pteris_chat_list_set_current (PterisChatList *self, PterisConversation *conversation);

/** Put the cursor into the search field. */
void pteris_chat_list_search (PterisChatList *self);

/** Ask for a new title of @conversation, beside its row. */
void pteris_chat_list_rename (PterisChatList *self, PterisConversation *conversation);

G_END_DECLS
