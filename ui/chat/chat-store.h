/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "ui/chat/conversation.h"
#include "ui/chat/message.h"

G_BEGIN_DECLS

/*
 * Conversations in the history (ui/history/history-store.h). Functions that write queue their
 * statements and return at once; functions that read block: call them in a thread.
 */

/** Write @conversation: new, or with a changed title, leaf or settings. */
void pteris_chat_store_save (PterisConversation *conversation);

/** @deleted: hide it from lists, and delete it at the next start; FALSE: undo that. */
void pteris_chat_store_set_deleted (PterisConversation *conversation, gboolean deleted);

/** Add a new @message, with its ids set, as the last one of @conversation. */
void pteris_chat_store_add (PterisConversation *conversation, PterisMessage *message);

/** More text of @answer. */
void pteris_chat_store_text (PterisMessage *answer, const char *text);

/** Write the state, the statistics and the search words of a finished @answer. */
void pteris_chat_store_end (PterisConversation *conversation, PterisMessage *answer);

/** Delete @question and all its answers; the messages behind them now follow the message before.
 * The rows are removed at the next start. */
void pteris_chat_store_remove (PterisConversation *conversation, PterisMessage *question);

/** Undo that. From now on @follower (NULL: none) follows @last, one of the restored messages. */
void pteris_chat_store_restore (PterisConversation *conversation, PterisMessage *question,
                                PterisMessage *last, PterisMessage *follower);

/** Delete @answer, which no message follows. */
void pteris_chat_store_drop (PterisMessage *answer);

/** Settings as JSON; free with g_free(). */
char *pteris_chat_settings_to_json (const PterisChatSettings *settings);
/** Parse settings from @text (or NULL). Free with pteris_chat_settings_clear(). */
PterisChatSettings pteris_chat_settings_from_json (const char *text);

/** The same as a JSON object, without members of a single conversation. Invalid or missing members
 * of @json get their defaults. */
json_t *pteris_chat_settings_write (const PterisChatSettings *settings);
PterisChatSettings pteris_chat_settings_read (const json_t *json);

/** All conversations, newest first: of PterisConversation. NULL with @error. */
GPtrArray *pteris_chat_store_list (GError **error);

/**
 * The messages (PterisMessage) of @conversation from the first to @leaf (0: the saved one). An
 * unfinished answer is STOPPED. NULL with @error.
 */
GPtrArray *pteris_chat_store_read (PterisConversation *conversation, gint64 leaf, GError **error);

/** All messages of @conversation with all their versions, oldest first. NULL with @error. */
GPtrArray *pteris_chat_store_read_all (PterisConversation *conversation, GError **error);

/**
 * The last message that follows @message, by the newest version at every fork; shown when the user
 * selects another version. Blocking.
 */
gint64 pteris_chat_store_find_leaf (gint64 conversation, gint64 message);

/** The id of the version of @message at @offset; the id of @message if there is none.
 */
gint64 pteris_chat_store_sibling (PterisConversation *conversation, PterisMessage *message,
                                  int offset);

G_END_DECLS
