/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "ui/chat/conversation.h"
#include "ui/chat/message.h"

G_BEGIN_DECLS

/*
 * Conversations in the history (ui/history/history-store.h). What writes is queued and returns at
 * once; what reads blocks and belongs in a thread.
 */

/** Write @conversation as it is now: new, or with another title, leaf or settings. */
void pteris_chat_store_save (PterisConversation *conversation);

/** @deleted: it is left out of lists, and gone for good at the next start; FALSE: undo that. */
void pteris_chat_store_set_deleted (PterisConversation *conversation, gboolean deleted);

/** A new @message, with its ids set: the last one of @conversation from now on. */
void pteris_chat_store_add (PterisConversation *conversation, PterisMessage *message);

/** More text of @answer. */
void pteris_chat_store_text (PterisMessage *answer, const char *text);

/** @answer has ended: its state, figures and words to search for. */
void pteris_chat_store_end (PterisConversation *conversation, PterisMessage *answer);

/** Take @question with all its answers out of @conversation; what followed them follows what was
 * before. They are gone for good at the next start. */
void pteris_chat_store_remove (PterisConversation *conversation, PterisMessage *question);

/** Have them back. From now on @follower (NULL: nothing) comes after @last, one of them. */
void pteris_chat_store_restore (PterisConversation *conversation, PterisMessage *question,
                                PterisMessage *last, PterisMessage *follower);

/** Forget @answer, which nothing follows. */
void pteris_chat_store_drop (PterisMessage *answer);

/** Settings as JSON; free with g_free(). */
char *pteris_chat_settings_to_json (const PterisChatSettings *settings);
/** Whatever @text (or NULL) says. Free with pteris_chat_settings_clear(). */
PterisChatSettings pteris_chat_settings_from_json (const char *text);

/** The same as an object, without what belongs to the one conversation. What @json says wrong, or
 * not at all, is left at its default. */
json_t *pteris_chat_settings_write (const PterisChatSettings *settings);
PterisChatSettings pteris_chat_settings_read (const json_t *json);

/** All conversations, newest first: of PterisConversation. NULL with @error. */
GPtrArray *pteris_chat_store_list (GError **error);

/**
 * The messages of @conversation from the first to @leaf (0: the one it remembers): of
 * PterisMessage. An answer without an end is STOPPED. NULL with @error.
 */
GPtrArray *pteris_chat_store_read (PterisConversation *conversation, gint64 leaf, GError **error);

/** All messages of @conversation with all their versions, oldest first. NULL with @error. */
GPtrArray *pteris_chat_store_read_all (PterisConversation *conversation, GError **error);

/**
 * The end of the conversation as it went on from @message, the newest branch at every fork: what to
 * show when the user goes to another version. Blocking.
 */
gint64 pteris_chat_store_find_leaf (gint64 conversation, gint64 message);

/** The version that stands @offset before or after @message, as a message id; @message at the ends.
 */
gint64 pteris_chat_store_sibling (PterisConversation *conversation, PterisMessage *message,
                                  int offset);

G_END_DECLS
