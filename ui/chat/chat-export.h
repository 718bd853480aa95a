/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/chat-history.h"

G_BEGIN_DECLS

/*
 * Conversations as files: Markdown to read, JSON to keep and to bring back.
 *
 *     {"pteris": 1, "conversations": [{"title": "...", "updated": 1700000000.5,
 *       "settings": {"system": "...", "stop": "...", "temperature": 0.2, "top_k": 40, ...,
 *                    "max_new_tokens": 0, "thinking": 0},
 *       "leaf": 3, "messages": [{"id": 1, "parent": 0, "role": "user", "text": "..."},
 *                               {"id": 3, "parent": 1, "role": "assistant", "model": "...",
 *                                "text": "..."}]}]}
 *
 * Markdown has what is shown; JSON has every version of every message.
 */

/** Write @conversations (of PterisConversation) to @file, whole or not at all, as its name says:
 * ".json", else Markdown. Reads and writes in a thread. */
void pteris_chat_export_async (GPtrArray *conversations, GFile *file, GAsyncReadyCallback callback,
                               gpointer user_data);
gboolean pteris_chat_export_finish (GAsyncResult *result, GError **error);

/** Bring in the conversations of a JSON file. Reads in a thread. */
void pteris_chat_import_async (GFile *file, GAsyncReadyCallback callback, gpointer user_data);

/** Of PterisConversation, written already; to be listed with pteris_chat_history_take(). NULL with
 * @error: nothing was brought in. */
GPtrArray *pteris_chat_import_finish (GAsyncResult *result, GError **error);

G_END_DECLS
