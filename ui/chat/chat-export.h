/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/chat-history.h"

G_BEGIN_DECLS

/*
 * Export of conversations as Markdown or JSON; import from JSON.
 *
 *     {"pteris": 1, "conversations": [{"title": "...", "updated": 1700000000.5,
 *       "settings": {"system": "...", "stop": "...", "temperature": 0.2, "top_k": 40, ...,
 *                    "max_new_tokens": 0, "thinking": 0},
 *       "leaf": 3, "messages": [{"id": 1, "parent": 0, "role": "user", "text": "..."},
 *                               {"id": 3, "parent": 1, "role": "assistant", "model": "...",
 *                                "text": "..."}]}]}
 *
 * Markdown has only the shown messages; JSON has every version of every message.
 */

/** Write @conversations (of PterisConversation) to @file, atomically. The format is JSON for the
 * extension ".json", else Markdown. Reads and writes in a thread. */
void pteris_chat_export_async (GPtrArray *conversations, GFile *file, GAsyncReadyCallback callback,
                               gpointer user_data);
gboolean pteris_chat_export_finish (GAsyncResult *result, GError **error);

/** The shown messages of @conversation as Markdown. Reads in a thread. */
void pteris_chat_markdown_async (PterisConversation *conversation, GAsyncReadyCallback callback,
                                 gpointer user_data);
/** Free with g_free(); NULL with @error. */
char *pteris_chat_markdown_finish (GAsyncResult *result, GError **error);

/** Import the conversations of a JSON file. Reads in a thread. */
void pteris_chat_import_async (GFile *file, GAsyncReadyCallback callback, gpointer user_data);

/** The imported conversations (PterisConversation), already in the database; list them with
 * pteris_chat_history_take(). NULL with @error: nothing was imported. */
GPtrArray *pteris_chat_import_finish (GAsyncResult *result, GError **error);

G_END_DECLS
