/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/history-kinds.h"

#include "ui/chat/chat-history.h"
#include "ui/i18n.h"
#include "ui/speech/transcript-queue.h"

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

static const char *
chat_title (gpointer item)
{
  return pteris_conversation_get_title (item);
}

static void
rename_chat (gpointer history, gpointer item, const char *title)
{
  pteris_chat_history_rename (history, item, title);
}

static gpointer
find_chat (gpointer history, gint64 id)
{
  return pteris_chat_history_find (history, id);
}

const PterisHistoryKind pteris_history_chats = {
  .name = N_ ("Chats"),
  .search = N_ ("Search chats"),
  .search_label = N_ ("Search in titles and messages"),
  .empty = N_ ("Your chats appear here."),
  .nothing = N_ ("No matching chats."),
  .open_action = "win.open-chat",
  .open_place_action = "win.open-message",
  .rename_action = "win.rename-chat",
  .export_action = "win.export-chat",
  .private_export_action = "win.export-chat-without-names",
  .delete_action = "win.delete-chat",
  .stored_as = "chat",
  .changed = "notify::title",
  .get_id = chat_id,
  .get_time = chat_time,
  .get_title = chat_title,
  .rename = rename_chat,
  .find = find_chat,
};

/* ---- transcripts ---- */

/* The id is the creation time. */
static gint64
transcript_id (gpointer item)
{
  return pteris_transcript_get_id (item);
}

static const char *
transcript_title (gpointer item)
{
  return pteris_transcript_get_title (item);
}

static void
rename_transcript (gpointer history, gpointer item, const char *title)
{
  pteris_transcript_set_title (item, title);
}

static gpointer
find_transcript (gpointer history, gint64 id)
{
  return pteris_transcript_queue_find (history, id);
}

const PterisHistoryKind pteris_history_transcripts = {
  .name = N_ ("Transcripts"),
  .search = N_ ("Search transcripts"),
  .search_label = N_ ("Search in titles and text"),
  .empty = N_ ("Your transcripts appear here."),
  .nothing = N_ ("No matching transcripts."),
  .open_action = "win.open-transcript",
  .open_place_action = "win.open-segment",
  .rename_action = "win.rename-transcript",
  .export_action = "win.export-transcript",
  .delete_action = "win.delete-transcript",
  .stored_as = "transcript",
  .changed = "changed",
  .get_id = transcript_id,
  .get_time = transcript_id,
  .get_title = transcript_title,
  .rename = rename_transcript,
  .find = find_transcript,
};
