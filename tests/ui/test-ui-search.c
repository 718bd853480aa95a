/* SPDX-License-Identifier: BSD-3-Clause */

/* The search in chats and transcripts by words and by meaning, in the window. */

#include <glib/gstdio.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"

#include "ui/chat/chat-store.h"
#include "ui/history/history-row.h"
#include "ui/history/meaning-store.h"
#include "ui/speech/transcript-store.h"
#include "ui/window/preferences.h"

static void
forget_everything (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);

  pteris_store_close ();
  g_remove (path);
}

/* A conversation with @n questions before the last one. */
static gint64
write_chat (const char *title, guint n, const char *question)
{
  gint64 id = pteris_store_new_id (), parent = 0;
  g_autoptr (PterisConversation) chat = pteris_conversation_new (id, title, id);

  for (guint i = 0; i <= n; i++) {
    g_autoptr (PterisMessage) message = pteris_message_new (NULL, i < n ? "Hello." : question);

    pteris_message_set_ids (message, pteris_store_new_id (), parent);
    pteris_chat_store_add (chat, message);
    parent = pteris_message_get_id (message);
  }
  return id;
}

static void
write_transcript (const char *text)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new ("/a/talk.wav", NULL, FALSE);
  g_autoptr (PterisSegment) segment = NULL;

  pteris_transcript_enqueue (transcript);
  pteris_transcript_stop (transcript);
  segment = pteris_segment_new (pteris_store_new_id (), 0, 2, text);
  pteris_transcript_store_segment (transcript, segment, FALSE);
}

static void
search_for (PterisHistoryList *list, const char *query)
{
  gtk_editable_set_text (GTK_EDITABLE (nth (list, GTK_TYPE_SEARCH_ENTRY, 0)), query);
  settle (600);
}

static gboolean
is_complete (PterisWindow *window)
{
  return pteris_meaning_get_progress (window->meaning) >= 1;
}

/* What has no word of the query is found by its meaning, with its passage; it opens there. */
static void
test_by_meaning (void)
{
  PterisHistoryList *chats;
  PterisWindow *window;
  GtkWidget *view;

  forget_everything ();
  fake_reset ();
  fake.with_embedding = TRUE;
  write_chat ("Garden", 30, "Which moss grows in the shade?");
  write_chat ("Garage", 0, "Why does the vehicle not start?");
  write_transcript ("A talk on plants and their seeds.");
  window = open_window ();
  wait_until (is_complete (window));
  g_assert_cmpuint (fake.n_embeds, ==, 33);
  chats = pteris_sidebar_get_chats (window->sidebar);
  search_for (chats, "ferns");
  g_assert_true (says (chats, "Garden"));
  g_assert_true (says (chats, "Which moss grows"));
  g_assert_false (says (chats, "Garage"));
  view = nth (chats, GTK_TYPE_LIST_VIEW, 0);
  g_signal_emit_by_name (view, "activate", 0);
  settle (500);
  g_assert_cmpstr (
      pteris_conversation_get_title (pteris_chat_session_get_conversation (window->session)), ==,
      "Garden");
  g_assert_true (says (window->chat_page, "Which moss grows"));
  pteris_window_show_page (window, "transcribe");
  search_for (pteris_sidebar_get_transcripts (window->sidebar), "ferns");
  g_assert_true (says (window->sidebar, "A talk on plants"));
  close_window (window);
}

/* A query that was asked too early finds the rest when all has vectors. */
static void
test_incomplete (void)
{
  PterisHistoryList *chats;
  PterisWindow *window;

  forget_everything ();
  fake_reset ();
  fake.with_embedding = TRUE;
  fake.embed_waits = "shade";
  write_chat ("Garden", 0, "Which moss grows in the shade?");
  write_chat ("Garage", 0, "Why does the vehicle not start?");
  window = open_window ();
  wait_until (pteris_meaning_get_progress (window->meaning) > 0);
  chats = pteris_sidebar_get_chats (window->sidebar);
  search_for (chats, "ferns");
  g_assert_true (says (chats, "50 % of your chats and transcripts"));
  g_assert_false (says (chats, "Garden"));
  fake.embed_waits = NULL;
  wait_until (is_complete (window));
  wait_until (says (chats, "Garden"));
  g_assert_false (says (chats, "% of your chats and transcripts"));
  close_window (window);
}

/* Both kinds of results are shown, and a word that is there shows its passage. */
static void
test_by_words (void)
{
  PterisHistoryList *chats;
  PterisWindow *window;

  forget_everything ();
  fake_reset ();
  write_chat ("Garden", 0, "Which moss grows in the shade?");
  write_chat ("Forest", 0, "Do ferns like the shade?");
  window = open_window ();
  chats = pteris_sidebar_get_chats (window->sidebar);
  search_for (chats, "ferns");
  g_assert_true (says (chats, "Do ferns like the shade?"));
  g_assert_false (says (chats, "Garden"));
  fake.with_embedding = TRUE;
  pteris_library_rescan (window->library);
  wait_until (is_complete (window));
  search_for (chats, "fern");
  g_assert_true (says (chats, "Do ferns like the shade?"));
  g_assert_true (says (chats, "Garden"));
  close_window (window);
}

/* New messages get vectors when the answer is there; the switch deletes all of them. */
static void
test_switch (void)
{
  PterisHistoryList *chats;
  PterisWindow *window;
  guint n;

  forget_everything ();
  fake_reset ();
  fake.with_embedding = TRUE;
  fake.answer = "The moss likes the shade.";
  window = open_window ();
  wait_until (is_complete (window));
  pteris_chat_session_send (window->session, "What can I do?");
  wait_until (fake.n_embeds == 2);
  settle (200);
  chats = pteris_sidebar_get_chats (window->sidebar);
  search_for (chats, "a plant");
  g_assert_true (says (chats, "The moss likes the shade."));
  pteris_settings_set_boolean (PTERIS_SETTING_SEARCH_BY_MEANING, FALSE);
  pteris_store_flush ();
  n = fake.n_embeds;
  search_for (chats, "some plant");
  g_assert_true (says (chats, "No matching chats."));
  g_assert_cmpuint (fake.n_embeds, ==, n);
  g_assert_cmpfloat (pteris_meaning_get_progress (window->meaning), <, 0);
  pteris_settings_set_boolean (PTERIS_SETTING_SEARCH_BY_MEANING, TRUE);
  wait_until (fake.n_embeds == n + 2);
  close_window (window);
}

/* Other weights make other vectors: all are made again, and only then. */
static void
test_other_weights (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "weights.ptd", NULL);
  static const char *const WEIGHTS[] = { "old", "old", "newer" };
  static const guint EXPECTED[] = { 2, 2, 4 };

  forget_everything ();
  fake_reset ();
  fake.with_embedding = TRUE;
  fake.embed_data = path;
  write_chat ("Garden", 1, "Which moss grows in the shade?");
  for (guint i = 0; i < G_N_ELEMENTS (WEIGHTS); i++) {
    PterisWindow *window;

    if (i != 1)
      g_assert_true (g_file_set_contents (path, WEIGHTS[i], -1, NULL));
    window = open_window ();
    wait_until (is_complete (window));
    g_assert_cmpuint (fake.n_embeds, ==, EXPECTED[i]);
    close_window (window);
  }
}

/* Nothing is read while a job of the user runs; a model that fails says so in the preferences. */
static void
test_jobs_and_errors (void)
{
  PterisWindow *window;

  forget_everything ();
  fake_reset ();
  fake.with_embedding = TRUE;
  fake.hold = TRUE;
  window = open_window ();
  pteris_chat_session_send (window->session, "What can I do?");
  settle (2500);
  g_assert_cmpuint (fake.n_embeds, ==, 0);
  fake.embed_fails = TRUE;
  pteris_chat_session_stop (window->session);
  wait_until (pteris_meaning_get_error (window->meaning) != NULL);
  g_action_group_activate_action (G_ACTION_GROUP (window), "preferences", NULL);
  settle (200);
  {
    g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
    gboolean told = FALSE;

    for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (windows, i);

      if (PTERIS_IS_PREFERENCES (toplevel))
        told = says (toplevel, "all-MiniLM-L6-v2 cannot be used: The file is damaged.");
    }
    g_assert_true (told);
  }
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/search/by-meaning", test_by_meaning);
  g_test_add_func ("/search/incomplete", test_incomplete);
  g_test_add_func ("/search/by-words", test_by_words);
  g_test_add_func ("/search/switch", test_switch);
  g_test_add_func ("/search/other-weights", test_other_weights);
  g_test_add_func ("/search/jobs-and-errors", test_jobs_and_errors);
  return end_window_tests ();
}
