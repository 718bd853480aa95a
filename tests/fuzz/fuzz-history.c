/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tests/fuzz/fuzz.h"
#include "ui/chat/chat-store.h"
#include "ui/parts/format.h"
#include "ui/history/meaning-store.h"
#include "ui/speech/transcript-store.h"

/* Opens a history, reads all of it as text, searches and writes. */

#define MAX_USED 8

static char *
history_folder (void)
{
  static char *folder;

  if (folder == NULL) {
    g_setenv ("XDG_DATA_HOME", fuzz_folder (), TRUE);
    folder = g_build_filename (fuzz_folder (), "pteris", NULL);
    g_assert (g_str_equal (g_get_user_data_dir (), fuzz_folder ()));
  }
  return folder;
}

/* The history and what became of it. */
static void
remove_history (void)
{
  g_autoptr (GDir) dir = g_dir_open (history_folder (), 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (history_folder (), name, NULL);

    g_remove (path);
  }
  g_rmdir (history_folder ());
}

static void
use_conversation (PterisConversation *chat)
{
  g_autoptr (GPtrArray) path = pteris_chat_store_read (chat, 0, NULL);

  for (guint i = 0; path != NULL && i < path->len; i++) {
    PterisMessage *message = path->pdata[i];
    g_autofree char *stats = pteris_format_chat_stats (pteris_message_get_stats (message));

    g_assert (g_utf8_validate (pteris_message_get_text (message), -1, NULL));
    pteris_chat_store_find_leaf (pteris_conversation_get_id (chat),
                                 pteris_message_get_id (message));
    pteris_chat_store_sibling (chat, message, 1);
  }
}

static void
use_transcript (PterisTranscript *transcript)
{
  g_autofree char *summary = pteris_transcript_describe (transcript);
  g_autofree char *text = pteris_transcript_format (transcript, PT_SUBTITLE_JSON);

  g_assert (g_utf8_validate (summary, -1, NULL));
  g_assert (g_utf8_validate (text, -1, NULL));
}

static void
read_history (void)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) chats = pteris_chat_store_list (&error);
  g_autoptr (GPtrArray) transcripts = pteris_transcript_store_list (MAX_USED, NULL);
  g_autoptr (GPtrArray) found = pteris_store_search ("ferns", "chat", NULL);

  const float vector[4] = { 0.5f, 0.5f, 0.5f, 0.5f };
  PterisQuery query;
  g_autoptr (GPtrArray) units = pteris_meaning_read (1, MAX_USED, NULL), near = NULL;

  pteris_query_init (&query, vector, 4);
  near = pteris_meaning_search (&query, 1, "chat", NULL);
  pteris_query_clear (&query);
  if (chats == NULL)
    fuzz_check_error (error);
  for (guint i = 0; chats != NULL && i < MIN (chats->len, MAX_USED); i++)
    use_conversation (chats->pdata[i]);
  for (guint i = 0; transcripts != NULL && i < transcripts->len; i++)
    use_transcript (transcripts->pdata[i]);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *path = g_build_filename (history_folder (), "history.db", NULL);
  g_autoptr (PterisConversation) chat = pteris_conversation_new (pteris_store_new_id (), "New", 1);

  g_mkdir (history_folder (), 0700);
  g_assert (g_file_set_contents_full (path, (const char *) data, (gssize) size,
                                      G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  read_history ();
  pteris_chat_store_save (chat);
  pteris_store_close ();
  remove_history ();
  return 0;
}
