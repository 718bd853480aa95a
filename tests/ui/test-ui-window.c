/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tests/ui/chat-test.h"
#include "tests/ui/fake-engine.h"
#include "ui/window/application.h"
#include "ui/chat/message-list.h"
#include "ui/chat/question-editor.h"
#include "ui/chat/question-view.h"
#include "ui/settings.h"

/* ---- helpers ---- */

static void
act (PterisWindow *window, const char *name, const char *target)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), name,
                                  target != NULL ? g_variant_new_string (target) : NULL);
}

static void
forget_everything (void)
{
  forget_history ();
  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, "/models/mine/model.pte");
  fake_reset ();
}

/* ---- tests ---- */

static void
test_opens (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  g_assert_true (says (window, "What is the capital of France?"));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->library)), ==, 3);
  wait_until (says (window->status_bar, "AMD EPYC"));
  g_assert_cmpint (fake.n_loads, ==, 0);
  close_window (window);
}

static void
test_chat (void)
{
  PterisWindow *window;
  PterisMessage *answer;

  forget_everything ();
  window = open_window ();
  say (window, "What is the capital of France?");
  g_assert_cmpuint (n_messages (window), ==, 2);
  answer = message_at (window, 1);
  wait_until (pteris_message_get_state (answer) == PTERIS_MESSAGE_STREAMING);
  wait_until (pteris_message_get_state (answer) == PTERIS_MESSAGE_DONE);
  settle (100);
  g_assert_cmpstr (pteris_message_get_text (answer), ==, fake.answer);
  wait_until (says (window->chat_page, "The capital of France is Paris."));
  wait_until (says (window->chat_page, "162 tokens/s · first token 41 ms · 37 of 2048 tokens"));
  g_assert_false (says (window->status_bar, "162 tokens/s"));
  g_assert_true (says (window->model_button, "Ready · CPU"));

  say (window, "And of Italy?");
  wait_until (n_messages (window) == 4 && !pteris_chat_session_is_busy (window->session));
  g_assert_cmpint (fake.n_loads, ==, 1);
  g_assert_cmpuint (fake.n_messages, ==, 3);

  gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.regenerate", NULL);
  g_assert_cmpuint (n_messages (window), ==, 4);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpint (fake.n_chats, ==, 3);
  g_assert_cmpuint (fake.n_messages, ==, 3);

  act (window, "new-chat", NULL);
  g_assert_cmpuint (n_messages (window), ==, 0);
  close_window (window);
}

static void
test_stop (void)
{
  PterisWindow *window;
  PterisMessage *answer;

  forget_everything ();
  fake.hold = TRUE;
  window = open_window ();
  say (window, "Go on for ever");
  answer = message_at (window, 1);
  wait_until (g_str_has_suffix (pteris_message_get_text (answer), "**Paris**."));
  g_assert_true (pteris_chat_session_is_busy (window->session));
  act (window, "stop", NULL);
  wait_until (pteris_message_get_state (answer) == PTERIS_MESSAGE_STOPPED);
  g_assert_false (pteris_chat_session_is_busy (window->session));
  settle (50);
  wait_until (says (window->chat_page, "Stopped."));
  close_window (window);
}

static void
test_load_error (void)
{
  PterisWindow *window;
  GtkWidget *row;

  forget_everything ();
  fake.load_error = "“model.ptd” is missing beside “model.pte”.";
  fake.load_code = PT_ERROR_MISSING_FILE;
  window = open_window ();
  say (window, "Hello?");
  wait_until (!pteris_chat_session_is_busy (window->session));
  settle (50);
  wait_until ((row = nth (window->chat_page, PTERIS_TYPE_MESSAGE_ROW, 1)) != NULL);
  wait_until (says (row, fake.load_error));
  wait_until (says (row, "Open Another Model…"));
  g_assert_true (says (window->model_button, "Could not be loaded"));
  g_assert_cmpint (fake.n_chats, ==, 0);

  /* The question is still there and can be asked again. */
  fake.load_error = NULL;
  gtk_widget_activate_action (row, "chat.regenerate", NULL);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpint (pteris_message_get_state (message_at (window, 1)), ==, PTERIS_MESSAGE_DONE);
  close_window (window);
}

static void
test_picked_model_fails (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.load_error = "“model.pte” is damaged.";
  fake.load_code = PT_ERROR_PROGRAM;
  window = open_window ();
  act (window, "pick-model", "/models/whisper-base/model.pte");
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_FAILED);
  settle (50);
  g_assert_true (gtk_revealer_get_reveal_child (window->load_error));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "transcribe");
  fake.load_error = NULL;
  act (window, "retry-load", NULL);
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_READY);
  g_assert_false (gtk_revealer_get_reveal_child (window->load_error));
  close_window (window);
}

static const char UNTRUSTED[] =
    "“model.pte” contains native code: a library that runs with your permissions and can do "
    "whatever you can. Run it only if you trust its source. The SHA-256 of the file is "
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.";
static const char SHOWN[] = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
static const char REPLACED[] = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";

/* The model runs when the user says so, and not before; what was agreed to is what was shown, not
 * what lies in its place meanwhile. */
static void
test_consent (void)
{
  PterisWindow *window;
  const char *body;

  forget_everything ();
  fake.load_error = UNTRUSTED;
  fake.load_code = PT_ERROR_UNTRUSTED;
  fake.digest = SHOWN;
  window = open_window ();
  act (window, "pick-model", "/models/whisper-base/model.pte");
  wait_until (window->trust_dialog != NULL);
  body = adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window->trust_dialog));
  g_assert_true (g_str_has_prefix (body, UNTRUSTED));
  /* What this system stops, and what it does not. */
  g_assert_nonnull (strstr (body, "cannot use the network"));
  g_assert_nonnull (strstr (body, "reads only models"));
  g_assert_cmpstr (
      adw_message_dialog_get_default_response (ADW_MESSAGE_DIALOG (window->trust_dialog)), ==,
      "cancel");
  gtk_window_close (GTK_WINDOW (window->trust_dialog));
  wait_until (window->trust_dialog == NULL);
  g_assert_cmpint (pteris_engine_client_get_state (speech_engine (window)), ==,
                   PTERIS_MODEL_FAILED);
  wait_until (says (window->load_error_card, "Run…"));

  fake.stops = PT_HOST_STOPS_PROGRAMS | PT_HOST_STOPS_WRITING;
  act (window, "trust-model", NULL);
  wait_until (window->trust_dialog != NULL);
  fake.digest = REPLACED;
  body = adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window->trust_dialog));
  g_assert_nonnull (strstr (body, "because Windows does not restrict that"));
  fake.stops = PT_HOST_STOPS_NETWORK | PT_HOST_STOPS_PROGRAMS;
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (window->trust_dialog), "run");
  gtk_window_destroy (GTK_WINDOW (window->trust_dialog));
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_LOADING);
  wait_until (window->trust_dialog != NULL);
  g_assert_cmpint (pteris_engine_client_get_state (speech_engine (window)), ==,
                   PTERIS_MODEL_FAILED);
  g_assert_cmpstr (pteris_engine_client_get_digest (speech_engine (window)), ==, REPLACED);
  body = adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window->trust_dialog));
  g_assert_nonnull (strstr (body, "change all your files"));
  g_assert_nonnull (strstr (body, "Landlock"));
  adw_message_dialog_response (ADW_MESSAGE_DIALOG (window->trust_dialog), "run");
  gtk_window_destroy (GTK_WINDOW (window->trust_dialog));
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_READY);
  g_assert_false (gtk_revealer_get_reveal_child (window->load_error));
  close_window (window);
}

/* Without a GPU, a button loads the same model's CPU program. */
static void
test_alternative (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.load_error = "“model.pte” needs an NVIDIA GPU";
  fake.load_code = PT_ERROR_MISSING_BACKEND;
  fake.alternative = "/models/mine/model.cpu.pte";
  window = open_window ();
  act (window, "pick-model", "/models/whisper-base/model.pte");
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_FAILED);
  wait_until (says (window->load_error_card, "Use CPU Version"));
  fake.load_error = NULL;
  act (window, "use-alternative", NULL);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_cmpstr (pteris_model_get_info (window->picked)->name, ==, "mine");
  close_window (window);
}

static void
test_no_model (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.with_models = FALSE;
  window = open_window ();
  wait_until (says (window->chat_page, "No Chat Model Yet"));
  say (window, "Anybody there?");
  settle (50);
  wait_until (says (window->chat_page, "Anybody there?"));
  wait_until (says (window->chat_page, "There is no chat model yet."));

  /* A model is added: the same question is answered. */
  fake.with_models = TRUE;
  act (window, "rescan", NULL);
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->library)) == 3);
  gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.regenerate", NULL);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpint (pteris_message_get_state (message_at (window, 1)), ==, PTERIS_MESSAGE_DONE);
  close_window (window);
}

static void
open_file (PterisWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
}

static void
test_other_files (void)
{
  PterisWindow *window = open_window ();
  g_autoptr (GFile) page = g_file_new_for_path ("/notes/page.html");
  g_autoptr (GFile) list = g_file_new_for_path ("/notes/list.ini");
  GSList second = { .data = list };
  GSList files = { .data = page, .next = &second };

  /* The chat page would attach them. */
  pteris_window_show_page (window, "transcribe");
  open_file (window, "/notes/page.html");
  wait_until (says (window, "“page.html” is neither a model nor a recording."));
  pteris_window_open_files (window, &files);
  wait_until (says (window, "“page.html” and 1 other file are neither models nor recordings."));
  close_window (window);
}

/* As with `pteris FILE`: jobs wait until the library is scanned instead of failing. */
static void
test_early (void)
{
  PterisWindow *window;
  g_autoptr (PterisTranscript) transcript = NULL;

  forget_everything ();
  window = pteris_window_new (application);
  open_file (window, "/recordings/kennedy.wav");
  say (window, "Hello?");
  g_assert_false (pteris_library_is_ready (window->library));
  gtk_window_present (GTK_WINDOW (window));
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->queue)) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpint (pteris_message_get_state (message_at (window, 1)), ==, PTERIS_MESSAGE_DONE);
  close_window (window);
}

/* Another answer and another question are versions; the earlier ones stay and can be gone back to.
 */
static void
test_versions (void)
{
  PterisWindow *window;
  PterisQuestionView *question;
  guint count;

  forget_everything ();
  window = open_window ();
  fake.answer = "One";
  say (window, "First");
  wait_until (!pteris_chat_session_is_busy (window->session));
  fake.answer = "Two";
  gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.regenerate", NULL);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (n_messages (window), ==, 2);
  wait_until (says (window, "2 / 2"));
  question = PTERIS_QUESTION_VIEW (nth (window, PTERIS_TYPE_QUESTION_VIEW, 0));
  pteris_question_view_begin_edit (question);
  g_assert_nonnull (nth (question, PTERIS_TYPE_QUESTION_EDITOR, 0));
  fake.answer = "Three";
  g_signal_emit_by_name (nth (question, PTERIS_TYPE_QUESTION_EDITOR, 0), "send", "Second");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (n_messages (window), ==, 2);
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 0)), ==, "Second");
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, "Three");

  /* Back to the first question: with the newer of its two answers, then the older. */
  pteris_chat_session_switch (window->session, message_at (window, 0), -1);
  wait_until (g_str_equal (pteris_message_get_text (message_at (window, 0)), "First"));
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, "Two");
  g_assert_cmpuint (pteris_message_get_version (message_at (window, 1), &count), ==, 1);
  g_assert_cmpuint (count, ==, 2);
  pteris_chat_session_switch (window->session, message_at (window, 1), -1);
  wait_until (g_str_equal (pteris_message_get_text (message_at (window, 1)), "One"));
  close_window (window);

  /* As it was left. */
  window = open_window ();
  wait_until (n_messages (window) == 2);
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, "One");
  close_window (window);
}

/* The list: newest first, renamed, deleted and had back. */
static void
test_conversations (void)
{
  PterisWindow *window;
  g_autoptr (PterisConversation) first = NULL, second = NULL;
  gint64 id;

  forget_everything ();
  window = open_window ();
  say (window, "Ferns");
  wait_until (!pteris_chat_session_is_busy (window->session));
  act (window, "new-chat", NULL);
  g_assert_cmpuint (n_messages (window), ==, 0);
  say (window, "Mosses");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 2);
  second = g_list_model_get_item (G_LIST_MODEL (window->history), 0);
  first = g_list_model_get_item (G_LIST_MODEL (window->history), 1);
  g_assert_cmpstr (pteris_conversation_get_title (second), ==, "Mosses");
  id = pteris_conversation_get_id (first);

  g_action_group_activate_action (G_ACTION_GROUP (window), "open-chat", g_variant_new_int64 (id));
  wait_until (n_messages (window) == 2);
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 0)), ==, "Ferns");
  pteris_chat_history_rename (window->history, first, "  My ferns ");
  wait_until (says (window->sidebar, "My ferns"));
  g_action_group_activate_action (G_ACTION_GROUP (window), "delete-chat", g_variant_new_int64 (id));
  g_assert_cmpuint (n_messages (window), ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 1);
  pteris_chat_history_put_back (window->history, first);
  close_window (window);

  window = open_window ();
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->history)) == 2);
  g_assert_nonnull (pteris_chat_history_find (window->history, id));
  close_window (window);
}

static void
test_restore (void)
{
  PterisWindow *window;
  g_autoptr (PterisTranscript) transcript = NULL;

  forget_everything ();
  fake.hold = TRUE;
  window = open_window ();
  say (window, "Tell me");
  wait_until (g_str_has_suffix (pteris_message_get_text (message_at (window, 1)), "**Paris**."));
  pteris_store_flush ();
  close_window (window);

  /* As after a kill: the text so far is kept and marked. */
  fake.hold = FALSE;
  window = open_window ();
  wait_until (n_messages (window) == 2);
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 0)), ==, "Tell me");
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, fake.answer);
  g_assert_cmpint (pteris_message_get_reason (message_at (window, 1)), ==, PT_REASON_INTERRUPTED);
  gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.regenerate", NULL);
  wait_until (!pteris_chat_session_is_busy (window->session));
  fake.hold = TRUE;
  open_file (window, "/recordings/long.mp3");
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->queue)) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (g_list_model_get_n_items (pteris_transcript_get_segments (transcript)) == 2);
  g_clear_object (&transcript);
  close_window (window);

  window = open_window ();
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->queue)) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (g_list_model_get_n_items (pteris_transcript_get_segments (transcript)) == 2);
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_PAUSED);
  wait_until (n_messages (window) == 2);
  g_assert_cmpint (pteris_message_get_reason (message_at (window, 1)), ==, PT_REASON_STOP);
  close_window (window);
}

static void
test_scrolling (void)
{
  PterisWindow *window;
  GtkAdjustment *adjustment;
  g_autoptr (GString) words = g_string_new (NULL);
  double value;

  forget_everything ();
  for (guint i = 0; i < 400; i++)
    g_string_append_printf (words, "Word %u of a long answer.\n\n", i);
  fake.answer = words->str;
  fake.hold = TRUE;
  window = open_window ();
  say (window, "At length, please");
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (
      nth (window->chat_page, PTERIS_TYPE_MESSAGE_LIST, 0), GTK_TYPE_SCROLLED_WINDOW)));

  /* At the end, the view follows. */
  wait_until (gtk_adjustment_get_upper (adjustment) >
              3 * gtk_adjustment_get_page_size (adjustment));
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment) +
                         gtk_adjustment_get_page_size (adjustment),
                     >=, gtk_adjustment_get_upper (adjustment) - 1);

  /* Elsewhere, it stays. */
  value = gtk_adjustment_get_page_size (adjustment) / 2;
  gtk_adjustment_set_value (adjustment, value);
  settle (200);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, value);
  g_assert_true (pteris_chat_session_is_busy (window->session));
  close_window (window);
}

static void
test_open_model (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  open_file (window, "/elsewhere/mine.pte");
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
  g_assert_true (says (window->model_button, "Mine"));
  act (window, "models", NULL);
  wait_until (says (window->models_page, "Mine"));
  open_file (window, "/elsewhere/broken.pte");
  wait_until (says (window, "is not an ExecuTorch program."));
  open_file (window, "/elsewhere/notes.txt");
  close_window (window);
}

/* The tool that makes the starter models, as the window knows it: lines on its output. */
#ifdef G_OS_UNIX

static void
test_starter (void)
{
  static const char SCRIPT[] =
      "#!/bin/sh\n"
      "echo 'progress 0.100 download 24000000 243000000 SmolLM2 135M Instruct'\n"
      "[ -z \"$STARTER_FAILS\" ] || { echo 'failed network'; echo 'No route to host'; exit 1; }\n"
      "until [ -e \"$XDG_DATA_HOME/go-on\" ]; do\n"
      "  echo 'progress 0.200 download 48000000 243000000 SmolLM2 135M Instruct'\n"
      "  sleep 0.1\n"
      "done\n"
      "echo 'progress 0.900 write 243000000 243000000 Whisper base'\n";
  g_autofree char *program = g_build_filename (g_get_user_data_dir (), "pteris-starter", NULL);
  g_autofree char *go_on = g_build_filename (g_get_user_data_dir (), "go-on", NULL);
  g_autofree char *path =
      g_strconcat (g_get_user_data_dir (), G_SEARCHPATH_SEPARATOR_S, g_getenv ("PATH"), NULL);
  PterisWindow *window;

  forget_everything ();
  g_assert_true (
      g_file_set_contents_full (program, SCRIPT, -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_setenv ("PATH", path, TRUE);
  fake.with_models = FALSE;
  window = open_window ();
  wait_until (says (window->chat_page, "Use Starter Models"));
  g_assert_true (says (window->chat_page, "No Chat Model"));

  g_setenv ("STARTER_FAILS", "1", TRUE);
  act (window, "use-starter", NULL);
  wait_until (pteris_starter_get_error (window->starter) != NULL);
  wait_until (says (window->chat_page, "because the network cannot be reached."));
  g_assert_true (says (window->chat_page, "Try Again"));
  g_assert_cmpstr (pteris_starter_get_details (window->starter), ==, "No route to host\n");

  /* Shows the title and the progress of a download; also that it has stalled. */
  g_unsetenv ("STARTER_FAILS");
  act (window, "use-starter", NULL);
  wait_until (says (window->chat_page, "48.0\u00a0MB of 243.0\u00a0MB"));
  g_assert_true (says (window->chat_page, "Downloading the Starter Models"));
  g_assert_true (says (window->chat_page, "Downloading SmolLM2 135M Instruct"));
  g_assert_false (says (window->chat_page, "No Chat Model"));
  g_assert_false (says (window->chat_page, "cannot be reached"));
  wait_until (says (window->chat_page, "waiting for the network"));

  pteris_starter_stop (window->starter);
  wait_until (says (window->chat_page, "Continue Download"));
  g_assert_true (says (window->chat_page, "No Chat Model"));
  g_assert_null (pteris_starter_get_error (window->starter));

  g_assert_true (g_file_set_contents (go_on, "", 0, NULL));
  fake.with_models = TRUE;
  act (window, "use-starter", NULL);
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->library)) == 3);
  wait_until (says (window->chat_page, "What is the capital of France?"));
  close_window (window);
  g_unlink (program);
  g_unlink (go_on);
}

#endif

/* The window opens with an empty history and says where the old file is. */
static void
test_damaged_history (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);
  g_autofree char *garbage = g_strnfill (5000, 'x');
  PterisWindow *window;

  forget_everything ();
  g_assert_true (g_file_set_contents (path, garbage, -1, NULL));
  window = open_window ();
  wait_until (says (window, "The history was damaged, so a new one was started."));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 0);
  say (window, "What is the capital of France?");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 1);
  close_window (window);
  g_assert_null (pteris_store_get_error ());
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  int status;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);

  g_test_add_func ("/window/opens", test_opens);
  g_test_add_func ("/window/chat", test_chat);
  g_test_add_func ("/window/stop", test_stop);
  g_test_add_func ("/window/load-error", test_load_error);
  g_test_add_func ("/window/picked-model-fails", test_picked_model_fails);
  g_test_add_func ("/window/consent", test_consent);
  g_test_add_func ("/window/alternative", test_alternative);
  g_test_add_func ("/window/no-model", test_no_model);
  g_test_add_func ("/window/other-files", test_other_files);
  g_test_add_func ("/window/early", test_early);
  g_test_add_func ("/window/versions", test_versions);
  g_test_add_func ("/window/conversations", test_conversations);
  g_test_add_func ("/window/restore", test_restore);
  g_test_add_func ("/window/scrolling", test_scrolling);
  g_test_add_func ("/window/open-model", test_open_model);
#ifdef G_OS_UNIX
  g_test_add_func ("/window/starter", test_starter);
#endif
  g_test_add_func ("/window/damaged-history", test_damaged_history);
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
