/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history-kinds.h"

#include "ui/chat-history.h"
#include "ui/chat-row.h"
#include "ui/i18n.h"
#include "ui/transcript-item.h"
#include "ui/transcript-queue.h"

/* ---- chats ---- */

static gint64
chat_id (gpointer item)
{
  return pteris_conversation_get_id (item);
}

static gint64
chat_time (gpointer item)
{
  return pteris_conversation_get_updated (item);
}

static GtkWidget *
chat_row (void)
{
  return GTK_WIDGET (pteris_chat_row_new ());
}

static void
set_chat (GtkWidget *row, gpointer item)
{
  pteris_chat_row_set_conversation (PTERIS_CHAT_ROW (row), item);
}

static void
set_chat_day (GtkWidget *row, const char *day)
{
  pteris_chat_row_set_day (PTERIS_CHAT_ROW (row), day);
}

static void
search_chats (gpointer history, const char *query, GCancellable *cancellable,
              GAsyncReadyCallback callback, gpointer user_data)
{
  pteris_chat_history_search_async (history, query, cancellable, callback, user_data);
}

static GPtrArray *
chats_found (gpointer history, GAsyncResult *result, GError **error)
{
  return pteris_chat_history_search_finish (history, result, error);
}

const PterisHistoryKind pteris_history_chats = {
  .name = N_ ("Chats"),
  .search = N_ ("Search chats"),
  .search_label = N_ ("Search in titles and messages"),
  .empty = N_ ("Your chats will be listed here."),
  .nothing = N_ ("No chat has these words."),
  .open = "win.open-chat",
  .get_id = chat_id,
  .get_time = chat_time,
  .new_row = chat_row,
  .set_item = set_chat,
  .set_day = set_chat_day,
  .search_async = search_chats,
  .search_finish = chats_found,
};

/* ---- transcripts ---- */

/* The id is the time at which it was made. */
static gint64
transcript_id (gpointer item)
{
  return pteris_transcript_get_id (item);
}

static GtkWidget *
transcript_row (void)
{
  return GTK_WIDGET (pteris_transcript_item_new ());
}

static void
set_transcript (GtkWidget *row, gpointer item)
{
  pteris_transcript_item_set_transcript (PTERIS_TRANSCRIPT_ITEM (row), item);
}

static void
set_transcript_day (GtkWidget *row, const char *day)
{
  pteris_transcript_item_set_day (PTERIS_TRANSCRIPT_ITEM (row), day);
}

static void
search_transcripts (gpointer history, const char *query, GCancellable *cancellable,
                    GAsyncReadyCallback callback, gpointer user_data)
{
  pteris_transcript_queue_search_async (history, query, cancellable, callback, user_data);
}

static GPtrArray *
transcripts_found (gpointer history, GAsyncResult *result, GError **error)
{
  return pteris_transcript_queue_search_finish (history, result, error);
}

const PterisHistoryKind pteris_history_transcripts = {
  .name = N_ ("Transcripts"),
  .search = N_ ("Search transcripts"),
  .search_label = N_ ("Search in titles and text"),
  .empty = N_ ("Your transcripts will be listed here."),
  .nothing = N_ ("No transcript has these words."),
  .open = "win.open-transcript",
  .get_id = transcript_id,
  .get_time = transcript_id,
  .new_row = transcript_row,
  .set_item = set_transcript,
  .set_day = set_transcript_day,
  .search_async = search_transcripts,
  .search_finish = transcripts_found,
};
