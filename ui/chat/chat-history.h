/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "ui/chat/conversation.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisChatHistory: all conversations, the most recently used first; a GListModel of
 * PterisConversation.
 *
 * Signals:
 *   ready (): the history has been read, or has failed to be read (pteris_chat_history_get_error())
 */
#define PTERIS_TYPE_CHAT_HISTORY (pteris_chat_history_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatHistory, pteris_chat_history, PTERIS, CHAT_HISTORY,
                      PterisListObject)

PterisChatHistory *pteris_chat_history_new (void);

/** Read the history in a thread. */
void pteris_chat_history_load (PterisChatHistory *self);

/** The sentence of the error in reading the history; or NULL. */
const char *pteris_chat_history_get_error (PterisChatHistory *self);

/** Add a new conversation at the top; its title is the beginning of @text. Not a new reference. */
PterisConversation *pteris_chat_history_add (PterisChatHistory *self, const char *text);

/** List @conversation, which is in the database already, by its time. */
void pteris_chat_history_take (PterisChatHistory *self, PterisConversation *conversation);

/** Move @conversation to the top after a new message. */
void pteris_chat_history_touch (PterisChatHistory *self, PterisConversation *conversation);

void pteris_chat_history_rename (PterisChatHistory *self, PterisConversation *conversation,
                                 const char *title);

/** Remove @conversation from the list; the database deletes it at the next start. */
void pteris_chat_history_remove (PterisChatHistory *self, PterisConversation *conversation);

/** Undo pteris_chat_history_remove(), at the old position. */
void pteris_chat_history_put_back (PterisChatHistory *self, PterisConversation *conversation);

/** Find a conversation by @id; or NULL. Not a new reference. */
PterisConversation *pteris_chat_history_find (PterisChatHistory *self, gint64 id);

G_END_DECLS
