/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine-client.h"
#include "ui/library.h"
#include "ui/message.h"

G_BEGIN_DECLS

/**
 * PterisChatSession: the conversation and the work on its answers; a GListModel of PterisMessage.
 * Everything is journalled as it happens. Property "busy": an answer is being worked on.
 */
#define PTERIS_TYPE_CHAT_SESSION (pteris_chat_session_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatSession, pteris_chat_session, PTERIS, CHAT_SESSION, GObject)

PterisChatSession *pteris_chat_session_new (PterisEngineClient *client, PterisLibrary *library);

/** Bring back the last conversation; reads in a thread. */
void pteris_chat_session_restore (PterisChatSession *self);

gboolean pteris_chat_session_is_busy (PterisChatSession *self);

/** Say @text and answer it. The model is the loaded one, else the one used last, else the first. */
void pteris_chat_session_send (PterisChatSession *self, const char *text);

/** Answer the last question again. Nothing happens while busy. */
void pteris_chat_session_regenerate (PterisChatSession *self);

/** Stop the answer under way; what there is of it stays. */
void pteris_chat_session_stop (PterisChatSession *self);

/** Begin an empty conversation. The old one stays on disk. */
void pteris_chat_session_clear (PterisChatSession *self);

/** The chat model that an answer would come from now; NULL when there is none. Not a new reference.
 */
PterisModel *pteris_chat_session_get_model (PterisChatSession *self);

/** The last answer that has text, or NULL. Not a new reference. */
PterisMessage *pteris_chat_session_get_last_answer (PterisChatSession *self);

G_END_DECLS
