/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/chat-history.h"
#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"
#include "ui/chat/message.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisChatSession: the shown conversation and the jobs that answer it; a GListModel of
 * PterisMessage. All changes are written to the history at once.
 *
 * Properties: "busy" (an answer is in progress), "conversation" (NULL: no message yet).
 *
 * Signals:
 *   deleted (GPtrArray *messages): a question and its answer; pteris_chat_session_put_back()
 *   reach (guint position): the message there is to be scrolled to
 *   settings (): the settings have changed model (): the result of pteris_chat_session_get_model()
 *   may have changed figures (): the use of the context has changed
 */
#define PTERIS_TYPE_CHAT_SESSION (pteris_chat_session_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatSession, pteris_chat_session, PTERIS, CHAT_SESSION,
                      PterisListObject)

PterisChatSession *pteris_chat_session_new (PterisEngineClient *client, PterisLibrary *library,
                                            PterisChatHistory *history);

/**
 * Show @conversation; NULL: a new one. Reads in a thread. An answer in progress is stopped; its
 * text so far is kept.
 */
void pteris_chat_session_open (PterisChatSession *self, PterisConversation *conversation);

/** The same, and scroll to the message with @id, on whatever path of the conversation it is. */
void pteris_chat_session_open_message (PterisChatSession *self, PterisConversation *conversation,
                                       gint64 id);

/** Not a new reference; NULL before the first message. */
PterisConversation *pteris_chat_session_get_conversation (PterisChatSession *self);

gboolean pteris_chat_session_is_busy (PterisChatSession *self);

/** Send @text and generate an answer. The model is the loaded one, else the one used last, else the
 * first. */
void pteris_chat_session_send (PterisChatSession *self, const char *text);
/** The same with @attachments (of PterisAttachment, or NULL), which may have no text. */
void pteris_chat_session_send_with (PterisChatSession *self, const char *text,
                                    GPtrArray *attachments);

/** Generate another answer to the last question; earlier answers stay as versions. Does nothing
 * while busy. */
void pteris_chat_session_regenerate (PterisChatSession *self);

/** Replace @message of the user by @text and generate an answer; the old messages stay as another
 * version. Does nothing while busy. */
void pteris_chat_session_edit (PterisChatSession *self, PterisMessage *message, const char *text);

/** Continue the last answer; see pteris_message_may_go_on(). */
void pteris_chat_session_continue (PterisChatSession *self);
gboolean pteris_chat_session_can_continue (PterisChatSession *self);

/**
 * Leave out old messages, so that about half of the context is free again. They stay in the
 * conversation, marked as not read. FALSE: there is nothing to leave out.
 */
gboolean pteris_chat_session_leave_out (PterisChatSession *self);

/** Use the model at @path from now on, and generate the last answer again. */
void pteris_chat_session_use_model (PterisChatSession *self, const char *path);

/** The message with @id, which the session owns; NULL: it is not in the conversation. */
PterisMessage *pteris_chat_session_find_message (PterisChatSession *self, gint64 id);

/** Delete a question and its answers; @message is one of them. Does nothing while busy. */
void pteris_chat_session_delete (PterisChatSession *self, PterisMessage *message);
/** Show @conversation and restore @messages (of "deleted") at their places. FALSE while an answer
 * in it is in progress. */
gboolean pteris_chat_session_put_back (PterisChatSession *self, PterisConversation *conversation,
                                       GPtrArray *messages);

/** Show the version @offset (-1, 1) of @message and the messages that follow it. Does nothing while
 * busy. */
void pteris_chat_session_switch (PterisChatSession *self, PterisMessage *message, int offset);

/** Settings of the next answers. */
const PterisChatSettings *pteris_chat_session_get_settings (PterisChatSession *self);
void pteris_chat_session_set_settings (PterisChatSession *self, const PterisChatSettings *settings);

/** Stop the answer in progress; its text so far is kept. */
void pteris_chat_session_stop (PterisChatSession *self);

/** The model that would answer now; NULL: there is none. Not a new reference.
 */
PterisModel *pteris_chat_session_get_model (PterisChatSession *self);

/** The last answer that has text, or NULL. Not a new reference. */
PterisMessage *pteris_chat_session_get_last_answer (PterisChatSession *self);

G_END_DECLS
