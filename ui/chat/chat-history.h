/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "ui/chat/conversation.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisChatHistory: every conversation there is, the one written in last first; a GListModel of
 * PterisConversation.
 *
 * Signals:
 *   ready (): what was kept has been read, or could not be (pteris_chat_history_get_error())
 */
#define PTERIS_TYPE_CHAT_HISTORY (pteris_chat_history_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatHistory, pteris_chat_history, PTERIS, CHAT_HISTORY,
                      PterisListObject)

PterisChatHistory *pteris_chat_history_new (void);

/** Read what was kept, in a thread. */
void pteris_chat_history_load (PterisChatHistory *self);

/** Why it could not be read, a sentence; or NULL. */
const char *pteris_chat_history_get_error (PterisChatHistory *self);

/** A new conversation at the top, called by the beginning of @text. Not a new reference. */
PterisConversation *pteris_chat_history_add (PterisChatHistory *self, const char *text);

/** List @conversation, which is written already, by its time. */
void pteris_chat_history_take (PterisChatHistory *self, PterisConversation *conversation);

/** Something was said in @conversation: it moves to the top. */
void pteris_chat_history_touch (PterisChatHistory *self, PterisConversation *conversation);

void pteris_chat_history_rename (PterisChatHistory *self, PterisConversation *conversation,
                                 const char *title);

/** Take @conversation off the list; it is gone for good at the next start. */
void pteris_chat_history_remove (PterisChatHistory *self, PterisConversation *conversation);

/** Put back one that was removed, where it stood. */
void pteris_chat_history_put_back (PterisChatHistory *self, PterisConversation *conversation);

/** NULL when there is none with this @id. Not a new reference. */
PterisConversation *pteris_chat_history_find (PterisChatHistory *self, gint64 id);

G_END_DECLS
