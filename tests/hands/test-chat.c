/* SPDX-License-Identifier: BSD-3-Clause */

/* The chat page: the first start, questions and their answers, earlier chats. */

#include <string.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* The first start: what to do is on the screen, and a question is answered. */
static void
test_first_question (void)
{
  g_autofree char *prompt = NULL;

  hands_start (NULL);
  hands_expect ("Welcome to Pteris");
  hands_picture ("welcome");
  hands_click (GET_STARTED);
  hands_expect_gone ("Welcome to Pteris");
  hands_expect_focus (COMPOSER);
  hands_picture ("empty");
  hands_type ("Grüße: 3/4 „Äpfel“?");
  hands_expect_text (COMPOSER, "Grüße: 3/4 „Äpfel“?");
  hands_picture ("typed");
  hands_key ("Return");
  hands_expect (PARIS);
  hands_expect ("label:Grüße: 3/4 „Äpfel“?");
  hands_expect_text (COMPOSER, "");
  hands_expect_focus (COMPOSER);
  prompt = hands_script_text ("prompt");
  hands_assert (strstr (prompt, "user: Grüße: 3/4 „Äpfel“?\n") != NULL);
  hands_picture ("answered");
}

/* With the button, and with Escape. */
static void
test_stop (void)
{
  hands_start ("{s:b}", "hold", TRUE);
  hands_skip_welcome ();
  hands_type ("What is the capital of France?");
  hands_click (SEND);
  hands_expect (PARIS);
  hands_expect_gone (SEND);
  hands_picture ("streams");
  hands_click (STOP);
  hands_expect_gone (STOP);
  hands_expect (SEND);
  hands_picture ("stopped");
  hands_ask ("And again?");
  hands_expect_script_int ("n_chats", 2);
  hands_expect (STOP);
  hands_key ("Escape");
  hands_expect_gone (STOP);
  hands_expect_count (PARIS, 2);
  hands_expect_focus (COMPOSER);
}

/* While its model is loaded, the message that was sent is in the conversation. */
static void
test_loading (void)
{
  hands_start ("{s:i}", "step_ms", 60000);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (IN_CHAT "label:What is the capital of France?");
  hands_expect_text (COMPOSER, "");
  hands_expect (STOP);
  hands_picture ("loads");
}

/* In titles, and in what was said. */
static void
test_search (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("Where is the Eiffel tower?");
  hands_expect (PARIS);
  hands_key ("ctrl+n");
  hands_expect_gone (PARIS);
  hands_script ("{s:s}", "answer", "A tall fern.");
  hands_ask ("What grows in the shade?");
  hands_expect (IN_CHAT "label:A tall fern.");
  hands_expect (CHATS "label:Where is the Eiffel tower?");
  hands_picture ("two-chats");
  hands_key ("ctrl+k");
  hands_expect_focus (SEARCH_CHATS);
  hands_type ("paris");
  hands_expect_gone (CHATS "label:What grows in the shade?");
  hands_expect (CHATS "label:Where is the Eiffel tower?");
  hands_picture ("found");
  hands_click (CHATS "label:Where is the Eiffel tower?");
  hands_expect (PARIS);
  hands_expect_focus (COMPOSER);
}

/* With the dialog of GTK, by the name of a file. */
static void
test_export (void)
{
  g_autofree char *path = NULL, *text = NULL;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_click (CHAT_ACTIONS);
  hands_picture ("actions");
  hands_click ("menu:Export…");
  hands_expect ("button:Export");
  path = g_build_filename (hands_home (), "chat.md", NULL);
  hands_key ("ctrl+a");
  hands_type (path);
  hands_picture ("name");
  hands_key ("Return");
  hands_expect ("Exported");
  hands_picture ("exported");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  hands_assert (strstr (text, "What is the capital of France?") != NULL);
  hands_assert (strstr (text, "**Paris**") != NULL);
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/chat/first-question", test_first_question);
  hands_add ("/chat/stop", test_stop);
  hands_add ("/chat/loading", test_loading);
  hands_add ("/chat/search", test_search);
  hands_add ("/chat/export", test_export);
  return g_test_run ();
}
