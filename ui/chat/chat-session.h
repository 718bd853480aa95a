/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/chat-history.h"
#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"
#include "ui/chat/message.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisChatSession: the conversation that is shown and the work on its answers; a GListModel of
 * PterisMessage. Everything is written to the history as it happens.
 *
 * Properties: "busy" (an answer is being worked on), "conversation" (NULL: nothing said yet).
 *
 * Signals:
 *   deleted (GPtrArray *messages): a question and its answer; pteris_chat_session_put_back()
 *   settings (): how answers are asked for has changed
 *   model (): another model may answer now (pteris_chat_session_get_model())
 *   figures (): how much of its context the model has used
 */
#define PTERIS_TYPE_CHAT_SESSION (pteris_chat_session_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatSession, pteris_chat_session, PTERIS, CHAT_SESSION,
                      PterisListObject)

PterisChatSession *pteris_chat_session_new (PterisEngineClient *client, PterisLibrary *library,
                                            PterisChatHistory *history);

/**
 * Show @conversation, or an empty one for NULL. Reads in a thread; an answer under way is stopped,
 * and what there is of it stays.
 */
void pteris_chat_session_open (PterisChatSession *self, PterisConversation *conversation);

/** Not a new reference; NULL before the first message. */
PterisConversation *pteris_chat_session_get_conversation (PterisChatSession *self);

gboolean pteris_chat_session_is_busy (PterisChatSession *self);

/** Say @text and answer it. The model is the loaded one, else the one used last, else the first. */
void pteris_chat_session_send (PterisChatSession *self, const char *text);
/** The same with @attachments (of PterisAttachment, or NULL), which may come without text. */
void pteris_chat_session_send_with (PterisChatSession *self, const char *text,
                                    GPtrArray *attachments);

/** Answer the last question again; the answers before stay as other versions. Nothing happens while
 * busy. */
void pteris_chat_session_regenerate (PterisChatSession *self);

/** Say @text in place of @message, which the user wrote, and answer it; what followed before stays
 * as another version. Nothing happens while busy. */
void pteris_chat_session_edit (PterisChatSession *self, PterisMessage *message, const char *text);

/** Go on with the last answer, see pteris_message_may_go_on(). */
void pteris_chat_session_continue (PterisChatSession *self);
gboolean pteris_chat_session_can_continue (PterisChatSession *self);

/**
 * Let the model read less: from the earliest question on with which about half of its context is
 * free again. Older messages stay, marked. FALSE: there is nothing older to leave out.
 */
gboolean pteris_chat_session_leave_out (PterisChatSession *self);

/** Answer again with the model at @path from now on. */
void pteris_chat_session_use_model (PterisChatSession *self, const char *path);

/** Take the question that @message is or answers out of the conversation, with its answers. Nothing
 * happens while busy. */
void pteris_chat_session_delete (PterisChatSession *self, PterisMessage *message);
/** Show @conversation, with @messages (of "deleted") put back where they were, whatever has come
 * since. FALSE while an answer comes there. */
gboolean pteris_chat_session_put_back (PterisChatSession *self, PterisConversation *conversation,
                                       GPtrArray *messages);

/** Show the version @offset (-1, 1) of @message, and how it went on. Nothing happens while busy. */
void pteris_chat_session_switch (PterisChatSession *self, PterisMessage *message, int offset);

/** How answers are asked for from now on. */
const PterisChatSettings *pteris_chat_session_get_settings (PterisChatSession *self);
void pteris_chat_session_set_settings (PterisChatSession *self, const PterisChatSettings *settings);

/** Stop the answer under way; what there is of it stays. */
void pteris_chat_session_stop (PterisChatSession *self);

/** The chat model that an answer would come from now; NULL when there is none. Not a new reference.
 */
PterisModel *pteris_chat_session_get_model (PterisChatSession *self);

/** The last answer that has text, or NULL. Not a new reference. */
PterisMessage *pteris_chat_session_get_last_answer (PterisChatSession *self);

G_END_DECLS
